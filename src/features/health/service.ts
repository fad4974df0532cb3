import type { Scope } from "../../access/scope.ts";
import { QUEUES, type QueueName } from "../../contract/queues.ts";
import { readServiceHealth } from "../../data/queue-health/read.ts";
import { markerLateAfterMs } from "../../domain/free-plan.ts";
import { listLateQueues } from "../../domain/service-health.ts";
import { SECOND_MS } from "../../lib/durations.ts";
import type { Env } from "../../platform/env.ts";
import { pingCache } from "../../platform/page-store.ts";

type State = "ok" | "error";

export interface HealthReport {
  status: "ok" | "degraded";
  checks: { database: State; cache: State; queue: State };
  last_tick_age_s: number | null;
  queues: Record<QueueName, { last_marker_age_s: number | null }>;
}

const VALID_MS = SECOND_MS;
const examined = new WeakMap<Env, { at: number; report: Promise<HealthReport> }>();

/** At most once a second in each isolate, however many ask. */
export function examineHealth(ctx: Scope): Promise<HealthReport> {
  const known = examined.get(ctx.env);
  if (known && Math.abs(ctx.now - known.at) < VALID_MS) return known.report;
  const report = examine(ctx);
  examined.set(ctx.env, { at: ctx.now, report });
  return report;
}

async function examine(ctx: Scope): Promise<HealthReport> {
  const [known, cache] = await Promise.all([readKnown(ctx), pingCache(ctx.env)]);
  const lateAfter = ctx.settings.CHECKS_LATE_AFTER_MS;
  const last_tick_age_s = ageOf(ctx, known?.last_tick_at);
  // A clock that never ticked checks nothing, however new the service is.
  const isTickLate = last_tick_age_s === null || last_tick_age_s * SECOND_MS > lateAfter;
  const isAnyLate = known !== null && listLateQueues(known, markerLateAfterMs(ctx.settings.PLAN, lateAfter)).length > 0;
  const sentAt = new Map(known?.queues.map(({ queue, marker_sent_at }) => [queue, marker_sent_at]));
  const ages = QUEUES.map((queue) => [queue, { last_marker_age_s: ageOf(ctx, sentAt.get(queue)) }]);
  return {
    status: known && cache && !isAnyLate && !isTickLate ? "ok" : "degraded",
    checks: { database: known ? "ok" : "error", cache: cache ? "ok" : "error", queue: isAnyLate ? "error" : "ok" },
    last_tick_age_s,
    // Made from the whole list of queues.
    queues: Object.fromEntries(ages) as HealthReport["queues"],
  };
}

function ageOf({ now }: Scope, at: number | null | undefined): number | null {
  return at == null ? null : Math.max(0, Math.round((now - at) / SECOND_MS));
}

/** Null while the database does not answer. */
async function readKnown(ctx: Scope) {
  try {
    return await readServiceHealth(ctx.db);
  } catch (error) {
    ctx.log.error("health: database", error);
    return null;
  }
}
