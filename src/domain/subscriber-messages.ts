import { headingOf } from "../contract/events.ts";
import type { SubscriberMessageContent, Together } from "../contract/subscriber.ts";
import { formatInstant, formatSpan } from "../lib/date-format.ts";
import { oneLine } from "../lib/one-line.ts";
import { inWords, textBeside } from "./alert-messages.ts";

/** The page that a message is about. */
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

/** A message before it is formatted for its channel. Of user text, `subject` ends with the name of the page alone. */
export interface MessageDraft {
  subject: string;
  page: Pick<NamedPage, "name" | "brand_color">;
  /** The heading of the event; null for other messages. */
  kind: string | null;
  heading: string;
  facts: { label: string; value: string }[];
  /** Names, one a line. */
  items: readonly string[];
  /** Markdown. */
  text: string;
  action: { label: string; url: string };
  /** Why the subscriber receives it. */
  reason: string;
  links: { page: string; manage: string | null; unsubscribe: string | null };
}

const NAMES_MAX = 10;

export function composeUpdateMessage(
  page: NamedPage,
  content: SubscriberMessageContent,
  links: MessageLinks,
): MessageDraft {
  if (content.together) return composeTogether(page, { ...content, together: content.together }, links);
  const kind = headingOf(content.event);
  const name = oneLine(page.name);
  const { starts_at, ends_at } = content;
  const facts = [
    { label: "Status", value: inWords(content.status) },
    { label: "Severity", value: inWords(content.severity ?? "") },
    { label: "Affects", value: listNames(content.affected) },
    { label: "When", value: starts_at && ends_at ? formatSpan(starts_at, ends_at, page.timezone) : "" },
    { label: "Posted", value: content.at && !starts_at ? formatInstant(content.at, page.timezone) : "" },
  ];
  return {
    subject: `${kind}: ${name}`,
    page: { name, brand_color: page.brand_color },
    kind,
    heading: oneLine(content.title),
    facts: facts.filter(({ value }) => value !== ""),
    items: [],
    text: textBeside(content.title, content.message ?? ""),
    action: actionOf(links),
    reason: reasonOf(name),
    links,
  };
}

const WORDS = { down: "down", up: "up again" } as const;

/** Of services that went down, or came up again, together. */
function composeTogether(
  page: NamedPage,
  { together, at, severity }: SubscriberMessageContent & { together: Together },
  links: MessageLinks,
): MessageDraft {
  const { direction, names, total, still_down } = together;
  const name = oneLine(page.name);
  const what = total === 1 ? "A service is" : `${total} services are`;
  const subject = `${what} ${WORDS[direction]}: ${name}`;
  const [only = ""] = names;
  const rest = total - names.length;
  const facts = [
    { label: "Severity", value: inWords(severity ?? "") },
    { label: "Posted", value: at ? formatInstant(at, page.timezone) : "" },
  ];
  return {
    subject,
    page: { name, brand_color: page.brand_color },
    kind: null,
    heading: total === 1 ? `${oneLine(only)} is ${WORDS[direction]}` : `${what} ${WORDS[direction]}`,
    facts: facts.filter(({ value }) => value !== ""),
    items: total === 1 ? [] : [...names.map(oneLine), ...(rest > 0 ? [`and ${rest} more`] : [])],
    text:
      still_down === 0 ? "" : still_down === 1 ? "1 service is still down." : `${still_down} services are still down.`,
    action: actionOf(links),
    reason: reasonOf(name),
    links,
  };
}

function actionOf({ incident, page }: MessageLinks): MessageDraft["action"] {
  return incident ? { label: "See the incident", url: incident } : { label: "See the status page", url: page };
}

function reasonOf(pageName: string): string {
  return `You receive this message because you are subscribed to ${pageName}.`;
}

export function composeConfirmationMessage(page: NamedPage, links: { page: string; confirm: string }): MessageDraft {
  const name = oneLine(page.name);
  return {
    subject: `Confirm your subscription to ${name}`,
    page: { name, brand_color: page.brand_color },
    kind: null,
    heading: `Confirm your subscription to ${name}`,
    facts: [],
    items: [],
    text: "We received a request to send updates about incidents and maintenance to this address.",
    action: { label: "Confirm", url: links.confirm },
    reason:
      "The link expires in 24 hours. If you did not request this, ignore this message and you will not be subscribed.",
    links: { page: links.page, manage: null, unsubscribe: null },
  };
}

/** For an address that is subscribed and requests a subscription again. */
export function composeAlreadySubscribedMessage(page: NamedPage, links: MessageLinks): MessageDraft {
  const name = oneLine(page.name);
  return {
    subject: `You are already subscribed to ${name}`,
    page: { name, brand_color: page.brand_color },
    kind: null,
    heading: "You are already subscribed",
    facts: [],
    items: [],
    text: "We received a request to send updates to this address, which is already subscribed.",
    action: { label: "Manage your subscription", url: links.manage },
    reason: "If you did not request this, ignore this message.",
    links: { ...links, manage: null },
  };
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).map(oneLine).join(", ");
  const more = names.length - NAMES_MAX;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
