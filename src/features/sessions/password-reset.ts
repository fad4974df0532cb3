import { commit } from "../../access/commit.ts";
import { toPrincipal } from "../../access/owners.ts";
import { isWithinRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { knowBrowser, openSession } from "../../access/sessions.ts";
import { invalid } from "../../contract/errors.ts";
import type { PasswordReset, PasswordResetRequest } from "../../contract/session.ts";
import { type AccountLinkRecord, findLinkOwner, isLinkUsed } from "../../data/account-links/read.ts";
import { deleteAccountLinksOf, insertAccountLink } from "../../data/account-links/write.ts";
import { deleteTokensOf } from "../../data/credentials/write.ts";
import { insertMail } from "../../data/mail/write.ts";
import { findSignIn } from "../../data/sessions/read.ts";
import { deleteSessionsOf, setPassword } from "../../data/sessions/write.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { formatMoment } from "../../lib/date-format.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import { sealMail } from "../../outbox/mail.ts";
import { randomBase62, sha256Hex } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";
import { hashPassword } from "../../platform/password.ts";
import { verifyAddress } from "./credentials.ts";
import { requirePasswordAllowed } from "./required-provider.ts";
import { hasSecondFactor } from "./second-factor.ts";
import { buildSecurityMail } from "./security-mail.ts";

/** For users who cannot sign in any more: the reader of the account's mail may choose a new password. */
const VALID_MS = HOUR_MS;
const TOKEN_LENGTH = 43;

/** The response is the same with and without an account, also in the time that it takes. */
export async function requestPasswordReset(ctx: RequestScope, { email }: PasswordResetRequest): Promise<void> {
  await requirePasswordAllowed(ctx, email, "email");
  const found = await findSignIn(ctx.db, email);
  if (!found) return;
  ctx.defer(
    mailLink(ctx, found.user).catch((error: unknown) =>
      ctx.log.error("password reset mail failed", error, { user_id: found.user.id }),
    ),
  );
}

async function mailLink(ctx: RequestScope, user: UserRecord): Promise<void> {
  if (!(await isWithinRate(ctx, "password_reset_mail", user.id))) return;
  const token = randomBase62(TOKEN_LENGTH);
  const link = buildLink(ctx, user.id, token);
  const lines = [
    "Hello,",
    "",
    `Somebody asked to reset the password of your account at ${ctx.publicUrl}.`,
    `To choose a new password, open this link by ${formatMoment(link.expires_at, "UTC")}:`,
    "",
    `${ctx.publicUrl}/app/reset?token=${token}`,
    "",
    "Opening it changes nothing yet, and it can be used once. The link is for you alone: please do not share it.",
    "",
    "If you did not request this, ignore this message: your password stays as it is.",
  ];
  const mail = await sealMail(ctx, {
    to: user.email,
    subject: "Reset your password",
    text: lines.join("\n"),
    action: "Choose a new password",
  });
  await commit(ctx, [insertAccountLink(ctx.db, link), insertMail(ctx.db, mail)], {
    audit: auditOf(user, `a password reset link was mailed to ${user.email}`),
  });
  sendAfterResponse(ctx, mail);
}

function buildLink({ now }: RequestScope, userId: string, token: string): AccountLinkRecord {
  return {
    id: newId(now),
    user_id: userId,
    kind: "password_reset",
    token_hash: sha256Hex(token),
    expires_at: now + VALID_MS,
    created_at: now,
    updated_at: now,
  };
}

/** The account whose password a link may replace; undefined for a link that is unknown, used or expired. */
export async function findResetAccount(ctx: RequestScope, token: string): Promise<UserRecord | undefined> {
  return (await findLink(ctx, token))?.user;
}

/**
 * Sets the password, which ends every link, all sessions and, unless the user keeps them, the tokens. The first reset
 * of an unverified account verifies it and always ends everything. Gives the cookies of a new session, or, with
 * two-factor sign-in, of a known browser alone: the mail stands for the password alone, so a code is still asked for.
 */
export async function resetPassword(ctx: RequestScope, input: PasswordReset): Promise<string[]> {
  const found = await findLink(ctx, input.token);
  if (!found) throw unusableLink();
  const { user, link } = found;
  await requirePasswordAllowed(ctx, user.email, "password");
  const hash = hashPassword(ctx.settings, input.password);
  const needsCode = user.email_verified_at !== null && (await hasSecondFactor(ctx, user.id));
  const session = needsCode ? null : await openSession(ctx, user, { hasGivenPassword: true });
  const principal = toPrincipal(user, { token_id: null, session_id: session?.record.id ?? null }, ctx.settings);
  const mail = await buildSecurityMail(ctx, user, {
    subject: "Your password was changed",
    text: "Your password was reset with a link sent to this address, and all of your sessions were ended.",
  });
  const statements = [
    ...(await verifyAddress(ctx, user)),
    setPassword(ctx.db, { user_id: user.id, hash, now: ctx.now }),
    deleteSessionsOf(ctx.db, user.id),
    deleteAccountLinksOf(ctx.db, user.id),
    ...(input.end_tokens === false ? [] : deleteTokensOf(ctx.db, user.id)),
    ...(session ? [session.statement] : []),
    ...(mail ? [insertMail(ctx.db, mail)] : []),
  ];
  await commit({ ...ctx, principal }, statements, {
    audit: auditOf(user, `${user.email} reset the password by a mailed link`),
    guards: [{ name: "stale", when: isLinkUsed(link.id), error: unusableLink() }],
  });
  if (mail) sendAfterResponse(ctx, mail);
  return session?.cookies ?? [knowBrowser(ctx, user.id)];
}

function findLink(ctx: RequestScope, token: string) {
  return findLinkOwner(ctx.db, { kind: "password_reset", token_hash: sha256Hex(token), now: ctx.now });
}

export function unusableLink() {
  return invalid("token is used or expired", [{ path: "token", message: "is used or expired" }]);
}

function auditOf({ id }: UserRecord, summary: string) {
  return { owner_id: id, target_type: "user", target_id: id, summary };
}
