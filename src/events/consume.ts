import type { Scope } from "../access/scope.ts";
import { isKnownEvent, type KnownEvent, type NewEvent } from "../contract/events.ts";
import type { EventMessage } from "../contract/messages.ts";
import type { MonitorTransition } from "../contract/monitor-transition.ts";
import { runBatch } from "../data/db.ts";
import { findWaitingEvent, listEventsToWake } from "../data/events/read.ts";
import { insertEvent, markProcessed } from "../data/events/write.ts";
import { findMonitorWithPage, listRecordedSeqs } from "../data/monitors/read.ts";
import { recordTransition } from "../data/monitors/write.ts";
import { findPage } from "../data/status-pages/read.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { fanOut } from "../delivery/fan-out.ts";
import { releaseAlerts } from "../delivery/held-alerts.ts";
import { sendStatusPost } from "../delivery/status-posts.ts";
import { joinPublications, NOTHING, type Publication, sweepPages } from "../outbox/publication.ts";
import { monitorObject, tombstoneObject } from "../platform/monitor-objects.ts";
import { agentOfflineAudit, transitionAudit } from "./audit.ts";
import { recomputeComposite } from "./composites.ts";
import { publishRouted, wakeEvents } from "./emit.ts";
import { advanceEscalation } from "./escalation-runner.ts";
import { type Damping, dampChange, dampPause, tickFlapping } from "./flapping.ts";
import { NONE, planIncidentEffects, type TransitionContext } from "./incidents.ts";
import { monitorEvent } from "./monitor-event.ts";
import { recordOutage } from "./outages.ts";
import { readStatusCode } from "./rule-metrics.ts";
import { evaluateRules, type RuleOutcome, retryStale } from "./rules.ts";
import { withSubject } from "./subject.ts";
import { decideSuppression } from "./suppression.ts";

export async function consumeEvent(scope: Scope, message: EventMessage): Promise<void> {
  if ("event_id" in message) await consumeStored(scope, message.event_id);
  else if ("escalation_id" in message) await advanceEscalation(scope, message.escalation_id);
  else if ("status_post_id" in message) await sendStatusPost(scope, message.status_post_id);
  else if ("alerts_of" in message) await releaseAlerts(scope, message.alerts_of);
  else if ("flapping_monitor_id" in message) await tickFlapping(scope, message.flapping_monitor_id);
  else await consumeTransitions(scope, message.monitor_id, message.transitions);
}

/**
 * Commits a monitor's transitions in their order, each in one batch with everything that follows from it, then confirms
 * them to the object, which sends them again until then.
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
      // The object of a deleted monitor that still sends: it becomes a tombstone.
      await tombstoneObject(scope.env, monitorId);
      return;
    }
    await commitTransition(scope, { transition, ...found });
  }
  await recomputeComposite(scope, monitorId);
  await monitorObject(scope.env, monitorId).confirm(last.seq);
}

async function commitTransition(scope: Scope, context: TransitionContext): Promise<void> {
  const publication = await retryStale(() => storeTransition(scope, context));
  await publication.wake();
}

async function storeTransition(scope: Scope, context: TransitionContext): Promise<Publication> {
  const { db } = scope;
  const { transition, monitor, page } = context;
  const now = scope.now;
  const suppression = await decideSuppression(db, context);
  const { suppressed_by } = suppression;
  const isSuppressed = suppressed_by !== null;
  const incident =
    isSuppressed && transition.event === "monitor.down" ? NONE : await planIncidentEffects(scope, context);
  const own = monitorEvent(context, incident.events[0]?.data.incident_id ?? null);
  const published = own && !isSuppressed ? [own, ...incident.events] : incident.events;
  const suppressed = own && isSuppressed ? [{ ...own, data: { ...own.data, suppressed_by } }] : [];
  const isMuted = monitor.muted_until !== null && monitor.muted_until > now;
  const recorded = isMuted ? [...suppressed, ...published] : suppressed;
  const rules = await evaluateTransition(scope, context, { event: isMuted ? null : own, in_maintenance: isSuppressed });
  const damping =
    own && !isSuppressed && !isMuted
      ? await dampChange(scope, context, rules.routing)
      : await dampSilent(scope, context);
  const routing = damping.is_held ? { rule_id: null, ...rules.routing, is_held: true } : rules.routing;
  const routings = new Map(own && routing ? [[own.id, routing]] : []);
  const publication = joinPublications([
    await publishRouted(scope, isMuted ? [] : published, now, routings),
    rules.publication,
    damping.publication,
  ]);
  await runBatch(db, [
    ...suppression.statements,
    ...recordTransition(db, { monitor_id: monitor.id, transition, now }),
    ...recordOutage(db, context, { in_maintenance: isSuppressed }),
    transitionAudit(db, context, now),
    ...(page ? [bumpPageVersion(db, page.id, now)] : []),
    ...incident.statements,
    ...recorded.map((event) => insertEvent(db, { ...event, processed_at: now })),
    ...publication.statements,
  ]);
  return publication;
}

async function dampSilent(scope: Scope, { transition, monitor }: TransitionContext): Promise<Damping> {
  const publication = transition.to === "paused" ? await dampPause(scope, monitor) : NOTHING;
  return { is_held: false, publication };
}

/** A silent transition has no event, so rules do not listen to it. */
async function evaluateTransition(
  scope: Scope,
  { transition, monitor, page }: TransitionContext,
  { event, in_maintenance }: { event: KnownEvent | null; in_maintenance: boolean },
): Promise<RuleOutcome> {
  if (event === null) return { publication: NOTHING, routing: null };
  const { at, latency_ms, message, to } = transition;
  const outcome = to === "down" ? "failure" : to === "degraded" ? "slow" : "success";
  return evaluateRules(scope, {
    ...{ kind: "event", id: event.id, name: event.name, event, page, monitor, agent_id: monitor.agent_id },
    ...{ at, in_maintenance },
    latest: { at, outcome, latency_ms, status_code: readStatusCode(message) },
  });
}

async function consumeStored(scope: Scope, eventId: string): Promise<void> {
  const event = await findWaitingEvent(scope.db, eventId);
  if (!event) return;
  const publication = await retryStale(() => storeConsumed(scope, event));
  await publication.wake();
}

async function storeConsumed(scope: Scope, stored: NewEvent): Promise<Publication> {
  const { db, now } = scope;
  const event = await withSubject(scope, stored);
  const rules = await evaluateStored(scope, event);
  const routings = new Map(rules.routing ? [[event.id, rules.routing]] : []);
  const publication = joinPublications([await fanOut(scope, [event], now, routings), rules.publication]);
  const isOffline = isKnownEvent(event) && event.name === "agent.offline";
  await runBatch(db, [
    ...publication.statements,
    ...(isOffline ? [agentOfflineAudit(db, event, now)] : []),
    markProcessed(db, event, now),
  ]);
  return publication;
}

/** Emitted events were evaluated when they were emitted, if that was wanted. */
async function evaluateStored(scope: Scope, event: NewEvent): Promise<RuleOutcome> {
  if (!isKnownEvent(event) || event.status_page_id === null) return { publication: NOTHING, routing: null };
  const found = event.monitor_id === null ? undefined : await findMonitorWithPage(scope.db, event.monitor_id);
  const page = found?.page?.id === event.status_page_id ? found.page : await findPage(scope.db, event.status_page_id);
  return evaluateRules(scope, {
    ...{ kind: "event", id: event.id, name: event.name, event, page: page ?? null, monitor: found?.monitor ?? null },
    ...{ agent_id: "agent_id" in event.data ? event.data.agent_id : null, at: event.created_at, in_maintenance: false },
  });
}

/** Every minute: wakes the consumer for stored events that no message woke. */
export async function sweepEvents(scope: Scope): Promise<void> {
  await sweepPages(async (limit) => {
    const ids = await listEventsToWake(scope.db, scope.now, limit);
    await wakeEvents(
      scope,
      ids.map((id) => ({ id })),
    );
    return ids.length;
  });
}
