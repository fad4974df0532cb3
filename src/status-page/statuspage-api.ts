import type {
  PagePayload,
  PageState,
  PublicIncident,
  PublicMaintenance,
  PublicMonitor,
} from "../contract/public-page.ts";
import {
  COMPONENT_STATUSES,
  type Indicator,
  type ScheduledMaintenance,
  type StatuspageAnswer,
  type StatuspageComponent,
  type StatuspageIncident,
} from "../contract/statuspage-api.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import { monitorsInMaintenance } from "./maintenance.ts";
import { computePageState } from "./page-state.ts";

/** The page in the shapes of contract/statuspage-api.ts. */

const INDICATOR_OF: Record<PageState, Indicator> = {
  operational: "none",
  unknown: "minor",
  maintenance: "maintenance",
  degraded: "minor",
  partial_outage: "major",
  major_outage: "critical",
};
const STATUS_OF: Record<PublicMonitor["status"], StatuspageComponent["status"]> = {
  up: "operational",
  pending: "operational",
  // Choice: the shape has no word for missing data, which must not read as operational.
  unknown: "degraded_performance",
  degraded: "degraded_performance",
  down: "major_outage",
};

export interface StatuspageContext {
  payload: PagePayload;
  now: number;
  /** Address of the page. */
  url: string;
}

export function presentStatuspage(name: StatuspageAnswer, sight: StatuspageContext): unknown {
  const { payload, now, url } = sight;
  const { id, name: title, timezone } = payload.page;
  const page = { id, name: title, url, time_zone: timezone, updated_at: toIso(payload.generated_at) };
  const { state, title: description } = computePageState(payload, now);
  const status = { indicator: INDICATOR_OF[state], description };
  const components = listComponents(sight);
  const shown = [...components, ...listGroups(sight, components)];
  const incidents = payload.incidents.map((incident) => toIncident(incident, components, sight));
  const unresolved = incidents.filter((incident) => incident.status !== "resolved");
  const windows = payload.maintenance.flatMap((window) => toMaintenances(window, components, sight));
  const active = windows.filter((window) => window.status === "in_progress");
  const upcoming = windows.filter((window) => window.status === "scheduled");
  const answers: Record<StatuspageAnswer, () => unknown> = {
    summary: () => ({
      page,
      components: shown,
      incidents: unresolved,
      scheduled_maintenances: [...active, ...upcoming],
      status,
    }),
    status: () => ({ page, status }),
    components: () => ({ page, components: shown }),
    incidents: () => ({ page, incidents }),
    "incidents/unresolved": () => ({ page, incidents: unresolved }),
    "scheduled-maintenances": () => ({ page, scheduled_maintenances: windows }),
    "scheduled-maintenances/upcoming": () => ({ page, scheduled_maintenances: upcoming }),
    "scheduled-maintenances/active": () => ({ page, scheduled_maintenances: active }),
  };
  return answers[name]();
}

function listComponents({ payload, now }: StatuspageContext): StatuspageComponent[] {
  const planned = monitorsInMaintenance(payload, now);
  return payload.monitors.map((monitor, n) => ({
    id: monitor.id,
    name: monitor.name,
    status: planned.has(monitor.id) ? "under_maintenance" : STATUS_OF[monitor.status],
    created_at: toIso(monitor.status_since),
    updated_at: toIso(monitor.status_since),
    position: n + 1,
    description: null,
    showcase: false,
    start_date: null,
    group_id: monitor.group_id,
    page_id: payload.page.id,
    group: false,
    only_show_if_degraded: false,
  }));
}

/** Headings of components are components themselves, as bad as the worst of theirs. */
function listGroups({ payload }: StatuspageContext, components: readonly StatuspageComponent[]): StatuspageComponent[] {
  return payload.groups.flatMap(({ id, name }, n) => {
    const members = components.filter(({ group_id }) => group_id === id);
    const worst = members.reduce<StatuspageComponent | undefined>(
      (worse, each) => (worse && rankOf(worse) >= rankOf(each) ? worse : each),
      undefined,
    );
    if (!worst) return [];
    const latest = members.map(({ updated_at }) => updated_at).sort();
    return [
      {
        ...worst,
        id,
        name,
        created_at: latest.at(0) ?? worst.created_at,
        updated_at: latest.at(-1) ?? worst.updated_at,
        position: n + 1,
        group_id: null,
        group: true,
        components: members.map((member) => member.id),
      },
    ];
  });
}

const rankOf = ({ status }: StatuspageComponent) => COMPONENT_STATUSES.indexOf(status);

function toIncident(
  incident: PublicIncident,
  components: StatuspageComponent[],
  { payload, url }: StatuspageContext,
): StatuspageIncident {
  const affected = components.filter(({ id }) => incident.monitor_ids.includes(id));
  const updates = toUpdates(incident.id, incident.updates, affected);
  return {
    id: incident.id,
    name: incident.title,
    status: incident.status,
    created_at: toIso(incident.started_at),
    updated_at: updates[0]?.created_at ?? toIso(incident.resolved_at ?? incident.started_at),
    monitoring_at: updates.find(({ status }) => status === "monitoring")?.created_at ?? null,
    resolved_at: toIsoOrNull(incident.resolved_at),
    impact: incident.severity,
    shortlink: `${url}/incidents/${incident.id}`,
    started_at: toIso(incident.started_at),
    page_id: payload.page.id,
    incident_updates: updates,
    components: affected,
    reminder_intervals: null,
  };
}

/** One entry for the occurrence under way or next, one for each that was over lately; each has an id of its own. */
function toMaintenances(
  window: PublicMaintenance,
  components: StatuspageComponent[],
  sight: StatuspageContext,
): ScheduledMaintenance[] {
  const next = window.upcoming.filter(({ end_at }) => end_at > sight.now).slice(0, 1);
  const affected = components.filter(({ id }) => window.monitor_ids.includes(id));
  return [...next, ...window.past].map(({ start_at, end_at }) => {
    const status = end_at <= sight.now ? "completed" : start_at <= sight.now ? "in_progress" : "scheduled";
    const isOnly = window.past.length + window.upcoming.length === 1;
    const id = isOnly ? window.id : `${window.id}-${start_at}`;
    return {
      id,
      name: window.title,
      status,
      created_at: toIso(window.created_at),
      updated_at: toIso(window.updated_at),
      monitoring_at: null,
      resolved_at: status === "completed" ? toIso(end_at) : null,
      impact: "maintenance",
      shortlink: sight.url,
      started_at: toIso(start_at),
      page_id: sight.payload.page.id,
      incident_updates: toUpdates(id, window.updates, affected),
      components: affected,
      reminder_intervals: null,
      scheduled_for: toIso(start_at),
      scheduled_until: toIso(end_at),
    };
  });
}

interface TimelineUpdate {
  id: string;
  status: string;
  message: string;
  created_at: number;
}

function toUpdates(incident_id: string, updates: readonly TimelineUpdate[], affected: StatuspageComponent[]) {
  return updates.map(({ id, status, message, created_at }) => ({
    id,
    status,
    body: message,
    incident_id,
    created_at: toIso(created_at),
    updated_at: toIso(created_at),
    display_at: toIso(created_at),
    affected_components: affected.length > 0 ? affected.map((each) => ({ code: each.id, name: each.name })) : null,
    deliver_notifications: true,
    custom_tweet: null,
    tweet_id: null,
  }));
}
