import type { Guard } from "../../access/commit.ts";
import { releaseRate, requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Statement } from "../../data/db.ts";
import {
  findTwoFactor,
  hasRecoveryCode,
  isRecoveryCodeUsed,
  isStepUsed,
  type TwoFactorRecord,
} from "../../data/two-factor/read.ts";
import { deleteRecoveryCode, storeUsedStep } from "../../data/two-factor/write.ts";
import { parseSecondFactor, type SecondFactor } from "../../domain/totp.ts";
import { unseal } from "../../platform/seal.ts";
import { findTotpStep, hashRecoveryCode } from "../../platform/totp.ts";

/** What uses up an accepted code; belongs in the batch of the change that the code allows. */
export interface AcceptedFactor {
  statements: Statement[];
  guards: Guard[];
  isRecovery: boolean;
  /** Whether sign-in asks for a code. */
  isOn: boolean;
}

/** The confirmed authenticator app of an account; undefined where two-factor sign-in is off. */
export async function findActiveFactor(ctx: RequestScope, userId: string): Promise<TwoFactorRecord | undefined> {
  const factor = await findTwoFactor(ctx.db, userId);
  return factor === undefined || factor.confirmed_at === null ? undefined : factor;
}

/** For a sign-in whose first factor was right. Throws 401; accounts without two-factor sign-in need no code. */
export async function acceptSecondFactor(
  ctx: RequestScope,
  { user_id, code }: { user_id: string; code: string | null | undefined },
): Promise<AcceptedFactor> {
  const factor = await findActiveFactor(ctx, user_id);
  if (!factor) return { statements: [], guards: [], isRecovery: false, isOn: false };
  if (!code) throw new ApiError(401, "code is required", { code: "totp_required" });
  const wrong = new ApiError(401, "code is wrong or was used", { code: "totp_wrong" });
  return checkCode(ctx, factor, { code, wrong, accepts: ["totp", "recovery"] });
}

/**
 * Accepts a code of one of these kinds, or throws `wrong`. Wrong codes count against the account, accepted ones do not:
 * every attempt is counted before it is checked, so that simultaneous ones are no way around the limit.
 */
export async function checkCode(
  ctx: RequestScope,
  factor: TwoFactorRecord,
  { code, wrong, accepts }: { code: string; wrong: ApiError; accepts: readonly SecondFactor["kind"][] },
): Promise<AcceptedFactor & { step: number | null }> {
  await requireRate(ctx, "second_factor", factor.user_id);
  const parsed = parseSecondFactor(code);
  if (!parsed || !accepts.includes(parsed.kind)) throw wrong;
  const accepted =
    parsed.kind === "totp"
      ? await acceptTotp(ctx, factor, { code: parsed.code, wrong })
      : await acceptRecovery(ctx, factor, { code: parsed.code, wrong });
  await releaseRate(ctx, "second_factor", factor.user_id);
  return accepted;
}

async function acceptTotp(
  ctx: RequestScope,
  factor: TwoFactorRecord,
  { code, wrong }: { code: string; wrong: ApiError },
) {
  const { user_id, last_used_step } = factor;
  const secret = await unseal(ctx.settings.ROOT_SECRET, user_id, factor.sealed_secret);
  const step = findTotpStep(String(secret), code, { now: ctx.now, last_used_step });
  if (step === undefined) throw wrong;
  return {
    statements: [storeUsedStep(ctx.db, { user_id, step, now: ctx.now })],
    guards: [{ name: "stale" as const, when: isStepUsed(factor, step), error: wrong }],
    isRecovery: false,
    isOn: true,
    step,
  };
}

async function acceptRecovery(
  ctx: RequestScope,
  { user_id }: TwoFactorRecord,
  { code, wrong }: { code: string; wrong: ApiError },
) {
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
