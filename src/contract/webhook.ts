import { z } from "zod";
import { ALERT_TARGET_FIELDS, SHOWN_ALERT_TARGETS } from "./alert-targets.ts";
import { ExternalKey, Id, Instant, jsonOrText, Name } from "./common.ts";
import { EVENT_NAMES, EventFilterName } from "./events.ts";
import { Notice } from "./notices.ts";

export const WEBHOOK_PROVIDERS = [
  "generic",
  "discord",
  "slack",
  "slack_app",
  "telegram",
  "telegram_bot",
  "teams",
  "pagerduty",
  "mattermost",
  "google_chat",
  "ntfy",
  "email",
  "template",
  "apprise",
  "pushover",
  "gotify",
  "matrix",
  "jira_service_management",
  "splunk_on_call",
  "incident_io",
  "grafana_irm",
  "twilio_sms",
  "twilio_voice",
  "aws_sns",
  "rocket_chat",
  "zulip",
  "webex",
  "lark",
  "dingtalk",
  "wecom",
  "line",
  "signal",
  "whatsapp",
  "home_assistant",
  "bark",
  "pushbullet",
  "github_issues",
  "gitlab_alerts",
] as const;
export type WebhookProvider = (typeof WEBHOOK_PROVIDERS)[number];

/** `expired`: the last attempt failed; `skipped`: not sent, because the webhook was inactive or the event is gone; `bundled`: another message lists it. */
export const DELIVERY_STATES = ["pending", "delivered", "failed", "expired", "skipped", "bundled"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What a provider asks for besides `url` and `secret`: texts, and headers by name. */
export type ProviderConfig = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** Shown in place of a stored secret; sent back, it keeps that secret. */
export const SECRET_PLACEHOLDER = "***";

/** Names by which clients know the provider whose payload is `{content}`. */
const PROVIDER_ALIASES: Readonly<Record<string, WebhookProvider>> = { service: "discord", "the service": "discord" };

export const Provider = z
  .string()
  .transform((name) => PROVIDER_ALIASES[name] ?? name)
  .pipe(z.enum(WEBHOOK_PROVIDERS));

const EVENT_FILTERS_MAX = 100;
export const REMIND_MINUTES_MAX = 1440;

export const MESSAGE_TITLE_MAX = 300;
export const MESSAGE_TEXT_MAX = 4000;
const ownWords = (length: number, what: string) =>
  z
    .string()
    .trim()
    .max(length)
    .nullish()
    .meta({
      description: `your words ${what}, with fields of the event in double braces as docs/channels.md lists them; \`***\` keeps the stored ones, null, the default: those of the service`,
    });

const CONFIG_FIELDS_MAX = 30;
const CONFIG_TEXT_MAX = 16_384;
const HeaderMap = z
  .record(z.string().min(1).max(200), z.string().max(4096))
  .refine((map) => Object.keys(map).length <= CONFIG_FIELDS_MAX, `must have at most ${CONFIG_FIELDS_MAX} entries`);
const ConfigInput = z
  .record(
    z.string().min(1).max(64),
    z.union([z.string().max(CONFIG_TEXT_MAX), z.number(), z.boolean(), HeaderMap, z.null()]),
  )
  .refine((map) => Object.keys(map).length <= CONFIG_FIELDS_MAX, `must have at most ${CONFIG_FIELDS_MAX} entries`);
export type ConfigInput = z.infer<typeof ConfigInput>;

const FIELDS = {
  name: Name,
  url: z
    .string()
    .trim()
    .max(2048)
    .nullish()
    .meta({ description: "needed by most providers; those that have an address of their own take it in its place" }),
  provider: Provider.nullish().meta({
    enum: [...WEBHOOK_PROVIDERS, ...Object.keys(PROVIDER_ALIASES), null],
    description:
      "default generic; `service` and `the service` are other names for discord; docs/channels.md states what url and secret mean for each",
  }),
  secret: z
    .string()
    .min(1)
    .max(512)
    .nullish()
    .meta({ description: "signs deliveries; `***` keeps the stored one, null clears it" }),
  config: jsonOrText(ConfigInput.nullish()).meta({
    description:
      "what the provider asks for besides url and secret, as docs/channels states for each; a member left out keeps its value, null clears it, `***` keeps a secret",
  }),
  generate_secret: z.boolean().nullish().meta({
    description:
      "generic only: where no secret is given or stored, the service generates one, which this response alone shows",
  }),
  events: jsonOrText(z.array(EventFilterName).max(EVENT_FILTERS_MAX).nullish()).meta({
    description: `event names, as a JSON array or a string that holds one; empty means all events. Known: ${EVENT_NAMES.join(", ")}; names without a prefix of these are custom events`,
  }),
  status_page_id: Id.nullish().meta({
    description: "null: receives events of all your pages and of your monitors without a page",
  }),
  ...ALERT_TARGET_FIELDS,
  is_active: z.boolean().nullish().meta({ description: "default true" }),
  is_team_only: z.boolean().nullish().meta({ description: "default false" }),
  alert_channels: jsonOrText(
    z
      .record(EventFilterName, z.string().trim().min(1).max(2048))
      .refine((map) => Object.keys(map).length <= EVENT_FILTERS_MAX, `must have at most ${EVENT_FILTERS_MAX} entries`)
      .nullish(),
  ).meta({ description: "event name to the channel that receives it instead; `***` keeps the stored one" }),
  remind_every_minutes: z.int().min(1).max(REMIND_MINUTES_MAX).nullish().meta({
    description:
      "while a monitor stays down, sends `monitor.reminder` so often, until it recovers or its incident is acknowledged; null, the default: never",
  }),
  message_title: ownWords(MESSAGE_TITLE_MAX, "in place of the title of a message"),
  message_text: ownWords(MESSAGE_TEXT_MAX, "in place of its text and facts"),
  external_key: ExternalKey.nullish(),
};

export const WebhookCreate = z.object(FIELDS).meta({ id: "WebhookCreate" });
export type WebhookCreate = z.infer<typeof WebhookCreate>;

export const WebhookUpdate = z.object(FIELDS).partial().meta({ id: "WebhookUpdate" });
export type WebhookUpdate = z.infer<typeof WebhookUpdate>;

/** For the page in the path. */
export const PageWebhookCreate = WebhookCreate.omit({ status_page_id: true }).meta({ id: "PageWebhookCreate" });
export const PageWebhookUpdate = WebhookUpdate.omit({ status_page_id: true }).meta({ id: "PageWebhookUpdate" });

export const Webhook = z
  .object({
    id: Id,
    name: z.string(),
    url: z.string().meta({ description: "masked without alerting.write" }),
    provider: z.enum(WEBHOOK_PROVIDERS),
    has_secret: z.boolean(),
    config: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])).meta({
      description: "what the provider declares; secrets are `***`, and all values without alerting.write",
    }),
    secret: z.string().optional().meta({ description: "the generated secret, in the response to `generate_secret`" }),
    events: z.string().meta({ description: "JSON array of event names; empty means all" }),
    status_page_id: Id.nullable(),
    ...SHOWN_ALERT_TARGETS,
    is_active: z.boolean(),
    is_team_only: z.boolean(),
    alert_channels: z.record(z.string(), z.string()).meta({ description: "values masked without alerting.write" }),
    remind_every_minutes: z.int().nullable(),
    message_title: z.string().nullable().meta({ description: "masked without alerting.write" }),
    message_text: z.string().nullable().meta({ description: "masked without alerting.write" }),
    external_key: z.string().nullable(),
    disabled_reason: z.string().nullable().meta({ description: "why the service disabled it" }),
    failing_since: Instant.nullable().meta({ description: "first failure since the last success" }),
    throttled_since: Instant.nullable().meta({
      description:
        "since when deliveries of its owner wait, because there are more a minute than the plan includes; the newest go first",
    }),
    notices: z
      .array(Notice)
      .optional()
      .meta({ description: "why nothing can be sent yet, and what a change took away" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Webhook" });

const Wording = z.object({ title: z.string().nullable(), text: z.string().nullable() });
export type Wording = z.infer<typeof Wording>;

/** Stored encrypted: chat addresses are credentials, too, also those of single events. */
export const WebhookConfig = z.object({
  url: z.string(),
  secret: z.string().nullable(),
  /** The secret before the present one; both sign until then. */
  previous: z.object({ secret: z.string(), until: z.number().int() }).nullable(),
  alert_channels: z.record(z.string(), z.string()).default({}),
  /** Of the provider: what it declares besides `url` and `secret`. */
  config: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])).default({}),
  /** The owner's words in place of those of the service, as templates. */
  wording: Wording.default({ title: null, text: null }),
});
export type WebhookConfig = z.infer<typeof WebhookConfig>;

/** One event as a generic webhook receives it. */
export interface Envelope {
  id: string;
  user_id: string;
  event: string;
  data: Record<string, unknown>;
  created_at: string;
  status_page_id: string | null;
  /** Sorts events about the same object: deliveries may overtake each other. */
  sequence: number;
  /** For on-call contacts: acknowledges in one click, without signing in. */
  acknowledge_url?: string;
}

export const WebhookTestResult = z
  .object({
    delivered: z.boolean(),
    status: z.number().int().nullable(),
    duration_ms: z.number().int(),
    error: z.string().nullable(),
  })
  .meta({ id: "WebhookTestResult" });

/** The request without its address and secrets. */
export const SentRequest = z.object({
  method: z.string(),
  url: z.string().meta({ description: "without path and query, which may hold credentials" }),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type SentRequest = z.infer<typeof SentRequest>;

/** As it is stored. Of a signed envelope everything else follows from the event, which is stored once, and the attempt. */
export type RecordedRequest = SentRequest | { url: string; signature: string | null };

export const DELIVERY_SUBJECT_KINDS = [
  "monitor",
  "incident",
  "maintenance",
  "agent",
  "schedule",
  "policy",
  "webhook",
  "alarm",
  "event",
] as const;

export const DeliverySubject = z
  .object({
    kind: z.enum(DELIVERY_SUBJECT_KINDS),
    id: z.string(),
    name: z.string().meta({ description: "as it was called when the event happened" }),
  })
  .meta({ id: "DeliverySubject" });
export type DeliverySubject = z.infer<typeof DeliverySubject>;

export const DeliveryAttempt = z
  .object({
    id: Id,
    delivery_id: Id.meta({ description: "the webhook-id that the receiver gets" }),
    event: z.string(),
    about: DeliverySubject.nullable().meta({
      description: "what it is about; null for an event that names nothing or is kept no longer",
    }),
    state: z.enum(DELIVERY_STATES).meta({ description: "current state of the delivery" }),
    attempt: z.number().int(),
    request: SentRequest,
    response_status: z.number().int().nullable(),
    response_body: z.string().nullable().meta({ description: "its first 4 KiB" }),
    duration_ms: z.number().int(),
    error: z.string().nullable(),
    next_attempt_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant.meta({ description: "as created_at: an attempt does not change" }),
  })
  .meta({ id: "DeliveryAttempt" });

export const Delivery = z
  .object({
    id: Id,
    webhook_id: Id,
    event: z.string(),
    state: z.enum(DELIVERY_STATES),
    attempt: z.number().int().meta({ description: "number of the attempt" }),
    next_attempt_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Delivery" });
