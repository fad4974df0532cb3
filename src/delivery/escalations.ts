import type { Scope } from "../access/scope.ts";
import { type EventOf, isKnownEvent, type KnownEvent, type NewEvent } from "../contract/events.ts";
import { type EscalationRecord, hasMonitors } from "../data/escalations/read.ts";
import { endThreads, insertEscalation } from "../data/escalations/write.ts";
import { composeAlert, NO_READER } from "../domain/alert-messages.ts";
import { GATHER_MS, MASS_FAILURE_MONITORS_MIN } from "../domain/escalation-bundle.ts";
import { continueEscalation, criticalEscalationId, escalationId, wakeEscalations } from "../outbox/escalations.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";
import { findPolicyFor } from "./targeted.ts";

type PublishScope = Pick<Scope, "env" | "db" | "log">;

interface Published {
  events: readonly KnownEvent[];
  /** Events whose audience are the users on call. */
  critical: readonly NewEvent[];
}

/**
 * Starts the escalation of each new incident and of each critical event without one, where a policy of their page notifies of it,
 * and makes the escalation of a changed one look at it again. The statements belong in the batch that stores the events.
 */
export async function publishEscalations(
  scope: PublishScope,
  { events, critical }: Published,
  now: number,
): Promise<Publication> {
  const publications = events.map((event) => {
    if (event.name === "incident.created") return startOfIncident(scope, event, now);
    const isChange = event.name === "incident.updated" || event.name === "incident.resolved";
    return isChange ? continueEscalation(scope, event.data.incident_id, now) : endCritical(scope, event, now);
  });
  const started = critical.filter(isEscalated).map((event) => startOfEvent(scope, event, now));
  return joinPublications(await Promise.all([...publications, ...started]));
}

/** Good news wakes nobody, and what has an incident escalates with it. */
function isEscalated(event: NewEvent): boolean {
  if (isKnownEvent(event) && event.name === "monitor.down") return event.data.incident_id === null;
  return !/^(?:incident\.|monitor\.up$|agent\.online$|maintenance\.completed$|oncall\.|test_event$)/.test(event.name);
}

const ENDS: readonly KnownEvent["name"][] = ["monitor.up", "agent.online", "maintenance.completed"];

function endCritical(scope: PublishScope, event: KnownEvent, now: number): Publication {
  const { status_page_id, monitor_id } = event;
  if (status_page_id === null || !ENDS.includes(event.name)) return NOTHING;
  // Of a monitor that was degraded and then down, both are over.
  const thread_ids = [composeAlert(event, NO_READER).thread.id, ...(monitor_id === null ? [] : [monitor_id])];
  return { ...NOTHING, statements: [endThreads(scope.db, { status_page_id, thread_ids, now })] };
}

function startOfIncident(scope: PublishScope, event: EventOf<"incident.created">, now: number): Promise<Publication> {
  const { data } = event;
  // A past incident that is entered with its end has nobody to wake.
  if (data.status === "resolved") return Promise.resolve(NOTHING);
  return start(scope, event, {
    id: escalationId(data.incident_id),
    incident_id: data.incident_id,
    subject: null,
    thread_id: null,
    monitor_id: null,
    transition_seq: null,
    is_automatic: data.outage_id !== null,
    now,
  });
}

function startOfEvent(scope: PublishScope, event: NewEvent, now: number): Promise<Publication> {
  const { title, text, thread } = composeAlert(event, NO_READER);
  const isOfMonitor = event.name.startsWith("monitor.");
  const [, seq] = /\/(\d+)$/.exec(event.name === "monitor.down" ? thread.id : "") ?? [];
  return start(scope, event, {
    id: criticalEscalationId(event.id),
    incident_id: null,
    thread_id: thread.id,
    subject: { event_id: event.id, event_name: event.name, title, text, since: event.created_at },
    monitor_id: isOfMonitor ? event.monitor_id : null,
    transition_seq: seq === undefined ? null : Number(seq),
    is_automatic: true,
    now,
  });
}

type Start = Pick<
  EscalationRecord,
  "id" | "incident_id" | "subject" | "thread_id" | "monitor_id" | "transition_seq" | "is_automatic"
> & { now: number };

async function start(scope: PublishScope, event: NewEvent, { now, ...begun }: Start): Promise<Publication> {
  const { owner_id, status_page_id } = event;
  if (status_page_id === null) return NOTHING;
  const policy_id = await findPolicyFor(scope.db, event, status_page_id);
  if (policy_id === undefined) return NOTHING;
  const gathers = begun.is_automatic && (await hasMonitors(scope.db, status_page_id, MASS_FAILURE_MONITORS_MIN));
  const delay = gathers ? GATHER_MS : 0;
  const escalation: EscalationRecord = {
    ...begun,
    owner_id,
    status_page_id,
    policy_id,
    ended_at: null,
    acknowledged_at: null,
    acknowledged_by: null,
    bundle_id: null,
    bundled_at: null,
    state: null,
    revision: 0,
    failures: 0,
    started_at: now,
    snoozed_until: null,
    due_at: now + delay,
    created_at: now,
    updated_at: now,
  };
  return {
    statements: [insertEscalation(scope.db, escalation)],
    wake: () => wakeEscalations(scope, [begun.id], delay === 0 ? undefined : delay),
  };
}
