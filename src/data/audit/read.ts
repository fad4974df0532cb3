import { and, asc, count, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { AuditFilter } from "../../contract/audit.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { AUDIT_ENTRY_BYTES } from "../../domain/write-budget.ts";
import { DAY_MS } from "../../lib/durations.ts";
import type { Db } from "../db.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { pageMembers } from "../members/table.ts";
import { monitors } from "../monitors/table.ts";
import { sessions } from "../sessions/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { apiTokens } from "../users/table.ts";
import { auditLog } from "./table.ts";

export type AuditRecord = typeof auditLog.$inferSelect;

/** Counting stops here, because a long log would be read in full for one number. */
const TOTAL_MAX = 10_000;

/** What is asked for: an object that the caller may see, else the caller's own account. */
export type AuditScope = AuditFilter & { owner_id: string };

export async function listAudit(db: Db, scope: AuditScope, page: Pagination) {
  const wanted = matches(scope);
  const counted = db.select({ one: sql`1` }).from(auditLog).where(wanted).limit(TOTAL_MAX).as("counted");
  const [rows, totals] = await db.batch([selectPart(db, wanted, page), db.select({ total: count() }).from(counted)]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** The same without counting, for what reads on, as long as the reader may at that moment. */
export function listAuditPart(
  db: Db,
  scope: AuditScope,
  reader: AuditReader,
  page: Pagination,
): Promise<AuditRecord[]> {
  return selectPart(db, and(matches(scope), mayStillRead(scope, reader)), page).execute();
}

export interface AuditReader {
  user_id: string;
  /** The session or API token that reads. */
  credential_id: string;
}

function mayStillRead({ monitor_id, status_page_id }: AuditScope, { user_id, credential_id }: AuditReader): SQL {
  const isTheirs = (table: typeof sessions | typeof apiTokens) =>
    sql`EXISTS (SELECT 1 FROM ${table} WHERE ${table.id} = ${credential_id} AND ${table.user_id} = ${user_id})`;
  const isSignedIn = sql`(${isTheirs(sessions)} OR ${isTheirs(apiTokens)})`;
  if (monitor_id === undefined && status_page_id === undefined) return isSignedIn;
  const mine = sql`SELECT ${statusPages.id} FROM ${statusPages} WHERE ${statusPages.owner_id} = ${user_id}
    UNION ALL SELECT ${pageMembers.status_page_id} FROM ${pageMembers} WHERE ${pageMembers.user_id} = ${user_id}`;
  const sees =
    monitor_id === undefined
      ? sql`${status_page_id} IN (${mine})`
      : sql`EXISTS (SELECT 1 FROM ${monitors} WHERE ${monitors.id} = ${monitor_id}
          AND (${monitors.owner_id} = ${user_id} OR ${monitors.status_page_id} IN (${mine})))`;
  return sql`(${isSignedIn} AND ${sees})`;
}

function selectPart(db: Db, wanted: SQL | undefined, page: Pagination) {
  return db
    .select()
    .from(auditLog)
    .where(and(wanted, isBelow(page, auditLog.created_at, auditLog.id)))
    .orderBy(desc(auditLog.created_at), desc(auditLog.id))
    .limit(page.limit)
    .offset(skippedOf(page));
}

export function countAudit(db: Db, scope: AuditScope, from: number) {
  return db
    .select({ event_type: auditLog.event_type, actor_type: auditLog.actor_type, count: count() })
    .from(auditLog)
    .where(and(matches(scope), gte(auditLog.created_at, from)))
    .groupBy(auditLog.event_type, auditLog.actor_type);
}

/** Days are counted from 1970-01-01 in UTC. */
export function countAuditByDay(db: Db, pageId: string, from: number) {
  const day = sql<number>`${auditLog.created_at} / ${sql.raw(String(DAY_MS))}`;
  return db
    .select({ day, event_type: auditLog.event_type, count: count() })
    .from(auditLog)
    .where(and(eq(auditLog.status_page_id, pageId), gte(auditLog.created_at, from)))
    .groupBy(day, auditLog.event_type);
}

function matches(scope: AuditScope): SQL | undefined {
  const { monitor_id, status_page_id, event_type, actor, from, to } = scope;
  const isAboutObject = monitor_id !== undefined || status_page_id !== undefined;
  return and(
    isAboutObject ? undefined : eq(auditLog.owner_id, scope.owner_id),
    monitor_id === undefined ? undefined : eq(auditLog.monitor_id, monitor_id),
    status_page_id === undefined ? undefined : eq(auditLog.status_page_id, status_page_id),
    event_type === undefined ? undefined : eq(auditLog.event_type, event_type),
    actor === undefined ? undefined : eq(auditLog.actor_name, actor),
    from === undefined ? undefined : gte(auditLog.created_at, from),
    to === undefined ? undefined : lt(auditLog.created_at, to),
  );
}

const BYTES = sql<number>`${AUDIT_ENTRY_BYTES} + octet_length(${auditLog.summary}) + octet_length(${auditLog.data})`;

/** Bytes of an account's log. Reads all of it. */
export async function measureAudit(db: Db, ownerId: string): Promise<number> {
  const rows = await db
    .select({ bytes: sql<number>`coalesce(sum(${BYTES}), 0)` })
    .from(auditLog)
    .where(eq(auditLog.owner_id, ownerId));
  return rows[0]?.bytes ?? 0;
}

const unlessSummary = (own: SQL, ofSummary: SQL) =>
  sql<number>`CASE WHEN ${auditLog.event_type} = 'audit.summarized' THEN ${ofSummary} ELSE ${own} END`;

/** The oldest entries of an account; one that counts earlier ones stands for all of them. */
export function listOldestAudit(db: Db, ownerId: string, limit: number) {
  return db
    .select({
      id: auditLog.id,
      created_at: auditLog.created_at,
      bytes: BYTES,
      entries: unlessSummary(sql`1`, sql`${auditLog.data} ->> 'entries'`),
      from_at: unlessSummary(sql`${auditLog.created_at}`, sql`unixepoch(${auditLog.data} ->> 'from') * 1000`),
    })
    .from(auditLog)
    .where(eq(auditLog.owner_id, ownerId))
    .orderBy(asc(auditLog.created_at), asc(auditLog.id))
    .limit(limit);
}
export type OldAuditEntry = Awaited<ReturnType<typeof listOldestAudit>>[number];
