import { and, asc, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { CHILDREN_MAX } from "../../contract/monitor.ts";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { OUTSIDE_HOURS } from "../../domain/check-rest.ts";
import type { RecordedTransition } from "../../domain/restored-state.ts";
import type { Db } from "../db.ts";
import { PRESENT_EPOCH } from "../installation/read.ts";
import { installation } from "../installation/table.ts";
import { outages } from "../outages/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { deletedMonitors, monitors, transitions } from "./table.ts";

/** Of the agents whose presence changed in one step. */
const FOLLOWERS_MAX = 500;

export type MonitorRecord = typeof monitors.$inferSelect;
export type NewMonitor = typeof monitors.$inferInsert;

export async function findMonitor(db: Db, monitorId: string): Promise<MonitorRecord | undefined> {
  const rows = await db.select().from(monitors).where(eq(monitors.id, monitorId)).limit(1);
  return rows[0];
}

/** A monitor together with its page, null without one. Two statements, because joins go alone in shared reads. */
export async function findMonitorWithPage(db: Db, monitorId: string) {
  const [[monitor], [page = null]] = await db.batch([
    db.select().from(monitors).where(eq(monitors.id, monitorId)).limit(1),
    db
      .select()
      .from(statusPages)
      .where(sql`${statusPages.id} = (SELECT status_page_id FROM monitors WHERE id = ${monitorId})`)
      .limit(1),
  ]);
  return monitor && { monitor, page };
}

/** The group with which the edge checks a monitor; empty where it does not. */
export async function findCheckGroupId(db: Db, monitorId: string): Promise<string> {
  const rows = await db
    .select({ check_group_id: monitors.check_group_id })
    .from(monitors)
    .where(eq(monitors.id, monitorId))
    .limit(1);
  return rows[0]?.check_group_id ?? "";
}

/** What the object of a monitor needs to go on: its row, the epoch and until when D1 knew of the past. */
export async function findMonitorForObject(db: Db, monitorId: string) {
  const rows = await db
    .select({
      monitor: monitors,
      epoch: installation.epoch,
      known_until: installation.known_until,
    })
    .from(monitors)
    .leftJoin(installation, sql`true`)
    .where(eq(monitors.id, monitorId))
    .limit(1);
  return rows[0];
}

/** The newest transition of a monitor, with the outage that is open after it. */
export async function findLastTransition(db: Db, monitorId: string): Promise<RecordedTransition | null> {
  const opening = alias(transitions, "opening");
  const [row] = await db
    .select({
      seq: transitions.seq,
      to: transitions.to_status,
      effective_at: transitions.effective_at,
      outage_seq: transitions.outage_seq,
      started_at: opening.effective_at,
    })
    .from(transitions)
    .leftJoin(opening, and(eq(opening.monitor_id, transitions.monitor_id), eq(opening.seq, transitions.outage_seq)))
    .where(eq(transitions.monitor_id, monitorId))
    .orderBy(desc(transitions.seq))
    .limit(1);
  if (!row) return null;
  const { outage_seq, started_at, ...recorded } = row;
  const isOpen = outage_seq !== null && recorded.to !== "up";
  return { ...recorded, outage: isOpen ? { seq: outage_seq, started_at: started_at ?? recorded.effective_at } : null };
}

export async function listRecordedSeqs(db: Db, monitorId: string, seqs: readonly number[]): Promise<number[]> {
  const rows = await db
    .select({ seq: transitions.seq })
    .from(transitions)
    .where(
      and(
        eq(transitions.monitor_id, monitorId),
        sql`${transitions.seq} IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`,
      ),
    );
  return rows.map((row) => row.seq);
}

/** A monitor is unknown because it is outside of its hours. */
export const isResting = sql<number>`(${monitors.status} = 'unknown' AND instr(${monitors.status_message}, ${OUTSIDE_HOURS}) = 1)`;

/** One parameter for any number of ids. */
export function isAmong(monitorIds: readonly string[]): SQL {
  return sql`${monitors.id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`;
}

/** The columns that the projection of a snapshot depends on. */
export const PROJECTED = {
  id: monitors.id,
  status: monitors.status,
  status_page_id: monitors.status_page_id,
  config_version: monitors.config_version,
  synced_version: monitors.synced_version,
  synced_epoch: monitors.synced_epoch,
  state_seq: monitors.state_seq,
  settled: monitors.settled,
  locations_down: monitors.locations_down,
};
export type ProjectedMonitor = Pick<MonitorRecord, keyof typeof PROJECTED>;

export function listProjected(db: Db, monitorIds: readonly string[]) {
  return db.select(PROJECTED).from(monitors).where(isAmong(monitorIds)).limit(monitorIds.length);
}

/** Ids of monitors whose object has not confirmed their newest configuration, or has not done so in this epoch. */
export async function listUnsynced(db: Db, changedBefore: number, limit: number): Promise<string[]> {
  const [changed, before, after] = await db.batch([
    db
      .select({ id: monitors.id })
      .from(monitors)
      .where(and(sql`${monitors.config_version} <> ${monitors.synced_version}`, lt(monitors.updated_at, changedBefore)))
      .orderBy(asc(monitors.updated_at))
      .limit(limit),
    // Two ranges, because an index answers no inequality.
    db.select({ id: monitors.id }).from(monitors).where(lt(monitors.synced_epoch, PRESENT_EPOCH)).limit(limit),
    db.select({ id: monitors.id }).from(monitors).where(gt(monitors.synced_epoch, PRESENT_EPOCH)).limit(limit),
  ]);
  return [...new Set([...changed, ...before, ...after].map(({ id }) => id))].slice(0, limit);
}

/** Deleted monitors whose objects have not confirmed it, the longest deleted first, as ids grow with time. */
export async function listTombstones(db: Db, limit: number): Promise<string[]> {
  const rows = await db.select().from(deletedMonitors).orderBy(asc(deletedMonitors.monitor_id)).limit(limit);
  return rows.map(({ monitor_id }) => monitor_id);
}

/** What the members of a composite are now. */
export async function listMemberStates(db: Db, compositeId: string) {
  const isOver = sql`NOT EXISTS (SELECT 1 FROM ${outages} o WHERE o.monitor_id = monitors.id AND o.ended_at IS NULL)`;
  // A member that rests says as little as one that is paused, unless its outage waits for the next check.
  const status = sql<MonitorStatus>`CASE WHEN ${isResting} AND ${isOver} THEN 'paused' ELSE ${monitors.status} END`;
  return db
    .select({ status, status_since: monitors.status_since })
    .from(monitors)
    .where(eq(monitors.parent_monitor_id, compositeId))
    .limit(CHILDREN_MAX);
}

/** Ids of the monitors without a check schedule of one of the rotas of their index. */
export async function listUnscheduled(db: Db, rota: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: monitors.id })
    .from(monitors)
    // Written as the index has it, so that the index is used.
    .where(sql`check_group_id = '' AND agent_id IS NULL AND paused = 0 AND created_at % 5 = ${rota}`)
    .orderBy(asc(monitors.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Monitors whose retry of a failed check is overdue. */
export async function listOverdueRetries(db: Db, dueBefore: number, limit: number) {
  return db
    .select({ id: monitors.id, check_group_id: monitors.check_group_id, regions: monitors.regions })
    .from(monitors)
    .where(and(sql`${monitors.retry_at} IS NOT NULL`, lt(monitors.retry_at, dueBefore)))
    .orderBy(asc(monitors.retry_at))
    .limit(limit);
}

/** Monitors whose status is that of one of these agents. */
export async function listFollowersOfAgents(db: Db, agentIds: readonly string[]) {
  return db
    .select({ id: monitors.id })
    .from(monitors)
    .where(
      and(
        eq(monitors.type, "agent"),
        sql`${monitors.agent_id} IN (SELECT value FROM json_each(${JSON.stringify(agentIds)}))`,
      ),
    )
    .limit(FOLLOWERS_MAX);
}
