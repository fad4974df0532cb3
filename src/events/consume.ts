import type { Scope } from "../access/scope.ts";
import type { MeasuredCheck } from "../contract/check.ts";
import { isKnownEvent, type KnownEvent, type NewEvent } from "../contract/events.ts";
import type { EventMessage } from "../contract/messages.ts";
import type { MonitorTransition } from "../contract/monitor-transition.ts";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import { runBatch } from "../data/db.ts";
import { touchEscalationsOfMonitor } from "../data/escalations/write.ts";
import {
  findEventOfWaitingRules,
  findWaitingEvent,
  listEventsToWake,
  listWaitingRulesToWake,
} from "../data/events/read.ts";
import { endRulesWaiting, insertEvent, markProcessed } from "../data/events/write.ts";
import type { AlertScope } from "../data/held-alerts/read.ts";
import { findMonitorWithPage, listRecordedSeqs } from "../data/monitors/read.ts";
import { recordTransition } from "../data/monitors/write.ts";
import { findPage } from "../data/status-pages/read.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { suppressOutage } from "../data/suppressed-outages/write.ts";
import { sendContactMessages } from "../delivery/contact-messages.ts";
import { fanOut, type Routing } from "../delivery/fan-out.ts";
import { releaseAlerts } from "../delivery/held-alerts.ts";
import { sendStatusPost } from "../delivery/status-posts.ts";
import { toMeasuredCheck } from "../domain/rule-metrics.ts";
import type { Withholding } from "../domain/suppression.ts";
import { assertNever } from "../lib/assert-never.ts";
import { Turns } from "../lib/turns.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import { changeEventId } from "../outbox/event-ids.ts";
import { joinPublications, type Publication, sweepPages } from "../outbox/publication.ts";
import { toIso } from "../platform/clock.ts";
import { monitorObject, tombstoneObject } from "../platform/monitor-objects.ts";
import { OBJECT_TIMEOUT_MS } from "../platform/object-timeout.ts";
import { agentOfflineAudit, transitionAudit } from "./audit.ts";
import { recomputeComposite } from "./composites.ts";
import { wakeEvents } from "./emit.ts";
import { advanceEscalation } from "./escalation-runner.ts";
import { type Damping, dampChange, endAnnounced, tickFlapping } from "./flapping.ts";
import { bundleIncidents } from "./incident-bundles.ts";
import { type IncidentEffects, NONE, planIncidentEffects, replaceIncident } from "./incidents.ts";
import { nameLocations } from "./location-names.ts";
import { failingIn, isChangeOfStatus, monitorEvent, type TransitionContext } from "./monitor-event.ts";
import { completeRegions, recordOutage } from "./outages.ts";
import {
  evaluateRules,
  NO_RULES,
  publishRules,
  type RuleOutcome,
  type RuleTrigger,
  retryStale,
  toHeldRouting,
  triggerOf,
  wakeRules,
} from "./rules.ts";
import { withSubject } from "./subject.ts";
import {
  decideSuppression,
  enqueueSuppressions,
  isEvaluatedAtOnce,
  type Suppression,
  suppressByRule,
} from "./suppression.ts";

/** What messages of one invocation share. */
interface Together {
  /** By page. */
  turns: Turns;
  /** Whether the invocation may begin a further transition. */
  hasRoom(): boolean;
}

export async function consumeEvent(
  scope: Scope,
  message: EventMessage,
  together: Together = { turns: new Turns(), hasRoom: () => true },
): Promise<void> {
  switch (message.kind) {
    case "transitions":
      return consumeTransitions(scope, message, together);
    case "event":
      return consumeStored(scope, message.event_id);
    case "escalation":
      return advanceEscalation(scope, message.escalation_id);
    case "status_post":
      return sendStatusPost(scope, message.status_post_id);
    case "contact_messages":
      return sendContactMessages(scope, message.contact_message_ids);
    case "held_alerts":
      return releaseTogether(scope, message.alerts_of);
    case "rules":
      return continueRules(scope, message.rules_on, together);
    case "regions":
      return completeRegions(scope, message.regions_of);
    case "flapping":
      return tickFlapping(scope, message.flapping_monitor_id);
    default:
      return assertNever(message);
  }
}

/** Where many began together, one incident lists them before anybody reads of them. */
async function releaseTogether(scope: Scope, key: AlertScope): Promise<void> {
  await bundleIncidents(scope, key);
  await releaseAlerts(scope, key);
}

/**
 * Commits a monitor's transitions in their order, each in one batch with everything that follows from it, then confirms
 * them to the object, which sends them again until then, and with that those for which the invocation has no room. Where it
 * has room for none, there is nothing to confirm, and the message itself is sent again.
 */
async function consumeTransitions(
  scope: Scope,
  { monitor_id: monitorId, transitions }: { monitor_id: string; transitions: MonitorTransition[] },
  { turns, hasRoom }: Together,
): Promise<void> {
  const [oldest, last] = [transitions[0], transitions.at(-1)];
  if (!oldest || !last) return;
  const seqs = transitions.map(({ seq }) => seq);
  const [recorded, first] = await Promise.all([
    listRecordedSeqs(scope.db, monitorId, seqs),
    findMonitorWithPage(scope.db, monitorId),
  ]);
  const unrecorded = transitions.filter(({ seq }) => !recorded.includes(seq));
  let confirmed = unrecorded[0] ? unrecorded[0].seq - 1 : last.seq;
  for (const [n, transition] of unrecorded.entries()) {
    // Each commit may change what the next one reads.
    const found = await settleFlapping(scope, n === 0 ? first : await findMonitorWithPage(scope.db, monitorId));
    if (!found) {
      // The object of a deleted monitor that still sends: it becomes a tombstone.
      await withDeadline(tombstoneObject(scope.env, monitorId), OBJECT_TIMEOUT_MS);
      return;
    }
    const commit = async () => {
      if (!hasRoom()) return false;
      const location_names = await nameLocations(scope.db, failingIn(transition));
      await commitTransition(scope, { transition, ...found, location_names });
      return true;
    };
    // Side by side they would fire the same rules, of which one succeeds and the others begin again.
    const { page } = found;
    const isCommitted = page && page.enabled_rules > 0 ? await turns.take(page.id, commit) : await commit();
    if (!isCommitted) break;
    confirmed = transition.seq;
  }
  if (confirmed < oldest.seq) {
    await scope.env.EVENTS.send({ kind: "transitions", monitor_id: monitorId, transitions });
    return;
  }
  await recomputeComposite(scope, monitorId);
  await withDeadline(monitorObject(scope.env, monitorId).confirm(confirmed), OBJECT_TIMEOUT_MS);
}

/** What is due of a monitor that flaps comes before its next change. */
async function settleFlapping(scope: Scope, found: Awaited<ReturnType<typeof findMonitorWithPage>>) {
  if (!found?.monitor.flapping) return found;
  await tickFlapping(scope, found.monitor.id);
  return findMonitorWithPage(scope.db, found.monitor.id);
}

async function commitTransition(scope: Scope, context: TransitionContext): Promise<void> {
  const publication = await retryStale(() => storeTransition(scope, context));
  await publication.wake();
}

async function storeTransition(scope: Scope, context: TransitionContext): Promise<Publication> {
  const suppression = await decideSuppression(scope, context);
  const damping = await dampChange(scope, context, suppression);
  const plain = suppression.held === null ? await planIncidentEffects(scope, context, damping) : NONE;
  const planned = eventOf(scope, context, { incident: plain, withholding: suppression.withholding });
  const rules = await evaluateTransition(scope, context, planned ? [planned] : []);
  const incident = rules.incident
    ? replaceIncident(scope, context, { opened: rules.incident, flapping: damping })
    : plain;
  const own = eventOf(scope, context, { incident, withholding: suppression.withholding });
  const routing = (own && rules.routings.get(own.id)) ?? null;
  const until = routing?.suppressed_until;
  if (own === null || until === undefined || own.name === "monitor.up" || suppression.held !== null) {
    return storeAnnouncement(scope, context, { suppression, damping, incident, own, rules, routing });
  }
  const withheld = await suppressByRule(scope.db, context, until);
  return storeAnnouncement(scope, context, {
    suppression: withheld,
    damping: await dampChange(scope, context, withheld),
    incident: rules.incident ?? NONE,
    own: eventOf(scope, context, { incident: rules.incident ?? NONE, withholding: withheld.withholding }),
    rules,
    routing,
  });
}

interface Announcement {
  suppression: Suppression;
  damping: Damping;
  incident: IncidentEffects;
  /** Null for a silent transition. */
  own: ReturnType<typeof monitorEvent>;
  /** What fired on it. */
  rules: RuleOutcome;
  routing: Routing | null;
}

async function storeAnnouncement(
  scope: Scope,
  context: TransitionContext,
  { suppression, damping, incident, rules, routing, ...announcement }: Announcement,
): Promise<Publication> {
  const { db, now } = scope;
  const own = announcement.own && (await endAnnounced(scope, announcement.own));
  const { transition, monitor, page } = context;
  const { withholding, held, ends } = suppression;
  // What a rule opened is not evaluated again.
  const others = await evaluateTransition(scope, context, rules.incident === null ? incident.events : []);
  // A rule that fires in maintenance sends the alert that the window withholds.
  const isSentByRule = routing !== null && routing.suppressed_until === undefined && isInMaintenanceAlone(withholding);
  const sent = own && (suppression.is_sent || isSentByRule) ? [own] : [];
  const routings = new Map([...rules.routings, ...others.routings]);
  if (own) {
    const ended = ends?.map((seq) => changeEventId(monitor.id, seq));
    routings.set(own.id, { rule_id: null, ...routing, is_held: damping.is_held, ends: ended });
  }
  const publication = joinPublications([
    await fanOut(scope, [...sent, ...incident.events], now, routings),
    rules.publication,
    others.publication,
    await damping.carryOut(routing && toHeldRouting(routing)),
  ]);
  const announced = held && isSentByRule ? [...held.announced, transition.seq] : held?.announced;
  await runBatch(db, [
    ...suppression.statements,
    ...(held && announced
      ? [suppressOutage(db, { ...held, announced, routing: routing && toHeldRouting(routing) })]
      : []),
    ...recordTransition(db, { monitor_id: monitor.id, transition, now }),
    ...recordOutage(db, context, { in_maintenance: isInMaintenance(withholding) }),
    transitionAudit(db, context, now),
    ...(endsPause(transition) ? [touchEscalationsOfMonitor(db, monitor.id, now)] : []),
    ...(page ? [bumpPageVersion(db, page.id, now)] : []),
    ...incident.statements,
    ...[...(own ? [own] : []), ...incident.events].map((event) => insertEvent(db, { ...event, processed_at: now })),
    ...publication.statements,
  ]);
  return publication;
}

/** What an outage that went on through a pause would have notified of meanwhile is due now. */
function endsPause({ from, to, outage }: MonitorTransition): boolean {
  const isSilent = (status: MonitorTransition["to"]) => status === "paused" || status === "pending";
  return outage !== null && to !== "up" && isSilent(from) && !isSilent(to);
}

const isInMaintenance = (withholding: Withholding | null) => withholding !== null && withholding.suppressed_by !== null;

function isInMaintenanceAlone(withholding: Withholding | null): boolean {
  if (withholding === null) return false;
  const { suppressed_by, muted_until, suppressed_until, waits_for } = withholding;
  return suppressed_by !== null && muted_until === null && suppressed_until === null && waits_for === null;
}

/** The event of a transition, with what withholds it; null for a silent one. */
function eventOf(
  { settings }: Scope,
  context: TransitionContext,
  { incident, withholding }: { incident: IncidentEffects; withholding: Withholding | null },
): Announcement["own"] {
  const own = monitorEvent(context, incident.incident_id, settings.PUBLIC_URL);
  if (own === null || withholding === null) return own;
  const { suppressed_by, muted_until, suppressed_until, waits_for } = withholding;
  return {
    ...own,
    data: {
      ...own.data,
      ...(suppressed_by !== null && { suppressed_by }),
      ...(muted_until !== null && { muted_until: toIso(muted_until) }),
      ...(suppressed_until !== null && { suppressed_until: toIso(suppressed_until) }),
      ...(waits_for !== null && { waits_for }),
    },
  };
}

function evaluateTransition(
  scope: Scope,
  { transition, monitor, page }: TransitionContext,
  events: readonly KnownEvent[],
): Promise<RuleOutcome> {
  const { at, checked_at, region, latency_ms, message, to } = transition;
  const latest = measure({ at: checked_at ?? at, region, status: to, latency_ms, message });
  return evaluateRules(
    scope,
    events.filter(isEvaluatedAtOnce).map((event) => ({
      ...triggerOf(event, { page, monitor }),
      latest,
      turn: "first",
      in_maintenance: isSuppressed(event),
    })),
  );
}

interface Reported {
  at: number;
  region: string | null;
  status: MonitorStatus;
  latency_ms: number | null;
  message: string;
}

/** What a change of status says of the check that made it. */
function measure({ at, region, status, latency_ms, message }: Reported): MeasuredCheck {
  const outcome = status === "down" ? "failure" : status === "degraded" ? "slow" : "success";
  return toMeasuredCheck({ checked_at: at, outcome, latency_ms, message, ...(region && { region }) });
}

/** Whether an event happened in maintenance. */
function isSuppressed({ data }: KnownEvent): boolean {
  return "suppressed_by" in data && typeof data.suppressed_by === "string";
}

/** Fires the rules on an event for which the turns before had no room. */
async function continueRules(scope: Scope, eventId: string, { turns, hasRoom }: Together): Promise<void> {
  const waiting = await findEventOfWaitingRules(scope.db, eventId);
  if (!waiting) return;
  const { event, check: latest } = waiting;
  const isFired = await turns.take(event.status_page_id ?? "", async () => {
    if (!hasRoom()) return false;
    const publication = await retryStale(async () => {
      const publication = await publishRules(scope, await evaluateStored(scope, event, { turn: "later", latest }));
      await runBatch(scope.db, [endRulesWaiting(scope.db, event.id), ...publication.statements]);
      return publication;
    });
    await publication.wake();
    return true;
  });
  if (!isFired) await wakeRules(scope, [event.id]);
}

async function consumeStored(scope: Scope, eventId: string): Promise<void> {
  const event = await findWaitingEvent(scope.db, eventId);
  if (!event) return;
  const publication = await retryStale(() => storeConsumed(scope, event));
  await publication.wake();
  // What the window withheld is announced right behind its end.
  if (event.name === "maintenance.completed") await enqueueSuppressions(scope);
}

async function storeConsumed(scope: Scope, stored: NewEvent): Promise<Publication> {
  const { db, now } = scope;
  const event = await withSubject(scope, stored);
  const rules = await evaluateStored(scope, event, { turn: "first" });
  const publication = joinPublications([
    await fanOut(scope, [event], now, rules.routings),
    await publishRules(scope, rules),
  ]);
  const isOffline = isKnownEvent(event) && event.name === "agent.offline";
  await runBatch(db, [
    ...publication.statements,
    ...(isOffline ? [agentOfflineAudit(db, event, now)] : []),
    markProcessed(db, event, now),
  ]);
  return publication;
}

/**
 * Emitted events were evaluated when they were emitted, if that was wanted. Without `latest` the history has the check
 * behind a stored change of status; it never has what no check found.
 */
async function evaluateStored(
  scope: Scope,
  event: NewEvent,
  { turn, latest }: Pick<RuleTrigger, "turn" | "latest">,
): Promise<RuleOutcome> {
  if (!isKnownEvent(event) || event.status_page_id === null) return NO_RULES;
  const found = event.monitor_id === null ? undefined : await findMonitorWithPage(scope.db, event.monitor_id);
  const page = found?.page?.id === event.status_page_id ? found.page : await findPage(scope.db, event.status_page_id);
  const subject = { page: page ?? null, monitor: found?.monitor ?? null };
  const trigger = { ...triggerOf(event, subject), turn, in_maintenance: isSuppressed(event) };
  return evaluateRules(scope, [{ ...trigger, latest: latest ?? findUnchecked(event) }]);
}

function findUnchecked(event: KnownEvent): MeasuredCheck | undefined {
  if (!isChangeOfStatus(event) || event.data.region !== null) return undefined;
  const { status, latency: latency_ms, message, region } = event.data;
  return measure({ at: event.created_at, region, status, latency_ms, message });
}

/** Every minute: wakes the consumer for stored events, and for rules that wait on them, that no message woke. */
export async function sweepEvents(scope: Scope): Promise<void> {
  await sweepPages(async (limit) => {
    const ids = await listEventsToWake(scope.db, scope.now, limit);
    await wakeEvents(
      scope,
      ids.map((id) => ({ id })),
    );
    return ids.length;
  });
  await sweepPages(async (limit) => {
    const ids = await listWaitingRulesToWake(scope.db, scope.now, limit);
    await wakeRules(scope, ids);
    return ids.length;
  });
}
