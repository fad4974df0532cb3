import { and, asc, eq, gt, gte, sql } from "drizzle-orm";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import type { Plan } from "../../contract/plan.ts";
import { type AggregatedMonth, type DailyAggregates, unpackDays } from "../../domain/daily-aggregates.ts";
import type { Db } from "../db.ts";
import { monitors, statusIntervals } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import { dailyAggregates } from "./table.ts";

export type DailyAggregateRecord = typeof dailyAggregates.$inferSelect;

/** Of one monitor, in the days of that zone, from that month on. */
export async function listDailyAggregates(
  db: Db,
  scope: { monitor_id: string; timezone: string; from_month: string },
): Promise<DailyAggregates> {
  const rows = await db
    .select({ month: dailyAggregates.month, days: dailyAggregates.days })
    .from(dailyAggregates)
    .where(
      and(
        eq(dailyAggregates.monitor_id, scope.monitor_id),
        eq(dailyAggregates.timezone, scope.timezone),
        gte(dailyAggregates.month, scope.from_month),
      ),
    )
    .orderBy(asc(dailyAggregates.month));
  return new Map(rows.map(({ month, days }) => [month, unpackDays(days)]));
}

export interface MonitorToAggregate {
  id: string;
  created_at: number;
  history_version: number;
  /** null: on no page. */
  timezone: string | null;
  /** null: the operator's default. */
  plan: Plan | null;
  aggregated: AggregatedMonth[];
}

/** Monitors in the order of their ids, each with the daily aggregates that it has from that month on. */
export async function listMonitorsToAggregate(
  db: Db,
  { after, from_month, limit }: { after: string; from_month: string; limit: number },
): Promise<MonitorToAggregate[]> {
  const aggregated = sql<string>`(SELECT json_group_array(json_object('month', r.month, 'timezone', r.timezone, 'to_at', r.to_at))
    FROM ${dailyAggregates} r WHERE r.monitor_id = ${monitors.id} AND r.month >= ${from_month})`;
  const rows = await db
    .select({
      id: monitors.id,
      created_at: monitors.created_at,
      history_version: monitors.history_version,
      timezone: statusPages.timezone,
      plan: users.plan,
      aggregated,
    })
    .from(monitors)
    .innerJoin(users, eq(users.id, monitors.owner_id))
    .leftJoin(statusPages, eq(statusPages.id, monitors.status_page_id))
    .where(gt(monitors.id, after))
    .orderBy(asc(monitors.id))
    .limit(limit);
  return rows.map((row) => ({ ...row, aggregated: JSON.parse(row.aggregated) }));
}

/** A stretch of days of one monitor that lie in one month. */
export interface WantedDays {
  monitor_id: string;
  month: string;
  from_at: number;
  to_at: number;
}

/**
 * The intervals of each of these stretches, from the one that holds its beginning on, and the days that its month has
 * already, as of one moment. One after the other until the limit is reached, so that the last one may be cut off.
 */
export async function readWantedDays(db: Db, wanted: readonly WantedDays[], limit: number) {
  const asked = sql`json_each(${JSON.stringify(wanted)})`;
  const monitorId = sql`(w.value ->> 'monitor_id')`;
  const from = sql`(w.value ->> 'from_at')`;
  const earlier = sql`(SELECT max(e.from_at) FROM ${statusIntervals} e WHERE e.monitor_id = ${monitorId} AND e.from_at <= ${from})`;
  const [intervals, months] = await db.batch([
    db
      .select({
        wanted: sql<number>`w.key`.as("wanted"),
        seq: sql<number>`i.seq`.as("seq"),
        status: sql<MonitorStatus>`i.status`.as("status"),
        from_at: sql<number>`i.from_at`.as("from_at"),
        to_at: sql<number | null>`i.to_at`.as("to_at"),
      })
      // Spelled out in the order in which it has to be read: sorting would read everything before the limit counts.
      .from(sql`${asked} AS w CROSS JOIN ${statusIntervals} AS i INDEXED BY status_intervals_time`)
      .where(
        sql`i.monitor_id = ${monitorId} AND i.from_at >= coalesce(${earlier}, ${from}) AND i.from_at < (w.value ->> 'to_at')`,
      )
      .limit(limit),
    db
      .select({
        monitor_id: dailyAggregates.monitor_id,
        month: dailyAggregates.month,
        timezone: dailyAggregates.timezone,
        days: dailyAggregates.days,
      })
      .from(sql`${asked} AS w`)
      .innerJoin(
        dailyAggregates,
        sql`${dailyAggregates.monitor_id} = ${monitorId} AND ${dailyAggregates.month} = (w.value ->> 'month')`,
      ),
  ]);
  return { intervals, months };
}
