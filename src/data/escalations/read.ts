import { and, asc, eq, isNotNull, lte, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { incidents } from "../incidents/table.ts";
import { escalationPolicies } from "../on-call/table.ts";
import { isPending, listToWake } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import { escalationNotifications, escalations } from "./table.ts";

export type EscalationRecord = typeof escalations.$inferSelect;
export type EscalationNotificationRecord = typeof escalationNotifications.$inferSelect;

/** Failures that one advance takes into account. */
const FAILURES_MAX = 100;
const LISTED_MAX = 500;

/**
 * Everything that an escalation decides on. Side by side, not as a batch: results of a batch are objects by column name,
 * in which columns of the same name of joined tables are one.
 */
export async function loadEscalation(db: Db, escalationId: string) {
  const isThis = eq(escalations.id, escalationId);
  const [rows, active, failures] = await Promise.all([
    db
      .select({
        escalation: escalations,
        incident: incidents,
        policy: escalationPolicies,
        page: { id: statusPages.id, owner_id: statusPages.owner_id, name: statusPages.name },
        owner_email: users.email,
      })
      .from(escalations)
      .innerJoin(incidents, eq(incidents.id, escalations.incident_id))
      .innerJoin(statusPages, eq(statusPages.id, escalations.status_page_id))
      .innerJoin(users, eq(users.id, statusPages.owner_id))
      .leftJoin(escalationPolicies, eq(escalationPolicies.id, escalations.policy_id))
      .where(isThis)
      .limit(1),
    db
      .select({ policy: escalationPolicies })
      .from(escalations)
      .innerJoin(escalationPolicies, eq(escalationPolicies.status_page_id, escalations.status_page_id))
      .where(and(isThis, eq(escalationPolicies.is_default, true)))
      .limit(1),
    db
      .select({ id: escalationNotifications.id, notification_key: escalationNotifications.notification_key })
      .from(escalationNotifications)
      .where(
        and(
          eq(escalationNotifications.escalation_id, escalationId),
          eq(escalationNotifications.is_failure_reported, false),
          isNotNull(escalationNotifications.error),
        ),
      )
      .limit(FAILURES_MAX),
  ]);
  const [row] = rows;
  return row && { ...row, policy: row.policy ?? active[0]?.policy ?? null, failures };
}
export type LoadedEscalation = NonNullable<Awaited<ReturnType<typeof loadEscalation>>>;

export async function findEscalationOfIncident(db: Db, incidentId: string): Promise<EscalationRecord | undefined> {
  const rows = await db.select().from(escalations).where(eq(escalations.incident_id, incidentId)).limit(1);
  return rows[0];
}

export interface DueEscalation {
  id: string;
  due_at: number;
}

/** Due by then, oldest first, and after the last one of the page before. */
export async function listDueEscalations(
  db: Db,
  { until, after, limit }: { until: number; after: DueEscalation | null; limit: number },
): Promise<DueEscalation[]> {
  const isLater = after && sql`(due_at, id) > (${after.due_at}, ${after.id})`;
  return db
    .select({ id: escalations.id, due_at: sql<number>`due_at` })
    .from(escalations)
    .where(and(sql`due_at IS NOT NULL`, lte(escalations.due_at, until), isLater ?? undefined))
    .orderBy(asc(escalations.due_at), asc(escalations.id))
    .limit(limit);
}

export async function listEscalationNotifications(
  db: Db,
  escalationId: string,
): Promise<EscalationNotificationRecord[]> {
  return db
    .select()
    .from(escalationNotifications)
    .where(eq(escalationNotifications.escalation_id, escalationId))
    .orderBy(
      asc(escalationNotifications.created_at),
      asc(escalationNotifications.level),
      asc(escalationNotifications.id),
    )
    .limit(LISTED_MAX);
}

/** Notifications that no message woke. */
export function listNotificationsToWake(db: Db, now: number, limit: number): Promise<string[]> {
  const table = escalationNotifications;
  return listToWake(db, table, { isWaiting: isPending(table), dueAt: table.next_attempt_at, now, limit });
}

/** Names and addresses of people, for messages to them. */
export async function listRecipients(db: Db, userIds: readonly string[]) {
  if (userIds.length === 0) return [];
  return db
    .select({ id: users.id, name: users.name, email: users.email })
    .from(users)
    .where(sql`${users.id} IN (SELECT value FROM json_each(${JSON.stringify(userIds)}))`);
}
