import { DurableObject } from "cloudflare:workers";
import { AGENT_OFFLINE_AFTER_MS } from "../contract/agent.ts";
import { COMPOSITE_POLICY_DEFAULT } from "../contract/composite.ts";
import { agentsAmong } from "../contract/location.ts";
import type { OutageRegions } from "../contract/messages.ts";
import type {
  AgentVote,
  CheckResult,
  MonitorRpc,
  MonitorSnapshot,
  ObservedQuery,
  OutsideAnswer,
  Push,
  PushedResult,
  PushLog,
  PushOutcome,
  PushQuery,
  StaleReport,
  StoredObservation,
} from "../contract/monitor-object.ts";
import type { ReadState, StateCursor, StateWriting, WrittenState } from "../contract/object-state.ts";
import type { LatencyStep } from "../contract/prober-object.ts";
import { insertCommand } from "../data/agent-reports/write.ts";
import { listLatestVotes } from "../data/agent-results/read.ts";
import { findAgent, findOutsideAgent, listInsideEdge } from "../data/agents/read.ts";
import { openDb, runBatch } from "../data/db.ts";
import { findCheckGroupId, findLastTransition, findMonitorForObject, listMemberStates } from "../data/monitors/read.ts";
import { restateMessage } from "../data/monitors/write.ts";
import { computeAgentMonitorStatus } from "../domain/agent-status.ts";
import { describeAssignment } from "../domain/assignment.ts";
import { computeCompositeState } from "../domain/composite.ts";
import type { KnownVote } from "../domain/gone-agents.ts";
import { findNextDue } from "../domain/push-deadline.ts";
import { isAgentThere } from "../platform/agent-objects.ts";
import { sendChecks } from "../platform/check-queues.ts";
import { now } from "../platform/clock.ts";
import { nextTime } from "../platform/cron.ts";
import type { Env } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";
import { createLogger, type Logger } from "../platform/logger.ts";
import { settingsOf } from "../platform/settings.ts";
import { countUnits, meterBindings, reportUsageWhenDue } from "../platform/usage.ts";
import { MonitorStore } from "./monitor-store.ts";
import { readState, writeState } from "./object-state.ts";
import { ObservationLog } from "./observation-log.ts";
import { isCurrentCredential, isNewerCredential } from "./push-credential.ts";
import type { LoadedMonitor, StoredMonitor } from "./stored-monitor.ts";
import { firstPage } from "./transition-outbox.ts";

/** No row has this version, so it is read again. */
const NEWEST_VERSION = Number.MAX_SAFE_INTEGER;
/**
 * How often an object that is pushed to looks whether D1 still has its monitor: after a restore of D1 to a time before
 * the monitor was created nothing else reports it.
 */
const READ_EVERY_MS = 60 * 60_000;
/** The outage is recorded by then, as a rule. */
const REGIONS_DELAY_S = 2;
/** After a deadline that could not be processed. */
const FAULT_DELAY_MS = 10_000;
/** Of the one check of an agent that is asked; its answer has to travel, too. */
const ASKED_TIMEOUT_S = 4;

/**
 * The one writer of a monitor's status. Every input is decided purely, then state and outgoing transitions are stored
 * in one write before anything else happens; the queue message that follows may be lost, because the alarm repeats it
 * until the consumer confirms.
 *
 * The alarm is set for the time at which the absence of what others report changes the status, too: after as many intervals
 * as have to be missed. It is left alone while it is early enough, and looks for the true time when it fires. A push moves
 * it where it would fire before the next push and find nothing to do.
 */
export class MonitorObject extends DurableObject<Env> implements MonitorRpc {
  readonly #log: Logger;
  readonly #store: MonitorStore;
  readonly #observations: ObservationLog;
  /** When the alarm fires, Infinity for never; undefined = not asked yet. */
  #alarmAt: number | undefined;
  /** When the newest push came that this instance has taken. */
  #pushedAt: number | undefined;
  /** The monitor was deleted. Its id never comes back, even for a call that read it before. */
  #isGone = false;
  /** Readings of a composite's members, and the newest that was used. */
  #readings = { begun: 0, used: 0 };
  /** The same of the monitor's row. */
  #loads = { begun: 0, used: 0 };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, meterBindings(env));
    this.#log = createLogger(settingsOf(env), { object: "monitor" });
    this.#store = new MonitorStore(ctx.storage);
    this.#observations = new ObservationLog(ctx.storage.sql);
  }

  async sync(monitorId: string, version: number, epoch?: string): Promise<MonitorSnapshot | null> {
    // D1 went back in time, perhaps to before the deletion.
    if (epoch !== undefined && epoch !== this.#store.stored?.epoch) this.#isGone = false;
    const before = this.#store.stored?.composite;
    const loaded = await this.#load(monitorId, version, epoch);
    if (!loaded) return null;
    const { composite } = loaded;
    // What another policy makes of the members begins with it, and not when they changed.
    const isRejudged = before != null && (before.policy ?? COMPOSITE_POLICY_DEFAULT) !== composite?.policy;
    if (composite) await this.#computeComposite(monitorId, composite, isRejudged);
    if (loaded.follows_agent) await this.#followAgent(loaded.follows_agent);
    this.#store.processDeadlines(now());
    this.#store.endWaiting(now());
    this.#alarmAt = undefined;
    await this.#handOver(true);
    return this.#answer(null);
  }

  async report(monitorId: string, version: number, results: CheckResult[]): Promise<MonitorSnapshot | null> {
    const isIdle = this.#store.resendAt === null;
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    const isCurrent = loaded.config_version === version;
    await this.#endRoundWhenDue(monitorId);
    if (isCurrent) this.#note(results);
    const inputs = results.map((result) => ({ kind: "result" as const, ...result }));
    const { retry_at, completed, asks } = this.#store.applyInputs(isCurrent ? inputs : [], now());
    if (asks) await this.#askOutside(monitorId);
    await this.#handOver(isIdle);
    if (completed) await this.#announceRegions({ monitor_id: monitorId, ...completed });
    return this.#answer(retry_at);
  }

  async vote(monitorId: string, version: number, votes: AgentVote[]): Promise<MonitorSnapshot | null> {
    const isIdle = this.#store.resendAt === null;
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    const isCurrent = loaded.config_version === version;
    await this.#endRoundWhenDue(monitorId);
    if (isCurrent) this.#note(votes);
    const inputs = votes.map((vote) => ({ kind: "vote" as const, ...vote }));
    const { retry_at, completed } = this.#store.applyInputs(isCurrent ? inputs : [], now());
    await this.#handOver(isIdle);
    if (completed) await this.#announceRegions({ monitor_id: monitorId, ...completed });
    return this.#answer(retry_at);
  }

  async answer(monitorId: string, { asked_at, ...vote }: OutsideAnswer): Promise<void> {
    const isIdle = this.#store.resendAt === null;
    if (!(await this.#load(monitorId, 0)) || this.#store.stored?.state.asked?.at !== asked_at) return;
    this.#note([vote]);
    this.#store.applyInputs([{ kind: "answer", asked_at, outcome: vote.outcome }], now());
    await this.#handOver(isIdle);
  }

  /**
   * Orders one check from an agent of another network. Where there is none, or it cannot be asked, the outage begins at
   * once; where it does not answer, with the alarm.
   */
  async #askOutside(monitor_id: string): Promise<void> {
    const { asked } = this.#store.stored?.state ?? {};
    if (!asked) return;
    try {
      const db = openDb(this.env.DB);
      const found = await findMonitorForObject(db, monitor_id);
      const agent = found && (await findOutsideAgent(db, found.monitor, now() - AGENT_OFFLINE_AFTER_MS));
      if (found && agent) {
        const { monitor } = found;
        const assignment = describeAssignment(
          { ...monitor, timeout_seconds: Math.min(monitor.timeout_seconds, ASKED_TIMEOUT_S) },
          { target: monitor.target ?? "", fields: monitor.options },
        );
        const params = { assignment, asked_at: asked.at };
        const ordered = { id: newId(), agent_id: agent.id, type: "confirm" as const, params, created_at: now() };
        await runBatch(db, [insertCommand(db, { ...ordered, acked_at: null, ok: null, result: null, error: null })]);
        await this.env.AGENT.getByName(agent.id).wake(agent.id, { monitors_changed: false });
        return;
      }
    } catch (error) {
      this.#log.error("asking outside", error, { monitor_id });
    }
    this.#store.applyInputs([{ kind: "answer", asked_at: asked.at, outcome: "error" }], now());
  }

  /** The outage that an agent was asked about begins without its answer. */
  #endAskingWhenDue(): void {
    const { asked } = this.#store.stored?.state ?? {};
    if (!asked || (this.#store.answerDeadline ?? Infinity) > now()) return;
    this.#store.applyInputs([{ kind: "answer", asked_at: asked.at, outcome: "error" }], now());
  }

  #note(results: readonly AgentVote[]): void {
    const wasSettled = this.#store.stored?.settled ?? false;
    for (const result of results) this.#observations.note(result, wasSettled);
  }

  /**
   * Decides the round whose time is over. The successes of a settled monitor are not reported, so agents that are missing are
   * looked up where their newest results are stored; a child that is found neither here nor there abstains.
   */
  async #endRoundWhenDue(monitorId: string): Promise<void> {
    const isDue = () => (this.#store.roundDeadline ?? Infinity) <= now();
    if (!isDue()) return;
    const votes = await this.#withPresence(
      await listLatestVotes(openDb(this.env.DB), monitorId, this.#store.missingAgents),
    );
    // Meanwhile another call may have decided it.
    if (!isDue()) return;
    const { completed, retry_at } = this.#store.endRound(votes, now());
    if (retry_at !== null) await this.#repeatAtEdge(monitorId, retry_at);
    if (completed) await this.#announceRegions({ monitor_id: monitorId, ...completed });
  }

  /**
   * An agent that died within the last interval is known nowhere, so those whose vote the verdict waits for are asked
   * whether they are there.
   */
  #withPresence(known: readonly KnownVote[]): Promise<KnownVote[]> {
    const { slot_at, verdict, is_looked = false } = this.#store.stored?.state.round ?? {};
    const isAsked = ({ vote, is_online }: KnownVote) => is_online && vote.slot_at !== slot_at;
    return Promise.all(
      known.map(async (each) => {
        const [agentId] = agentsAmong([each.vote.region]);
        if (agentId === undefined || verdict !== null || is_looked || !isAsked(each)) return each;
        return { ...each, is_online: await isAgentThere(this.env, agentId) };
      }),
    );
  }

  /** A deadline has no caller that would repeat the check. Without the message the next slot goes on. */
  async #repeatAtEdge(monitor_id: string, run_at: number): Promise<void> {
    const { rules, state } = this.#store.stored ?? {};
    const { round } = state ?? {};
    if (!round || !rules || rules.regions.length === 0) return;
    try {
      const group_id = await findCheckGroupId(openDb(this.env.DB), monitor_id);
      const { slot_at, attempt } = round;
      const repeated = { group_id, slot_at, attempt: attempt + 1, monitor_id, run_at };
      const checks = rules.regions.map((region) => ({ ...repeated, region }));
      if (group_id) await sendChecks(this.env, checks, now());
    } catch (error) {
      this.#log.error("repeating a check", error, { monitor_id });
    }
  }

  async markStale(monitorId: string, version: number, report: StaleReport): Promise<MonitorSnapshot | null> {
    const isIdle = this.#store.resendAt === null;
    const loaded = await this.#load(monitorId, version);
    if (!loaded) return null;
    const known = loaded.config_version === version ? await this.#withVotes(report, loaded) : null;
    if (known) this.#store.applyInputs([{ kind: "stale", ...known }], now());
    await this.#handOver(isIdle);
    return this.#answer(null);
  }

  /**
   * The edge knows what itself checked last; agents may have voted since, whose successes a settled monitor's object does not
   * hear of. Null where they still do.
   */
  async #withVotes(report: StaleReport, { monitor_id, rules, state }: StoredMonitor): Promise<StaleReport | null> {
    if (!rules.agents || rules.regions.length === 0) return report;
    const known = await listLatestVotes(openDb(this.env.DB), monitor_id, agentsAmong(rules.agents.locations));
    const voted = known.filter(({ vote }) => vote.outcome !== "error").map(({ vote }) => vote.checked_at);
    const heard_at = Math.max(state.judged_at ?? 0, ...voted);
    if (now() - heard_at <= rules.stale_after_ms) return null;
    return heard_at > (report.last_result_at ?? 0) ? { ...report, last_result_at: heard_at } : report;
  }

  async push(monitorId: string, push: Push): Promise<PushOutcome | string> {
    const at = now();
    const repeated = this.#isGone ? undefined : this.#store.repeatHeartbeat(push, at);
    if (repeated === undefined) return this.#takePush(monitorId, push);
    const { repeatedDecisiveAt: decisiveAt, readAt } = this.#store;
    if (decisiveAt !== undefined && this.#isAlarmInVain(at)) {
      await this.#postpone(Math.min(decisiveAt + 1, readAt + READ_EVERY_MS));
    }
    this.#pushedAt = at;
    return repeated;
  }

  /** Whether the alarm would fire before the next push, if that takes as long as this one did. */
  #isAlarmInVain(at: number): boolean {
    if (this.#alarmAt === undefined || this.#pushedAt === undefined) return false;
    return this.#alarmAt < at + (at - this.#pushedAt);
  }

  /** A row now instead of a request and a row then. */
  async #postpone(wakeAt: number): Promise<void> {
    if (this.#alarmAt === undefined || wakeAt <= this.#alarmAt || wakeAt === Infinity) return;
    this.#alarmAt = wakeAt;
    await this.ctx.storage.setAlarm(wakeAt);
  }

  async #takePush(monitorId: string, push: Push): Promise<PushOutcome> {
    const isIdle = this.#store.resendAt === null;
    let loaded = await this.#load(monitorId, 0);
    // Only we mint, so a newer credential than the known one means that the rotation was not heard of yet.
    if (loaded?.push && isNewerCredential(loaded.push, push)) {
      loaded = await this.#load(monitorId, NEWEST_VERSION);
    }
    if (loaded?.push?.rules.kind !== push.kind || !isCurrentCredential(loaded.push, push)) {
      return { outcome: "unauthorized" };
    }
    const received_at = now();
    const retry_after_ms = this.#store.rateLimitDelayMs(push.per_minute, received_at);
    if (retry_after_ms > 0) return { outcome: "rate_limited", retry_after_ms };
    this.#pushedAt ??= loaded.push.memory.since ?? undefined;
    this.#store.processDeadlines(received_at);
    const refused_ms = this.#store.applyPush(push, received_at);
    await this.#handOver(isIdle);
    if (this.#isAlarmInVain(received_at)) await this.#postpone(this.#wakeAt);
    this.#pushedAt = received_at;
    if (refused_ms > 0) return { outcome: "rate_limited", retry_after_ms: refused_ms };
    return this.#pushAnswer(received_at, loaded.revision);
  }

  async pushes(monitorId: string, query: PushQuery): Promise<PushLog> {
    await this.#load(monitorId, 0);
    return { ...this.#store.history(query), next_expected_at: this.#findNextExpected() };
  }

  async pushResults(monitorId: string, range: { from: number; to: number; limit: number }): Promise<PushedResult[]> {
    await this.#load(monitorId, 0);
    return this.#store.results(range);
  }

  async observations(monitorId: string, query: ObservedQuery): Promise<StoredObservation[]> {
    return (await this.#load(monitorId, 0)) ? this.#observations.list(query) : [];
  }

  async latency(monitorId: string, from: number): Promise<LatencyStep[]> {
    await this.#load(monitorId, 0);
    return this.#store.latency(from);
  }

  async confirm(seq: number): Promise<void> {
    // A repeated confirmation sends nothing, or each repeated message would start a second train of them.
    if (this.#store.confirm(seq, now())) await this.#handOver(true);
  }

  async readState(cursor: StateCursor | null): Promise<ReadState> {
    return readState(this.ctx.storage, cursor);
  }

  async writeState(written: WrittenState): Promise<StateWriting> {
    const writing = writeState(this.ctx.storage, written);
    if (writing !== "replaced") return writing;
    this.#observations.reset();
    this.#store.reset();
    this.#isGone = false;
    this.#alarmAt = undefined;
    return writing;
  }

  override async alarm(): Promise<void> {
    countUnits({ object_requests: 1 });
    reportUsageWhenDue(this.env);
    this.#alarmAt = Infinity;
    const { resendAt } = this.#store;
    const isIdle = resendAt === null;
    const isDue = resendAt !== null && resendAt <= now();
    try {
      if (isDue) this.#store.delayResend(now());
      await this.#readAgain();
      this.#store.processDeadlines(now());
      this.#endAskingWhenDue();
      if (this.#store.stored) await this.#endRoundWhenDue(this.#store.stored.monitor_id);
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

  /**
   * The state under this version of the configuration, 0 being any, or under a newer one. Versions are compared for
   * equality, because a restored D1 counts on from a smaller one. What D1 no longer has leaves nothing behind here.
   */
  async #load(monitorId: string, version: number, epoch?: string): Promise<StoredMonitor | undefined> {
    if (this.#isGone) return undefined;
    const known = this.#store.stored;
    const isCurrent = known && (version === 0 || known.config_version === version);
    if (isCurrent && (epoch === undefined || known.epoch === epoch)) return known;
    this.#loads.begun += 1;
    const reading = this.#loads.begun;
    const found = await this.#read(monitorId);
    if (!found || this.#isGone) {
      this.#isGone = true;
      await this.ctx.storage.deleteAll();
      this.#observations.reset();
      this.#store.reset();
      return undefined;
    }
    // Of two readings at a time the one that began later saw the newer row.
    if (reading < this.#loads.used) return this.#store.stored;
    this.#loads.used = reading;
    const present = this.#store.stored;
    const isKnown = present?.config_version === found.monitor.config_version && present.epoch === found.epoch;
    if (!isKnown) this.#store.applyConfig(found, now());
    return this.#store.stored;
  }

  /** The row, and the newest transition that D1 has where the object may have to go on from it. */
  async #read(monitorId: string): Promise<LoadedMonitor | undefined> {
    const db = openDb(this.env.DB);
    const found = await findMonitorForObject(db, monitorId);
    if (!found) return undefined;
    const { monitor } = found;
    const epoch = found.epoch ?? "";
    const known = this.#store.stored;
    const isContinued = known !== undefined && (known.epoch ?? "") === epoch;
    const isNew = known === undefined && monitor.state_seq === 0;
    const past = isContinued || isNew ? null : { recorded: await findLastTransition(db, monitorId) };
    return {
      monitor,
      epoch,
      inside: await listInsideEdge(db, agentsAmong(monitor.locations)),
      past: past && { ...past, known_until: found.known_until ?? now() },
    };
  }

  /** D1 that does not respond costs the deadlines nothing: the next alarm asks again. */
  async #readAgain(): Promise<void> {
    const { stored } = this.#store;
    if (!stored?.push || now() - (stored.read_at ?? 0) < READ_EVERY_MS) return;
    try {
      if (await this.#load(stored.monitor_id, NEWEST_VERSION)) this.#store.noteRead(now());
    } catch (error) {
      this.#log.error("reading the monitor again", error, { monitor_id: stored.monitor_id });
    }
  }

  #pushAnswer(received_at: number, revisionBefore: number): PushOutcome {
    const stored = this.#store.stored;
    if (!stored?.push) return { outcome: "unauthorized" };
    const { evaluates_rules = false } = stored.push;
    const { status } = stored.state;
    const next_expected_at = this.#findNextExpected();
    const snapshot = stored.revision === revisionBefore ? null : toAnswer(stored, null);
    return { outcome: "taken", received_at, status, next_expected_at, snapshot, evaluates_rules };
  }

  /** When the next heartbeat is due; null where none is expected. */
  #findNextExpected(): number | null {
    const { push, state } = this.#store.stored ?? {};
    if (push?.rules.kind !== "heartbeat" || state?.status === "paused") return null;
    return findNextDue(push.memory, push.rules, nextTime);
  }

  async #followAgent({ paused, agent_id }: { paused: boolean; agent_id: string }): Promise<void> {
    const agent = await findAgent(openDb(this.env.DB), agent_id);
    const at = now();
    this.#store.applyInputs([{ kind: "computed", since: at, ...computeAgentMonitorStatus(agent, paused) }], at);
  }

  /** Of two readings at a time the one that began later saw more. */
  async #computeComposite(
    monitorId: string,
    { paused, policy }: NonNullable<StoredMonitor["composite"]>,
    isRejudged: boolean,
  ): Promise<void> {
    this.#readings.begun += 1;
    const reading = this.#readings.begun;
    const db = openDb(this.env.DB);
    const members = await listMemberStates(db, monitorId);
    const stored = this.#store.stored;
    if (!stored || reading < this.#readings.used) return;
    this.#readings.used = reading;
    const at = now();
    const composite = paused
      ? { status: "paused" as const, since: at, message: "paused" }
      : computeCompositeState(members, stored.state.status, policy);
    const since = isRejudged ? at : composite.since;
    const isSame = composite.status === stored.state.status;
    this.#store.applyInputs([{ kind: "computed", ...composite, since }], at);
    // How many members are so changes while the composite stays what it is, which no transition says.
    if (isSame) await runBatch(db, [restateMessage(db, monitorId, composite)]);
  }

  /**
   * Sets the alarm for what is due next, and sends the oldest transitions where asked to: when they
   * are the first to wait, after a confirmation, and when a resend is due.
   */
  async #handOver(isSent: boolean): Promise<void> {
    const stored = this.#store.stored;
    if (!stored) return;
    try {
      const { resendAt } = this.#store;
      await this.#wakeBefore(this.#wakeAt);
      if (resendAt === null || !isSent) return;
      await this.env.EVENTS.send({
        kind: "transitions",
        monitor_id: stored.monitor_id,
        transitions: firstPage(stored),
      });
    } catch (error) {
      this.#log.error("outbox", error, { monitor_id: stored.monitor_id });
    }
  }

  /** When something is due that no call leads to; Infinity for never. */
  get #wakeAt(): number {
    const { stored, decisiveAt, resendAt, roundDeadline, answerDeadline } = this.#store;
    const readAt = stored?.push ? (stored.read_at ?? 0) + READ_EVERY_MS : Infinity;
    const waitedFor = Math.min(roundDeadline ?? Infinity, answerDeadline ?? Infinity);
    const dutyAt = Math.max(Math.min(readAt, resendAt ?? Infinity, waitedFor), now() + 1);
    return Math.min(decisiveAt === null ? Infinity : decisiveAt + 1, dutyAt);
  }

  /** A lost message leaves the outage with the regions that confirmed it. */
  async #announceRegions(regions_of: OutageRegions): Promise<void> {
    try {
      await this.env.EVENTS.send({ kind: "regions", regions_of }, { delaySeconds: REGIONS_DELAY_S });
    } catch (error) {
      this.#log.error("regions of an outage", error, { monitor_id: regions_of.monitor_id });
    }
  }

  /** `at` is Infinity where no alarm is wanted. */
  async #wakeBefore(at: number): Promise<void> {
    if (at === Infinity) return;
    this.#alarmAt ??= (await this.ctx.storage.getAlarm()) ?? Infinity;
    if (this.#alarmAt <= at) return;
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
    locations_down: [...(state.locations_down ?? [])],
    retry:
      retryAt !== null && state.round
        ? { at: retryAt, slot_at: state.round.slot_at, attempt: state.round.attempt + 1 }
        : null,
    config_version: stored.config_version,
    epoch: stored.epoch ?? "",
  };
}
