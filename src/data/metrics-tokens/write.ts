import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { MetricsTokenRecord } from "./read.ts";
import { metricsTokens } from "./table.ts";

/** Replaces the token that the user had before, which is refused from then on. */
export function upsertMetricsToken(db: Db, token: MetricsTokenRecord): Statement {
  const { token_hash, created_at, updated_at } = token;
  return db
    .insert(metricsTokens)
    .values(token)
    .onConflictDoUpdate({ target: metricsTokens.user_id, set: { token_hash, created_at, updated_at } });
}

export function deleteMetricsToken(db: Db, userId: string): Statement {
  return db.delete(metricsTokens).where(eq(metricsTokens.user_id, userId));
}
