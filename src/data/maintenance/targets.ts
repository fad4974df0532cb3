import { type SQL, sql } from "drizzle-orm";

/**
 * The one place that decides whether a window covers a monitor at present: by name, by group, or because it covers the
 * whole page. The tables have these names in the query; monitors and windows of other pages are the caller's to exclude.
 */
export function coversMonitor(window: string, monitor: string): SQL {
  return sql.raw(`((${window}.covers_page = 1 AND ${monitor}.status_page_id = ${window}.status_page_id)
    OR EXISTS (SELECT 1 FROM maintenance_monitors t WHERE t.maintenance_id = ${window}.id AND t.monitor_id = ${monitor}.id)
    OR EXISTS (SELECT 1 FROM maintenance_groups t WHERE t.maintenance_id = ${window}.id AND t.group_id = ${monitor}.group_id))`);
}

/** The monitors that a window, whose id is this, covers at present, as a list of one column in a query. */
export function selectCovered(windowId: SQL): SQL {
  return sql`SELECT t.monitor_id AS id FROM maintenance_monitors t WHERE t.maintenance_id = ${windowId}
    UNION SELECT g.id FROM maintenance_groups t JOIN monitors g ON g.group_id = t.group_id WHERE t.maintenance_id = ${windowId}
    UNION SELECT p.id FROM maintenance c JOIN monitors p ON p.status_page_id = c.status_page_id
      WHERE c.id = ${windowId} AND c.covers_page = 1`;
}
