import type { IncidentSeverity } from "../contract/monitor-values.ts";
import { byName } from "../lib/by-name.ts";
import { formatInstant } from "../lib/date-format.ts";
import { oneLine } from "../lib/one-line.ts";
import { type AlertMessage, inWords, textBeside } from "./alert-messages.ts";
import type { NotifyEffect, OwnerReason } from "./escalation.ts";

/** An incident, or a critical event without one. */
export interface EscalatedSubject {
  title: string;
  /** What the first failing check found, or what people last wrote of it; empty where there is neither. */
  text: string;
  is_markdown?: boolean;
  /** Null: of a critical event. */
  severity: IncidentSeverity | null;
  started_at: number;
  thread_id: string;
  /** Epoch ms at which it was announced after something had withheld it. */
  released_at?: number;
}

/** Not empty: the subject of the escalation comes first, then those of its bundle. */
type Subjects = readonly [EscalatedSubject, ...EscalatedSubject[]];
/** The page whose people are notified, and where they answer. */
interface Surroundings {
  page: { name: string; timezone: string };
  links: AlertMessage["links"];
}

const LISTED_MAX = 20;
/** Characters of the reason beside each of several. */
const REASON_MAX = 120;
const SEVERITIES: readonly (IncidentSeverity | null)[] = ["minor", "major", "critical", null];

/** Where the escalation stands; `step` is its place in the policy, from 0. */
type Reached = Pick<NotifyEffect, "level" | "step" | "round" | "unreached_levels">;

/** What a person on call receives: what, since when, how bad, and how to acknowledge. */
export function composeEscalationMessage(
  subjects: Subjects,
  reached: Reached,
  { page, links }: Surroundings,
): AlertMessage {
  const what = subjects.length === 1 ? "the incident" : "all of them";
  const { level, round } = reached;
  const step = round === 0 ? String(level) : `${level}, round ${round + 1}`;
  return {
    tone: "down",
    ...titledAt(reached, step, titleOf(subjects)),
    page_name: oneLine(page.name),
    text: withReasons(`Acknowledge ${what} to stop the escalation of ${oneLine(page.name)}.`, subjects),
    ...(subjects.length === 1 && subjects[0].is_markdown && { is_markdown: true }),
    facts: [...factsOf(subjects, page.timezone), { label: "Step", value: step }],
    links,
    thread: { id: subjects[0].thread_id, state: `escalation ${level}.${round}` },
    is_resolved: false,
  };
}

/**
 * After the first step the title begins with why the person is notified, who may know of the outage already as a member
 * of the team. Mail programs fold mails of one subject into each other, and no two steps have the same one.
 */
function titledAt(
  { step, round, unreached_levels = [] }: Reached,
  name: string,
  title: string,
): Pick<AlertMessage, "heading" | "title"> {
  if (step === 0 && round === 0) return { title };
  const [first, last] = [unreached_levels[0], unreached_levels.at(-1)];
  const before = first === last ? `Step ${first}` : `Steps ${first} to ${last}`;
  const heading = `${first === undefined ? "Nobody answered" : `${before} reached nobody`}, now step ${name}`;
  return { heading, title: `${heading}: ${title}` };
}

/** What failed after that message, by name: a bundle is one message, and this the one other. */
export function composeFollowUpMessage(subjects: Subjects, reached: Reached, surroundings: Surroundings): AlertMessage {
  const message = composeEscalationMessage(subjects, reached, surroundings);
  const title =
    subjects.length === 1 ? `1 more alert: ${oneLine(subjects[0].title)}` : titleOf(subjects, "more alerts");
  const known = `Acknowledge the incident to stop the escalation of ${oneLine(surroundings.page.name)}.`;
  const all = "These failed after the last message; one acknowledgement is for all of them.";
  return {
    ...message,
    heading: undefined,
    title,
    text: withReasons(subjects.length === 1 ? known : all, subjects),
    thread: { ...message.thread, state: `${message.thread.state} more` },
  };
}

const REASONS: Record<OwnerReason, string> = {
  nobody_answered: "Everybody on call who could be reached was notified, and nobody acknowledged the incident.",
  nobody_reached: "Nobody on call could be reached.",
};

const ENDED = "Escalation ended without an answer";

/** What the page's owner receives at the end of an escalation. */
export function composeExhaustedMessage(
  subjects: Subjects,
  reason: OwnerReason,
  { page, links }: Surroundings,
): AlertMessage {
  return {
    tone: "down",
    heading: ENDED,
    title: `${ENDED}: ${titleOf(subjects)}`,
    page_name: oneLine(page.name),
    text: withReasons(REASONS[reason], subjects),
    ...(subjects.length === 1 && subjects[0].is_markdown && { is_markdown: true }),
    facts: factsOf(subjects, page.timezone),
    links,
    thread: { id: subjects[0].thread_id, state: "escalation exhausted" },
    is_resolved: false,
  };
}

const UNREADABLE = "Nobody is notified";

/** What the page's owner receives where the escalation itself fails, so that it notifies nobody. */
export function composeUnreadableMessage(
  { title, started_at, thread_id }: { title: string | null; started_at: number; thread_id: string },
  { page, links }: Surroundings,
): AlertMessage {
  const what = title === null ? "a critical event" : oneLine(title);
  return {
    tone: "down",
    heading: UNREADABLE,
    title: `${UNREADABLE}: the escalation of ${what} cannot be read`,
    page_name: oneLine(page.name),
    text: "The stored escalation is damaged, so nobody on call is notified of it. Look after the incident yourself.",
    facts: [{ label: "Since", value: formatInstant(started_at, page.timezone) }],
    links,
    thread: { id: thread_id, state: "escalation unreadable" },
    is_resolved: false,
  };
}

/** Of several, names the one that failed first; of those that failed at the same instant, the first by name. */
export function titleOf(subjects: Subjects, many = "alerts at once"): string {
  const first = subjects.reduce((one, other) => (isBefore(other, one) ? other : one));
  const title = oneLine(first.title);
  const others = subjects.length - 1;
  return others === 0 ? title : `${others + 1} ${many}: ${title} and ${others} more`;
}

function isBefore(one: EscalatedSubject, other: EscalatedSubject): boolean {
  return (one.started_at - other.started_at || byName(one.title, other.title)) < 0;
}

/** What happened comes before what to do about it. */
function withReasons(text: string, subjects: Subjects): string {
  const [first] = subjects;
  if (subjects.length === 1) {
    const reason = textBeside(first.title, first.text);
    return reason === "" ? text : `${reason}\n\n${text}`;
  }
  const lines = subjects.map(lineOf).sort(byName);
  const listed = lines.slice(0, LISTED_MAX).map((line) => `- ${line}`);
  const rest = subjects.length - listed.length;
  return [text, ...listed, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}

function lineOf({ title, text, is_markdown = false }: EscalatedSubject): string {
  const reason = is_markdown ? "" : oneLine(text).slice(0, REASON_MAX);
  return reason === "" ? oneLine(title) : `${oneLine(title)}: ${reason}`;
}

function factsOf(subjects: Subjects, timezone: string): AlertMessage["facts"] {
  const worst = Math.max(...subjects.map(({ severity }) => SEVERITIES.indexOf(severity)));
  const since = Math.min(...subjects.map(({ started_at }) => started_at));
  const released = subjects.flatMap(({ released_at }) => released_at ?? []);
  // Else its receiver would wonder why nobody was notified before.
  const withheld = released.length < subjects.length ? [] : [Math.max(...released)];
  return [
    { label: "Severity", value: inWords(SEVERITIES[worst] ?? "critical") },
    { label: "Since", value: formatInstant(since, timezone) },
    ...withheld.map((until) => ({ label: "Withheld until", value: formatInstant(until, timezone) })),
  ];
}
