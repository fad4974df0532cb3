import { eq, inArray, sql } from "drizzle-orm";
import { agents } from "../agents/table.ts";
import { auditLog } from "../audit/table.ts";
import { deleteCredentialsOf } from "../credentials/write.ts";
import { changesPages, type Db, deleteSome, type Statement } from "../db.ts";
import { deletePromisesOf } from "../deactivation/write.ts";
import { escalations } from "../escalations/table.ts";
import { eventLog } from "../event-rules/table.ts";
import { events } from "../events/table.ts";
import { idempotencyKeys } from "../idempotency/table.ts";
import { pageInvitations, pageMembers } from "../members/table.ts";
import { deletedMonitors, monitors, shards } from "../monitors/table.ts";
import { secrets } from "../secrets/table.ts";
import { endSetUpOf } from "../set-ups/write.ts";
import { statusPages } from "../status-pages/table.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";
import { webhooks } from "../webhooks/table.ts";

const NAME = "deleted account";

/**
 * Ends an account at once: its credentials, pages, agents, webhooks and memberships, what it set up for the pages of others, and its name wherever other accounts
 * still have it. What is left belongs to nobody any more, and the sweep removes it.
 */
export function endAccount(
  db: Db,
  { user, page_ids, now }: { user: UserRecord; page_ids: readonly string[]; now: number },
): Statement[] {
  const { id, email } = user;
  return [
    ...endSetUpOf(db, { user_id: id }, now),
    ...deletePromisesOf(db, id),
    ...deleteHoldingsOf(db, { user_id: id, page_ids }),
    ...deleteCredentialsOf(db, id),
    db.delete(pageMembers).where(eq(pageMembers.user_id, id)),
    db
      .delete(pageInvitations)
      .where(sql`${pageInvitations.accepted_at} IS NULL AND ${eq(pageInvitations.email, email)}`),
    db.delete(idempotencyKeys).where(eq(idempotencyKeys.user_id, id)),
    db
      .update(auditLog)
      .set({ actor_name: NAME, summary: sql`replace(${auditLog.summary}, ${email}, ${NAME})`, ip: null })
      .where(eq(auditLog.actor_name, email)),
    db
      .update(users)
      .set({
        email: `${id}@deleted.invalid`,
        name: NAME,
        email_verified_at: null,
        operator: false,
        deleted_at: now,
        updated_at: now,
      })
      .where(eq(users.id, id)),
  ];
}

/** What an account owns besides monitors, and through which others see, hear or run something of it. */
export const HOLDINGS = [statusPages, agents, webhooks, secrets];

export function deleteHoldingsOf(
  db: Db,
  { user_id, page_ids }: { user_id: string; page_ids: readonly string[] },
): Statement[] {
  return HOLDINGS.map((table) => {
    const statement = db.delete(table).where(eq(table.owner_id, user_id));
    return table === statusPages ? changesPages(statement, page_ids) : statement;
  });
}

/** Their objects are emptied like those of any deleted monitor. */
export function deleteMonitorsOf(db: Db, ids: readonly string[]): Statement[] {
  const chosen = inArray(monitors.id, [...ids]);
  const leaving = sql`(SELECT count(*) FROM ${monitors} WHERE ${monitors.shard_id} = ${shards.id} AND ${chosen})`;
  return [
    db
      .insert(deletedMonitors)
      .select(sql`SELECT ${monitors.id} FROM ${monitors} WHERE ${chosen}`)
      .onConflictDoNothing(),
    db
      .update(shards)
      .set({ size: sql`${shards.size} - ${leaving}` })
      .where(sql`${shards.id} IN (SELECT ${monitors.shard_id} FROM ${monitors} WHERE ${chosen})`),
    db.delete(monitors).where(chosen),
  ];
}

/** What names the account by its id alone, so many rows of each table. */
export function deleteRecordsOf(db: Db, ownerId: string): Statement[] {
  return [events, eventLog, escalations, auditLog].map((table) => deleteSome(db, table, eq(table.owner_id, ownerId)));
}

/** Everything that belongs to the row goes with it. */
export function deleteUser(db: Db, userId: string): Statement {
  return db.delete(users).where(eq(users.id, userId));
}
