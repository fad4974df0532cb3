import type { FormField, FormValues } from "../form-fields.ts";
import { words } from "../words.ts";

/** When a heartbeat is due by the clock: the days of the cron schedule that each of them is. */
const CLOCK_RHYTHMS = { daily: "* * *", weekdays: "* * 1-5", weekly: "* * 1", monthly: "1 * *" } as const;
type ClockRhythm = keyof typeof CLOCK_RHYTHMS;
const CLOCK = Object.keys(CLOCK_RHYTHMS) as ClockRhythm[];
const AT_DEFAULT = "02:30";
const NO_SCHEDULE = "missing";

/** They stand for the schedule, which the API knows alone. */
export function rhythmFields(): FormField[] {
  const { rhythm, rhythm_at } = words("dashboard-monitors").form_fields;
  return [
    {
      name: "rhythm",
      label: rhythm.label,
      kind: "select",
      options: [...CLOCK, "interval" as const, "cron" as const].map((value) => ({
        value,
        label: rhythm.options[value],
      })),
    },
    { name: "rhythm_at", label: rhythm_at.label, kind: "text", placeholder: AT_DEFAULT, hint: rhythm_at.hint },
  ];
}

/** The rhythms that a field is for; one that is missing here is for all. */
export const RHYTHMS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ["rhythm_at", CLOCK],
  ["interval", ["interval"]],
  ["schedule", ["cron"]],
  ["timezone", [...CLOCK, "cron"]],
]);
/** They are read together, also where only one was changed. */
const READ_TOGETHER = ["rhythm", "rhythm_at", "schedule"];

/** Those to be read of the fields of a form, some of which were changed. */
export function withWholeRhythm(fields: readonly FormField[], changed: readonly FormField[]): readonly FormField[] {
  if (!changed.some(({ name }) => name === "rhythm" || name === "rhythm_at")) return changed;
  return fields.filter((field) => changed.includes(field) || READ_TOGETHER.includes(field.name));
}

/** What the form shows for a stored schedule, or for a new heartbeat. */
export function rhythmValues(schedule: string | null | undefined): FormValues {
  if (schedule === undefined) return { rhythm: "daily", rhythm_at: AT_DEFAULT };
  if (schedule === null) return { rhythm: "interval", rhythm_at: "" };
  const [, minute = "", hour = "", days] = /^(\d{1,2}) (\d{1,2}) (.+)$/.exec(schedule) ?? [];
  const rhythm = CLOCK.find((each) => CLOCK_RHYTHMS[each] === days);
  if (rhythm === undefined) return { rhythm: "cron", rhythm_at: "" };
  return { rhythm, rhythm_at: `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}` };
}

/** "Every day at 02:30"; what no choice says stays a cron schedule. */
export function rhythmInWords(schedule: string): string {
  const { rhythm, rhythm_at } = rhythmValues(schedule);
  const clock = CLOCK.find((each) => each === rhythm);
  if (clock === undefined) return schedule;
  return words("dashboard-monitors").form_fields.rhythm.at[clock]({ time: String(rhythm_at) });
}

type Body = Record<string, unknown>;

/**
 * The body of the API, for what the form says of the rhythm. An interval or a cron schedule that somebody typed is meant,
 * regardless of the choice.
 */
export function readRhythm({ rhythm, rhythm_at, ...body }: Body, isNew: boolean): Body {
  const hasTyped = typeof body.interval === "number" || typeof body.schedule === "string";
  if (rhythm === undefined && rhythm_at === undefined) return body;
  if (hasTyped && (isNew || rhythm === undefined)) return body;
  if (rhythm === "interval") return { ...body, schedule: null };
  // An empty one would mean an interval, which was not chosen; this is refused in the words of the schedule.
  if (rhythm === "cron") return { ...body, schedule: body.schedule ?? NO_SCHEDULE };
  const clock = CLOCK.find((each) => each === rhythm);
  if (clock === undefined) return body;
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(String(rhythm_at ?? AT_DEFAULT)) ?? [];
  // What is no time of day is refused by the schedule's own words.
  return {
    ...body,
    schedule: hour === undefined ? String(rhythm_at) : `${Number(minute)} ${Number(hour)} ${CLOCK_RHYTHMS[clock]}`,
  };
}
