import { z } from "zod";
import { Instant } from "./common.ts";

/** What isolates of the Worker and objects count while they work. */
export const COUNTED_UNITS = [
  "d1_rows_read",
  "d1_rows_written",
  "d1_calls",
  "object_requests",
  "messages",
  "requests",
  "deliveries",
  "kv_reads",
  "kv_writes",
  "checks",
  "responses",
  "server_errors",
  "failed_parts",
  "unreachable_checks",
] as const;
export type CountedUnit = (typeof COUNTED_UNITS)[number];
export type CountedUnits = Record<CountedUnit, number>;

export const CAPACITY_LIMITS = ["d1_bytes", "checks_per_second", "messages_per_second"] as const;
export type CapacityLimitName = (typeof CAPACITY_LIMITS)[number];

const count = (description: string) => z.number().int().meta({ description });

export const Capacity = z
  .object({
    counted_from: Instant.meta({ description: "units are those since then, at most of 24 hours" }),
    units: z.object({
      d1_rows_read: count("of single queries only the rows that they returned"),
      d1_rows_written: count("indexes included"),
      d1_calls: count("round trips to the database; a batch is one"),
      d1_bytes: count("the present size of the database"),
      object_requests: count("calls of objects, and their alarms"),
      messages: count("queue messages sent"),
      requests: count("invocations of the Worker: requests, cron ticks, batches of messages"),
      deliveries: count("attempts to send something to a webhook, contact or subscriber, mail not included"),
    }),
    cost: z
      .object({
        month_usd: z.number().meta({ description: "of a month like the counted time, base price included" }),
        per_million_checks_usd: z.number().meta({
          description: "of all units by list price; expected from the design before the first check is counted",
        }),
      })
      .meta({ description: "estimated by the list prices of the Workers Paid plan, without mail and domains" }),
    limits: z.array(
      z.object({
        name: z.enum(CAPACITY_LIMITS),
        used: z.number(),
        limit: z.number(),
        share: z.number().meta({ description: "used / limit" }),
      }),
    ),
    monitors: z.object({
      now: count("in the installation"),
      fit: count("that still fit, if they are like the present ones"),
    }),
  })
  .meta({ id: "Capacity" });
