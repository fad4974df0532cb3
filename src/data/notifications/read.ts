import { and, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Pagination } from "../../contract/pagination.ts";
import { agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { incidents } from "../incidents/table.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { maintenance } from "../maintenance/table.ts";
import { monitors } from "../monitors/table.ts";
import { notifications } from "./table.ts";

/** Those of these ids that are stored. */
export async function listExistingNotifications(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ id: notifications.id })
    .from(notifications)
    .where(sql`${notifications.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
    .limit(ids.length);
  return new Set(rows.map(({ id }) => id));
}

/** The condition under which nobody was notified of this before. */
export function isNotNotified(id: string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${notifications} WHERE ${notifications.id} = ${id})`;
}

export type NotificationRecord = typeof notifications.$inferSelect;

export async function listNotifications(db: Db, userId: string, page: Pagination) {
  const mine = eq(notifications.user_id, userId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(notifications)
      .where(and(mine, isBelow(page, notifications.created_at, notifications.id)))
      .orderBy(desc(notifications.created_at), desc(notifications.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(notifications).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export type NotificationKey = Pick<NotificationRecord, "id" | "user_id">;

export async function findNotification(db: Db, key: NotificationKey): Promise<NotificationRecord | undefined> {
  const rows = await db.select().from(notifications).where(isThis(key)).limit(1);
  return rows[0];
}

export function isThis({ id, user_id }: NotificationKey) {
  return and(eq(notifications.id, id), eq(notifications.user_id, user_id));
}

export type TargetKind = "monitor" | "incident" | "maintenance" | "agent";

/** Of what kind each of these ids is; those of deleted objects are absent. */
export async function listTargetKinds(db: Db, ids: readonly string[]): Promise<Map<string, TargetKind>> {
  if (ids.length === 0) return new Map();
  const json = JSON.stringify(ids);
  const kindsIn = (kind: TargetKind, table: SQLiteTable) =>
    sql`SELECT id, ${kind} AS kind FROM ${table} WHERE id IN (SELECT value FROM json_each(${json}))`;
  const rows = await db.all<{ id: string; kind: TargetKind }>(
    sql`${kindsIn("monitor", monitors)} UNION ALL ${kindsIn("incident", incidents)}
      UNION ALL ${kindsIn("maintenance", maintenance)} UNION ALL ${kindsIn("agent", agents)}`,
  );
  return new Map(rows.map(({ id, kind }) => [id, kind]));
}
