export const WEBHOOK_PROVIDERS = ["generic", "discord", "slack", "telegram", "telegram_bot"] as const;
export type WebhookProvider = (typeof WEBHOOK_PROVIDERS)[number];

/** `expired` gave up after its last attempt; `skipped` was not sent on purpose, because the webhook was off or gone. */
export const DELIVERY_STATES = ["pending", "delivered", "failed", "expired", "skipped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
