import { z } from "zod";
import { Id, Instant } from "./common.ts";
import { SUBSCRIBER_NOTICES, SUBSCRIPTION_TOPICS } from "./events.ts";
import { isHttpsUrl } from "./status-page.ts";

export const SUBSCRIBER_CHANNELS = ["email", "webhook", "slack", "discord"] as const;
export type SubscriberChannel = (typeof SUBSCRIBER_CHANNELS)[number];

const ENDPOINT_LENGTH_MAX = 2000;
const CHOSEN_MAX = 500;

/** Empty and absent lists select everything. */
export const SubscriptionFilter = z.object({
  monitor_ids: z.array(Id).max(CHOSEN_MAX).nullish(),
  group_ids: z.array(Id).max(CHOSEN_MAX).nullish(),
  events: z.array(z.enum(SUBSCRIPTION_TOPICS)).max(SUBSCRIPTION_TOPICS.length).nullish(),
});
export type SubscriptionFilter = z.infer<typeof SubscriptionFilter>;

const Email = z.email("must be an e-mail address").max(254);

/** What is wrong with an address; null: nothing. */
export function findEndpointError({ channel, endpoint }: { channel: SubscriberChannel; endpoint: string }) {
  if (channel === "email") return Email.safeParse(endpoint).success ? null : "must be an e-mail address";
  return isHttpsUrl(endpoint) ? null : "must be an https address";
}

export const SubscribeInput = SubscriptionFilter.extend({
  channel: z.enum(SUBSCRIBER_CHANNELS),
  endpoint: z
    .string()
    .trim()
    .min(1)
    .max(ENDPOINT_LENGTH_MAX)
    .meta({ description: "an e-mail address, or the https address of a webhook" }),
})
  .superRefine((input, ctx) => {
    const message = findEndpointError(input);
    if (message !== null) ctx.addIssue({ code: "custom", path: ["endpoint"], message });
  })
  .meta({ id: "SubscribeInput" });
export type SubscribeInput = z.infer<typeof SubscribeInput>;

/** So many that each can be looked up within one request. */
export const INVITED_MAX = 25;

export const SubscribersInvite = z
  .object({
    status_page_id: Id,
    channel: z.enum(SUBSCRIBER_CHANNELS).nullish().meta({ description: "default email" }),
    endpoints: z
      .array(z.string().trim().min(1).max(ENDPOINT_LENGTH_MAX))
      .min(1)
      .max(INVITED_MAX)
      .meta({ description: "e-mail addresses, or https addresses of webhooks" }),
  })
  .meta({ id: "SubscribersInvite" });
export type SubscribersInvite = z.infer<typeof SubscribersInvite>;

export const SubscribersInvited = z
  .object({
    invited: z.int().meta({ description: "how many were asked to confirm" }),
    refused: z.array(z.object({ endpoint: z.string(), error: z.string() })),
  })
  .meta({ id: "SubscribersInvited" });
export type SubscribersInvited = z.infer<typeof SubscribersInvited>;

/** The same whether the address is known, new, or has reached its limit. */
export const SubscribeResponse = z.object({ message: z.string() }).meta({ id: "SubscribeResponse" });

export const Subscriber = z
  .object({
    id: Id,
    channel: z.enum(SUBSCRIBER_CHANNELS),
    endpoint_masked: z.string(),
    events: z.array(z.enum(SUBSCRIPTION_TOPICS)),
    monitor_ids: z.array(Id).meta({ description: "empty, together with group_ids: everything on the page" }),
    group_ids: z.array(Id),
    confirmed_at: Instant.nullable(),
    unsubscribed_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Subscriber" });

/** The address of a subscriber, and the one under which the page was visited; sealed. */
export const SubscriberAddress = z.object({ endpoint: z.string(), base_url: z.string() });
export type SubscriberAddress = z.infer<typeof SubscriberAddress>;

/** Services whose incidents began, or ended, together. */
const Together = z.object({
  direction: z.enum(["down", "up"]),
  /** In the order of names; the rest of `total` is counted. */
  names: z.array(z.string()),
  total: z.int(),
  /** How many of those that went down together are not up again. */
  still_down: z.int().default(0),
});
export type Together = z.infer<typeof Together>;

/** Changes that subscribers hear of. */
export const SUBSCRIBER_EVENTS = [
  "incident.created",
  "incident.updated",
  "incident.resolved",
  "incident.withdrawn",
  "maintenance.started",
  "maintenance.completed",
  ...SUBSCRIBER_NOTICES,
] as const;

/** The content of a message as it is stored; `status` is that of the event. */
export const SubscriberMessageContent = z.object({
  event: z.enum(SUBSCRIBER_EVENTS),
  title: z.string(),
  status: z.string(),
  message: z.string().nullable(),
  starts_at: z.string().nullable(),
  ends_at: z.string().nullable(),
  severity: z.string().nullable().default(null),
  /** When the update was posted. */
  at: z.string().nullable().default(null),
  /** Names of affected monitors, as the page shows them. */
  affected: z.array(z.string()).default([]),
  incident_id: z.string().nullable().default(null),
  /** The incidents that it says something about, by which their ends find who read of them. */
  about: z.array(z.string()).default([]),
  /** Null for a message about one incident. */
  together: Together.nullable().default(null),
});
export type SubscriberMessageContent = z.infer<typeof SubscriberMessageContent>;

export const SubscribeParams = z.object({ slug: z.string() });
export const SubscriberLink = z.object({ token: z.string().default("") });
