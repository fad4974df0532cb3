import { and, asc, count, desc, eq, gte, inArray, isNull, min, ne, or, sql } from "drizzle-orm";
import { union } from "drizzle-orm/sqlite-core";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { findDelayedSince } from "../../domain/check-schedule.ts";
import { isCheckGroupLate } from "../check-groups/read.ts";
import type { Db } from "../db.ts";
import { isListedAlone } from "../incidents/bundles.ts";
import { incidents } from "../incidents/table.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { pageMembers } from "../members/table.ts";
import { checkGroups, monitors, plannedMinutes } from "../monitors/table.ts";
import { notifications } from "../notifications/table.ts";
import { outages } from "../outages/table.ts";
import { statusPages } from "../status-pages/table.ts";

const SHOWN_MAX = 10;
const BAD: MonitorStatus[] = ["down", "degraded", "unknown"];

/** How everything stands that a person sees, in one round trip. */
export async function readOverview(db: Db, viewer: Viewer, late: { now: number; after_ms: number }) {
  const userId = viewer.user_id;
  const isOpen = and(isListedAlone, visibleTo(viewer, incidents), ne(incidents.status, "resolved"));
  const severity = sql`CASE ${monitors.status} WHEN 'down' THEN 0 WHEN 'degraded' THEN 1 ELSE 2 END`;
  const [statuses, worst, open, counts, checks] = await db.batch([
    db
      .select({ status: monitors.status, count: count() })
      .from(monitors)
      .where(visibleTo(viewer, monitors))
      .groupBy(monitors.status),
    db
      .select({
        id: monitors.id,
        status_page_id: monitors.status_page_id,
        name: monitors.name,
        type: monitors.type,
        status: monitors.status,
        status_since: monitors.status_since,
        status_message: monitors.status_message,
      })
      .from(monitors)
      .where(and(visibleTo(viewer, monitors), inArray(monitors.status, BAD)))
      .orderBy(severity, asc(monitors.status_since), asc(monitors.id))
      .limit(SHOWN_MAX),
    db
      .select({
        id: incidents.id,
        status_page_id: incidents.status_page_id,
        title: incidents.title,
        severity: incidents.severity,
        status: incidents.status,
        started_at: incidents.started_at,
        acknowledged_at: incidents.acknowledged_at,
      })
      .from(incidents)
      .where(isOpen)
      .orderBy(desc(incidents.started_at), desc(incidents.id))
      .limit(SHOWN_MAX),
    db
      .select({
        open_incidents: db.$count(incidents, isOpen),
        owned_pages: db.$count(statusPages, eq(statusPages.owner_id, userId)),
        shared_pages: db.$count(pageMembers, eq(pageMembers.user_id, userId)),
        unread: db.$count(notifications, and(eq(notifications.user_id, userId), isNull(notifications.read_at))),
      })
      .from(sql`(SELECT 1)`),
    // Only what is not pushed waits for the clock, and only what we check ourselves has slots.
    db
      .select({
        needing: count(),
        late_since: sql<
          number | null
        >`min(CASE WHEN ${isCheckGroupLate(late.now, late.after_ms)} THEN g.last_slot_at END)`,
        last_tick_at: sql<number | null>`(SELECT max(minute_at) FROM ${plannedMinutes})`,
      })
      .from(monitors)
      .leftJoin(sql`${checkGroups} g`, sql`g.id = ${monitors.check_group_id} AND ${monitors.agent_id} IS NULL`)
      .where(
        and(
          visibleTo(viewer, monitors),
          eq(monitors.paused, false),
          sql`(${monitors.check_group_id} <> '' OR ${monitors.agent_id} IS NOT NULL OR ${monitors.locations} <> '[]')`,
        ),
      ),
  ]);
  const none = { open_incidents: 0, owned_pages: 0, shared_pages: 0, unread: 0 };
  const { needing, ...punctuality } = checks[0] ?? { needing: 0, late_since: null, last_tick_at: null };
  const delayed = needing === 0 ? null : findDelayedSince(punctuality, late.now, late.after_ms);
  return { statuses, worst, open, counts: counts[0] ?? none, checks_delayed_since: delayed };
}

/** The monitors that a person sees, the worst first and then by name. */
export async function listWorst(db: Db, viewer: Viewer, limit: number) {
  const order = sql`CASE ${monitors.status} WHEN 'down' THEN 0 WHEN 'degraded' THEN 1 WHEN 'unknown' THEN 2
    WHEN 'paused' THEN 4 ELSE 3 END`;
  return db
    .select({
      id: monitors.id,
      name: monitors.name,
      status: monitors.status,
      status_since: monitors.status_since,
      status_message: monitors.status_message,
    })
    .from(monitors)
    .where(visibleTo(viewer, monitors))
    .orderBy(order, asc(monitors.name), asc(monitors.id))
    .limit(limit);
}

/** What every view counts in its frame: open incidents and monitors that are down, of all that a person sees, and what they have not read. */
export async function countForFrame(db: Db, userId: string) {
  const owned = db.select({ id: statusPages.id }).from(statusPages).where(eq(statusPages.owner_id, userId));
  const joined = db.select({ id: pageMembers.status_page_id }).from(pageMembers).where(eq(pageMembers.user_id, userId));
  // The indexes hold the words, and a parameter is none.
  const isOpen = sql`${incidents.status} <> 'resolved'`;
  const isDown = sql`${monitors.status} = 'down'`;
  const isMine = sql`(${monitors.owner_id} = ${userId} OR ${monitors.status_page_id} IN (${joined}))`;
  const [row] = await db
    .select({
      open_incidents: db.$count(
        incidents,
        and(isListedAlone, isOpen, sql`${incidents.status_page_id} IN (${union(owned, joined)})`),
      ),
      down: db.$count(monitors, and(isDown, isMine)),
      unread: db.$count(notifications, and(eq(notifications.user_id, userId), isNull(notifications.read_at))),
    })
    .from(sql`(SELECT 1)`);
  return row ?? { open_incidents: 0, down: 0, unread: 0 };
}

/** Of a fleet that fails all the time; the newest of them are the ones that its picture shows. */
const OUTAGES_MAX = 2000;

/** What a person's monitors were down for in a span, and how soon people acknowledged and resolved. */
export async function readFleet(db: Db, viewer: Viewer, { until, since }: { until: number; since: number }) {
  const isWatched = and(visibleTo(viewer, monitors), eq(monitors.paused, false));
  const [down, watched, handled] = await db.batch([
    db
      .select({ monitor_id: outages.monitor_id, from_at: outages.started_at, to_at: outages.ended_at })
      .from(outages)
      .innerJoin(monitors, eq(monitors.id, outages.monitor_id))
      .where(
        and(isWatched, eq(outages.in_maintenance, false), or(isNull(outages.ended_at), gte(outages.ended_at, since))),
      )
      .orderBy(desc(outages.started_at))
      .limit(OUTAGES_MAX),
    db
      .select({
        count: count(),
        first_at: min(monitors.created_at),
        watched_ms: sql<number>`coalesce(sum(max(0, ${until} - max(${monitors.created_at}, ${since}))), 0)`,
      })
      .from(monitors)
      .where(isWatched),
    db
      .select({
        acknowledged_after: sql<number | null>`avg(${incidents.acknowledged_at} - ${incidents.started_at})`,
        resolved_after: sql<number | null>`avg(${incidents.resolved_at} - ${incidents.started_at})`,
      })
      .from(incidents)
      .where(and(isListedAlone, visibleTo(viewer, incidents), gte(incidents.started_at, since))),
  ]);
  return {
    down,
    count: watched[0]?.count ?? 0,
    first_at: watched[0]?.first_at ?? null,
    watched_ms: watched[0]?.watched_ms ?? 0,
    acknowledged_after: handled[0]?.acknowledged_after ?? null,
    resolved_after: handled[0]?.resolved_after ?? null,
  };
}
