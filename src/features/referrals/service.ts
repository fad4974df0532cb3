import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import { findReferral, hasFewerCredits, type ReferralRecord } from "../../data/referrals/read.ts";
import { countClick, redeemCredits } from "../../data/referrals/write.ts";
import { parseReferralCode } from "../../domain/referral-code.ts";

export type Referrals = Pick<ReferralRecord, "user_id" | "clicks" | "signups" | "credits_redeemed">;

export async function getMyReferrals(ctx: RequestScope): Promise<Referrals> {
  const { user_id } = requireUser(ctx);
  return (await findReferral(ctx.db, user_id)) ?? { user_id, clicks: 0, signups: 0, credits_redeemed: 0 };
}

/** Choice: a redeemed credit is booked and listed in the audit log; what it is worth is between operator and user. */
export async function redeemMyCredits(ctx: RequestScope, credits: number): Promise<Referrals> {
  const { user_id } = requireUser(ctx);
  if ((await findIdempotentResult(ctx)) !== undefined) return getMyReferrals(ctx);
  const { signups, credits_redeemed } = await getMyReferrals(ctx);
  const error = redemptionLimitError(signups - credits_redeemed);
  if (credits > signups - credits_redeemed) throw error;
  await commit(ctx, [redeemCredits(ctx.db, user_id, { credits, now: ctx.now })], {
    audit: {
      owner_id: user_id,
      target_type: "user",
      target_id: user_id,
      summary: `redeemed ${credits} referral credits`,
      data: { credits },
    },
    guards: [{ name: "stale", when: hasFewerCredits(user_id, credits), error }],
  });
  return getMyReferrals(ctx);
}

export async function recordClick(ctx: RequestScope, code: string): Promise<void> {
  const userId = parseReferralCode(code);
  const isCounted = userId !== null && (await countClick(ctx.db, userId, ctx.now));
  if (!isCounted) throw invalid("code is not a referral code", [{ path: "code", message: "is not a referral code" }]);
}

function redemptionLimitError(available: number) {
  const message = `must be at most the ${available} that are left`;
  return invalid(`credits ${message}`, [{ path: "credits", message }]);
}
