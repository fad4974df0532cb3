import { and, asc, count, desc, eq, gt, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Pagination } from "../../contract/pagination.ts";
import type { EscalationState } from "../../domain/escalation.ts";
import type { EscalatedSubject } from "../../domain/escalation-messages.ts";
import type { Db } from "../db.ts";
import { incidents, incidentUpdates } from "../incidents/table.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { monitors, transitions } from "../monitors/table.ts";
import type { NotifyContactRecord } from "../notify-contacts/read.ts";
import { notifyContacts } from "../notify-contacts/table.ts";
import { escalationPolicies } from "../on-call/table.ts";
import { outages } from "../outages/table.ts";
import { isPending, listToWake } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import { escalationNotifications, escalations } from "./table.ts";

export type EscalationRecord = typeof escalations.$inferSelect;
export type EscalationNotificationRecord = typeof escalationNotifications.$inferSelect;

/** Failures that one advance takes into account. */
const FAILURES_MAX = 100;
const LISTED_MAX = 500;
/** Of all people of one policy. */
const PERSONAL_MAX = 1000;
/** Outages that one bundle names. */
const SUBJECTS_MAX = 1000;

/** Notifications of escalations that began together. */
const NOTIFIED_MAX = 5000;

/** What an escalation is about, as it stands now. */
export interface LoadedSubject extends EscalatedSubject {
  escalation_id: string;
  incident_id: string | null;
  /** The incident that lists it, where there is one. */
  shown_incident_id: string | null;
  monitor_id: string | null;
  /** The outage is over, the incident is resolved. */
  is_over: boolean;
  /** Its monitor is paused, or was resumed and no check has decided since. */
  is_paused: boolean;
  muted_until: number | null;
  acknowledged_at: number | null;
  /** When the outage began, if checks found it, so that there is evidence of it. */
  evident_since: number | null;
  /** When its escalation was made. */
  created_at: number;
}

/** The monitor whose outage it is. */
const MONITOR = sql<string | null>`coalesce(${escalations.monitor_id}, ${incidents.origin_monitor_id})`;

const SUBJECT = {
  escalation_id: escalations.id,
  incident_id: escalations.incident_id,
  monitor_id: MONITOR,
  shown_incident_id: sql<string | null>`coalesce(${incidents.bundle_id}, ${incidents.id})`,
  incident_title: incidents.title,
  // How many members of a composite are down changes while its outage goes on.
  cause: sql<string | null>`coalesce(
    (SELECT m.status_message FROM ${monitors} m WHERE m.id = ${incidents.origin_monitor_id}
      AND m.type = 'composite' AND m.status = 'down'),
    (SELECT o.cause FROM ${outages} o WHERE o.monitor_id = ${incidents.origin_monitor_id}
      ORDER BY o.started_at DESC LIMIT 1))`,
  last_update: sql<string | null>`(SELECT u.message FROM ${incidentUpdates} u WHERE u.incident_id = ${incidents.id}
    ORDER BY u.created_at DESC, u.rowid DESC LIMIT 1)`,
  critical: escalations.subject,
  severity: incidents.severity,
  incident_started_at: incidents.started_at,
  thread_id: sql<string>`coalesce(${incidents.origin_outage_id}, ${escalations.thread_id}, ${escalations.id})`,
  is_over: sql<number>`${incidents.status} IS 'resolved' OR ${escalations.ended_at} IS NOT NULL OR EXISTS (
    SELECT 1 FROM ${transitions} t WHERE t.monitor_id = ${escalations.monitor_id}
      AND t.seq > ${escalations.transition_seq} AND t.to_status = 'up')`,
  is_paused: sql<number>`EXISTS (SELECT 1 FROM ${monitors} m
    WHERE m.id = ${MONITOR} AND (m.paused = 1 OR m.status IN ('paused', 'pending')))`,
  muted_until: sql<number | null>`(SELECT m.muted_until FROM ${monitors} m WHERE m.id = ${MONITOR})`,
  acknowledged_at: sql<number | null>`coalesce(${incidents.acknowledged_at}, ${escalations.acknowledged_at})`,
  evident_since: sql<number | null>`(SELECT iif(t.region IS NULL, NULL, o.started_at)
    FROM ${outages} o LEFT JOIN ${transitions} t ON t.monitor_id = o.monitor_id AND t.seq = o.seq
    WHERE o.monitor_id = ${MONITOR} ORDER BY o.started_at DESC LIMIT 1)`,
  created_at: escalations.created_at,
};

type SubjectRow = Awaited<ReturnType<typeof listSubjectRows>>[number];

function listSubjectRows(db: Db, condition: SQL | undefined) {
  return db
    .select(SUBJECT)
    .from(escalations)
    .leftJoin(incidents, eq(incidents.id, escalations.incident_id))
    .where(condition)
    .orderBy(asc(escalations.created_at), asc(escalations.id))
    .limit(SUBJECTS_MAX);
}

function toSubject(subject: SubjectRow): LoadedSubject {
  const { critical, cause, last_update, incident_title, incident_started_at, ...row } = subject;
  const reason = cause ?? critical?.text;
  return {
    ...row,
    title: incident_title ?? critical?.title ?? "",
    text: reason ?? last_update ?? "",
    is_markdown: reason === undefined,
    is_over: row.is_over === 1,
    is_paused: row.is_paused === 1,
    started_at: incident_started_at ?? critical?.since ?? row.created_at,
  };
}

/** The escalation's own subject, then those of its bundle. */
export async function listSubjects(db: Db, escalationId: string): Promise<LoadedSubject[]> {
  const isOfBundle = and(eq(escalations.bundle_id, escalationId), isReadable);
  const rows = await listSubjectRows(db, or(eq(escalations.id, escalationId), isOfBundle));
  const isOwn = (row: SubjectRow) => row.escalation_id === escalationId;
  return [...rows.filter(isOwn), ...rows.filter((row) => !isOwn(row))].map(toSubject);
}

/**
 * Everything that an escalation decides on. Side by side, not as a batch: results of a batch are objects by column name,
 * in which columns of the same name of joined tables are one.
 */
export async function loadEscalation(db: Db, escalationId: string) {
  const isThis = eq(escalations.id, escalationId);
  const leaders = alias(escalations, "leaders");
  const [rows, active, failures, subjects] = await Promise.all([
    db
      .select({
        escalation: escalations,
        incident: incidents,
        policy: escalationPolicies,
        leader: { id: leaders.id, state: leaders.state },
        page: {
          id: statusPages.id,
          owner_id: statusPages.owner_id,
          name: statusPages.name,
          timezone: statusPages.timezone,
        },
        owner_email: users.email,
      })
      .from(escalations)
      .innerJoin(statusPages, eq(statusPages.id, escalations.status_page_id))
      .innerJoin(users, eq(users.id, statusPages.owner_id))
      .leftJoin(incidents, eq(incidents.id, escalations.incident_id))
      .leftJoin(escalationPolicies, eq(escalationPolicies.id, escalations.policy_id))
      .leftJoin(leaders, and(eq(leaders.id, escalations.bundle_id), sql`json_valid(${leaders.state})`))
      .where(isThis)
      .limit(1),
    db
      .select({ policy: escalationPolicies })
      .from(escalations)
      .innerJoin(escalationPolicies, eq(escalationPolicies.status_page_id, escalations.status_page_id))
      .where(and(isThis, eq(escalationPolicies.is_default, true)))
      .limit(1),
    db
      .select({ id: escalationNotifications.id, notification_key: escalationNotifications.notification_key })
      .from(escalationNotifications)
      .where(
        and(
          eq(escalationNotifications.escalation_id, escalationId),
          eq(escalationNotifications.is_failure_reported, false),
          isNotNull(escalationNotifications.error),
        ),
      )
      .limit(FAILURES_MAX),
    listSubjects(db, escalationId),
  ]);
  const [row] = rows;
  const [own, ...bundled] = subjects;
  return row && own && { ...row, policy: row.policy ?? active[0]?.policy ?? null, failures, own, bundled };
}
export type LoadedEscalation = NonNullable<Awaited<ReturnType<typeof loadEscalation>>>;

/** What is known of an escalation without its JSON, which may be what cannot be read. */
export async function findFailedEscalation(db: Db, escalationId: string) {
  const rows = await db
    .select({
      id: escalations.id,
      failures: escalations.failures,
      incident_id: escalations.incident_id,
      started_at: escalations.created_at,
      title: incidents.title,
      status_page_id: statusPages.id,
      page: { name: statusPages.name, timezone: statusPages.timezone },
      owner_id: statusPages.owner_id,
      owner_email: users.email,
    })
    .from(escalations)
    .innerJoin(statusPages, eq(statusPages.id, escalations.status_page_id))
    .innerJoin(users, eq(users.id, statusPages.owner_id))
    .leftJoin(incidents, eq(incidents.id, escalations.incident_id))
    .where(eq(escalations.id, escalationId))
    .limit(1);
  return rows[0];
}

/** Where this does not hold, the row cannot be read; it fails by itself and takes no other one with it. */
const isReadable = sql`(${escalations.state} IS NULL OR json_valid(${escalations.state}))
  AND (${escalations.subject} IS NULL OR json_valid(${escalations.subject}))`;

/** Automatic escalations of a page that began within a mass failure, and how many monitors the page has. */
export async function loadMassFailure(
  db: Db,
  { status_page_id, since }: { status_page_id: string; since: number },
): Promise<{
  outages: (LoadedSubject & { state: EscalationState | null; bundled_at: number | null; policy_id: string | null })[];
  monitors: number;
}> {
  const isRecent = and(
    eq(escalations.status_page_id, status_page_id),
    gt(escalations.created_at, since),
    eq(escalations.is_automatic, true),
    isReadable,
  );
  const [rows, states, monitorCounts] = await Promise.all([
    listSubjectRows(db, isRecent),
    db
      .select({
        id: escalations.id,
        state: escalations.state,
        bundled_at: escalations.bundled_at,
        policy_id: escalations.policy_id,
      })
      .from(escalations)
      .where(isRecent)
      .limit(SUBJECTS_MAX),
    db
      .select({ total: count() })
      .from(monitors)
      .where(and(eq(monitors.status_page_id, status_page_id), eq(monitors.paused, false))),
  ]);
  const stateOf = new Map(states.map((row) => [row.id, row]));
  const outages = rows.flatMap((row) => {
    const standing = stateOf.get(row.escalation_id);
    if (!standing) return [];
    const { state, bundled_at, policy_id } = standing;
    return [{ ...toSubject(row), state, bundled_at, policy_id }];
  });
  return { outages, monitors: monitorCounts[0]?.total ?? 0 };
}

/** Whether a page has as many monitors. */
export async function hasMonitors(db: Db, pageId: string, atLeast: number): Promise<boolean> {
  const rows = await db
    .select({ id: monitors.id })
    .from(monitors)
    .where(and(eq(monitors.status_page_id, pageId), eq(monitors.paused, false)))
    .limit(atLeast);
  return rows.length === atLeast;
}

export async function findEscalation(db: Db, escalationId: string): Promise<EscalationRecord | undefined> {
  const rows = await db.select().from(escalations).where(eq(escalations.id, escalationId)).limit(1);
  return rows[0];
}

/** The escalation of a critical event that is not over, by what the event is about. */
export async function findOpenThread(
  db: Db,
  { owner_id, thread_id }: { owner_id: string; thread_id: string },
): Promise<EscalationRecord | undefined> {
  const rows = await db
    .select()
    .from(escalations)
    .where(
      and(
        eq(escalations.thread_id, thread_id),
        sql`thread_id IS NOT NULL AND ended_at IS NULL`,
        eq(escalations.owner_id, owner_id),
      ),
    )
    .limit(1);
  return rows[0];
}

export async function findEscalationNotification(
  db: Db,
  id: string,
): Promise<EscalationNotificationRecord | undefined> {
  return (await db.select().from(escalationNotifications).where(eq(escalationNotifications.id, id)).limit(1))[0];
}

/** One text message may answer so many at once. */
const ANSWERED_MAX = 20;

/** The open escalations of an owner of which a contact was notified since they began last, the newest first. */
export function listEscalationsToContact(
  db: Db,
  { owner_id, contact_id, since }: { owner_id: string; contact_id: string; since: number },
): Promise<EscalationRecord[]> {
  const notified = sql`EXISTS (SELECT 1 FROM ${escalationNotifications} n WHERE n.escalation_id = ${escalations.id}
    AND n.contact_type = 'sms' AND n.state = 'sent' AND n.created_at >= ${escalations.started_at}
    AND n.notification_key LIKE ${`%${contact_id}`})`;
  return db
    .select()
    .from(escalations)
    .where(
      and(
        eq(escalations.owner_id, owner_id),
        gt(escalations.created_at, since),
        sql`${escalations.state} ->> 'status' IN ('active', 'exhausted')`,
        notified,
      ),
    )
    .orderBy(desc(escalations.created_at), desc(escalations.id))
    .limit(ANSWERED_MAX);
}

/** The newest first. */
export async function listEscalations(db: Db, pageId: string, page: Pagination) {
  const isOfPage = and(eq(escalations.status_page_id, pageId), isReadable);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(escalations)
      .where(and(isOfPage, isBelow(page, escalations.created_at, escalations.id)))
      .orderBy(desc(escalations.created_at), desc(escalations.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(escalations).where(isOfPage),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** Of the newest of each page, as many as `newestMax`, those that nobody has acknowledged or ended. */
export function listOpenEscalations(
  db: Db,
  pageIds: readonly string[],
  { newestMax, limit }: { newestMax: number; limit: number },
): Promise<EscalationRecord[]> {
  const newest = sql`SELECT e.id FROM json_each(${JSON.stringify(pageIds)}) AS p, ${escalations} AS e
    WHERE e.id IN (SELECT id FROM ${escalations} WHERE status_page_id = p.value
      ORDER BY created_at DESC LIMIT ${newestMax})`;
  const isOpen = sql`CASE WHEN ${isReadable}
    THEN coalesce(${escalations.state} ->> 'status', 'waiting') IN ('waiting', 'active', 'snoozed') ELSE 0 END`;
  return db
    .select()
    .from(escalations)
    .where(and(sql`${escalations.id} IN (${newest})`, isOpen))
    .orderBy(desc(escalations.created_at), desc(escalations.id))
    .limit(limit);
}

/** The subjects of several escalations, without those of their bundles. */
export async function listOwnSubjects(db: Db, ids: readonly string[]): Promise<Map<string, LoadedSubject>> {
  const rows = await listSubjectRows(
    db,
    sql`${escalations.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  );
  return new Map(rows.map((row) => [row.escalation_id, toSubject(row)]));
}

/** Of an incident that lists others, the escalation that notifies of these. */
export async function findEscalationOfIncident(db: Db, incidentId: string): Promise<EscalationRecord | undefined> {
  const own = sql`SELECT ${incidentId} UNION ALL SELECT id FROM incidents WHERE bundle_id = ${incidentId}`;
  const rows = await db
    .select()
    .from(escalations)
    .where(sql`${escalations.incident_id} IN (${own})`)
    .orderBy(
      sql`${escalations.bundle_id} IS NOT NULL`,
      sql`${escalations.bundled_at} IS NULL`,
      asc(escalations.created_at),
    )
    .limit(1);
  return rows[0];
}

export interface DueEscalation {
  id: string;
  due_at: number;
}

/** Due by then, oldest first, and after the last one of the page before. */
export async function listDueEscalations(
  db: Db,
  { until, after, limit }: { until: number; after: DueEscalation | null; limit: number },
): Promise<DueEscalation[]> {
  const isLater = after && sql`(due_at, id) > (${after.due_at}, ${after.id})`;
  return db
    .select({ id: escalations.id, due_at: sql<number>`due_at` })
    .from(escalations)
    .where(and(sql`due_at IS NOT NULL`, lte(escalations.due_at, until), isLater ?? undefined))
    .orderBy(asc(escalations.due_at), asc(escalations.id))
    .limit(limit);
}

export async function listEscalationNotifications(
  db: Db,
  escalationIds: readonly string[],
): Promise<EscalationNotificationRecord[]> {
  return db
    .select()
    .from(escalationNotifications)
    .where(
      sql`${escalationNotifications.escalation_id} IN (SELECT value FROM json_each(${JSON.stringify(escalationIds)}))`,
    )
    .orderBy(
      asc(escalationNotifications.created_at),
      asc(escalationNotifications.level),
      asc(escalationNotifications.id),
    )
    .limit(LISTED_MAX);
}

/** Notifications that no message woke. */
export function listNotificationsToWake(db: Db, now: number, limit: number): Promise<string[]> {
  const table = escalationNotifications;
  return listToWake(db, table, {
    wakeAt: table.wake_at,
    isWaiting: isPending(table),
    dueAt: table.next_attempt_at,
    now,
    limit,
  });
}

/** Verified contacts of people, besides the addresses of their accounts. */
export async function listPersonalContacts(db: Db, userIds: readonly string[]): Promise<NotifyContactRecord[]> {
  if (userIds.length === 0) return [];
  return db
    .select()
    .from(notifyContacts)
    .where(
      and(
        sql`${notifyContacts.user_id} IN (SELECT value FROM json_each(${JSON.stringify(userIds)}))`,
        isNotNull(notifyContacts.verified_at),
      ),
    )
    .orderBy(asc(notifyContacts.created_at), asc(notifyContacts.id))
    .limit(PERSONAL_MAX);
}

/** Names and addresses of people, for messages to them. */
export async function listRecipients(db: Db, userIds: readonly string[]) {
  if (userIds.length === 0) return [];
  return db
    .select({ id: users.id, name: users.name, email: users.email })
    .from(users)
    .where(
      and(sql`${users.id} IN (SELECT value FROM json_each(${JSON.stringify(userIds)}))`, isNull(users.deactivated_at)),
    );
}

export interface Reached {
  /** False: the first step comes in a moment. */
  has_begun: boolean;
  /** Keys of its notifications that did not fail, and of those of its bundle. */
  notification_keys: string[];
}

/** Whom these escalations have notified, by their ids; those that do not exist are left out. */
export async function listReached(db: Db, ids: readonly string[]): Promise<Map<string, Reached>> {
  const rows = await db
    .select({
      id: escalations.id,
      bundle_id: escalations.bundle_id,
      has_begun: sql<number>`${escalations.state} IS NOT NULL`,
    })
    .from(escalations)
    .where(sql`${escalations.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
    .limit(ids.length);
  if (rows.length === 0) return new Map();
  const notifying = new Set(rows.flatMap(({ id, bundle_id }) => (bundle_id === null ? [id] : [id, bundle_id])));
  const sent = await db
    .select({ escalation_id: escalationNotifications.escalation_id, key: escalationNotifications.notification_key })
    .from(escalationNotifications)
    .where(
      and(
        sql`${escalationNotifications.escalation_id} IN (SELECT value FROM json_each(${JSON.stringify([...notifying])}))`,
        sql`${escalationNotifications.state} <> 'failed'`,
      ),
    )
    .limit(NOTIFIED_MAX);
  const keysOf = Map.groupBy(sent, ({ escalation_id }) => escalation_id);
  const keysIn = (id: string | null) => (keysOf.get(id ?? "") ?? []).map(({ key }) => key);
  return new Map(
    rows.map(({ id, bundle_id, has_begun }) => [
      id,
      { has_begun: has_begun === 1, notification_keys: [...keysIn(id), ...keysIn(bundle_id)] },
    ]),
  );
}
