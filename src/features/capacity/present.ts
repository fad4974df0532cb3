import type { z } from "zod";
import type { Capacity, FreeResource } from "../../contract/capacity.ts";
import type { FreeUnit } from "../../domain/free-plan.ts";
import { toIso } from "../../platform/clock.ts";
import type { CapacityFound } from "./service.ts";

const RESOURCES: Record<FreeUnit, FreeResource> = {
  workerRequests: "worker_requests",
  queueOperations: "queue_operations",
  d1RowsRead: "d1_rows_read",
  d1RowsWritten: "d1_rows_written",
  objectRequests: "object_requests",
  objectRowsWritten: "object_rows_written",
  objectDuration: "object_gb_seconds",
  kvReads: "kv_reads",
  kvWrites: "kv_writes",
};

export function presentCapacity(found: CapacityFound): z.infer<typeof Capacity> {
  const { units, cost, limits } = found;
  return {
    counted_from: toIso(found.counted_from),
    units: {
      d1_rows_read: units.d1_rows_read,
      d1_rows_written: units.d1_rows_written,
      d1_calls: units.d1_calls,
      d1_bytes: found.d1_bytes,
      object_requests: units.object_requests,
      messages: units.messages,
      requests: units.requests,
      deliveries: units.deliveries,
    },
    cost: { month_usd: cost.month_usd, per_million_checks_usd: cost.per_million_checks_usd },
    limits: limits.map(({ name, used, limit, share }) => ({ name, used, limit, share })),
    free_plan: found.free_plan && {
      day_ends_at: toIso(found.free_plan.day_ends_at),
      check_every: found.free_plan.check_every,
      resources: found.free_plan.budget.map(({ unit, used, limit, share }) => {
        return { name: RESOURCES[unit], used, limit, left: Math.max(0, limit - used), share };
      }),
    },
    monitors: { now: found.monitors, fit: found.fit },
  };
}
