import type { IncidentStatus } from "../contract/incident.ts";

interface Standing {
  status: IncidentStatus;
  resolved_at: number | null;
}

/** Where an incident stands after a move, which may go in any direction; null when it stands there already. */
export function decideStatusChange(incident: Standing, to: IncidentStatus | undefined, now: number): Standing | null {
  if (to === undefined || to === incident.status) return null;
  return { status: to, resolved_at: to === "resolved" ? now : null };
}
