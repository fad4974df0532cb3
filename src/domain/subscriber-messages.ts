import type { SubscriberMessageContent, Together } from "../contract/subscriber.ts";
import type { SubscriberTexts } from "../language/texts.ts";
import { formatEnds, formatInstant } from "../lib/date-format.ts";
import { oneLine } from "../lib/one-line.ts";
import { inWords, textBeside } from "./alert-messages.ts";
import { inLanguageOf } from "./automatic-texts.ts";
import { wordsBesideStatus } from "./incident-status.ts";

/** The page that a message is about. */
export interface NamedPage {
  name: string;
  timezone: string;
  brand_color: string | null;
}

/** What a message is about, and the language in which it is written. */
export interface MessageFrame {
  page: NamedPage;
  texts: SubscriberTexts;
}

export interface MessageLinks {
  page: string;
  incident: string | null;
  /** Null where the page is hidden: then people can leave, and nothing else. */
  manage: string | null;
  unsubscribe: string;
}

/** A message before it is formatted for its channel. User text never begins `subject`. */
export interface MessageDraft {
  subject: string;
  page: Pick<NamedPage, "name" | "brand_color">;
  /** The kind of event; null for other messages. */
  pill: { tone: "up" | "degraded" | "accent"; label: string } | null;
  heading: string;
  facts: { label: string; value: string }[];
  /** Names, one a line. */
  items: readonly string[];
  /** Markdown. */
  text: string;
  /** Null where the reader can open nothing. */
  action: { label: string; url: string } | null;
  /** Why the subscriber receives it. */
  reason: string;
  links: { page: string; manage: string | null; unsubscribe: string | null };
  texts: SubscriberTexts;
}

const NAMES_MAX = 10;

export function composeUpdateMessage(
  frame: MessageFrame,
  content: SubscriberMessageContent,
  links: MessageLinks,
): MessageDraft {
  if (content.together) return composeTogether(frame, { ...content, together: content.together }, links);
  const { page, texts } = frame;
  const { event, starts_at, ends_at } = content;
  const label = texts.headings[event];
  const name = oneLine(page.name);
  const isWithdrawn = event === "incident.withdrawn";
  const facts = [
    { label: texts.facts.status, value: isWithdrawn ? "" : statusOf(content.status, texts) },
    { label: texts.facts.severity, value: severityOf(content.severity, texts) },
    { label: texts.facts.affects, value: listNames(content.affected, texts) },
    { label: texts.facts.when, value: starts_at && ends_at ? spanOf({ starts_at, ends_at }, frame) : "" },
    { label: texts.facts.posted, value: starts_at ? "" : momentOf(content.at, frame) },
  ];
  return {
    subject: texts.labelled({ label, value: name }),
    page: { name, brand_color: page.brand_color },
    pill: { tone: toneOf(event), label },
    // Those who read of many together know no title.
    heading: inLanguageOf(texts.page, oneLine(content.title)) || name,
    facts: facts.filter(({ value }) => value !== ""),
    items: [],
    text: textOf(content, texts),
    // Nothing is found there any more.
    action: actionOf(isWithdrawn ? { ...links, incident: null } : links, texts),
    reason: texts.reason({ page: name }),
    links,
    texts,
  };
}

/** Of services that went down, or came up again, together. */
function composeTogether(
  frame: MessageFrame,
  { together, at, severity }: SubscriberMessageContent & { together: Together },
  links: MessageLinks,
): MessageDraft {
  const { page, texts } = frame;
  const { direction, names, total, still_down } = together;
  const name = oneLine(page.name);
  const what = texts.together[direction]({ n: total });
  const [only = ""] = names;
  const rest = total - names.length;
  const toHeading = direction === "down" ? texts.page.headline.down.one : texts.up_again;
  const facts = [
    { label: texts.facts.severity, value: severityOf(severity, texts) },
    { label: texts.facts.posted, value: momentOf(at, frame) },
  ];
  return {
    subject: texts.labelled({ label: what, value: name }),
    page: { name, brand_color: page.brand_color },
    pill: null,
    heading: total === 1 ? toHeading({ name: oneLine(only) }) : what,
    facts: facts.filter(({ value }) => value !== ""),
    items: total === 1 ? [] : [...names.map(oneLine), ...(rest > 0 ? [texts.and_more({ n: rest })] : [])],
    text: still_down === 0 ? "" : texts.still_down({ n: still_down }),
    action: actionOf(links, texts),
    reason: texts.reason({ page: name }),
    links,
    texts,
  };
}

export function composeConfirmationMessage(
  { page, texts }: MessageFrame,
  links: { page: string; confirm: string },
): MessageDraft {
  const name = oneLine(page.name);
  const { title, text, reason } = texts.confirm;
  return {
    subject: title({ page: name }),
    page: { name, brand_color: page.brand_color },
    pill: null,
    heading: title({ page: name }),
    facts: [],
    items: [],
    text,
    action: { label: texts.page.subscribe.confirm_button, url: links.confirm },
    reason,
    links: { page: links.page, manage: null, unsubscribe: null },
    texts,
  };
}

/** For an address that is subscribed and requests a subscription again. */
export function composeAlreadySubscribedMessage({ page, texts }: MessageFrame, links: MessageLinks): MessageDraft {
  const name = oneLine(page.name);
  const { title, heading, text, reason } = texts.known;
  return {
    subject: title({ page: name }),
    page: { name, brand_color: page.brand_color },
    pill: null,
    heading,
    facts: [],
    items: [],
    text,
    action: links.manage === null ? null : { label: texts.manage, url: links.manage },
    reason,
    links: { ...links, manage: null },
    texts,
  };
}

function toneOf(event: SubscriberMessageContent["event"]): NonNullable<MessageDraft["pill"]>["tone"] {
  if (event === "incident.resolved" || event === "maintenance.completed") return "up";
  return event.startsWith("maintenance.") || event === "incident.withdrawn" ? "accent" : "degraded";
}

function textOf(content: SubscriberMessageContent, texts: SubscriberTexts): string {
  const { event, title, message, status } = content;
  if (event === "incident.withdrawn") return texts.withdrawn_text;
  if (event === "maintenance.cancelled") return endOf(content, texts);
  return inLanguageOf(texts.page, textBeside(title, wordsBesideStatus({ message: message ?? "", status })));
}

/** Of an occurrence that does not take place, or not to its end. */
function endOf({ at, starts_at }: SubscriberMessageContent, texts: SubscriberTexts): string {
  return at !== null && starts_at !== null && starts_at <= at ? texts.ended_early : texts.cancelled_text;
}

function actionOf({ incident, page, manage }: MessageLinks, texts: SubscriberTexts): MessageDraft["action"] {
  if (manage === null) return null;
  return incident ? { label: texts.see_incident, url: incident } : { label: texts.see_page, url: page };
}

function statusOf(status: string, { page, cancelled }: SubscriberTexts): string {
  const words = { ...page.incident.statuses, ...page.maintenance.statuses, cancelled };
  return wordOf(status, words);
}

function severityOf(severity: string | null, { page }: SubscriberTexts): string {
  return severity === null ? "" : wordOf(severity, page.incident.severities);
}

/** A message may be older than the words of this release. */
function wordOf(value: string, words: Readonly<Record<string, string>>): string {
  return words[value] ?? inWords(value);
}

function momentOf(at: string | null, { page, texts }: MessageFrame): string {
  return at === null ? "" : formatInstant(at, page.timezone, texts.locale);
}

function spanOf({ starts_at, ends_at }: { starts_at: string; ends_at: string }, { page, texts }: MessageFrame): string {
  const { timezone: timeZone } = page;
  return texts.span(formatEnds(starts_at, ends_at, { timeZone, locale: texts.locale }));
}

function listNames(names: readonly string[], texts: SubscriberTexts): string {
  const [first = "", ...others] = names.slice(0, NAMES_MAX).map(oneLine);
  const shown = others.reduce((all, name) => texts.names({ names: all, name }), first);
  const more = names.length - NAMES_MAX;
  return more > 0 ? texts.page.affected.more({ names: shown, n: more }) : shown;
}
