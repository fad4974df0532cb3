import { z } from "zod";
import { Instant } from "./common.ts";

/** What operators are alarmed about, with what it means. docs/operate.md has a section of each. */
export const ALARMS = {
  queue_delayed: "The messages of a queue stopped arriving",
  dead_letters: "Messages failed every attempt",
  database_size: "The database is nearly full",
  error_rate: "Requests fail with internal errors",
  sweep_failed: "Parts of the minute's work fail",
  canaries_failed: "The checker has no network connection",
  free_budget: "The day's budget of the Workers Free plan is nearly spent",
  checks_thinned: "Checks are thinned out until midnight UTC, because the day's budget is spent",
} as const;
export type AlarmName = keyof typeof ALARMS;
/** The keys of the literal above. */
export const ALARM_NAMES = Object.keys(ALARMS) as [AlarmName, ...AlarmName[]];

export const Alarm = z.object({
  name: z.enum(ALARM_NAMES),
  message: z.string(),
  raised_at: Instant,
});
