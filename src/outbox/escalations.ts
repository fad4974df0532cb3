import type { Scope } from "../access/scope.ts";
import type { EventMessage } from "../contract/messages.ts";
import { touchEscalation } from "../data/escalations/write.ts";
import { idFrom } from "../platform/ids.ts";
import { type Publication, wake } from "./publication.ts";

const messageFor = (escalationId: string): EventMessage => ({ kind: "escalation", escalation_id: escalationId });

/** The one escalation of an incident. */
export function escalationId(incidentId: string): string {
  return idFrom("escalation", incidentId);
}

/** The one of a critical event without an incident. */
export function criticalEscalationId(eventId: string): string {
  return idFrom("escalation", "event", eventId);
}

/** Makes the escalation of a changed incident look at it again. An incident without an escalation costs one statement. */
export function continueEscalation(
  scope: Pick<Scope, "env" | "db" | "log">,
  incidentId: string,
  now: number,
): Publication {
  return {
    statements: [touchEscalation(scope.db, incidentId, now)],
    wake: () => wakeEscalations(scope, [escalationId(incidentId)]),
  };
}

export function wakeEscalations(
  scope: Pick<Scope, "env" | "log">,
  ids: readonly string[],
  delay_ms?: number,
): Promise<void> {
  const messages = ids.map(messageFor);
  return wake(scope, { queue: scope.env.EVENTS, messages, what: "escalation", delay_ms });
}

/** Wakes each at its time. */
export function wakeDueEscalations(
  scope: Pick<Scope, "env" | "log" | "now">,
  due: readonly { id: string; due_at: number }[],
): Promise<void> {
  const messages = due.map(({ id }) => messageFor(id));
  const delays = new Map(messages.map((message, n) => [message, Math.max(0, (due[n]?.due_at ?? 0) - scope.now)]));
  return wake<EventMessage>(scope, {
    queue: scope.env.EVENTS,
    what: "escalation",
    messages,
    delay_ms: (message) => delays.get(message) ?? 0,
  });
}
