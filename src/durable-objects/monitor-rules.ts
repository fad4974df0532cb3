import type { MonitorRecord } from "../data/monitors/read.ts";
import { retryIntervalMs, staleAfterMs } from "../domain/check-schedule.ts";
import type { MonitorRules } from "../domain/monitor-state.ts";
import type { PushRules } from "../domain/push-deadline.ts";
import { apiOptions } from "../probes/api.ts";
import { gameServerOptions } from "../probes/game-server.ts";
import { heartbeatOptions } from "../probes/heartbeat.ts";

/** What a monitor's configuration means to its object. */

export function rulesOf(record: MonitorRecord, push: PushRules | null): MonitorRules {
  const shared = {
    failure_threshold: record.failure_threshold,
    recovery_threshold: record.recovery_threshold,
    region_policy: record.region_policy,
  };
  if (push) {
    const stale_after_ms = push.kind === "heartbeat" ? staleAfterMs(record.interval) : push.stale_ms;
    return { ...shared, regions: [], schedule: null, stale_after_ms };
  }
  return {
    ...shared,
    // An agent is one place, wherever else the monitor was checked before.
    regions: record.agent_id === null ? record.regions : [],
    schedule: {
      interval_ms: record.interval * 1000,
      retry_interval_ms: retryIntervalMs(record.interval, record.retry_interval),
    },
    stale_after_ms: staleAfterMs(record.interval),
  };
}

/** What is waited for, for monitors that others report to; null for all others. */
export function pushRulesOf(record: MonitorRecord): PushRules | null {
  const { interval, latency_threshold_ms } = record;
  switch (record.type) {
    case "heartbeat":
      return heartbeatRules(record);
    case "api": {
      const { thresholds, degraded_timeout_seconds } = apiOptions.parse(record.options);
      return { kind: "api", latency_threshold_ms, thresholds, stale_ms: staleMs(degraded_timeout_seconds, interval) };
    }
    case "game_server": {
      const { query_method, thresholds, degraded_timeout_seconds } = gameServerOptions.parse(record.options);
      if (query_method !== "push") return null;
      const stale_ms = staleMs(degraded_timeout_seconds, interval);
      return { kind: "game_server", latency_threshold_ms, thresholds, stale_ms };
    }
    default:
      return null;
  }
}

/** Choice: who names no time is told as late as a check's result would count as old, not never. */
function staleMs(seconds: number | null, interval: number): number {
  return seconds === null ? staleAfterMs(interval) : seconds * 1000;
}

function heartbeatRules({ options, interval, latency_threshold_ms }: MonitorRecord): PushRules {
  const fields = heartbeatOptions.parse({ ...options, interval });
  const cron = fields.schedule === null ? null : { schedule: fields.schedule, timezone: fields.timezone ?? "UTC" };
  return {
    kind: "heartbeat",
    every: cron ?? (fields.expected_interval ?? interval) * 1000,
    grace_ms: fields.grace_seconds === null ? null : fields.grace_seconds * 1000,
    degraded_after_ms: fields.degraded_timeout_seconds === null ? null : fields.degraded_timeout_seconds * 1000,
    latency_threshold_ms,
  };
}
