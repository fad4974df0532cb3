import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { heldOutages } from "../incidents/table.ts";
import { maintenance, maintenanceGroups, maintenanceMonitors, maintenanceOccurrences } from "../maintenance/table.ts";
import { monitors, transitions } from "../monitors/table.ts";

export type SuppressedOutage = typeof heldOutages.$inferSelect;

/**
 * Whether a public window of the monitor's page that targets the monitor or its group is open at that moment: by the
 * occurrence that the window follows, or by one that was recorded. `monitor` is the monitor's row in the same statement.
 */
const covers = (at: number): SQL => sql`
  ${maintenance.status_page_id} = ${monitors.status_page_id} AND ${maintenance.is_public}
  AND (EXISTS (SELECT 1 FROM ${maintenanceMonitors} WHERE ${maintenanceMonitors.maintenance_id} = ${maintenance.id}
      AND ${maintenanceMonitors.monitor_id} = ${monitors.id})
    OR EXISTS (SELECT 1 FROM ${maintenanceGroups} WHERE ${maintenanceGroups.maintenance_id} = ${maintenance.id}
      AND ${maintenanceGroups.group_id} = ${monitors.group_id}))
  AND ((${maintenance.occurrence_start_at} <= ${at} AND ${at} < ${maintenance.occurrence_end_at})
    OR EXISTS (SELECT 1 FROM ${maintenanceOccurrences} WHERE ${maintenanceOccurrences.maintenance_id} = ${maintenance.id}
      AND ${maintenanceOccurrences.start_at} <= ${at} AND ${at} < ${maintenanceOccurrences.end_at}))`;

/** A public window that a monitor is inside of at that moment. */
export async function findCoveringWindow(db: Db, monitorId: string, at: number): Promise<string | null> {
  const rows = await db
    .select({ id: maintenance.id })
    .from(monitors)
    .innerJoin(maintenance, covers(at))
    .where(eq(monitors.id, monitorId))
    .limit(1);
  return rows[0]?.id ?? null;
}

export async function findSuppressedOutage(db: Db, monitorId: string): Promise<SuppressedOutage | undefined> {
  const rows = await db.select().from(heldOutages).where(eq(heldOutages.monitor_id, monitorId)).limit(1);
  return rows[0];
}

/** Whether another caller has sent the alert of the outage, or the outage is over. */
export function isSuppressionEnded(held: SuppressedOutage): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${heldOutages} WHERE ${isHeld(held)})`;
}

export const isHeld = (held: SuppressedOutage) =>
  and(eq(heldOutages.monitor_id, held.monitor_id), eq(heldOutages.outage_seq, held.outage_seq));

/** Monitors of held outages that no window covers any more and that are still down. */
export async function listEndedSuppressions(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: heldOutages.monitor_id })
    // In this order, because few outages are held and many monitors may be down.
    .from(heldOutages)
    .crossJoin(monitors)
    .where(and(eq(monitors.id, heldOutages.monitor_id), isReleasable(now)))
    .limit(limit);
  return rows.map(({ id }) => id);
}

function isReleasable(now: number): SQL {
  return sql`${monitors.status} = 'down' AND NOT EXISTS (SELECT 1 FROM ${maintenance} WHERE ${covers(now)})`;
}

/** Those among these monitors, with the transition that began the outage. */
export function listEndedSuppressionsAmong(db: Db, now: number, monitorIds: readonly string[]) {
  return db
    .select({ held: heldOutages, transition: transitions })
    .from(heldOutages)
    .innerJoin(monitors, eq(monitors.id, heldOutages.monitor_id))
    .innerJoin(
      transitions,
      and(eq(transitions.monitor_id, heldOutages.monitor_id), eq(transitions.seq, heldOutages.outage_seq)),
    )
    .where(
      and(
        sql`${heldOutages.monitor_id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`,
        isReleasable(now),
      ),
    )
    .limit(monitorIds.length);
}
