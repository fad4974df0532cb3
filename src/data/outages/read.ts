import { and, count, desc, eq, gt, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { incidents } from "../incidents/table.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { monitors, transitions } from "../monitors/table.ts";
import { BACKFILLED_SEQ, outages } from "./table.ts";

export type OutageRecord = typeof outages.$inferSelect;
export type TransitionRecord = typeof transitions.$inferSelect;

/** Counting stops here, because a long history would be read in full for one number. */
const TOTAL_MAX = 10_000;

export interface TimeRange {
  from?: number;
  to?: number;
}

/** Of one monitor, or those that began on a page while their monitors were there, of monitors that still are. */
export type OutageScope = { monitor_id: string } | { status_page_id: string };

export async function hasOutage(db: Db, id: string): Promise<boolean> {
  const rows = await db.select({ id: outages.id }).from(outages).where(eq(outages.id, id)).limit(1);
  return rows.length > 0;
}

/** The last one that began. */
export async function findLatestOutage(
  db: Db,
  monitorId: string,
): Promise<Pick<OutageRecord, "seq" | "ended_at"> | undefined> {
  const rows = await db
    .select({ seq: outages.seq, ended_at: outages.ended_at })
    .from(outages)
    .where(eq(outages.monitor_id, monitorId))
    .orderBy(desc(outages.started_at), desc(outages.seq))
    .limit(1);
  return rows[0];
}

export interface OutageWindow {
  monitor_id: string;
  from: number;
  to: number;
}

export type OutageAround = Awaited<ReturnType<typeof listOutagesAround>>[number];

/** Those that begin in the window of their monitor, and the last announced and backfilled one before it. */
export function listOutagesAround(db: Db, windows: readonly OutageWindow[]) {
  const member = (name: keyof OutageWindow) => sql`r.value ->> ${sql.raw(`'${name}'`)}`;
  const lastBefore = (isBackfilled: SQL) => sql`coalesce((SELECT max(b.started_at) FROM ${outages} AS b
    WHERE b.monitor_id = ${member("monitor_id")} AND b.started_at < ${member("from")} AND ${isBackfilled}), ${member("from")})`;
  return db
    .select({
      id: outages.id,
      monitor_id: outages.monitor_id,
      started_at: outages.started_at,
      ended_at: outages.ended_at,
      cause: outages.cause,
      evidence: outages.evidence,
      is_backfilled: sql`${outages.seq} = ${BACKFILLED_SEQ}`.mapWith(Boolean),
    })
    .from(sql`json_each(${JSON.stringify(windows)}) AS r`)
    .innerJoin(
      outages,
      sql`${outages.monitor_id} = ${member("monitor_id")} AND ${outages.started_at} <= ${member("to")}
        AND ${outages.started_at} >= min(${lastBefore(sql`b.seq = ${BACKFILLED_SEQ}`)}, ${lastBefore(sql`b.seq <> ${BACKFILLED_SEQ}`)})`,
    );
}

/** Outages that overlap the range, the latest first, each with its automatic incident. */
export async function listOutages(db: Db, scope: OutageScope, range: TimeRange, page: Pagination) {
  const wanted = and(isOf(scope), overlaps(range));
  const counted = db
    .select({ one: sql`1` })
    .from(outages)
    .innerJoin(monitors, eq(monitors.id, outages.monitor_id))
    .where(wanted)
    .limit(TOTAL_MAX)
    .as("counted");
  const [rows, totals] = await db.batch([
    db
      .select({
        outage: outages,
        // Under names of their own: a batch gives the columns of a row by name.
        monitor: {
          owner_id: sql<string>`${monitors.owner_id}`.as("monitor_owner_id"),
          status_page_id: sql<string | null>`${monitors.status_page_id}`.as("monitor_page_id"),
          agent_id: sql<string | null>`${monitors.agent_id}`.as("monitor_agent_id"),
        },
        incident_id: sql<string | null>`coalesce(${incidents.bundle_id}, ${incidents.id})`.as("incident_id"),
        acknowledged_at: sql<number | null>`${incidents.acknowledged_at}`.as("incident_acknowledged_at"),
      })
      .from(outages)
      .innerJoin(monitors, eq(monitors.id, outages.monitor_id))
      .leftJoin(incidents, sql`${incidents.origin_outage_id} = ${outages.monitor_id} || '/' || ${outages.seq}`)
      .where(and(wanted, isBelow(page, outages.started_at, outages.id)))
      .orderBy(desc(outages.started_at), desc(outages.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(counted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** Changes of a monitor's status that took effect in the range, the latest first. */
export async function listTransitions(db: Db, monitorId: string, range: TimeRange, page: Pagination) {
  const wanted = and(
    eq(transitions.monitor_id, monitorId),
    range.from === undefined ? undefined : sql`${transitions.effective_at} >= ${range.from}`,
    range.to === undefined ? undefined : lt(transitions.effective_at, range.to),
  );
  const counted = db.select({ one: sql`1` }).from(transitions).where(wanted).limit(TOTAL_MAX).as("counted");
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(transitions)
      .where(and(wanted, isBelow(page, transitions.seq, transitions.monitor_id)))
      .orderBy(desc(transitions.seq))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(counted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

function isOf(scope: OutageScope): SQL | undefined {
  if ("monitor_id" in scope) return eq(outages.monitor_id, scope.monitor_id);
  return and(eq(outages.status_page_id, scope.status_page_id), eq(monitors.status_page_id, scope.status_page_id));
}

function overlaps({ from, to }: TimeRange): SQL | undefined {
  return and(
    to === undefined ? undefined : lt(outages.started_at, to),
    from === undefined ? undefined : or(isNull(outages.ended_at), gt(outages.ended_at, from)),
  );
}
