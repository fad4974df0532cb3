import type { Scope } from "../access/scope.ts";
import {
  type DailyAggregateRecord,
  listMonitorsToAggregate,
  type MonitorToAggregate,
  readWantedDays,
} from "../data/daily-aggregates/read.ts";
import { upsertDailyAggregates } from "../data/daily-aggregates/write.ts";
import { runBatch } from "../data/db.ts";
import { readMaintenanceTime } from "../data/maintenance/time.ts";
import {
  listMissingDays,
  type MissingDays,
  packDays,
  rememberedCalendar,
  unpackDays,
} from "../domain/daily-aggregates.ts";
import { byTime, computeCoveredDurations } from "../domain/uptime.ts";
import { HOUR_MS } from "../lib/durations.ts";
import { dateIn, monthOf } from "../lib/zoned-days.ts";
import { advanceSweep } from "./resumable-sweep.ts";
import { oldestCutoff, retentionCutoff } from "./retention-cutoff.ts";

/**
 * Rolls up the days that are long over (data/daily-aggregates/table.ts). Bounded in all that it reads and writes; a day costs one
 * row written for each monitor, and a look at a monitor that lacks nothing a row for each of its months.
 */
const EVERY_MS = HOUR_MS;
const MONITORS_MAX = 300;
const MONTHS_MAX = 300;
const INTERVALS_MAX = 20_000;

interface Work extends MissingDays {
  monitor: MonitorToAggregate;
  timezone: string;
}

export function sweepDailyAggregates(scope: Scope): Promise<void> {
  return advanceSweep(scope, { name: "roll-ups", every_ms: EVERY_MS, visit: (after) => visit(scope, after) });
}

async function visit(scope: Scope, after: string): Promise<string | null> {
  const from_month = monthOf(dateIn("UTC", oldestCutoff(scope)));
  const monitors = await listMonitorsToAggregate(scope.db, { after, from_month, limit: MONITORS_MAX });
  const { works, through } = planWork(scope, monitors);
  const unfinished = await aggregateMonths(scope, works);
  // Going on behind a monitor that is not done would leave it for the next round.
  if (unfinished) return monitors[monitors.indexOf(unfinished) - 1]?.id ?? after;
  return through === monitors.length && monitors.length < MONITORS_MAX ? null : (monitors[through - 1]?.id ?? null);
}

/** What the first of these monitors lack, as much as one minute takes on, and how many monitors that is. */
function planWork(scope: Scope, monitors: readonly MonitorToAggregate[]): { works: Work[]; through: number } {
  const now = scope.now;
  const calendar = rememberedCalendar();
  const works: Work[] = [];
  let through = 0;
  for (const monitor of monitors) {
    if (works.length >= MONTHS_MAX) break;
    const { aggregated, created_at } = monitor;
    const timezone = monitor.timezone ?? "UTC";
    const from_at = Math.max(created_at, retentionCutoff(scope, monitor.plan));
    const missing = listMissingDays({ from_at, timezone, aggregated, now }, calendar);
    works.push(...missing.map((days) => ({ ...days, monitor, timezone })));
    through += 1;
  }
  return { works, through };
}

/** Gives the monitor at which it came to its limit. */
async function aggregateMonths(scope: Scope, works: readonly Work[]): Promise<MonitorToAggregate | undefined> {
  if (works.length === 0) return undefined;
  const wanted = works.map(({ monitor, month, days }) => ({
    monitor_id: monitor.id,
    month,
    from_at: days[0]?.from_at ?? 0,
    to_at: days.at(-1)?.to_at ?? 0,
  }));
  const { intervals, months } = await readWantedDays(scope.db, wanted, INTERVALS_MAX);
  const timeOf = await readMaintenanceTime(
    scope.db,
    wanted.map(({ monitor_id }) => monitor_id),
    { since: Math.min(...wanted.map(({ from_at }) => from_at)), now: scope.now },
  );
  const isCut = intervals.length === INTERVALS_MAX;
  const last = isCut ? (intervals.at(-1)?.wanted ?? 0) : works.length;
  const intervalsOf = Map.groupBy(intervals, (interval) => interval.wanted);
  const daysOf = new Map(months.map(({ days, ...month }) => [nameOf(month), unpackDays(days)]));
  const aggregates = works.slice(0, last + 1).flatMap((work, n) => {
    const found = (intervalsOf.get(n) ?? []).sort(byTime);
    // Days that end before the last interval that was read are whole.
    const readTo = n === last ? (found.at(-1)?.from_at ?? 0) : Number.POSITIVE_INFINITY;
    const { month, timezone } = work;
    const kept = (daysOf.get(nameOf({ monitor_id: work.monitor.id, month, timezone })) ?? []).slice(0, work.kept);
    const days = work.days.filter(({ to_at }) => to_at <= readTo);
    const to_at = days.at(-1)?.to_at;
    if (to_at === undefined || kept.length < work.kept) return [];
    const { spans: maintenance } = timeOf(work.monitor.id);
    const tallies = computeCoveredDurations(found, days, { maintenance, now: scope.now });
    const status = found.findLast(({ from_at }) => from_at < to_at)?.status ?? null;
    return [toDailyAggregate(work, { to_at, status, days: packDays([...kept, ...tallies]) })];
  });
  if (aggregates.length > 0) await runBatch(scope.db, [upsertDailyAggregates(scope.db, aggregates)]);
  const cut = works[last]?.monitor;
  if (!cut || aggregates.length > 0) return cut;
  // A day with more changes than a minute takes on: readers take it from the intervals, and the others go on.
  scope.log.warn("daily aggregate skipped", { monitor_id: cut.id });
  return works.slice(last).find(({ monitor }) => monitor !== cut)?.monitor;
}

function nameOf({
  monitor_id,
  month,
  timezone,
}: Pick<DailyAggregateRecord, "monitor_id" | "month" | "timezone">): string {
  return [monitor_id, month, timezone].join(" ");
}

function toDailyAggregate(
  { monitor, month, timezone }: Work,
  aggregated: Pick<DailyAggregateRecord, "to_at" | "status" | "days">,
) {
  return { monitor_id: monitor.id, month, timezone, ...aggregated, history_version: monitor.history_version };
}
