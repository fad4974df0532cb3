import { and, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { SubscriptionTopic } from "../../contract/subscriber.ts";
import { isServedUnder } from "../custom-domains/read.ts";
import { customDomains } from "../custom-domains/table.ts";
import type { Db, Statement } from "../db.ts";
import { statusPages } from "../status-pages/table.ts";
import { isDue, type SubscriberMessageRecord, type SubscriberRecord } from "./read.ts";
import { subscriberMessages, subscribers } from "./table.ts";

export type SubscriberChange = Partial<Omit<SubscriberRecord, "id" | "owner_id" | "status_page_id">>;

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

export interface MessageFanOut {
  event_id: string;
  status_page_id: string;
  topic: SubscriptionTopic;
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
export function insertSubscriberMessages(db: Db, told: MessageFanOut): Statement {
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
