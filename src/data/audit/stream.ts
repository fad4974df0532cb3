import { and, asc, eq, gte, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { events } from "../events/table.ts";
import { isAuditing, webhooks } from "../webhooks/table.ts";
import { auditLog } from "./table.ts";

/** An entry of which a webhook has to hear, and that no event was made of; the event has the id of the entry. */
const isUnsent = (): SQL | undefined =>
  and(
    gte(auditLog.created_at, webhooks.audit_from),
    or(isNull(webhooks.status_page_id), eq(webhooks.status_page_id, auditLog.status_page_id)),
    sql`NOT EXISTS (SELECT 1 FROM ${events} WHERE ${events.id} = ${auditLog.id})`,
  );

/** Accounts whose log has what their webhooks were not sent. */
export async function listAuditStreams(db: Db, limit: number): Promise<string[]> {
  const entry = sql`SELECT 1 FROM ${auditLog} WHERE ${auditLog.owner_id} = ${webhooks.owner_id} AND ${isUnsent()}`;
  const rows = await db
    .selectDistinct({ owner_id: webhooks.owner_id })
    .from(webhooks)
    .where(and(isAuditing, sql`EXISTS (${entry})`))
    .limit(limit);
  return rows.map(({ owner_id }) => owner_id);
}

/** The webhooks of an account and the oldest entries that any of them was not sent, as they are at one instant. */
export async function readAuditStream(db: Db, ownerId: string, limit: number) {
  const streaming = and(eq(webhooks.owner_id, ownerId), isAuditing);
  const receiver = sql`SELECT 1 FROM ${webhooks} WHERE ${streaming} AND ${isUnsent()}`;
  const [receivers, entries] = await db.batch([
    db
      .select({ id: webhooks.id, status_page_id: webhooks.status_page_id, audit_from: webhooks.audit_from })
      .from(webhooks)
      .where(streaming),
    db
      .select()
      .from(auditLog)
      .where(
        and(eq(auditLog.owner_id, ownerId), gte(auditLog.created_at, oldestOf(streaming)), sql`EXISTS (${receiver})`),
      )
      .orderBy(asc(auditLog.created_at), asc(auditLog.id))
      .limit(limit),
  ]);
  return { receivers, entries };
}

const oldestOf = (streaming: SQL | undefined) =>
  sql`(SELECT min(${webhooks.audit_from}) FROM ${webhooks} WHERE ${streaming})`;

/** What was logged before this instant is settled. */
export function settleAuditStream(db: Db, ownerId: string, before: number): Statement {
  return db
    .update(webhooks)
    .set({ audit_from: sql`max(${webhooks.audit_from}, ${before})` })
    .where(and(eq(webhooks.owner_id, ownerId), isAuditing));
}
