import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { toPrincipal } from "../../access/owners.ts";
import type { UserPrincipal } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { openSession } from "../../access/sessions.ts";
import { conflict, forbidden, invalid, unauthenticated } from "../../contract/errors.ts";
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
import { findSignIn } from "../../data/sessions/read.ts";
import { findPage, type StatusPageRecord } from "../../data/status-pages/read.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";
import { invitationAudit, joinStatements, newAccount } from "./membership.ts";

export interface AcceptedInvitation {
  member: NamedMember;
  /** Signs a new account in; null for whoever was signed in already. */
  cookie: string | null;
}

export type InvitationState = ({ state: "open" } & InvitationDetails) | { state: "used" | "expired" };

/** What an invitation offers whoever has its token; undefined where none has it. */
export async function loadInvitation(ctx: RequestScope, token: string): Promise<InvitationState | undefined> {
  const found = await findOfferByToken(ctx.db, sha256Hex(token));
  if (!found) return undefined;
  const { invitation } = found;
  if (isFresh(ctx, invitation)) return { state: "open", ...found };
  return { state: invitation.accepted_at === null ? "expired" : "used" };
}

/** By the invited person when signed in, else by whoever has the token and opens the account that it is for. */
export async function acceptInvitation(ctx: RequestScope, input: InvitationAccept): Promise<AcceptedInvitation> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return { member: await getJoined(ctx, earlier), cookie: null };
  const invitation = await findInvitationByToken(ctx.db, sha256Hex(input.token));
  if (!invitation) throw unusable();
  const page = await findPage(ctx.db, invitation.status_page_id);
  if (!page) throw unusable();
  if (ctx.principal.kind === "user") return joinAs(ctx, ctx.principal, { invitation, page });
  requireFresh(ctx, invitation);
  return joinAnew(ctx, input, { invitation, page });
}

interface Opening {
  invitation: InvitationRecord;
  page: StatusPageRecord;
}

async function joinAs(ctx: RequestScope, user: UserPrincipal, opening: Opening): Promise<AcceptedInvitation> {
  const { invitation } = opening;
  if (user.email !== invitation.email) throw forbidden("the invitation is for another e-mail address than yours");
  requireFresh(ctx, invitation);
  const { member, statements } = joinStatements(ctx, { id: user.user_id, ...user }, invitation);
  await write(ctx, opening, { member, statements });
  return { member, cookie: null };
}

async function joinAnew(ctx: RequestScope, input: InvitationAccept, opening: Opening): Promise<AcceptedInvitation> {
  const { email, name } = opening.invitation;
  if (await findSignIn(ctx.db, email)) throw unauthenticated("sign in as the invited person to accept");
  if (!input.password) throw requiredFor("password");
  const chosen = input.name ?? name;
  if (!chosen) throw requiredFor("name");
  const { user, member, statements } = newAccount(
    ctx,
    { email, name: chosen, password: input.password },
    opening.invitation,
  );
  const session = openSession(ctx, user.id);
  const principal = toPrincipal(user, { token_id: null, session_id: session.record.id }, ctx.settings);
  await write({ ...ctx, principal }, opening, { member, statements: [...statements, session.statement] });
  return { member, cookie: session.cookie };
}

async function write(
  ctx: RequestScope,
  { invitation, page }: Opening,
  joined: { member: NamedMember; statements: Statement[] },
) {
  const { member, statements } = joined;
  const news = insertNotification(ctx.db, {
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
  await commit(ctx, [markAccepted(ctx.db, invitation.id, ctx.now), ...statements, news], {
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
  const message = "is required for a new account";
  return invalid(`${path} ${message}`, [{ path, message }]);
}

/** One answer for tokens that are unknown, used, cancelled or expired. */
function unusable() {
  return invalid("token is of no invitation that can be accepted", [
    { path: "token", message: "is unknown, used, cancelled or expired" },
  ]);
}
