import { and, eq, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { SubscriptionTopic } from "../../contract/events.ts";
import type { Together } from "../../contract/subscriber.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { isServedUnder } from "../custom-domains/read.ts";
import { customDomains } from "../custom-domains/table.ts";
import { type Db, deleteSome, type Statement } from "../db.ts";
import { events } from "../events/table.ts";
import { incidents } from "../incidents/table.ts";
import { claim, settle, WAKE_GRACE_MS } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";
import type { SubscriberMessageRecord, SubscriberRecord } from "./read.ts";
import { subscriberMessages, subscribers } from "./table.ts";

/** Messages are kept a little longer than this. */
const KNOWN_MS = 29 * DAY_MS;

export type SubscriberChange = Partial<Omit<SubscriberRecord, "id" | "owner_id" | "status_page_id">>;

export function insertSubscriber(db: Db, subscriber: SubscriberRecord): Statement {
  return db.insert(subscribers).values(subscriber);
}

export function updateSubscriber(db: Db, subscriberId: string, change: SubscriberChange): Statement {
  return db.update(subscribers).set(change).where(eq(subscribers.id, subscriberId));
}

/** Ends the run of failures. */
export function markSubscriberReached(db: Db, subscriberId: string): Statement {
  return db
    .update(subscribers)
    .set({ failing_since: null })
    .where(and(eq(subscribers.id, subscriberId), isNotNull(subscribers.failing_since)));
}

/** Begins a run of failures, unless one has begun. */
export function markSubscriberFailing(db: Db, subscriberId: string, now: number): Statement {
  return db
    .update(subscribers)
    .set({ failing_since: now })
    .where(and(eq(subscribers.id, subscriberId), isNull(subscribers.failing_since)));
}

export function deleteSubscriber(
  db: Db,
  { id, status_page_id }: Pick<SubscriberRecord, "id" | "status_page_id">,
): Statement {
  return db.delete(subscribers).where(and(eq(subscribers.id, id), eq(subscribers.status_page_id, status_page_id)));
}

/** Unconfirmed requests; former subscribers keep their row. */
export function deleteUnconfirmedBefore(db: Db, instant: number): Statement {
  return deleteSome(
    db,
    subscribers,
    and(isNull(subscribers.confirmed_at), isNull(subscribers.unsubscribed_at), lt(subscribers.requested_at, instant)),
  );
}

export function insertSubscriberMessage(db: Db, message: Omit<SubscriberMessageRecord, "wake_at">): Statement {
  const wake_at = message.next_attempt_at + WAKE_GRACE_MS;
  return db
    .insert(subscriberMessages)
    .values({ ...message, wake_at })
    .onConflictDoNothing();
}

export interface MessageFanOut {
  event_id: string;
  status_page_id: string;
  topic: SubscriptionTopic;
  /** Both empty: the whole page is affected. */
  monitor_ids: string[];
  group_ids: string[];
  news: Record<string, unknown>;
  /** Null for what is no incident. */
  incident: IncidentNews | null;
  now: number;
}

/** What a message says of an incident: where it is in its story, and how those who know the beginning are found. */
export interface IncidentNews extends Told {
  step: "begins" | "goes_on" | "ends" | "withdrawn";
  is_over: boolean;
  /** What those read who cannot open the page any more. */
  hidden_news: Record<string, unknown>;
}

interface Told {
  ids: readonly string[];
  /** The incidents that list them. */
  bundle_ids: readonly string[];
  /** The events that may have announced it. */
  begun_by: readonly string[];
  is_automatic: boolean;
  started_at: number;
}

/**
 * Inserts one message per confirmed subscriber whom the news concern, in one idempotent statement. A private page begins
 * no story, because its subscribers cannot open it; of what they have read the end is sent all the same.
 */
export function insertSubscriberMessages(db: Db, fanOut: MessageFanOut): Statement {
  const { incident } = fanOut;
  const any = (chosen: SQL, ids: string[]) =>
    sql`EXISTS (SELECT 1 FROM json_each(${chosen}) c JOIN json_each(${JSON.stringify(ids)}) a ON a.value = c.value)`;
  const isWide = fanOut.monitor_ids.length + fanOut.group_ids.length === 0;
  const isChosen = isWide
    ? sql`true`
    : sql`(${HEARS_ALL} OR ${any(sql`s.monitor_ids`, fanOut.monitor_ids)} OR ${any(sql`s.group_ids`, fanOut.group_ids)})`;
  const news = JSON.stringify(fanOut.news);
  if (incident === null)
    return insertNews(db, fanOut, { news: sql`${news}`, concerns: sql`(${IS_OPEN} AND ${isChosen})` });
  // What was unpublished meanwhile is said to nobody any more.
  const isShown = sql`(${IS_OPEN} AND NOT EXISTS (SELECT 1 FROM ${incidents} i
    WHERE i.id IN (SELECT value FROM json_each(${JSON.stringify(incident.ids)})) AND NOT i.is_public))`;
  if (incident.step === "begins")
    return insertNews(db, fanOut, { news: sql`${news}`, concerns: sql`(${isShown} AND ${isChosen})` });
  const hasRead = hasReadOf(incident);
  if (incident.step === "ends" || incident.step === "withdrawn") {
    const hidden = sql`json_set(${JSON.stringify(incident.hidden_news)}, '$.title', ${lastTitle(incident)})`;
    // What is unpublished before its beginning is made begins for nobody.
    const told = incident.step === "withdrawn" ? { ...incident, begun_by: [], is_automatic: false } : incident;
    // Nothing leads to one that is deleted.
    const linked = sql`(SELECT i.id FROM ${incidents} i WHERE i.id = ${fanOut.news.incident_id ?? null})`;
    return insertNews(db, fanOut, {
      news: sql`iif(${IS_OPEN}, json_set(${news}, '$.incident_id', ${linked}), ${hidden})`,
      concerns: sql`(NOT ${hasEnded(incident)}
        AND (${hasRead} OR (${IS_OPEN} AND ${isChosen} AND ${mayHaveRead(told, fanOut)})))`,
    });
  }
  // The first message about an incident is its beginning to the reader. What is over begins for nobody who came later.
  const wasThere = incident.is_over ? sql`s.confirmed_at <= ${incident.started_at}` : sql`true`;
  return insertNews(db, fanOut, {
    news: sql`iif(${hasRead}, ${news}, json_set(${news}, '$.event', 'incident.created'))`,
    concerns: sql`(${isShown} AND (${hasRead} OR (${isChosen} AND ${wasThere})))`,
  });
}

/** The subscriber was sent something about one of these incidents. */
function hasReadOf(told: Told): SQL {
  return sql`EXISTS (SELECT 1 FROM ${messagesAbout(told)} m)`;
}

/** The last that the subscriber was sent about this very incident is that it is over or withdrawn. */
function hasEnded({ ids, ...told }: Told): SQL {
  return sql`coalesce((SELECT m.news ->> 'status' = 'resolved' OR m.news ->> 'event' = 'incident.withdrawn'
    FROM ${messagesAbout({ ...told, ids, bundle_ids: [] })} m ORDER BY m.created_at DESC, m.id DESC LIMIT 1), 0)`;
}

function lastTitle(told: Told): SQL {
  return sql`(SELECT m.news ->> 'title' FROM ${messagesAbout(told)} m ORDER BY m.created_at DESC, m.id DESC LIMIT 1)`;
}

/**
 * What the subscriber was sent about these incidents. It links one of them, or the one that lists them; what is about
 * several that no other lists links none, and is looked for since the incident began. Messages of earlier releases name no
 * more than the incident that they link.
 */
function messagesAbout({ ids, bundle_ids, started_at }: Told): SQL {
  const among = (list: readonly string[]) => sql`IN (SELECT value FROM json_each(${JSON.stringify(list)}))`;
  const known = among([...ids, ...bundle_ids]);
  const isAbout = sql`m.kind = 'news' AND m.state <> 'failed' AND (m.news ->> '$.incident_id' ${among(ids)}
    OR EXISTS (SELECT 1 FROM json_each(m.news, '$.about') a WHERE a.value ${known})
    OR (json_type(m.news, '$.about') IS NULL AND m.news ->> '$.incident_id' ${known}))`;
  // Exactly the expression of the index.
  const linked = sql`(m.news ->> '$.incident_id')`;
  return sql`(SELECT m.id, m.news, m.created_at FROM ${subscriberMessages} m
      WHERE m.subscriber_id = s.id AND ${linked} ${known} AND ${isAbout}
    UNION ALL SELECT m.id, m.news, m.created_at FROM ${subscriberMessages} m
      WHERE m.subscriber_id = s.id AND ${linked} IS NULL AND m.created_at >= ${started_at} AND ${isAbout})`;
}

/**
 * Who subscribed after the beginning saw the incident on the page and waits for its end. Nobody knows who read the beginning
 * where its messages are deleted by now, where a restore lost them (only automatic incidents outlive one), or while they are
 * still being made.
 */
function mayHaveRead({ begun_by, is_automatic, started_at }: Told, { now }: { now: number }) {
  const announced = sql`(SELECT 1 FROM ${events} e WHERE e.id IN (SELECT value FROM json_each(${JSON.stringify(begun_by)}))`;
  const isUnderWay = is_automatic
    ? sql`NOT EXISTS ${announced} AND e.processed_at IS NOT NULL)`
    : sql`EXISTS ${announced} AND e.processed_at IS NULL)`;
  const isForgotten = started_at < now - KNOWN_MS ? sql`true` : sql`false`;
  return sql`(s.confirmed_at > ${started_at} OR ${isForgotten} OR ${isUnderWay})`;
}

export interface BundleFanOut extends Pick<MessageFanOut, "event_id" | "status_page_id" | "topic" | "now"> {
  /** Of an end: it reaches those alone who may know the beginning. */
  ends: Told | null;
  news: Record<string, unknown> & { together: Together };
  /** In the order of names. */
  services: readonly { id: string; group_id: string | null; name: string; incident_id: string | undefined }[];
  /** So many are named. */
  names_max: number;
}

/** The same for services that changed together: each subscriber reads of those alone that they chose. */
export function insertBundleMessages(db: Db, { services, names_max, ends, ...fanOut }: BundleFanOut): Statement {
  const { together, ...news } = fanOut.news;
  const listOf = (columns: SQL) => sql`(SELECT ${columns} FROM json_each(${JSON.stringify(services)}) service
    WHERE service.value ->> 'id' IN (SELECT value FROM json_each(s.monitor_ids))
      OR service.value ->> 'group_id' IN (SELECT value FROM json_each(s.group_ids))`;
  const names = sql`(SELECT json_group_array(name) FROM ${listOf(sql`service.value ->> 'name' AS name`)} LIMIT ${names_max}))`;
  const about = sql`(SELECT json_group_array(id) FROM ${listOf(sql`service.value ->> 'incident_id' AS id`)}))`;
  const chosen = sql`json_set(${JSON.stringify(news)}, '$.about', json(${about}), '$.together', json_object('direction', ${together.direction},
    'names', json(${names}), 'total', ${listOf(sql`count(*)`)})))`;
  const isChosen = sql`(${HEARS_ALL} OR EXISTS ${listOf(sql`1`)}))`;
  const isDue = ends ? sql`(${hasReadOf(ends)} OR (${IS_OPEN} AND ${mayHaveRead(ends, fanOut)}))` : IS_OPEN;
  return insertNews(db, fanOut, {
    news: sql`iif(${HEARS_ALL}, ${JSON.stringify(fanOut.news)}, ${chosen})`,
    concerns: sql`(${isChosen} AND ${isDue})`,
  });
}

/** The public can open the page. */
const IS_OPEN = sql`EXISTS (SELECT 1 FROM status_pages p WHERE p.id = s.status_page_id AND p.is_public)`;
const HEARS_ALL = sql`json_array_length(s.monitor_ids) + json_array_length(s.group_ids) = 0`;

/** To confirmed subscribers of the topic whom it concerns; `s` is the subscriber. */
function insertNews(
  db: Db,
  { event_id, status_page_id, topic, now }: Pick<MessageFanOut, "event_id" | "status_page_id" | "topic" | "now">,
  { news, concerns }: { news: SQL; concerns: SQL },
): Statement {
  return db
    .insert(subscriberMessages)
    .select(
      sql`SELECT ${event_id} || '.' || s.id, s.id, 'news', ${news}, 'pending', ${now}, 0, 0,
          ${now + WAKE_GRACE_MS}, NULL, ${now}, ${now}
        FROM ${subscribers} s WHERE s.status_page_id = ${status_page_id}
          AND s.confirmed_at IS NOT NULL AND s.unsubscribed_at IS NULL
          AND (json_array_length(s.events) = 0 OR EXISTS (SELECT 1 FROM json_each(s.events) e WHERE e.value = ${topic}))
          AND ${concerns}`,
    )
    .onConflictDoNothing();
}

/** Claims a message for one attempt, with its subscriber and page; undefined where another attempt holds it. */
export async function claimSubscriberMessage(db: Db, id: string, lease: { now: number; lease_until: number }) {
  const [claimed, found] = await db.batch([
    claim(db, subscriberMessages, id, lease),
    db
      .select({
        subscriber: subscribers,
        page: {
          name: statusPages.name,
          slug: statusPages.slug,
          is_public: statusPages.is_public,
          timezone: statusPages.timezone,
          language: statusPages.language,
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
  claimed: Pick<SubscriberMessageRecord, "id" | "attempt">,
  settlement: Settlement,
): Statement {
  return settle(db, subscriberMessages, claimed, settlement);
}

export function deleteSubscriberMessagesBefore(db: Db, instant: number): Statement {
  return deleteSome(db, subscriberMessages, lt(subscriberMessages.created_at, instant));
}
