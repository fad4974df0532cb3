import type { Ctx } from "../../access/ctx.ts";
import { requireVisibleMonitor } from "../../access/monitors.ts";
import { getOwner } from "../../access/owners.ts";
import { regionsOf } from "../../checks/enqueue.ts";
import { type CheckOutcome, DEFAULT_REGION } from "../../contract/check.ts";
import { listResults } from "../../data/agent-results.ts";
import type { MonitorRecord } from "../../data/monitors.ts";
import { readBeat } from "../../domain/heartbeat.ts";
import { PLAN_LIMITS } from "../../domain/plans.ts";
import { monitorObject } from "../../platform/monitor-objects.ts";
import { proberObject } from "../../platform/prober-objects.ts";
import { runsOf } from "../../probes/registry.ts";
import type { MeasuredResult } from "./present.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** As many as a monitor's object keeps. */
const BEATS_MAX = 1000;

interface Wanted {
  from?: number;
  to?: number;
  region?: string;
  limit: number;
}

const STATUSES: Record<CheckOutcome, MeasuredResult["status"]> = {
  success: "up",
  slow: "degraded",
  failure: "down",
  error: "unknown",
};

/**
 * What its agents measured, what our probes did and what its beats said: a monitor may have had all of them. As far back as the plan of the
 * monitor's owner keeps results.
 */
export async function listMonitorResults(ctx: Ctx, monitorId: string, asked: Wanted): Promise<MeasuredResult[]> {
  const { monitor } = await requireVisibleMonitor(ctx, monitorId);
  const { plan } = await getOwner(ctx, monitor.owner_id);
  const kept = ctx.now - PLAN_LIMITS[plan].raw_results_days * DAY_MS;
  const wanted = { ...asked, from: Math.max(asked.from ?? 0, kept) };
  const regions = [...new Set([DEFAULT_REGION, ...regionsOf(monitor.regions)])].filter(
    (region) => wanted.region === undefined || wanted.region === region,
  );
  const measured = await Promise.all([
    regions.includes(DEFAULT_REGION) ? listFromAgents(ctx, monitor, wanted) : [],
    regions.includes(DEFAULT_REGION) ? listFromBeats(ctx, monitor, wanted) : [],
    ...regions.map((region) => listFromProber(ctx, monitor, { ...wanted, region })),
  ]);
  return measured
    .flat()
    .sort((a, b) => b.checked_at - a.checked_at)
    .slice(0, wanted.limit);
}

async function listFromAgents(ctx: Ctx, monitor: MonitorRecord, wanted: Wanted): Promise<MeasuredResult[]> {
  const results = await listResults(ctx.db, monitor.id, wanted);
  return results.map((result) => ({ ...result, region: DEFAULT_REGION }));
}

/** The newest beats that say how the job did; what only tells (`start`, `log`) is no result. */
async function listFromBeats(ctx: Ctx, monitor: MonitorRecord, wanted: Wanted): Promise<MeasuredResult[]> {
  if (runsOf(monitor.type, monitor.options) !== "push") return [];
  const query = { limit: BEATS_MAX, range: null };
  const { entries } = await monitorObject(ctx.env, monitor.id).pushes(monitor.id, query);
  return entries.flatMap(({ received_at, beat }) => {
    const read = beat && readBeat(beat, [], received_at);
    if (!read?.outcome || received_at < (wanted.from ?? 0) || received_at >= (wanted.to ?? Infinity)) return [];
    const { duration_ms, message } = read;
    const details = { run_id: beat?.run_id ?? null, exit_code: beat?.exit_code ?? null };
    const status = STATUSES[read.outcome];
    return [{ checked_at: received_at, status, latency_ms: duration_ms, message, region: DEFAULT_REGION, details }];
  });
}

/** A monitor without a shard was never checked by us. */
async function listFromProber(
  ctx: Ctx,
  monitor: MonitorRecord,
  { from, to, limit, region }: Wanted & { region: string },
): Promise<MeasuredResult[]> {
  if (monitor.shard_id === "") return [];
  const range = { from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER, limit };
  const entries = await proberObject(ctx.env, monitor.shard_id, region).list({ monitor_id: monitor.id, ...range });
  return entries.map(({ checked_at, outcome, latency_ms, message }) => ({
    checked_at,
    status: STATUSES[outcome],
    latency_ms,
    message,
    region,
    details: {},
  }));
}
