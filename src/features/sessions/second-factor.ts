import type { Guard } from "../../access/audited-write.ts";
import { releaseRate, requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError } from "../../contract/errors.ts";
import type { PasskeyAssertion } from "../../contract/passkey.ts";
import type { Statement } from "../../data/db.ts";
import {
  findSecondFactors,
  hasRecoveryCode,
  isRecoveryCodeUsed,
  isStepUsed,
  type SecondFactors,
  type TwoFactorRecord,
} from "../../data/two-factor/read.ts";
import { deleteRecoveryCode, storeUsedStep } from "../../data/two-factor/write.ts";
import { parseSecondFactor, type SecondFactor } from "../../domain/totp.ts";
import { newId } from "../../platform/ids.ts";
import { unseal } from "../../platform/seal.ts";
import { createRecoveryCodes, findTotpStep, hashRecoveryCode } from "../../platform/totp.ts";
import { acceptPasskey, signInUse } from "./passkey-proof.ts";

/** What uses up an accepted code; belongs in the batch of the change that the code allows. */
export interface AcceptedFactor {
  statements: Statement[];
  guards: Guard[];
  isRecovery: boolean;
  /** Whether sign-in asks for a second factor. */
  isOn: boolean;
}

/** The kinds that an account has, of which any one suffices; none: the password alone signs in. */
export function secondFactorsOf({ app, has_passkey }: SecondFactors): ("totp" | "passkey")[] {
  return [...(app ? (["totp"] as const) : []), ...(has_passkey ? (["passkey"] as const) : [])];
}

export async function hasSecondFactor(ctx: RequestScope, userId: string): Promise<boolean> {
  return secondFactorsOf(await findSecondFactors(ctx.db, userId)).length > 0;
}

/** What a sign-in brings beside the first factor. */
export interface GivenFactor {
  code?: string | null | undefined;
  passkey?: PasskeyAssertion | null | undefined;
}

/** For a sign-in whose first factor was right. Throws 401; accounts without two-factor sign-in need no second one. */
export async function acceptSecondFactor(
  ctx: RequestScope,
  userId: string,
  { code, passkey }: GivenFactor,
): Promise<AcceptedFactor> {
  const factors = await findSecondFactors(ctx.db, userId);
  const kinds = secondFactorsOf(factors);
  if (kinds.length === 0) return { statements: [], guards: [], isRecovery: false, isOn: false };
  if (passkey) {
    const refused = new ApiError(401, "the passkey is not accepted", { code: "passkey_refused" });
    const { user, statements, guards } = await acceptPasskey(ctx, passkey, { use: signInUse(ctx), refused });
    if (user.id !== userId) throw refused;
    return { statements, guards, isRecovery: false, isOn: true };
  }
  const asked = factors.has_passkey ? "code or passkey is required" : "code is required";
  if (!code) throw new ApiError(401, asked, { code: "totp_required" });
  const wrong = new ApiError(401, "code is wrong or was used", { code: "totp_wrong" });
  return checkCode(ctx, factors, { code, wrong, accepts: ["totp", "recovery"] });
}

/**
 * Accepts a code of one of these kinds, or throws `wrong`. Wrong codes count against the account, accepted ones do not:
 * every attempt is counted before it is checked, so that simultaneous ones are no way around the limit.
 */
export async function checkCode(
  ctx: RequestScope,
  { user_id, app }: Pick<SecondFactors, "user_id" | "app">,
  { code, wrong, accepts }: { code: string; wrong: ApiError; accepts: readonly SecondFactor["kind"][] },
): Promise<AcceptedFactor & { step: number | null }> {
  await requireRate(ctx, "second_factor", user_id);
  const parsed = parseSecondFactor(code);
  if (!parsed || !accepts.includes(parsed.kind)) throw wrong;
  const accepted =
    parsed.kind === "totp"
      ? await acceptTotp(ctx, app, { code: parsed.code, wrong })
      : await acceptRecovery(ctx, user_id, { code: parsed.code, wrong });
  await releaseRate(ctx, "second_factor", user_id);
  return accepted;
}

async function acceptTotp(
  ctx: RequestScope,
  app: TwoFactorRecord | undefined,
  { code, wrong }: { code: string; wrong: ApiError },
) {
  if (!app) throw wrong;
  const { user_id, last_used_step } = app;
  const secret = await unseal(ctx.settings.ROOT_SECRET, user_id, app.sealed_secret);
  const step = findTotpStep(String(secret), code, { now: ctx.now, last_used_step });
  if (step === undefined) throw wrong;
  return {
    statements: [storeUsedStep(ctx.db, { user_id, step, now: ctx.now })],
    guards: [{ name: "stale" as const, when: isStepUsed(app, step), error: wrong }],
    isRecovery: false,
    isOn: true,
    step,
  };
}

async function acceptRecovery(ctx: RequestScope, user_id: string, { code, wrong }: { code: string; wrong: ApiError }) {
  const hash = hashRecoveryCode(code, { user_id });
  if (!(await hasRecoveryCode(ctx.db, hash))) throw wrong;
  return {
    statements: [deleteRecoveryCode(ctx.db, hash)],
    guards: [{ name: "stale" as const, when: isRecoveryCodeUsed(hash), error: wrong }],
    isRecovery: true,
    isOn: true,
    step: null,
  };
}

/** Ten new ones, of which only hashes are stored. */
export function makeRecoveryCodes(ctx: RequestScope, userId: string) {
  const codes = createRecoveryCodes();
  const rows = codes.map((each) => ({
    id: newId(ctx.now),
    user_id: userId,
    code_hash: hashRecoveryCode(each, { user_id: userId }),
    created_at: ctx.now,
    updated_at: ctx.now,
  }));
  return { codes, rows };
}
