import { and, eq, gte, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
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
  request: Request,
  notBefore: number,
): Promise<IdempotencyRecord | undefined> {
  const rows = await db
    .select()
    .from(idempotencyKeys)
    .where(and(isRequest(request), gte(idempotencyKeys.created_at, notBefore)))
    .limit(1);
  return rows[0];
}

/** A key that is in use makes the batch fail on its primary key. */
export function insertIdempotencyKey(db: Db, record: IdempotencyRecord): Statement {
  return db.insert(idempotencyKeys).values(record);
}

type Request = Pick<IdempotencyRecord, "user_id" | "route" | "key">;

export function setAnswer(db: Db, request: Request, answer: unknown): Statement {
  return db.update(idempotencyKeys).set({ answer }).where(isRequest(request));
}

/** Lets a request that was not answered be made anew; one that was taken up after that instant is left alone. */
export function dropUnanswered(db: Db, request: Request, takenUpTo: number): Statement {
  return db
    .delete(idempotencyKeys)
    .where(and(isRequest(request), isNull(idempotencyKeys.answer), lte(idempotencyKeys.created_at, takenUpTo)));
}

function isRequest({ user_id, route, key }: Request): SQL | undefined {
  return and(eq(idempotencyKeys.user_id, user_id), eq(idempotencyKeys.route, route), eq(idempotencyKeys.key, key));
}

export function deleteIdempotencyKeysBefore(db: Db, instant: number): Statement {
  return db.delete(idempotencyKeys).where(lt(idempotencyKeys.created_at, instant));
}
