import { DurableObject } from "cloudflare:workers";
import type {
  MonitorAnswer,
  MonitorRpc,
  Push,
  PushAnswer,
  PushHistory,
  PushQuery,
  PushResult,
  ReportedResult,
  Silence,
} from "../contract/monitor-object.ts";
import { openDb } from "../data/db.ts";
import { findMonitor, listMemberStates } from "../data/monitors/read.ts";
import { computeRollUp } from "../domain/composite.ts";
import { findDue } from "../domain/push-deadline.ts";
import { now } from "../platform/clock.ts";
import { nextTime } from "../platform/cron.ts";
import type { Env } from "../platform/env.ts";
import { createLogger, type Logger } from "../platform/logger.ts";
import { settingsOf } from "../platform/settings.ts";
import { MonitorCell, type Stored } from "./monitor-store.ts";

const RESEND_MS = 10_000;

/**
 * The one writer of a monitor's status. Every input is decided purely, then state and outgoing transitions are stored
 * in one write before anything else happens; the queue message that follows may be lost, because the alarm repeats it
 * until the consumer confirms.
 *
 * The alarm is set for the next deadline of what others report, too, and left alone while it is early enough: when it
 * fires, it looks for the true one.
 */
export class MonitorObject extends DurableObject<Env> implements MonitorRpc {
  readonly #log: Logger;
  readonly #cell: MonitorCell;
  /** When the alarm fires, null for never; undefined = not asked yet. */
  #alarmAt: number | null | undefined;
  /** The monitor was deleted. Its id never comes back, whatever a call read before it went. */
  #isGone = false;
  /** Readings of a composite's members, and the newest that was used. */
  #readings = { begun: 0, used: 0 };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#log = createLogger(settingsOf(env), { object: "monitor" });
    this.#cell = new MonitorCell(ctx.storage);
  }

  async sync(monitorId: string, version: number): Promise<MonitorAnswer | null> {
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    if (loaded.composite) await this.#rollUp(monitorId, loaded.composite);
    this.#cell.judgeDeadlines(now());
    this.#alarmAt = undefined;
    await this.#handOver();
    return this.#answer(null);
  }

  async report(monitorId: string, version: number, results: ReportedResult[]): Promise<MonitorAnswer | null> {
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    const isCurrent = loaded.config_version === version;
    const inputs = results.map((result) => ({ kind: "result" as const, ...result }));
    const retryAt = isCurrent ? this.#cell.take(inputs, now()) : null;
    await this.#handOver();
    return this.#answer(retryAt);
  }

  async markStale(monitorId: string, version: number, silence: Silence): Promise<MonitorAnswer | null> {
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    if (loaded.config_version === version) this.#cell.take([{ kind: "stale", ...silence }], now());
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
    const retry_after_ms = this.#cell.msUntilRoom(push.per_minute, received_at);
    if (retry_after_ms > 0) return { outcome: "rate_limited", retry_after_ms };
    this.#cell.judgeDeadlines(received_at);
    this.#cell.takePush(push, received_at);
    await this.#handOver();
    return this.#pushAnswer(received_at, loaded.revision);
  }

  async pushes(monitorId: string, query: PushQuery): Promise<PushHistory> {
    await this.#load(monitorId, 0);
    return this.#cell.history(query);
  }

  async pushResults(monitorId: string, range: { from: number; to: number; limit: number }): Promise<PushResult[]> {
    await this.#load(monitorId, 0);
    return this.#cell.results(range);
  }

  async confirm(seq: number): Promise<void> {
    this.#cell.confirm(seq);
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = null;
    try {
      this.#cell.judgeDeadlines(now());
    } catch (error) {
      this.#log.error("deadline", error, { monitor_id: this.#cell.stored?.monitor_id });
      await this.#wakeBefore(now() + RESEND_MS);
    }
    await this.#handOver();
  }

  #answer(retryAt: number | null): MonitorAnswer | null {
    const { stored } = this.#cell;
    return stored ? toAnswer(stored, retryAt) : null;
  }

  /** The state under a configuration at least this new. What D1 no longer has leaves nothing behind here. */
  async #load(monitorId: string, version: number): Promise<Stored | undefined> {
    if (this.#isGone) return undefined;
    const known = this.#cell.stored;
    if (known && known.config_version >= version) return known;
    const record = await findMonitor(openDb(this.env.DB), monitorId);
    if (!record || this.#isGone) {
      this.#isGone = true;
      await this.ctx.storage.deleteAll();
      this.#cell.forget();
      return undefined;
    }
    // Another call may have learned a newer configuration while this one waited for D1.
    const present = this.#cell.stored;
    if (!present || present.config_version < record.config_version) this.#cell.learn(record, now());
    return this.#cell.stored;
  }

  #pushAnswer(received_at: number, revisionBefore: number): PushAnswer {
    const stored = this.#cell.stored;
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
    const stored = this.#cell.stored;
    if (!stored || reading < this.#readings.used) return;
    this.#readings.used = reading;
    const at = now();
    const rolledUp = paused
      ? { status: "paused" as const, since: at, message: "paused" }
      : computeRollUp(members, stored.state.status);
    this.#cell.take([{ kind: "computed", ...rolledUp }], at);
  }

  /** Sends what is not confirmed, and comes back to see whether it was, and for the next deadline. */
  async #handOver(): Promise<void> {
    const stored = this.#cell.stored;
    if (!stored) return;
    try {
      const { deadline } = this.#cell;
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
