import type { ReferralStats } from "../../contract/referral.ts";
import { referralCodeOf } from "../../domain/referral-code.ts";
import type { Referrals } from "./service.ts";

export function presentReferrals(referrals: Referrals, publicUrl: string): ReferralStats {
  const { clicks, signups, credits_redeemed } = referrals;
  const code = referralCodeOf(referrals.user_id);
  return {
    code,
    url: `${publicUrl}/app?ref=${code}`,
    clicks,
    signups,
    credits: signups - credits_redeemed,
    credits_redeemed,
  };
}
