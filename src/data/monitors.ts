import { and, asc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { MonitorTransition } from "../contract/event.ts";
import { CHILDREN_MAX } from "../contract/monitor.ts";
import type { MonitorAnswer } from "../contract/monitor-object.ts";
import type { Db, Statement } from "./db.ts";
import { deletedMonitors, monitors, statusIntervals, transitions } from "./monitors.table.ts";
import { dropRollups } from "./roll-ups.ts";
import { statusPages } from "./status-pages.table.ts";

export type MonitorRecord = typeof monitors.$inferSelect;
export type NewMonitor = typeof monitors.$inferInsert;

export async function findMonitor(db: Db, monitorId: string): Promise<MonitorRecord | undefined> {
  const rows = await db.select().from(monitors).where(eq(monitors.id, monitorId)).limit(1);
  return rows[0];
}

/** A monitor together with its page, for whoever handles what happened to it. */
export async function findMonitorWithPage(db: Db, monitorId: string) {
  const rows = await db
    .select({ monitor: monitors, page: statusPages })
    .from(monitors)
    .leftJoin(statusPages, eq(statusPages.id, monitors.status_page_id))
    .where(eq(monitors.id, monitorId))
    .limit(1);
  return rows[0];
}

/** Copies what the monitor's object answered, unless something newer stands here already. */
export function projectAnswer(db: Db, monitorId: string, answer: MonitorAnswer): Statement {
  return db
    .update(monitors)
    .set({
      state_revision: answer.revision,
      state_seq: answer.seq,
      status: answer.status,
      status_since: answer.status_since,
      status_message: answer.message,
      settled: answer.settled,
      retry_at: answer.retry?.at ?? null,
      synced_version: answer.config_version,
    })
    .where(and(eq(monitors.id, monitorId), lt(monitors.state_revision, answer.revision)));
}

/** The same from a transition, for the case that whoever reported died before it could project the answer. */
function projectTransition(db: Db, monitorId: string, transition: MonitorTransition): Statement {
  return db
    .update(monitors)
    .set({
      state_seq: transition.seq,
      status: transition.to,
      status_since: transition.effective_at,
      status_message: transition.message,
    })
    .where(and(eq(monitors.id, monitorId), lt(monitors.state_seq, transition.seq)));
}

/** What a transition leaves behind: its own row, the interval that it ends, the one that it begins, the status. */
export function recordTransition(
  db: Db,
  { monitor_id: monitorId, transition, now }: { monitor_id: string; transition: MonitorTransition; now: number },
): Statement[] {
  return [
    ...dropRollups(db, { monitor_id: monitorId, touched_from: transition.effective_at, now }),
    db
      .insert(transitions)
      .values({
        monitor_id: monitorId,
        seq: transition.seq,
        from_status: transition.from,
        to_status: transition.to,
        decided_at: transition.at,
        effective_at: transition.effective_at,
        message: transition.message,
        outage_seq: transition.outage?.seq ?? null,
      })
      .onConflictDoNothing(),
    db
      .update(statusIntervals)
      .set({ to_at: transition.effective_at })
      .where(and(eq(statusIntervals.monitor_id, monitorId), eq(statusIntervals.seq, transition.seq - 1))),
    db
      .insert(statusIntervals)
      .values({
        monitor_id: monitorId,
        seq: transition.seq,
        status: transition.to,
        from_at: transition.effective_at,
      })
      .onConflictDoNothing(),
    projectTransition(db, monitorId, transition),
  ];
}

export async function listRecordedSeqs(db: Db, monitorId: string, seqs: readonly number[]): Promise<number[]> {
  const rows = await db
    .select({ seq: transitions.seq })
    .from(transitions)
    .where(and(eq(transitions.monitor_id, monitorId), inArray(transitions.seq, [...seqs])));
  return rows.map((row) => row.seq);
}

/** Monitors whose object has not confirmed their newest configuration. */
export async function listUnsynced(db: Db, changedBefore: number, limit: number) {
  return db
    .select({ id: monitors.id, config_version: monitors.config_version })
    .from(monitors)
    .where(and(sql`${monitors.config_version} > ${monitors.synced_version}`, lt(monitors.updated_at, changedBefore)))
    .limit(limit);
}

/** Deleted monitors whose objects have not confirmed it, the longest deleted first, as ids grow with time. */
export async function listDeleted(db: Db, limit: number): Promise<string[]> {
  const rows = await db.select().from(deletedMonitors).orderBy(asc(deletedMonitors.monitor_id)).limit(limit);
  return rows.map(({ monitor_id }) => monitor_id);
}

export function forgetDeleted(db: Db, monitorId: string): Statement {
  return db.delete(deletedMonitors).where(eq(deletedMonitors.monitor_id, monitorId));
}

/** What the members of a composite are now. */
export async function listMemberStates(db: Db, compositeId: string) {
  return db
    .select({ status: monitors.status, status_since: monitors.status_since })
    .from(monitors)
    .where(eq(monitors.parent_monitor_id, compositeId))
    .limit(CHILDREN_MAX);
}

/** Monitors whose status comes from nobody's checks, in the order of their ids, for paging. */
export async function listUncheckedAfter(db: Db, monitorId: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: monitors.id })
    .from(monitors)
    // Written as the index has it, so that the index is used.
    .where(and(sql`check_group_id = '' AND agent_id IS NULL AND paused = 0`, gt(monitors.id, monitorId)))
    .orderBy(asc(monitors.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Monitors whose quick repeat of a failed check should have run by now. */
export async function listLostRetries(db: Db, dueBefore: number, limit: number) {
  return db
    .select({ id: monitors.id, check_group_id: monitors.check_group_id, regions: monitors.regions })
    .from(monitors)
    .where(and(sql`${monitors.retry_at} IS NOT NULL`, lt(monitors.retry_at, dueBefore)))
    .limit(limit);
}

export function forgetRetries(db: Db, monitorIds: readonly string[]): Statement {
  return db
    .update(monitors)
    .set({ retry_at: null })
    .where(sql`${monitors.id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`);
}

/** Takes a monitor from one check group to another, unless it has left the first in the meantime. */
export function moveToGroup(db: Db, monitorId: string, groups: { from: string; to: string }): Statement {
  return db
    .update(monitors)
    .set({ check_group_id: groups.to })
    .where(and(eq(monitors.id, monitorId), eq(monitors.check_group_id, groups.from)));
}
