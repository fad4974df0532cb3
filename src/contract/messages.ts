import { z } from "zod";
import { isRecord } from "../lib/is-record.ts";
import { CheckOutcome } from "./check.ts";
import { MonitorTransition } from "./monitor-transition.ts";

/** Gives messages of the release before, which named no kind, the one of the member that only it had. */
const withKind =
  <Kinds extends Record<string, string>>(kinds: Kinds) =>
  (message: unknown) => {
    if (!isRecord(message) || "kind" in message) return message;
    const member = Object.keys(kinds).find((name) => name in message);
    return member === undefined ? message : { ...message, kind: kinds[member] };
  };

/**
 * One slot of one check group in one region. Carries no configuration: the runner reads the present one, so that
 * secrets never sit in a queue and a pause takes effect at once. `monitor_id` narrows a repeat or a first check to one.
 */
export const CheckMessage = z.object({
  group_id: z.string().min(1),
  region: z.string().min(1),
  slot_at: z.number().int(),
  attempt: z.number().int().min(0),
  monitor_id: z.string().optional(),
  /** As many members are checked by earlier messages of the same slot. */
  skip: z.number().int().min(1).optional(),
});
export type CheckMessage = z.infer<typeof CheckMessage>;

/** Results that are recorded but that the object of their history did not store. */
export const HistoryMessage = z.object({
  shard_id: z.string().min(1),
  region: z.string().min(1),
  block: z.object({
    slot_at: z.number().int(),
    attempt: z.number().int(),
    key: z.string(),
    entries: z.array(
      z.object({
        monitor_id: z.string(),
        checked_at: z.number(),
        outcome: CheckOutcome,
        latency_ms: z.number().nullable(),
        message: z.string(),
        colo: z.string().nullish(),
        details: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  }),
});
export type HistoryMessage = z.infer<typeof HistoryMessage>;

/** A slot to check, or results to store. */
export const ChecksMessage = z.preprocess(
  withKind({ block: "results", slot_at: "check" }),
  z.discriminatedUnion("kind", [
    CheckMessage.extend({ kind: z.literal("check") }),
    HistoryMessage.extend({ kind: z.literal("results") }),
  ]),
);
export type ChecksMessage = z.infer<typeof ChecksMessage>;

/** In which regions the round failed that opened an outage, where some of them reported after its verdict. */
const OutageRegions = z.object({ monitor_id: z.string(), seq: z.number().int(), regions: z.array(z.string()) });
export type OutageRegions = z.infer<typeof OutageRegions>;

/** Each takes some ten queries. */
export const CONTACT_MESSAGES_PER_MESSAGE = 50;

/** What moved, or is due, for the consumer of events. */
export const EventMessage = z.preprocess(
  withKind({
    transitions: "transitions",
    event_id: "event",
    escalation_id: "escalation",
    status_post_id: "status_post",
    alerts_of: "held_alerts",
    flapping_monitor_id: "flapping",
    regions_of: "regions",
    rules_on: "rules",
  }),
  z.discriminatedUnion("kind", [
    /** A monitor's object keeps them until they are confirmed. */
    z.object({
      kind: z.literal("transitions"),
      monitor_id: z.string(),
      transitions: z.array(MonitorTransition).min(1),
    }),
    /** An event that is stored as a row. */
    z.object({ kind: z.literal("event"), event_id: z.string() }),
    z.object({ kind: z.literal("escalation"), escalation_id: z.string() }),
    z.object({ kind: z.literal("status_post"), status_post_id: z.string() }),
    /** Alerts to browsers. */
    z.object({
      kind: z.literal("contact_messages"),
      contact_message_ids: z.array(z.string()).min(1).max(CONTACT_MESSAGES_PER_MESSAGE),
    }),
    /** Of a page, or of what stands on none. */
    z.object({
      kind: z.literal("held_alerts"),
      alerts_of: z.object({ owner_id: z.string(), status_page_id: z.string().nullable() }),
    }),
    /** A flapping monitor with something to announce. */
    z.object({ kind: z.literal("flapping"), flapping_monitor_id: z.string() }),
    z.object({ kind: z.literal("regions"), regions_of: OutageRegions }),
    /** An event on which more rules fire than one turn carries out. */
    z.object({ kind: z.literal("rules"), rules_on: z.string() }),
  ]),
);
export type EventMessage = z.infer<typeof EventMessage>;

export const DeliveryMessage = z.object({ delivery_id: z.string() });
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** What one invocation sends. */
export const SUBSCRIBERS_PER_MESSAGE = 100;

/** Messages to subscribers: all about one event from the one after `after` on, or these. */
export const SubscriberBatchMessage = z.preprocess(
  withKind({ message_ids: "messages", event_id: "event" }),
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("event"), event_id: z.string(), after: z.string() }),
    z.object({
      kind: z.literal("messages"),
      message_ids: z.array(z.string()).min(1).max(SUBSCRIBERS_PER_MESSAGE),
    }),
  ]),
);
export type SubscriberBatchMessage = z.infer<typeof SubscriberBatchMessage>;

/** The parts of a minute's work, each of which looks for what is due. */
export const MINUTE_PARTS = [
  "deliveries",
  "throttled deliveries",
  "maintenance",
  "suppressions",
  "events",
  "held alerts",
  "expiries",
  "flapping monitors",
  "rule incidents",
  "reminders",
  "escalations",
  "on-call notifications",
  "on-call schedules",
  "status posts",
  "contact messages",
  "unsynced monitors",
  "lost retries",
  "unscheduled monitors",
  "tombstones",
  "sparse groups",
  "agents",
  "failing webhooks",
  "mail",
  "old mail",
  "expired credentials",
  "deleted accounts",
  "subscribers",
  "custom domains",
  "daily aggregates",
  "retention",
  "alarms",
  "heartbeat",
  "root keys",
  "provider sessions",
  "audit streams",
] as const;
export type MinutePart = (typeof MINUTE_PARTS)[number];

/**
 * Parts that find nothing in nearly every minute share one message, one after the other, as long as they do: an installation
 * without work pays for messages alone.
 */
export const MINUTE_BUNDLES = {
  housekeeping: [
    "old mail",
    "expired credentials",
    "deleted accounts",
    "daily aggregates",
    "retention",
    "root keys",
    "provider sessions",
    "sparse groups",
  ],
  watching: [
    "throttled deliveries",
    "expiries",
    "rule incidents",
    "reminders",
    "on-call schedules",
    "unscheduled monitors",
    "tombstones",
    "failing webhooks",
    "alarms",
    "status posts",
    "contact messages",
    "audit streams",
  ],
} as const satisfies Record<string, readonly MinutePart[]>;
export type MinuteBundle = keyof typeof MINUTE_BUNDLES;
export const MINUTE_BUNDLE_NAMES = ["housekeeping", "watching"] as const satisfies readonly MinuteBundle[];

/** What processes a portion of the items that a part, or the planner, has found. */
export const ITEM_PARTS = [
  "maintenance windows",
  "ended suppressions",
  "expiries",
  "due flapping monitors",
  "due on-call notifications",
  "due on-call schedules",
  "stale groups",
  "stale agent monitors",
  "sync monitors",
  "empty objects",
  "due provider sessions",
] as const;
export type ItemPart = (typeof ITEM_PARTS)[number];

const minute_at = z.number().int();

/** One part of the minute's work (jobs/minute.ts), or a portion of items; of another name it is a dead letter. */
export const MinuteMessage = z.union([
  z.object({ part: z.enum(ITEM_PARTS), minute_at, items: z.array(z.string()).min(1) }),
  z.object({ part: z.enum([...MINUTE_PARTS, ...MINUTE_BUNDLE_NAMES]), minute_at, items: z.undefined().optional() }),
]);
export type MinuteMessage = z.infer<typeof MinuteMessage>;

export const MAILS_PER_MESSAGE = 50;

export const MailMessage = z.object({ mail_ids: z.array(z.string()).min(1).max(MAILS_PER_MESSAGE) });
export type MailMessage = z.infer<typeof MailMessage>;
