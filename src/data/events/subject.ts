import { eq, type SQL, sql } from "drizzle-orm";
import type { SubjectRecord } from "../../domain/event-subject.ts";
import type { Db } from "../db.ts";
import { incidentGroups, incidentMonitors, incidents } from "../incidents/table.ts";
import { maintenance, maintenanceGroups, maintenanceMonitors } from "../maintenance/table.ts";
import { statusPages } from "../status-pages/table.ts";

const listOf = (ids: SQL) =>
  sql<string[]>`(SELECT json_group_array(id) FROM (${ids} ORDER BY id))`.mapWith((json: string) => JSON.parse(json));
const page = { slug: statusPages.slug, is_page_public: statusPages.is_public };

/** What an event about this incident names; undefined once it is deleted. */
export async function findIncidentSubject(db: Db, incidentId: string): Promise<SubjectRecord | undefined> {
  const [row] = await db
    .select({
      is_public: incidents.is_public,
      impact: incidents.impact,
      ...page,
      monitor_ids: listOf(
        sql`SELECT ${incidentMonitors.monitor_id} AS id FROM ${incidentMonitors} WHERE incident_id = ${incidentId}`,
      ),
      group_ids: listOf(
        sql`SELECT ${incidentGroups.group_id} AS id FROM ${incidentGroups} WHERE incident_id = ${incidentId}`,
      ),
    })
    .from(incidents)
    .innerJoin(statusPages, eq(statusPages.id, incidents.status_page_id))
    .where(eq(incidents.id, incidentId))
    .limit(1);
  return row && recordOf({ ...row, id: incidentId, kind: "incident" });
}

export async function findMaintenanceSubject(db: Db, windowId: string): Promise<SubjectRecord | undefined> {
  const [row] = await db
    .select({
      is_public: maintenance.is_public,
      ...page,
      monitor_ids: listOf(
        sql`SELECT ${maintenanceMonitors.monitor_id} AS id FROM ${maintenanceMonitors} WHERE maintenance_id = ${windowId}
          UNION SELECT m.id FROM maintenance w JOIN monitors m ON m.status_page_id = w.status_page_id
            WHERE w.id = ${windowId} AND w.covers_page = 1`,
      ),
      group_ids: listOf(
        sql`SELECT ${maintenanceGroups.group_id} AS id FROM ${maintenanceGroups} WHERE maintenance_id = ${windowId}`,
      ),
    })
    .from(maintenance)
    .innerJoin(statusPages, eq(statusPages.id, maintenance.status_page_id))
    .where(eq(maintenance.id, windowId))
    .limit(1);
  return row && recordOf({ ...row, id: windowId, kind: "maintenance", impact: "maintenance" });
}

function recordOf({
  slug,
  is_page_public,
  ...row
}: Omit<SubjectRecord, "page"> & { slug: string; is_page_public: boolean }): SubjectRecord {
  return { ...row, page: { slug, is_public: is_page_public } };
}
