import type { Scope } from "../access/scope.ts";
import type { MonitorTransition } from "../contract/monitor-transition.ts";
import { type Db, runBatch, type Statement } from "../data/db.ts";
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
import { processInPortions } from "../platform/minute-queue.ts";
import { planIncidentEffects, type TransitionContext } from "./incidents.ts";
import { monitorEvent } from "./monitor-event.ts";

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
/** An outage takes up to 25 queries. */
const OUTAGES_PER_MESSAGE = 30;

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
  for (const { held, transition } of await listEndedSuppressionsAmong(scope.db, scope.now, monitorIds)) {
    try {
      await release(scope, held, toTransition(transition));
    } catch (error) {
      scope.log.error("suppression end failed", error, { monitor_id: held.monitor_id });
    }
  }
}

type Releasable = Awaited<ReturnType<typeof listEndedSuppressionsAmong>>[number];

/** Publishes the event of the outage under its own id, with its incident, as without a window. */
async function release(scope: Scope, held: Releasable["held"], transition: MonitorTransition): Promise<void> {
  const { db } = scope;
  const found = await findMonitorWithPage(db, held.monitor_id);
  if (!found) return;
  const now = scope.now;
  const context: TransitionContext = { ...found, transition };
  const incident = await planIncidentEffects(scope, context);
  const own = monitorEvent(context, incident.events[0]?.data.incident_id ?? null);
  const events = own ? [own, ...incident.events] : incident.events;
  const publication = await fanOut(scope, events, now);
  await runBatch(db, [
    failBatchWhen(db, "stale", isSuppressionEnded(held)),
    endSuppression(db, held),
    ...incident.statements,
    ...events.map((event) => replaceEvent(db, { ...event, processed_at: now })),
    ...publication.statements,
  ]);
  await publication.wake();
}

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
