import type { Scope } from "../access/scope.ts";
import { isKnownEvent, type KnownEvent, type NewEvent } from "../contract/events.ts";
import { listReached } from "../data/escalations/read.ts";
import { recipientOf } from "../domain/escalation.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { criticalEscalationId, escalationId } from "../outbox/escalations.ts";

/** A team waits no longer than this to learn whom the first step of an escalation notifies. */
const FIRST_STEP_MAX_MS = 10 * SECOND_MS;

/** Events that may begin an escalation. An update or an end is news for those on call, too. */
const BEGINNINGS: readonly KnownEvent["name"][] = [
  "monitor.down",
  "monitor.degraded",
  "monitor.flapping",
  "incident.created",
  "agent.offline",
];

/** By event the people and addresses that an escalation notified of it: `user:<id>`, `email:<address>`. */
export type NotifiedOnCall = ReadonlyMap<string, ReadonlySet<string>>;

/** Null while an escalation of these events is about to notify its first step. */
export async function findNotifiedOnCall(
  { db, now }: Scope,
  events: readonly NewEvent[],
): Promise<NotifiedOnCall | null> {
  const beginnings = events.filter(isKnownEvent).filter(({ name }) => BEGINNINGS.includes(name));
  if (beginnings.length === 0) return new Map();
  const idsOf = new Map(beginnings.map((event) => [event.id, escalationsOf(event)]));
  const reached = await listReached(db, [...idsOf.values()].flat());
  const isAwaited = beginnings.some(({ id, created_at }) => {
    const isYoung = now - created_at < FIRST_STEP_MAX_MS;
    return isYoung && idsOf.get(id)?.some((escalation) => reached.get(escalation)?.has_begun === false);
  });
  if (isAwaited) return null;
  return new Map(
    [...idsOf].map(([eventId, ids]) => {
      const keys = ids.flatMap((id) => reached.get(id)?.notification_keys ?? []);
      return [eventId, new Set(keys.map(recipientOf).filter((recipient) => recipient !== undefined))];
    }),
  );
}

/** The escalation of the incident that the event opens, and the one of the event itself. */
function escalationsOf(event: KnownEvent): string[] {
  const isOfIncident = event.name === "monitor.down" || event.name === "incident.created";
  const incident_id = isOfIncident ? event.data.incident_id : null;
  return [...(incident_id === null ? [] : [escalationId(incident_id)]), criticalEscalationId(event.id)];
}
