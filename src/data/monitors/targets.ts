import { and, or, sql } from "drizzle-orm";
import type { AlertTargets } from "../../contract/alert-targets.ts";
import type { Db } from "../db.ts";
import { holdsOneOf, isOneOf } from "../filters.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import { monitors } from "./table.ts";

interface Named {
  monitor_ids: readonly string[];
  group_ids: readonly string[];
  targets: AlertTargets;
}

/** Those of the named monitors, and of the monitors in the named groups, that are among the targets. */
export async function listTargetedMonitors(db: Db, { monitor_ids, group_ids, targets }: Named) {
  if (monitor_ids.length + group_ids.length === 0) return [];
  return db
    .select({ id: monitors.id, group_id: monitors.group_id, tags: monitors.tags })
    .from(monitors)
    .where(
      and(
        or(isOneOf(monitors.id, monitor_ids), isOneOf(monitors.group_id, group_ids)),
        or(
          isOneOf(monitors.id, targets.monitor_ids),
          isOneOf(monitors.group_id, targets.group_ids),
          holdsOneOf(monitors.tags, targets.tags),
        ),
      ),
    );
}

/** Those of the ids that are of a monitor or group. */
export async function listExistingTargets(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`SELECT j.value AS id FROM json_each(${JSON.stringify(ids)}) AS j
    WHERE EXISTS (SELECT 1 FROM ${monitors} WHERE id = j.value) OR EXISTS (SELECT 1 FROM ${monitorGroups} WHERE id = j.value)`);
  return rows.map(({ id }) => id);
}

/** The groups and monitors that these pages offer as targets, in their order. */
export async function listTargetChoices(db: Db, pageIds: readonly string[], limit: number) {
  const [groups, monitorsOfPages] = await db.batch([
    db
      .select({ id: monitorGroups.id, name: monitorGroups.name, status_page_id: monitorGroups.status_page_id })
      .from(monitorGroups)
      .where(isOneOf(monitorGroups.status_page_id, pageIds))
      .orderBy(monitorGroups.status_page_id, monitorGroups.position, monitorGroups.id)
      .limit(limit),
    db
      .select({ id: monitors.id, name: monitors.name, status_page_id: monitors.status_page_id })
      .from(monitors)
      .where(isOneOf(monitors.status_page_id, pageIds))
      .orderBy(monitors.status_page_id, monitors.position, monitors.id)
      .limit(limit),
  ]);
  return { groups, monitors: monitorsOfPages };
}
