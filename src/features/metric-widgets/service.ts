import type { RequestScope } from "../../access/scope.ts";
import { regionsOf } from "../../checks/enqueue.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { GAME_SERVER_FIELDS } from "../../contract/game-server.ts";
import type { LatencyPeriod } from "../../contract/latency.ts";
import { METRIC_FIELDS } from "../../contract/push.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { latencyRange } from "../../domain/latency-series.ts";
import { addNumbers, MetricBuckets, numericMetrics, toSeries } from "../../domain/metric-series.ts";
import { buildMetricPicture, type CheckedGame, type MetricPicture, sampleChecks } from "../../domain/metric-widgets.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import { monitorObject } from "../../platform/monitor-objects.ts";
import { answerInTime } from "../../platform/object-timeout.ts";
import { listAgentResults, listRegionResults } from "../../platform/prober-objects.ts";
import { resultSourceOf } from "../../probes/registry.ts";

/** Results of a queried game server that one picture is made of. */
const CHECKS_MAX = 1000;

type Scope = Pick<RequestScope, "env">;
interface Range {
  from: number;
  to: number;
  step_ms: number;
}

export interface DrawnMetrics extends MetricPicture {
  range: Range;
}

/** What the widgets of an API or game server monitor show of a period; null for other types. */
export async function readMetricPicture(
  ctx: Scope,
  monitor: MonitorRecord,
  { period, now }: { period: LatencyPeriod; now: number },
): Promise<DrawnMetrics | null> {
  const { type, options } = monitor;
  if (type !== "api" && type !== "game_server") return null;
  const { from, step_ms } = latencyRange(period, now, HOUR_MS);
  const range = { from, to: now + 1, step_ms };
  const widgets = METRIC_FIELDS.widgets.parse(options.widgets);
  const game = type === "game_server" ? { join_url: GAME_SERVER_FIELDS.join_url.parse(options.join_url) } : null;
  const isPushed = resultSourceOf(type, options) === "push";
  const { series, last } = isPushed ? await readPushed(ctx, monitor, range) : await readChecked(ctx, monitor, range);
  return { ...buildMetricPicture({ widgets, series, last, game }), range };
}

async function readPushed({ env }: Scope, { id }: MonitorRecord, range: Range) {
  const { entries, steps } = await answerInTime(monitorObject(env, id).pushes(id, { limit: 1, range }));
  return { series: toSeries(steps), last: entries[0]?.samples?.at(-1) ?? null };
}

async function readChecked(ctx: Scope, monitor: MonitorRecord, { from, to, step_ms }: Range) {
  const samples = sampleChecks(await listChecks(ctx, monitor, { from, to }));
  const buckets = new MetricBuckets(step_ms);
  for (const sample of samples) addNumbers(buckets.at(sample.at), numericMetrics(sample));
  const steps = buckets.list().map(([at, tallies]) => ({ at, tallies: [...tallies] }));
  return { series: toSeries(steps), last: samples.at(-1) ?? null };
}

async function listChecks(
  { env }: Scope,
  monitor: MonitorRecord,
  range: { from: number; to: number },
): Promise<CheckedGame[]> {
  const wanted = { monitor_id: monitor.id, ...range, limit: CHECKS_MAX };
  const places = [...new Set([DEFAULT_REGION, ...regionsOf(monitor.regions)])];
  const found = await Promise.all([
    listAgentResults(env, monitor.measured_by, wanted),
    ...places.map((region) => listRegionResults(env, monitor, region, wanted)),
  ]);
  return found.flat().map(({ checked_at, details = {}, outcome }) => {
    return { checked_at, details, is_success: outcome === "success" || outcome === "slow" };
  });
}
