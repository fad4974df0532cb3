import { formatInstant } from "../lib/date-format.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { oneLine } from "../lib/one-line.ts";
import type { AlertMessage } from "./alert-messages.ts";
import { GAP_HORIZON_MS, type Gap, listGaps, listOnCall, type Schedule, type Shift } from "./on-call.ts";

/** How long before a shift its user is reminded. */
export const SHIFT_REMINDER_MS = 12 * HOUR_MS;
export const REVIEW_EVERY_MS = HOUR_MS;
/** Choice: the editor of a schedule has this long to finish before anybody is notified of its gaps and shifts. */
export const REVIEW_DELAY_MS = 10 * MINUTE_MS;

export interface ScheduleNotices {
  /** Within the next 72 hours. */
  gaps: Gap[];
  /** That begin within the next 12 hours. */
  shifts: Shift[];
}

/** What users have to know about a schedule in advance. */
export function listNotices(schedule: Schedule, now: number): ScheduleNotices {
  const soon = listOnCall(schedule, { start_at: now, end_at: now + GAP_HORIZON_MS });
  return {
    gaps: listGaps(schedule, { start_at: now, end_at: now + GAP_HORIZON_MS }),
    shifts: soon.flatMap(({ user_id, start_at, end_at }) =>
      user_id !== null && start_at > now && start_at <= now + SHIFT_REMINDER_MS ? [{ user_id, start_at, end_at }] : [],
    ),
  };
}

interface Named {
  name: string;
  timezone: string;
}

/** One line, for messages and events. */
export function describeGap({ name, timezone }: Named, { start_at, end_at }: Gap, now: number): string {
  const from = start_at <= now ? "now" : formatInstant(start_at, timezone);
  return `nobody is on call by ${oneLine(name)} from ${from}${untilIn(timezone, end_at, now)}`;
}

/** Empty beyond what is looked at in advance: it may end later. */
function untilIn(timezone: string, end_at: number, now: number): string {
  return end_at >= now + GAP_HORIZON_MS ? "" : ` until ${formatInstant(end_at, timezone)}`;
}

const asSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export interface FirstTurn {
  at: number;
  /** Null where the name is not known. */
  name: string | null;
}

/** Before its first turn a schedule has no gap that anybody forgot: it begins later. */
export function describeBeginning({ name, timezone }: Named, { at, name: first }: FirstTurn): string {
  const who = first === null ? "" : `, ${oneLine(first)} first`;
  return `${oneLine(name)} begins on ${formatInstant(at, timezone)}${who}; until then nobody is on call by it`;
}

type Links = AlertMessage["links"];

export function composeBeginningNotice(schedule: Named & { id: string }, first: FirstTurn, links: Links) {
  const { name, timezone } = schedule;
  const who = first.name === null ? "" : ` ${oneLine(first.name)} is first.`;
  return {
    tone: "info",
    title: `On-call schedule begins later: ${oneLine(name)}`,
    is_resolved: false,
    text: `It begins on ${formatInstant(first.at, timezone)}.${who} Until then nobody is on call by it: add a shift or an override if somebody is to be.`,
    facts: [],
    links,
    thread: { id: schedule.id, state: `begins ${first.at}` },
  } satisfies AlertMessage;
}

export function composeGapNotice(schedule: Named & { id: string }, gap: Gap, context: { now: number; links: Links }) {
  return {
    tone: "warning",
    title: `Nobody on call: ${oneLine(schedule.name)}`,
    is_resolved: false,
    text: `${asSentence(describeGap(schedule, gap, context.now))} Add a shift or an override.`,
    facts: [],
    links: context.links,
    thread: { id: schedule.id, state: `gap ${gap.start_at}` },
  } satisfies AlertMessage;
}

interface EmptyStep {
  policy: { id: string; name: string };
  level: number;
}

/** The same for a step of an escalation policy whose last person left the team. */
export function describeEmptyStep({ policy, level }: EmptyStep): string {
  return `nobody is reached by step ${level} of the escalation policy ${oneLine(policy.name)}`;
}

export function composeEmptyStepNotice(step: EmptyStep, links: Links) {
  return {
    tone: "warning",
    title: `Nobody on call: ${oneLine(step.policy.name)}`,
    is_resolved: false,
    text: `Its last person left the team: ${describeEmptyStep(step)}. Add a contact to it.`,
    facts: [],
    links,
    thread: { id: step.policy.id, state: `empty step ${step.level}` },
  } satisfies AlertMessage;
}

export function composeShiftReminder(
  schedule: Named & { id: string },
  { start_at, end_at }: Shift,
  { now, links }: { now: number; links: Links },
) {
  const { timezone } = schedule;
  return {
    tone: "info",
    title: `Your on-call shift begins soon: ${oneLine(schedule.name)}`,
    is_resolved: false,
    text: `You are on call from ${formatInstant(start_at, timezone)}${untilIn(timezone, end_at, now)}.`,
    facts: [],
    links,
    thread: { id: schedule.id, state: `shift ${start_at}` },
  } satisfies AlertMessage;
}
