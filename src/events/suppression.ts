import type { Scope } from "../access/scope.ts";
import type { MonitorTransition } from "../contract/event.ts";
import { type Db, runBatch, type Statement } from "../data/db.ts";
import { findMonitorWithPage } from "../data/monitors/read.ts";
import {
  findCoveringWindow,
  findSuppressedOutage,
  isSuppressionEnded,
  listEndedSuppressions,
} from "../data/suppressed-outages/read.ts";
import { endSuppression, releaseEvent, suppressOutage } from "../data/suppressed-outages/write.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { routeEvents, wakeDeliveries } from "../delivery/fan-out.ts";
import { planSubscriberMessages } from "../delivery/subscriber-messages.ts";
import { wakeSubscribers } from "../platform/subscriber-queue.ts";
import { planIncidentEffects, type TransitionContext } from "./incidents.ts";
import { monitorEvent } from "./monitor-event.ts";

/**
 * Inside a public maintenance window statuses are recorded, but nobody is told and no incident is opened. An outage that
 * began there is held: its recovery is told to nobody either, and when the window is over before it is, it alerts then.
 */

export interface Suppression {
  /** The window that keeps this from being told; null when it is told. */
  suppressed_by: string | null;
  statements: Statement[];
}

const TOLD: Suppression = { suppressed_by: null, statements: [] };
const RELEASED_PER_MINUTE = 200;

export async function decideSuppression(db: Db, { transition, monitor }: TransitionContext): Promise<Suppression> {
  if (transition.event === null) return TOLD;
  if (transition.event === "monitor.up" && transition.outage) {
    const held = await findSuppressedOutage(db, monitor.id);
    if (held?.outage_seq !== transition.outage.seq) return TOLD;
    // Told of in this moment, it has to be told that it is over, too: the message comes again and finds nothing held.
    const statements = [failBatchWhen(db, "stale", isSuppressionEnded(held)), endSuppression(db, held)];
    return { suppressed_by: held.held_by, statements };
  }
  const window = await findCoveringWindow(db, monitor.id, transition.at);
  if (window === null) return TOLD;
  const { event, outage } = transition;
  const held = event === "monitor.down" && outage ? { monitor_id: monitor.id, outage_seq: outage.seq } : undefined;
  return { suppressed_by: window, statements: held ? [suppressOutage(db, { ...held, held_by: window })] : [] };
}

/** Every minute: alerts for what is still down although its window is over, however that came about. */
export async function sweepSuppressions(scope: Scope): Promise<void> {
  const releasable = await listEndedSuppressions(scope.db, scope.now, RELEASED_PER_MINUTE);
  for (const { held, transition } of releasable) {
    try {
      await release(scope, held, toTransition(transition));
    } catch (error) {
      scope.log.error("outage not released", error, { monitor_id: held.monitor_id });
    }
  }
}

type Releasable = Awaited<ReturnType<typeof listEndedSuppressions>>[number];

/** The outage's own event, so that whatever is keyed by it stays single, with its incident as if there had been no window. */
async function release(scope: Scope, held: Releasable["held"], transition: MonitorTransition): Promise<void> {
  const { db } = scope;
  const found = await findMonitorWithPage(db, held.monitor_id);
  if (!found) return;
  const now = scope.now;
  const happening: TransitionContext = { ...found, transition };
  const incident = await planIncidentEffects(db, happening, now);
  const own = monitorEvent(happening, now);
  const events = own ? [own, ...incident.events] : incident.events;
  const routed = await routeEvents(db, events, now);
  const telling = await planSubscriberMessages(db, incident.events, now);
  await runBatch(db, [
    failBatchWhen(db, "stale", isSuppressionEnded(held)),
    endSuppression(db, held),
    ...incident.statements,
    ...events.map((event) => releaseEvent(db, event)),
    ...routed.statements,
    ...telling.statements,
  ]);
  await wakeDeliveries(scope.env, scope.log, routed.delivery_ids);
  await wakeSubscribers(scope.env, scope.log, telling.messages);
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
