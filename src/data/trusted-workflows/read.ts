import { and, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { isChallengeUsed } from "../passkeys/read.ts";
import type { UserRecord } from "../users/read.ts";
import { trustedWorkflows, users } from "../users/table.ts";

export type TrustedWorkflowRecord = typeof trustedWorkflows.$inferSelect;

export async function listWorkflows(db: Db, userId: string, page: { limit: number; offset: number }) {
  const mine = eq(trustedWorkflows.user_id, userId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(trustedWorkflows)
      .where(mine)
      .orderBy(desc(trustedWorkflows.created_at), desc(trustedWorkflows.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(trustedWorkflows).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function findWorkflow(
  db: Db,
  { user_id, id }: { user_id: string; id: string },
): Promise<TrustedWorkflowRecord | undefined> {
  const mine = and(eq(trustedWorkflows.id, id), eq(trustedWorkflows.user_id, user_id));
  const rows = await db.select().from(trustedWorkflows).where(mine).limit(1);
  return rows[0];
}

/** With whose account it acts. */
export async function findWorkflowOwner(
  db: Db,
  id: string,
): Promise<{ workflow: TrustedWorkflowRecord; user: UserRecord } | undefined> {
  const rows = await db
    .select({ workflow: trustedWorkflows, user: users })
    .from(trustedWorkflows)
    .innerJoin(users, eq(users.id, trustedWorkflows.user_id))
    .where(eq(trustedWorkflows.id, id))
    .limit(1);
  return rows[0];
}

/** The condition under which GitHub's token was used, the workflow removed, or bound to another repository of its name. */
export function isRunOver({ id, repository_id }: TrustedWorkflowRecord, tokenHash: string): SQL {
  return sql`(${isChallengeUsed(tokenHash)} OR NOT EXISTS (SELECT 1 FROM ${trustedWorkflows}
    WHERE ${trustedWorkflows.id} = ${id} AND ${trustedWorkflows.repository_id} IS ${repository_id}))`;
}

/** The condition under which the account trusts as many as it may. */
export function hasManyWorkflows(userId: string, max: number): SQL {
  return sql`(SELECT count(*) FROM ${trustedWorkflows} WHERE ${trustedWorkflows.user_id} = ${userId}) >= ${max}`;
}
