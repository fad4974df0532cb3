import { getOwner } from "../../access/owners.ts";
import { requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { regionsOf } from "../../checks/enqueue.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import type { ResultQuery, StoredResult } from "../../contract/prober-object.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { STATUS_OF_OUTCOME } from "../../domain/check-status.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { toIso } from "../../platform/clock.ts";
import { monitorObject } from "../../platform/monitor-objects.ts";
import { listAgentResults, proberObject } from "../../platform/prober-objects.ts";
import { resultSourceOf } from "../../probes/registry.ts";
import type { MeasuredResult } from "./present.ts";

/** Results are packed in many rows, so the total count is bounded. */
const COUNTED_MAX = 1000;

interface Wanted {
  from?: number;
  to?: number;
  region?: string;
  limit: number;
}

/**
 * What its agents measured, what our probes did and what was pushed: a monitor may have had all of them. As far back as
 * the plan of the monitor's owner keeps results, and of pushes the newest thousand.
 */
export async function listMonitorResults(
  ctx: RequestScope,
  monitorId: string,
  { limit, offset, ...asked }: Wanted & { offset: number },
): Promise<{ rows: MeasuredResult[]; total: number }> {
  const monitor = await requireVisibleMonitor(ctx, monitorId);
  const { plan } = await getOwner(ctx, monitor.owner_id);
  const kept = ctx.now - ctx.settings.RAW_RESULTS_DAYS[plan] * DAY_MS;
  const reach = Math.max(COUNTED_MAX, offset + limit + 1);
  const wanted = { ...asked, from: Math.max(asked.from ?? 0, kept), limit: reach };
  const regions = [...new Set([DEFAULT_REGION, ...regionsOf(monitor.regions)])].filter(
    (region) => wanted.region === undefined || wanted.region === region,
  );
  const measured = await Promise.all([
    regions.includes(DEFAULT_REGION) ? listFromAgents(ctx, monitor, wanted) : [],
    regions.includes(DEFAULT_REGION) ? listFromPushes(ctx, monitor, wanted) : [],
    ...regions.map((region) => listFromProber(ctx, monitor, { ...wanted, region })),
  ]);
  const newest = measured.flat().sort((a, b) => b.checked_at - a.checked_at);
  return { rows: newest.slice(offset, offset + limit), total: Math.min(newest.length, reach) };
}

async function listFromAgents(ctx: RequestScope, monitor: MonitorRecord, wanted: Wanted): Promise<MeasuredResult[]> {
  const results = await listAgentResults(ctx.env, monitor.measured_by, queryOf(monitor, wanted));
  return results.map((result) => toMeasured(result, DEFAULT_REGION));
}

/** The newest pushes; `start` and `log` have no outcome. */
async function listFromPushes(ctx: RequestScope, monitor: MonitorRecord, wanted: Wanted): Promise<MeasuredResult[]> {
  if (resultSourceOf(monitor.type, monitor.options) !== "push") return [];
  const range = { from: wanted.from ?? 0, to: wanted.to ?? Number.MAX_SAFE_INTEGER, limit: wanted.limit };
  const results = await monitorObject(ctx.env, monitor.id).pushResults(monitor.id, range);
  return results.map(({ kind, checked_at, received_at, outcome, latency_ms, message, details }) => ({
    kind,
    checked_at,
    status: outcome && STATUS_OF_OUTCOME[outcome],
    latency_ms,
    message,
    region: DEFAULT_REGION,
    details: { ...details, received_at: toIso(received_at) },
  }));
}

/** A monitor without a shard was never checked by us. */
async function listFromProber(
  ctx: RequestScope,
  monitor: MonitorRecord,
  { region, ...wanted }: Wanted & { region: string },
): Promise<MeasuredResult[]> {
  if (monitor.shard_id === "") return [];
  const entries = await proberObject(ctx.env, monitor.shard_id, region).list(queryOf(monitor, wanted));
  return entries.map((entry) => toMeasured(entry, region));
}

function queryOf({ id }: MonitorRecord, { from = 0, to = Number.MAX_SAFE_INTEGER, limit }: Wanted): ResultQuery {
  return { monitor_id: id, from, to, limit };
}

function toMeasured(result: StoredResult, region: string): MeasuredResult {
  const { checked_at, outcome, latency_ms, message, colo, details = {} } = result;
  return { checked_at, status: STATUS_OF_OUTCOME[outcome], latency_ms, message, region, colo, details };
}
