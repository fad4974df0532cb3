import { eq, sql } from "drizzle-orm";
import type { Db } from "./db.ts";
import { monitors } from "./monitors.table.ts";
import { statusPages } from "./status-pages.table.ts";

/** How much of a plan an owner uses, in one query. */
export async function countUsage(db: Db, ownerId: string): Promise<{ monitors: number; status_pages: number }> {
  const owned = {
    monitors: db.$count(monitors, eq(monitors.owner_id, ownerId)),
    status_pages: db.$count(statusPages, eq(statusPages.owner_id, ownerId)),
  };
  const [row] = await db.select(owned).from(sql`(SELECT 1)`);
  return row ?? { monitors: 0, status_pages: 0 };
}
