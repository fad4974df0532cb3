import { and, eq, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { dropForeignDependencies } from "../dependencies/write.ts";
import { monitors } from "../monitors/table.ts";
import { among } from "./among.ts";
import { leavePage } from "./leave-page.ts";

interface Move {
  from: string;
  to: { id: string; owner_id: string };
  monitor_ids: readonly string[];
  detached: readonly string[];
  now: number;
}

/** Takes monitors to another page and its owner; groups of the old page do not come along. */
export function moveMonitors(db: Db, { from, to, monitor_ids, detached, now }: Move): Statement[] {
  return [
    ...leavePage(db, { monitor_ids, to_page_id: to.id, now }),
    db
      .update(monitors)
      .set({ parent_monitor_id: null })
      .where(sql`${monitors.id} IN ${among(detached)}`),
    db
      .update(monitors)
      .set({
        status_page_id: to.id,
        owner_id: to.owner_id,
        group_id: null,
        page_since: now,
        config_version: sql`${monitors.config_version} + 1`,
        updated_at: now,
      })
      .where(and(eq(monitors.status_page_id, from), sql`${monitors.id} IN ${among(monitor_ids)}`)),
    dropForeignDependencies(db, among(monitor_ids)),
  ];
}
