import { and, eq, isNull, or, sql } from "drizzle-orm";
import { accountLinks } from "../account-links/table.ts";
import { deleteTokensOf } from "../credentials/write.ts";
import { changesPages, type Db, type Statement } from "../db.ts";
import { pageInvitations, pageMembers } from "../members/table.ts";
import { notifyContacts } from "../notify-contacts/table.ts";
import { reviewSchedulesOf } from "../on-call/write.ts";
import { pageTransfers } from "../page-transfers/table.ts";
import { deleteSessionsOf } from "../sessions/write.ts";
import { endSetUpOf } from "../set-ups/write.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

/** Invitations and ownership offers that this person made, and offers to them. Belongs before what ends memberships and pages. */
export function deletePromisesOf(db: Db, user_id: string): Statement[] {
  const isOnTheirs = or(
    sql`${pageInvitations.status_page_id} IN (SELECT p.id FROM ${statusPages} p WHERE p.owner_id = ${user_id})`,
    sql`${pageInvitations.status_page_id} IN (SELECT m.status_page_id FROM ${pageMembers} m WHERE m.user_id = ${user_id})`,
  );
  const ofTeams = sql`(SELECT o.owner_id FROM ${pageMembers} m JOIN ${statusPages} o ON o.id = m.status_page_id
    WHERE m.user_id = ${user_id})`;
  const offered = sql`(SELECT p.id FROM ${statusPages} p WHERE p.owner_id = ${user_id} OR p.owner_id IN ${ofTeams})`;
  return [
    db
      .delete(pageInvitations)
      .where(and(isOnTheirs, eq(pageInvitations.invited_by, user_id), isNull(pageInvitations.accepted_at))),
    db
      .delete(pageTransfers)
      .where(
        and(
          sql`${pageTransfers.status_page_id} IN ${offered}`,
          or(eq(pageTransfers.from_user_id, user_id), eq(pageTransfers.to_user_id, user_id)),
        ),
      ),
  ];
}

/**
 * Shuts a person out: sessions, tokens, links, memberships, contacts, and what they promised or set up for others. Passwords,
 * passkeys and linked sign-ins stay, so that nobody else gets the account, and nothing new of theirs opens one.
 */
export function deactivateUser(
  db: Db,
  { user_id, page_ids, now }: { user_id: string; page_ids: readonly string[]; now: number },
): Statement[] {
  return [
    ...endSetUpOf(db, { user_id }, now),
    ...deletePromisesOf(db, user_id),
    reviewSchedulesOf(db, user_id, now),
    ...deleteTokensOf(db, user_id),
    deleteSessionsOf(db, user_id),
    db.delete(accountLinks).where(eq(accountLinks.user_id, user_id)),
    db.delete(notifyContacts).where(eq(notifyContacts.user_id, user_id)),
    changesPages(db.delete(pageMembers).where(eq(pageMembers.user_id, user_id)), page_ids),
    db.update(users).set({ deactivated_at: now, operator: false, updated_at: now }).where(eq(users.id, user_id)),
  ];
}

export function reactivateUser(db: Db, userId: string, now: number): Statement {
  return db.update(users).set({ deactivated_at: null, updated_at: now }).where(eq(users.id, userId));
}
