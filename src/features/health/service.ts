import type { RequestScope } from "../../access/scope.ts";
import { findLastPlannedMinute } from "../../data/check-groups/read.ts";
import type { Env } from "../../platform/env.ts";
import { probeCache } from "../../platform/page-store.ts";

export interface HealthReport {
  database: "ok" | "error";
  cache: "ok" | "error";
  last_tick_age_s: number | null;
  status: "ok" | "degraded";
}

const VALID_MS = 1000;
const examined = new WeakMap<Env, { at: number; report: Promise<HealthReport> }>();

/** At most once a second in each isolate, however many ask. */
export function examineHealth(ctx: RequestScope): Promise<HealthReport> {
  const known = examined.get(ctx.env);
  if (known && ctx.now - known.at < VALID_MS) return known.report;
  const report = examine(ctx);
  examined.set(ctx.env, { at: ctx.now, report });
  return report;
}

async function examine(ctx: RequestScope): Promise<HealthReport> {
  const [tick, cache] = await Promise.all([readTick(ctx), probeCache(ctx.env)]);
  const age = typeof tick === "number" ? Math.max(0, Math.round((ctx.now - tick) / 1000)) : null;
  const isWell = tick !== "error" && cache && (age === null || age * 1000 <= ctx.settings.CHECKS_LATE_AFTER_MS);
  return {
    database: tick === "error" ? "error" : "ok",
    cache: cache ? "ok" : "error",
    last_tick_age_s: age,
    status: isWell ? "ok" : "degraded",
  };
}

async function readTick(ctx: RequestScope): Promise<number | null | "error"> {
  try {
    return await findLastPlannedMinute(ctx.db);
  } catch (error) {
    ctx.log.error("health: database", error);
    return "error";
  }
}
