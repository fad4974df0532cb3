import { commit } from "../../access/commit.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { unauthenticated } from "../../contract/errors.ts";
import type { Statement } from "../../data/db.ts";
import type { MailRecord } from "../../data/mail/read.ts";
import { insertMail } from "../../data/mail/write.ts";
import { findUser, type UserRecord } from "../../data/users/read.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { browserName } from "../../domain/browser-name.ts";
import { formatMoment } from "../../lib/date-format.ts";
import { sealMail } from "../../outbox/mail.ts";

/** What happened to an account, as its holder reads it. */
interface SecurityNotice {
  subject: string;
  /** A sentence that completes "… your account at X". */
  text: string;
}

/**
 * The mail that informs an account holder of a change to their credentials; null where the address is not verified,
 * because its owner may never have heard of this service.
 */
export async function buildSecurityMail(
  ctx: RequestScope,
  user: Pick<UserRecord, "email" | "email_verified_at">,
  { subject, text }: SecurityNotice,
): Promise<MailRecord | null> {
  if (user.email_verified_at === null) return null;
  const lines = [
    "Hello,",
    "",
    text,
    "",
    `Account: ${user.email} at ${ctx.publicUrl}`,
    `Time: ${formatMoment(ctx.now, "UTC")}`,
    ...(ctx.ip === null ? [] : [`Address: ${ctx.ip}`]),
    ...(ctx.place === null ? [] : [`Place: ${ctx.place}`]),
    ...(ctx.userAgent === null ? [] : [`Browser: ${browserName(ctx.userAgent)}`]),
    "",
    `If this was not you, reset your password at ${ctx.publicUrl}/app/forgotten-password, which ends all sessions and API tokens.`,
  ];
  return sealMail(ctx, { to: user.email, subject, text: lines.join("\n") });
}

type CommitOptions = Parameters<typeof commit>[2];
interface NoticedCommit extends CommitOptions {
  mail: SecurityNotice;
}

/** Changes credentials of the caller, who is informed of it. */
export async function commitWithMail(
  ctx: RequestScope,
  statements: Statement[],
  { mail: notice, ...options }: NoticedCommit,
): Promise<void> {
  const user = await findUser(ctx.db, requireUser(ctx).user_id);
  if (!user) throw unauthenticated();
  const mail = await buildSecurityMail(ctx, user, notice);
  await commit(ctx, [...statements, ...(mail ? [insertMail(ctx.db, mail)] : [])], options);
  if (mail) sendAfterResponse(ctx, mail);
}
