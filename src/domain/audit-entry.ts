import type { AuditEntry } from "../contract/audit.ts";

interface Recorded extends Omit<AuditEntry, "actor" | "created_at"> {
  actor_type: AuditEntry["actor"]["type"];
  actor_id: string | null;
  actor_name: string;
  /** Epoch ms. */
  created_at: number;
}

/** An entry of the audit log as lists, exports and webhooks have it. */
export function presentAuditEntry(entry: Recorded): AuditEntry {
  return {
    id: entry.id,
    event_type: entry.event_type,
    actor: { type: entry.actor_type, id: entry.actor_id, name: entry.actor_name },
    monitor_id: entry.monitor_id,
    status_page_id: entry.status_page_id,
    target_type: entry.target_type,
    target_id: entry.target_id,
    summary: entry.summary,
    data: entry.data,
    ip: entry.ip,
    created_at: new Date(entry.created_at).toISOString(),
  };
}
