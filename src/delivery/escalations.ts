import type { Scope } from "../access/scope.ts";
import type { EventOf, KnownEvent } from "../contract/events.ts";
import { insertEscalation } from "../data/escalations/write.ts";
import { findActivePolicy } from "../data/on-call/read.ts";
import { continueEscalation, escalationId, wakeEscalations } from "../outbox/escalations.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";

type PublishScope = Pick<Scope, "env" | "db" | "log">;

/**
 * Starts the escalation of each new incident whose page has an active policy, and makes the escalation of a changed one
 * look at it again. The statements belong in the batch that stores the events.
 */
export async function publishEscalations(
  scope: PublishScope,
  events: readonly KnownEvent[],
  now: number,
): Promise<Publication> {
  const publications = events.map((event) => {
    if (event.name === "incident.created") return startEscalation(scope, event, now);
    const isChange = event.name === "incident.updated" || event.name === "incident.resolved";
    return isChange ? continueEscalation(scope, event.data.incident_id, now) : NOTHING;
  });
  return joinPublications(await Promise.all(publications));
}

async function startEscalation(
  scope: PublishScope,
  { owner_id, status_page_id, data }: EventOf<"incident.created">,
  now: number,
): Promise<Publication> {
  // A past incident that is entered with its end has nobody to wake.
  if (status_page_id === null || data.status === "resolved") return NOTHING;
  const policy = await findActivePolicy(scope.db, status_page_id);
  if (!policy) return NOTHING;
  const id = escalationId(data.incident_id);
  const escalation = {
    ...{ id, owner_id, status_page_id, incident_id: data.incident_id, policy_id: policy.id },
    ...{ state: null, revision: 0, started_at: now, snoozed_until: null, due_at: now },
    ...{ created_at: now, updated_at: now },
  };
  return { statements: [insertEscalation(scope.db, escalation)], wake: () => wakeEscalations(scope, [id]) };
}
