import { z } from "zod";

const CREDITS_MAX = 1_000_000;

export const ReferralStats = z
  .object({
    code: z.string(),
    url: z.url().meta({ description: "where your code leads" }),
    clicks: z.int(),
    signups: z.int().meta({ description: "accounts that your invitations opened; each earned one credit" }),
    credits: z.int().meta({ description: "what is left to redeem" }),
    credits_redeemed: z.int(),
  })
  .meta({ id: "ReferralStats" });
export type ReferralStats = z.infer<typeof ReferralStats>;

export const ReferralRedeem = z.object({ credits: z.int().min(1).max(CREDITS_MAX) }).meta({ id: "ReferralRedeem" });

export const ReferralClick = z.object({ code: z.string().trim().min(1).max(100) }).meta({ id: "ReferralClick" });
