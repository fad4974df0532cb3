import { and, eq, ne, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { incidents, incidentUpdates } from "./table.ts";

export type IncidentRecord = typeof incidents.$inferSelect;
export type IncidentUpdateRecord = typeof incidentUpdates.$inferSelect;

export async function findIncident(db: Db, incidentId: string): Promise<IncidentRecord | undefined> {
  const rows = await db.select().from(incidents).where(eq(incidents.id, incidentId)).limit(1);
  return rows[0];
}

/** The incident that an alert is about: by its outage, else by itself. */
export async function findIncidentOfThread(
  db: Db,
  { owner_id, thread_id }: { owner_id: string; thread_id: string },
): Promise<IncidentRecord | undefined> {
  const isOfThread = or(eq(incidents.id, thread_id), eq(incidents.origin_outage_id, thread_id));
  return (
    await db
      .select()
      .from(incidents)
      .where(and(eq(incidents.owner_id, owner_id), isOfThread))
      .limit(1)
  )[0];
}

export function listIncidentsByIds(db: Db, ids: readonly string[]): Promise<IncidentRecord[]> {
  return db
    .select()
    .from(incidents)
    .where(sql`${incidents.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
    .limit(ids.length);
}

/** The open incidents of a page, of which an index gives those alone, that carry a tag. */
const isOpenWithTag = (pageId: string, tag: string) =>
  sql`${incidents.status_page_id} = ${pageId} AND ${incidents.status} <> 'resolved'
    AND EXISTS (SELECT 1 FROM json_each(${incidents.tags}) WHERE value = ${tag})`;

export async function findOpenWithTag(db: Db, pageId: string, tag: string): Promise<IncidentRecord | undefined> {
  const rows = await db.select().from(incidents).where(isOpenWithTag(pageId, tag)).limit(1);
  return rows[0];
}

export const hasOpenWithTag = (pageId: string, tag: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${incidents} WHERE ${isOpenWithTag(pageId, tag)})`;

/** Whether the status changed since the incident was read, or the incident was deleted. */
export function isMoved({ id, status }: Pick<IncidentRecord, "id" | "status">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${incidents} WHERE ${incidents.id} = ${id} AND ${incidents.status} = ${status})`;
}

export async function findIncidentUpdate(db: Db, ids: { incident_id: string; id: string }) {
  const rows = await db.select().from(incidentUpdates).where(isUpdate(ids)).limit(1);
  return rows[0];
}

export const isUpdate = ({ incident_id, id }: { incident_id: string; id: string }) =>
  and(eq(incidentUpdates.id, id), eq(incidentUpdates.incident_id, incident_id));

/** The open automatic incident of this monitor; there is at most one. */
/** Those of these monitors, of which each has at most one. */
export function listOpenAutomaticIncidents(db: Db, monitorIds: readonly string[]): Promise<IncidentRecord[]> {
  return db
    .select()
    .from(incidents)
    .where(
      and(
        sql`${incidents.origin_monitor_id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`,
        ne(incidents.status, "resolved"),
      ),
    )
    .limit(monitorIds.length);
}

export async function findOpenAutomaticIncident(db: Db, monitorId: string): Promise<IncidentRecord | undefined> {
  const rows = await db
    .select()
    .from(incidents)
    .where(and(eq(incidents.origin_monitor_id, monitorId), ne(incidents.status, "resolved")))
    .limit(1);
  return rows[0];
}
