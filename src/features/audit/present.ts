import type { z } from "zod";
import type { AuditDay, AuditEntry, AuditStats } from "../../contract/audit.ts";
import type { AuditRecord } from "../../data/audit/read.ts";
import { toIso } from "../../platform/clock.ts";
import type { AuditSummary, DayOfEvents } from "./service.ts";

export function presentEntry(entry: AuditRecord): z.infer<typeof AuditEntry> {
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
    created_at: toIso(entry.created_at),
  };
}

export function presentStats(summary: AuditSummary): z.infer<typeof AuditStats> {
  return {
    from: toIso(summary.from),
    to: toIso(summary.to),
    total: summary.total,
    by_event_type: summary.by_event_type.map(([event_type, count]) => ({ event_type, count })),
    by_actor_type: summary.by_actor_type.map(([actor_type, count]) => ({ actor_type, count })),
  };
}

export function presentDay({ starts_at, events }: DayOfEvents): z.infer<typeof AuditDay> {
  const total = [...events.values()].reduce((sum, count) => sum + count, 0);
  return { date: toIso(starts_at).slice(0, 10), total, events: Object.fromEntries(events) };
}
