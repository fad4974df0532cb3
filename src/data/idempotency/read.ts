import { and, eq, gte, type SQL } from "drizzle-orm";
import type { Db } from "../db.ts";
import { idempotencyKeys } from "./table.ts";
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

export type Request = Pick<IdempotencyRecord, "user_id" | "route" | "key">;

export function isRequest({ user_id, route, key }: Request): SQL | undefined {
  return and(eq(idempotencyKeys.user_id, user_id), eq(idempotencyKeys.route, route), eq(idempotencyKeys.key, key));
}
