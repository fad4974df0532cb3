import type { Scope } from "../access/scope.ts";
import type { ResultStatus } from "../contract/agent.ts";
import { type CheckOutcome, DEFAULT_REGION, type StoredEvidence } from "../contract/check.ts";
import { agentLocation, asksEdge, isVotedOn } from "../contract/location.ts";
import type { AgentVote, CheckResult, MonitorSnapshot } from "../contract/monitor-object.ts";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import type { Observation } from "../contract/observation.ts";
import type { PhaseTimes } from "../contract/phases.ts";
import type { MeasuredRange, StoredResult } from "../contract/prober-object.ts";
import { type BackfillRequest, planBackfill } from "../data/agent-results/backfill.ts";
import { findLatest, newestChecks, type StoredLatest } from "../data/agent-results/read.ts";
import { addMeasuringAgent, recordLatest } from "../data/agent-results/write.ts";
import type { AgentPackedResult } from "../data/agents/table.ts";
import { runBatch, type Statement } from "../data/db.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { bumpPageVersions } from "../data/status-pages/write.ts";
import type { LateResult } from "../domain/backfill.ts";
import { agentSlotOf, staleAfterMs, validForMs } from "../domain/check-schedule.ts";
import { OUTCOME_OF_STATUS } from "../domain/check-status.ts";
import { toMeasuredCheck } from "../domain/rule-metrics.ts";
import { evaluateResultRules, type MonitorResult } from "../events/metric-rules.ts";
import { sendChecks } from "../platform/check-queues.ts";
import { violates } from "../platform/d1-errors.ts";
import { idFrom } from "../platform/ids.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { agentHistory } from "../platform/prober-objects.ts";
import { forEachMonitor } from "./isolated.ts";
import { buildExpiries, buildProjections } from "./projection.ts";
import { restOf } from "./resting.ts";
import { shortMessage } from "./result-history.ts";
import { repeatedChecks } from "./slot-record.ts";

/** What an agent measured of one monitor; `checked_at` is when the check began. */
export interface AgentResult {
  status: ResultStatus;
  checked_at: number;
  latency_ms: number | null;
  message: string;
  details: Record<string, unknown>;
  evidence?: StoredEvidence;
  observation?: Observation;
  phases?: PhaseTimes;
}

export interface MeasuredMonitor {
  monitor: MonitorRecord;
  results: readonly AgentResult[];
}

interface Accepted {
  /** Results that were not stored before. */
  accepted: number;
  /** By monitor; one that was deleted meanwhile has none. */
  statuses: Map<string, MonitorStatus>;
  /** Monitors whose objects did not take the results, which have to be sent again. */
  unreachable: Set<string>;
}

const STATUSES: Partial<Record<CheckOutcome, ResultStatus>> = { success: "up", slow: "degraded", failure: "down" };
const ATTEMPTS_MAX = 5;
/** Choice: late results may be this much further apart than planned before the time between them stays unknown. */
const SLACK = 1.5;

/**
 * Takes what an agent measured of any number of its monitors, by one call of the object that keeps its history and one
 * batch. Results that still speak for the present go to the monitors' objects first, which know those they have had; those
 * that are late, or older than one that is known, only put the past right. Every step may be repeated, so an agent that
 * got no answer sends everything again.
 */
export async function acceptAgentResults(
  scope: Scope,
  agentId: string,
  measured: readonly MeasuredMonitor[],
): Promise<Accepted> {
  const known = await findLatest(scope.db, agentId);
  const newestAt = known ? newestChecks(known) : new Map<string, number>();
  const prepared = measured.map((each) => prepare(scope, each, newestAt.get(each.monitor.id) ?? 0));
  const monitors = prepared.map((each) => ({ id: each.monitor.id, ...each }));
  const reported = await forEachMonitor(scope, { step: "monitor object", monitors }, (each) =>
    report(scope, agentId, each),
  );
  const taken = reported.done.flatMap(({ monitor, result }) =>
    result === null ? [] : [{ ...monitor, answer: result }],
  );
  const ranges = taken.flatMap(({ late }) => late ?? []);
  const entries = taken.flatMap(({ entries }) => entries);
  const history = agentHistory(scope.env, agentId);
  const { added, around } =
    entries.length === 0 ? { added: 0, around: [] } : await history.add(entries, ranges.map(rangeOf));
  const backfills = ranges.map((range, n) => requestOf(range, around[n] ?? []));
  await store(scope, agentId, { known, taken, backfills });
  const retries = taken.flatMap(({ monitor, answer }) =>
    asksEdge(monitor) && answer?.retry ? repeatedChecks(monitor, monitor.check_group_id, answer.retry) : [],
  );
  await sendChecks(scope.env, retries, scope.now);
  await evaluateResultRules(
    scope,
    taken.flatMap((each) => presentResultsOf(each, agentId)),
  );
  return {
    accepted: added,
    statuses: new Map(taken.map(({ monitor, answer }) => [monitor.id, answer?.status ?? monitor.status])),
    unreachable: new Set(reported.failed.map(({ id }) => id)),
  };
}

type LateRange = MeasuredRange &
  Omit<BackfillRequest, keyof MeasuredRange | "measurements"> & {
    first: number;
    /** By the instant of the check; the history keeps none. */
    evidence: ReadonlyMap<number, StoredEvidence>;
  };

interface Prepared {
  monitor: MonitorRecord;
  /** Oldest first. */
  present: AgentResult[];
  entries: StoredResult[];
  /** Around the late results; undefined without any. */
  late: LateRange | undefined;
}

/** A settled monitor's object has not heard of the newest result, which was at `newestAt`. */
function prepare({ now }: Scope, { monitor, results: unordered }: MeasuredMonitor, newestAt: number): Prepared {
  const presentFrom = now - staleAfterMs(monitor.interval);
  const results = inOrder(unordered).map((result) => applyThreshold(result, monitor));
  const late = results.filter(({ checked_at }) => checked_at < presentFrom);
  return {
    monitor,
    present: results.slice(late.length).filter(({ checked_at }) => checked_at >= newestAt),
    entries: results.map((result) => ({
      monitor_id: monitor.id,
      checked_at: result.checked_at,
      outcome: OUTCOME_OF_STATUS[result.status],
      latency_ms: result.latency_ms,
      message: shortMessage(result.message),
      details: result.details,
      ...(result.phases && { phases: result.phases }),
      ...(result.checked_at < Math.max(presentFrom, newestAt) && { is_late: true }),
    })),
    // One location's results of the past say nothing of what all found then.
    late: isVotedOn(monitor) ? undefined : rangeAround(monitor, late, presentFrom),
  };
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

function rangeAround(
  { id: monitor_id, interval, status_page_id, failure_threshold, recovery_threshold }: MonitorRecord,
  late: readonly AgentResult[],
  until: number,
): LateRange | undefined {
  const [first, last] = [late.at(0)?.checked_at, late.at(-1)?.checked_at];
  if (first === undefined || last === undefined) return undefined;
  const valid_for_ms = interval * 1000 * SLACK;
  // A run that decides the status may reach as far beyond these results.
  const runMs = valid_for_ms * Math.max(failure_threshold, recovery_threshold);
  const measured = { monitor_id, from: first - runMs, to: last + runMs + 1 };
  const evidence = new Map(late.flatMap((each) => (each.evidence ? [[each.checked_at, each.evidence] as const] : [])));
  const thresholds = { failure_threshold, recovery_threshold };
  return { ...measured, ...thresholds, status_page_id, first, last, valid_for_ms, until, evidence };
}

/** undefined: the object need not hear of it, because fast successes of a settled monitor change nothing. */
async function report(
  scope: Scope,
  agentId: string,
  { monitor, present }: Prepared,
): Promise<MonitorSnapshot | null | undefined> {
  const isSynced = monitor.synced_version === monitor.config_version;
  const isQuiet = monitor.settled && isSynced && present.every(({ status }) => status === "up");
  if (present.length === 0 || isQuiet) return undefined;
  const object = monitorObject(scope.env, monitor.id);
  if (isVotedOn(monitor)) {
    const votes = present.map(({ status, details, phases, ...found }): AgentVote => {
      const [region, slot_at] = [agentLocation(agentId), agentSlotOf(monitor, found.checked_at)];
      return { region, slot_at, outcome: OUTCOME_OF_STATUS[status], ...found };
    });
    return object.vote(monitor.id, monitor.config_version, votes);
  }
  const reported = present.map(
    ({ status, details, phases, ...found }): CheckResult => ({
      region: DEFAULT_REGION,
      slot_at: found.checked_at,
      attempt: 0,
      outcome: OUTCOME_OF_STATUS[status],
      ...found,
    }),
  );
  return object.report(monitor.id, monitor.config_version, reported);
}

interface Taken extends Prepared {
  answer: MonitorSnapshot | undefined;
}

/** Late ones say nothing about the present, so that no rule fires on them. */
function presentResultsOf({ monitor, present, answer }: Taken, agentId: string): MonitorResult[] {
  // The agent may have measured it for the first time just now.
  const measured_by = [...new Set([...monitor.measured_by, agentId])];
  const locations_down = [...(answer?.locations_down ?? monitor.locations_down)];
  return present.map(({ status, ...result }) => ({
    monitor: { ...monitor, measured_by, locations_down },
    region: DEFAULT_REGION,
    ...toMeasuredCheck({ ...result, outcome: OUTCOME_OF_STATUS[status] }),
  }));
}

interface Storing {
  known: StoredLatest | undefined;
  taken: readonly Taken[];
  backfills: readonly BackfillRequest[];
}

/** Starts again when another batch divided the same stretch of time meanwhile. */
async function store(scope: Scope, agentId: string, { known, taken, backfills }: Storing): Promise<void> {
  if (taken.length === 0) return;
  // The agent repeats a failed check by itself, so the object's wish to have it repeated concerns the edge alone.
  const answered = taken.flatMap(({ monitor, answer }) =>
    answer ? [{ known: monitor, answer: asksEdge(monitor) ? answer : { ...answer, retry: null } }] : [],
  );
  const unnoted = taken
    .filter(({ monitor }) => !monitor.measured_by.includes(agentId))
    .map(({ monitor }) => monitor.id);
  const writes: Statement[] = [
    ...buildProjections(scope, answered),
    ...taken.flatMap(({ monitor, present }) => buildExpiries(scope, monitor, present.at(-1)?.details ?? {})),
    ...(unnoted.length === 0 ? [] : [addMeasuringAgent(scope.db, unnoted, agentId)]),
    recordLatest(scope.db, {
      agent_id: agentId,
      known,
      fresh: taken.flatMap((each) => latestOf(each, agentId)),
      now: scope.now,
    }),
  ];
  const pageOf = new Map(taken.map(({ monitor }) => [monitor.id, monitor.status_page_id]));
  for (let attempt = 1; ; attempt++) {
    const { monitor_ids, statements } = await planBackfill(scope.db, backfills, { now: scope.now, outageIdOf });
    const pages = new Set(monitor_ids.flatMap((id) => pageOf.get(id) ?? []));
    const bumped = pages.size === 0 ? [] : [bumpPageVersions(scope.db, [...pages], scope.now)];
    try {
      await runBatch(scope.db, [...writes, ...statements, ...bumped]);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !violates(error, "status_intervals.seq")) throw error;
    }
  }
}

const outageIdOf = (monitorId: string, startedAt: number) => idFrom("backfilled outage", monitorId, String(startedAt));

function latestOf({ monitor, entries }: Taken, agentId: string): AgentPackedResult[] {
  const newest = entries.at(-1);
  if (!newest) return [];
  const { checked_at, latency_ms, message, outcome } = newest;
  // Where the edge checks, too, its own sweep notices that nobody does any more.
  const valid_until = isVotedOn(monitor) && asksEdge(monitor) ? null : validUntil(monitor, checked_at);
  const region = isVotedOn(monitor) ? agentLocation(agentId) : DEFAULT_REGION;
  return [[monitor.id, checked_at, latency_ms, message, region, outcome, checked_at, valid_until]];
}

/** At most until the end of the monitor's hours, after which none follows. */
function validUntil(monitor: MonitorRecord, checkedAt: number): number {
  const until = checkedAt + validForMs(monitor);
  const hours = restOf(monitor)?.hours;
  if (!hours?.contains(checkedAt) || hours.contains(until)) return until;
  return Math.max(checkedAt, Math.min(until, hours.endedBefore(until)));
}

function rangeOf({ monitor_id, from, to }: LateRange): MeasuredRange {
  return { monitor_id, from, to };
}

function requestOf({ first, evidence, ...range }: LateRange, around: StoredResult[]): BackfillRequest {
  const measurements = around.flatMap(({ checked_at, outcome, message, is_late = false }): LateResult[] => {
    const status = STATUSES[outcome];
    return status ? [{ checked_at, status, message, is_late, evidence: evidence.get(checked_at) }] : [];
  });
  return {
    ...range,
    from: measurements[0]?.checked_at ?? first,
    to: measurements.at(-1)?.checked_at ?? range.last,
    // What was measured beyond this range may end the last of these results.
    until: Math.min(range.until, range.to),
    measurements,
  };
}
