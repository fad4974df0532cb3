import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { type StoredEvent, toEvent } from "../events/read.ts";
import { events } from "../events/table.ts";
import { heldOutages } from "../incidents/table.ts";
import { monitors } from "../monitors/table.ts";
import { writtenOrder } from "../written-order.ts";

/** Alerts wait for others of the same page; those of monitors without a page for each other. */
export interface AlertScope {
  owner_id: string;
  status_page_id: string | null;
}

/** Spelled out, not bound: SQLite uses a partial index only for the very same condition. */
const IS_HELD = sql`${events.held_until} IS NOT NULL`;
const isOf = (
  table: { owner_id: typeof events.owner_id; status_page_id: typeof events.status_page_id },
  { owner_id, status_page_id }: AlertScope,
) =>
  and(
    eq(table.owner_id, owner_id),
    status_page_id === null ? isNull(table.status_page_id) : eq(table.status_page_id, status_page_id),
  );

/** Oldest first; those of one instant as they were stored, so that an outage is read before what it led to. */
export async function listHeldEvents(
  db: Db,
  scope: AlertScope,
  limit: number,
): Promise<{ event: StoredEvent; held_until: number; ended_ids: readonly string[] | null }[]> {
  const rows = await db
    .select()
    .from(events)
    .where(and(IS_HELD, isOf(events, scope)))
    .orderBy(asc(events.created_at), writtenOrder(events))
    .limit(limit);
  return rows.map((row) => ({ event: toEvent(row), held_until: row.held_until ?? 0, ended_ids: row.ended_ids }));
}

/** Monitors of the scope that are down, of those whose outage was announced to everybody; as many names as wanted. */
export async function listStillDown(
  db: Db,
  scope: AlertScope,
  limit: number,
): Promise<{ names: string[]; total: number }> {
  const rows = await db
    .select({ name: monitors.name, total: sql<number>`count(*) OVER ()`.as("total") })
    .from(monitors)
    .where(
      and(
        ofScope(scope),
        eq(monitors.status, "down"),
        isNull(monitors.parent_monitor_id),
        sql`NOT EXISTS (SELECT 1 FROM ${heldOutages} WHERE ${heldOutages.monitor_id} = ${monitors.id})`,
      ),
    )
    .orderBy(asc(monitors.name), asc(monitors.id))
    .limit(limit);
  return { names: rows.map(({ name }) => name), total: rows[0]?.total ?? 0 };
}

/** Scopes whose alerts should have been released by then; for the sweep. */
export async function listOverdueScopes(db: Db, instant: number, limit: number): Promise<AlertScope[]> {
  return db
    .selectDistinct({ owner_id: events.owner_id, status_page_id: events.status_page_id })
    .from(events)
    .where(and(IS_HELD, sql`${events.held_until} <= ${instant}`))
    .limit(limit);
}

/** Whether the scope has at least so many monitors, and whether some alert of it is held beyond an instant. */
export async function readHolds(
  db: Db,
  scope: AlertScope,
  { monitors: count, beyond }: { monitors: number; beyond: number },
): Promise<{ has_monitors: boolean; is_awaited: boolean }> {
  const [row] = await db.all<{ monitors: number; held: number }>(sql`SELECT
    (SELECT count(*) FROM (SELECT 1 FROM ${monitors} WHERE ${ofScope(scope)} LIMIT ${count})) AS monitors,
    EXISTS (SELECT 1 FROM ${events}
      WHERE ${IS_HELD} AND ${isOf(events, scope)} AND ${events.held_until} > ${beyond}) AS held`);
  return { has_monitors: (row?.monitors ?? 0) >= count, is_awaited: row?.held === 1 };
}

/** By the index of the page where there is one. */
function ofScope({ owner_id, status_page_id }: AlertScope): SQL {
  return status_page_id === null
    ? sql`${monitors.owner_id} = ${owner_id} AND ${monitors.status_page_id} IS NULL`
    : sql`${monitors.status_page_id} = ${status_page_id}`;
}

/** How many monitors the scope has, and how many of them failed since then and were announced. */
export async function countBurst(db: Db, scope: AlertScope, since: number) {
  const recent = sql`SELECT count(DISTINCT ${events.monitor_id}) FROM ${events}
    WHERE ${isOf(events, scope)} AND ${events.created_at} > ${since}
      AND ${events.name} = 'monitor.down' AND ${events.held_until} IS NULL`;
  const [row] = await db.all<{ monitors: number; announced: number }>(
    sql`SELECT (SELECT count(*) FROM ${monitors} WHERE ${ofScope(scope)}) AS monitors, (${recent}) AS announced`,
  );
  return row ?? { monitors: 0, announced: 0 };
}

/** True where one of these is no longer held; for the guard of the batch that releases them. */
export function isReleased(ids: readonly string[]): SQL {
  return sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(ids)}) AS wanted
    WHERE NOT EXISTS (SELECT 1 FROM ${events} WHERE ${events.id} = wanted.value AND ${IS_HELD}))`;
}
