import { type SQL, sql } from "drizzle-orm";
import type { MigrationResult } from "../../contract/monitor-migration.ts";
import type { Db, Statement } from "../db.ts";
import { eventRules } from "../event-rules/table.ts";
import { maintenanceMonitors } from "../maintenance/table.ts";
import type { MonitorRecord } from "../monitors/read.ts";
import { monitors } from "../monitors/table.ts";
import { slaTargets } from "../sla/table.ts";
import { among } from "./among.ts";

type Removed = Partial<Pick<MigrationResult, "removed_event_rules" | "removed_maintenance_targets">>;

/** Rows that tie a monitor to what else its page has, and mean nothing on another page. */
interface Reference {
  /** The fields that the response needs. */
  find?(db: Db, monitorIds: readonly string[]): Promise<Removed>;
  remove(db: Db, monitorIds: readonly string[]): Statement;
}

/** Every table that names single monitors of one page has its entry here. */
export const REFERENCES: readonly Reference[] = [
  {
    async find(db, monitorIds) {
      const rows = await db
        .select({ maintenance_id: maintenanceMonitors.maintenance_id, target_id: maintenanceMonitors.monitor_id })
        .from(maintenanceMonitors)
        .where(sql`${maintenanceMonitors.monitor_id} IN ${among(monitorIds)}`)
        .orderBy(maintenanceMonitors.maintenance_id, maintenanceMonitors.monitor_id);
      return { removed_maintenance_targets: rows };
    },
    remove: (db, monitorIds) =>
      db.delete(maintenanceMonitors).where(sql`${maintenanceMonitors.monitor_id} IN ${among(monitorIds)}`),
  },
  {
    async find(db, monitorIds) {
      const rows = await db
        .select({ id: eventRules.id })
        .from(eventRules)
        .where(sql`${eventRules.monitor_id} IN ${among(monitorIds)}`)
        .orderBy(eventRules.id);
      return { removed_event_rules: rows.map(({ id }) => id) };
    },
    remove: (db, monitorIds) => db.delete(eventRules).where(sql`${eventRules.monitor_id} IN ${among(monitorIds)}`),
  },
  { remove: (db, monitorIds) => db.delete(slaTargets).where(sql`${slaTargets.monitor_id} IN ${among(monitorIds)}`) },
];

/** The members of these monitors, as far as they are composites. */
export function listChildrenOf(db: Db, monitorIds: readonly string[]): Promise<MonitorRecord[]> {
  return db
    .select()
    .from(monitors)
    .where(sql`${monitors.parent_monitor_id} IN ${among(monitorIds)}`)
    .orderBy(monitors.position, monitors.id);
}

/** The condition under which what is to move, members included, is no longer what was read. */
export function haveMonitorsChanged(pageId: string, monitorIds: readonly string[]): SQL {
  return sql`(SELECT count(*) FROM ${monitors} WHERE ${monitors.status_page_id} = ${pageId}
    AND (${monitors.id} IN ${among(monitorIds)} OR ${monitors.parent_monitor_id} IN ${among(monitorIds)}))
    <> ${monitorIds.length}`;
}
