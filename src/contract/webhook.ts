import { z } from "zod";
import { Id, Instant, jsonOrText, Name } from "./common.ts";

export const WEBHOOK_PROVIDERS = ["generic", "discord", "slack", "telegram", "telegram_bot"] as const;
export type WebhookProvider = (typeof WEBHOOK_PROVIDERS)[number];

/** `expired` gave up after its last attempt; `skipped` was not sent on purpose, because the webhook was off or gone. */
export const DELIVERY_STATES = ["pending", "delivered", "failed", "expired", "skipped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The event of a webhook's test. It concerns the tested webhook alone and is attempted once. */
export const TEST_EVENT = "test_event";

/** What a person sees, and may send back, in place of a secret that is kept. */
export const SECRET_PLACEHOLDER = "***";

/** Names under which clients know the provider whose payload is `{content}`. */
const PROVIDER_ALIASES: Readonly<Record<string, WebhookProvider>> = { service: "discord", "the service": "discord" };

const Provider = z.preprocess(
  (value) => (typeof value === "string" ? (PROVIDER_ALIASES[value] ?? value) : value),
  z.enum(WEBHOOK_PROVIDERS),
);

const EventFilterName = z.string().trim().min(1).max(100);
const EVENT_FILTERS_MAX = 100;

const FIELDS = {
  name: Name,
  url: z.string().trim().min(1).max(2048),
  provider: Provider.nullish().meta({ description: "default generic; `service` is another name for discord" }),
  secret: z
    .string()
    .min(1)
    .max(512)
    .nullish()
    .meta({ description: "signs deliveries; `***` keeps the stored one, null clears it" }),
  events: jsonOrText(z.array(EventFilterName).max(EVENT_FILTERS_MAX).nullish()).meta({
    description: "event names, as a JSON array or a string that holds one; empty means all events",
  }),
  status_page_id: Id.nullish().meta({ description: "null: hears all of your pages and your monitors without a page" }),
  is_active: z.boolean().nullish().meta({ description: "default true" }),
  is_team_only: z.boolean().nullish().meta({ description: "default false" }),
  alert_channels: jsonOrText(
    z
      .record(EventFilterName, z.string().trim().min(1).max(2048))
      .refine((map) => Object.keys(map).length <= EVENT_FILTERS_MAX, `must have at most ${EVENT_FILTERS_MAX} entries`)
      .nullish(),
  ).meta({ description: "event name to the chat channel that hears of it instead" }),
};

export const WebhookCreate = z.object(FIELDS).meta({ id: "WebhookCreate" });
export type WebhookCreate = z.infer<typeof WebhookCreate>;

export const WebhookUpdate = z.object(FIELDS).partial().meta({ id: "WebhookUpdate" });
export type WebhookUpdate = z.infer<typeof WebhookUpdate>;

/** Of a page that the address names, and which they stay on. */
export const PageWebhookCreate = WebhookCreate.omit({ status_page_id: true }).meta({ id: "PageWebhookCreate" });
export const PageWebhookUpdate = WebhookUpdate.omit({ status_page_id: true }).meta({ id: "PageWebhookUpdate" });

export const Webhook = z
  .object({
    id: Id,
    name: z.string(),
    url: z.string().meta({ description: "masked for whoever may not change alerting" }),
    provider: z.enum(WEBHOOK_PROVIDERS),
    has_secret: z.boolean(),
    events: z.string().meta({ description: "JSON array of event names; empty means all" }),
    status_page_id: Id.nullable(),
    is_active: z.boolean(),
    is_team_only: z.boolean(),
    alert_channels: z.record(z.string(), z.string()),
    disabled_reason: z.string().nullable().meta({ description: "why the service switched it off by itself" }),
    failing_since: Instant.nullable().meta({ description: "first failure since the last success" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Webhook" });

/** What is stored encrypted, because chat addresses are credentials, too. */
export const WebhookConfig = z.object({
  url: z.string(),
  secret: z.string().nullable(),
  /** The secret before the present one; signs along for a while, so that receivers can change over. */
  previous: z.object({ secret: z.string(), until: z.number().int() }).nullable(),
});
export type WebhookConfig = z.infer<typeof WebhookConfig>;

/** One event as it goes to the outside, the same for every provider. */
export const Envelope = z.object({
  id: z.string(),
  user_id: z.string(),
  event: z.string(),
  data: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  status_page_id: z.string().nullable(),
  /** Sorts events about the same thing, because deliveries may overtake each other. */
  sequence: z.number(),
});
export type Envelope = z.infer<typeof Envelope>;

export const WebhookTestResult = z
  .object({
    delivered: z.boolean(),
    status: z.number().int().nullable(),
    duration_ms: z.number().int(),
    error: z.string().nullable(),
  })
  .meta({ id: "WebhookTestResult" });

/** What was sent, with the address and everything secret left out. */
export const SentRequest = z.object({
  method: z.string(),
  url: z.string().meta({ description: "without path and query, which may hold credentials" }),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type SentRequest = z.infer<typeof SentRequest>;

export const DeliveryAttempt = z
  .object({
    id: Id,
    delivery_id: Id.meta({ description: "the webhook-id that the receiver saw" }),
    event: z.string(),
    state: z.enum(DELIVERY_STATES).meta({ description: "of the delivery, as it is now" }),
    attempt: z.number().int(),
    request: SentRequest,
    response_status: z.number().int().nullable(),
    response_body: z.string().nullable().meta({ description: "its first 4 KiB" }),
    duration_ms: z.number().int(),
    error: z.string().nullable(),
    next_attempt_at: Instant.nullable(),
    created_at: Instant,
  })
  .meta({ id: "DeliveryAttempt" });

export const Delivery = z
  .object({
    id: Id,
    webhook_id: Id,
    event: z.string(),
    state: z.enum(DELIVERY_STATES),
    attempt: z.number().int().meta({ description: "how often it was sent so far" }),
    next_attempt_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Delivery" });
