import { and, eq, getTableColumns, gt, sql } from "drizzle-orm";
import { ROLLED_AFTER_MS } from "../../domain/daily-aggregates.ts";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import type { RollupRecord } from "./read.ts";
import { dailyRollups } from "./table.ts";

/** Clocks differ; what is this close to be rolled up may be so already. */
const MARGIN_MS = 60 * 60 * 1000;

/**
 * Part of every batch that changes intervals from `touched_from` on. Nothing to do as long as they are too young to be
 * rolled up.
 */
export function dropRollups(
  db: Db,
  { monitor_id, touched_from, now }: { monitor_id: string; touched_from: number; now: number },
): Statement[] {
  if (touched_from > now - ROLLED_AFTER_MS + MARGIN_MS) return [];
  return [
    db.delete(dailyRollups).where(and(eq(dailyRollups.monitor_id, monitor_id), gt(dailyRollups.to_at, touched_from))),
    db
      .update(monitors)
      .set({ history_version: sql`${monitors.history_version} + 1` })
      .where(eq(monitors.id, monitor_id)),
  ];
}

/** One statement for any number. A monitor that was deleted, or whose intervals have changed since, drops out. */
export function storeRollups(db: Db, rollups: readonly (RollupRecord & { history_version: number })[]): Statement {
  const members = Object.values(getTableColumns(dailyRollups)).map((column) => sql`r.value ->> ${column.name}`);
  return db
    .insert(dailyRollups)
    .select(
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(rollups)}) AS r
        JOIN ${monitors} ON ${monitors.id} = r.value ->> 'monitor_id'
          AND ${monitors.history_version} = r.value ->> 'history_version' WHERE true`,
    )
    .onConflictDoUpdate({
      target: [dailyRollups.monitor_id, dailyRollups.month],
      set: {
        timezone: sql`excluded.timezone`,
        to_at: sql`excluded.to_at`,
        status: sql`excluded.status`,
        days: sql`excluded.days`,
      },
    });
}
