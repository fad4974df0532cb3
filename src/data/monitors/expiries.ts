import { and, asc, eq, lte, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { monitors } from "./table.ts";

/** Spelled out, not bound: SQLite uses the partial index only for the very same condition. */
const isDue = (now: number) => and(sql`${monitors.expiry_notice_at} IS NOT NULL`, lte(monitors.expiry_notice_at, now));

/** Monitors whose certificate or domain has passed a mark, or was found to expire at another time. */
export async function listDueExpiries(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: monitors.id })
    .from(monitors)
    .where(isDue(now))
    .orderBy(asc(monitors.expiry_notice_at))
    .limit(limit);
  return rows.map(({ id }) => id);
}

export function listDueExpiriesAmong(db: Db, now: number, ids: readonly string[]) {
  return db
    .select()
    .from(monitors)
    .where(and(sql`${monitors.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`, isDue(now)))
    .limit(ids.length);
}

/** Only while the monitor still expires when the notices say. */
export function scheduleExpiryNotice(
  db: Db,
  {
    id,
    certificate_expires_at,
    domain_expires_at,
  }: { id: string; certificate_expires_at: number | null; domain_expires_at: number | null },
  expiry_notice_at: number | null,
): Statement {
  return db
    .update(monitors)
    .set({ expiry_notice_at })
    .where(
      and(
        eq(monitors.id, id),
        sql`${monitors.certificate_expires_at} IS ${certificate_expires_at}`,
        sql`${monitors.domain_expires_at} IS ${domain_expires_at}`,
      ),
    );
}
