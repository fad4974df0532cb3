import type { LoadedEscalation } from "../data/escalations/read.ts";
import type { EscalationInput, EscalationState } from "../domain/escalation.ts";

/**
 * What happened since the escalation advanced last, read off the incident itself: a lost or repeated message changes
 * nothing. The tick comes last.
 */
export function listInputs({ escalation, incident, failures }: LoadedEscalation, now: number): EscalationInput[] {
  const { state } = escalation;
  if (state === null) return [{ kind: "start" }, ...changesOf(null, { escalation, incident }, now)];
  return [
    ...failures.map(
      ({ notification_key }): EscalationInput => ({
        kind: "notification_failed",
        notification_id: notification_key,
      }),
    ),
    ...changesOf(state, { escalation, incident }, now),
    { kind: "tick" },
  ];
}

function changesOf(
  state: EscalationState | null,
  { escalation, incident }: Pick<LoadedEscalation, "escalation" | "incident">,
  now: number,
): EscalationInput[] {
  if (incident.status === "resolved") return [{ kind: "resolve" }];
  const reopen: EscalationInput[] = state?.status === "resolved" ? [{ kind: "reopen" }] : [];
  if (incident.acknowledged_at !== null) return [...reopen, { kind: "acknowledge" }];
  const until = escalation.snoozed_until;
  const isSnoozed = until !== null && until > now && reopen.length === 0;
  return [...reopen, ...(isSnoozed ? [{ kind: "snooze", until } as const] : [])];
}
