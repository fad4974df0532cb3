import { and, eq, getTableColumns, gt, sql } from "drizzle-orm";
import { AGGREGATE_AFTER_MS } from "../../domain/daily-aggregates.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import type { DailyAggregateRecord } from "./read.ts";
import { dailyAggregates } from "./table.ts";

/** Clocks differ; what is this close to be aggregated may be so already. */
const MARGIN_MS = HOUR_MS;

/**
 * Part of every batch that changes intervals from `touched_from` on. Nothing to do as long as they are too young to be
 * aggregated.
 */
export function invalidateDailyAggregates(
  db: Db,
  { monitor_id, touched_from, now }: { monitor_id: string; touched_from: number; now: number },
): Statement[] {
  if (touched_from > now - AGGREGATE_AFTER_MS + MARGIN_MS) return [];
  return [
    db
      .delete(dailyAggregates)
      .where(and(eq(dailyAggregates.monitor_id, monitor_id), gt(dailyAggregates.to_at, touched_from))),
    db
      .update(monitors)
      .set({ history_version: sql`${monitors.history_version} + 1` })
      .where(eq(monitors.id, monitor_id)),
  ];
}

/** One statement for any number. A monitor that was deleted, or whose intervals have changed since, drops out. */
export function upsertDailyAggregates(
  db: Db,
  aggregates: readonly (DailyAggregateRecord & { history_version: number })[],
): Statement {
  const members = Object.values(getTableColumns(dailyAggregates)).map((column) => sql`r.value ->> ${column.name}`);
  return db
    .insert(dailyAggregates)
    .select(
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(aggregates)}) AS r
        JOIN ${monitors} ON ${monitors.id} = r.value ->> 'monitor_id'
          AND ${monitors.history_version} = r.value ->> 'history_version' WHERE true`,
    )
    .onConflictDoUpdate({
      target: [dailyAggregates.monitor_id, dailyAggregates.month],
      set: {
        timezone: sql`excluded.timezone`,
        to_at: sql`excluded.to_at`,
        status: sql`excluded.status`,
        days: sql`excluded.days`,
      },
    });
}
