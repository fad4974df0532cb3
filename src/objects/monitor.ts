import { DurableObject } from "cloudflare:workers";
import type {
  MonitorAnswer,
  MonitorRpc,
  Push,
  PushAnswer,
  PushHistory,
  PushQuery,
  ReportedResult,
  Silence,
} from "../contract/monitor-object.ts";
import { openDb } from "../data/db.ts";
import { findMonitor, listMemberStates, type MonitorRecord } from "../data/monitors.ts";
import { computeRollUp } from "../domain/composite.ts";
import {
  type Decision,
  decide,
  initialState,
  type MonitorInput,
  type MonitorRules,
  type MonitorState,
  type Transition,
} from "../domain/monitor-state.ts";
import {
  findDeadline,
  findDue,
  NEW_MEMORY,
  NOTICED_LATE_MS,
  type PushMemory,
  type PushRules,
  startAfresh,
} from "../domain/push-deadline.ts";
import { readPush } from "../domain/push-reading.ts";
import { now } from "../platform/clock.ts";
import { nextTime } from "../platform/cron.ts";
import type { Env } from "../platform/env.ts";
import { createLogger, type Logger } from "../platform/logger.ts";
import { settingsOf } from "../platform/settings.ts";
import { probeEntry } from "../probes/registry.ts";
import { pushRulesOf, rulesOf } from "./monitor-rules.ts";
import { PushRing, RING_SIZE } from "./push-ring.ts";

/** The state of an object: one row, so that state and outbox change together. */
interface Stored {
  storage_version: 1;
  monitor_id: string;
  config_version: number;
  rules: MonitorRules;
  /** Of monitors that others report to. */
  push: { rules: PushRules; credential_version: number; memory: PushMemory } | null;
  /** Of composites, whose pause and status follow from more than their own row. */
  composite: { paused: boolean } | null;
  state: MonitorState;
  settled: boolean;
  /** What led to the present status. */
  message: string | null;
  /** Grows whenever this row is written. */
  revision: number;
  /** Transitions that the event consumer has not confirmed, oldest first. */
  outbox: Transition[];
}

const KEY = "monitor";
const RESEND_MS = 10_000;
const MINUTE_MS = 60_000;

/**
 * The one writer of a monitor's status. Every input is decided purely, then state and outgoing transitions are stored
 * in one write before anything else happens; the queue message that follows may be lost, because the alarm repeats it
 * until the consumer confirms.
 *
 * A push is one row in the ring, and the state's row is written only if the push changed more than its own memory, which
 * lies in the ring's row, too. The alarm is set for the next deadline and left alone while it is early enough: when it
 * fires, it looks for the true one.
 */
export class MonitorObject extends DurableObject<Env> implements MonitorRpc {
  readonly #log: Logger;
  readonly #ring: PushRing;
  /** The stored row and what the ring adds to it. */
  #known: Stored | undefined;
  /** When the alarm fires, null for never; undefined = not asked yet. */
  #alarmAt: number | null | undefined;
  /** Readings of a composite's members, and the newest that was used. */
  #readings = { begun: 0, used: 0 };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#log = createLogger(settingsOf(env), { object: "monitor" });
    this.#ring = new PushRing(ctx.storage.sql);
  }

  async sync(monitorId: string, version: number): Promise<MonitorAnswer | null> {
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    if (loaded.composite) await this.#rollUp(monitorId, loaded.composite);
    this.#judgeDeadlines(now());
    this.#alarmAt = undefined;
    await this.#handOver();
    return this.#answer(null);
  }

  async report(monitorId: string, version: number, results: ReportedResult[]): Promise<MonitorAnswer | null> {
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    let retryAt: number | null = null;
    if (loaded.config_version === version) {
      this.#change(() => {
        for (const result of results) retryAt = this.#take({ kind: "result", ...result }).retry_at ?? retryAt;
      });
    }
    await this.#handOver();
    return this.#answer(retryAt);
  }

  async markStale(monitorId: string, version: number, silence: Silence): Promise<MonitorAnswer | null> {
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    if (loaded.config_version === version) this.#change(() => void this.#take({ kind: "stale", ...silence }));
    await this.#handOver();
    return this.#answer(null);
  }

  async push(monitorId: string, push: Push): Promise<PushAnswer> {
    let loaded = await this.#load(monitorId, 0);
    // Only we mint, so a newer credential than the known one means that the rotation was not heard of yet.
    if (loaded?.push && loaded.push.credential_version < push.credential_version) {
      loaded = await this.#load(monitorId, loaded.config_version + 1);
    }
    if (loaded?.push?.rules.kind !== push.kind || loaded.push.credential_version !== push.credential_version) {
      return { outcome: "unauthorized" };
    }
    const received_at = now();
    const retry_after_ms = this.#msUntilRoom(loaded.push.memory.count, push.per_minute, received_at);
    if (retry_after_ms > 0) return { outcome: "rate_limited", retry_after_ms };
    const { revision } = loaded;
    this.#judgeDeadlines(received_at);
    this.#change(() => this.#takePush(push, received_at));
    await this.#handOver();
    return this.#pushAnswer(received_at, revision);
  }

  async pushes(monitorId: string, { limit, range }: PushQuery): Promise<PushHistory> {
    const loaded = await this.#load(monitorId, 0);
    if (!loaded?.push) return { entries: [], steps: [] };
    const { count, tallied } = loaded.push.memory;
    return { entries: this.#ring.list(count, limit), steps: range ? this.#ring.steps(range, tallied) : [] };
  }

  async confirm(seq: number): Promise<void> {
    const stored = this.#stored();
    if (!stored?.outbox.some((transition) => transition.seq <= seq)) return;
    this.#store({ ...stored, outbox: stored.outbox.filter((transition) => transition.seq > seq) });
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = null;
    try {
      this.#judgeDeadlines(now());
    } catch (error) {
      this.#log.error("deadline", error, { monitor_id: this.#known?.monitor_id });
      await this.#wakeBefore(now() + RESEND_MS);
    }
    await this.#handOver();
  }

  #stored(): Stored | undefined {
    this.#known ??= this.#recall();
    return this.#known;
  }

  /** The ring's newest row is newer than the state's row, unless something was written without a push. */
  #recall(): Stored | undefined {
    const stored = this.ctx.storage.kv.get<Stored>(KEY);
    if (!stored?.push) return stored;
    this.#ring.open();
    const memory = this.#ring.recall();
    if (!memory || memory.count <= stored.push.memory.count) return stored;
    const { result } = memory;
    const input = result && decide(stored.state, { kind: "result", ...result }, stored.rules, result.checked_at);
    return { ...stored, state: input?.state ?? stored.state, push: { ...stored.push, memory } };
  }

  #store(stored: Stored): void {
    this.#known = stored;
    this.ctx.storage.kv.put(KEY, stored);
  }

  #answer(retryAt: number | null): MonitorAnswer | null {
    const stored = this.#stored();
    return stored ? toAnswer(stored, retryAt) : null;
  }

  /** The state under a configuration at least this new. What D1 no longer has leaves nothing behind here. */
  async #load(monitorId: string, version: number): Promise<Stored | undefined> {
    const known = this.#stored();
    if (known && known.config_version >= version) return known;
    const record = await findMonitor(openDb(this.env.DB), monitorId);
    if (!record) {
      await this.ctx.storage.deleteAll();
      this.#known = undefined;
      return undefined;
    }
    // Another call may have learned a newer configuration while this one waited for D1.
    const present = this.#stored();
    if (!present || present.config_version < record.config_version) this.#learn(record, present);
    return this.#stored();
  }

  #learn(record: MonitorRecord, present: Stored | undefined): void {
    const rules = pushRulesOf(record);
    const isComposite = probeEntry(record.type).follows === "members";
    if (rules) this.#ring.open();
    this.#known = {
      storage_version: 1,
      monitor_id: record.id,
      config_version: record.config_version,
      rules: rulesOf(record, rules),
      push: rules && {
        rules,
        credential_version: record.credential_version,
        memory: this.#memoryUnder(rules, present),
      },
      composite: isComposite ? { paused: record.paused } : null,
      state: present?.state ?? initialState(record.created_at),
      settled: present?.settled ?? false,
      message: present?.message ?? null,
      revision: present?.revision ?? 0,
      outbox: present?.outbox ?? [],
    };
    this.#change(() => {
      const isMoved = !isComposite && this.#decide({ kind: record.paused ? "pause" : "resume" }).accepted;
      if (isMoved) this.#remember((memory) => startAfresh(memory, now()));
      this.#save();
    });
  }

  /** Other deadlines than before begin to count when they become known. */
  #memoryUnder(rules: PushRules, present: Stored | undefined): PushMemory {
    const memory = present?.push?.memory ?? this.#ring.recall() ?? NEW_MEMORY;
    const isSame = JSON.stringify(present?.push?.rules) === JSON.stringify(rules);
    return isSame ? memory : startAfresh(memory, now());
  }

  /** All that happens inside is stored together or not at all. */
  #change(run: () => void): void {
    try {
      this.ctx.storage.transactionSync(run);
    } catch (error) {
      this.#known = undefined;
      throw error;
    }
  }

  /** Decides and stores what was accepted. */
  #take(input: MonitorInput, at = now()): Decision {
    const decision = this.#decide(input, at);
    if (decision.accepted) this.#save();
    return decision;
  }

  /** Decides without storing yet. */
  #decide(input: MonitorInput, at = now()): Decision {
    const stored = this.#stored();
    if (!stored) throw new Error("input for an object without a monitor");
    const decision = decide(stored.state, input, stored.rules, at);
    const { accepted, state, settled, transition } = decision;
    if (accepted) {
      const message = transition?.message ?? stored.message;
      this.#known = {
        ...stored,
        state,
        settled,
        message,
        outbox: transition ? [...stored.outbox, transition] : stored.outbox,
      };
    }
    return decision;
  }

  #save(): void {
    const stored = this.#stored();
    if (stored) this.#store({ ...stored, revision: stored.revision + 1 });
  }

  #remember(change: (memory: PushMemory) => PushMemory): void {
    const stored = this.#stored();
    if (stored?.push) this.#known = { ...stored, push: { ...stored.push, memory: change(stored.push.memory) } };
  }

  #takePush(push: Push, at: number): void {
    const before = this.#stored();
    if (!before?.push) return;
    const { memory, rules } = before.push;
    const { results, runs, entry } = readPush(push, memory, rules, at);
    const tallied = this.#ring.tally(memory.count, memory.tallied, at);
    this.#remember(() => ({ ...memory, count: memory.count + 1, runs, tallied }));
    for (const result of results) {
      if (!this.#decide({ kind: "result", ...result }, at).accepted) continue;
      const { checked_at: since } = result;
      this.#remember((known) => ({ ...known, result, since, judged_to: since }));
    }
    if (this.#known && changesMore(before, this.#known)) this.#save();
    if (this.#known?.push) this.#ring.write(memory.count, entry, this.#known.push.memory);
  }

  /** Judges what is overdue; what we noticed too late is our own fault and starts afresh. */
  #judgeDeadlines(at: number): void {
    for (let deadline = this.#deadline(); deadline && deadline.at < at; deadline = this.#deadline()) {
      const { after, due_at, level, message, at: valid_until } = deadline;
      this.#change(() => {
        if (at - valid_until > NOTICED_LATE_MS) {
          const last_result_at = this.#stored()?.state.judged_at ?? null;
          this.#remember((memory) => startAfresh(memory, at));
          this.#decide({ kind: "stale", last_result_at, valid_until, reason: "nobody watched for a while" }, at);
        } else {
          this.#remember(() => after);
          this.#decide({ kind: "silence", due_at, level, message }, at);
        }
        this.#save();
      });
    }
  }

  #deadline() {
    const stored = this.#stored();
    return stored?.push ? findDeadline(stored.push.memory, stored.push.rules, stored.state, nextTime) : null;
  }

  /** How long until the push that is a minute's limit back is a minute ago. */
  #msUntilRoom(count: number, perMinute: number | null, at: number): number {
    if (perMinute === null) return 0;
    const receivedAt = this.#ring.receivedAt(count - Math.min(perMinute, RING_SIZE));
    return receivedAt === undefined ? 0 : Math.max(0, receivedAt + MINUTE_MS - at);
  }

  #pushAnswer(received_at: number, revisionBefore: number): PushAnswer {
    const stored = this.#stored();
    if (!stored?.push) return { outcome: "unauthorized" };
    const { memory, rules } = stored.push;
    const { status } = stored.state;
    const isExpected = rules.kind === "heartbeat" && status !== "paused";
    const next_expected_at = isExpected ? findDue(memory, rules, nextTime) : null;
    const news = stored.revision === revisionBefore ? null : toAnswer(stored, null);
    return { outcome: "taken", received_at, status, next_expected_at, news };
  }

  /** Of two readings at a time the one that began later saw more. */
  async #rollUp(monitorId: string, { paused }: { paused: boolean }): Promise<void> {
    this.#readings.begun += 1;
    const reading = this.#readings.begun;
    const members = await listMemberStates(openDb(this.env.DB), monitorId);
    const stored = this.#stored();
    if (!stored || reading < this.#readings.used) return;
    this.#readings.used = reading;
    const at = now();
    const rolledUp = paused
      ? { status: "paused" as const, since: at, message: "paused" }
      : computeRollUp(members, stored.state.status);
    this.#change(() => void this.#take({ kind: "computed", ...rolledUp }, at));
  }

  /** Sends what is not confirmed, and comes back to see whether it was, and for the next deadline. */
  async #handOver(): Promise<void> {
    const stored = this.#stored();
    if (!stored) return;
    try {
      const deadline = this.#deadline();
      if (deadline) await this.#wakeBefore(deadline.at + 1);
      if (stored.outbox.length === 0) return;
      await this.#wakeBefore(now() + RESEND_MS);
      await this.env.EVENTS.send({ monitor_id: stored.monitor_id, transitions: stored.outbox });
    } catch (error) {
      this.#log.error("outbox", error, { monitor_id: stored.monitor_id });
    }
  }

  async #wakeBefore(at: number): Promise<void> {
    if (this.#alarmAt === undefined) this.#alarmAt = await this.ctx.storage.getAlarm();
    if (this.#alarmAt !== null && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    await this.ctx.storage.setAlarm(at);
  }
}

/** Whether a push changed anything that its own row does not hold. */
function changesMore(before: Stored, after: Stored): boolean {
  const { state } = after;
  return state.seq !== before.state.seq || state.run !== before.state.run || after.settled !== before.settled;
}

function toAnswer(stored: Stored, retryAt: number | null): MonitorAnswer {
  const { state } = stored;
  return {
    revision: stored.revision,
    seq: state.seq,
    status: state.status,
    status_since: state.status_since,
    message: stored.message,
    settled: stored.settled,
    retry:
      retryAt !== null && state.round
        ? { at: retryAt, slot_at: state.round.slot_at, attempt: state.round.attempt + 1 }
        : null,
    config_version: stored.config_version,
  };
}
