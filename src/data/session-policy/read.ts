import type { SQL } from "drizzle-orm";
import { eq, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { ONLY_POLICY, sessionPolicies } from "./table.ts";

export type SessionPolicyRecord = Omit<typeof sessionPolicies.$inferSelect, "id">;

/** A joined row counts as absent where the first of its columns is null. */
export const POLICY_COLUMNS = {
  updated_at: sessionPolicies.updated_at,
  session_ms: sessionPolicies.session_ms,
  session_idle_ms: sessionPolicies.session_idle_ms,
  second_factor: sessionPolicies.second_factor,
  second_factor_from: sessionPolicies.second_factor_from,
  allowed_networks: sessionPolicies.allowed_networks,
};

export async function findStoredPolicy(db: Db): Promise<SessionPolicyRecord | undefined> {
  const rows = await db
    .select(POLICY_COLUMNS)
    .from(sessionPolicies)
    .where(eq(sessionPolicies.id, ONLY_POLICY))
    .limit(1);
  return rows[0];
}

/** The condition under which another request changed it since it was read. */
export function isPolicyChanged(before: SessionPolicyRecord | undefined): SQL {
  return sql`coalesce((SELECT updated_at FROM ${sessionPolicies}), 0) <> ${before?.updated_at ?? 0}`;
}
