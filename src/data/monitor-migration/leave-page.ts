import { sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { copyCoverage } from "../maintenance/write.ts";
import { monitors } from "../monitors/table.ts";
import { packHistory } from "../sla/packed-intervals.ts";
import { monitorStays, slaTargets } from "../sla/table.ts";
import { among } from "./among.ts";

interface Leaving {
  monitor_ids: readonly string[];
  /** null: for no other page. */
  to_page_id: string | null;
  now: number;
}

/**
 * Comes before the statements that take monitors off their page: their time there stays with that page, in reports, and
 * what of it was maintenance comes along to the next one, whose bars show it.
 */
export function leavePage(db: Db, { monitor_ids, to_page_id, now }: Leaving): Statement[] {
  const stay = insertStays(db, { monitor_ids, now, intervals: sql`NULL` });
  return to_page_id === null ? [stay] : [stay, copyCoverage(db, { monitor_ids, to_page_id, now })];
}

/** Comes before monitors are deleted: their history, as far as pages had it, is kept for the reports of these pages. */
export function leaveForGood(db: Db, monitor_ids: readonly string[], now: number): Statement[] {
  return [
    insertStays(db, { monitor_ids, now, intervals: packHistory(sql`m.id`) }),
    db
      .update(monitorStays)
      .set({ intervals: packHistory(sql`${monitorStays.monitor_id}`) })
      .where(sql`${monitorStays.monitor_id} IN ${among(monitor_ids)} AND ${monitorStays.intervals} IS NULL`),
  ];
}

interface Stays {
  monitor_ids: readonly string[];
  now: number;
  intervals: ReturnType<typeof packHistory>;
}

function insertStays(db: Db, { monitor_ids, now, intervals }: Stays): Statement {
  const target = sql`SELECT t.target_percentage FROM ${slaTargets} t
    WHERE t.monitor_id = m.id AND t.status_page_id = m.status_page_id`;
  return db
    .insert(monitorStays)
    .select(
      sql`SELECT m.status_page_id, m.id, coalesce(m.page_since, m.created_at), ${now}, m.name,
          m.parent_monitor_id IS NOT NULL, m.position, (${target}), ${intervals}
        FROM ${monitors} AS m WHERE m.id IN ${among(monitor_ids)} AND m.status_page_id IS NOT NULL`,
    )
    .onConflictDoNothing();
}
