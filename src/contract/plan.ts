/** Smallest first: each includes what those before it do. */
export const PLANS = ["free", "starter", "pro", "business", "self_hosted"] as const;
export type Plan = (typeof PLANS)[number];
