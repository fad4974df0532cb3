import { and, eq, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { PRESENT_EPOCH } from "../installation/read.ts";
import { leaveForGood } from "../monitor-migration/leave-page.ts";
import type { MonitorRecord } from "../monitors/read.ts";
import { checkGroups, deletedMonitors, monitors, statusIntervals } from "../monitors/table.ts";
import { among } from "./read.ts";

/** A monitor, placed below everything that its owner has, and the beginning of its history. */
export function insertMonitor(db: Db, record: Omit<MonitorRecord, "position">): Statement[] {
  const { id: monitor_id, owner_id, status, created_at: from_at } = record;
  const isSynced = record.synced_version === record.config_version;
  const last = sql`(SELECT max(${monitors.position}) FROM ${monitors} WHERE ${monitors.owner_id} = ${owner_id})`;
  return [
    db.insert(monitors).values({
      ...record,
      position: sql`coalesce(${last}, -1) + 1`,
      ...(isSynced && { synced_epoch: PRESENT_EPOCH }),
    }),
    db.insert(statusIntervals).values({ monitor_id, seq: 0, status, from_at, source: "check" }),
  ];
}

/** The newest check, as the group holds it that the monitor is in before the statement. */
const newestCheck = sql`coalesce((SELECT e.value FROM ${checkGroups} g, json_each(g.latest) e
  WHERE g.id = monitors.check_group_id AND e.value ->> 0 = monitors.id), monitors.last_result)`;

export function updateMonitor(db: Db, monitorId: string, change: Partial<MonitorRecord>): Statement {
  return db
    .update(monitors)
    .set({ ...change, last_result: newestCheck })
    .where(eq(monitors.id, monitorId));
}

/** Deletes the history, too; children of a composite become free. The tombstone is synced until the object is empty. */
export function deleteMonitor(db: Db, monitorId: string, now: number): Statement[] {
  return [
    ...leaveForGood(db, [monitorId], now),
    db.delete(monitors).where(eq(monitors.id, monitorId)),
    db.insert(deletedMonitors).values({ monitor_id: monitorId }).onConflictDoNothing(),
  ];
}

/** Pauses or resumes those of these monitors that are not yet, by one statement. */
export function pauseMonitors(db: Db, monitorIds: readonly string[], paused: boolean, now: number): Statement {
  return db
    .update(monitors)
    .set({ paused, config_version: sql`${monitors.config_version} + 1`, last_result: newestCheck, updated_at: now })
    .where(and(sql`${monitors.id} IN ${among(monitorIds)}`, eq(monitors.paused, !paused)));
}

/** As `deleteMonitor`, by as many statements for any number. */
export function deleteMonitors(db: Db, monitorIds: readonly string[], now: number): Statement[] {
  return [
    ...leaveForGood(db, monitorIds, now),
    db.delete(monitors).where(sql`${monitors.id} IN ${among(monitorIds)}`),
    db
      .insert(deletedMonitors)
      .select(sql`SELECT value FROM json_each(${JSON.stringify(monitorIds)}) WHERE true`)
      .onConflictDoNothing(),
  ];
}

/** Makes exactly these monitors the members of a composite. */
export function setChildren(db: Db, compositeId: string, memberIds: readonly string[], now: number): Statement[] {
  const isMember = sql`${monitors.id} IN ${among(memberIds)}`;
  return [
    db
      .update(monitors)
      .set({ parent_monitor_id: null, updated_at: now })
      .where(and(eq(monitors.parent_monitor_id, compositeId), sql`NOT (${isMember})`)),
    db
      .update(monitors)
      .set({ parent_monitor_id: compositeId, updated_at: now })
      .where(and(isMember, sql`${monitors.parent_monitor_id} IS NOT ${compositeId}`)),
  ];
}
