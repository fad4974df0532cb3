import type { Scope } from "../access/scope.ts";
import { touchEscalation } from "../data/escalations/write.ts";
import { idFrom } from "../platform/ids.ts";
import { type Publication, wake } from "./publication.ts";

/** The one escalation of an incident. */
export function escalationId(incidentId: string): string {
  return idFrom("escalation", incidentId);
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
  const messages = ids.map((escalation_id) => ({ escalation_id }));
  return wake(scope, { queue: scope.env.EVENTS, messages, what: "escalation", delay_ms });
}
