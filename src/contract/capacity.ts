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

/** What the Workers Free plan gives by the day. */
export const FREE_RESOURCES = [
  "worker_requests",
  "queue_operations",
  "d1_rows_read",
  "d1_rows_written",
  "object_requests",
  "object_rows_written",
  "object_gb_seconds",
  "kv_reads",
  "kv_writes",
] as const;
export type FreeResource = (typeof FREE_RESOURCES)[number];

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
    free_plan: z
      .object({
        day_ends_at: Instant.meta({ description: "midnight UTC, when everything is given anew" }),
        check_every: z.int().meta({
          description:
            "every how many slots are checked: 1, or more once the budget is spent, so that the rest lasts the day",
        }),
        resources: z.array(
          z.object({
            name: z.enum(FREE_RESOURCES),
            used: z.number().meta({ description: "since midnight UTC" }),
            limit: z.number().meta({ description: "nine tenths of what the plan gives a day" }),
            left: z.number(),
            share: z.number().meta({ description: "used / limit; operators are warned from 0.8 on" }),
          }),
        ),
      })
      .nullable()
      .meta({
        description:
          "the budget of the day on Cloudflare's Workers Free plan, estimated from what isolates counted; null on Workers Paid",
      }),
    monitors: z.object({
      now: count("in the installation"),
      fit: count("that still fit, if they are like the present ones"),
    }),
  })
  .meta({ id: "Capacity" });
