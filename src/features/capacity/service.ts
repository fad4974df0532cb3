import { requireOperator } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { readServiceHealth } from "../../data/queue-health/read.ts";
import { countAllMonitors } from "../../data/usage/read.ts";
import { computeCapacity } from "../../domain/capacity.ts";
import { decideThinning, startOfDay } from "../../domain/free-budget.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { readFreeBudget } from "../../platform/free-budget.ts";
import { readUsage, reportUsage } from "../../platform/usage.ts";

export type CapacityFound = Awaited<ReturnType<typeof getCapacity>>;

/** What the installation used within a day, and what it has room for; for operators. */
export async function getCapacity(ctx: RequestScope) {
  requireOperator(ctx);
  const { db, env, now, settings } = ctx;
  // What this isolate has counted so far, so that the first answer of a new installation is not empty.
  await reportUsage(env);
  const [usage, monitors, { database_bytes: d1_bytes }, budget] = await Promise.all([
    readUsage(env, now - DAY_MS),
    countAllMonitors(db),
    readServiceHealth(db),
    readFreeBudget(ctx),
  ]);
  const counted = {
    units: usage.units,
    counted_from: usage.counted_from ?? now,
    d1_bytes,
    monitors,
    plan: settings.PLAN,
  };
  const free_plan = budget && {
    day_ends_at: startOfDay(now) + DAY_MS,
    check_every: decideThinning(budget, now),
    budget,
  };
  return { ...counted, ...computeCapacity(counted, now), free_plan };
}
