import type { RequestScope } from "../../access/scope.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import type { LatencyPeriod } from "../../contract/latency.ts";
import { readMaintenanceTime } from "../../data/maintenance/time.ts";
import { listRecentIntervals } from "../../data/metrics/read.ts";
import { findPage } from "../../data/status-pages/read.ts";
import { findSuppressedOutage, PARENT } from "../../data/suppressed-outages/read.ts";
import { findOccurrence, maintenanceStatus } from "../../domain/maintenance.ts";
import { computeShownUptime, sumStatusDurations } from "../../domain/uptime.ts";
import { listEntries } from "../../features/audit/service.ts";
import { listMonitorResults } from "../../features/check-results/service.ts";
import { listMyMaintenance } from "../../features/maintenance/service.ts";
import { readMetricPicture } from "../../features/metric-widgets/service.ts";
import { getMonitor } from "../../features/monitors/service.ts";
import type { MonitorDetail } from "../../features/monitors/view.ts";
import { listMonitorOutages, listStatusChanges } from "../../features/outages/service.ts";
import { computeUptime } from "../../features/uptime/service.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/durations.ts";
import { percentOf } from "../components/strip.tsx";
import { findLacking } from "../overview/next-steps.tsx";
import { listPageChoices, mayDo } from "../rights.ts";
import { partialOutageRulePath } from "../rules/form.ts";
import { loadLatency } from "./latency.ts";
import { loadPlacedAgents, placeResults, viewLocations } from "./locations.tsx";

const INTERVALS_MAX = 500;
/** How many each period has. */
const DAYS: Record<LatencyPeriod, number> = { "24h": 1, "7d": 7, "30d": 30, "90d": 90 };
const OUTAGES = { limit: 10, offset: 0 };
const EVENTS = { limit: 15, offset: 0 };
const RESULTS = { limit: 20, offset: 0 };
const CHANGES = { limit: 10, offset: 0 };
const WINDOWS = { limit: 50, offset: 0 };
/** As long after its creation a monitor's view offers what the account lacks. */
const NEW_MS = HOUR_MS;

export type MonitorPicture = Awaited<ReturnType<typeof loadPicture>>;

/** Everything that the view of one monitor shows; a fixed number of bounded queries. */
export async function loadPicture(
  ctx: RequestScope,
  { id, period, checked }: { id: string; period: LatencyPeriod; checked?: number | undefined },
) {
  const monitor = await getMonitor(ctx, id);
  const { record } = monitor;
  const minute = Math.floor(ctx.now / MINUTE_MS) * MINUTE_MS;
  const from = ctx.now - DAYS[period] * DAY_MS;
  const [
    agents,
    intervals,
    timeOf,
    days,
    outages,
    events,
    results,
    changes,
    windows,
    latency,
    metrics,
    may_change,
    may_alert,
    may_rule,
    page,
    held,
  ] = await Promise.all([
    loadPlacedAgents(ctx, record),
    listRecentIntervals(ctx.db, [id], { since: ctx.now - DAY_MS, limit: INTERVALS_MAX }),
    readMaintenanceTime(ctx.db, [id], { since: ctx.now - DAY_MS, now: ctx.now }),
    period === "24h" ? [] : computeUptime({ ...ctx, now: minute }, id, DAYS[period]),
    listMonitorOutages(ctx, id, { ...OUTAGES, from }),
    listStatusChanges(ctx, id, EVENTS),
    listMonitorResults(ctx, id, RESULTS),
    listEntries(ctx, { monitor_id: id, ...CHANGES }),
    listWindows(ctx, monitor),
    loadLatency(ctx, record, period),
    readMetricPicture(ctx, record, { period, now: ctx.now }),
    mayDo(ctx, record, "monitors.write"),
    mayDo(ctx, record, "alerting.write"),
    mayDo(ctx, record, "events.write"),
    record.status_page_id === null ? undefined : findPage(ctx.db, record.status_page_id),
    monitor.parents.length === 0 ? undefined : findSuppressedOutage(ctx.db, id),
  ]);
  return {
    now: ctx.now,
    monitor,
    intervals,
    maintenance: timeOf(id),
    period,
    /** Where less than the whole period was measured. */
    since: sinceIfLater(record.created_at, from),
    /** One entry for each day of a longer period: nothing was measured before the first that is there. */
    days: Array.from({ length: period === "24h" ? 0 : DAYS[period] }, (_, n) => days.at(n - DAYS[period])?.tally),
    uptime:
      period === "24h"
        ? percentOf({ intervals, maintenance: timeOf(id), from: minute - DAY_MS, to: minute })
        : computeShownUptime(sumStatusDurations(days.flatMap(({ tally }) => (tally ? [tally] : [])))),
    outages,
    events: events.rows,
    results: placeResults(results.rows, agents),
    locations: viewLocations(record, agents, results.rows),
    changes: changes.rows,
    is_waiting: held?.held_by.startsWith(PARENT) === true,
    windows,
    latency,
    metrics,
    page: page && { id: page.id, name: page.name },
    may_change,
    may_alert,
    /** Where a rule about partial outages is made; null where there is no page for it, or no right. */
    partial_rule: may_rule && record.status_page_id !== null ? partialOutageRulePath(record.status_page_id, id) : null,
    lacking:
      may_change && ctx.now - record.created_at < NEW_MS ? await findLacking(ctx, await listPageChoices(ctx)) : null,
    asked_at: checked,
    tested: checked === undefined ? [] : newestByRegion(record.regions, results.rows, checked),
  };
}

/** Since when a period was measured, where that is not all of it; a monitor may be younger than its days. */
export function sinceIfLater(measuredFrom: number, from: number): number | null {
  return measuredFrom > from ? measuredFrom : null;
}

/** What each region of the monitor found since then; null: nothing yet. */
function newestByRegion<Result extends { region: string; checked_at: number }>(
  regions: readonly string[],
  results: readonly Result[],
  since: number,
) {
  return (regions.length === 0 ? [DEFAULT_REGION] : regions).map((region) => ({
    region,
    result: results.find((each) => each.region === region && each.checked_at >= since) ?? null,
  }));
}

/** The windows to come that concern the monitor, by itself or by its group. */
async function listWindows(ctx: RequestScope, { record }: MonitorDetail) {
  const { id, group_id, status_page_id } = record;
  if (status_page_id === null) return [];
  const filter = { status_page_id, status: ["scheduled" as const, "in_progress" as const] };
  const { windows } = await listMyMaintenance(ctx, filter, WINDOWS);
  return windows
    .filter(
      ({ covers_page, targets }) =>
        covers_page || targets.some(({ target_id }) => target_id === id || target_id === group_id),
    )
    .map((window) => {
      const next = findOccurrence(window, window.timezone, ctx.now);
      return { id: window.id, title: window.title, status: maintenanceStatus(next, ctx.now), next };
    });
}
