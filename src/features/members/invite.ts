import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { alreadyShown, findIdempotentResult } from "../../access/idempotency.ts";
import { requireMailRate } from "../../access/mail-rate.ts";
import { getOwner } from "../../access/owners.ts";
import { requirePage, requireVisiblePage } from "../../access/pages.ts";
import { capGuard } from "../../access/plan-caps.ts";
import { requireUser, type UserPrincipal } from "../../access/principal.ts";
import { requireRate } from "../../access/rate-limit.ts";
import { requireInvitation } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { type ApiError, conflict, notFound, planLimit } from "../../contract/errors.ts";
import type { MemberInvite } from "../../contract/member.ts";
import type { Statement } from "../../data/db.ts";
import { type InvitationRecord, isUsedUp } from "../../data/invitations/read.ts";
import { deleteInvitation, insertInvitation, renewInvitation } from "../../data/invitations/write.ts";
import { insertMail } from "../../data/mail/write.ts";
import { countSeats, hasOnTeam, isOnTeam, usesSeats } from "../../data/members/read.ts";
import { findSignIn } from "../../data/sessions/read.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { hasOpenedAccounts } from "../../data/users/read.ts";
import { countOpenedAccount } from "../../data/users/write.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { lowerPlan, PLAN_LIMITS } from "../../domain/plans.ts";
import { explainMembership, ROLE_PHRASES } from "../../domain/roles.ts";
import { formatMoment } from "../../lib/date-format.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { oneLine } from "../../lib/one-line.ts";
import { sealMail } from "../../outbox/mail.ts";
import { randomBase62, sha256Hex } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";
import { findUrls } from "../custom-domains/service.ts";
import { invitationAudit, newAccount, requireGrantable } from "./membership.ts";

const VALID_MS = 7 * DAY_MS;
const TOKEN_LENGTH = 43;
const UNNAMED = "New member";

export interface CreatedInvitation {
  record: InvitationRecord;
  /** Null where the account was opened at once. */
  accept_url: string | null;
}

/** The plan's gate of invitations: pending ones take a seat, too. */
export async function requireSeat(ctx: RequestScope, _body: unknown, params: Record<string, string>): Promise<void> {
  const { page } = await requireVisiblePage(ctx, params.id ?? "");
  const owner = await getOwner(ctx, page.owner_id);
  const limit = PLAN_LIMITS[owner.plan].seats_per_page;
  if (limit === null) return;
  const { members, pending_invitations } = await countSeats(ctx.db, page.id, ctx.now);
  if (members + pending_invitations < limit) return;
  if ((await findIdempotentResult(ctx)) === undefined) throw seatsUsedUp(owner);
}

/**
 * Invites by mail. The answer and the mail carry different tokens, because only the mail shows that its reader has the
 * address. The owner may instead open an unverified account for an address without one, which is a member at once.
 */
export async function inviteMember(ctx: RequestScope, pageId: string, input: MemberInvite): Promise<CreatedInvitation> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  const page = await requirePage(ctx, pageId);
  const { membership } = await requireVisiblePage(ctx, pageId);
  const capabilities = input.capabilities ?? [];
  requireGrantable(membership, { role: input.role, capabilities });
  if (await hasOnTeam(ctx.db, page.id, input.email)) throw onTeamAlready();
  await requireRate(ctx, "invitation");
  const tokens = newTokens();
  const record: InvitationRecord = {
    id: newId(ctx.now),
    status_page_id: page.id,
    email: input.email,
    name: input.name ?? null,
    role: input.role,
    capabilities: [...new Set(capabilities)],
    ...tokens.hashes,
    invited_by: requireUser(ctx).user_id,
    expires_at: ctx.now + VALID_MS,
    accepted_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const opened = membership.role === "owner" ? await openAccount(ctx, record, input) : undefined;
  if (opened) {
    const { user_id: owner_id } = requireUser(ctx);
    const cap = await capGuard(ctx, { cap: "opened_accounts", owner_id, isReached: hasOpenedAccounts(owner_id) });
    return write(ctx, page, { record: { ...record, accepted_at: ctx.now }, accept_url: null }, opened, cap);
  }
  const made = { record, accept_url: acceptUrl(ctx, tokens.answer) };
  const mail = await sealInvitation(ctx, page, { record, token: tokens.mail });
  await write(ctx, page, made, [insertMail(ctx.db, mail)]);
  sendAfterResponse(ctx, mail);
  return made;
}

/** Sends an invitation again, with new tokens in place of the old ones and seven more days; an expired one as well. */
export async function resendInvitation(
  ctx: RequestScope,
  { page_id, member_id }: { page_id: string; member_id: string },
): Promise<CreatedInvitation> {
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  const invitation = await requireInvitation(ctx, member_id);
  if (invitation.status_page_id !== page_id || invitation.accepted_at !== null) throw notFound("invitation");
  await requireRate(ctx, "invitation");
  const { page, membership } = await requireVisiblePage(ctx, page_id);
  requireGrantable(membership, invitation);
  if (await hasOnTeam(ctx.db, page.id, invitation.email)) throw onTeamAlready();
  const tokens = newTokens();
  const change = { ...tokens.hashes, expires_at: ctx.now + VALID_MS, updated_at: ctx.now };
  const record = { ...invitation, ...change };
  const mail = await sealInvitation(ctx, page, { record, token: tokens.mail });
  const takesSeat = invitation.expires_at <= ctx.now;
  await commit(ctx, [renewInvitation(ctx.db, invitation.id, change), insertMail(ctx.db, mail)], {
    audit: invitationAudit(page, record, `sent the invitation of ${record.email} again`),
    guards: [
      { name: "stale", when: isUsedUp(invitation.id, 0), error: notFound("invitation") },
      ...(takesSeat ? seatGuard(ctx, page.id, await getOwner(ctx, page.owner_id)) : []),
    ],
  });
  sendAfterResponse(ctx, mail);
  return { record, accept_url: acceptUrl(ctx, tokens.answer) };
}

/** One for the answer of the API, one for the mail; only their hashes are stored. */
function newTokens() {
  const [answer, mail] = [randomBase62(TOKEN_LENGTH), randomBase62(TOKEN_LENGTH)];
  return { answer, mail, hashes: { token_hash: sha256Hex(answer), mail_token_hash: sha256Hex(mail) } };
}

const acceptUrl = ({ publicUrl }: RequestScope, token: string) => `${publicUrl}/app/accept?token=${token}`;

/** Counted for its recipient, as every mail that somebody else causes. */
async function sealInvitation(
  ctx: RequestScope,
  page: StatusPageRecord,
  { record, token }: { record: InvitationRecord; token: string },
) {
  const sender = { kind: "account", account_id: page.owner_id } as const;
  await requireMailRate(ctx, sender, { kind: "mail", address: record.email });
  const page_url = (await findUrls(ctx, [page]))(page);
  return sealMail(ctx, {
    to: record.email,
    ...invitationMail(ctx, page, { record, url: acceptUrl(ctx, token), page_url }),
  });
}

/** For an address that has an account nothing of what the inviter says about it counts. */
async function openAccount(
  ctx: RequestScope,
  invitation: InvitationRecord,
  input: MemberInvite,
): Promise<Statement[] | undefined> {
  if (!input.password || input.confirmed !== true) return undefined;
  if ((await findSignIn(ctx.db, input.email)) !== undefined) return undefined;
  const { user_id, plan } = requireUser(ctx);
  const account = {
    email: input.email,
    name: input.name ?? UNNAMED,
    password: input.password,
    // The address is not verified: the owner vouches for it, and the account gets no better plan than the owner's.
    email_verified_at: null,
    vouched_by: user_id,
    plan: lowerPlan(plan, ctx.settings.DEFAULT_PLAN),
  };
  const { statements } = newAccount(ctx, account, invitation);
  return [...statements, countOpenedAccount(ctx.db, user_id)];
}

export async function cancelInvitation(
  ctx: RequestScope,
  { page_id, invitation_id }: { page_id: string; invitation_id: string },
): Promise<void> {
  const invitation = await requireInvitation(ctx, invitation_id);
  if (invitation.status_page_id !== page_id || invitation.accepted_at !== null) throw notFound("invitation");
  const { page } = await requireVisiblePage(ctx, page_id);
  await commit(ctx, [deleteInvitation(ctx.db, invitation.id)], {
    audit: invitationAudit(page, invitation, `cancelled the invitation of ${invitation.email}`),
    guards: [{ name: "stale", when: isUsedUp(invitation.id, 0), error: notFound("invitation") }],
  });
}

async function write(
  ctx: RequestScope,
  page: StatusPageRecord,
  made: CreatedInvitation,
  follows: readonly Statement[],
  guards: readonly Guard[] = [],
) {
  const { record } = made;
  const owner = await getOwner(ctx, page.owner_id);
  await commit(ctx, [...insertInvitation(ctx.db, record), ...follows], {
    audit: invitationAudit(page, record, `invited ${record.email} as ${record.role}`),
    guards: [
      { name: "already_member", when: isOnTeam(page.id, record.email), error: onTeamAlready() },
      ...seatGuard(ctx, page.id, owner),
      ...guards,
    ],
    conflicts: {
      "page_invitations.email": conflict("email has a pending invitation to this status page"),
      "users.email": conflict("an account for email was created in the meantime, invite it again"),
    },
  });
  return made;
}

/** Holds the plan's number of seats when several requests invite at once. */
function seatGuard(ctx: RequestScope, pageId: string, owner: UserPrincipal): Guard[] {
  const limit = PLAN_LIMITS[owner.plan].seats_per_page;
  if (limit === null) return [];
  return [{ name: "seats", when: usesSeats(pageId, ctx.now, limit), error: seatsUsedUp(owner) }];
}

function seatsUsedUp({ plan }: UserPrincipal): ApiError {
  const limit = PLAN_LIMITS[plan].seats_per_page;
  return planLimit(`the ${plan} plan includes ${limit} seat${limit === 1 ? "" : "s"} per status page`);
}

function onTeamAlready(): ApiError {
  return conflict("email is already a member of this status page");
}

/** The page's name is the inviter's only text in it, so that invitations cannot carry arbitrary messages. */
function invitationMail(
  ctx: RequestScope,
  page: StatusPageRecord,
  { record, url, page_url }: { record: InvitationRecord; url: string; page_url: string },
) {
  const inviter = requireUser(ctx).email;
  const name = oneLine(page.name);
  const lines = [
    "Hello,",
    "",
    `${inviter} invited you to the status page "${name}" ${ROLE_PHRASES[record.role]}.`,
    explainMembership(record),
    ...(page.is_public ? ["", `This is the page: ${page_url}`] : []),
    "",
    `To accept, open this link by ${formatMoment(record.expires_at, page.timezone)}:`,
    "",
    url,
    "",
    "Opening it changes nothing yet. There you choose a name and a password, or sign in if you have an account.",
    "The link is for you alone: please do not share it.",
    "",
    "If you did not expect this invitation, ignore this message.",
  ];
  return {
    subject: `Invitation to the status page "${name}"`,
    text: lines.join("\n"),
    action: "Accept the invitation",
  };
}
