import { getOwner } from "../../access/owners.ts";
import { requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { regionsOf } from "../../checks/enqueue.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { invalid } from "../../contract/errors.ts";
import { agentLocation, agentsAmong, isVotedOn, type Location } from "../../contract/location.ts";
import type { Pagination, Position } from "../../contract/pagination.ts";
import type { ResultQuery, StoredResult } from "../../contract/prober-object.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { STATUS_OF_OUTCOME } from "../../domain/check-status.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { toIso } from "../../platform/clock.ts";
import { monitorObject } from "../../platform/monitor-objects.ts";
import { answerInTime } from "../../platform/object-timeout.ts";
import { listAgentResults, listRegionResults } from "../../platform/prober-objects.ts";
import { resultSourceOf } from "../../probes/registry.ts";
import type { MeasuredResult } from "./present.ts";

/** Results are packed in many rows, so the total count is bounded. */
const COUNTED_MAX = 1000;
/** Offsets end here; a cursor, which is given beyond, says nothing of how many came before it. */
const OFFSET_MAX = 10_000;
/** Results of one instant: one in each place, at most. */
const SIMULTANEOUS_MAX = 100;

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
  { limit, offset, cursor, ...asked }: Wanted & Pagination,
): Promise<{ rows: MeasuredResult[]; positions: Position[]; total: number }> {
  const monitor = await requireVisibleMonitor(ctx, monitorId);
  const { plan } = await getOwner(ctx, monitor.owner_id);
  const kept = ctx.now - ctx.settings.RAW_RESULTS_DAYS[plan] * DAY_MS;
  const { to, skipped } = cursor ? resumeAt(cursor, asked.to) : { to: asked.to, skipped: offset };
  const reach = Math.max(COUNTED_MAX, skipped + limit + 1);
  const wanted = { ...asked, ...(to !== undefined && { to }), from: Math.max(asked.from ?? 0, kept), limit: reach };
  const regions = [...new Set([DEFAULT_REGION, ...regionsOf(monitor.regions)])].filter(
    (region) => wanted.region === undefined || wanted.region === region,
  );
  const voters = isVotedOn(monitor) ? agentsAmong(monitor.locations).map(agentLocation) : [];
  const alone = monitor.measured_by.filter((agentId) => !voters.includes(agentLocation(agentId)));
  const measured = await Promise.all([
    regions.includes(DEFAULT_REGION) ? listFromAgents(ctx, { ...monitor, measured_by: alone }, wanted) : [],
    regions.includes(DEFAULT_REGION) ? listFromPushes(ctx, monitor, wanted) : [],
    ...voters
      .filter((location) => wanted.region === undefined || wanted.region === location)
      .map((location) => listFromLocation(ctx, monitor, { ...wanted, location })),
    ...regions.map((region) => listFromProber(ctx, monitor, { ...wanted, region })),
  ]);
  const newest = measured.flat().sort((a, b) => b.checked_at - a.checked_at);
  const rows = newest.slice(skipped, skipped + limit);
  return {
    rows,
    positions: positionsOf(newest).slice(skipped, skipped + limit),
    total: cursor ? OFFSET_MAX : Math.min(newest.length, reach),
  };
}

/** A result's instant, and how many results of this instant a list has given by then. */
function positionsOf(newest: readonly MeasuredResult[]): Position[] {
  let [instant, given] = [Number.NaN, 0];
  return newest.map(({ checked_at }) => {
    given = checked_at === instant ? given + 1 : 1;
    instant = checked_at;
    return [checked_at, String(given)];
  });
}

function resumeAt([instant, text]: Position, to = Number.MAX_SAFE_INTEGER): { to: number; skipped: number } {
  const skipped = Number(text);
  if (!Number.isInteger(skipped) || skipped < 0 || skipped > SIMULTANEOUS_MAX) {
    throw invalid("cursor is not one of this list");
  }
  // Past the end of the asked range nothing of the instant was given.
  return instant < to ? { to: instant + 1, skipped } : { to, skipped: 0 };
}

async function listFromAgents(ctx: RequestScope, monitor: MonitorRecord, wanted: Wanted): Promise<MeasuredResult[]> {
  const results = await listAgentResults(ctx.env, monitor.measured_by, queryOf(monitor, wanted));
  return results.map((result) => toMeasured(result, DEFAULT_REGION));
}

/** What one of the agents found that vote on the monitor. */
async function listFromLocation(
  ctx: RequestScope,
  monitor: MonitorRecord,
  { location, ...wanted }: Wanted & { location: Location },
): Promise<MeasuredResult[]> {
  const agents = agentsAmong([location]).filter((agentId) => monitor.measured_by.includes(agentId));
  const results = await listAgentResults(ctx.env, agents, queryOf(monitor, wanted));
  return results.map((result) => toMeasured(result, location));
}

/** The newest pushes; `start` and `log` have no outcome. */
async function listFromPushes(ctx: RequestScope, monitor: MonitorRecord, wanted: Wanted): Promise<MeasuredResult[]> {
  if (resultSourceOf(monitor.type, monitor.options) !== "push") return [];
  const range = { from: wanted.from ?? 0, to: wanted.to ?? Number.MAX_SAFE_INTEGER, limit: wanted.limit };
  const results = await answerInTime(monitorObject(ctx.env, monitor.id).pushResults(monitor.id, range));
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

async function listFromProber(
  ctx: RequestScope,
  monitor: MonitorRecord,
  { region, ...wanted }: Wanted & { region: string },
): Promise<MeasuredResult[]> {
  const entries = await listRegionResults(ctx.env, monitor, region, queryOf(monitor, wanted));
  return entries.map((entry) => toMeasured(entry, region));
}

function queryOf({ id }: MonitorRecord, { from = 0, to = Number.MAX_SAFE_INTEGER, limit }: Wanted): ResultQuery {
  return { monitor_id: id, from, to, limit };
}

function toMeasured(result: StoredResult, region: string): MeasuredResult {
  const { checked_at, outcome, latency_ms, message, colo, details = {} } = result;
  return { checked_at, status: STATUS_OF_OUTCOME[outcome], latency_ms, message, region, colo, details };
}
