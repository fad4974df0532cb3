import type { Scope } from "../access/scope.ts";
import type { MonitorTransition } from "../contract/event.ts";
import type { EventMessage } from "../contract/messages.ts";
import { runBatch } from "../data/db.ts";
import { findWaitingEvent, listWaitingEvents } from "../data/events/read.ts";
import { insertEvent, markProcessed } from "../data/events/write.ts";
import { findMonitorWithPage, listRecordedSeqs } from "../data/monitors/read.ts";
import { recordTransition } from "../data/monitors/write.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { routeEvents, wakeDeliveries } from "../delivery/fan-out.ts";
import { planSubscriberMessages } from "../delivery/subscriber-messages.ts";
import { monitorObject, tombstoneObject } from "../platform/monitor-objects.ts";
import { wakeSubscribers } from "../platform/subscriber-queue.ts";
import { recomputeComposite } from "./composites.ts";
import { NONE, planIncidentEffects, type TransitionContext } from "./incidents.ts";
import { monitorEvent } from "./monitor-event.ts";
import { decideSuppression } from "./suppression.ts";

/** The verbs that wrote an event wake its consumer themselves; the sweep looks for what is older than this. */
const WAKE_GRACE_MS = 30_000;
const SWEEP_MAX = 500;

export async function consumeEvent(scope: Scope, message: EventMessage): Promise<void> {
  if ("event_id" in message) await consumeStored(scope, message.event_id);
  else await consumeTransitions(scope, message.monitor_id, message.transitions);
}

/**
 * Commits a monitor's transitions in their order, each with everything that follows from it in one batch, then tells the
 * object, which keeps sending them until then.
 */
async function consumeTransitions(scope: Scope, monitorId: string, transitions: MonitorTransition[]): Promise<void> {
  const last = transitions.at(-1);
  if (!last) return;
  const recorded = new Set(
    await listRecordedSeqs(
      scope.db,
      monitorId,
      transitions.map(({ seq }) => seq),
    ),
  );
  for (const transition of transitions.filter(({ seq }) => !recorded.has(seq))) {
    const found = await findMonitorWithPage(scope.db, monitorId);
    if (!found) {
      // A deleted monitor whose object was not told: it learns so now, or it would send this for ever.
      await tombstoneObject(scope.env, monitorId);
      return;
    }
    await commitTransition(scope, { transition, ...found });
  }
  await recomputeComposite(scope, monitorId);
  await monitorObject(scope.env, monitorId).confirm(last.seq);
}

async function commitTransition(scope: Scope, happening: TransitionContext): Promise<void> {
  const { db } = scope;
  const { transition, monitor, page } = happening;
  const now = scope.now;
  const silence = await decideSuppression(db, happening);
  const isHeld = silence.suppressed_by !== null;
  const incident = isHeld && transition.event === "monitor.down" ? NONE : await planIncidentEffects(db, happening, now);
  const own = monitorEvent(happening, now);
  const told = own && !isHeld ? [own, ...incident.events] : incident.events;
  const kept = own && isHeld ? [{ ...own, data: { ...own.data, suppressed_by: silence.suppressed_by } }] : [];
  const routed = await routeEvents(db, told, now);
  const telling = await planSubscriberMessages(db, incident.events, now);
  await runBatch(db, [
    ...silence.statements,
    ...recordTransition(db, { monitor_id: monitor.id, transition, now }),
    ...(page ? [bumpPageVersion(db, page.id, now)] : []),
    ...incident.statements,
    ...[...told, ...kept].map((event) => insertEvent(db, event)),
    ...routed.statements,
    ...telling.statements,
  ]);
  await wakeDeliveries(scope.env, scope.log, routed.delivery_ids);
  await wakeSubscribers(scope.env, scope.log, telling.messages);
}

async function consumeStored(scope: Scope, eventId: string): Promise<void> {
  const event = await findWaitingEvent(scope.db, eventId);
  if (!event) return;
  const now = scope.now;
  const routed = await routeEvents(scope.db, [event], now);
  const telling = await planSubscriberMessages(scope.db, [event], now);
  await runBatch(scope.db, [...routed.statements, ...telling.statements, markProcessed(scope.db, eventId, now)]);
  await wakeDeliveries(scope.env, scope.log, routed.delivery_ids);
  await wakeSubscribers(scope.env, scope.log, telling.messages);
}

/** Wakes the consumer for stored events whose message was lost. */
export async function sweepEvents(scope: Scope): Promise<void> {
  const waiting = await listWaitingEvents(scope.db, scope.now - WAKE_GRACE_MS, SWEEP_MAX);
  for (let n = 0; n < waiting.length; n += 100) {
    await scope.env.EVENTS.sendBatch(waiting.slice(n, n + 100).map((event_id) => ({ body: { event_id } })));
  }
}
