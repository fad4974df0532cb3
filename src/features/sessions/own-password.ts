import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { requireUser } from "../../access/principal.ts";
import { isWithinRate, releaseRate, requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid, unauthenticated } from "../../contract/errors.ts";
import type { Confirmation, PasskeyAssertion } from "../../contract/passkey.ts";
import type { Statement } from "../../data/db.ts";
import type { MailRecord } from "../../data/mail/read.ts";
import { insertMail } from "../../data/mail/write.ts";
import { findPasswordHash } from "../../data/sessions/read.ts";
import type { SecondFactors } from "../../data/two-factor/read.ts";
import { findUser } from "../../data/users/read.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import type { SecondFactor } from "../../domain/totp.ts";
import { isPassword } from "../../platform/password.ts";
import { acceptPasskey, ownUse } from "./passkey-proof.ts";
import { checkCode } from "./second-factor.ts";
import { buildSecurityMail } from "./security-mail.ts";

/** What uses up a confirmation; belongs in the batch of the change that it allows. */
interface Confirmed {
  statements: Statement[];
  guards: Guard[];
  isPasskey: boolean;
}

/** For changes of the account that a stolen session or token may not make: its password, or a passkey instead. */
export async function requireConfirmation(ctx: RequestScope, { password, passkey }: Confirmation): Promise<Confirmed> {
  if (passkey) return { ...(await acceptOwnPasskey(ctx, passkey)), isPasskey: true };
  const stored = await findPasswordHash(ctx.db, requireUser(ctx).user_id);
  if (stored === null) throw conflict("the account has no password: set one first");
  if (password == null)
    throw invalid("password or passkey is required", [{ path: "password", message: "is required" }]);
  await checkOwnPassword(ctx, { given: password, stored, field: "password" });
  return { statements: [], guards: [], isPasskey: false };
}

/** A passkey of the caller's account, which answers a challenge that this session or token asked for. */
export async function acceptOwnPasskey(ctx: RequestScope, passkey: PasskeyAssertion) {
  const { user_id } = requireUser(ctx);
  const message = "is not accepted: it expired, was used, or is not one of your account";
  const refused = invalid(`passkey ${message}`, [{ path: "passkey", message }]);
  try {
    const { user, statements, guards } = await acceptPasskey(ctx, passkey, { use: ownUse(ctx, "confirm"), refused });
    if (user.id !== user_id) throw refused;
    return { statements, guards };
  } catch (error) {
    if (error === refused) await recordGuess(ctx, { secret: "passkey", mail: null });
    throw error;
  }
}

/**
 * The holder of a session or token may try so many passwords an hour, from any addresses and with any
 * credentials of the account. Sign-in and mailed reset links are counted apart, so that a thief does not lock its holder out.
 */
export async function checkOwnPassword(
  ctx: RequestScope,
  { given, stored, field }: { given: string; stored: string; field: "password" | "current_password" },
): Promise<void> {
  const { user_id } = requireUser(ctx);
  await requireRate(ctx, "own_password", user_id);
  if (isPassword(ctx.settings, given, stored)) return releaseRate(ctx, "own_password", user_id);
  await recordWrongPassword(ctx);
  throw invalid(`${field} is wrong`, [{ path: field, message: "is wrong" }]);
}

/** The audit log names the session or token behind each guess; the last one that is allowed is mailed to the holder. */
async function recordWrongPassword(ctx: RequestScope): Promise<void> {
  await recordGuess(ctx, { secret: "password", mail: (await isUsedUp(ctx)) ? await guessesMail(ctx) : null });
}

/** Counted with those of sign-in, and audited with the session or token behind it. */
export async function requireOwnCode(
  ctx: RequestScope,
  factors: Pick<SecondFactors, "user_id" | "app">,
  { code, accepts }: { code: string; accepts: readonly SecondFactor["kind"][] },
) {
  const wrong = invalid("code is wrong or was used", [{ path: "code", message: "is wrong or was used" }]);
  try {
    return await checkCode(ctx, factors, { code, wrong, accepts });
  } catch (error) {
    if (error === wrong) await recordGuess(ctx, { secret: "code", mail: null });
    throw error;
  }
}

async function recordGuess(ctx: RequestScope, { secret, mail }: { secret: string; mail: MailRecord | null }) {
  const { user_id, email } = requireUser(ctx);
  const refusal = { ...ctx, auditEvent: "session.refused", idempotency: null, bodyBytes: 0 };
  await commit(refusal, mail ? [insertMail(ctx.db, mail)] : [], {
    audit: {
      owner_id: user_id,
      target_type: "user",
      target_id: user_id,
      summary: `a change of the account of ${email} was refused, because its ${secret} was wrong`,
    },
  });
  if (mail) sendAfterResponse(ctx, mail);
}

/** Whether no guess is left in this hour, said once. */
async function isUsedUp(ctx: RequestScope): Promise<boolean> {
  const { user_id } = requireUser(ctx);
  if (await isWithinRate(ctx, "own_password", user_id)) {
    await releaseRate(ctx, "own_password", user_id);
    return false;
  }
  return isWithinRate(ctx, "guesses_mail", user_id);
}

async function guessesMail(ctx: RequestScope) {
  const user = await findUser(ctx.db, requireUser(ctx).user_id);
  if (!user) throw unauthenticated();
  const text =
    "Somebody who is signed in to your account, or has an API token of it, gave a wrong password again and again. The audit log names the session or token; end it, or end all of them, in your account.";
  return buildSecurityMail(ctx, user, { subject: "Wrong passwords for your account", text });
}
