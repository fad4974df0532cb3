import type { IncidentStatus } from "../contract/incident.ts";

interface Standing {
  status: IncidentStatus;
  resolved_at: number | null;
  acknowledged_at: number | null;
  acknowledged_by: string | null;
}

/**
 * Where an incident stands after a move, which may go in any direction; null when it stands there already. Reopened, it
 * has to be acknowledged anew.
 */
export function decideStatusChange(incident: Standing, to: IncidentStatus | undefined, now: number): Standing | null {
  const { status, acknowledged_at, acknowledged_by } = incident;
  if (to === undefined || to === status) return null;
  const acknowledgement =
    status === "resolved" ? { acknowledged_at: null, acknowledged_by: null } : { acknowledged_at, acknowledged_by };
  return { status: to, resolved_at: to === "resolved" ? now : null, ...acknowledgement };
}

/** The text of an update that nobody wrote one for. */
export function statusSentence(status: string): string {
  return `The status changed to ${status}.`;
}

/** What an update says beside its status, which readers see in their language. */
export function wordsBesideStatus({ message, status }: { message: string; status: string | null }): string {
  return status !== null && message === statusSentence(status) ? "" : message;
}
