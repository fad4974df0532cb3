import type { Scope } from "../access/scope.ts";
import type { MonitorTransition } from "../contract/monitor-transition.ts";
import { type Db, runBatch, type Statement } from "../data/db.ts";
import { listEvents } from "../data/events/read.ts";
import { replaceEvent } from "../data/events/write.ts";
import { findFlapping, isFlappingChanged } from "../data/flapping/read.ts";
import type { HeldRouting } from "../data/flapping/table.ts";
import { saveFlapping } from "../data/flapping/write.ts";
import { findMonitorWithPage } from "../data/monitors/read.ts";
import {
  findCoveringWindow,
  findHoldingParent,
  findSuppressedOutage,
  findUnended,
  isSuppressionEnded,
  listEndedSuppressions,
  listEndedSuppressionsAmong,
  MUTE,
  PARENT,
  RULE,
  type SuppressedOutage,
} from "../data/suppressed-outages/read.ts";
import { endSuppression, forgetSuppression, suppressOutage } from "../data/suppressed-outages/write.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { fanOut } from "../delivery/fan-out.ts";
import { findSuppressionEnd } from "../domain/alert-routing.ts";
import { noteAnnounced } from "../domain/flapping.ts";
import { isWithheld, type Withholding } from "../domain/suppression.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";
import { toIso } from "../platform/clock.ts";
import { enqueuePortions, processInPortions } from "../platform/minute-queue.ts";
import { joinIncidentsAbove, planIncidentEffects } from "./incidents.ts";
import { nameLocations } from "./location-names.ts";
import { type ChangeOfStatus, failingIn, monitorEvent, type TransitionContext } from "./monitor-event.ts";
import {
  evaluateRules,
  NO_RULES,
  publishRules,
  type RuleOutcome,
  retryStale,
  toHeldRouting,
  triggerOf,
} from "./rules.ts";

/**
 * During a maintenance window, public or private, a mute, the time for which a rule suppresses alerts, or the outage of what
 * the monitor depends on, transitions are recorded, but no alert is sent and no incident is opened. An outage that begins in
 * it is withheld together with its recovery. If the monitor is still down when nothing withholds it any more, the alert is sent then.
 */
export interface Suppression {
  /** Null where nothing withholds the change; a recovery may be sent nevertheless. */
  withholding: Withholding | null;
  is_sent: boolean;
  /** The announced changes that a recovery ends; null: of that the database has lost. */
  ends: readonly number[] | null;
  /** What is stored of a change that is withheld. */
  held: SuppressedOutage | null;
  statements: Statement[];
}

const OUTAGES_PER_MINUTE = 10_000;
/** An outage takes up to 25 queries, and 5 for each rule that fires on it. */
const OUTAGES_PER_MESSAGE = 20;

export async function decideSuppression(scope: Scope, context: TransitionContext): Promise<Suppression> {
  const { db, now } = scope;
  const { transition, monitor } = context;
  const announced: Suppression = { withholding: null, is_sent: true, ends: null, held: null, statements: [] };
  if (transition.event === null) return announced;
  if (transition.event === "monitor.up") return decideRecovery(db, context);
  const withholding = await findWithholding(db, context, { at: transition.at, now });
  if (withholding === null) return { ...announced, statements: [forgetSuppression(db, monitor.id)] };
  return {
    ...announced,
    withholding,
    is_sent: false,
    held: await holdChange(db, context, withholding),
    statements: withholding.waits_for === null ? [] : await joinIncidentsAbove(scope, context),
  };
}

/** A window counts from the instant of the change, mutes and rules from that at which its alert would be sent. */
export async function findWithholding(
  db: Db,
  { monitor, page }: Pick<TransitionContext, "monitor" | "page">,
  { at, now }: { at: number; now: number },
): Promise<Withholding | null> {
  const { muted_until } = monitor;
  const [suppressed_by, waits_for] = await Promise.all([
    findCoveringWindow(db, monitor.id, at),
    findHoldingParent(db, monitor, now),
  ]);
  const withholding: Withholding = {
    suppressed_by,
    muted_until: muted_until !== null && muted_until > now ? muted_until : null,
    suppressed_until: findSuppressionEnd(monitor.id, page?.alert_suppressions, now),
    waits_for,
  };
  return isWithheld(withholding) ? withholding : null;
}

async function holdChange(
  db: Db,
  { transition, monitor }: TransitionContext,
  withholding: Withholding,
): Promise<SuppressedOutage> {
  const earlier = await findSuppressedOutage(db, monitor.id);
  const flapping = monitor.flapping ? (await findFlapping(db, monitor.id))?.state.flapping?.unended : undefined;
  // A slow answer that was announced before still waits for its end.
  const degraded = transition.from === "degraded" ? [transition.seq - 1] : [];
  return {
    monitor_id: monitor.id,
    outage_seq: transition.seq,
    held_by: heldBy(withholding),
    announced: earlier?.announced ?? [...(flapping ?? degraded)],
    routing: null,
  };
}

/** A rule that fired on the very change withholds it. */
export async function suppressByRule(db: Db, context: TransitionContext, until: number): Promise<Suppression> {
  const withholding = { suppressed_by: null, muted_until: null, suppressed_until: until, waits_for: null };
  const held = await holdChange(db, context, withholding);
  return { withholding, is_sent: false, ends: null, held, statements: [] };
}

function heldBy({ suppressed_by, muted_until, suppressed_until, waits_for }: Withholding): string {
  if (suppressed_by !== null) return suppressed_by;
  if (muted_until !== null) return MUTE;
  return waits_for === null || suppressed_until !== null ? RULE : `${PARENT}${waits_for}`;
}

/** The recovery of what was withheld is withheld, too, unless it ends what was announced. */
async function decideRecovery(db: Db, { transition, monitor }: TransitionContext): Promise<Suppression> {
  const { changes, held } = await findUnended(db, monitor.id, transition.seq);
  const { outage } = transition;
  const isLost = outage !== null && !changes.includes(outage.seq);
  const announced: Suppression = {
    withholding: null,
    is_sent: true,
    ends: isLost ? null : changes,
    held: null,
    statements: [],
  };
  if (held === undefined || (outage !== null && held.outage_seq !== outage.seq)) return announced;
  // An alert that is sent in this moment needs its recovery: the batch fails, and the retry finds no suppression.
  const statements = [failBatchWhen(db, "stale", isSuppressionEnded(held)), endSuppression(db, held)];
  const withholding = withholdingOf(held, monitor.muted_until ?? transition.at);
  return { ...announced, withholding, is_sent: held.announced.length > 0, ends: held.announced, statements };
}

function withholdingOf({ held_by }: SuppressedOutage, until: number): Withholding {
  const waits_for = held_by.startsWith(PARENT) ? held_by.slice(PARENT.length) : null;
  const isWindow = held_by !== MUTE && held_by !== RULE && waits_for === null;
  return {
    suppressed_by: isWindow ? held_by : null,
    muted_until: held_by === MUTE ? until : null,
    suppressed_until: held_by === RULE ? until : null,
    waits_for,
  };
}

/** Every minute: alerts for monitors that are still down although their window has ended. */
export async function sweepSuppressions(scope: Scope): Promise<void> {
  await processInPortions(scope, await listEnded(scope), endSuppressions);
}

/** The same in an invocation of its own. */
export async function enqueueSuppressions(scope: Scope): Promise<void> {
  await enqueuePortions(scope, await listEnded(scope));
}

async function listEnded({ db, now }: Scope) {
  const items = await listEndedSuppressions(db, now, OUTAGES_PER_MINUTE);
  return { part: "ended suppressions", items, per_message: OUTAGES_PER_MESSAGE } as const;
}

export async function endSuppressions(scope: Scope, monitorIds: readonly string[]): Promise<void> {
  for (const monitor_id of monitorIds) {
    try {
      const publication = await retryStale(() => release(scope, monitor_id));
      await publication.wake();
    } catch (error) {
      scope.log.error("suppression end failed", error, { monitor_id });
    }
  }
}

/** Publishes the event of the outage under its own id, with its incident and rules, as if nothing had withheld it. */
async function release(scope: Scope, monitorId: string): Promise<Publication> {
  const { db, now } = scope;
  const [ended] = await listEndedSuppressionsAmong(db, now, [monitorId]);
  const found = ended && (await findMonitorWithPage(db, monitorId));
  if (!found) return NOTHING;
  const { held } = ended;
  const transition = toTransition(ended.transition);
  const context: TransitionContext = {
    ...found,
    transition,
    location_names: await nameLocations(db, failingIn(transition)),
  };
  const plain = await planIncidentEffects(scope, context);
  const planned = monitorEvent(context, plain.incident_id, scope.settings.PUBLIC_URL);
  if (planned === null) return NOTHING;
  const [withheld] = await listEvents(db, [planned.id]);
  // A backtest has to know that no rule was evaluated when the outage began.
  const unevaluated = withheld && !isEvaluatedAtOnce(withheld) ? pickUnevaluated(withheld.data) : null;
  const trigger = { ...triggerOf(planned, found), at: now, in_maintenance: false, is_release: unevaluated === null };
  const rules = held.held_by === RULE ? NO_RULES : await evaluateRules(scope, [trigger]);
  const routing = rules.routings.get(planned.id) ?? held.routing;
  if (rules.routings.get(planned.id)?.suppressed_until !== undefined)
    return holdLonger(scope, { held, routing, rules });
  const incident = rules.incident ?? plain;
  const announced = announcementOf(planned, { incident_id: incident.incident_id, now });
  // What a rule opened is not evaluated again.
  const others = await evaluateRules(
    scope,
    plain === incident ? plain.events.map((event) => ({ ...triggerOf(event, found), in_maintenance: false })) : [],
  );
  const routings = new Map([
    ...rules.routings,
    ...others.routings,
    ...(routing ? [[announced.id, routing] as const] : []),
  ]);
  const publication = joinPublications([
    await fanOut(scope, [announced, ...incident.events], now, routings),
    rules.publication,
    others.publication,
  ]);
  const data = { ...announced.data, ...(unevaluated ?? suppressedBefore(held, now)) };
  await runBatch(db, [
    failBatchWhen(db, "stale", isSuppressionEnded(held)),
    endSuppression(db, held),
    ...(found.monitor.flapping ? await noteRelease(db, held) : []),
    ...incident.statements,
    replaceEvent(db, { ...announced, data, processed_at: now }),
    ...incident.events.map((event) => replaceEvent(db, { ...event, processed_at: now })),
    ...publication.statements,
  ]);
  return publication;
}

/** Rules are evaluated on what is muted, or waits for what its monitor depends on, when it is announced. */
export function isEvaluatedAtOnce({ data }: { data: object }): boolean {
  return Object.keys(pickUnevaluated(data)).length === 0;
}

function pickUnevaluated(data: object): { muted_until?: string; waits_for?: string } {
  const { muted_until, waits_for }: { muted_until?: unknown; waits_for?: unknown } = data;
  return {
    ...(typeof muted_until === "string" && { muted_until }),
    ...(typeof waits_for === "string" && { waits_for }),
  };
}

function announcementOf(
  event: ChangeOfStatus,
  { incident_id, now }: { incident_id: string | null; now: number },
): ChangeOfStatus & { data: { released_at: string } } {
  return { ...event, data: { ...event.data, incident_id, released_at: toIso(now) } };
}

async function noteRelease(db: Db, { monitor_id, outage_seq }: SuppressedOutage): Promise<Statement[]> {
  const known = await findFlapping(db, monitor_id);
  if (!known) return [];
  const noted = { ...known, state: noteAnnounced(known.state, outage_seq), revision: known.revision + 1 };
  return [failBatchWhen(db, "stale", isFlappingChanged(monitor_id, known)), saveFlapping(db, noted)];
}

/** Rules were evaluated when it began, and not once more. */
function suppressedBefore({ held_by }: SuppressedOutage, now: number): { suppressed_until?: string } {
  return held_by === RULE ? { suppressed_until: toIso(now) } : {};
}

/** A rule that fires on what a window or mute withheld suppresses its alert once more. */
async function holdLonger(
  scope: Scope,
  { held, routing, rules }: { held: SuppressedOutage; routing: HeldRouting | null; rules: RuleOutcome },
): Promise<Publication> {
  const { db } = scope;
  const publication = await publishRules(scope, rules);
  await runBatch(db, [
    failBatchWhen(db, "stale", isSuppressionEnded(held)),
    suppressOutage(db, { ...held, held_by: RULE, routing: routing && toHeldRouting(routing) }),
    ...publication.statements,
  ]);
  return publication;
}

type Releasable = Awaited<ReturnType<typeof listEndedSuppressionsAmong>>[number];

function toTransition(row: Releasable["transition"]): MonitorTransition {
  return {
    seq: row.seq,
    from: row.from_status,
    to: row.to_status,
    at: row.decided_at,
    effective_at: row.effective_at,
    message: row.message,
    latency_ms: null,
    region: null,
    outage: { seq: row.seq, started_at: row.effective_at },
    event: "monitor.down",
  };
}
