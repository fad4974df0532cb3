import { DurableObject } from "cloudflare:workers";
import type { MonitorAnswer, MonitorRpc, ReportedResult, Silence } from "../contract/monitor-object.ts";
import { openDb } from "../data/db.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors.ts";
import {
  decide,
  initialState,
  type MonitorInput,
  type MonitorRules,
  type MonitorState,
  type Transition,
} from "../domain/monitor-state.ts";
import { retryIntervalMs, staleAfterMs } from "../domain/schedule.ts";
import { now } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { createLogger, type Logger } from "../platform/logger.ts";
import { settingsOf } from "../platform/settings.ts";

/** The whole storage of an object: one row, so that state and outbox change together. */
interface Stored {
  storage_version: 1;
  monitor_id: string;
  config_version: number;
  rules: MonitorRules;
  state: MonitorState;
  settled: boolean;
  /** What led to the present status. */
  message: string | null;
  /** Grows with every change of anything in this row that D1 copies. */
  revision: number;
  /** Transitions that the event consumer has not confirmed, oldest first. */
  outbox: Transition[];
}

const KEY = "monitor";
const RESEND_MS = 10_000;

/**
 * The one writer of a monitor's status. Every input is decided purely, then state and outgoing transitions are stored
 * in one write before anything else happens; the queue message that follows may be lost, because the alarm repeats it
 * until the consumer confirms.
 */
export class MonitorObject extends DurableObject<Env> implements MonitorRpc {
  readonly #log: Logger;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#log = createLogger(settingsOf(env), { object: "monitor" });
  }

  async sync(monitorId: string, version: number): Promise<MonitorAnswer | null> {
    const stored = await this.#load(monitorId, version);
    await this.#handOver();
    return stored ? toAnswer(stored, null) : null;
  }

  async report(monitorId: string, version: number, results: ReportedResult[]): Promise<MonitorAnswer | null> {
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    let retryAt: number | null = null;
    if (loaded.config_version === version) {
      for (const result of results) retryAt = this.#apply({ kind: "result", ...result }) ?? retryAt;
    }
    await this.#handOver();
    return this.#answer(retryAt);
  }

  async markStale(monitorId: string, version: number, silence: Silence): Promise<MonitorAnswer | null> {
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    if (loaded.config_version === version) this.#apply({ kind: "stale", ...silence });
    await this.#handOver();
    return this.#answer(null);
  }

  async confirm(seq: number): Promise<void> {
    const stored = this.#stored();
    if (!stored?.outbox.some((transition) => transition.seq <= seq)) return;
    this.#store({ ...stored, outbox: stored.outbox.filter((transition) => transition.seq > seq) });
  }

  override async alarm(): Promise<void> {
    await this.#handOver();
  }

  #stored(): Stored | undefined {
    return this.ctx.storage.kv.get<Stored>(KEY);
  }

  #store(stored: Stored): void {
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
      return undefined;
    }
    // Another call may have learned a newer configuration while this one waited for D1.
    const present = this.#stored();
    if (!present || present.config_version < record.config_version) this.#learn(record, present);
    return this.#stored();
  }

  #learn(record: MonitorRecord, present: Stored | undefined): void {
    this.#store({
      storage_version: 1,
      monitor_id: record.id,
      config_version: record.config_version,
      rules: rulesOf(record),
      state: present?.state ?? initialState(record.created_at),
      settled: present?.settled ?? false,
      message: present?.message ?? null,
      revision: (present?.revision ?? 0) + 1,
      outbox: present?.outbox ?? [],
    });
    this.#apply({ kind: record.paused ? "pause" : "resume" });
  }

  /** Decides and stores; gives the instant at which the check should be repeated. */
  #apply(input: MonitorInput): number | null {
    const stored = this.#stored();
    if (!stored) throw new Error("input for an object without a monitor");
    const decision = decide(stored.state, input, stored.rules, now());
    if (decision.accepted) {
      const { transition } = decision;
      this.#store({
        ...stored,
        state: decision.state,
        settled: decision.settled,
        message: transition?.message ?? stored.message,
        revision: stored.revision + 1,
        outbox: transition ? [...stored.outbox, transition] : stored.outbox,
      });
    }
    return decision.retry_at;
  }

  /** Sends what is not confirmed and comes back later to see whether it was; one message carries all of it in order. */
  async #handOver(): Promise<void> {
    const stored = this.#stored();
    if (!stored || stored.outbox.length === 0) return;
    try {
      await this.ctx.storage.setAlarm(now() + RESEND_MS);
      await this.env.EVENTS.send({ monitor_id: stored.monitor_id, transitions: stored.outbox });
    } catch (error) {
      this.#log.error("outbox", error, { monitor_id: stored.monitor_id });
    }
  }
}

function rulesOf(record: MonitorRecord): MonitorRules {
  return {
    failure_threshold: record.failure_threshold,
    recovery_threshold: record.recovery_threshold,
    // An agent is one place, wherever else the monitor was checked before.
    regions: record.agent_id === null ? record.regions : [],
    region_policy: record.region_policy,
    schedule: {
      interval_ms: record.interval * 1000,
      retry_interval_ms: retryIntervalMs(record.interval, record.retry_interval),
    },
    stale_after_ms: staleAfterMs(record.interval),
  };
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
