import { idFrom } from "../platform/ids.ts";

/** Ids of events that are derived, so that a repeat stores one event and others find it. */

/** Of a monitor's change with this number. */
export function changeEventId(monitorId: string, seq: number): string {
  return idFrom("event", monitorId, String(seq));
}

/** Of the automatic incident of an outage. */
export function outageIncidentEventId(
  name: "incident.created" | "incident.resolved",
  { incident_id, outage_id }: { incident_id: string; outage_id: string },
): string {
  return idFrom("event", incident_id, name, outage_id);
}

/** Of flapping that this change of the monitor began. */
export function flappingEventId(monitorId: string, seq: number): string {
  return idFrom("event", monitorId, "flapping", String(seq));
}

/** Of an incident that a person or a rule opened. */
export function incidentOpenedEventId(incidentId: string): string {
  return idFrom("event", incidentId, "incident.created");
}
