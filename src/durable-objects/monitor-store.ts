import { agentLocation, agentsAmong } from "../contract/location.ts";
import type { Allowance, Push, PushedResult, PushLog, PushQuery, StoredPush } from "../contract/monitor-object.ts";
import type { LatencyStep } from "../contract/prober-object.ts";
import { packRepeated } from "../contract/repeated-heartbeat.ts";
import { findGone, type KnownVote } from "../domain/gone-agents.ts";
import {
  type Decision,
  decide,
  findAnswerDeadline,
  findRoundDeadline,
  type MonitorInput,
  type Transition,
} from "../domain/monitor-state.ts";
import {
  DEADLINE_TOLERANCE_MS,
  type Deadline,
  findDeadline,
  type PushRules,
  type PushState,
  restartDeadlines,
} from "../domain/push-deadline.ts";
import { evaluatePush, evaluateStoredPush } from "../domain/push-evaluation.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { nextTime } from "../platform/cron.ts";
import { monitorType } from "../probes/registry.ts";
import { packTally } from "./latency-tiers.ts";
import { PushRing, RING_SIZE } from "./push-ring.ts";
import { isRepeated, type RepeatedHeartbeats, repeatAt, startRepeating } from "./repeated-heartbeats.ts";
import {
  changesMore,
  configureStored,
  isDownAsBefore,
  type LoadedMonitor,
  type StoredMonitor,
  withMemory,
} from "./stored-monitor.ts";
import { confirmOutbox, spillOutbox } from "./transition-outbox.ts";

const KEY = "monitor";
const RESEND_MS = 10_000;
const RESEND_MAX_MS = 5 * 60_000;

/**
 * What a monitor's object knows and keeps, without any waiting: what a method changes is stored when it returns, or
 * not at all.
 *
 * A push is one row in the ring, and the state's row is written only if the push changed more than its own memory, which
 * lies in the ring's row, too.
 */
export class MonitorStore {
  readonly #storage: DurableObjectStorage;
  readonly #ring: PushRing;
  /** The stored row and what the ring adds to it. */
  #known: StoredMonitor | undefined;
  /** Each push asks for it before and after what it changes. */
  #deadline: { of: StoredMonitor; next: Deadline | null } | undefined;
  /** Repeated heartbeats since `#known`: the ring has stored them, and reading `stored` adds them. */
  #repeated: RepeatedHeartbeats | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#ring = new PushRing(storage.sql);
  }

  get stored(): StoredMonitor | undefined {
    this.#known ??= this.#recall();
    if (this.#known && this.#repeated?.of === this.#known) {
      this.#known = withMemory(this.#known, this.#repeated.memory);
    }
    return this.#known;
  }

  /** The next time at which nobody having reported changes anything. */
  get deadline(): Deadline | null {
    const { stored } = this;
    if (!stored?.push) return null;
    if (this.#deadline?.of !== stored) {
      const { memory, rules } = stored.push;
      this.#deadline = { of: stored, next: findDeadline(memory, rules, stored.state, nextTime) };
    }
    return this.#deadline.next;
  }

  /**
   * When nobody having reported changes the status. The misses before it only count, which is the same whenever they are
   * processed, so no alarm has to fire for them.
   */
  get decisiveAt(): number | null {
    const { stored } = this;
    if (!stored?.push) return null;
    const { rules } = stored.push;
    let { state } = stored;
    let { memory } = stored.push;
    for (let misses = 0; misses <= stored.rules.failure_threshold; misses++) {
      const next = findDeadline(memory, rules, state, nextTime);
      if (next === null) return null;
      const { due_at, level, message, at } = next;
      const decision = decide(state, { kind: "missed_deadline", due_at, level, message }, stored.rules, at);
      if (decision.transition) return at;
      state = decision.state;
      memory = next.after;
    }
    return this.deadline?.at ?? null;
  }

  /** When the present round is decided without the locations that are missing; null while none has to be. */
  get roundDeadline(): number | null {
    const { stored } = this;
    return stored?.rules.agents ? findRoundDeadline(stored.state, stored.rules) : null;
  }

  /** When the outage begins that an agent is asked about, if that does not answer; null while none is. */
  get answerDeadline(): number | null {
    const { stored } = this;
    return stored ? findAnswerDeadline(stored.state, stored.rules) : null;
  }

  /** The agents whose own vote the present round lacks. */
  get missingAgents(): string[] {
    const { rules, state } = this.stored ?? {};
    const results = state?.round?.results ?? {};
    const missing = (rules?.agents?.locations ?? []).filter((name) => !results[name] || results[name].is_carried);
    return agentsAmong(missing);
  }

  /** Of agents that check without the edge none has ever reported. The sweep of agents looks for what has ended, not for this. */
  endWaiting(at: number): void {
    const { rules, state } = this.stored ?? {};
    if (!rules?.agents || rules.regions.length > 0 || state?.status !== "pending" || state.judged_at !== null) return;
    if (at - state.began_at <= rules.stale_after_ms) return;
    this.applyInputs([{ kind: "stale", last_result_at: null, reason: "no result from its agents yet" }], at);
  }

  /** Decides the present round, with what those found after all that it did not hear of. */
  endRound(known: readonly KnownVote[], at: number): Pick<Decision, "retry_at" | "completed"> {
    const round = this.stored?.state.round;
    if (!round) return { retry_at: null };
    const { slot_at, attempt } = round;
    const late = known.filter(({ vote }) => vote.slot_at === slot_at);
    const inputs = late.map(({ vote }) => ({ kind: "vote" as const, ...vote }));
    const gone = findGone(this.missingAgents.map(agentLocation), known, slot_at);
    return this.applyInputs([...inputs, { kind: "round_over", slot_at, attempt, gone }], at);
  }

  /** The same while heartbeats only repeat, without adding them to what is stored; undefined where something else is due. */
  get repeatedDecisiveAt(): number | undefined {
    const repeated = this.#repeated;
    if (!repeated || repeated.of !== this.#known || repeated.of.outbox.length > 0) return undefined;
    return repeated.memory.result.checked_at + repeated.decisive_ms;
  }

  get readAt(): number {
    return this.#known?.read_at ?? 0;
  }

  /** After everything stored was deleted. */
  reset(): void {
    this.#known = undefined;
  }

  applyConfig(loaded: LoadedMonitor, at: number): void {
    const { type, paused } = loaded.monitor;
    const recall = () => {
      this.#ring.open();
      return this.#ring.recall();
    };
    this.#change(() => {
      this.#known = configureStored(loaded, this.stored, { recall, at });
      const isComputed = monitorType(type).follows !== undefined;
      const isMoved = !isComputed && this.#decide({ kind: paused ? "pause" : "resume" }, at).accepted;
      if (isMoved) this.#remember((memory) => restartDeadlines(memory, at));
      this.#save();
    });
  }

  /** The monitor's row is as it is known. */
  noteRead(at: number): void {
    if (this.stored) this.#store({ ...this.stored, read_at: at });
  }

  /**
   * Decides one input after the other; gives when the check should be repeated, and the outage that an input completed. A
   * further failure of a
   * monitor that is down is remembered without a write: without it the next one decides the same.
   */
  applyInputs(inputs: readonly MonitorInput[], at: number): Pick<Decision, "retry_at" | "completed" | "asks"> {
    let retryAt: number | null = null;
    let completed: Decision["completed"];
    let asks: Decision["asks"];
    this.#change(() => {
      const before = this.stored;
      const decisions = inputs.map((input) => this.#decide(input, at));
      for (const decision of decisions) {
        retryAt = decision.retry_at ?? retryAt;
        completed = decision.completed ?? completed;
        asks = decision.asks ?? asks;
      }
      const isRepeated = retryAt === null && inputs.every(isFailure) && isDownAsBefore(before, this.#known);
      if (decisions.some(({ accepted }) => accepted) && !isRepeated) this.#save();
    });
    return { retry_at: retryAt, completed, asks };
  }

  /** Stores a repeated heartbeat and returns its times in text; undefined if the push has to be decided. */
  repeatHeartbeat(push: Push, at: number): string | undefined {
    const repeated = this.#repeated;
    if (!repeated || repeated.of !== this.#known || !isRepeated(repeated, push, at)) return undefined;
    const { memory, entry, interval_ms } = repeated;
    const { count, tallied } = memory;
    if (this.#ring.isTallyDue(count, tallied, at) || this.#delayMs(count, push.per_minute, at) > 0) return undefined;
    try {
      repeatAt(repeated, at);
      this.#ring.write(count, entry, memory);
    } catch (error) {
      this.reset();
      throw error;
    }
    return packRepeated(at, at + interval_ms);
  }

  /**
   * A push that changes nothing but its own memory is one row, which needs no transaction around it. One that would improve
   * the status more often than it may is not taken: gives how long until it is.
   */
  applyPush(push: Push, at: number): number {
    const before = this.stored;
    if (!before?.push) return 0;
    const { memory, rules } = before.push;
    const isTallyDue = this.#ring.isTallyDue(memory.count, memory.tallied, at);
    try {
      const entry = this.#decidePush(push, at);
      const refused_ms = this.#countRecoveries(before, push.recoveries ?? null, at);
      if (refused_ms > 0) {
        this.#known = before;
        return refused_ms;
      }
      const isMore = this.#known !== undefined && changesMore(before, this.#known);
      const write = () => {
        if (isTallyDue) {
          const tallied = this.#ring.tally(memory.count, memory.tallied, at, (stored) => latenciesOf(stored, rules));
          this.#remember((known) => ({ ...known, tallied }));
        }
        if (isMore) this.#save();
        if (entry && this.#known?.push) this.#ring.write(memory.count, entry, this.#known.push.memory);
      };
      if (isTallyDue || isMore) this.#storage.transactionSync(write);
      else write();
      if (entry && this.stored) this.#repeated = this.#startRepeating(this.stored, entry);
      return 0;
    } catch (error) {
      this.reset();
      throw error;
    }
  }

  /** How long until what was decided since `before` may happen; 0 where it may now, which is counted. */
  #countRecoveries(before: StoredMonitor, allowed: Allowance | null, at: number): number {
    const { stored } = this;
    if (allowed === null || !stored || stored.state.seq === before.state.seq) return 0;
    const decided = stored.outbox.filter(({ seq }) => seq > before.state.seq);
    const added = decided.filter(isImprovement).length;
    const { since, count } = present(before.recoveries, allowed.window_ms, at);
    // What one push brings along of its past is taken whole.
    if (added > 0 && count > 0 && count + added > allowed.limit) return since + allowed.window_ms - at;
    if (added > 0) this.#known = { ...stored, recoveries: { since, count: count + added } };
    return 0;
  }

  /** Evaluates what is overdue; what we noticed too late is our own fault and starts afresh. */
  processDeadlines(at: number): void {
    if (!this.deadline || this.deadline.at >= at) return;
    const decisiveAt = this.decisiveAt ?? Infinity;
    for (let { deadline } = this; deadline && deadline.at < at; { deadline } = this) {
      const { after, due_at, level, message, at: valid_until } = deadline;
      this.#change(() => {
        if (at - Math.max(valid_until, decisiveAt) > DEADLINE_TOLERANCE_MS) {
          const last_result_at = this.stored?.state.judged_at ?? null;
          this.#remember((memory) => restartDeadlines(memory, at));
          this.#decide({ kind: "stale", last_result_at, valid_until, reason: "monitoring was interrupted" }, at);
        } else {
          this.#remember(() => after);
          this.#decide({ kind: "missed_deadline", due_at, level, message }, at);
        }
        this.#save();
      });
    }
  }

  /** Returns whether a transition was waiting for this confirmation. */
  confirm(seq: number, at: number): boolean {
    const { stored } = this;
    if (!stored?.outbox.some((transition) => transition.seq <= seq)) return false;
    this.#change(() => {
      this.#store({ ...confirmOutbox(this.#storage.sql, stored, seq), resends: 0, resend_at: at + RESEND_MS });
    });
    return true;
  }

  /** When the oldest transition is sent again; null while none is waiting. */
  get resendAt(): number | null {
    const [oldest] = this.stored?.outbox ?? [];
    return oldest ? Math.max(this.stored?.resend_at ?? 0, oldest.at + RESEND_MS) : null;
  }

  /** Doubles the time until the next resend: a consumer that stands still does not get more messages for it. */
  delayResend(at: number): void {
    const { stored } = this;
    if (!stored) return;
    const resends = (stored.resends ?? 0) + 1;
    this.#store({ ...stored, resends, resend_at: at + Math.min(RESEND_MS * 2 ** resends, RESEND_MAX_MS) });
  }

  /** How long until the push that is a minute's limit back is a minute ago. */
  rateLimitDelayMs(perMinute: number | null, at: number): number {
    return this.#delayMs(this.stored?.push?.memory.count ?? 0, perMinute, at);
  }

  #delayMs(count: number, perMinute: number | null, at: number): number {
    if (perMinute === null) return 0;
    const receivedAt = this.#ring.receivedAt(count - Math.min(perMinute, RING_SIZE));
    return receivedAt === undefined ? 0 : Math.max(0, receivedAt + MINUTE_MS - at);
  }

  history({ limit, range }: PushQuery): Pick<PushLog, "entries" | "steps"> {
    const memory = this.stored?.push?.memory;
    if (!memory) return { entries: [], steps: [] };
    const steps = range ? this.#ring.steps(range, memory.tallied) : [];
    return { entries: this.#ring.list(memory.count, limit), steps };
  }

  results({ from, to, limit }: { from: number; to: number; limit: number }): PushedResult[] {
    const push = this.stored?.push;
    const found: PushedResult[] = [];
    if (!push) return found;
    for (const entry of this.#ring.newest(push.memory.count)) {
      if (found.length >= limit || entry.received_at < from) break;
      found.push(
        ...evaluateStoredPush(entry, push.rules).filter((each) => each.checked_at >= from && each.checked_at < to),
      );
    }
    return found.slice(0, limit);
  }

  latency(from: number): LatencyStep[] {
    const push = this.stored?.push;
    if (!push) return [];
    const steps = this.#ring.latency(from, push.memory.tallied, (stored) => latenciesOf(stored, push.rules));
    return steps.map(({ at, tally }) => ({ at, tally: packTally(tally) }));
  }

  /** The ring's newest row is newer than the state's row, unless something was written without a push. */
  #recall(): StoredMonitor | undefined {
    const stored = this.#storage.kv.get<StoredMonitor>(KEY);
    if (!stored?.push) return stored;
    this.#ring.open();
    const memory = this.#ring.recall();
    return memory ? withMemory(stored, memory) : stored;
  }

  #change(run: () => void): void {
    try {
      this.#storage.transactionSync(run);
    } catch (error) {
      this.reset();
      throw error;
    }
  }

  /** Decides what a push says without storing it yet; gives what is to be stored of it. */
  #decidePush(push: Push, at: number): StoredPush | undefined {
    const known = this.stored?.push;
    if (!known) return undefined;
    const { memory, rules } = known;
    const { results, runs, entry } = evaluatePush(push, memory, rules, at);
    let after = { ...memory, count: memory.count + 1, runs };
    for (const result of results) {
      if (!this.#decide({ kind: "result", ...result }, at).accepted) continue;
      const { checked_at: since } = result;
      after = { ...after, result, since, judged_to: since };
    }
    this.#remember(() => after);
    return entry;
  }

  /** Decides without storing yet. */
  #decide(input: MonitorInput, at: number): Decision {
    const { stored } = this;
    if (!stored) throw new Error("input for an object without a monitor");
    const decision = decide(stored.state, input, stored.rules, at);
    const { accepted, state, settled, transition } = decision;
    if (accepted) {
      const message = transition?.message ?? stored.message;
      const outbox = transition ? [...stored.outbox, transition] : stored.outbox;
      this.#known = { ...stored, state, settled, message, outbox };
    }
    return decision;
  }

  #remember(change: (memory: PushState) => PushState): void {
    const { stored } = this;
    if (stored?.push) this.#known = { ...stored, push: { ...stored.push, memory: change(stored.push.memory) } };
  }

  #startRepeating(stored: StoredMonitor, entry: StoredPush): RepeatedHeartbeats | undefined {
    const started = startRepeating(stored, entry, this.deadline);
    const { decisiveAt } = started ? this : { decisiveAt: null };
    return started && decisiveAt !== null ? { ...started, decisive_ms: decisiveAt - entry.received_at } : undefined;
  }

  #save(): void {
    const { stored } = this;
    if (stored) this.#store({ ...stored, revision: stored.revision + 1 });
  }

  #store(changed: StoredMonitor): void {
    const stored = spillOutbox(this.#storage.sql, changed);
    this.#known = stored;
    this.#storage.kv.put(KEY, stored);
  }
}

/** The first result of a monitor is none. */
function isImprovement({ from, to }: Transition): boolean {
  return to === "up" && (from === "down" || from === "degraded" || from === "unknown");
}

/** A window begins with the first recovery after the one before it. */
function present(counted: StoredMonitor["recoveries"], window_ms: number, at: number) {
  return counted && at - counted.since < window_ms ? counted : { since: at, count: 0 };
}

function isFailure(input: MonitorInput): boolean {
  return (input.kind === "result" || input.kind === "vote") && input.outcome === "failure";
}

/** What the successes of a push took. */
function latenciesOf(stored: StoredPush, rules: PushRules): { at: number; latency_ms: number }[] {
  return evaluateStoredPush(stored, rules).flatMap(({ checked_at: at, outcome, latency_ms }) =>
    latency_ms !== null && (outcome === "success" || outcome === "slow") ? [{ at, latency_ms }] : [],
  );
}
