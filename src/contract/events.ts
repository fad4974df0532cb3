import { z } from "zod";
import {
  AgentData,
  AlarmData,
  AuditData,
  ChannelData,
  ExpiryData,
  FlappingData,
  GapData,
  IncidentData,
  MaintenanceData,
  MonitorData,
  ReminderData,
  TestData,
} from "./event-data.ts";
import type { TeamTopic } from "./team-notification.ts";

/**
 * The event catalogue. An event is one entry here and one call of `publish`: names, webhook filters, audiences,
 * subscription topics, headings of messages and docs/events.md derive from the entries.
 */

/** Audiences of an event: every webhook, team_only webhooks alone, or every webhook and the users on call. */
export const EVENT_CLASSIFICATIONS = ["public", "team_only", "critical"] as const;
export type EventClassification = (typeof EVENT_CLASSIFICATIONS)[number];

export const SUBSCRIPTION_TOPICS = ["incident", "maintenance"] as const;
export type SubscriptionTopic = (typeof SUBSCRIPTION_TOPICS)[number];

interface EventEntry {
  /** When it is sent, for docs/events.md. */
  when: string;
  /** What a message about it is headed. */
  heading: string;
  /** The audience unless the page's alert_routing or the event itself names another one. */
  classification: EventClassification;
  /** Whether alert_routing of a page may name it. */
  is_routable: boolean;
  /** Subscribers of this topic receive a message; null: no subscriber does. */
  topic: SubscriptionTopic | null;
  /** The team of the page hears of it under this topic; null: it does not. */
  team: TeamTopic | null;
  /** Member `data` of the envelope. */
  data: z.ZodObject;
}

const monitor = { classification: "public", is_routable: true, topic: null, data: MonitorData } as const;
const expiry = {
  classification: "public",
  is_routable: false,
  topic: null,
  team: "certificate",
  data: ExpiryData,
} as const;
const incident = {
  classification: "public",
  is_routable: true,
  topic: "incident",
  team: "incident",
  data: IncidentData,
} as const;
const maintenance = {
  classification: "public",
  is_routable: true,
  topic: "maintenance",
  team: "maintenance",
  data: MaintenanceData,
} as const;
const agent = {
  classification: "public",
  is_routable: false,
  topic: null,
  team: "agent_offline",
  data: AgentData,
} as const;
const alarm = { classification: "team_only", is_routable: false, topic: null, team: null, data: AlarmData } as const;

const channel = {
  classification: "public",
  is_routable: false,
  topic: null,
  team: null,
  data: ChannelData,
} as const;

export const EVENTS = {
  "monitor.down": {
    ...monitor,
    team: "down",
    heading: "Monitor down",
    when: "a monitor reaches its failure threshold",
  },
  "monitor.up": { ...monitor, team: "up", heading: "Monitor up", when: "a monitor recovers from down or degraded" },
  "monitor.degraded": {
    ...monitor,
    team: "degraded",
    heading: "Monitor degraded",
    when: "a monitor is slower than its threshold",
  },
  "monitor.reminder": {
    classification: "public",
    is_routable: false,
    topic: null,
    team: null,
    data: ReminderData,
    heading: "Monitor still down",
    when: "a monitor stays down; only to webhooks with `remind_every_minutes` that were sent its `monitor.down`, whatever they list",
  },
  "monitor.flapping": {
    classification: "public",
    is_routable: false,
    topic: null,
    team: "down",
    data: FlappingData,
    heading: "Monitor flapping",
    when: "a monitor changes more than 6 times within 10 minutes",
  },
  "monitor.certificate_expiring": {
    ...expiry,
    heading: "Certificate expiring",
    when: "the certificate of a monitor expires in 30, 14, 7 and 1 days",
  },
  "monitor.domain_expiring": {
    ...expiry,
    heading: "Domain expiring",
    when: "the registration of a monitored domain expires in 30, 14, 7 and 1 days",
  },
  "incident.created": { ...incident, heading: "New incident", when: "an incident is opened" },
  "incident.updated": { ...incident, heading: "Incident updated", when: "an incident gets an update or is published" },
  "incident.acknowledged": {
    ...incident,
    classification: "team_only",
    is_routable: false,
    topic: null,
    team: null,
    heading: "Incident acknowledged",
    when: "an incident is acknowledged; a receiver that keeps alerts of its own gets it for every alert that it has",
  },
  "incident.resolved": { ...incident, heading: "Incident resolved", when: "an incident is resolved" },
  "maintenance.started": { ...maintenance, heading: "Maintenance started", when: "a maintenance window starts" },
  "maintenance.rescheduled": {
    ...maintenance,
    is_routable: false,
    topic: null,
    heading: "Maintenance rescheduled",
    when: "the end of a maintenance window moves while it goes on; its audience is that of `maintenance.started`",
  },
  "maintenance.completed": {
    ...maintenance,
    heading: "Maintenance completed",
    when: "a maintenance window ends; sent as `maintenance.ended` to a webhook that lists only that name",
  },
  "agent.online": { ...agent, heading: "Agent online", when: "an agent reports again" },
  "agent.offline": { ...agent, heading: "Agent offline", when: "an agent has not reported for 90 seconds" },
  "oncall.gap": {
    classification: "team_only",
    is_routable: false,
    topic: null,
    team: null,
    data: GapData,
    heading: "No user on call",
    when: "an escalation step finds no user on call, or a schedule has a gap within the next 72 hours",
  },
  "webhook.failing": {
    ...channel,
    heading: "Channel fails",
    when: "no delivery of a webhook has succeeded for a day, or it is disabled for its failures; only to others",
  },
  "webhook.recovered": {
    ...channel,
    heading: "Channel works again",
    when: "a delivery of a webhook that was said to fail succeeds; only to others",
  },
  "service.alarm_raised": {
    ...alarm,
    heading: "Alarm of the installation",
    when: "the service finds a fault in itself; only to account webhooks of operators",
  },
  "service.alarm_cleared": {
    ...alarm,
    heading: "Alarm cleared",
    when: "such a fault is over; only to account webhooks of operators",
  },
  "audit.recorded": {
    classification: "public",
    is_routable: false,
    topic: null,
    team: null,
    data: AuditData,
    heading: "Audit log",
    when: "an entry is added to the audit log, within three minutes; only to webhooks that list it by name",
  },
  test_event: {
    classification: "public",
    is_routable: false,
    topic: null,
    team: null,
    data: TestData,
    heading: "Test message",
    when: "a webhook is tested; only the tested webhook receives it",
  },
} as const satisfies Record<string, EventEntry>;

export type EventName = keyof typeof EVENTS;
export type EventData<Name extends EventName> = z.infer<(typeof EVENTS)[Name]["data"]>;

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** The event of a webhook's test. */
export const TEST_EVENT = "test_event" satisfies EventName;

/** Of single webhooks or of the installation: no rule of a page can listen to them. */
const WITHOUT_RULES: readonly EventName[] = [
  TEST_EVENT,
  "audit.recorded",
  "monitor.reminder",
  "webhook.failing",
  "webhook.recovered",
  "service.alarm_raised",
  "service.alarm_cleared",
];
export const RULE_EVENT_NAMES = EVENT_NAMES.filter((name) => !WITHOUT_RULES.includes(name));

/** Streams the audit log to the webhooks that list it. */
export const AUDIT_EVENT = "audit.recorded" satisfies EventName;

/** The end of a maintenance window has two public names: the second is for filters that list only it. */
export const MAINTENANCE_END = ["maintenance.completed", "maintenance.ended"] as const;

type RoutableName = {
  [Name in EventName]: (typeof EVENTS)[Name]["is_routable"] extends true ? Name : never;
}[EventName];
/** Events whose audience a page may decide. */
export const ROUTABLE_EVENTS = EVENT_NAMES.filter((name): name is RoutableName => EVENTS[name].is_routable);

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

/** Under these the service alone names events. */
const RESERVED_NAME = /^(?:monitor|incident|maintenance|agent|oncall)\./;

declare const IS_CUSTOM: unique symbol;
/** Distinct from the names of the catalogue, so that `name` discriminates. */
export type CustomEventName = string & { readonly [IS_CUSTOM]: true };

/** Every name of an event of the service; the end of maintenance has two. */
export const KNOWN_EVENT_NAMES: ReadonlySet<string> = new Set([...EVENT_NAMES, ...MAINTENANCE_END]);

/** A name that users give to events of their own. */
export function isCustomEventName(name: string): name is CustomEventName {
  return !RESERVED_NAME.test(name) && !isEventName(name);
}

const NAME_LENGTH_MAX = 100;

/** What filters and alert_channels may list. */
export const EventFilterName = z
  .string()
  .trim()
  .min(1)
  .max(NAME_LENGTH_MAX)
  .refine(
    (name) => !RESERVED_NAME.test(name) || isEventName(name) || name === MAINTENANCE_END[1],
    "is not the name of an event",
  );

interface EventFields {
  id: string;
  /** Owner of the page, or of the monitor or agent without a page. */
  owner_id: string;
  status_page_id: string | null;
  monitor_id: string | null;
  classification: EventClassification;
  /** Epoch ms. */
  created_at: number;
}

export type EventOf<Name extends EventName> = EventFields & { name: Name; data: EventData<Name> };
export type KnownEvent = { [Name in EventName]: EventOf<Name> }[EventName];
export type CustomEvent = EventFields & { name: CustomEventName; data: Record<string, unknown> };
/** Everything that is stored as an event; `name` discriminates. */
export type NewEvent = KnownEvent | CustomEvent;

export function isKnownEvent(event: NewEvent): event is KnownEvent {
  return isEventName(event.name);
}

/** Typed again after it was stored; throws where `data` does not have the members that its name promises. */
export function parseEvent(stored: EventFields & { name: string; data: Record<string, unknown> }): NewEvent {
  const { name } = stored;
  const data = isEventName(name) ? EVENTS[name].data.parse(stored.data) : stored.data;
  // The schema of `data` was chosen by `name`, which the compiler cannot follow.
  return { ...stored, data } as NewEvent;
}

/** Messages to subscribers that are no events. Of these, webhooks hear that a window which goes on is rescheduled. */
export const SUBSCRIBER_NOTICES = [
  "maintenance.scheduled",
  "maintenance.rescheduled",
  "maintenance.cancelled",
  "maintenance.updated",
] as const;
export type SubscriberNoticeName = (typeof SUBSCRIBER_NOTICES)[number];

/** What a message about it is headed; an event of a user's own is headed by its name. */
export function headingOf(name: string): string {
  if (isEventName(name)) return EVENTS[name].heading;
  return name === MAINTENANCE_END[1] ? EVENTS[MAINTENANCE_END[0]].heading : name;
}
