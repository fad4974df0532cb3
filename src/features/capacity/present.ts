import type { z } from "zod";
import type { Capacity } from "../../contract/capacity.ts";
import { toIso } from "../../platform/clock.ts";
import type { CapacityFound } from "./service.ts";

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
    monitors: { now: found.monitors, fit: found.fit },
  };
}
