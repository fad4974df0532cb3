import type { Scope } from "../access/scope.ts";
import { type EventOf, isKnownEvent } from "../contract/events.ts";
import type { EventMessage } from "../contract/messages.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { listEvents } from "../data/events/read.ts";
import { replaceEvent } from "../data/events/write.ts";
import {
  type FlappingRecord,
  findFlapping,
  findRecentChanges,
  isFlappingChanged,
  listDueFlapping,
  listPublishedAmong,
} from "../data/flapping/read.ts";
import type { HeldRouting } from "../data/flapping/table.ts";
import { deleteFlapping, saveFlapping, setFlapping } from "../data/flapping/write.ts";
import { findMonitorWithPage, type MonitorRecord } from "../data/monitors/read.ts";
import { RULE } from "../data/suppressed-outages/read.ts";
import { suppressOutage } from "../data/suppressed-outages/write.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { deliverHeld } from "../delivery/fan-out.ts";
import {
  decide,
  FLAPPING_RULES,
  type FlappingDecision,
  type FlappingEffect,
  type FlappingRules,
  type FlappingState,
  STEADY,
} from "../domain/flapping.ts";
import { secondsBetween } from "../lib/duration-format.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { changeEventId, flappingEventId } from "../outbox/event-ids.ts";
import { joinPublications, NOTHING, type Publication, wake } from "../outbox/publication.ts";
import { toIso } from "../platform/clock.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import type { Settings } from "../platform/settings.ts";
import { publish, publishRouted } from "./emit.ts";
import { planStableEnd } from "./incidents.ts";
import { type ChangeOfStatus, isChangeOfStatus, type TransitionContext } from "./monitor-event.ts";
import { evaluateRules, retryStale, triggerOf } from "./rules.ts";
import { findWithholding } from "./suppression.ts";

/**
 * Alerts about a monitor that changes again and again, damped by the rules of domain/flapping.ts. What waits are deliveries
 * and escalations, which are not made before the change is announced; the automatic incident stays open until flapping ends.
 * A steady monitor has no row and costs one read for each change that it announces.
 */
export interface Damping {
  /** What the change notifies of waits. */
  is_held: boolean;
  /** As it is after the change. */
  is_flapping: boolean;
  /** This change began it. */
  has_begun: boolean;
  /** In the batch that stores the change; the routing is that of the change. */
  carryOut(routing: HeldRouting | null): Promise<Publication>;
}

export const UNDAMPED: Damping = {
  is_held: false,
  is_flapping: false,
  has_begun: false,
  carryOut: () => Promise.resolve(NOTHING),
};
const MONITORS_PER_MINUTE = 5_000;
/** One takes up to eight queries. */
const MONITORS_PER_MESSAGE = 80;
/** Waits that are longer end with a minute's sweep. */
const TIMER_MAX_MS = 2 * MINUTE_MS;

/** null where the operator switched it off; a number in RATE_LIMITS replaces that of changes. */
function rulesOf({ RATE_LIMITS }: Settings): FlappingRules | null {
  const chosen = RATE_LIMITS.flapping ?? (RATE_LIMITS.all === "off" ? "off" : undefined);
  if (chosen === "off") return null;
  return chosen === undefined ? FLAPPING_RULES : { ...FLAPPING_RULES, changes_max: chosen };
}

/** Decides about what a change notifies of; one that something else withholds is not counted and never held. */
export async function dampChange(
  scope: Scope,
  { transition, monitor, page }: TransitionContext,
  { is_sent, ends }: { is_sent: boolean; ends: readonly number[] | null },
): Promise<Damping> {
  const rules = rulesOf(scope.settings);
  const is_withheld = !is_sent;
  const { seq, event, at } = transition;
  if (transition.to === "paused") return dampPause(scope, { monitor, page });
  if (event === null || ((rules === null || is_withheld) && !monitor.flapping)) return UNDAMPED;
  const limit = rules?.changes_max ?? 1;
  const { changes, flapping } = await findRecentChanges(scope.db, monitor.id, { before: seq, limit });
  const recent = changes.filter((change) => rules !== null && at - change.at < rules.window_ms);
  if (!flapping && (is_withheld || recent.length < limit)) return UNDAMPED;
  const before = flapping?.state ?? (await announcedBefore(scope, monitor.id, recent, seq));
  const decision = decide(before, { kind: "change", seq, event, is_withheld, ends: ends ?? [] }, rules, at);
  const has_begun = decision.effects.some((effect) => effect.kind === "announce_flapping");
  const is_held = decision.effects.some((effect) => effect.kind === "hold" && effect.seq === seq);
  return {
    is_held,
    has_begun,
    is_flapping: decision.state.flapping !== null,
    carryOut: (routing) =>
      carryOut(scope, { monitor, page }, { known: flapping, decision, rules, routing: is_held ? routing : null }),
  };
}

/** A paused monitor flaps no longer, and nothing is delivered about it. */
async function dampPause(scope: Scope, subject: Subject): Promise<Damping> {
  if (!subject.monitor.flapping) return UNDAMPED;
  const publication = await settle(scope, subject, "pause");
  return { ...UNDAMPED, carryOut: () => Promise.resolve(publication) };
}

/** Announces what waited long enough, and ends what is steady again. Harmless when repeated or early. */
export async function tickFlapping(scope: Scope, monitorId: string): Promise<void> {
  const publication = await retryStale(async () => {
    const found = await findMonitorWithPage(scope.db, monitorId);
    if (!found) return NOTHING;
    const settled = await settle(scope, found, "tick");
    await runBatch(scope.db, settled.statements);
    return settled;
  });
  await publication.wake();
}

/** Every minute: monitors for which time alone changes something. */
export async function sweepFlapping(scope: Scope): Promise<void> {
  const items = await listDueFlapping(scope.db, scope.now, MONITORS_PER_MINUTE);
  const work = { part: "due flapping monitors", items, per_message: MONITORS_PER_MESSAGE } as const;
  await processInPortions(scope, work, tickFlappingMonitors);
}

export async function tickFlappingMonitors(scope: Scope, monitorIds: readonly string[]): Promise<void> {
  for (const id of monitorIds) {
    try {
      await tickFlapping(scope, id);
    } catch (error) {
      scope.log.error("flapping tick failed", error, { monitor_id: id });
    }
  }
}

type Subject = Pick<TransitionContext, "monitor" | "page">;

async function settle(scope: Scope, subject: Subject, kind: "tick" | "pause"): Promise<Publication> {
  const known = await findFlapping(scope.db, subject.monitor.id);
  if (!known) return NOTHING;
  const rules = rulesOf(scope.settings);
  const input = kind === "pause" ? { kind } : { kind, is_withheld: await isHeldWithheld(scope, subject, known) };
  const decision = decide(known.state, input, rules, scope.now);
  return carryOut(scope, subject, { known, decision, rules, routing: known.held_routing });
}

/** Whether something else withholds the change that is held. */
async function isHeldWithheld({ db, now }: Scope, subject: Subject, { state }: FlappingRecord): Promise<boolean> {
  const held = state.flapping?.held ?? null;
  if (held === null || held.event === "monitor.up") return false;
  return (await findWithholding(db, subject, { at: now, now })) !== null;
}

/** What a monitor without a row announced: changes that a maintenance window withheld do not count. */
async function announcedBefore(
  { db }: Scope,
  monitorId: string,
  recent: readonly { seq: number; at: number }[],
  seq: number,
): Promise<FlappingState> {
  const published = await listPublishedAmong(
    db,
    recent.map((change) => changeEventId(monitorId, change.seq)),
  );
  const announced = recent.filter((change) => published.has(changeEventId(monitorId, change.seq)));
  return { ...STEADY, last_seq: seq - 1, changed_at: announced.map(({ at }) => at).toReversed() };
}

interface Decided {
  known: FlappingRecord | undefined;
  decision: FlappingDecision;
  rules: FlappingRules | null;
  /** Of the change that waits from now on. */
  routing: HeldRouting | null;
}

async function carryOut(scope: Scope, subject: Subject, decided: Decided): Promise<Publication> {
  const { monitor } = subject;
  const { known, decision, routing } = decided;
  const { state, effects } = decision;
  if (!known && state.flapping === null) return NOTHING;
  const held = known?.state.flapping?.held;
  const released = effects.filter(isRelease).find(({ seq }) => seq === held?.seq);
  const announced = effects.find((effect) => effect.kind === "announce_flapping");
  const hasEnded = effects.some((effect) => effect.kind === "flapping_ended");
  const statements = storing(scope, monitor, { ...decided, routing: state.flapping?.held ? routing : null });
  return joinPublications([
    { statements, wake: () => setTimer(scope, monitor.id, decision) },
    known && released ? await release(scope, subject, { known, effect: released }) : NOTHING,
    announced ? publish(scope, [flappingEvent(monitor, announced, scope.now)]) : NOTHING,
    hasEnded ? await endIncident(scope, subject) : NOTHING,
  ]);
}

/** Flapping ends while the monitor is up: its incident ends, too. Where an outage is open, it ends with that. */
async function endIncident(scope: Scope, subject: Subject): Promise<Publication> {
  const { statements, events } = await planStableEnd(scope, subject);
  const triggers = events.map((event) => ({ ...triggerOf(event, subject), in_maintenance: false }));
  const rules = await evaluateRules(scope, triggers);
  return joinPublications([
    { ...NOTHING, statements },
    // At once, because the next outage may open another one in this moment.
    await publishRouted(scope, events, scope.now, rules.routings),
    rules.publication,
  ]);
}

function storing(
  { db, now }: Scope,
  monitor: MonitorRecord,
  { known, decision, rules, routing }: Decided,
): Statement[] {
  const { state } = decision;
  const isFlapping = state.flapping !== null;
  const wake_at = decision.wake_at ?? steadyUntil(known, state, { window_ms: rules?.window_ms ?? 0, now });
  const isOver = !isFlapping && known?.state.flapping === null && wake_at <= now;
  const record = {
    monitor_id: monitor.id,
    state,
    held_routing: routing,
    wake_at,
    revision: (known?.revision ?? 0) + 1,
  };
  return [
    failBatchWhen(db, "stale", isFlappingChanged(monitor.id, known)),
    isOver ? deleteFlapping(db, monitor.id) : saveFlapping(db, record),
    ...(monitor.flapping === isFlapping ? [] : [setFlapping(db, monitor.id, isFlapping)]),
  ];
}

/** After the end of flapping the row counts changes anew, until a window has passed without one. */
function steadyUntil(
  known: FlappingRecord | undefined,
  { changed_at }: FlappingState,
  { window_ms, now }: { window_ms: number; now: number },
): number {
  const since = known?.state.flapping === null ? known.wake_at : now + window_ms;
  return Math.max(since, ...changed_at.map((at) => at + window_ms));
}

/** An outage is announced as soon as it lasted long enough, not with the next minute. */
async function setTimer(scope: Scope, monitorId: string, { state, wake_at }: FlappingDecision): Promise<void> {
  if (wake_at === null || state.flapping?.held?.event !== "monitor.down") return;
  const delay_ms = Math.max(0, wake_at - scope.now);
  if (delay_ms > TIMER_MAX_MS) return;
  const messages: EventMessage[] = [{ kind: "flapping", flapping_monitor_id: monitorId }];
  await wake(scope, { queue: scope.env.EVENTS, messages, what: "flapping monitor", delay_ms });
}

type Release = Extract<FlappingEffect, { kind: "deliver" | "deliver_end" | "withhold" }>;

function isRelease(effect: FlappingEffect): effect is Release {
  return effect.kind === "deliver" || effect.kind === "deliver_end" || effect.kind === "withhold";
}

/** Delivers the change that was held, as one that goes on with the outage that was announced before. */
async function release(
  scope: Scope,
  { monitor }: Subject,
  { known, effect }: { known: FlappingRecord; effect: Release },
): Promise<Publication> {
  const { db, now } = scope;
  const { flapping } = known.state;
  const announced = flapping?.unended ?? [];
  if (effect.kind === "withhold") {
    // Its rules were evaluated when it happened.
    const held = { monitor_id: monitor.id, outage_seq: effect.seq, held_by: RULE, announced: [...announced] };
    return { ...NOTHING, statements: [suppressOutage(db, { ...held, routing: known.held_routing })] };
  }
  const ends = effect.kind === "deliver" ? null : effect.ends;
  const endedIds = ends && [
    ...ends.seqs.map((seq) => changeEventId(monitor.id, seq)),
    ...(ends.flapping ? [flappingEventId(monitor.id, flapping?.began_seq ?? 0)] : []),
  ];
  if (endedIds?.length === 0) return NOTHING;
  const id = changeEventId(monitor.id, effect.seq);
  const stored = await listEvents(db, [id, ...announced.map((seq) => changeEventId(monitor.id, seq))]);
  const event = stored.find((each) => each.id === id);
  if (!event || !isKnownEvent(event) || !isChangeOfStatus(event)) return NOTHING;
  // The first of them: by its outage pagers know the alert that it opened.
  const earlier = announced
    .map((seq) => stored.find((each) => each.id === changeEventId(monitor.id, seq)))
    .find((each) => each !== undefined && each.id !== id && each.name === "monitor.down");
  const continued =
    earlier && isKnownEvent(earlier) && isChangeOfStatus(earlier) ? continueOutage(event, earlier) : event;
  const routing = { rule_id: null, ...known.held_routing, ends: endedIds ?? undefined };
  return joinPublications([
    { ...NOTHING, statements: [replaceEvent(db, { ...continued, processed_at: now })] },
    await deliverHeld(scope, continued, now, { routing, has_escalation: earlier !== undefined }),
  ]);
}

/**
 * A recovery as the end of what the alarm of its outage was about: while a monitor flaps, an outage is announced as one that
 * goes on with an earlier one, and pagers know the alert by that.
 */
export async function endAnnounced({ db }: Pick<Scope, "db">, event: ChangeOfStatus): Promise<ChangeOfStatus> {
  const [, seq] = /\/(\d+)$/.exec(event.data.outage_id ?? "") ?? [];
  if (event.name !== "monitor.up" || seq === undefined) return event;
  const [alarm] = await listEvents(db, [changeEventId(event.data.monitor_id, Number(seq))]);
  if (alarm?.name !== "monitor.down" || !isKnownEvent(alarm) || !isChangeOfStatus(alarm)) return event;
  return alarm.data.outage_id === event.data.outage_id ? event : continueOutage(event, alarm);
}

function continueOutage(event: ChangeOfStatus, { data }: ChangeOfStatus): ChangeOfStatus {
  const { outage_id, outage_started_at } = data;
  if (outage_id == null || outage_started_at == null) return event;
  const lasted = secondsBetween(Date.parse(outage_started_at), Date.parse(event.data.since));
  const duration_seconds = event.name === "monitor.up" ? lasted : null;
  return { ...event, data: { ...event.data, outage_id, outage_started_at, duration_seconds } };
}

function flappingEvent(
  monitor: MonitorRecord,
  { seq, changes }: { seq: number; changes: number },
  now: number,
): EventOf<"monitor.flapping"> {
  return {
    id: flappingEventId(monitor.id, seq),
    owner_id: monitor.owner_id,
    status_page_id: monitor.status_page_id,
    monitor_id: monitor.id,
    name: "monitor.flapping",
    // Children of a composite are not public.
    classification: monitor.parent_monitor_id === null ? "public" : "team_only",
    data: {
      monitor_id: monitor.id,
      monitor_name: monitor.name,
      status: monitor.status,
      message: `${changes} changes within 10 minutes; alerts wait until it is stable or down for a minute`,
      changes,
      since: toIso(now),
    },
    created_at: now,
  };
}
