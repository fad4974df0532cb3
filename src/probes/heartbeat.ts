import { Cron } from "croner";
import { z } from "zod";
import { OPTION_FIELDS } from "../contract/monitor.ts";
import { Timezone } from "../contract/status-page.ts";

const GRACE_MIN_S = 5;

/** Its beats come from outside, so there is nothing to probe; a beat is due every `expected_interval` or by `schedule`. */
export const heartbeatOptions = z
  .object({
    interval: z.int(),
    expected_interval: OPTION_FIELDS.expected_interval,
    schedule: OPTION_FIELDS.schedule,
    timezone: OPTION_FIELDS.timezone,
    grace_seconds: OPTION_FIELDS.grace_seconds,
    degraded_timeout_seconds: OPTION_FIELDS.degraded_timeout_seconds,
  })
  .transform((fields, ctx) => {
    const schedule = fields.schedule || null;
    const timezone = fields.timezone || "UTC";
    for (const issue of problemsOf(schedule, timezone)) ctx.addIssue({ code: "custom", ...issue });
    const expected_interval = schedule === null ? (fields.expected_interval ?? fields.interval) : null;
    return {
      expected_interval,
      schedule,
      timezone: schedule === null ? null : timezone,
      grace_seconds: fields.grace_seconds ?? defaultGrace(expected_interval),
      degraded_timeout_seconds: fields.degraded_timeout_seconds ?? null,
    };
  });

/** A tenth of the interval; a schedule's times may lie apart unevenly, so that its grace is decided beat by beat. */
function defaultGrace(expectedInterval: number | null): number | null {
  return expectedInterval === null ? null : Math.max(GRACE_MIN_S, Math.round(expectedInterval / 10));
}

function problemsOf(schedule: string | null, timezone: string): { path: string[]; message: string }[] {
  const { error } = Timezone.safeParse(timezone);
  if (error) return [{ path: ["timezone"], message: `timezone ${error.issues[0]?.message}` }];
  if (schedule === null || hasNextRun(schedule, timezone)) return [];
  return [{ path: ["schedule"], message: "schedule must be a cron expression of five fields that comes true" }];
}

/** Nicknames such as @daily are refused, because they have no five fields. */
function hasNextRun(schedule: string, timezone: string): boolean {
  if (schedule.split(/\s+/).length !== 5) return false;
  try {
    return new Cron(schedule, { mode: "5-part", timezone }).nextRun("2026-01-01T00:00:00Z") !== null;
  } catch {
    return false;
  }
}
