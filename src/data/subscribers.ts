import { and, asc, count, desc, eq, gt, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { SubscriberEvent } from "../contract/subscriber.ts";
import type { Db, Statement } from "./db.ts";
import { customDomains } from "./domains.table.ts";
import { isServedUnder } from "./domains.ts";
import { monitorGroups } from "./groups.table.ts";
import { incidentGroups, incidentMonitors } from "./incidents.table.ts";
import { maintenanceGroups, maintenanceMonitors } from "./maintenance.table.ts";
import { monitors } from "./monitors.table.ts";
import { isShown } from "./shown-monitors.ts";
import { statusPages } from "./status-pages.table.ts";
import { subscriberMessages, subscribers } from "./subscribers.table.ts";

export type SubscriberRecord = typeof subscribers.$inferSelect;
export type SubscriberChange = Partial<Omit<SubscriberRecord, "id" | "owner_id" | "status_page_id">>;
export type SubscriberMessageRecord = typeof subscriberMessages.$inferSelect;

export async function findSubscriber(db: Db, subscriberId: string): Promise<SubscriberRecord | undefined> {
  const rows = await db.select().from(subscribers).where(eq(subscribers.id, subscriberId)).limit(1);
  return rows[0];
}

type Endpoint = Pick<SubscriberRecord, "status_page_id" | "channel" | "endpoint_hash">;

export async function findSubscriberAt(db: Db, at: Endpoint): Promise<SubscriberRecord | undefined> {
  const rows = await db
    .select()
    .from(subscribers)
    .where(
      and(
        eq(subscribers.status_page_id, at.status_page_id),
        eq(subscribers.channel, at.channel),
        eq(subscribers.endpoint_hash, at.endpoint_hash),
      ),
    )
    .limit(1);
  return rows[0];
}

/** Newest first. */
export async function listSubscribers(db: Db, pageId: string, page: { limit: number; offset: number }) {
  const ofPage = eq(subscribers.status_page_id, pageId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(subscribers)
      .where(ofPage)
      .orderBy(desc(subscribers.created_at), desc(subscribers.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(subscribers).where(ofPage),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export function insertSubscriber(db: Db, subscriber: SubscriberRecord): Statement {
  return db.insert(subscribers).values(subscriber);
}

export function updateSubscriber(db: Db, subscriberId: string, change: SubscriberChange): Statement {
  return db.update(subscribers).set(change).where(eq(subscribers.id, subscriberId));
}

export function deleteSubscriber(
  db: Db,
  { id, status_page_id }: Pick<SubscriberRecord, "id" | "status_page_id">,
): Statement {
  return db.delete(subscribers).where(and(eq(subscribers.id, id), eq(subscribers.status_page_id, status_page_id)));
}

/** Requests that nobody confirmed; whoever once was subscribed stays on record. */
export function deleteUnconfirmedBefore(db: Db, instant: number): Statement {
  return db
    .delete(subscribers)
    .where(
      and(isNull(subscribers.confirmed_at), isNull(subscribers.unsubscribed_at), lt(subscribers.requested_at, instant)),
    );
}

export function insertSubscriberMessage(db: Db, message: SubscriberMessageRecord): Statement {
  return db.insert(subscriberMessages).values(message).onConflictDoNothing();
}

export interface Told {
  event_id: string;
  status_page_id: string;
  topic: SubscriberEvent;
  /** What it is about; nothing: all of the page. */
  monitor_ids: string[];
  group_ids: string[];
  news: Record<string, unknown>;
  now: number;
}

/**
 * One message for each confirmed subscriber whom this concerns, by one statement; a repeat adds none. What happens on a
 * hidden page is told to nobody, because nobody could read it there.
 */
export function insertNews(db: Db, told: Told): Statement {
  const any = (chosen: SQL, ids: string[]) =>
    sql`EXISTS (SELECT 1 FROM json_each(${chosen}) c JOIN json_each(${JSON.stringify(ids)}) a ON a.value = c.value)`;
  const isWide = told.monitor_ids.length + told.group_ids.length === 0;
  const concerns = isWide
    ? sql`true`
    : sql`(json_array_length(s.monitor_ids) + json_array_length(s.group_ids) = 0
        OR ${any(sql`s.monitor_ids`, told.monitor_ids)} OR ${any(sql`s.group_ids`, told.group_ids)})`;
  return db
    .insert(subscriberMessages)
    .select(
      sql`SELECT ${told.event_id} || '.' || s.id, s.id, 'news', ${JSON.stringify(told.news)}, 'pending', 0, ${told.now}, 0, NULL,
          ${told.now}, ${told.now}
        FROM ${subscribers} s WHERE s.status_page_id = ${told.status_page_id}
          AND s.confirmed_at IS NOT NULL AND s.unsubscribed_at IS NULL
          AND EXISTS (SELECT 1 FROM status_pages p WHERE p.id = s.status_page_id AND p.is_public)
          AND (json_array_length(s.events) = 0 OR EXISTS (SELECT 1 FROM json_each(s.events) e WHERE e.value = ${told.topic}))
          AND ${concerns}`,
    )
    .onConflictDoNothing();
}

interface Affected {
  /** Of the incident or the maintenance. */
  id: string;
  status_page_id: string;
  /** What is stored as affected only in the batch to come. */
  monitor_ids: string[];
  group_ids: string[];
}

/** The monitors and groups that an incident or a maintenance is about, with the groups of those monitors. */
export async function listAffected(db: Db, about: Affected) {
  const affectedMonitor = {
    monitor_id: sql<string | null>`${monitors.id}`.as("monitor_id"),
    group_id: sql<string | null>`${monitors.group_id}`.as("group_id"),
    name: monitors.name,
    /** Of these alone the page shows the name. */
    is_shown: sql<number | null>`${isShown(about.status_page_id)}`.as("is_shown"),
  };
  const [chosen, inGroups] = await db.batch([
    db
      .select(affectedMonitor)
      .from(monitors)
      .where(
        sql`${monitors.id} IN (
          SELECT monitor_id FROM ${incidentMonitors} WHERE incident_id = ${about.id}
          UNION SELECT monitor_id FROM ${maintenanceMonitors} WHERE maintenance_id = ${about.id}
          UNION SELECT value FROM json_each(${JSON.stringify(about.monitor_ids)}))`,
      ),
    db
      .select({ ...affectedMonitor, group_id: sql<string | null>`${monitorGroups.id}`.as("group_id") })
      .from(monitorGroups)
      .leftJoin(monitors, eq(monitors.group_id, monitorGroups.id))
      .where(
        sql`${monitorGroups.id} IN (
          SELECT group_id FROM ${incidentGroups} WHERE incident_id = ${about.id}
          UNION SELECT group_id FROM ${maintenanceGroups} WHERE maintenance_id = ${about.id}
          UNION SELECT value FROM json_each(${JSON.stringify(about.group_ids)}))`,
      ),
  ]);
  const rows = [...chosen, ...inGroups];
  const distinct = (values: (string | null)[]) => [...new Set(values.filter((value) => value !== null))];
  return {
    monitor_ids: distinct(rows.map(({ monitor_id }) => monitor_id)),
    group_ids: distinct(rows.map(({ group_id }) => group_id)),
    names: distinct(rows.filter(({ is_shown }) => is_shown === 1).map(({ name }) => name)),
  };
}

export type DueMessage = Pick<SubscriberRecord, "id" | "channel">;

const isPending = sql`${subscriberMessages.state} = 'pending'`;
const isDue = (now: number) =>
  and(isPending, lte(subscriberMessages.next_attempt_at, now), lt(subscriberMessages.lease_until, now));

/** What is due of all that tells of one event, in the order of its ids, beyond one of them. */
export async function listDueNews(
  db: Db,
  { event_id, after, now, limit }: { event_id: string; after: string; now: number; limit: number },
): Promise<DueMessage[]> {
  // Ids begin with the event's and a stop; what follows a stop in ASCII is a slash.
  const ofEvent = and(gt(subscriberMessages.id, after || `${event_id}.`), lt(subscriberMessages.id, `${event_id}/`));
  return selectDue(db, and(ofEvent, isDue(now)), limit);
}

/** Those of these that are due. */
export async function listDueAmong(db: Db, ids: readonly string[], now: number): Promise<DueMessage[]> {
  const named = sql`${subscriberMessages.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return selectDue(db, and(named, isDue(now)), ids.length);
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

export async function listDueSubscriberMessages(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: subscriberMessages.id })
    .from(subscriberMessages)
    .where(isDue(now))
    .orderBy(asc(subscriberMessages.next_attempt_at))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Takes a message for one attempt, with whom it is for; undefined where somebody else has it. */
export async function claimSubscriberMessage(
  db: Db,
  id: string,
  { now, lease_until }: { now: number; lease_until: number },
) {
  const [claimed, found] = await db.batch([
    db
      .update(subscriberMessages)
      .set({ lease_until, attempt: sql`${subscriberMessages.attempt} + 1`, updated_at: now })
      .where(and(eq(subscriberMessages.id, id), isDue(now)))
      .returning(),
    db
      .select({
        subscriber: subscribers,
        page: {
          name: statusPages.name,
          slug: statusPages.slug,
          timezone: statusPages.timezone,
          brand_color: statusPages.brand_color,
          domain: customDomains.hostname,
        },
      })
      .from(subscribers)
      .innerJoin(statusPages, eq(statusPages.id, subscribers.status_page_id))
      .leftJoin(customDomains, isServedUnder(statusPages.id))
      .where(eq(subscribers.id, sql`(SELECT subscriber_id FROM subscriber_messages WHERE id = ${id})`)),
  ]);
  const [message, around] = [claimed[0], found[0]];
  return message && around && { message, ...around };
}

type Settlement = Partial<Pick<SubscriberMessageRecord, "state" | "next_attempt_at" | "error">> & {
  updated_at: number;
};

export function settleSubscriberMessage(
  db: Db,
  { id, attempt }: Pick<SubscriberMessageRecord, "id" | "attempt">,
  settlement: Settlement,
): Statement {
  return db
    .update(subscriberMessages)
    .set({ ...settlement, lease_until: 0 })
    .where(and(eq(subscriberMessages.id, id), eq(subscriberMessages.attempt, attempt)));
}

export function deleteSubscriberMessagesBefore(db: Db, instant: number): Statement {
  return db.delete(subscriberMessages).where(lt(subscriberMessages.created_at, instant));
}
