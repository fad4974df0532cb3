import type { Scope } from "../access/scope.ts";
import type { EventOf } from "../contract/events.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { listEvents } from "../data/events/read.ts";
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
import { failBatchWhen } from "../data/write-guards/write.ts";
import { deliverHeld } from "../delivery/fan-out.ts";
import {
  decide,
  FLAPPING_RULES,
  type FlappingDecision,
  type FlappingInput,
  type FlappingRules,
  type FlappingState,
  STEADY,
} from "../domain/flapping.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { changeEventId } from "../outbox/event-ids.ts";
import { joinPublications, NOTHING, type Publication, wake } from "../outbox/publication.ts";
import { toIso } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import type { Settings } from "../platform/settings.ts";
import { publish } from "./emit.ts";
import type { TransitionContext } from "./incidents.ts";
import { retryStale } from "./rules.ts";

/**
 * Alerts about a monitor that changes again and again, damped by the rules of domain/flapping.ts. Transitions, incidents
 * and escalations do not pass here: what waits are deliveries, which are not made before the change is announced. A
 * steady monitor has no row and costs one read for each change that it announces.
 */
export interface Damping {
  /** The deliveries of the change wait. */
  is_held: boolean;
  publication: Publication;
}

const UNDAMPED: Damping = { is_held: false, publication: NOTHING };
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

/** Decides about the deliveries of a change that is announced, in the batch that stores it. */
export async function dampChange(
  scope: Scope,
  { transition, monitor }: TransitionContext,
  routing: HeldRouting | null,
): Promise<Damping> {
  const rules = rulesOf(scope.settings);
  const { seq, event, at } = transition;
  if (event === null || (rules === null && !monitor.flapping)) return UNDAMPED;
  const limit = rules?.changes_max ?? 1;
  const { changes, flapping } = await findRecentChanges(scope.db, monitor.id, { before: seq, limit });
  const recent = changes.filter((change) => rules !== null && at - change.at < rules.window_ms);
  if (!flapping && recent.length < limit) return UNDAMPED;
  const before = flapping?.state ?? (await announcedBefore(scope, monitor.id, recent, seq));
  const decision = decide(before, { kind: "change", seq, event }, rules, at);
  const is_held = !decision.effects.some((effect) => effect.kind === "deliver" && effect.seq === seq);
  const carried = await carryOut(scope, monitor, {
    known: flapping,
    decision,
    rules,
    routing: is_held ? routing : null,
  });
  return { is_held, publication: carried };
}

/** A paused monitor flaps no longer, and nothing is delivered about it. */
export async function dampPause(scope: Scope, monitor: MonitorRecord): Promise<Publication> {
  if (!monitor.flapping) return NOTHING;
  return settle(scope, monitor, { kind: "pause" });
}

/** Announces what waited long enough, and ends what is steady again. Harmless when repeated or early. */
export async function tickFlapping(scope: Scope, monitorId: string): Promise<void> {
  const publication = await retryStale(async () => {
    const found = await findMonitorWithPage(scope.db, monitorId);
    if (!found) return NOTHING;
    const settled = await settle(scope, found.monitor, { kind: "tick" });
    await runBatch(scope.db, settled.statements);
    return settled;
  });
  await publication.wake();
}

/** Every minute: monitors for which time alone changes something. */
export async function sweepFlapping(scope: Scope): Promise<void> {
  const items = await listDueFlapping(scope.db, scope.now, MONITORS_PER_MINUTE);
  const work = { part: "due flapping monitors", items, per_message: MONITORS_PER_MESSAGE };
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

async function settle(scope: Scope, monitor: MonitorRecord, input: FlappingInput): Promise<Publication> {
  const known = await findFlapping(scope.db, monitor.id);
  if (!known) return NOTHING;
  const rules = rulesOf(scope.settings);
  const decision = decide(known.state, input, rules, scope.now);
  return carryOut(scope, monitor, { known, decision, rules, routing: known.held_routing });
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

async function carryOut(scope: Scope, monitor: MonitorRecord, decided: Decided): Promise<Publication> {
  const { known, decision, routing } = decided;
  const { state, effects } = decision;
  if (!known && state.flapping === null) return NOTHING;
  const held = known?.state.flapping?.held;
  const releases = effects.some((effect) => effect.kind === "deliver" && effect.seq === held?.seq);
  const announced = effects.find((effect) => effect.kind === "announce_flapping");
  const statements = storing(scope, monitor, { ...decided, routing: state.flapping?.held ? routing : null });
  return joinPublications([
    { statements, wake: () => setTimer(scope, monitor.id, decision) },
    held && releases ? await release(scope, monitor, { seq: held.seq, routing: known?.held_routing ?? null }) : NOTHING,
    announced ? publish(scope, [flappingEvent(monitor, announced, scope.now)]) : NOTHING,
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
  const messages = [{ flapping_monitor_id: monitorId }];
  await wake(scope, { queue: scope.env.EVENTS, messages, what: "flapping monitor", delay_ms });
}

async function release(
  scope: Scope,
  monitor: MonitorRecord,
  { seq, routing }: { seq: number; routing: HeldRouting | null },
): Promise<Publication> {
  if (monitor.muted_until !== null && monitor.muted_until > scope.now) return NOTHING;
  const [event] = await listEvents(scope.db, [changeEventId(monitor.id, seq)]);
  return event ? deliverHeld(scope, event, scope.now, routing) : NOTHING;
}

function flappingEvent(
  monitor: MonitorRecord,
  { seq, changes }: { seq: number; changes: number },
  now: number,
): EventOf<"monitor.flapping"> {
  return {
    id: idFrom("event", monitor.id, "flapping", String(seq)),
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
