import { commit } from "../../access/commit.ts";
import { alreadyShown, findIdempotentResult } from "../../access/idempotency.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, unauthenticated } from "../../contract/errors.ts";
import type { TotpConfirm, TotpDisable, TotpSetup } from "../../contract/two-factor.ts";
import type { Statement } from "../../data/db.ts";
import { insertMail } from "../../data/mail/write.ts";
import { findTwoFactor, isSetupOver, isTwoFactorOn } from "../../data/two-factor/read.ts";
import {
  confirmTwoFactor,
  deleteTwoFactor,
  insertRecoveryCodes,
  upsertTwoFactor,
} from "../../data/two-factor/write.ts";
import { findUser } from "../../data/users/read.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { buildOtpauthUrl, formatRecoveryCode } from "../../domain/totp.ts";
import { newId } from "../../platform/ids.ts";
import { seal } from "../../platform/seal.ts";
import { createRecoveryCodes, createTotpSecret, hashRecoveryCode } from "../../platform/totp.ts";
import { requireOwnCode, requireOwnPassword } from "./own-password.ts";
import { findActiveFactor } from "./second-factor.ts";
import { buildSecurityMail } from "./security-mail.ts";

/** Two-factor sign-in of the caller's account: set up, confirmed by a first code, switched off with a code. */
const ISSUER = "Vigil";

/** Gives a new secret. Nothing changes for sign-in until a code confirms it; setting up again replaces the secret. */
export async function setUpTotp(ctx: RequestScope, { password }: TotpSetup) {
  const { user_id, email } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  await requireOwnPassword(ctx, password);
  if (await findActiveFactor(ctx, user_id)) throw alreadyOn();
  const secret = createTotpSecret();
  const record = {
    user_id,
    sealed_secret: await seal(ctx.settings.ROOT_SECRET, user_id, secret),
    confirmed_at: null,
    last_used_step: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await commit(ctx, [upsertTwoFactor(ctx.db, record)], {
    audit: auditOf(user_id, `${email} set up an authenticator app`),
    guards: [{ name: "stale", when: isTwoFactorOn(user_id), error: alreadyOn() }],
  });
  return { secret, otpauth_url: buildOtpauthUrl({ issuer: ISSUER, account: email, secret }) };
}

/** From now on sign-in needs a code. Gives the recovery codes, of which only hashes are stored. */
export async function confirmTotp(ctx: RequestScope, { code }: TotpConfirm): Promise<string[]> {
  const { user_id, email } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  const factor = await findTwoFactor(ctx.db, user_id);
  if (!factor) throw conflict("two-factor sign-in is not set up yet: POST /auth/totp/setup first");
  if (factor.confirmed_at !== null) throw alreadyOn();
  const { step } = await requireOwnCode(ctx, factor, { code, accepts: ["totp"] });
  const codes = createRecoveryCodes();
  const rows = codes.map((each) => ({
    id: newId(ctx.now),
    user_id,
    code_hash: hashRecoveryCode(each, { user_id }),
    created_at: ctx.now,
    updated_at: ctx.now,
  }));
  const statements = [
    confirmTwoFactor(ctx.db, { user_id, step: step ?? 0, now: ctx.now }),
    insertRecoveryCodes(ctx.db, rows),
  ];
  await commitWithMail(ctx, statements, {
    audit: auditOf(user_id, `${email} switched two-factor sign-in on`),
    guards: [{ name: "stale", when: isSetupOver(factor), error: alreadyOn() }],
    mail: { subject: "Two-factor sign-in is on", text: "Two-factor sign-in was switched on for your account." },
  });
  return codes.map(formatRecoveryCode);
}

export async function disableTotp(ctx: RequestScope, { password, code }: TotpDisable): Promise<void> {
  const { user_id, email } = requireUser(ctx);
  if ((await findIdempotentResult(ctx)) !== undefined) return;
  await requireOwnPassword(ctx, password);
  const factor = await findActiveFactor(ctx, user_id);
  if (!factor) throw conflict("two-factor sign-in is off");
  const { guards } = await requireOwnCode(ctx, factor, { code, accepts: ["totp", "recovery"] });
  await commitWithMail(ctx, deleteTwoFactor(ctx.db, user_id), {
    audit: auditOf(user_id, `${email} switched two-factor sign-in off`),
    guards,
    mail: { subject: "Two-factor sign-in is off", text: "Two-factor sign-in was switched off for your account." },
  });
}

type CommitOptions = Parameters<typeof commit>[2];
interface NoticedCommit extends CommitOptions {
  mail: { subject: string; text: string };
}

async function commitWithMail(ctx: RequestScope, statements: Statement[], { mail: notice, ...options }: NoticedCommit) {
  const user = await findUser(ctx.db, requireUser(ctx).user_id);
  if (!user) throw unauthenticated();
  const mail = await buildSecurityMail(ctx, user, notice);
  await commit(ctx, [...statements, ...(mail ? [insertMail(ctx.db, mail)] : [])], options);
  if (mail) sendAfterResponse(ctx, mail);
}

function alreadyOn() {
  return conflict("two-factor sign-in is on already: switch it off first");
}

function auditOf(id: string, summary: string) {
  return { owner_id: id, target_type: "user", target_id: id, summary };
}
