import type { Scope } from "../access/scope.ts";
import { DEFAULT_REGION, type MeasuredCheck } from "../contract/check.ts";
import type { RuleCondition } from "../contract/event-rule.ts";
import { countLocations, isChecked } from "../contract/location.ts";
import type { StoredResult } from "../contract/prober-object.ts";
import { listReports } from "../data/agent-reports/read.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { addTallies, deviationOf, isHourReady, meanOf } from "../domain/baseline.ts";
import { numericMetrics } from "../domain/metric-series.ts";
import {
  CHECK_METRICS,
  computeReachMs,
  type MetricSources,
  toMeasuredCheck,
  type UsualLatency,
} from "../domain/rule-metrics.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { isRecord } from "../lib/is-record.ts";
import { readObjectLatency, type TalliedStep } from "../platform/latency-history.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { answerInTime } from "../platform/object-timeout.ts";
import { listAgentResults, listRegionResults } from "../platform/prober-objects.ts";

/** A day of checks every 10 seconds from several regions; of a longer history the newest entries of each part count. */
const ENTRIES_MAX = 20_000;
const PART_MS = 5 * DAY_MS;
const PUSHES_MAX = 1000;
const BASELINE_DAYS = 14;

type ReadScope = Pick<Scope, "env" | "db">;

/** What the metrics of rules are measured on. */
export interface MetricTarget {
  monitor: MonitorRecord | null;
  agent_id: string | null;
}

interface Range {
  from: number;
  /** Inclusive. */
  to: number;
}

/**
 * What conditions can need to be compared at `to`, for any instant since `from`. Reads nothing without conditions. With
 * `arrivals`, checks are read for every condition, because rules were evaluated when their results arrived.
 */
export async function readMetricSources(
  scope: ReadScope,
  { monitor, agent_id }: MetricTarget,
  conditions: readonly RuleCondition[],
  { from, to, arrivals = false }: Range & { arrivals?: boolean },
): Promise<MetricSources> {
  if (conditions.length === 0) return {};
  const range = { from: from - computeReachMs(conditions, monitor?.interval ?? 0), to: to + 1 };
  const names = new Set(conditions.map(({ metric }) => metric));
  const host = agent_id ?? monitor?.agent_id ?? null;
  const needsChecks = arrivals || [...names].some((name) => CHECK_METRICS.has(name));
  const [pushes, checks, reports, usual_latency] = await Promise.all([
    monitor && !isChecked(monitor) ? readPushes(scope, monitor, range) : NO_PUSHES,
    monitor && needsChecks ? readChecks(scope, monitor, range) : NO_CHECKS,
    host === null ? [] : readReports(scope, host, range),
    monitor && names.has("latency_sigma") ? readUsualLatency(scope, monitor, from) : undefined,
  ]);
  return {
    checks: [...checks.checks, ...pushes.checks],
    usual_latency,
    last_heartbeat_at: pushes.last_heartbeat_at,
    locations_down: monitor && countLocations(monitor) > 1 ? { at: to, value: monitor.locations_down.length } : null,
    pushed: [...pushes.pushed, ...reports],
    arrivals: [...pushes.arrivals, ...checks.arrivals, ...(monitor ? [] : reports.map(({ at }) => at))],
  };
}

type Pushes = Required<Pick<MetricSources, "pushed" | "arrivals" | "last_heartbeat_at">> & { checks: MeasuredCheck[] };
const NO_PUSHES: Pushes = { pushed: [], arrivals: [], last_heartbeat_at: null, checks: [] };

async function readPushes({ env }: ReadScope, { id }: MonitorRecord, { from, to }: Range): Promise<Pushes> {
  const object = monitorObject(env, id);
  const [{ entries }, results] = await Promise.all([
    answerInTime(object.pushes(id, { limit: PUSHES_MAX, range: null })),
    answerInTime(object.pushResults(id, { from, to, limit: PUSHES_MAX })),
  ]);
  const samples = entries.flatMap(({ received_at, samples = [] }) =>
    samples.map((sample) => ({
      received_at,
      checked_at: Math.min(sample.at ?? received_at, received_at),
      metrics: Object.fromEntries(numericMetrics(sample)),
    })),
  );
  const pushed = withoutRepeats(samples).map(({ checked_at: at, metrics }) => ({ at, metrics }));
  return {
    pushed: pushed.filter(({ at }) => at >= from && at < to),
    arrivals: entries.map(({ received_at }) => received_at),
    last_heartbeat_at: entries.find(({ beat }) => beat && beat.status !== "log")?.received_at ?? null,
    // The status code of a push is among its pushed numbers.
    checks: withoutRepeats(results).flatMap(({ checked_at, outcome, latency_ms }) =>
      outcome === null ? [] : [{ at: checked_at, outcome, latency_ms, status_code: null, region: DEFAULT_REGION }],
    ),
  };
}

/** A push that its sender repeats, for want of an answer, measures nothing new: the first one counts. */
function withoutRepeats<Pushed extends { received_at: number }>(newestFirst: readonly Pushed[]): Pushed[] {
  const keyed = newestFirst.map((pushed) => {
    const { received_at, ...measured } = pushed;
    return { pushed, received_at, key: JSON.stringify(measured) };
  });
  const firstReceived = new Map(keyed.map(({ key, received_at }) => [key, received_at]));
  return keyed.flatMap(({ key, received_at, pushed }) => (firstReceived.get(key) === received_at ? [pushed] : []));
}

type Checks = Required<Pick<MetricSources, "arrivals">> & { checks: MeasuredCheck[] };
const NO_CHECKS: Checks = { checks: [], arrivals: [] };

async function readChecks(scope: ReadScope, monitor: MonitorRecord, { from, to }: Range): Promise<Checks> {
  const results: RegionResult[] = [];
  for (let start = from; start < to; start += PART_MS) {
    const part = { from: start, to: Math.min(to, start + PART_MS), limit: ENTRIES_MAX };
    for (const result of await listResults(scope, monitor, part)) results.push(result);
  }
  return {
    checks: results.map(toMeasuredCheck),
    // Rules are not evaluated on results that came too late to say anything about the present.
    arrivals: results
      .filter(({ outcome, is_late }) => outcome !== "error" && !is_late)
      .map(({ checked_at }) => checked_at),
  };
}

type RegionResult = StoredResult & { region: string };

async function listResults(
  scope: ReadScope,
  monitor: MonitorRecord,
  range: Range & { limit: number },
): Promise<RegionResult[]> {
  const query = { monitor_id: monitor.id, ...range };
  const named = async (region: string, listing: Promise<StoredResult[]>) =>
    (await listing).map((result) => ({ ...result, region }));
  const regions = [...new Set([DEFAULT_REGION, ...monitor.regions])];
  const results = await Promise.all([
    named(DEFAULT_REGION, listAgentResults(scope.env, monitor.measured_by, query)),
    ...regions.map((region) => named(region, listRegionResults(scope.env, monitor, region, query))),
  ]);
  return results.flat();
}

async function readReports({ db }: ReadScope, agentId: string, { from, to }: Range) {
  const source = { agent_id: agentId, kind: "metric" as const };
  const reports = await listReports(db, source, { from, to, limit: ENTRIES_MAX });
  return reports.map(({ at, data }) => ({ at, metrics: numbersOf(data) }));
}

/** A host's own metrics win over custom ones of the same name. */
export function numbersOf(data: Readonly<Record<string, unknown>>): Record<string, number> {
  const { custom, ...own } = data;
  const entries = [...Object.entries(isRecord(custom) ? custom : {}), ...Object.entries(own)];
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

/**
 * The mean and deviation of an hour of the day over the two weeks before it, for any instant since `from`; null before a
 * baseline is ready.
 */
async function readUsualLatency({ env }: ReadScope, monitor: MonitorRecord, from: number) {
  const range = { from: startOfHour(from) - BASELINE_DAYS * DAY_MS, step_ms: HOUR_MS };
  const steps = await readObjectLatency(env, { ...monitor, is_pushed: !isChecked(monitor) }, range);
  const known = new Map<number, UsualLatency | null>();
  return (at: number): UsualLatency | null => {
    const hour = startOfHour(at);
    const usual = known.get(hour);
    if (usual !== undefined) return usual;
    const computed = computeUsual(steps, hour);
    known.set(hour, computed);
    return computed;
  };
}

function computeUsual(steps: readonly TalliedStep[], hour: number): UsualLatency | null {
  const earliest = hour - BASELINE_DAYS * DAY_MS;
  const same = steps.filter(({ at }) => at >= earliest && at < hour && (hour - at) % DAY_MS === 0);
  const total = addTallies(same.map(({ tally }) => tally));
  const [mean_ms, stddev_ms] = [meanOf(total), deviationOf(total)];
  const days = new Set(same.filter(({ tally }) => tally.count > 0).map(({ at }) => at)).size;
  return isHourReady(total, days) && mean_ms !== null && stddev_ms !== null ? { mean_ms, stddev_ms } : null;
}

function startOfHour(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}
