import type { Deps } from "../access/scope.ts";
import type { MonitorTransition } from "../contract/event.ts";
import type { EventMessage } from "../contract/messages.ts";
import { runBatch } from "../data/db.ts";
import { findWaitingEvent, listWaitingEvents } from "../data/events/read.ts";
import { insertEvent, markProcessed } from "../data/events/write.ts";
import { findMonitorWithPage, listRecordedSeqs } from "../data/monitors/read.ts";
import { recordTransition } from "../data/monitors/write.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { routeEvents, wakeDeliveries } from "../delivery/fan-out.ts";
import { tellSubscribers } from "../delivery/subscriber-messages.ts";
import { dissolveObject, monitorObject } from "../platform/monitor-objects.ts";
import { wakeSubscribers } from "../platform/subscriber-queue.ts";
import { tellComposite } from "./composites.ts";
import { followIncident, type Happening, NONE } from "./incidents.ts";
import { monitorEvent } from "./monitor-event.ts";
import { decideSilence } from "./suppression.ts";

/** The verbs that wrote an event wake its consumer themselves; the sweep looks for what is older than this. */
const WAKE_GRACE_MS = 30_000;
const SWEEP_MAX = 500;

export async function consumeEvent(deps: Deps, message: EventMessage): Promise<void> {
  if ("event_id" in message) await consumeStored(deps, message.event_id);
  else await consumeTransitions(deps, message.monitor_id, message.transitions);
}

/**
 * Commits a monitor's transitions in their order, each with everything that follows from it in one batch, then tells the
 * object, which keeps sending them until then.
 */
async function consumeTransitions(deps: Deps, monitorId: string, transitions: MonitorTransition[]): Promise<void> {
  const last = transitions.at(-1);
  if (!last) return;
  const recorded = new Set(
    await listRecordedSeqs(
      deps.db,
      monitorId,
      transitions.map(({ seq }) => seq),
    ),
  );
  for (const transition of transitions.filter(({ seq }) => !recorded.has(seq))) {
    const found = await findMonitorWithPage(deps.db, monitorId);
    if (!found) {
      // A deleted monitor whose object was not told: it learns so now, or it would send this for ever.
      await dissolveObject(deps.env, monitorId);
      return;
    }
    await commitTransition(deps, { transition, ...found });
  }
  await tellComposite(deps, monitorId);
  await monitorObject(deps.env, monitorId).confirm(last.seq);
}

async function commitTransition(deps: Deps, happening: Happening): Promise<void> {
  const { db } = deps;
  const { transition, monitor, page } = happening;
  const now = deps.now();
  const silence = await decideSilence(db, happening);
  const isHeld = silence.suppressed_by !== null;
  const incident = isHeld && transition.event === "monitor.down" ? NONE : await followIncident(db, happening, now);
  const own = monitorEvent(happening, now);
  const told = own && !isHeld ? [own, ...incident.events] : incident.events;
  const kept = own && isHeld ? [{ ...own, data: { ...own.data, suppressed_by: silence.suppressed_by } }] : [];
  const routed = await routeEvents(db, told, now);
  const telling = await tellSubscribers(db, incident.events, now);
  await runBatch(db, [
    ...silence.statements,
    ...recordTransition(db, { monitor_id: monitor.id, transition, now }),
    ...(page ? [bumpPageVersion(db, page.id, now)] : []),
    ...incident.statements,
    ...[...told, ...kept].map((event) => insertEvent(db, event)),
    ...routed.statements,
    ...telling.statements,
  ]);
  await wakeDeliveries(deps.env, deps.log, routed.delivery_ids);
  await wakeSubscribers(deps.env, deps.log, telling.messages);
}

async function consumeStored(deps: Deps, eventId: string): Promise<void> {
  const event = await findWaitingEvent(deps.db, eventId);
  if (!event) return;
  const now = deps.now();
  const routed = await routeEvents(deps.db, [event], now);
  const telling = await tellSubscribers(deps.db, [event], now);
  await runBatch(deps.db, [...routed.statements, ...telling.statements, markProcessed(deps.db, eventId, now)]);
  await wakeDeliveries(deps.env, deps.log, routed.delivery_ids);
  await wakeSubscribers(deps.env, deps.log, telling.messages);
}

/** Wakes the consumer for stored events whose message was lost. */
export async function sweepEvents(deps: Deps): Promise<void> {
  const waiting = await listWaitingEvents(deps.db, deps.now() - WAKE_GRACE_MS, SWEEP_MAX);
  for (let n = 0; n < waiting.length; n += 100) {
    await deps.env.EVENTS.sendBatch(waiting.slice(n, n + 100).map((event_id) => ({ body: { event_id } })));
  }
}
