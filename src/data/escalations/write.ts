import { and, eq, isNull, ne, not, or, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { incidents } from "../incidents/table.ts";
import { insertIf } from "../insert-if.ts";
import { claim, settle } from "../outbox/rows.ts";
import type { EscalationNotificationRecord, EscalationRecord } from "./read.ts";
import { escalationNotifications, escalations } from "./table.ts";

/** A repeat adds none, and neither does what was deleted in the meantime. */
export function insertEscalation(db: Db, escalation: EscalationRecord): Statement {
  const { id, incident_id, monitor_id } = escalation;
  const isNew = sql`NOT EXISTS (SELECT 1 FROM escalations WHERE id = ${id})`;
  const hasIncident = incident_id && sql`EXISTS (SELECT 1 FROM incidents WHERE id = ${incident_id})`;
  const hasMonitor = monitor_id && sql`EXISTS (SELECT 1 FROM monitors WHERE id = ${monitor_id})`;
  return insertIf(db, escalations, escalation, sql`${and(isNew, hasIncident || undefined, hasMonitor || undefined)}`);
}

/** Makes the escalation of an incident look at it again, those of what it lists, and the one that notifies of it, too. */
export function touchEscalation(db: Db, incidentId: string, now: number): Statement {
  const own = sql`SELECT ${incidentId} UNION ALL SELECT id FROM incidents WHERE bundle_id = ${incidentId}`;
  const bundle = sql`SELECT bundle_id FROM escalations WHERE incident_id = ${incidentId}`;
  return db
    .update(escalations)
    .set({ due_at: now, updated_at: now })
    .where(or(sql`${escalations.incident_id} IN (${own})`, sql`${escalations.id} IN (${bundle})`));
}

/** Makes the escalations of a monitor's outage look at it again, and those that notify of them. */
export function touchEscalationsOfMonitor(db: Db, monitorId: string, now: number): Statement {
  const open = sql`SELECT id FROM incidents WHERE origin_monitor_id = ${monitorId} AND status <> 'resolved'`;
  const own = sql`SELECT id, bundle_id FROM escalations
    WHERE incident_id IN (${open}) OR (monitor_id = ${monitorId} AND ended_at IS NULL)`;
  return db
    .update(escalations)
    .set({ due_at: now, updated_at: now })
    .where(sql`${escalations.id} IN (SELECT id FROM (${own}) UNION SELECT bundle_id FROM (${own}))`);
}

export function touchEscalationById(db: Db, escalationId: string, now: number): Statement {
  return db.update(escalations).set({ due_at: now, updated_at: now }).where(eq(escalations.id, escalationId));
}

/** Ends the escalations of critical events that these threads were about. */
export function endThreads(
  db: Db,
  { status_page_id, thread_ids, now }: { status_page_id: string; thread_ids: readonly string[]; now: number },
): Statement {
  return db
    .update(escalations)
    .set({ ended_at: now, due_at: now, updated_at: now })
    .where(
      sql`thread_id IN (SELECT value FROM json_each(${JSON.stringify(thread_ids)})) AND thread_id IS NOT NULL
        AND ended_at IS NULL AND status_page_id = ${status_page_id}`,
    );
}

/** Makes an escalation the one of a bundle, and these its members, as far as they do not belong to another one. */
export function formBundle(
  db: Db,
  { leader_id, member_ids, now }: { leader_id: string; member_ids: readonly string[]; now: number },
): Statement[] {
  return [
    db.update(escalations).set({ bundled_at: now }).where(eq(escalations.id, leader_id)),
    db
      .update(escalations)
      .set({ bundle_id: leader_id, due_at: now, updated_at: now, revision: sql`revision + 1` })
      .where(
        sql`${escalations.id} IN (SELECT value FROM json_each(${JSON.stringify(member_ids)}))
          AND bundle_id IS NULL AND bundled_at IS NULL`,
      ),
  ];
}

/** Another escalation of the page notifies of the same mass failure. */
export function hasBundle({ id, status_page_id, policy_id }: EscalationRecord, since: number): SQL {
  return sql`EXISTS (SELECT 1 FROM escalations WHERE status_page_id = ${status_page_id} AND created_at > ${since}
    AND policy_id IS ${policy_id} AND id <> ${id} AND bundled_at > ${since} AND state ->> 'status' = 'active')`;
}

export function isBundleOver(leaderId: string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM escalations WHERE id = ${leaderId} AND state ->> 'status' = 'active')`;
}

/** Acknowledges what an escalation and its bundle are about, as far as nobody did before and it is not over. */
export function acknowledgeSubjects(
  db: Db,
  escalationId: string,
  { by, now }: { by: string | null; now: number },
): Statement[] {
  const acknowledged = { acknowledged_at: now, acknowledged_by: by, updated_at: now };
  const isOfBundle = or(eq(escalations.id, escalationId), eq(escalations.bundle_id, escalationId));
  const incidentIds = sql`SELECT incident_id FROM escalations WHERE id = ${escalationId} OR bundle_id = ${escalationId}`;
  // The incident that lists them is answered with them.
  const answered = sql`${incidentIds} UNION SELECT i.bundle_id FROM incidents i WHERE i.id IN (${incidentIds})`;
  return [
    db
      .update(incidents)
      .set(acknowledged)
      .where(
        and(sql`${incidents.id} IN (${answered})`, isNull(incidents.acknowledged_at), ne(incidents.status, "resolved")),
      ),
    db
      .update(escalations)
      .set(acknowledged)
      .where(and(isOfBundle, isNull(escalations.incident_id), isNull(escalations.acknowledged_at))),
    db.update(escalations).set({ due_at: now, updated_at: now }).where(isOfBundle),
  ];
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

type Advanced = Pick<
  EscalationRecord,
  "state" | "due_at" | "started_at" | "snoozed_until" | "bundle_id" | "updated_at"
>;

export function updateEscalation(db: Db, { id, revision }: EscalationRecord, advanced: Advanced): Statement {
  return db
    .update(escalations)
    .set({ ...advanced, revision: revision + 1, failures: 0 })
    .where(eq(escalations.id, id));
}

/** Nothing is decided before then, unless something changes. */
export function postponeEscalation(db: Db, { id, revision }: EscalationRecord, due_at: number): Statement {
  return db
    .update(escalations)
    .set({ due_at, revision: revision + 1, failures: 0 })
    .where(eq(escalations.id, id));
}

export function recordEscalationFailure(
  db: Db,
  escalationId: string,
  change: { failures: number; due_at: number | null },
): Statement {
  return db.update(escalations).set(change).where(eq(escalations.id, escalationId));
}

/** Another invocation advanced it, or the incident or a due time changed since it was read. */
export function isEscalationChanged({ id, revision, updated_at }: EscalationRecord): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM escalations WHERE id = ${id} AND revision = ${revision} AND updated_at = ${updated_at})`;
}

export function insertEscalationNotifications(db: Db, records: readonly EscalationNotificationRecord[]): Statement[] {
  return records.map((record) => db.insert(escalationNotifications).values(record).onConflictDoNothing());
}

/** The step that a notification belongs to: `run.round.step`. */
const stepOf = (notificationKey: string) => notificationKey.split(".").slice(0, 3).join(".");

/** A call that nobody answered; one that was cancelled or answered meanwhile stays as it is. */
export function recordUnansweredCall(
  db: Db,
  { id }: Pick<EscalationNotificationRecord, "id">,
  { error, now }: { error: string; now: number },
): Statement {
  const isOpen = sql`state IN ('pending', 'sent')`;
  return db
    .update(escalationNotifications)
    .set({ state: "failed", error, next_attempt_at: null, updated_at: now })
    .where(and(eq(escalationNotifications.id, id), isOpen));
}

/**
 * Makes the next step due, as long as the escalation waits at the step of this notification; with `unless_calling` only
 * where no other call of the step may be answered.
 */
export function hastenNextStep(
  db: Db,
  { escalation_id, notification_key }: EscalationNotificationRecord,
  { unless_calling, now }: { unless_calling: boolean; now: number },
): Statement {
  const step = stepOf(notification_key);
  const isCalling = sql`EXISTS (SELECT 1 FROM escalation_notifications WHERE escalation_id = ${escalation_id}
    AND contact_type = 'phone' AND state IN ('pending', 'sent') AND notification_key LIKE ${`${step}.%`})`;
  return db
    .update(escalations)
    .set({
      state: sql`json_set(state, '$.due_at', ${now})`,
      due_at: now,
      updated_at: now,
      revision: sql`revision + 1`,
    })
    .where(
      and(
        eq(escalations.id, escalation_id),
        sql`state ->> 'status' = 'active'`,
        sql`(state ->> 'run') || '.' || (state ->> 'round') || '.' || (state ->> 'step') = ${step}`,
        unless_calling ? not(isCalling) : undefined,
      ),
    );
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

/** The first failure of a person's mail is the failure of the notification: the escalation decides what follows. */
export function recordMailFailure(
  db: Db,
  mailId: string,
  { error, is_final, now }: { error: string; is_final: boolean; now: number },
): Statement[] {
  const failed = eq(escalationNotifications.mail_id, mailId);
  const affected = db.select({ id: escalationNotifications.escalation_id }).from(escalationNotifications).where(failed);
  return [
    db
      .update(escalationNotifications)
      .set({ error, updated_at: now, ...(is_final ? { state: "failed" as const } : {}) })
      .where(and(failed, ne(escalationNotifications.state, "cancelled"))),
    db.update(escalations).set({ due_at: now, updated_at: now }).where(sql`${escalations.id} IN ${affected}`),
  ];
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
