import type { SubscriberMessageContent } from "../contract/subscriber.ts";
import { SHORT_DATE, TIME_OF_DAY } from "../lib/date-format.ts";
import { oneLine } from "../lib/one-line.ts";

/** What words need to know of a page. */
export interface NamedPage {
  name: string;
  timezone: string;
  brand_color: string | null;
}

export interface MessageLinks {
  page: string;
  incident: string | null;
  manage: string;
  unsubscribe: string;
}

/**
 * Words for people, from which subscriber-texts.ts makes each channel's message. `subject` holds nothing that a person
 * wrote but the page's name.
 */
export interface MessageDraft {
  subject: string;
  page: Pick<NamedPage, "name" | "brand_color">;
  /** What kind of news this is; null for what is none. */
  kind: string | null;
  heading: string;
  facts: { label: string; value: string }[];
  /** Markdown. */
  text: string;
  action: { label: string; url: string };
  /** Why somebody gets this. */
  reason: string;
  links: { page: string; manage: string | null; unsubscribe: string | null };
}

const NAMES_MAX = 10;

const HEADLINES: Record<string, string> = {
  "incident.created": "New incident",
  "incident.updated": "Incident updated",
  "incident.resolved": "Incident resolved",
  "maintenance.scheduled": "Maintenance planned",
  "maintenance.started": "Maintenance has begun",
  "maintenance.updated": "Maintenance updated",
  "maintenance.rescheduled": "Maintenance moved",
  "maintenance.cancelled": "Maintenance cancelled",
  "maintenance.completed": "Maintenance is over",
};

export function composeUpdateMessage(
  page: NamedPage,
  news: SubscriberMessageContent,
  links: MessageLinks,
): MessageDraft {
  const kind = HEADLINES[news.event] ?? "Update";
  const name = oneLine(page.name);
  const { starts_at, ends_at } = news;
  const facts = [
    { label: "Status", value: inWords(news.status) },
    { label: "Severity", value: inWords(news.severity ?? "") },
    { label: "Affects", value: listNames(news.affected) },
    { label: "When", value: starts_at && ends_at ? formatSpan(starts_at, ends_at, page.timezone) : "" },
    { label: "Posted", value: news.at && !starts_at ? formatInstant(news.at, page.timezone) : "" },
  ];
  return {
    subject: `${name}: ${kind.toLowerCase()}`,
    page: { name, brand_color: page.brand_color },
    kind,
    heading: oneLine(news.title),
    facts: facts.filter(({ value }) => value !== ""),
    text: (news.message ?? "").trim(),
    action: links.incident
      ? { label: "See the incident", url: links.incident }
      : { label: "See the status page", url: links.page },
    reason: `You get this because you subscribed to ${name}.`,
    links,
  };
}

export function composeConfirmationMessage(page: NamedPage, links: { page: string; confirm: string }): MessageDraft {
  const name = oneLine(page.name);
  return {
    subject: `${name}: confirm your subscription`,
    page: { name, brand_color: page.brand_color },
    kind: null,
    heading: `Do you want to hear from ${name}?`,
    facts: [],
    text: "Somebody, hopefully you, asked for updates about incidents and maintenance to be sent here.",
    action: { label: "Confirm", url: links.confirm },
    reason: "The link is good for one day. If this was not you, do nothing: no updates will be sent.",
    links: { page: links.page, manage: null, unsubscribe: null },
  };
}

/** For whoever asks again although they are subscribed. */
export function composeAlreadySubscribedMessage(page: NamedPage, links: MessageLinks): MessageDraft {
  const name = oneLine(page.name);
  return {
    subject: `${name}: you are subscribed already`,
    page: { name, brand_color: page.brand_color },
    kind: null,
    heading: "You are subscribed already",
    facts: [],
    text: "Somebody, hopefully you, asked for updates to be sent here. They already are.",
    action: { label: "Change what you are told", url: links.manage },
    reason: "If this was not you, do nothing.",
    links: { ...links, manage: null },
  };
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).map(oneLine).join(", ");
  const more = names.length - NAMES_MAX;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** `21 Nov 2026, 04:00 CET`. */
function formatInstant(iso: string, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { ...SHORT_DATE, ...TIME_OF_DAY, timeZone, timeZoneName: "short" }).format(
    new Date(iso),
  );
}

/** `21 Nov 2026, 04:00 to 06:00 CET`, or with both dates. */
function formatSpan(from: string, to: string, timeZone: string): string {
  const dates = new Intl.DateTimeFormat("en-GB", { ...SHORT_DATE, timeZone });
  const times = new Intl.DateTimeFormat("en-GB", { ...TIME_OF_DAY, timeZone, timeZoneName: "short" });
  const [start, end] = [new Date(from), new Date(to)];
  const isOneDay = dates.format(start) === dates.format(end);
  const [time, zone] = splitZone(times.format(start));
  const begin = splitZone(times.format(end))[1] === zone ? time : `${time} ${zone}`;
  return `${dates.format(start)}, ${begin} to ${isOneDay ? times.format(end) : formatInstant(to, timeZone)}`;
}

function splitZone(text: string): [time: string, zone: string] {
  const [time = "", ...zone] = text.split(" ");
  return [time, zone.join(" ")];
}

/** `in_progress` as people read it. */
function inWords(value: string): string {
  const text = value.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
