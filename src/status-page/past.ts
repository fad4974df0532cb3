import type { MonitorStatus } from "../contract/monitor-values.ts";
import type { PagePayload } from "../contract/public-page.ts";
import type { Db } from "../data/db.ts";
import { composeMaintenanceTime } from "../data/maintenance/time.ts";
import { readPublicPage } from "../data/public-page/read.ts";
import { listIntervalsUntil } from "../data/status-intervals/read.ts";
import type { StatusInterval } from "../domain/uptime.ts";
import { DAY_MS } from "../lib/durations.ts";
import { dateIn, listDaysUntil, monthOf } from "../lib/zoned-days.ts";
import { tallyMonitors } from "./daily-uptime.ts";
import { composePayload, DAYS_SHOWN, RESOLVED_SHOWN_DAYS } from "./payload.ts";

type ShownIncident = PagePayload["incidents"][number];

/**
 * A page as it was at an instant, from what is stored of it: intervals of status, updates and windows that were there by
 * then. What is private, unpublished or deleted now is not there, and names, groups and the look are those of today.
 * Undefined before the page was made.
 */
export async function buildPastPayload(db: Db, pageId: string, at: number): Promise<PagePayload | undefined> {
  const first = at - (DAYS_SHOWN + 1) * DAY_MS;
  const since = {
    days: first,
    month: monthOf(dateIn("UTC", first)),
    resolved: at - RESOLVED_SHOWN_DAYS * DAY_MS,
    now: at,
  };
  const shown = await readPublicPage(db, pageId, since, at);
  const { page } = shown;
  if (!page || page.created_at > at) return undefined;
  const monitors = shown.monitors.filter(({ created_at, page_since }) => (page_since ?? created_at) <= at);
  const timelines = await readTimelines(db, monitors, { since: first, at });
  const range = { since: first, now: at };
  const timeOf = await composeMaintenanceTime(db, monitors, shown.maintenance_time, range);
  const days = listDaysUntil(at, page.timezone, DAYS_SHOWN);
  const intervals = monitors.flatMap(({ id }) =>
    (timelines.get(id) ?? []).map((interval, seq) => ({ ...interval, monitor_id: id, seq })),
  );
  const tallies = await tallyMonitors(db, { monitors, aggregates: [], intervals, timeOf }, days, at);
  const monitorsThen = monitors.map((monitor) => ({
    ...monitor,
    ...statusAt(timelines.get(monitor.id), monitor.created_at),
    // From where it was not reached is known of the present alone.
    locations_down: [],
    members: monitor.members.map((member) => ({ ...member, status: statusAt(timelines.get(member.id), at).status })),
  }));
  const maintenance = shown.maintenance
    .filter(({ created_at }) => created_at <= at)
    .map((window) => ({ ...window, updates: window.updates.filter(({ created_at }) => created_at <= at) }));
  const incidents = shown.incidents.map((incident) => incidentAt(incident, at));
  return composePayload({ ...shown, page, days, tallies, timeOf, monitors: monitorsThen, maintenance, incidents }, at);
}

interface ListedMonitor {
  id: string;
  members: readonly { id: string }[];
}

/** Of each monitor and member, what was measured until then, in the order of time. */
async function readTimelines(
  db: Db,
  monitors: readonly ListedMonitor[],
  { since, at }: { since: number; at: number },
): Promise<ReadonlyMap<string, StatusInterval[]>> {
  const ids = monitors.flatMap(({ id, members }) => [id, ...members.map((member) => member.id)]);
  const rows = await listIntervalsUntil(
    db,
    ids.map((monitor_id) => ({ monitor_id, since })),
    at,
  );
  const then = rows.map(({ to_at, ...row }) => ({ ...row, to_at: to_at !== null && to_at <= at ? to_at : null }));
  return Map.groupBy(then, ({ monitor_id }) => monitor_id);
}

/** Where nothing was measured at that time, the page says so and guesses nothing. */
function statusAt(
  timeline: readonly StatusInterval[] = [],
  otherwise: number,
): { status: MonitorStatus; status_since: number } {
  const last = timeline.at(-1);
  if (last === undefined) return { status: "pending", status_since: otherwise };
  if (last.to_at !== null) return { status: "unknown", status_since: last.to_at };
  return { status: last.status, status_since: last.from_at };
}

/** With the updates that were there, and the status that the newest of them gave. */
export function incidentAt<Incident extends Pick<ShownIncident, "status" | "resolved_at" | "updates">>(
  incident: Incident,
  at: number,
): Incident {
  const updates = incident.updates.filter(({ created_at }) => created_at <= at);
  const isOver = incident.resolved_at !== null && incident.resolved_at <= at;
  const told = updates[0]?.status ?? "investigating";
  const status = isOver ? "resolved" : told === "resolved" ? "monitoring" : told;
  return { ...incident, updates, status, resolved_at: isOver ? incident.resolved_at : null };
}
