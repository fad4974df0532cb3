import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "./db.ts";
import { guards, idempotencyKeys } from "./requests.table.ts";

export type GuardName = "monitors" | "status_pages" | "seats" | "already_member" | "stale";

/** The name of the constraint that refuses the batch when this guard's condition holds. */
export function guardConstraint(name: GuardName): string {
  return `guard_${name}`;
}

/** Makes the whole batch fail when the condition holds at the moment of the write. */
export function refuseWhen(db: Db, name: GuardName, condition: SQL): Statement {
  return db.insert(guards).select(sql`SELECT ${name} WHERE ${condition}`);
}

export type IdempotencyRecord = typeof idempotencyKeys.$inferSelect;

export async function findIdempotencyKey(
  db: Db,
  request: Pick<IdempotencyRecord, "user_id" | "route" | "key">,
  notBefore: number,
): Promise<IdempotencyRecord | undefined> {
  const rows = await db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.user_id, request.user_id),
        eq(idempotencyKeys.route, request.route),
        eq(idempotencyKeys.key, request.key),
        gte(idempotencyKeys.created_at, notBefore),
      ),
    )
    .limit(1);
  return rows[0];
}

/** A key that is in use makes the batch fail on its primary key. */
export function insertIdempotencyKey(db: Db, record: IdempotencyRecord): Statement {
  return db.insert(idempotencyKeys).values(record);
}

export function deleteIdempotencyKeysBefore(db: Db, instant: number): Statement {
  return db.delete(idempotencyKeys).where(lt(idempotencyKeys.created_at, instant));
}
