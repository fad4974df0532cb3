import type { RequestScope } from "../../access/scope.ts";
import { findLastPlannedMinute } from "../../data/check-groups/read.ts";
import { probeCache } from "../../platform/page-store.ts";

export interface HealthReport {
  database: "ok" | "error";
  cache: "ok" | "error";
  last_tick_age_s: number | null;
  status: "ok" | "degraded";
}

export async function examineHealth(ctx: RequestScope): Promise<HealthReport> {
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
