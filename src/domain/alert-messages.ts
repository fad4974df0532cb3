import {
  type CustomEvent,
  type EventOf,
  headingOf,
  isKnownEvent,
  type KnownEvent,
  type NewEvent,
} from "../contract/events.ts";
import { regionName } from "../contract/monitor-values.ts";
import { formatInstant, formatSpan } from "../lib/date-format.ts";
import { durationInWords, formatMilliseconds, secondsBetween } from "../lib/duration-format.ts";
import { oneLine } from "../lib/one-line.ts";
import { wordsBesideStatus } from "./incident-status.ts";

/** How urgent a message is; providers map it to their colours and priorities. */
export type AlertTone = "down" | "warning" | "good" | "info";

/** What a message follows up: messages of one thread with the same state replace each other where a provider can edit. */
export interface AlertThread {
  /** Of the outage, else of the incident, maintenance window, agent or monitor. */
  id: string;
  state: string;
}

/** A message about an event before it is formatted for its provider. */
export interface AlertMessage {
  tone: AlertTone;
  /** The words of the service with which the title begins; without them a text of a user may begin it. */
  heading?: string;
  title: string;
  /** The page that it is about. */
  page_name?: string;
  /** The reason or the text of a user; may be empty. */
  text: string;
  /** Whether `text` is Markdown of a user. */
  is_markdown?: boolean;
  facts: { label: string; value: string }[];
  links: { label: string; url: string }[];
  /** Data of a button that acknowledges, where a bot can offer one. */
  acknowledge_button?: string;
  thread: AlertThread;
  /** The condition that the thread reports is over. */
  is_resolved: boolean;
}

type Content = Omit<AlertMessage, "links" | "page_name"> & {
  monitor_id?: string | null;
  incident_id?: string | null;
  channel_id?: string | null;
  /** Where the team sees what each location saw. */
  evidence_url?: string | null | undefined;
  /** The incident waits for someone who acknowledges it. */
  is_unanswered?: boolean;
};

/** For whom a message is composed. */
export interface AlertReader {
  /** The address of the service, without a trailing slash; empty where the operator set none. */
  public_url: string;
  /** Of the page, or the one that the person chose. */
  timezone: string;
  page_name?: string;
}

/** Of texts that leave without links and times. */
export const NO_READER: AlertReader = { public_url: "", timezone: "UTC" };

export function composeAlert(event: NewEvent, { public_url, timezone, page_name }: AlertReader): AlertMessage {
  const {
    monitor_id = null,
    incident_id = null,
    channel_id = null,
    is_unanswered = false,
    evidence_url = null,
    ...message
  } = isKnownEvent(event) ? contentOf(event, timezone) : customContent(event);
  const at = (path: string) => `${public_url}/app/${path}`;
  const links = [
    ...(incident_id === null || !is_unanswered ? [] : [{ label: ACKNOWLEDGE, url: at(`incidents/${incident_id}`) }]),
    ...(evidence_url === null ? [] : [{ label: EVIDENCE, url: evidence_url }]),
    ...(monitor_id === null ? [] : [{ label: "Open monitor", url: at(`monitors/${monitor_id}`) }]),
    ...(channel_id === null ? [] : [{ label: "Open deliveries", url: at(`alerts/deliveries?channel=${channel_id}`) }]),
    ...(incident_id === null || is_unanswered ? [] : [{ label: OPEN_INCIDENT, url: at(`incidents/${incident_id}`) }]),
  ];
  return { ...message, page_name: page_name && oneLine(page_name), links: public_url === "" ? [] : links };
}

/** Labels by which messages with a link of their own replace these. */
export const ACKNOWLEDGE = "Acknowledge";
export const OPEN_INCIDENT = "Open incident";
export const EVIDENCE = "Evidence";

const TONE_WORDS: Record<AlertTone, string> = { down: "Alert", warning: "Warning", good: "Resolved", info: "Notice" };

/** One line that no text of a user begins, for subjects: `Alert: Shop is down`, `Incident resolved: Slow checkout`. */
export function headline({ tone, heading, title }: Pick<AlertMessage, "tone" | "heading" | "title">): string {
  return heading === undefined ? `${TONE_WORDS[tone]}: ${title}` : title;
}

/** A title that begins with words of the service. */
function headed(name: string, subject: string): { heading: string; title: string } {
  const heading = headingOf(name);
  return { heading, title: `${heading}: ${subject}` };
}

type Of<Prefix extends string> = Extract<KnownEvent, { name: `${Prefix}.${string}` }>;

function contentOf(event: KnownEvent, timezone: string): Content {
  const moment = (iso: string) => formatInstant(iso, timezone);
  switch (event.name) {
    case "monitor.down":
    case "monitor.up":
    case "monitor.degraded":
      return changeContent(event, timezone);
    case "monitor.flapping": {
      const { monitor_id, monitor_name, message, since } = event.data;
      return {
        tone: "warning",
        title: `${oneLine(monitor_name)} is flapping`,
        text: message,
        monitor_id,
        facts: [fact("Since", moment(since))],
        thread: { id: monitor_id, state: "flapping" },
        is_resolved: false,
      };
    }
    case "monitor.reminder":
      return reminderContent(event, timezone);
    case "monitor.certificate_expiring":
    case "monitor.domain_expiring":
      return expiryContent(event, timezone);
    case "incident.created":
    case "incident.updated":
    case "incident.acknowledged":
    case "incident.resolved":
      return incidentContent(event, timezone);
    case "maintenance.started":
    case "maintenance.rescheduled":
    case "maintenance.completed":
      return maintenanceContent(event, timezone);
    case "agent.online":
    case "agent.offline": {
      const { agent_id, agent_name, status, hostname, last_seen_at, since } = event.data;
      return {
        tone: status === "online" ? "good" : "down",
        title: `Agent ${oneLine(agent_name)} is ${status}`,
        text: "",
        facts: [
          fact("Host", hostname),
          fact("Last seen", last_seen_at && moment(last_seen_at)),
          fact(
            "Silent for",
            last_seen_at && durationInWords(secondsBetween(Date.parse(last_seen_at), Date.parse(since))),
          ),
        ].filter(hasValue),
        thread: { id: agent_id, state: status },
        is_resolved: status === "online",
      };
    }
    case "oncall.gap": {
      const { policy_id, policy_name, schedule_id, schedule_name, start, begins_at, message, incident_id } = event.data;
      const name = oneLine(schedule_name ?? policy_name ?? "");
      const BEGINS = "On-call schedule begins later";
      return {
        tone: begins_at !== null ? "info" : start === null ? "down" : "warning",
        ...(begins_at === null ? headed(event.name, name) : { heading: BEGINS, title: `${BEGINS}: ${name}` }),
        text: message,
        thread: { id: incident_id ?? schedule_id ?? policy_id ?? event.id, state: `gap ${start ?? ""}`.trim() },
        facts: [],
        is_resolved: false,
        incident_id,
      };
    }
    case "webhook.failing":
    case "webhook.recovered": {
      const { webhook_id, webhook_name, status, message, since, last_error } = event.data;
      return {
        tone: status === "working" ? "good" : "warning",
        ...headed(event.name, oneLine(webhook_name)),
        text: message,
        facts: [
          fact(status === "working" ? "Failed since" : "Since", moment(since)),
          fact("Last attempt", last_error),
        ].filter(hasValue),
        thread: { id: webhook_id, state: `channel ${status}` },
        is_resolved: status === "working",
        channel_id: webhook_id,
      };
    }
    case "service.alarm_raised":
    case "service.alarm_cleared": {
      const { alarm, message, raised_at, cleared_at } = event.data;
      return {
        tone: cleared_at === null ? "down" : "good",
        ...headed(event.name, alarm),
        text: message,
        facts: [fact("Since", moment(raised_at))],
        thread: { id: `${alarm}/${raised_at}`, state: cleared_at === null ? "raised" : "cleared" },
        is_resolved: cleared_at !== null,
      };
    }
    case "audit.recorded": {
      const { summary, actor, event_type, ip } = event.data;
      return {
        tone: "info",
        ...headed(event.name, oneLine(summary)),
        text: "",
        facts: [fact("By", actor.name), fact("Kind", event_type), fact("Address", ip)].filter(hasValue),
        thread: { id: event.id, state: "recorded" },
        is_resolved: false,
      };
    }
    case "test_event":
      return {
        tone: "info",
        heading: headingOf(event.name),
        title: `${headingOf(event.name)} for ${oneLine(event.data.webhook_name)}`,
        text: event.data.message,
        facts: [],
        thread: { id: event.id, state: "test" },
        is_resolved: false,
      };
  }
}

const TONES = { "monitor.down": "down", "monitor.up": "good", "monitor.degraded": "warning" } as const;
const WORDS = { "monitor.down": "is down", "monitor.up": "is up again", "monitor.degraded": "is degraded" } as const;

function changeContent({ name, data }: Extract<KnownEvent, { name: keyof typeof TONES }>, timezone: string): Content {
  const { monitor_id, outage_id, incident_id, since, region, latency, duration_seconds, outage_started_at } = data;
  const isRecovery = name === "monitor.up";
  const locations = describeLocations(data);
  const hasRegion = !isRecovery && locations === "" && region !== "default";
  const outage = isRecovery && outage_started_at !== null ? formatSpan(outage_started_at, since, timezone) : null;
  return {
    tone: TONES[name],
    title: `${oneLine(data.monitor_name)} ${WORDS[name]}`,
    text: [data.message, locations].filter((part) => part !== "").join(", "),
    facts: [
      fact("Since", outage === null ? formatInstant(since, timezone) : null),
      // Else its receiver would wonder why nobody was notified before.
      fact("Withheld until", data.released_at ? formatInstant(data.released_at, timezone) : null),
      fact("Down", outage),
      fact("Lasted", isRecovery && duration_seconds !== null ? durationInWords(duration_seconds) : null),
      fact("Region", hasRegion && region !== null ? regionName(region) : null),
      // The duration of a failing check has no meaning.
      fact("Latency", name === "monitor.degraded" && latency !== null ? formatMilliseconds(latency) : null),
      ...(data.context ? contextFacts(name, data.context) : []),
    ].filter(hasValue),
    thread: { id: outage_id ?? monitor_id, state: data.status },
    is_resolved: isRecovery,
    monitor_id,
    incident_id,
    evidence_url: data.evidence_url,
    is_unanswered: !isRecovery,
  };
}

/** "failing from 2 of 3 locations: Western Europe, Rack 4"; empty where one place checks. */
export function describeLocations({
  locations_down,
  locations_total,
  location_names,
}: Pick<EventOf<"monitor.down">["data"], "locations_down" | "locations_total" | "location_names">): string {
  if (locations_down.length === 0 || locations_total < 2) return "";
  const names = locations_down.map((name) => location_names?.[name] ?? regionName(name)).join(", ");
  return `failing from ${locations_down.length} of ${locations_total} locations: ${names}`;
}

/** A state of its own, so that a chat shows a new message instead of an edited one. */
function reminderContent({ data }: EventOf<"monitor.reminder">, timezone: string): Content {
  const { monitor_id, monitor_name, message, since, duration_seconds, outage_id, incident_id, evidence_url } = data;
  return {
    tone: "down",
    title: `${oneLine(monitor_name)} is still down`,
    text: message,
    facts: [fact("Down for", durationInWords(duration_seconds)), fact("Since", formatInstant(since, timezone))],
    thread: { id: outage_id, state: `down for ${duration_seconds} s` },
    is_resolved: false,
    monitor_id,
    incident_id,
    evidence_url,
    is_unanswered: true,
  };
}

/** What the page's advanced alerts add for the people who have to act. */
function contextFacts(name: string, context: NonNullable<EventOf<"monitor.down">["data"]["context"]>): Fact[] {
  const { monitor_type, tags, external_key, failure_threshold } = context;
  return [
    fact("Type", monitor_type),
    fact("Tags", tags.map(oneLine).join(", ")),
    fact("Key", external_key),
    fact(
      "Confirmed by",
      name === "monitor.down" && failure_threshold > 1 ? `${failure_threshold} failures in a row` : null,
    ),
  ];
}

function expiryContent(
  { name, data }: Extract<KnownEvent, { name: "monitor.certificate_expiring" | "monitor.domain_expiring" }>,
  timezone: string,
): Content {
  const { monitor_id, monitor_name, expires_at, days_left } = data;
  const subject = name === "monitor.certificate_expiring" ? "The certificate" : "The domain";
  const left = days_left === 1 ? "1 day" : `${days_left} days`;
  return {
    tone: days_left <= 1 ? "down" : "warning",
    title: `${subject} of ${oneLine(monitor_name)} expires in ${left}`,
    // The message is for programs and names UTC; a reader has one zone, in which the fact stands.
    text: "",
    facts: [fact("Expires", formatInstant(expires_at, timezone))],
    thread: { id: `${monitor_id}/${expires_at}`, state: `${days_left} days` },
    is_resolved: false,
    monitor_id,
  };
}

function incidentContent({ name, data }: Of<"incident">, timezone: string): Content {
  const { incident_id, severity, status, started_at, resolved_at, outage_id, monitor_id } = data;
  const title = oneLine(data.title);
  const isResolved = name === "incident.resolved";
  const isAcknowledgement = name === "incident.acknowledged";
  const seconds = resolved_at === null ? null : secondsBetween(Date.parse(started_at), Date.parse(resolved_at));
  return {
    tone: incidentTone(name, data),
    ...headed(name, title),
    // The title says that it is acknowledged.
    text: isAcknowledgement ? "" : textBeside(title, wordsBesideStatus(data)),
    is_markdown: true,
    facts: [
      fact("Status", isResolved || isAcknowledgement ? null : inWords(status)),
      fact("Severity", inWords(severity)),
      fact("Since", isResolved && resolved_at !== null ? null : formatInstant(started_at, timezone)),
      fact("Open", isResolved && resolved_at !== null ? formatSpan(started_at, resolved_at, timezone) : null),
      fact("Lasted", isResolved && seconds !== null ? durationInWords(seconds) : null),
    ].filter(hasValue),
    thread: { id: outage_id ?? incident_id, state: `incident ${status}` },
    is_resolved: isResolved,
    monitor_id,
    // Nothing is there any more.
    incident_id: data.is_withdrawn ? null : incident_id,
    is_unanswered: !isResolved && status !== "resolved" && data.acknowledged_at === null,
  };
}

function incidentTone(name: Of<"incident">["name"], { status, severity }: Of<"incident">["data"]): AlertTone {
  if (name === "incident.resolved") return "good";
  // What is written about an incident that is over alarms nobody.
  if (name === "incident.acknowledged" || status === "resolved") return "info";
  return severity === "minor" ? "warning" : "down";
}

function maintenanceContent({ name, data }: Of<"maintenance">, timezone: string): Content {
  const { maintenance_id, start, end } = data;
  const title = oneLine(data.title);
  return {
    tone: "info",
    ...headed(name, title),
    text: textBeside(title, data.message ?? ""),
    is_markdown: true,
    facts: [fact("When", start && end && formatSpan(start, end, timezone))].filter(hasValue),
    // Each new end is a message, where a chat would edit the one of the same state.
    thread: { id: `${maintenance_id}/${start}`, state: name === "maintenance.rescheduled" ? `${name} ${end}` : name },
    is_resolved: name === "maintenance.completed",
  };
}

/** Nothing where the text only repeats the title, with or without a final stop. */
export function textBeside(title: string, text: string): string {
  const sentence = (each: string) => oneLine(each).replace(/\.$/, "").toLowerCase();
  return sentence(text) === sentence(title) ? "" : text.trim();
}

/** The members that rules and the emit route give an event of a user. */
function customContent({ id, name, classification, data }: CustomEvent): Content {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const title = oneLine(text(data.title) || text(data.display_name) || name);
  return {
    tone: classification === "critical" ? "down" : "info",
    title,
    text: textBeside(title, text(data.description) || text(data.message)),
    facts: [],
    thread: { id, state: name },
    is_resolved: false,
    monitor_id: text(data.monitor_id) || null,
  };
}

type Fact = { label: string; value: string | null };
const fact = <Value extends string | null>(label: string, value: Value) => ({ label, value });
const hasValue = (each: Fact): each is { label: string; value: string } => each.value !== null && each.value !== "";

/** `in_progress` as text. */
export function inWords(value: string): string {
  const text = value.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
