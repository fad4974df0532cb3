import { sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { events } from "../events/table.ts";
import { incidents } from "../incidents/table.ts";
import { monitors } from "../monitors/table.ts";
import { isAmong } from "../outbox/rows.ts";
import { deliveries } from "../webhooks/table.ts";

/** Those of these events whose monitor is up again, or whose incident is resolved. */
export async function listOver(db: Db, { event_ids }: { event_ids: readonly string[] }): Promise<string[]> {
  const rows = await db
    .select({ id: events.id })
    .from(events)
    .where(
      sql`${isAmong(events.id, event_ids)} AND CASE ${events.name}
        WHEN 'monitor.down' THEN EXISTS (SELECT 1 FROM ${monitors}
          WHERE ${monitors.id} = ${events.monitor_id} AND ${monitors.status} IN ('up', 'degraded'))
        ELSE EXISTS (SELECT 1 FROM ${incidents}
          WHERE ${incidents.id} = ${events.data} ->> 'incident_id' AND ${incidents.status} = 'resolved') END`,
    )
    .limit(event_ids.length);
  return rows.map(({ id }) => id);
}

/** Skips those of these deliveries of which no attempt was made, and gives those that were never received. */
export async function skipUnattempted(
  db: Db,
  { ids, now }: { ids: readonly string[]; now: number },
): Promise<string[]> {
  const isUnattempted = sql`${deliveries.state} = 'pending' AND ${deliveries.attempt} = 0`;
  const [, rows] = await db.batch([
    db
      .update(deliveries)
      .set({ state: "skipped", throttled_owner_id: null, next_attempt_at: null, updated_at: now })
      .where(sql`${isAmong(deliveries.id, ids)} AND ${isUnattempted}`),
    db
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(sql`${isAmong(deliveries.id, ids)} AND ${deliveries.state} IN ('skipped', 'failed', 'expired')`)
      .limit(ids.length),
  ]);
  return rows.map(({ id }) => id);
}
