import { DurableObject } from "cloudflare:workers";
import type {
  CheckResult,
  MonitorRpc,
  MonitorSnapshot,
  Push,
  PushedResult,
  PushLog,
  PushOutcome,
  PushQuery,
  StaleReport,
} from "../contract/monitor-object.ts";
import { findAgent } from "../data/agents/read.ts";
import { openDb } from "../data/db.ts";
import { findMonitorWithPage, listMemberStates } from "../data/monitors/read.ts";
import { computeAgentMonitorStatus } from "../domain/agent-status.ts";
import { computeCompositeState } from "../domain/composite.ts";
import { findNextDue } from "../domain/push-deadline.ts";
import { now } from "../platform/clock.ts";
import { nextTime } from "../platform/cron.ts";
import type { Env } from "../platform/env.ts";
import { createLogger, type Logger } from "../platform/logger.ts";
import { settingsOf } from "../platform/settings.ts";
import { MonitorStore, type StoredMonitor } from "./monitor-store.ts";
import { firstPage } from "./transition-outbox.ts";

/** After a deadline that could not be processed. */
const FAULT_DELAY_MS = 10_000;

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
  readonly #store: MonitorStore;
  /** When the alarm fires, null for never; undefined = not asked yet. */
  #alarmAt: number | null | undefined;
  /** The monitor was deleted. Its id never comes back, whatever a call read before it went. */
  #isGone = false;
  /** Readings of a composite's members, and the newest that was used. */
  #readings = { begun: 0, used: 0 };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#log = createLogger(settingsOf(env), { object: "monitor" });
    this.#store = new MonitorStore(ctx.storage);
  }

  async sync(monitorId: string, version: number): Promise<MonitorSnapshot | null> {
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    if (loaded.composite) await this.#computeComposite(monitorId, loaded.composite);
    if (loaded.follows_agent) await this.#followAgent(loaded.follows_agent);
    this.#store.processDeadlines(now());
    this.#alarmAt = undefined;
    await this.#handOver(true);
    return this.#answer(null);
  }

  async report(monitorId: string, version: number, results: CheckResult[]): Promise<MonitorSnapshot | null> {
    const isIdle = this.#store.resendAt === null;
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    const isCurrent = loaded.config_version === version;
    const inputs = results.map((result) => ({ kind: "result" as const, ...result }));
    const retryAt = isCurrent ? this.#store.applyInputs(inputs, now()) : null;
    await this.#handOver(isIdle);
    return this.#answer(retryAt);
  }

  async markStale(monitorId: string, version: number, report: StaleReport): Promise<MonitorSnapshot | null> {
    const isIdle = this.#store.resendAt === null;
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    if (loaded.config_version === version) this.#store.applyInputs([{ kind: "stale", ...report }], now());
    await this.#handOver(isIdle);
    return this.#answer(null);
  }

  async push(monitorId: string, push: Push): Promise<PushOutcome> {
    const isIdle = this.#store.resendAt === null;
    let loaded = await this.#load(monitorId, 0);
    // Only we mint, so a newer credential than the known one means that the rotation was not heard of yet.
    if (loaded?.push && loaded.push.credential_version < push.credential_version) {
      loaded = await this.#load(monitorId, loaded.config_version + 1);
    }
    if (loaded?.push?.rules.kind !== push.kind || loaded.push.credential_version !== push.credential_version) {
      return { outcome: "unauthorized" };
    }
    const received_at = now();
    const retry_after_ms = this.#store.rateLimitDelayMs(push.per_minute, received_at);
    if (retry_after_ms > 0) return { outcome: "rate_limited", retry_after_ms };
    this.#store.processDeadlines(received_at);
    this.#store.applyPush(push, received_at);
    await this.#handOver(isIdle);
    return this.#pushAnswer(received_at, loaded.revision);
  }

  async pushes(monitorId: string, query: PushQuery): Promise<PushLog> {
    await this.#load(monitorId, 0);
    return this.#store.history(query);
  }

  async pushResults(monitorId: string, range: { from: number; to: number; limit: number }): Promise<PushedResult[]> {
    await this.#load(monitorId, 0);
    return this.#store.results(range);
  }

  async confirm(seq: number): Promise<void> {
    // A repeated confirmation sends nothing, or each repeated message would start a second train of them.
    if (this.#store.confirm(seq, now())) await this.#handOver(true);
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = null;
    const { resendAt } = this.#store;
    const isIdle = resendAt === null;
    const isDue = resendAt !== null && resendAt <= now();
    try {
      if (isDue) this.#store.delayResend(now());
      this.#store.processDeadlines(now());
    } catch (error) {
      this.#log.error("deadline", error, { monitor_id: this.#store.stored?.monitor_id });
      await this.#wakeBefore(now() + FAULT_DELAY_MS);
    }
    await this.#handOver(isIdle || isDue);
  }

  #answer(retryAt: number | null): MonitorSnapshot | null {
    const { stored } = this.#store;
    return stored ? toAnswer(stored, retryAt) : null;
  }

  /** The state under a configuration at least this new. What D1 no longer has leaves nothing behind here. */
  async #load(monitorId: string, version: number): Promise<StoredMonitor | undefined> {
    if (this.#isGone) return undefined;
    const known = this.#store.stored;
    if (known && known.config_version >= version) return known;
    const found = await findMonitorWithPage(openDb(this.env.DB), monitorId);
    if (!found || this.#isGone) {
      this.#isGone = true;
      await this.ctx.storage.deleteAll();
      this.#store.reset();
      return undefined;
    }
    // Another call may have learned a newer configuration while this one waited for D1.
    const present = this.#store.stored;
    const { monitor: record, page } = found;
    const hasRules = page !== null && page.metric_rules > 0;
    if (!present || present.config_version < record.config_version) this.#store.applyConfig(record, hasRules, now());
    return this.#store.stored;
  }

  #pushAnswer(received_at: number, revisionBefore: number): PushOutcome {
    const stored = this.#store.stored;
    if (!stored?.push) return { outcome: "unauthorized" };
    const { memory, rules, evaluates_rules = false } = stored.push;
    const { status } = stored.state;
    const isExpected = rules.kind === "heartbeat" && status !== "paused";
    const next_expected_at = isExpected ? findNextDue(memory, rules, nextTime) : null;
    const snapshot = stored.revision === revisionBefore ? null : toAnswer(stored, null);
    return { outcome: "taken", received_at, status, next_expected_at, snapshot, evaluates_rules };
  }

  async #followAgent({ paused, agent_id }: { paused: boolean; agent_id: string }): Promise<void> {
    const agent = await findAgent(openDb(this.env.DB), agent_id);
    const at = now();
    this.#store.applyInputs([{ kind: "computed", since: at, ...computeAgentMonitorStatus(agent, paused) }], at);
  }

  /** Of two readings at a time the one that began later saw more. */
  async #computeComposite(monitorId: string, { paused }: { paused: boolean }): Promise<void> {
    this.#readings.begun += 1;
    const reading = this.#readings.begun;
    const members = await listMemberStates(openDb(this.env.DB), monitorId);
    const stored = this.#store.stored;
    if (!stored || reading < this.#readings.used) return;
    this.#readings.used = reading;
    const at = now();
    const composite = paused
      ? { status: "paused" as const, since: at, message: "paused" }
      : computeCompositeState(members, stored.state.status);
    this.#store.applyInputs([{ kind: "computed", ...composite }], at);
  }

  /**
   * Sets the alarm for the next deadline and the next resend, and sends the oldest transitions where asked to: when they
   * are the first to wait, after a confirmation, and when a resend is due.
   */
  async #handOver(isSent: boolean): Promise<void> {
    const stored = this.#store.stored;
    if (!stored) return;
    try {
      const { deadline, resendAt } = this.#store;
      if (deadline) await this.#wakeBefore(deadline.at + 1);
      if (resendAt === null) return;
      await this.#wakeBefore(Math.max(resendAt, now() + 1));
      if (isSent) await this.env.EVENTS.send({ monitor_id: stored.monitor_id, transitions: firstPage(stored) });
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

function toAnswer(stored: StoredMonitor, retryAt: number | null): MonitorSnapshot {
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
