import { and, eq, isNotNull, ne, or, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { type IncidentRecord, type IncidentUpdateRecord, isUpdate } from "./read.ts";
import { incidentGroups, incidentMonitors, incidents, incidentUpdates } from "./table.ts";

export type IncidentEdit = Partial<Omit<IncidentRecord, "id" | "owner_id" | "created_by" | "status_page_id">>;

export interface Affected {
  monitor_ids: readonly string[];
  group_ids: readonly string[];
}

export function insertIncident(db: Db, incident: IncidentRecord): Statement {
  return db.insert(incidents).values(incident);
}

export function updateIncident(db: Db, incidentId: string, change: IncidentEdit): Statement {
  return db.update(incidents).set(change).where(eq(incidents.id, incidentId));
}

/** With those that it lists. */
export function deleteIncident(db: Db, incidentId: string): Statement {
  const isListed = and(isNotNull(incidents.bundle_id), eq(incidents.bundle_id, incidentId));
  return db.delete(incidents).where(or(eq(incidents.id, incidentId), isListed));
}

/** The condition under which an affected monitor is still on the incident's page, whose members may see it. */
export const isOnPageOfIncident = sql`EXISTS (SELECT 1 FROM ${monitors} m, ${incidents} i
  WHERE m.id = ${incidentMonitors.monitor_id} AND i.id = ${incidentMonitors.incident_id}
    AND m.status_page_id = i.status_page_id)`;

/**
 * Replaces the affected monitors and groups, but keeps monitors that have left the page since: their subscribers still
 * receive the end of the incident.
 */
export function setAffected(db: Db, incidentId: string, { monitor_ids, group_ids }: Affected): Statement[] {
  return [
    db.delete(incidentMonitors).where(and(eq(incidentMonitors.incident_id, incidentId), isOnPageOfIncident)),
    db.delete(incidentGroups).where(eq(incidentGroups.incident_id, incidentId)),
    db
      .insert(incidentMonitors)
      .select(sql`SELECT DISTINCT ${incidentId}, value FROM json_each(${JSON.stringify(monitor_ids)})`),
    db
      .insert(incidentGroups)
      .select(sql`SELECT DISTINCT ${incidentId}, value FROM json_each(${JSON.stringify(group_ids)})`),
  ];
}

export function insertIncidentUpdate(db: Db, update: IncidentUpdateRecord): Statement {
  return db.insert(incidentUpdates).values(update);
}

/** An entry of the timeline that changes no status; a repeat adds none. */
export function noteIncident(db: Db, note: Omit<IncidentUpdateRecord, "status">): Statement {
  const { id, incident_id, message, created_by, created_at, updated_at } = note;
  const values = sql`SELECT ${id}, id, status, ${message}, ${created_by}, ${created_at}, ${updated_at}
    FROM ${incidents} WHERE ${incidents.id} = ${incident_id}`;
  return db.insert(incidentUpdates).select(values).onConflictDoNothing();
}

/** Lists a monitor among those of an incident. */
export function affectIncident(db: Db, incidentId: string, monitorId: string): Statement {
  const values = sql`SELECT ${incidents.id}, ${monitorId} FROM ${incidents} WHERE ${incidents.id} = ${incidentId}`;
  return db.insert(incidentMonitors).select(values).onConflictDoNothing();
}

export function updateIncidentUpdate(
  db: Db,
  update: Pick<IncidentUpdateRecord, "id" | "incident_id" | "message" | "updated_at">,
): Statement {
  const { message, updated_at } = update;
  return db.update(incidentUpdates).set({ message, updated_at }).where(isUpdate(update));
}

export function deleteIncidentUpdate(db: Db, ids: { incident_id: string; id: string }): Statement {
  return db.delete(incidentUpdates).where(isUpdate(ids));
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
