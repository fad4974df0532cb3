import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { incidents } from "../incidents/table.ts";
import { monitors } from "../monitors/table.ts";
import { monitorDependencies } from "./table.ts";

/** Of what an outage can be a consequence, and of what it can have consequences, at most so many are looked at. */
const RELATED_MAX = 100;
/** As many incidents list one monitor that fails with what it depends on. */
const INCIDENTS_MAX = 3;

const among = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** What these monitors depend on, by name. A second round trip only where they depend on anything. */
export async function listParents(db: Db, monitorIds: readonly string[]) {
  if (monitorIds.length === 0) return [];
  const edges = await db
    .select()
    .from(monitorDependencies)
    .where(sql`${monitorDependencies.monitor_id} IN ${among(monitorIds)}`);
  if (edges.length === 0) return [];
  const { id, name, status, owner_id, status_page_id } = monitors;
  const parents = await db
    .select({ id, name, status, owner_id, status_page_id })
    .from(monitors)
    .where(sql`${id} IN ${among([...new Set(edges.map(({ parent_id }) => parent_id))])}`)
    .orderBy(asc(name), asc(id));
  const dependents = Map.groupBy(edges, ({ parent_id }) => parent_id);
  return parents.flatMap((parent) =>
    (dependents.get(parent.id) ?? []).map(({ monitor_id }) => ({ monitor_id, parent })),
  );
}

/** The condition that one of these monitors depends on another one of them, over any number of others. */
export function leadsBack(monitorId: string, parentIds: readonly string[]): SQL {
  return sql`EXISTS (
    WITH RECURSIVE above (id) AS (
      SELECT value FROM json_each(${JSON.stringify(parentIds)})
      UNION SELECT d.parent_id FROM monitor_dependencies d JOIN above ON d.monitor_id = above.id)
    SELECT 1 FROM above WHERE above.id = ${monitorId})`;
}

/** Open automatic incidents, on a page, of what a monitor depends on, over any number of others. */
export async function listIncidentsAbove(db: Db, monitorId: string, pageId: string) {
  const above = sql`(
    WITH RECURSIVE above (id) AS (
      SELECT parent_id FROM monitor_dependencies WHERE monitor_id = ${monitorId}
      UNION SELECT d.parent_id FROM monitor_dependencies d, above WHERE d.monitor_id = above.id
      LIMIT ${RELATED_MAX})
    SELECT id FROM above)`;
  return db
    .select({ id: incidents.id, is_public: incidents.is_public })
    .from(incidents)
    .where(
      and(
        sql`${incidents.origin_monitor_id} IN ${above}`,
        sql`${incidents.status} <> 'resolved'`,
        // By the monitor: a page has any number of incidents. The sign keeps SQLite from the index of the page.
        sql`+${incidents.status_page_id} = ${pageId}`,
      ),
    )
    .limit(INCIDENTS_MAX);
}

/** Monitors of a page whose outage is held and that depend on this one, over any number of others. */
export async function listHeldBelow(db: Db, parentId: string, pageId: string) {
  const below = sql`(
    WITH RECURSIVE below (id) AS (
      SELECT monitor_id FROM monitor_dependencies WHERE parent_id = ${parentId}
      UNION SELECT d.monitor_id FROM monitor_dependencies d, below WHERE d.parent_id = below.id
      LIMIT ${RELATED_MAX})
    SELECT id FROM below)`;
  const { id, name, parent_monitor_id, is_internal } = monitors;
  // No join: of monitors that fail at once, reads without one travel together.
  const outage_seq = sql<number>`(SELECT h.outage_seq FROM held_outages h WHERE h.monitor_id = monitors.id)`;
  return db
    .select({ id, name, parent_monitor_id, is_internal, outage_seq: outage_seq.as("outage_seq") })
    .from(monitors)
    .where(
      and(
        sql`${id} IN ${below}`,
        sql`+${monitors.status_page_id} = ${pageId}`,
        eq(monitors.status, "down"),
        sql`${outage_seq} IS NOT NULL`,
      ),
    )
    .limit(RELATED_MAX);
}
