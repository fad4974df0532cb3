import { and, eq, ne, sql } from "drizzle-orm";
import type { Db, Statement } from "./db.ts";
import { incidentMonitors, incidents, incidentUpdates } from "./incidents.table.ts";

export type IncidentRecord = typeof incidents.$inferSelect;
export type IncidentUpdateRecord = typeof incidentUpdates.$inferSelect;

/** The automatic incident of this monitor that nobody has resolved yet; there is at most one. */
export async function findOpenAutomaticIncident(db: Db, monitorId: string): Promise<IncidentRecord | undefined> {
  const rows = await db
    .select()
    .from(incidents)
    .where(and(eq(incidents.origin_monitor_id, monitorId), ne(incidents.status, "resolved")))
    .limit(1);
  return rows[0];
}

export async function findIncidentOfOutage(db: Db, outageId: string): Promise<IncidentRecord | undefined> {
  const rows = await db.select().from(incidents).where(eq(incidents.origin_outage_id, outageId)).limit(1);
  return rows[0];
}

/**
 * An automatic incident with its first update and its monitor. All three are ignored when the incident exists or its
 * monitor already has an open one, so that a repeat changes nothing.
 */
export function insertAutomaticIncident(db: Db, incident: IncidentRecord, first: IncidentUpdateRecord): Statement[] {
  const isThere = sql`EXISTS (SELECT 1 FROM incidents WHERE id = ${incident.id})`;
  return [
    db.insert(incidents).values(incident).onConflictDoNothing(),
    db
      .insert(incidentUpdates)
      .select(
        sql`SELECT ${first.id}, ${incident.id}, ${first.status}, ${first.message}, NULL, ${first.created_at},
          ${first.updated_at} WHERE ${isThere}`,
      )
      .onConflictDoNothing(),
    db
      .insert(incidentMonitors)
      .select(sql`SELECT ${incident.id}, ${incident.origin_monitor_id} WHERE ${isThere}`)
      .onConflictDoNothing(),
  ];
}

export function resolveIncident(db: Db, update: IncidentUpdateRecord, resolvedAt: number): Statement[] {
  return [
    db
      .update(incidents)
      .set({ status: "resolved", resolved_at: resolvedAt, updated_at: update.created_at })
      .where(and(eq(incidents.id, update.incident_id), ne(incidents.status, "resolved"))),
    db.insert(incidentUpdates).values(update).onConflictDoNothing(),
  ];
}
