import { and, desc, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import { PAGE_SUPPRESSION } from "../../domain/alert-routing.ts";
import { GRACE_MAX_MS, graceMs } from "../../domain/suppression.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import type { Db } from "../db.ts";
import { monitorDependencies } from "../dependencies/table.ts";
import { heldOutages } from "../incidents/table.ts";
import { maintenance, maintenanceOccurrences } from "../maintenance/table.ts";
import { coversMonitor } from "../maintenance/targets.ts";
import { monitors, transitions } from "../monitors/table.ts";
import { isAmong } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";

export type SuppressedOutage = typeof heldOutages.$inferSelect;
/** What else than a window withholds an outage, as `held_by` names it. */
export const MUTE = "mute";
export const RULE = "rule";
/** Followed by the monitor that it depends on. */
export const PARENT = "parent:";

/**
 * Whether a window of the monitor's page, public or private, that covers the monitor is open at that moment:
 * by the occurrence that the window follows, or by one that was recorded. The monitor's row is in the same statement. A
 * composite is covered where every member that is down is, or was covered when its outage was suppressed.
 */
const covers = (at: number): SQL => sql`
  ${maintenance.status_page_id} = ${monitors.status_page_id}
  AND (${coversMonitor("maintenance", "monitors")}
    OR (${monitors.type} = 'composite' AND ${isDownByMaintenance(at)}
      AND EXISTS (SELECT 1 FROM monitors c WHERE c.parent_monitor_id = ${monitors.id} AND c.status = 'down'
        AND ${coversMonitor("maintenance", "c")})))
  AND ${isOpen(at)}`;

/** No member is down that no open window targets. */
const isDownByMaintenance = (at: number): SQL => sql`NOT EXISTS (
  SELECT 1 FROM monitors c WHERE c.parent_monitor_id = ${monitors.id} AND c.status = 'down' AND NOT EXISTS (
    SELECT 1 FROM maintenance w WHERE w.status_page_id = c.status_page_id
      AND w.occurrence_start_at <= ${at} AND ${at} < w.occurrence_end_at AND ${coversMonitor("w", "c")}))`;

const isOpen = (
  at: number,
): SQL => sql`((${maintenance.occurrence_start_at} <= ${at} AND ${at} < ${maintenance.occurrence_end_at})
    OR EXISTS (SELECT 1 FROM ${maintenanceOccurrences} WHERE ${maintenanceOccurrences.maintenance_id} = ${maintenance.id}
      AND ${maintenanceOccurrences.start_at} <= ${at} AND ${at} < ${maintenanceOccurrences.end_at}))`;

/** A window that a monitor is inside of at that moment. */
export async function findCoveringWindow(db: Db, monitorId: string, at: number): Promise<string | null> {
  const rows = await db
    .select({ id: maintenance.id })
    .from(monitors)
    .innerJoin(maintenance, covers(at))
    .where(eq(monitors.id, monitorId))
    .limit(1);
  return rows[0]?.id ?? null;
}

/** When the windows end that cover these monitors now, the last one of each, by the monitor's id. */
export async function listCoveredUntil(
  db: Db,
  monitorIds: readonly string[],
  now: number,
): Promise<Map<string, number>> {
  if (monitorIds.length === 0) return new Map();
  const rows = await db
    .select({ id: monitors.id, until: sql<number>`max(${maintenance.occurrence_end_at})` })
    .from(monitors)
    .innerJoin(maintenance, covers(now))
    .where(isAmong(monitors.id, monitorIds))
    .groupBy(monitors.id)
    .limit(monitorIds.length);
  return new Map(rows.map(({ id, until }) => [id, until]));
}

/** When windows that target the monitor or its group were open, within a range. */
export async function listCoveredSpans(
  db: Db,
  monitorId: string,
  { from, to }: { from: number; to: number },
): Promise<{ start: number; end: number }[]> {
  const isTargeted = and(
    eq(monitors.id, monitorId),
    eq(monitors.status_page_id, maintenance.status_page_id),
    coversMonitor("maintenance", "monitors"),
  );
  const [present, recorded] = await db.batch([
    db
      .select({ start: maintenance.occurrence_start_at, end: maintenance.occurrence_end_at })
      .from(monitors)
      .innerJoin(maintenance, isTargeted)
      .where(and(lt(maintenance.occurrence_start_at, to), gt(maintenance.occurrence_end_at, from))),
    db
      .select({ start: maintenanceOccurrences.start_at, end: maintenanceOccurrences.end_at })
      .from(monitors)
      .innerJoin(maintenance, isTargeted)
      .innerJoin(maintenanceOccurrences, eq(maintenanceOccurrences.maintenance_id, maintenance.id))
      .where(and(lt(maintenanceOccurrences.start_at, to), gt(maintenanceOccurrences.end_at, from))),
  ]);
  return [...present, ...recorded].flatMap(({ start, end }) => (start === null || end === null ? [] : { start, end }));
}

/** The announced changes to down or degraded that a recovery would end, newest first, and what is withheld of them. */
export async function findUnended(db: Db, monitorId: string, before: number) {
  const isOf = and(eq(transitions.monitor_id, monitorId), lt(transitions.seq, before));
  const latestUp = sql`(SELECT coalesce(max(u.seq), 0) FROM transitions u
    WHERE u.monitor_id = ${monitorId} AND u.seq < ${before} AND u.to_status = 'up')`;
  const [changes, [held]] = await db.batch([
    db
      .select({ seq: transitions.seq })
      .from(transitions)
      .where(and(isOf, inArray(transitions.event, ["monitor.down", "monitor.degraded"]), gt(transitions.seq, latestUp)))
      .orderBy(desc(transitions.seq))
      .limit(UNENDED_MAX),
    db.select().from(heldOutages).where(eq(heldOutages.monitor_id, monitorId)).limit(1),
  ]);
  return { changes: changes.map(({ seq }) => seq), held };
}

/** A monitor is degraded, then down; more arise where an outage survives a pause. */
const UNENDED_MAX = 5;

export async function findSuppressedOutage(db: Db, monitorId: string): Promise<SuppressedOutage | undefined> {
  const rows = await db.select().from(heldOutages).where(eq(heldOutages.monitor_id, monitorId)).limit(1);
  return rows[0];
}

/** Whether another caller has sent the alert of the outage, or the outage is over. */
export function isSuppressionEnded(held: SuppressedOutage): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${heldOutages} WHERE ${isHeld(held)})`;
}

export const isHeld = (held: SuppressedOutage) =>
  and(eq(heldOutages.monitor_id, held.monitor_id), eq(heldOutages.outage_seq, held.outage_seq));

/** Monitors of held outages that nothing withholds any more and that are still down. */
export async function listEndedSuppressions(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: heldOutages.monitor_id })
    // In this order, because few outages are held and many monitors may be down.
    .from(heldOutages)
    .crossJoin(monitors)
    .where(and(eq(monitors.id, heldOutages.monitor_id), isReleasable(now)))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** A monitor is down, in no window, not muted, and no rule withholds its alerts. */
export function isAlertable(now: number): SQL {
  const until = (key: SQL) => sql`coalesce(${statusPages.alert_suppressions} ->> ${key}, 0)`;
  const isSuppressed = sql`EXISTS (SELECT 1 FROM ${statusPages} WHERE ${statusPages.id} = ${monitors.status_page_id}
    AND (${until(sql`${monitors.id}`)} > ${now} OR ${until(sql`${PAGE_SUPPRESSION}`)} > ${now}))`;
  return sql`${monitors.status} = 'down' AND coalesce(${monitors.muted_until}, 0) <= ${now}
    AND NOT EXISTS (SELECT 1 FROM ${maintenance} WHERE ${covers(now)}) AND NOT ${isSuppressed}`;
}

/** It is alertable, and nothing that it depends on is the reason of its outage. */
function isReleasable(now: number): SQL {
  const child = sql`${heldOutages.monitor_id}`;
  const ofChild = (column: SQL) => sql`(SELECT ${column} FROM monitors c WHERE c.id = ${child})`;
  const grace_ms = ofChild(sql`min((c.interval + c.timeout_seconds) * 1000, ${GRACE_MAX_MS})`);
  const down_since = ofChild(sql`c.status_since`);
  return sql`${isAlertable(now)} AND NOT ${isEndUnsaid(now)} AND NOT EXISTS (
    ${select(sql`1`)} WHERE ${isParentOf(child)} AND ${isHoldingBack({ now, grace_ms, down_since })})`;
}

/** After so long its message is not waited for. */
const UNSAID_MAX_MS = 5 * MINUTE_MS;

/** People read that the window is over before they read what is still down after it. One list for all outages that are held. */
const isEndUnsaid = (now: number): SQL => sql`(EXISTS (SELECT 1 FROM maintenance w
    WHERE w.id = ${heldOutages.held_by} AND w.next_edge_at <= ${now})
  OR ${heldOutages.held_by} IN (SELECT e.data ->> 'maintenance_id' FROM events e
    WHERE e.processed_at IS NULL AND e.wake_at > ${now - UNSAID_MAX_MS} AND e.name = 'maintenance.completed'))`;

const select = (column: SQL) => sql`SELECT ${column} FROM ${monitorDependencies}
  JOIN ${monitors} ON ${monitors.id} = ${monitorDependencies.parent_id}`;

const isParentOf = (child: SQL) => sql`${monitorDependencies.monitor_id} = ${child}`;

interface Holding {
  now: number;
  grace_ms: SQL | number;
  /** Since when the monitor that depends on it is down. */
  down_since: SQL | number;
}

/**
 * A monitor that others depend on is down and alerts of that, was down a moment ago, or has just failed a check that is being
 * repeated: what depends on it and is checked more often fails before it does.
 */
function isHoldingBack({ now, grace_ms, down_since }: Holding): SQL {
  const ended_at = sql`(SELECT t.decided_at FROM transitions t
    WHERE t.monitor_id = ${monitors.id} AND t.from_status = 'down' ORDER BY t.seq DESC LIMIT 1)`;
  const isRecent = (at: SQL | number) => sql`${at} > ${now} - ${grace_ms}`;
  return sql`((${isAlertable(now)}) OR (${monitors.status} NOT IN ('down', 'paused') AND ${monitors.paused} = 0
    AND ((${isRecent(sql`${monitors.retry_at}`)} AND ${isRecent(down_since)}) OR ${isRecent(ended_at)})))`;
}

/** What a monitor depends on and is the reason of an outage that begins now. */
export async function findHoldingParent(
  db: Db,
  monitor: { id: string; interval: number; timeout_seconds: number },
  now: number,
): Promise<string | null> {
  const holding = isHoldingBack({ now, grace_ms: graceMs(monitor), down_since: now });
  const rows = await db
    .select({ id: monitorDependencies.parent_id })
    .from(monitorDependencies)
    .innerJoin(monitors, eq(monitors.id, monitorDependencies.parent_id))
    .where(and(eq(monitorDependencies.monitor_id, monitor.id), holding))
    // One that is down comes before one that was.
    .orderBy(desc(sql`${monitors.status} = 'down'`))
    .limit(1);
  return rows[0]?.id ?? null;
}

/** Those among these monitors, with the transition that began the outage. */
export function listEndedSuppressionsAmong(db: Db, now: number, monitorIds: readonly string[]) {
  return db
    .select({ held: heldOutages, transition: transitions })
    .from(heldOutages)
    .innerJoin(monitors, eq(monitors.id, heldOutages.monitor_id))
    .innerJoin(
      transitions,
      and(eq(transitions.monitor_id, heldOutages.monitor_id), eq(transitions.seq, heldOutages.outage_seq)),
    )
    .where(
      and(
        sql`${heldOutages.monitor_id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`,
        isReleasable(now),
      ),
    )
    .limit(monitorIds.length);
}
