/** What requests are counted as; access/rate-limit.ts holds the number of each. */
export const RATE_CLASSES = [
  "api",
  "heavy",
  "webhook_test",
  "emit",
  "push",
  "agent",
  "token_creation",
  "invitation",
  "sign_in",
  "account_sign_in",
  "second_factor",
  "accept",
  "bad_credential",
  "subscribe",
  "click",
  "page_miss",
] as const;
export type RateClass = (typeof RATE_CLASSES)[number];

export interface Quota {
  limit: number;
  window_ms: number;
  now: number;
}

/** What a LimiterObject offers: one object counts one key. */
export interface LimiterRpc {
  /** Counts one more and gives 0, or gives the milliseconds until there is room again. */
  take(quota: Quota): Promise<number>;
  /** Takes one back that was counted in the current window. */
  release(quota: Pick<Quota, "window_ms" | "now">): Promise<void>;
}
