/** What requests are counted as; access/rate-limit.ts holds the number of each. */
export const RATE_CLASSES = [
  "api",
  "heavy",
  "webhook_test",
  "check",
  "check_host",
  "contact_host",
  "delivery_host",
  "emit",
  "push",
  "push_recovery",
  "agent",
  "agent_owner",
  "token_creation",
  "push_alias",
  "invitation",
  "sender_mail",
  "recipient_mail",
  "phone_code",
  "password_reset_mail",
  "sign_in",
  "account_sign_in",
  "network_sign_in",
  "second_factor",
  "own_password",
  "guesses_mail",
  "accept",
  "bad_credential",
  "subscribe",
  "click",
  "page_miss",
  "unlock",
  "live",
] as const;
export type RateClass = (typeof RATE_CLASSES)[number];

/** Limits that depend on the plan of an owner; domain/plan-caps.ts holds their numbers. */
export const PLAN_CAP_CLASSES = [
  "agents",
  "webhooks",
  "secrets",
  "open_incidents",
  "timeline_updates",
  "incident_templates",
  "planned_maintenance",
  "page_subscribers",
  "opened_accounts",
  "stored_text",
  "written_rows",
  "agent_rows",
  "audit_bytes",
  "deliveries",
  "delivery_bytes",
  "mails",
  "subscriber_mails",
] as const;
export type PlanCap = (typeof PLAN_CAP_CLASSES)[number];

/** Every name that the setting RATE_LIMITS knows, besides `all`. */
export const LIMIT_CLASSES: readonly string[] = [...RATE_CLASSES, ...PLAN_CAP_CLASSES, "flapping"];

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
