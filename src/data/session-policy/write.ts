import type { Db, Statement } from "../db.ts";
import type { SessionPolicyRecord } from "./read.ts";
import { ONLY_POLICY, sessionPolicies } from "./table.ts";

export function upsertPolicy(db: Db, record: SessionPolicyRecord): Statement {
  return db
    .insert(sessionPolicies)
    .values({ id: ONLY_POLICY, ...record })
    .onConflictDoUpdate({ target: sessionPolicies.id, set: record });
}
