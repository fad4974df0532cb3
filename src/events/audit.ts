import { insertAudit } from "../data/audit/write.ts";
import type { Db, Statement } from "../data/db.ts";
import type { IncidentRecord } from "../data/incidents/read.ts";
import { idFrom } from "../platform/ids.ts";

/** Audit entry of a change that the service made to an incident. Its id is derived, so that a repeat adds none. */
export function incidentAudit(
  db: Db,
  incident: IncidentRecord,
  { outageId, eventType, now }: { outageId: string; eventType: "incident.created" | "incident.resolved"; now: number },
): Statement {
  return insertAudit(db, {
    id: idFrom("audit", incident.id, eventType, outageId),
    owner_id: incident.owner_id,
    event_type: eventType,
    actor_type: "system",
    actor_id: null,
    actor_name: "system",
    monitor_id: incident.origin_monitor_id,
    status_page_id: incident.status_page_id,
    target_type: "incident",
    target_id: incident.id,
    summary: `${eventType === "incident.created" ? "opened" : "resolved"} incident "${incident.title}"`,
    data: { severity: incident.severity, is_public: incident.is_public },
    ip: null,
    created_at: now,
  });
}
