import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { claim, settle } from "../outbox/rows.ts";
import type { EscalationNotificationRecord, EscalationRecord } from "./read.ts";
import { escalationNotifications, escalations } from "./table.ts";

/** A repeat adds none. */
export function insertEscalation(db: Db, escalation: EscalationRecord): Statement {
  return db.insert(escalations).values(escalation).onConflictDoNothing();
}

/** Makes the escalation of an incident look at it again. */
export function touchEscalation(db: Db, incidentId: string, now: number): Statement {
  return db.update(escalations).set({ due_at: now, updated_at: now }).where(eq(escalations.incident_id, incidentId));
}

export function snoozeEscalation(
  db: Db,
  incidentId: string,
  { until, now }: { until: number; now: number },
): Statement {
  return db
    .update(escalations)
    .set({ snoozed_until: until, due_at: now, updated_at: now })
    .where(eq(escalations.incident_id, incidentId));
}

type Advanced = Pick<EscalationRecord, "state" | "due_at" | "started_at" | "snoozed_until" | "updated_at">;

export function updateEscalation(db: Db, { id, revision }: EscalationRecord, advanced: Advanced): Statement {
  return db
    .update(escalations)
    .set({ ...advanced, revision: revision + 1 })
    .where(eq(escalations.id, id));
}

/** Another invocation advanced it, or the incident or a due time changed since it was read. */
export function isEscalationChanged({ id, revision, updated_at }: EscalationRecord): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM escalations WHERE id = ${id} AND revision = ${revision} AND updated_at = ${updated_at})`;
}

export function insertEscalationNotifications(db: Db, records: readonly EscalationNotificationRecord[]): Statement[] {
  return records.map((record) => db.insert(escalationNotifications).values(record).onConflictDoNothing());
}

export function cancelEscalationNotifications(db: Db, escalationId: string, now: number): Statement {
  return db
    .update(escalationNotifications)
    .set({ state: "cancelled", updated_at: now })
    .where(and(eq(escalationNotifications.escalation_id, escalationId), eq(escalationNotifications.state, "pending")));
}

export function markFailuresReported(db: Db, ids: readonly string[]): Statement {
  return db
    .update(escalationNotifications)
    .set({ is_failure_reported: true })
    .where(sql`${escalationNotifications.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}

export async function claimEscalationNotification(
  db: Db,
  id: string,
  times: { now: number; lease_until: number },
): Promise<EscalationNotificationRecord | undefined> {
  const rows = await claim(db, escalationNotifications, id, times);
  return rows[0];
}

export function settleEscalationNotification(
  db: Db,
  claimed: EscalationNotificationRecord,
  change: { state?: "sent" | "failed"; error: string | null; next_attempt_at?: number | null; updated_at: number },
): Statement {
  return settle(db, escalationNotifications, claimed, change);
}
