import type { Scope } from "../access/scope.ts";
import type { MonitorTransition } from "../contract/monitor-transition.ts";
import { type Db, runBatch, type Statement } from "../data/db.ts";
import { listEvents } from "../data/events/read.ts";
import { replaceEvent } from "../data/events/write.ts";
import { findMonitorWithPage } from "../data/monitors/read.ts";
import {
  findCoveringWindow,
  findSuppressedOutage,
  isSuppressionEnded,
  listEndedSuppressions,
  listEndedSuppressionsAmong,
} from "../data/suppressed-outages/read.ts";
import { endSuppression, suppressOutage } from "../data/suppressed-outages/write.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { fanOut } from "../delivery/fan-out.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";
import { toIso } from "../platform/clock.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import { planIncidentEffects, type TransitionContext } from "./incidents.ts";
import { monitorEvent } from "./monitor-event.ts";
import { evaluateRules, retryStale, triggerOf } from "./rules.ts";

/**
 * During a maintenance window, public or private, transitions are recorded, but no alert is sent and no incident is opened. An outage
 * that starts in the window is suppressed together with its recovery. If the monitor is still down when the window ends,
 * the alert is sent then.
 */

export interface Suppression {
  /** The window that withholds the alert; null when the alert is sent. */
  suppressed_by: string | null;
  statements: Statement[];
}

const ALERTED: Suppression = { suppressed_by: null, statements: [] };
const OUTAGES_PER_MINUTE = 10_000;
/** An outage takes up to 25 queries, and 5 for each rule that fires on it. */
const OUTAGES_PER_MESSAGE = 20;

export async function decideSuppression(db: Db, { transition, monitor }: TransitionContext): Promise<Suppression> {
  if (transition.event === null) return ALERTED;
  if (transition.event === "monitor.up" && transition.outage) {
    const held = await findSuppressedOutage(db, monitor.id);
    if (held?.outage_seq !== transition.outage.seq) return ALERTED;
    // An alert that is sent in this moment needs its recovery: the batch fails, and the retry finds no suppression.
    const statements = [failBatchWhen(db, "stale", isSuppressionEnded(held)), endSuppression(db, held)];
    return { suppressed_by: held.held_by, statements };
  }
  const window = await findCoveringWindow(db, monitor.id, transition.at);
  if (window === null) return ALERTED;
  const { event, outage } = transition;
  const held = event === "monitor.down" && outage ? { monitor_id: monitor.id, outage_seq: outage.seq } : undefined;
  return { suppressed_by: window, statements: held ? [suppressOutage(db, { ...held, held_by: window })] : [] };
}

/** Every minute: alerts for monitors that are still down although their window has ended. */
export async function sweepSuppressions(scope: Scope): Promise<void> {
  const items = await listEndedSuppressions(scope.db, scope.now, OUTAGES_PER_MINUTE);
  await processInPortions(
    scope,
    { part: "ended suppressions", items, per_message: OUTAGES_PER_MESSAGE },
    endSuppressions,
  );
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

/** Publishes the event of the outage under its own id, with its incident and rules, as without a window. */
async function release(scope: Scope, monitorId: string): Promise<Publication> {
  const { db, now } = scope;
  const [ended] = await listEndedSuppressionsAmong(db, now, [monitorId]);
  const found = ended && (await findMonitorWithPage(db, monitorId));
  if (!found) return NOTHING;
  const { held } = ended;
  const context: TransitionContext = { ...found, transition: toTransition(ended.transition) };
  const incident = await planIncidentEffects(scope, context);
  const own = monitorEvent(context, incident.events[0]?.data.incident_id ?? null);
  const [withheld] = own ? await listEvents(db, [own.id]) : [];
  // A backtest has to know that no rule was evaluated when the outage began.
  const earlier = withheld && "muted_until" in withheld.data ? withheld.data.muted_until : null;
  const kept = typeof earlier === "string" ? { muted_until: earlier } : {};
  const announced = own ? [{ ...own, data: { ...own.data, released_at: toIso(now) } }] : [];
  const events = [...announced, ...incident.events];
  const rules = await evaluateRules(scope, [
    ...announced.map((event) => ({ ...triggerOf(event, found), at: now, in_maintenance: false, is_release: true })),
    ...incident.events.map((event) => ({ ...triggerOf(event, found), in_maintenance: false })),
  ]);
  const publication = joinPublications([await fanOut(scope, events, now, rules.routings), rules.publication]);
  await runBatch(db, [
    failBatchWhen(db, "stale", isSuppressionEnded(held)),
    endSuppression(db, held),
    ...incident.statements,
    ...announced.map((event) => replaceEvent(db, { ...event, data: { ...event.data, ...kept }, processed_at: now })),
    ...incident.events.map((event) => replaceEvent(db, { ...event, processed_at: now })),
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
