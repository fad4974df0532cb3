import { and, asc, eq, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { isAmong } from "../outbox/rows.ts";
import { incidents } from "./table.ts";

/** The open incidents of these pages for which a person is responsible. */
export function listOpenAssigned(
  db: Db,
  { user_id, page_ids }: { user_id: string; page_ids: readonly string[] },
  limit: number,
) {
  return db
    .select({
      id: incidents.id,
      owner_id: incidents.owner_id,
      status_page_id: incidents.status_page_id,
      origin_monitor_id: incidents.origin_monitor_id,
      title: incidents.title,
    })
    .from(incidents)
    .where(
      and(
        isAmong(incidents.status_page_id, page_ids),
        // Spelled out, because SQLite uses a partial index only for the very same condition.
        sql`${incidents.status} <> 'resolved'`,
        eq(incidents.assigned_to_id, user_id),
      ),
    )
    .orderBy(asc(incidents.id))
    .limit(limit);
}

/** Those that are still this person's. */
export function unassign(
  db: Db,
  { user_id, incident_ids }: { user_id: string; incident_ids: readonly string[] },
  now: number,
): Statement {
  return db
    .update(incidents)
    .set({ assigned_to_id: null, updated_at: now })
    .where(and(isAmong(incidents.id, incident_ids), eq(incidents.assigned_to_id, user_id)));
}

/** All open ones of these pages in one statement, for a request that has no queries left to name them. */
export function unassignOpen(
  db: Db,
  { user_id, page_ids }: { user_id: string; page_ids: readonly string[] },
  now: number,
): Statement {
  return db
    .update(incidents)
    .set({ assigned_to_id: null, updated_at: now })
    .where(
      and(
        isAmong(incidents.status_page_id, page_ids),
        sql`${incidents.status} <> 'resolved'`,
        eq(incidents.assigned_to_id, user_id),
      ),
    );
}
