import { sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { plannedMinutes } from "../monitors/table.ts";
import { queueHealth } from "./table.ts";

export type QueueHealthRecord = typeof queueHealth.$inferSelect;

/** In one round trip: what the consumers recorded, the first and the last tick of a day, and the bytes of the database. */
export async function readServiceHealth(db: Db) {
  const [queues, ticks, measured] = await db.batch([
    db.select().from(queueHealth),
    db
      .select({
        first_tick_at: sql<number | null>`(SELECT min(minute_at) FROM ${plannedMinutes})`,
        last_tick_at: sql<number | null>`(SELECT max(minute_at) FROM ${plannedMinutes})`,
      })
      .from(sql`(SELECT 1)`),
    // D1 refuses the pragmas that count pages; every result of `run` names the size.
    db.run(sql`SELECT 1`),
  ]);
  const { first_tick_at = null, last_tick_at = null } = ticks[0] ?? {};
  return { queues, first_tick_at, last_tick_at, database_bytes: measured.meta.size_after };
}
