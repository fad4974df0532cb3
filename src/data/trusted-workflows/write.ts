import { and, eq, lte } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { apiTokens, trustedWorkflows } from "../users/table.ts";
import type { TrustedWorkflowRecord } from "./read.ts";

export function insertWorkflow(db: Db, record: TrustedWorkflowRecord): Statement {
  return db.insert(trustedWorkflows).values(record);
}

export function storeWorkflowUse(
  db: Db,
  { id, repository_id, now }: { id: string; repository_id: string; now: number },
): Statement {
  return db.update(trustedWorkflows).set({ repository_id, last_used_at: now }).where(eq(trustedWorkflows.id, id));
}

/** Its tokens go with it. */
export function deleteWorkflow(db: Db, { id, user_id }: { id: string; user_id: string }): Statement {
  return db.delete(trustedWorkflows).where(and(eq(trustedWorkflows.id, id), eq(trustedWorkflows.user_id, user_id)));
}

/** Of runs that are over, which nobody looks for among the account's tokens. */
export function deleteTokensOfPastRuns(db: Db, { id, now }: { id: string; now: number }): Statement {
  return db.delete(apiTokens).where(and(eq(apiTokens.trusted_workflow_id, id), lte(apiTokens.expires_at, now)));
}
