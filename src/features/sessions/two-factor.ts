import { commit } from "../../access/commit.ts";
import { alreadyShown, findIdempotentResult } from "../../access/idempotency.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid } from "../../contract/errors.ts";
import type { TotpConfirm, TotpDisable, TotpSetup } from "../../contract/two-factor.ts";
import { findSecondFactors, findTwoFactor, isSetupOver, isTwoFactorOn } from "../../data/two-factor/read.ts";
import {
  confirmTwoFactor,
  deleteRecoveryCodesOf,
  deleteTwoFactor,
  insertRecoveryCodes,
  upsertTwoFactor,
} from "../../data/two-factor/write.ts";
import { buildOtpauthUrl, formatRecoveryCode } from "../../domain/totp.ts";
import { seal } from "../../platform/seal.ts";
import { createTotpSecret } from "../../platform/totp.ts";
import { requireConfirmation, requireOwnCode } from "./own-password.ts";
import { makeRecoveryCodes } from "./second-factor.ts";
import { commitWithMail } from "./security-mail.ts";

/** Two-factor sign-in of the caller's account: set up, confirmed by a first code, switched off with a code. */
const ISSUER = "Vigil";

/** Gives a new secret. Nothing changes for sign-in until a code confirms it; setting up again replaces the secret. */
export async function setUpTotp(ctx: RequestScope, confirmation: TotpSetup) {
  const { user_id, email } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  const { statements, guards } = await requireConfirmation(ctx, confirmation);
  if ((await findSecondFactors(ctx.db, user_id)).app) throw alreadyOn();
  const secret = createTotpSecret();
  const record = {
    user_id,
    sealed_secret: await seal(ctx.settings.ROOT_SECRET, user_id, secret),
    confirmed_at: null,
    last_used_step: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await commit(ctx, [...statements, upsertTwoFactor(ctx.db, record)], {
    audit: auditOf(user_id, `${email} set up an authenticator app`),
    guards: [...guards, { name: "stale", when: isTwoFactorOn(user_id), error: alreadyOn() }],
  });
  return { secret, otpauth_url: buildOtpauthUrl({ issuer: ISSUER, account: email, secret }) };
}

/** From now on sign-in needs a second factor. Gives new recovery codes, which replace those of the account's passkeys. */
export async function confirmTotp(ctx: RequestScope, { code }: TotpConfirm): Promise<string[]> {
  const { user_id, email } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  const factor = await findTwoFactor(ctx.db, user_id);
  if (!factor) throw conflict("two-factor sign-in is not set up yet: POST /auth/totp/setup first");
  if (factor.confirmed_at !== null) throw alreadyOn();
  const { step } = await requireOwnCode(ctx, { user_id, app: factor }, { code, accepts: ["totp"] });
  const { codes, rows } = makeRecoveryCodes(ctx, user_id);
  const statements = [
    confirmTwoFactor(ctx.db, { user_id, step: step ?? 0, now: ctx.now }),
    deleteRecoveryCodesOf(ctx.db, user_id),
    insertRecoveryCodes(ctx.db, rows),
  ];
  await commitWithMail(ctx, statements, {
    audit: auditOf(user_id, `${email} switched two-factor sign-in on`),
    guards: [{ name: "stale", when: isSetupOver(factor), error: alreadyOn() }],
    mail: { subject: "Two-factor sign-in is on", text: "Two-factor sign-in was switched on for your account." },
  });
  return codes.map(formatRecoveryCode);
}

export async function disableTotp(ctx: RequestScope, { code, ...confirmation }: TotpDisable): Promise<void> {
  const { user_id, email } = requireUser(ctx);
  if ((await findIdempotentResult(ctx)) !== undefined) return;
  const { statements, guards, isPasskey } = await requireConfirmation(ctx, confirmation);
  const factors = await findSecondFactors(ctx.db, user_id);
  if (!factors.app) throw conflict("two-factor sign-in is off");
  // A passkey is both factors in one.
  if (!isPasskey) {
    if (!code) throw invalid("code is required", [{ path: "code", message: "is required" }]);
    guards.push(...(await requireOwnCode(ctx, factors, { code, accepts: ["totp", "recovery"] })).guards);
  }
  await commitWithMail(ctx, [...statements, ...deleteTwoFactor(ctx.db, user_id)], {
    audit: auditOf(user_id, `${email} switched two-factor sign-in off`),
    guards,
    mail: { subject: "Two-factor sign-in is off", text: "Two-factor sign-in was switched off for your account." },
  });
}

function alreadyOn() {
  return conflict("two-factor sign-in is on already: switch it off first");
}

function auditOf(id: string, summary: string) {
  return { owner_id: id, target_type: "user", target_id: id, summary };
}
