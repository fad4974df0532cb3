import { and, desc, eq, isNotNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { events } from "../events/table.ts";
import { transitions } from "../monitors/table.ts";
import { flappingMonitors } from "./table.ts";

export type FlappingRecord = typeof flappingMonitors.$inferSelect;

export async function findFlapping(db: Db, monitorId: string): Promise<FlappingRecord | undefined> {
  const rows = await db.select().from(flappingMonitors).where(eq(flappingMonitors.monitor_id, monitorId)).limit(1);
  return rows[0];
}

/** The newest changes with an event before this one, newest first, and what is stored about the monitor. */
export async function findRecentChanges(
  db: Db,
  monitorId: string,
  { before, limit }: { before: number; limit: number },
) {
  const [changes, [flapping]] = await db.batch([
    db
      .select({ seq: transitions.seq, at: transitions.decided_at })
      .from(transitions)
      .where(and(eq(transitions.monitor_id, monitorId), lt(transitions.seq, before), isNotNull(transitions.event)))
      .orderBy(desc(transitions.seq))
      .limit(limit),
    db.select().from(flappingMonitors).where(eq(flappingMonitors.monitor_id, monitorId)).limit(1),
  ]);
  return { changes, flapping };
}

/** Those of these events that were published: nothing withheld them, or it is over. */
export async function listPublishedAmong(db: Db, eventIds: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .select({ id: events.id })
    .from(events)
    .where(
      sql`${events.id} IN (SELECT value FROM json_each(${JSON.stringify(eventIds)}))
        AND (coalesce(${events.data} ->> 'suppressed_by', ${events.data} ->> 'muted_until',
          ${events.data} ->> 'suppressed_until', ${events.data} ->> 'waits_for') IS NULL OR ${events.data} ->> 'released_at' IS NOT NULL)`,
    )
    .limit(eventIds.length);
  return new Set(rows.map(({ id }) => id));
}

/** The condition that another writer stored something about the monitor since this was read. */
export function isFlappingChanged(monitorId: string, known: FlappingRecord | undefined): SQL {
  const row = sql`SELECT 1 FROM ${flappingMonitors} WHERE ${flappingMonitors.monitor_id} = ${monitorId}`;
  return known ? sql`NOT EXISTS (${row} AND ${flappingMonitors.revision} = ${known.revision})` : sql`EXISTS (${row})`;
}

export async function listDueFlapping(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: flappingMonitors.monitor_id })
    .from(flappingMonitors)
    .where(lte(flappingMonitors.wake_at, now))
    .orderBy(flappingMonitors.wake_at)
    .limit(limit);
  return rows.map(({ id }) => id);
}
