import { Cron } from "croner";
import { z } from "zod";
import { DEADLINE_FIELDS } from "../contract/push.ts";
import { Timezone } from "../contract/status-page.ts";
import type { MonitorTypeEntry } from "./port.ts";

const GRACE_MIN_S = 5;
const DAY_S = 86_400;
const TEXT_MAX = 100;

/** A heartbeat is due every `expected_interval`, or by `schedule`. */
const options = z
  .object({
    interval: z.int(),
    expected_interval: z
      .int()
      .min(10)
      .max(DAY_S)
      .nullish()
      .meta({ description: "heartbeat: seconds between heartbeats; default: `interval`" }),
    schedule: z.string().trim().max(TEXT_MAX).nullish().meta({
      description: "heartbeat: cron expression of five fields, or @hourly, @daily, @weekly, @monthly, @yearly",
    }),
    timezone: z.string().trim().max(TEXT_MAX).nullish().meta({ description: "IANA name, of `schedule`; default UTC" }),
    grace_seconds: z.int().min(0).max(DAY_S).nullish().meta({ description: "heartbeat: how late one may be" }),
    ...DEADLINE_FIELDS,
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
      degraded_timeout_seconds: fields.degraded_timeout_seconds,
    };
  });

type HeartbeatOptions = z.infer<typeof options>;

export const heartbeatType: MonitorTypeEntry<HeartbeatOptions> = {
  label: "Heartbeat",
  source: "push",
  plan: "free",
  options,
  push: {
    kind: "heartbeat",
    credential: "heartbeat_token",
    urls: (publicUrl, monitorId, token) => ({
      heartbeat: `${publicUrl}/heartbeat/${monitorId}?token=${token}`,
      healthchecks: `${publicUrl}/ping/${token}`,
      uptime_kuma: `${publicUrl}/api/push/${token}?status=up&msg=OK&ping=`,
    }),
    rules: (fields, { interval, latency_threshold_ms }) => ({
      kind: "heartbeat",
      every:
        fields.schedule === null
          ? (fields.expected_interval ?? interval) * 1000
          : { schedule: fields.schedule, timezone: fields.timezone ?? "UTC" },
      grace_ms: fields.grace_seconds === null ? null : fields.grace_seconds * 1000,
      degraded_after_ms: fields.degraded_timeout_seconds === null ? null : fields.degraded_timeout_seconds * 1000,
      latency_threshold_ms,
    }),
  },
};

/** A tenth of the interval; a schedule's times may lie apart unevenly, so that its grace is computed per heartbeat. */
function defaultGrace(expectedInterval: number | null): number | null {
  return expectedInterval === null ? null : Math.max(GRACE_MIN_S, Math.round(expectedInterval / 10));
}

function problemsOf(schedule: string | null, timezone: string): { path: string[]; message: string }[] {
  const { error } = Timezone.safeParse(timezone);
  if (error) return [{ path: ["timezone"], message: `timezone ${error.issues[0]?.message}` }];
  const problem = schedule === null ? null : problemOf(schedule, timezone);
  return problem === null ? [] : [{ path: ["schedule"], message: `schedule ${problem}` }];
}

const NICKNAMES = ["@hourly", "@daily", "@weekly", "@monthly", "@yearly"];
const SYNTAX = `must be a cron expression of five fields, such as 0 3 * * *, or one of ${NICKNAMES.join(", ")}`;

function problemOf(schedule: string, timezone: string): string | null {
  if (schedule.split(/\s+/).length !== 5 && !NICKNAMES.includes(schedule.toLowerCase())) return SYNTAX;
  try {
    const next = new Cron(schedule, { mode: "5-part", timezone }).nextRun("2026-01-01T00:00:00Z");
    return next === null ? "must name a date that exists, not one such as 31 February" : null;
  } catch {
    return SYNTAX;
  }
}
