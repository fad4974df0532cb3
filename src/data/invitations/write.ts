import { and, eq, isNull, lte } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import type { MembershipsOf } from "../members/read.ts";
import { pageInvitations } from "../members/table.ts";
import { isAmong } from "../outbox/rows.ts";
import type { InvitationRecord } from "./read.ts";

/** What has expired makes room: an address can be invited again. */
export function insertInvitation(db: Db, invitation: InvitationRecord): Statement[] {
  const { status_page_id, email, created_at } = invitation;
  return [
    db
      .delete(pageInvitations)
      .where(
        and(
          eq(pageInvitations.status_page_id, status_page_id),
          eq(pageInvitations.email, email),
          isNull(pageInvitations.accepted_at),
          lte(pageInvitations.expires_at, created_at),
        ),
      ),
    db.insert(pageInvitations).values(invitation),
  ];
}

type Renewal = Pick<InvitationRecord, "token_hash" | "mail_token_hash" | "expires_at" | "updated_at">;

export function renewInvitation(db: Db, invitationId: string, renewal: Renewal): Statement {
  return db.update(pageInvitations).set(renewal).where(eq(pageInvitations.id, invitationId));
}

export function markAccepted(db: Db, invitationId: string, now: number): Statement {
  return db
    .update(pageInvitations)
    .set({ accepted_at: now, updated_at: now })
    .where(eq(pageInvitations.id, invitationId));
}

export function deleteInvitation(db: Db, invitationId: string): Statement {
  return db.delete(pageInvitations).where(eq(pageInvitations.id, invitationId));
}

/** Pending invitations to a page by a member who lost permissions. */
export function deletePendingInvitationsBy(db: Db, by: MembershipsOf): Statement {
  return db
    .delete(pageInvitations)
    .where(
      and(
        isAmong(pageInvitations.status_page_id, by.page_ids),
        eq(pageInvitations.invited_by, by.user_id),
        isNull(pageInvitations.accepted_at),
      ),
    );
}

export function deleteInvitationsExpiredBefore(db: Db, instant: number): Statement {
  return deleteSome(db, pageInvitations, lte(pageInvitations.expires_at, instant));
}
