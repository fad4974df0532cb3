import type { CheckOutcome, StoredEvidence } from "../contract/check.ts";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import { assertNever } from "../lib/assert-never.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { retryDelayMs } from "./check-schedule.ts";
import {
  addToRound,
  closeRound,
  disputedMessage,
  excuseGone,
  findDeadline,
  findSince,
  listAgreeing,
  listFailed,
  listFailing,
  listLocations,
  placeVote,
  type Round,
  type RoundResult,
  type RoundRules,
  type RoundSummary,
  summarizeRound,
  type Verdict,
  type Vote,
} from "./rounds.ts";

/** As long a real outage waits for the agent that is asked about it. */
const ANSWER_WAIT_MS = 5 * SECOND_MS;

/**
 * The state machine of a monitor's status, which changes nowhere else.
 *
 *   pending, unknown ── one success ──▶ up ── slow success ──▶ degraded ── fast success ──▶ up
 *   any ── failure_threshold failures in a row ──▶ down ── recovery_threshold successes in a row ──▶ up
 *   a disputed round is a slow one, because the target is reached from somewhere
 *   any ── nothing known ──▶ unknown          any ── pause ──▶ paused ── resume ──▶ pending
 *
 * An outage opens with the first transition to down and closes with the next up, through any status between them:
 * monitor.down and monitor.up are emitted once for each. A late confirmation is dated back to the first such check.
 */

export interface MonitorRules extends RoundRules {
  failure_threshold: number;
  recovery_threshold: number;
  /** Null for push monitors, which have no slots to miss and no check to retry. */
  schedule: { interval_ms: number; retry_interval_ms: number; is_backoff?: boolean } | null;
  /** How long a result is valid for the present. */
  stale_after_ms: number;
}

/** `id` is the sequence number of the transition that opened the outage, unique within its monitor. */
export interface Outage {
  seq: number;
  started_at: number;
}

/** Plain JSON. */
export interface MonitorState {
  version: 1;
  status: MonitorStatus;
  status_since: number;
  /** Grows by one with every transition. */
  seq: number;
  /** Creation or last resume: checks that began earlier are not counted. */
  began_at: number;
  /** Consecutive rounds against the status: successes while down, else failures; `since` and `first` are of the first check. */
  run: { count: number; since: number; first?: RoundSummary["first"] } | null;
  outage: Outage | null;
  /** The newest round; older ones are rejected. */
  round: Round | null;
  /** What would begin an outage, while an agent of another network is asked about it. */
  asked?: { at: number; finding: RoundSummary } | null;
  /** Which of several locations failed in the newest round that is whole; absent: none. */
  locations_down?: readonly string[];
  /** When the newest round with a verdict was checked; a missed deadline is no check. */
  judged_at: number | null;
}

export type MonitorInput =
  | ({ kind: "result" } & RoundResult)
  /** What an agent found that is one of the monitor's locations. */
  | ({ kind: "vote" } & Vote)
  /** What the agent of another network found that was asked at that time; `error` where nobody could check. */
  | { kind: "answer"; asked_at: number; outcome: CheckOutcome }
  /** The round that was current when the deadline was looked for has waited long enough, at least for `gone`. */
  | { kind: "round_over"; slot_at: number; attempt: number; gone?: readonly string[] }
  /**
   * Results are stale for a reason of the service or the agent: no result in time, or a deadline processed too late.
   * `last_result_at` is the newest stored result (a settled monitor does not receive its own), null for none;
   * `valid_until` is the end of its validity where that is not a fixed time after it.
   */
  | { kind: "stale"; last_result_at: number | null; valid_until?: number; reason: string }
  /** No push arrived by `due_at`; this counts as a failure of the target. */
  | { kind: "missed_deadline"; due_at: number; level: "failure" | "degraded"; message: string }
  /** The computed status of a composite since `since`, or its own pause. */
  | { kind: "computed"; status: MonitorStatus; since: number; message: string }
  | { kind: "pause" }
  | { kind: "resume" };

export interface Transition {
  seq: number;
  from: MonitorStatus;
  to: MonitorStatus;
  /** When the transition was decided. */
  at: number;
  /** When the new status began; never before that of the previous transition. */
  effective_at: number;
  message: string;
  latency_ms: number | null;
  region: string | null;
  /** When the check began that `latency_ms` and `region` are of; null where no check decided. */
  checked_at: number | null;
  /** The outage that the transition opens, continues or closes. */
  outage: Outage | null;
  /** Of the transition that opens an outage: what the first failing check found, and the regions that confirmed it. */
  failure?: { message: string; regions: string[]; evidence: StoredEvidence | null };
  /** Of one to degraded: the locations that fail, as far as they have reported; absent: none. */
  locations_down?: string[];
  /** Null for a silent transition, which emits no event. */
  event: "monitor.down" | "monitor.up" | "monitor.degraded" | null;
  /** D1 may lack the transition before this one, so that an interval that is still open ends with it. */
  follows_gap?: true;
}

export interface Decision {
  state: MonitorState;
  transition: Transition | null;
  /** When to retry in all regions, ahead of schedule. A repeated result returns the same time as the first. */
  retry_at: number | null;
  /** Another fast success cannot change anything, so callers may omit it. */
  settled: boolean;
  /** An agent of another network has to be asked; until it answers or cannot, no outage begins. */
  asks?: true;
  /** The outage whose opening round has become whole after its verdict, and all regions that failed in it. */
  completed?: { seq: number; regions: string[] };
  /** False: the input had no effect because it was repeated, late or meaningless in this status. */
  accepted: boolean;
}

/** A monitor may be created paused. */
export function initialState(createdAt: number, status: "pending" | "paused" = "pending"): MonitorState {
  return {
    version: 1,
    status,
    status_since: createdAt,
    seq: 0,
    began_at: createdAt,
    run: null,
    outage: null,
    round: null,
    judged_at: null,
  };
}

export function decide(state: MonitorState, input: MonitorInput, rules: MonitorRules, now: number): Decision {
  return noteFailing(decideInput(state, input, rules, now), rules);
}

/** A location that others outvote leaves the status alone, and is still known; its recovery has to be reported. */
function noteFailing(decision: Decision, rules: MonitorRules): Decision {
  const { round, status, locations_down = [] } = decision.state;
  if (!decision.accepted) return decision;
  const isMeasured = round !== null && status !== "paused" && status !== "unknown";
  const failing = isMeasured ? (listFailing(round, rules) ?? locations_down) : [];
  const present = failing.filter((location) => listLocations(rules).includes(location));
  const { transition } = decision;
  // Of those that have not reported yet the round before is known.
  const failed = transition?.to === "degraded" && round !== null ? listFailed(round, rules, locations_down) : [];
  if (present.join() === locations_down.join() && failed.length === 0) return decision;
  const state = { ...decision.state, locations_down: present };
  const moved = transition && failed.length > 0 ? { ...transition, locations_down: failed } : transition;
  return { ...decision, state, transition: moved, settled: isSettled(state) };
}

function decideInput(state: MonitorState, input: MonitorInput, rules: MonitorRules, now: number): Decision {
  // A composite whose children are all paused is paused; the computed status of its children ends that pause.
  if (input.kind === "computed") {
    if (input.status === state.status) return refuse(state);
    return move(state, input.status, ours(input.message, input.since), now);
  }
  if (input.kind === "resume") {
    if (state.status !== "paused") return refuse(state);
    return move({ ...state, began_at: now }, "pending", ours("resumed", now), now);
  }
  if (state.status === "paused") return refuse(state);
  switch (input.kind) {
    case "result":
      return decideResult(state, input, rules, now);
    case "vote":
      return decideResult(state, placeVote(state.round, input, { toleranceMs: attemptToleranceMs(rules) }), rules, now);
    case "answer":
      return decideAnswer(state, input, rules, now);
    case "round_over":
      return decideRoundOver(state, input, rules, now);
    case "stale":
      return decideStale(state, input, rules, now);
    case "missed_deadline":
      return decideMissedDeadline(state, input, rules, now);
    case "pause":
      return move({ ...state, run: null, round: null, asked: null }, "paused", ours("paused", now), now);
    default:
      return assertNever(input);
  }
}

function decideResult(state: MonitorState, input: RoundResult, rules: MonitorRules, now: number): Decision {
  const added = addToRound(state.round, input, rules);
  if (added === null) return refuse(state, findRetry(state.round, input));
  if (input.checked_at < state.began_at || now - input.checked_at > rules.stale_after_ms) return refuse(state);

  const isOpen = state.round?.slot_at === added.slot_at && state.round.attempt === added.attempt;
  if (!isOpen && isOvertaken(state, input, rules)) return refuse(state);
  const round = rules.agents && !isOpen ? { ...added, opened_at: now } : added;
  const verdict = isOpen && state.round?.verdict ? null : round.verdict;
  const run = hasMissedSlots(state, round, rules) ? null : state.run;
  if (verdict === null) return orderRetry(complete(accept({ ...state, round, run }), rules), input, rules, now);

  const judged = { ...state, round, run, judged_at: findSince(round, verdict) };
  const decided = decideVerdict(judged, verdict, () => summarizeRound(round, verdict), rules, now);
  return orderRetry(noteOpening(decided, rules), input, rules, now);
}

/** A check that hung while a later one was judged says nothing of the present, although it is for a newer slot. */
function isOvertaken({ judged_at }: MonitorState, { checked_at }: RoundResult, rules: MonitorRules): boolean {
  return rules.schedule !== null && listLocations(rules).length === 1 && checked_at < (judged_at ?? checked_at);
}

/** Repetitions of one attempt begin at about the same time, in all locations. */
function attemptToleranceMs({ schedule }: MonitorRules): number {
  return (schedule?.retry_interval_ms ?? 0) / 2;
}

function decideRoundOver(
  state: MonitorState,
  { slot_at, attempt, gone = [] }: Extract<MonitorInput, { kind: "round_over" }>,
  rules: MonitorRules,
  now: number,
): Decision {
  const { round } = state;
  if (round?.slot_at !== slot_at || round.attempt !== attempt || findDeadline(round, rules) === null) {
    return refuse(state);
  }
  const isOver = now >= (round.opened_at ?? 0) + (rules.agents?.wait_ms ?? 0);
  const closed = isOver ? closeRound(round, rules, now) : excuseGone(round, gone, rules, now);
  const { verdict } = closed;
  if (round.verdict !== null || verdict === null) return complete(accept({ ...state, round: closed }), rules);
  const judged = { ...state, round: closed, judged_at: findSince(closed, verdict) };
  const decided = decideVerdict(judged, verdict, () => summarizeRound(closed, verdict), rules, now);
  return orderRetry(noteOpening(decided, rules), { region: null, outcome: null }, rules, now);
}

/** When the present round has to be decided without those that are missing; null where it need not. */
export function findRoundDeadline(state: MonitorState, rules: MonitorRules): number | null {
  return state.status === "paused" ? null : findDeadline(state.round, rules);
}

/** A round may open an outage before all of its regions have reported. */
function noteOpening(decision: Decision, rules: MonitorRules): Decision {
  const { state, transition } = decision;
  if (!transition?.failure || state.round === null || listAgreeing(state.round, rules) !== null) return decision;
  return { ...decision, state: { ...state, round: { ...state.round, opened_seq: transition.seq } } };
}

function complete(decision: Decision, rules: MonitorRules): Decision {
  const { round } = decision.state;
  const regions = round?.opened_seq === undefined ? null : listAgreeing(round, rules);
  if (round?.opened_seq === undefined || regions === null) return decision;
  return { ...decision, completed: { seq: round.opened_seq, regions } };
}

/**
 * Applies one verdict: it either extends the run against the status, or ends that run. `find` summarizes the round; most
 * verdicts change nothing and do not call it.
 */
function decideVerdict(
  state: MonitorState,
  verdict: Verdict,
  find: () => RoundSummary,
  rules: MonitorRules,
  now: number,
): Decision {
  const isDown = state.status === "down";
  if (isDown === (verdict === "failure")) {
    const rested = state.run === null && !state.asked ? state : { ...state, run: null, asked: null };
    const to = followVerdict(state.status, verdict);
    return to === state.status ? accept(rested) : move(rested, to, find(), now);
  }
  const finding = find();
  const { since, first } = state.run ?? finding;
  // Only an outage remembers how it began.
  const run = { count: (state.run?.count ?? 0) + 1, since, ...(isDown || !first ? {} : { first }) };
  if (run.count < (isDown ? rules.recovery_threshold : rules.failure_threshold)) return accept({ ...state, run });
  const whole = { ...finding, since, first: first ?? finding.first };
  if (!isDown && rules.asks_outside && state.outage === null) return ask({ ...state, run }, whole, now);
  return move({ ...state, run: null, asked: null }, isDown ? "up" : "down", whole, now);
}

/** Asks once, however many rounds fail until the answer is there. */
function ask(state: MonitorState, finding: RoundSummary, now: number): Decision {
  if (state.asked) return accept(state);
  return { ...accept({ ...state, asked: { at: now, finding } }), asks: true };
}

/** An agent that fails, too, or could not check, lets the outage begin. What it reaches is degraded. */
function decideAnswer(
  state: MonitorState,
  { asked_at, outcome }: Extract<MonitorInput, { kind: "answer" }>,
  rules: MonitorRules,
  now: number,
): Decision {
  const { asked } = state;
  if (asked?.at !== asked_at || !rules.asks_outside) return refuse(state);
  const answered = { ...state, run: null, asked: null };
  const { finding } = asked;
  if (outcome === "success" || outcome === "slow") {
    const message = disputedMessage(finding.message);
    const to = followVerdict(state.status, "disputed");
    return to === state.status ? accept(answered) : move(answered, to, { ...finding, message }, now);
  }
  const { round } = state;
  const regions = round?.verdict === "failure" ? summarizeRound(round, "failure").regions : finding.regions;
  return noteOpening(move(answered, "down", { ...finding, regions }, now), rules);
}

/** When the outage begins although the agent that was asked has not answered; null while none is asked. */
export function findAnswerDeadline({ asked, status }: MonitorState, rules: MonitorRules): number | null {
  return asked && rules.asks_outside && status !== "paused" ? asked.at + ANSWER_WAIT_MS : null;
}

/** The status after a verdict that extends no run. Only up becomes degraded: in a recovery a slow success is a success. */
function followVerdict(status: MonitorStatus, verdict: Verdict): MonitorStatus {
  if (verdict === "disputed" && (status === "pending" || status === "unknown")) return "degraded";
  if (status === "pending" || status === "unknown") return "up";
  if (status === "up" && (verdict === "slow" || verdict === "disputed")) return "degraded";
  if (status === "degraded" && verdict === "success") return "up";
  return status;
}

/**
 * Choice: unknown begins when the validity of the last result ends, not at the result itself.
 * A run of failures ends here; a newer result than the caller's overrules the report.
 */
function decideStale(
  state: MonitorState,
  input: Extract<MonitorInput, { kind: "stale" }>,
  rules: MonitorRules,
  now: number,
): Decision {
  const lastResultAt = input.last_result_at ?? state.began_at;
  if (state.judged_at !== null && lastResultAt < state.judged_at) return refuse(state);
  if (state.status === "unknown") return state.run === null ? refuse(state) : accept({ ...state, run: null });
  const validUntil = input.valid_until ?? lastResultAt + rules.stale_after_ms;
  return move({ ...state, run: null, asked: null }, "unknown", ours(input.reason, validUntil), now);
}

/** One failure, or the transition from up to degraded, without a check; a push since the due time prevents it. */
function decideMissedDeadline(
  state: MonitorState,
  input: Extract<MonitorInput, { kind: "missed_deadline" }>,
  rules: MonitorRules,
  now: number,
): Decision {
  const { due_at, level, message } = input;
  if (due_at < state.began_at || (state.round !== null && due_at <= state.round.slot_at)) return refuse(state);
  const finding = ours(message, due_at);
  if (level === "degraded") return state.status === "up" ? move(state, "degraded", finding, now) : refuse(state);
  const round: Round = { slot_at: due_at, attempt: 0, results: {}, verdict: null, retry: null };
  return decideVerdict({ ...state, round }, "failure", () => finding, rules, now);
}

/**
 * Slots without a report are no failures, and failures before and after them are not consecutive. The tolerance is half
 * an interval, for reporters without an exact grid. A recovery continues over a gap, because it counts successes only.
 */
function hasMissedSlots(state: MonitorState, round: Round, rules: MonitorRules): boolean {
  if (rules.schedule === null || state.round === null || state.status === "down") return false;
  return round.slot_at - state.round.slot_at > 1.5 * rules.schedule.interval_ms;
}

/**
 * One retry per round, until the threshold decides. In a scheduled round the failure of one region suffices, because the
 * successes of others may be omitted while the monitor is settled; a retry is complete and waits for its verdict.
 */
function orderRetry(
  decision: Decision,
  input: Pick<RoundResult, "region" | "outcome"> | { region: null; outcome: null },
  rules: MonitorRules,
  now: number,
): Decision {
  const { round, status, asked } = decision.state;
  if (rules.schedule === null || round === null || round.retry !== null) return decision;
  if (status === "down" || asked) return decision;
  const isSuspect = round.verdict === null && round.attempt === 0 && input.outcome === "failure";
  if (round.verdict !== "failure" && !isSuspect) return decision;
  const retry = { region: input.region, at: now + retryDelayMs(rules.schedule, round.attempt) };
  return { ...decision, state: { ...decision.state, round: { ...round, retry } }, retry_at: retry.at };
}

function findRetry(round: Round | null, input: RoundResult): number | null {
  if (round?.slot_at !== input.slot_at || round.attempt !== input.attempt) return null;
  return round.retry?.region === input.region ? round.retry.at : null;
}

function ours(message: string, since: number): RoundSummary {
  return {
    region: null,
    regions: [],
    latency_ms: null,
    checked_at: null,
    message,
    since,
    first: { message, evidence: null },
  };
}

function move(state: MonitorState, to: MonitorStatus, finding: RoundSummary, now: number): Decision {
  const seq = state.seq + 1;
  const { since, message, latency_ms, region, checked_at, regions, first } = finding;
  const effective_at = Math.max(state.status_since, Math.min(since, now));
  const outage = state.outage ?? (to === "down" ? { seq, started_at: effective_at } : null);
  const moved = { ...state, status: to, status_since: effective_at, seq, outage: to === "up" ? null : outage };
  const event = findEvent(state, to);
  return accept(moved, {
    seq,
    from: state.status,
    to,
    at: now,
    effective_at,
    message,
    latency_ms,
    region,
    checked_at,
    outage,
    ...(outage?.seq === seq && { failure: { ...first, regions } }),
    event,
  });
}

function findEvent(state: MonitorState, to: MonitorStatus): Transition["event"] {
  if (to === "down") return state.outage === null ? "monitor.down" : null;
  if (to === "up") return state.outage !== null || state.status === "degraded" ? "monitor.up" : null;
  return to === "degraded" ? "monitor.degraded" : null;
}

function accept(state: MonitorState, transition: Transition | null = null): Decision {
  return { state, transition, retry_at: null, settled: isSettled(state), accepted: true };
}

function refuse(state: MonitorState, retryAt: number | null = null): Decision {
  return { state, transition: null, retry_at: retryAt, settled: isSettled(state), accepted: false };
}

/** Up, no run, and no failing or slow region in a round that missing regions can still decide. */
function isSettled(state: MonitorState): boolean {
  if (state.status !== "up" || state.run !== null || (state.locations_down?.length ?? 0) > 0) return false;
  if (state.round === null || state.round.verdict !== null) return true;
  return Object.values(state.round.results).every(({ outcome }) => outcome === "success" || outcome === "error");
}
