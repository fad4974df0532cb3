import { and, asc, count, desc, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { incidentGroups, incidentMonitors } from "../incidents/table.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { maintenanceGroups, maintenanceMonitors } from "../maintenance/table.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import { monitors } from "../monitors/table.ts";
import { isDue, isPending, listToWake } from "../outbox/rows.ts";
import { isPubliclyVisible } from "../public-page/visible-monitors.ts";
import { subscriberMessages, subscribers } from "./table.ts";

export type SubscriberRecord = typeof subscribers.$inferSelect;
export type SubscriberMessageRecord = typeof subscriberMessages.$inferSelect;

export async function findSubscriber(db: Db, subscriberId: string): Promise<SubscriberRecord | undefined> {
  const rows = await db.select().from(subscribers).where(eq(subscribers.id, subscriberId)).limit(1);
  return rows[0];
}

interface Endpoint extends Pick<SubscriberRecord, "status_page_id" | "channel"> {
  endpoint_hashes: readonly string[];
}

export async function findSubscriberAt(db: Db, at: Endpoint): Promise<SubscriberRecord | undefined> {
  const rows = await db
    .select()
    .from(subscribers)
    .where(
      and(
        eq(subscribers.status_page_id, at.status_page_id),
        eq(subscribers.channel, at.channel),
        inArray(subscribers.endpoint_hash, [...at.endpoint_hashes]),
      ),
    )
    .limit(1);
  return rows[0];
}

/** Newest first. */
export async function listSubscribers(
  db: Db,
  scope: { visible_to: Viewer } | { status_page_id: string },
  page: Pagination,
) {
  const ofPage =
    "visible_to" in scope
      ? visibleTo(scope.visible_to, subscribers)
      : eq(subscribers.status_page_id, scope.status_page_id);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(subscribers)
      .where(and(ofPage, isBelow(page, subscribers.created_at, subscribers.id)))
      .orderBy(desc(subscribers.created_at), desc(subscribers.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(subscribers).where(ofPage),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

interface Affected {
  /** Of the incident or the maintenance. */
  id: string;
  status_page_id: string;
  /** Affected, but stored only in the batch to come. */
  monitor_ids: string[];
  group_ids: string[];
  /** It affects all that the page has; a stored window says so itself. */
  covers_page: boolean;
}

/**
 * The monitors and groups that an incident or a maintenance window affects, with the groups and the composites of those
 * monitors: the page shows a composite in place of its members.
 */
export async function listAffected(db: Db, about: Affected) {
  const affectedMonitor = {
    monitor_id: sql<string | null>`${monitors.id}`.as("monitor_id"),
    group_id: sql<string | null>`${monitors.group_id}`.as("group_id"),
    name: monitors.name,
    /** Of these alone the page shows the name. */
    is_shown: sql<number | null>`${isPubliclyVisible(about.status_page_id)}`.as("is_shown"),
  };
  const isWhole = sql`(${about.covers_page ? 1 : 0} = 1
    OR EXISTS (SELECT 1 FROM maintenance w WHERE w.id = ${about.id} AND w.covers_page = 1))`;
  const isChosen = sql`IN (
    SELECT m.id FROM monitors m WHERE m.status_page_id = ${about.status_page_id} AND ${isWhole} UNION
    SELECT monitor_id FROM ${incidentMonitors} WHERE incident_id = ${about.id}
    UNION SELECT monitor_id FROM ${maintenanceMonitors} WHERE maintenance_id = ${about.id}
    UNION SELECT value FROM json_each(${JSON.stringify(about.monitor_ids)}))`;
  const isChosenGroup = sql`IN (
    SELECT g.id FROM monitor_groups g WHERE g.status_page_id = ${about.status_page_id} AND ${isWhole} UNION
    SELECT group_id FROM ${incidentGroups} WHERE incident_id = ${about.id}
    UNION SELECT group_id FROM ${maintenanceGroups} WHERE maintenance_id = ${about.id}
    UNION SELECT value FROM json_each(${JSON.stringify(about.group_ids)}))`;
  const [chosen, inGroups, composites] = await db.batch([
    db.select(affectedMonitor).from(monitors).where(sql`${monitors.id} ${isChosen}`),
    db
      .select({ ...affectedMonitor, group_id: sql<string | null>`${monitorGroups.id}`.as("group_id") })
      .from(monitorGroups)
      .leftJoin(monitors, eq(monitors.group_id, monitorGroups.id))
      .where(sql`${monitorGroups.id} ${isChosenGroup}`),
    db
      .select(affectedMonitor)
      .from(monitors)
      .where(
        sql`${monitors.id} IN (SELECT c.parent_monitor_id FROM monitors c
          WHERE c.parent_monitor_id IS NOT NULL AND (c.id ${isChosen} OR c.group_id ${isChosenGroup}))`,
      ),
  ]);
  const rows = [...chosen, ...inGroups, ...composites];
  const distinct = (values: (string | null)[]) => [...new Set(values.filter((value) => value !== null))];
  return {
    monitor_ids: distinct(rows.map(({ monitor_id }) => monitor_id)),
    group_ids: distinct(rows.map(({ group_id }) => group_id)),
    names: distinct(rows.filter(({ is_shown }) => is_shown === 1).map(({ name }) => name)),
  };
}

/** Of these monitors those that the page shows, with what subscribers may have chosen. */
export function listShownServices(db: Db, pageId: string, monitorIds: readonly string[]) {
  return db
    .select({ id: monitors.id, group_id: monitors.group_id, name: monitors.name })
    .from(monitors)
    .where(
      and(
        sql`${monitors.id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`,
        isPubliclyVisible(pageId),
      ),
    )
    .limit(monitorIds.length);
}

export type DueMessage = Pick<SubscriberRecord, "id" | "channel">;

/** Due messages about one event in the order of their ids, after one of them. */
export async function listDueMessagesOfEvent(
  db: Db,
  { event_id, after, now, limit }: { event_id: string; after: string; now: number; limit: number },
): Promise<DueMessage[]> {
  // Ids begin with the event's and a stop; what follows a stop in ASCII is a slash.
  const ofEvent = and(gt(subscriberMessages.id, after || `${event_id}.`), lt(subscriberMessages.id, `${event_id}/`));
  return selectDue(db, and(ofEvent, isDue(subscriberMessages, now)), limit);
}

/** Those of these that are due. */
export async function listDueAmong(db: Db, ids: readonly string[], now: number): Promise<DueMessage[]> {
  const named = sql`${subscriberMessages.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return selectDue(db, and(named, isDue(subscriberMessages, now)), ids.length);
}

function selectDue(db: Db, chosen: SQL | undefined, limit: number): Promise<DueMessage[]> {
  return db
    .select({ id: subscriberMessages.id, channel: subscribers.channel })
    .from(subscriberMessages)
    .innerJoin(subscribers, eq(subscribers.id, subscriberMessages.subscriber_id))
    .where(chosen)
    .orderBy(asc(subscriberMessages.id))
    .limit(limit);
}

export function listSubscriberMessagesToWake(db: Db, now: number, limit: number): Promise<string[]> {
  return listToWake(db, subscriberMessages, {
    wakeAt: subscriberMessages.wake_at,
    isWaiting: isPending(subscriberMessages),
    dueAt: subscriberMessages.next_attempt_at,
    now,
    limit,
  });
}
