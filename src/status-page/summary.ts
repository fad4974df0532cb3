import type { PagePayload, PageSummary } from "../contract/public-page.ts";
import { computeUptimePercentage, sumStatusDurations } from "../domain/uptime.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import { talliesUntil } from "./extend-to-now.ts";
import type { RenderContext } from "./frame-view.ts";
import { monitorsInMaintenance, type OpenWindow, sortMaintenance } from "./maintenance.ts";
import { computePageState } from "./page-state.ts";

/** The page for programs: the same facts as the HTML. */
export function presentSummary(
  payload: PagePayload,
  { as_of: now, is_stale, late, address }: RenderContext,
): PageSummary {
  const { state, title } = computePageState(payload, now);
  const planned = monitorsInMaintenance(payload, now);
  return {
    page: {
      id: payload.page.id,
      name: payload.page.name,
      slug: payload.page.slug,
      url: address.url,
      description: payload.page.description ?? "",
      timezone: payload.page.timezone,
    },
    status: { state, description: title },
    is_stale,
    checks_delayed_since: toIsoOrNull(late?.since ?? null),
    days: payload.days,
    groups: payload.groups.map(({ id, name }) => ({ id, name })),
    monitors: payload.monitors.map((monitor) => {
      const tallies = talliesUntil(monitor, payload, now);
      return {
        id: monitor.id,
        name: monitor.name,
        group_id: monitor.group_id,
        status: monitor.status,
        in_maintenance: planned.has(monitor.id),
        status_since: toIso(monitor.status_since),
        measured_since: toIso(monitor.measured_since),
        uptime_percentage: computeUptimePercentage(sumStatusDurations(tallies)),
        daily_uptime_percentages: tallies.map(computeUptimePercentage),
      };
    }),
    incidents: payload.incidents.map((incident) => ({
      id: incident.id,
      title: incident.title,
      description: incident.description ?? "",
      severity: incident.severity,
      status: incident.status,
      started_at: toIso(incident.started_at),
      resolved_at: toIsoOrNull(incident.resolved_at),
      impact: incident.impact ?? "",
      monitor_ids: incident.monitor_ids,
      updates: incident.updates.map((update) => ({
        id: update.id,
        status: update.status,
        message: update.message,
        created_at: toIso(update.created_at),
      })),
    })),
    maintenance: presentMaintenance(payload, now),
    updated_at: toIso(payload.generated_at),
  };
}

function presentMaintenance(payload: PagePayload, now: number): PageSummary["maintenance"] {
  const { active, upcoming } = sortMaintenance(payload, now);
  return [
    ...active.map((each) => presentWindow(each, "in_progress")),
    ...upcoming.map((each) => presentWindow(each, "scheduled")),
  ];
}

function presentWindow({ window, occurrence }: OpenWindow, status: "in_progress" | "scheduled") {
  return {
    id: window.id,
    title: window.title,
    description: window.description ?? "",
    status,
    start: toIso(occurrence.start_at),
    end: toIso(occurrence.end_at),
    monitor_ids: window.monitor_ids,
    updates: window.updates.map((update) => ({
      id: update.id,
      status: update.status,
      message: update.message,
      created_at: toIso(update.created_at),
    })),
  };
}
