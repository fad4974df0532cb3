import type { Scope } from "../access/scope.ts";
import type { ResultStatus } from "../contract/agent.ts";
import { type CheckOutcome, DEFAULT_REGION, type Evidence } from "../contract/check.ts";
import type { CheckResult, MonitorSnapshot } from "../contract/monitor-object.ts";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import type { AgentResultRecord } from "../data/agent-results/read.ts";
import { insertResults, planBackfill } from "../data/agent-results/write.ts";
import { runBatch, type Statement } from "../data/db.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { staleAfterMs } from "../domain/check-schedule.ts";
import { DAY_MS } from "../lib/durations.ts";
import { violates } from "../platform/d1-errors.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { buildExpiries, buildProjection } from "./projection.ts";

/** What an agent measured of one monitor; `checked_at` is when the check began. */
export interface AgentResult {
  status: ResultStatus;
  checked_at: number;
  latency_ms: number | null;
  message: string;
  details: Record<string, unknown>;
  evidence?: Evidence;
}

const OUTCOMES: Record<ResultStatus, CheckOutcome> = { up: "success", degraded: "slow", down: "failure" };
const ATTEMPTS_MAX = 5;
/** Choice: late results may be this much further apart than planned before the time between them stays unknown. */
const SLACK = 1.5;

/**
 * Takes what an agent measured, in the order in which it was measured. Results that still speak for the present go to
 * the monitor's object, which knows those it has had; late ones only put the past right. Every step may be repeated, so an
 * agent that got no answer sends everything again. undefined: the monitor is gone.
 */
export async function acceptAgentResults(
  scope: Scope,
  monitor: MonitorRecord,
  measured: { results: readonly AgentResult[]; kept_days: number },
): Promise<{ accepted: number; status: MonitorStatus } | undefined> {
  const now = scope.now;
  const results = inOrder(measured.results).map((result) => applyThreshold(result, monitor));
  const presentFrom = now - staleAfterMs(monitor.interval);
  const present = results.filter(({ checked_at }) => checked_at >= presentFrom);
  const answer = await report(scope, monitor, present);
  if (answer === null) return undefined;
  const records = results.map((result) => ({
    ...result,
    monitor_id: monitor.id,
    is_late: result.checked_at < presentFrom,
    expires_at: result.checked_at + measured.kept_days * DAY_MS,
  }));
  // The agent repeats a failed check by itself, so the object's wish to have it repeated is nothing to remember.
  const projection = answer === undefined ? [] : buildProjection(scope, monitor, { ...answer, retry: null });
  const expiries = buildExpiries(scope, monitor, present.at(-1)?.details ?? {});
  const accepted = await store(scope, monitor, records, {
    projection: [...projection, ...expiries],
    until: presentFrom,
  });
  return { accepted, status: answer?.status ?? monitor.status };
}

/** A success above the monitor's latency threshold is a slow one, as for the checks of the edge. */
function applyThreshold(result: AgentResult, { latency_threshold_ms }: MonitorRecord): AgentResult {
  const isSlow =
    latency_threshold_ms !== null && result.latency_ms !== null && result.latency_ms > latency_threshold_ms;
  return result.status === "up" && isSlow ? { ...result, status: "degraded" } : result;
}

/** Oldest first, each check once. */
function inOrder(results: readonly AgentResult[]): AgentResult[] {
  const sorted = results.toSorted((a, b) => a.checked_at - b.checked_at);
  return sorted.filter((result, n) => result.checked_at !== sorted[n - 1]?.checked_at);
}

/** undefined: the object need not hear of it, because fast successes of a settled monitor change nothing. */
async function report(
  scope: Scope,
  monitor: MonitorRecord,
  present: readonly AgentResult[],
): Promise<MonitorSnapshot | null | undefined> {
  const isSynced = monitor.synced_version === monitor.config_version;
  const isQuiet = monitor.settled && isSynced && present.every(({ status }) => status === "up");
  if (present.length === 0 || isQuiet) return undefined;
  const reported = present.map(
    ({ status, checked_at, latency_ms, message, evidence }): CheckResult => ({
      region: DEFAULT_REGION,
      slot_at: checked_at,
      attempt: 0,
      checked_at,
      outcome: OUTCOMES[status],
      latency_ms,
      message,
      evidence,
    }),
  );
  return monitorObject(scope.env, monitor.id).report(monitor.id, monitor.config_version, reported);
}

/** Gives how many results were new. Starts again when another batch divided the same stretch of time meanwhile. */
async function store(
  scope: Scope,
  monitor: MonitorRecord,
  records: readonly AgentResultRecord[],
  { projection, until }: { projection: readonly Statement[]; until: number },
): Promise<number> {
  const inserted = await insertResults(scope.db, records);
  const late = records.filter(({ is_late }) => is_late).map(({ checked_at }) => checked_at);
  for (let attempt = 1; ; attempt++) {
    const filling = await fill(scope, monitor, { late, until });
    try {
      await runBatch(scope.db, [...projection, ...filling]);
      return inserted.length;
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !violates(error, "status_intervals.seq")) throw error;
    }
  }
}

async function fill(
  scope: Scope,
  monitor: MonitorRecord,
  { late, until }: { late: readonly number[]; until: number },
): Promise<Statement[]> {
  const [from, to] = [late.at(0), late.at(-1)];
  if (from === undefined || to === undefined) return [];
  const valid_for_ms = monitor.interval * 1000 * SLACK;
  const filling = await planBackfill(scope.db, {
    monitor_id: monitor.id,
    from,
    to,
    valid_for_ms,
    until,
    now: scope.now,
  });
  const pageId = monitor.status_page_id;
  return filling.length === 0 || pageId === null ? filling : [...filling, bumpPageVersion(scope.db, pageId, scope.now)];
}
