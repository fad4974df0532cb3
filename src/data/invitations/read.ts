import { eq, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Db } from "../db.ts";
import { pageInvitations } from "../members/table.ts";
import type { StatusPageRecord } from "../status-pages/read.ts";
import { statusPages } from "../status-pages/table.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";

export type InvitationRecord = typeof pageInvitations.$inferSelect;

export async function findInvitation(db: Db, invitationId: string): Promise<InvitationRecord | undefined> {
  const rows = await db.select().from(pageInvitations).where(eq(pageInvitations.id, invitationId)).limit(1);
  return rows[0];
}

/** By either of its tokens; `is_from_mail` is true for the one that only the mail carried. */
export async function findInvitationByToken(
  db: Db,
  tokenHash: string,
): Promise<{ invitation: InvitationRecord; is_from_mail: boolean } | undefined> {
  const [invitation] = await db.select().from(pageInvitations).where(hasToken(tokenHash)).limit(1);
  return invitation && { invitation, is_from_mail: invitation.mail_token_hash === tokenHash };
}

function hasToken(tokenHash: string) {
  return or(eq(pageInvitations.token_hash, tokenHash), eq(pageInvitations.mail_token_hash, tokenHash));
}

/** An invitation with what its receiver has to know before they accept. */
export interface InvitationDetails {
  invitation: InvitationRecord;
  page: StatusPageRecord;
  inviter: Pick<UserRecord, "name" | "email"> | null;
  /** Whether the invited address has a verified account. */
  has_account: boolean;
  /** Whether the token is the one that only the mail carried. */
  is_from_mail: boolean;
}

export async function findOfferByToken(db: Db, tokenHash: string): Promise<InvitationDetails | undefined> {
  const invited = alias(users, "invited");
  const rows = await db
    .select({
      invitation: pageInvitations,
      page: statusPages,
      inviter: { name: users.name, email: users.email },
      verified_at: invited.email_verified_at,
    })
    .from(pageInvitations)
    .innerJoin(statusPages, eq(statusPages.id, pageInvitations.status_page_id))
    .leftJoin(users, eq(users.id, pageInvitations.invited_by))
    .leftJoin(invited, eq(invited.email, pageInvitations.email))
    .where(hasToken(tokenHash))
    .limit(1);
  const [row] = rows;
  if (!row) return undefined;
  const { invitation, page, inviter, verified_at } = row;
  const is_from_mail = invitation.mail_token_hash === tokenHash;
  return { invitation, page, inviter, has_account: verified_at !== null, is_from_mail };
}

/** The condition under which an invitation cannot be accepted (any more). */
export function isUsedUp(invitationId: string, now: number): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${pageInvitations} WHERE ${eq(pageInvitations.id, invitationId)}
    AND ${pageInvitations.accepted_at} IS NULL AND ${pageInvitations.expires_at} > ${now})`;
}
