import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "../db.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";
import { metricsTokens } from "./table.ts";

export type MetricsTokenRecord = typeof metricsTokens.$inferSelect;

export async function findMetricsTokenOwner(db: Db, tokenHash: string): Promise<UserRecord | undefined> {
  const rows = await db
    .select({ user: users })
    .from(metricsTokens)
    .innerJoin(users, eq(users.id, metricsTokens.user_id))
    .where(and(eq(metricsTokens.token_hash, tokenHash), isNull(users.deactivated_at)))
    .limit(1);
  return rows[0]?.user;
}
