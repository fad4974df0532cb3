import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { toPrincipal } from "../../access/owners.ts";
import type { UserPrincipal } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { openSession } from "../../access/sessions.ts";
import { ApiError, conflict, forbidden, invalid, unauthenticated } from "../../contract/errors.ts";
import type { InvitationAccept } from "../../contract/member.ts";
import type { Statement } from "../../data/db.ts";
import {
  findInvitationByToken,
  findOfferByToken,
  type InvitationDetails,
  type InvitationRecord,
  isUsedUp,
} from "../../data/invitations/read.ts";
import { markAccepted } from "../../data/invitations/write.ts";
import { findMember, type NamedMember } from "../../data/members/read.ts";
import { insertNotification } from "../../data/notifications/write.ts";
import { countSignup } from "../../data/referrals/write.ts";
import { findSignIn } from "../../data/sessions/read.ts";
import { setPassword } from "../../data/sessions/write.ts";
import { findPage, type StatusPageRecord } from "../../data/status-pages/read.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { renameUser } from "../../data/users/write.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";
import { hashPassword } from "../../platform/password.ts";
import { verifyAddress } from "../sessions/credentials.ts";
import { requirePasswordAllowed } from "../sessions/required-provider.ts";
import { invitationAudit, joinStatements, newAccount } from "./membership.ts";

export interface AcceptedInvitation {
  member: NamedMember;
  /** Sign a new account in; none for a reader who was signed in already. */
  cookies: string[];
}

export type InvitationState = ({ state: "open" } & InvitationDetails) | { state: "used" | "expired" };

/** What an invitation offers the holder of its token; undefined where none has it. */
export async function loadInvitation(ctx: RequestScope, token: string): Promise<InvitationState | undefined> {
  const found = await findOfferByToken(ctx.db, sha256Hex(token));
  if (!found) return undefined;
  const { invitation } = found;
  if (isFresh(ctx, invitation)) return { state: "open", ...found };
  return { state: invitation.accepted_at === null ? "expired" : "used" };
}

/**
 * The token of the API's answer serves the invited, signed-in user with a verified address. The token that only the mail
 * carried proves the address, so it also opens an account, or verifies one that was opened by somebody else.
 */
export async function acceptInvitation(ctx: RequestScope, input: InvitationAccept): Promise<AcceptedInvitation> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return { member: await getJoined(ctx, earlier), cookies: [] };
  const found = await findInvitationByToken(ctx.db, sha256Hex(input.token));
  if (!found) throw unusable();
  const { invitation, is_from_mail } = found;
  const page = await findPage(ctx.db, invitation.status_page_id);
  if (!page) throw unusable();
  const opening = { invitation, page };
  const user = ctx.principal.kind === "user" ? ctx.principal : undefined;
  if (user && user.email !== invitation.email) throw otherAccount(is_from_mail);
  requireFresh(ctx, invitation);
  if (user?.is_verified) return joinAs(ctx, user, opening);
  if (!is_from_mail) throw mailTokenRequired();
  const account = await findSignIn(ctx.db, invitation.email);
  if (!account) return joinAnew(ctx, input, opening);
  if (account.user.email_verified_at !== null) throw unauthenticated("sign in as the invited person to accept");
  return joinVerified(ctx, account.user, input, opening);
}

interface Opening {
  invitation: InvitationRecord;
  page: StatusPageRecord;
}

async function joinAs(ctx: RequestScope, user: UserPrincipal, opening: Opening): Promise<AcceptedInvitation> {
  const { member, statements } = joinStatements(ctx, { id: user.user_id, ...user }, opening.invitation);
  await write(ctx, opening, { member, statements });
  return { member, cookies: [] };
}

async function joinAnew(ctx: RequestScope, input: InvitationAccept, opening: Opening): Promise<AcceptedInvitation> {
  const { email, name } = opening.invitation;
  await requirePasswordAllowed(ctx, email, "password");
  if (!input.password) throw requiredFor("password");
  const chosen = input.name ?? name;
  if (!chosen) throw requiredFor("name");
  const account = { email, name: chosen, password: input.password, email_verified_at: ctx.now };
  const { user, member, statements } = newAccount(ctx, account, opening.invitation);
  return joinSignedIn(ctx, user, opening, { member, statements });
}

/** The account was opened for this address by somebody else; their sessions and credentials end now. */
async function joinVerified(
  ctx: RequestScope,
  account: UserRecord,
  input: InvitationAccept,
  opening: Opening,
): Promise<AcceptedInvitation> {
  await requirePasswordAllowed(ctx, account.email, "password");
  if (!input.password) throw requiredFor("password");
  const user = { ...account, email_verified_at: ctx.now, plan: null, name: input.name ?? account.name };
  const hash = hashPassword(ctx.settings, input.password);
  const { member, statements } = joinStatements(ctx, user, opening.invitation);
  return joinSignedIn(ctx, user, opening, {
    member,
    statements: [
      ...(await verifyAddress(ctx, account)),
      renameUser(ctx.db, user),
      setPassword(ctx.db, { user_id: user.id, hash, now: ctx.now }),
      ...statements,
    ],
  });
}

async function joinSignedIn(
  ctx: RequestScope,
  user: UserRecord,
  opening: Opening,
  { member, statements }: { member: NamedMember; statements: Statement[] },
): Promise<AcceptedInvitation> {
  const session = await openSession(ctx, user, { hasGivenPassword: true });
  const principal = toPrincipal(user, { token_id: null, session_id: session.record.id }, ctx.settings);
  const signup = countSignup(ctx.db, opening.invitation.invited_by, ctx.now);
  await write({ ...ctx, principal }, opening, { member, statements: [...statements, session.statement, signup] });
  return { member, cookies: session.cookies };
}

async function write(
  ctx: RequestScope,
  { invitation, page }: Opening,
  joined: { member: NamedMember; statements: Statement[] },
) {
  const { member, statements } = joined;
  const notification = insertNotification(ctx.db, {
    id: newId(ctx.now),
    user_id: invitation.invited_by,
    type: "member.joined",
    title: `${member.email} joined`,
    message: `${member.email} is now a member of the status page "${page.name}".`,
    status_page_id: page.id,
    target_id: member.id,
    read_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  await commit(ctx, [markAccepted(ctx.db, invitation.id, ctx.now), ...statements, notification], {
    audit: {
      ...invitationAudit(page, invitation, `${member.email} accepted the invitation`),
      target_type: "member",
      target_id: member.id,
    },
    guards: [{ name: "stale", when: isUsedUp(invitation.id, ctx.now), error: unusable() }],
    conflicts: {
      "page_members.user_id": conflict("you are a member of this status page already"),
      "users.email": unauthenticated("sign in as the invited person to accept"),
    },
  });
}

function requireFresh(ctx: RequestScope, invitation: InvitationRecord): void {
  if (!isFresh(ctx, invitation)) throw unusable();
}

function isFresh(ctx: RequestScope, { accepted_at, expires_at }: InvitationRecord): boolean {
  return accepted_at === null && expires_at > ctx.now;
}

async function getJoined(ctx: RequestScope, memberId: string): Promise<NamedMember> {
  const member = await findMember(ctx.db, memberId);
  if (!member) throw unusable();
  return member;
}

function requiredFor(path: string) {
  const message = "is required to open the account";
  return invalid(`${path} ${message}`, [{ path, message }]);
}

function mailTokenRequired() {
  const message = "this token serves the signed-in invited user with a verified address: use the link of the mail";
  return new ApiError(403, message, { code: "mail_token_required" });
}

function otherAccount(isFromMail: boolean) {
  return isFromMail ? forbidden("the invitation is for another e-mail address than yours") : mailTokenRequired();
}

/** One answer for tokens that are unknown, used, cancelled or expired. */
function unusable() {
  return invalid("token must belong to a pending invitation", [
    { path: "token", message: "is unknown, used, cancelled or expired" },
  ]);
}
