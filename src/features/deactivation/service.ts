import { z } from "zod";
import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findEarlierAnswer } from "../../access/idempotency.ts";
import { requireOperator, type UserPrincipal } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, notFound, raced } from "../../contract/errors.ts";
import { Notice } from "../../contract/notices.ts";
import { deactivateUser, reactivateUser } from "../../data/deactivation/write.ts";
import { listPagesOf } from "../../data/deleted-accounts/read.ts";
import { insertMail } from "../../data/mail/write.ts";
import { listSharedPages } from "../../data/members/read.ts";
import {
  findUser,
  findUserByEmail,
  isChangedOrNoOperator,
  isUserChanged,
  listDeactivated,
  type UserRecord,
} from "../../data/users/read.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { withPage } from "../../domain/placed-notice.ts";
import { sealMail } from "../../outbox/mail.ts";
import { joinPublications } from "../../outbox/publication.ts";
import { announceEnd } from "../members/set-up.ts";
import { planDeparture } from "../on-call/departure.ts";

const PAGES_MAX = 100;
export interface DeactivatedUser extends UserRecord {
  deactivated_at: number;
}

export async function listDeactivatedAccounts(ctx: RequestScope, page: { limit: number; offset: number }) {
  requireOperator(ctx);
  const { rows, total } = await listDeactivated(ctx.db, page);
  return { rows: rows.filter(isDeactivated), total };
}

function isDeactivated(user: UserRecord): user is DeactivatedUser {
  return user.deactivated_at !== null;
}

/**
 * The person loses sessions, tokens, memberships, duty and contacts with this request. What the account owns goes on; nothing
 * is deleted that others need.
 */
export async function deactivateAccount(
  ctx: RequestScope,
  email: string,
): Promise<{ user: DeactivatedUser; notices: Notice[] }> {
  const operator = requireOperator(ctx);
  const user = await findUserByEmail(ctx.db, email);
  if (!user) throw notFound("account");
  const earlier = await findEarlierAnswer(ctx, (stored) => z.array(Notice).parse(stored));
  if (earlier && isDeactivated(user)) return { user, notices: earlier };
  if (user.id === operator.user_id) throw conflict("email is your own: another operator has to do that");
  if (isDeactivated(user)) throw conflict("the account is deactivated already");
  const guard = changedMeanwhile(user, operator);
  return shutOut(ctx, user, { by: "an operator", owner_id: operator.user_id, guard });
}

/** The provider says that the person left. An operator stays, because another operator has to do that. */
export async function deactivateByProvider(
  ctx: RequestScope,
  user: UserRecord,
  { name }: { name: string },
): Promise<void> {
  if (user.operator || isDeactivated(user)) return;
  const system = { ...ctx, principal: { kind: "system" as const }, auditEvent: "account.deactivated" };
  const error = raced("the account was changed by another request, try again");
  const guard = { name: "stale" as const, when: isUserChanged(user), error };
  await shutOut(system, user, { by: `the sign-in provider ${name}`, owner_id: null, guard });
}

/** `owner_id` is whose log has it besides that of the person. */
async function shutOut(
  ctx: RequestScope,
  user: UserRecord,
  { by, owner_id, guard }: { by: string; owner_id: string | null; guard: Guard },
): Promise<{ user: DeactivatedUser; notices: Notice[] }> {
  const [shared, own] = await Promise.all([
    listSharedPages(ctx.db, user.id, { limit: PAGES_MAX, offset: 0 }),
    listPagesOf(ctx.db, user.id, PAGES_MAX),
  ]);
  const teams = shared.rows.map(({ page }) => page);
  const ends = await Promise.all([
    announceEnd(ctx, teams, { user_id: user.id, label: user.email }),
    planDeparture(ctx, [...teams, ...own], user.id),
  ]);
  const notices = ends.flatMap((end) => end.notices).map(withPage);
  const publication = joinPublications(ends.map((end) => end.publication));
  const mail = user.email_verified_at === null ? null : await letterTo(ctx, user.email, by);
  const statements = [
    ...deactivateUser(ctx.db, { user_id: user.id, page_ids: teams.map(({ id }) => id), now: ctx.now }),
    ...publication.statements,
    ...(mail ? [insertMail(ctx.db, mail)] : []),
  ];
  const about = { target_type: "user", target_id: user.id, summary: `deactivated the account ${user.email}` };
  await commit(ctx, statements, {
    answer: notices,
    audit: { owner_id: owner_id ?? user.id, ...about },
    audit_each: [
      ...(owner_id === null ? [] : [{ owner_id: user.id, event_type: "account.deactivated", ...about }]),
      ...teams.map(({ id, owner_id }) => ({
        ...about,
        owner_id,
        status_page_id: id,
        event_type: "member.removed",
        summary: `${user.email} is no member any more: ${by} deactivated the account`,
      })),
    ],
    guards: [guard],
  });
  if (mail) sendAfterResponse(ctx, mail);
  await publication.wake();
  return { user: { ...user, deactivated_at: ctx.now }, notices };
}

/** The person can sign in as before. Memberships, tokens and contacts do not come back. */
export async function reactivateAccount(ctx: RequestScope, userId: string): Promise<void> {
  const operator = requireOperator(ctx);
  const user = await findUser(ctx.db, userId);
  if (!user || !isDeactivated(user)) throw notFound("deactivated account");
  const about = { target_type: "user", target_id: user.id, summary: `reactivated the account ${user.email}` };
  await commit(ctx, [reactivateUser(ctx.db, user.id, ctx.now)], {
    audit: { owner_id: operator.user_id, ...about },
    audit_each: [{ owner_id: user.id, event_type: "account.reactivated", ...about }],
    guards: [changedMeanwhile(user, operator)],
  });
}

/** Two operators cannot shut each other out at once, which would leave none. */
function changedMeanwhile(user: UserRecord, operator: UserPrincipal): Guard {
  const error = raced("the account was changed by another request, try again");
  return { name: "stale", when: isChangedOrNoOperator(user, operator.user_id), error };
}

function letterTo(ctx: RequestScope, email: string, by: string) {
  const lines = [
    "Hello,",
    "",
    `${by} of ${ctx.publicUrl} deactivated your account ${email}. You are signed out everywhere, and your tokens and memberships ended.`,
    "",
    "If this is a mistake, write to the operator of the service.",
  ];
  return sealMail(ctx, { to: email, subject: "Your account was deactivated", text: lines.join("\n") });
}
