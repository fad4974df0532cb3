import type { z } from "zod";
import { getOwner } from "../../access/owners.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError } from "../../contract/errors.ts";
import { TUNE_DAYS_MAX, TUNE_DAYS_MIN, type TuneInput, type TuneResult } from "../../contract/threshold-tuner.ts";
import { retryIntervalMs, staleAfterMs } from "../../domain/check-schedule.ts";
import { buildRounds, tuneThresholds } from "../../domain/threshold-tuner.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { toIso } from "../../platform/clock.ts";
import { listRegionChecks } from "./history.ts";

/** Replays the monitor's history under other thresholds; nothing is changed by it. */
export async function tuneMonitor(
  ctx: RequestScope,
  monitorId: string,
  input: TuneInput,
): Promise<z.infer<typeof TuneResult>> {
  const monitor = await requireMonitor(ctx, monitorId);
  const { plan } = await getOwner(ctx, monitor.owner_id);
  const days = Math.min(TUNE_DAYS_MAX, ctx.settings.RAW_RESULTS_DAYS[plan]);
  const checks = await listRegionChecks(ctx, monitor, { from: ctx.now - days * DAY_MS, to: ctx.now });
  const rounds = buildRounds(checks, monitor.region_policy);
  const interval_ms = monitor.interval * 1000;
  const tuning = tuneThresholds({
    rounds,
    thresholds: {
      failure_threshold: monitor.failure_threshold,
      recovery_threshold: monitor.recovery_threshold,
      latency_threshold_ms: monitor.latency_threshold_ms,
    },
    timing: {
      interval_ms,
      retry_interval_ms: retryIntervalMs(monitor.interval, monitor.retry_interval),
      stale_after_ms: staleAfterMs(monitor.interval),
    },
    limits: {
      max_false_alarms_per_month: input.max_false_alarms_per_month ?? null,
      max_delay_seconds: input.max_delay_seconds ?? null,
    },
    to: ctx.now,
  });
  if (!tuning.ok) {
    throw new ApiError(409, `the monitor has less than ${TUNE_DAYS_MIN} days of history`, { code: tuning.code });
  }
  const { current, proposed, reason } = tuning;
  return { from: toIso(rounds[0]?.at ?? ctx.now), to: toIso(ctx.now), current, proposed, reason };
}
