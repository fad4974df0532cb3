import { agentOf } from "../contract/location.ts";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import type {
  DayDurations,
  PagePayload,
  PublicIncident,
  PublicMaintenance,
  PublicMonitor,
  PublicStatus,
} from "../contract/public-page.ts";
import type { Db } from "../data/db.ts";
import { composeMaintenanceTime, type MaintenanceTime } from "../data/maintenance/time.ts";
import { findShownMaintenance } from "../data/public-page/maintenance.ts";
import { findShownIncident, readPublicPage, selectPublicIncidents } from "../data/public-page/read.ts";
import type { StatusPageRecord } from "../data/status-pages/read.ts";
import { listOccurrences } from "../domain/maintenance.ts";
import { DAY_MS } from "../lib/durations.ts";
import { dateIn, listDaysUntil, monthOf, type ZonedDay } from "../lib/zoned-days.ts";
import { type TimeOf, tallyMonitors } from "./daily-uptime.ts";
import type { PageLook } from "./preview.ts";

export const DAYS_SHOWN = 90;
export const RESOLVED_SHOWN_DAYS = 14;
const OCCURRENCES_SHOWN = 5;
/** Characters, so that a payload stays small and every document made of it is made within milliseconds. */
const UPDATES_LENGTH_MAX = 200_000;
/** The same for the document of one incident. */
const INCIDENT_LENGTH_MAX = 100_000;

type VisiblePage = Awaited<ReturnType<typeof readPublicPage>>;
type ShownIncident = VisiblePage["incidents"][number];
type ShownMaintenance = VisiblePage["maintenance"][number];

/**
 * Builds a page's payload, but for rare cases in one round trip; undefined when the page is gone. `look` replaces what is
 * stored of the page itself.
 */
export async function buildPayload(
  db: Db,
  pageId: string,
  now: number,
  look: Partial<PageLook> = {},
): Promise<PagePayload | undefined> {
  // Days in the page's zone begin at most a day before those of UTC.
  const first = now - (DAYS_SHOWN + 1) * DAY_MS;
  const since = {
    days: first,
    month: monthOf(dateIn("UTC", first)),
    resolved: now - RESOLVED_SHOWN_DAYS * DAY_MS,
    now,
  };
  const shown = await readPublicPage(db, pageId, since);
  if (!shown.page) return undefined;
  const page = { ...shown.page, ...look };
  const days = listDaysUntil(now, page.timezone, DAYS_SHOWN);
  const range = { since: since.days, now };
  const timeOf = await composeMaintenanceTime(db, shown.monitors, shown.maintenance_time, range);
  const tallies = await tallyMonitors(db, { ...shown, timeOf }, days, now);
  return composePayload({ ...shown, page, days, tallies, timeOf }, now);
}

/** A page that has nothing yet but its look. */
export function buildBlankPayload(look: PageLook, now: number): PagePayload {
  const nothing = { footer_links: [], imprint_url: null, privacy_url: null };
  return composePayload(
    {
      page: { id: "", slug: "", version: 0, ...nothing, ...look },
      domain: null,
      needs_ticks: false,
      days: listDaysUntil(now, look.timezone, DAYS_SHOWN),
      tallies: new Map(),
      timeOf: () => ({ spans: [], is_excluded: true }),
      groups: [],
      monitors: [],
      targets: [],
      incidents: [],
      maintenance: [],
    },
    now,
  );
}

/** Published incidents that began before that moment, the last begun first. */
export async function listPublicIncidents(
  db: Db,
  scope: { page_id: string; before: number; limit: number; at?: number },
): Promise<PublicIncident[]> {
  return (await selectPublicIncidents(db, scope)).map(toPublicIncident);
}

export async function findPublicIncident(
  db: Db,
  ids: { page_id: string; incident_id: string },
): Promise<PublicIncident | undefined> {
  const incident = await findShownIncident(db, ids);
  return incident && boundUpdates([toPublicIncident(incident)], INCIDENT_LENGTH_MAX)[0];
}

export async function findPublicMaintenance(
  db: Db,
  { timezone, ...ids }: { page_id: string; maintenance_id: string; timezone: string },
  now: number,
): Promise<PublicMaintenance | undefined> {
  const window = await findShownMaintenance(db, ids);
  return window && boundUpdates([toPublicMaintenance(window, timezone, now)], INCIDENT_LENGTH_MAX)[0];
}

type ShownPage = PageLook &
  Partial<Pick<StatusPageRecord, "show_locations">> &
  Pick<StatusPageRecord, "id" | "slug" | "version" | "footer_links" | "imprint_url" | "privacy_url">;

interface Readings extends Omit<VisiblePage, "page" | "aggregates" | "intervals" | "maintenance_time"> {
  page: ShownPage;
  days: readonly ZonedDay[];
  /** By the monitor's id. */
  tallies: ReadonlyMap<string, DayDurations[]>;
  timeOf: TimeOf;
}

/** Names each member that becomes public. */
export function composePayload(shown: Readings, now: number): PagePayload {
  const { page, groups, monitors, days, tallies, incidents, maintenance } = shown;
  const windows = maintenance.map((window) => toPublicMaintenance(window, page.timezone, now));
  return {
    format: 9,
    version: page.version,
    generated_at: now,
    valid_until: Math.min(days.at(-1)?.to_at ?? now, ...windows.flatMap((window) => nextEdges(window, now))),
    page: {
      id: page.id,
      name: page.name,
      slug: page.slug,
      domain: shown.domain,
      description: page.description,
      timezone: page.timezone,
      language: page.language,
      show_latency: page.show_latency,
      logo_url: page.logo_url,
      logo_dark_url: page.logo_dark_url,
      favicon_url: page.favicon_url,
      brand_color: page.brand_color,
      header_image_url: page.header_image_url,
      layout: page.layout,
      font: page.font,
      footer_text: page.footer_text,
      footer_links: [...page.footer_links.map(({ label, url }) => ({ label, url })), ...legalLinks(page)],
      show_branding: page.show_branding,
    },
    needs_ticks: shown.needs_ticks,
    days: days.map((day) => day.date),
    groups: groups
      .filter(({ id }) => monitors.some((monitor) => monitor.group_id === id))
      .map(({ id, name }) => ({ id, name })),
    monitors: monitors.map((monitor) => ({
      id: monitor.id,
      name: monitor.name,
      group_id: monitor.group_id,
      ...(monitor.is_resting ? { status: "pending", is_resting: true } : { status: toPublicStatus(monitor.status) }),
      status_since: monitor.status_since,
      measured_since: monitor.created_at,
      ...(page.show_locations && placesOf(monitor)),
      ...countsAs(shown.timeOf(monitor.id), now),
      tallies: tallies.get(monitor.id) ?? [],
      ...(monitor.members.length > 0 && { composite: toComposite(monitor, page.id, shown.targets) }),
    })),
    incidents: boundUpdates(incidents.map(toPublicIncident)),
    maintenance: boundUpdates(windows).map(({ omitted_updates: _, ...window }) => window),
  };
}

/** Nothing of one that is checked from one place. */
function placesOf({ regions, locations, locations_down, agent_names }: ShownMonitor): Pick<PublicMonitor, "places"> {
  const named = locations.length > 0 ? locations : regions;
  if (named.length < 2) return {};
  const places = named.flatMap((location) => {
    const name = agentOf(location) === null ? location : agent_names[location];
    return name === undefined ? [] : [{ name, is_down: locations_down.includes(location) }];
  });
  return { places };
}

/** What covers a monitor at the moment. */
function countsAs({ spans, is_excluded }: MaintenanceTime, now: number): Pick<PublicMonitor, "counts_as"> {
  const open = spans.filter(({ from_at, to_at }) => from_at <= now && now < to_at);
  if (!is_excluded || open.length === 0) return {};
  return { counts_as: open.some(({ is_public }) => is_public) ? "maintenance" : "nothing" };
}

type ShownMonitor = VisiblePage["monitors"][number];

function toComposite({ id, group_id, members }: ShownMonitor, pageId: string, targets: VisiblePage["targets"]) {
  const windowsOf = (monitor: { id: string; group_id: string | null }) =>
    targets
      .filter(({ target_id }) => [monitor.id, monitor.group_id, pageId].includes(target_id))
      .map(({ maintenance_id }) => maintenance_id);
  return {
    window_ids: windowsOf({ id, group_id }),
    members: members.map((member) => ({ status: member.status, window_ids: windowsOf(member) })),
  };
}

function legalLinks({ imprint_url, privacy_url }: Pick<StatusPageRecord, "imprint_url" | "privacy_url">) {
  return [
    ...(imprint_url === null ? [] : [{ label: "Imprint", url: imprint_url }]),
    ...(privacy_url === null ? [] : [{ label: "Privacy", url: privacy_url }]),
  ];
}

function toPublicMaintenance(window: ShownMaintenance, timezone: string, now: number): PublicMaintenance {
  const range = { from: now, to: Number.POSITIVE_INFINITY, max: OCCURRENCES_SHOWN };
  return {
    id: window.id,
    title: window.title,
    description: window.description,
    created_at: window.created_at,
    updated_at: window.updated_at,
    monitor_ids: window.monitor_ids,
    updates: window.updates.map(({ id, status, message, created_at }) => ({ id, status, message, created_at })),
    upcoming: listOccurrences(window, timezone, range),
    past: window.past.filter(({ end_at }) => end_at <= now).map(({ start_at, end_at }) => ({ start_at, end_at })),
  };
}

function nextEdges({ upcoming }: PublicMaintenance, now: number): number[] {
  return upcoming.slice(0, 1).map(({ start_at, end_at }) => (start_at > now ? start_at : end_at));
}

function toPublicIncident(incident: ShownIncident): PublicIncident {
  return {
    id: incident.id,
    title: incident.title,
    description: incident.description,
    severity: incident.severity,
    status: incident.status,
    started_at: incident.started_at,
    resolved_at: incident.resolved_at,
    impact: incident.impact,
    monitor_ids: incident.monitor_ids,
    updates: incident.updates.map(({ id, status, message, created_at }) => ({ id, status, message, created_at })),
    omitted_updates: 0,
  };
}

/** Leaves out the oldest updates of all subjects once their texts together exceed `max`; each keeps its newest. */
export function boundUpdates<
  Update extends { message: string; created_at: number },
  Subject extends { updates: Update[] },
>(subjects: Subject[], max = UPDATES_LENGTH_MAX): (Subject & { omitted_updates: number })[] {
  const newestFirst = subjects.flatMap(({ updates }) => updates).toSorted((a, b) => b.created_at - a.created_at);
  const kept = new Set<Update>();
  let length = 0;
  for (const update of newestFirst) {
    length += update.message.length;
    if (length > max) break;
    kept.add(update);
  }
  return subjects.map((subject) => {
    const updates = subject.updates.filter((update, n) => n === 0 || kept.has(update));
    return { ...subject, updates, omitted_updates: subject.updates.length - updates.length };
  });
}

/** A monitor that was just resumed is still paused until its first check: to readers that is the same as a new one. */
function toPublicStatus(status: MonitorStatus): PublicStatus {
  return status === "paused" ? "pending" : status;
}
