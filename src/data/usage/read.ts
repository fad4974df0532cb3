import { eq, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { seatsOf } from "../members/read.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";

export interface Usage {
  monitors: number;
  status_pages: number;
  /** On all pages together. */
  seats: number;
}

/** All monitors of the installation. */
export function countAllMonitors(db: Db): Promise<number> {
  return db.$count(monitors);
}

/** How much of a plan an owner uses, in one query. */
export async function countUsage(db: Db, ownerId: string, now: number): Promise<Usage> {
  const owned = {
    monitors: db.$count(monitors, eq(monitors.owner_id, ownerId)),
    status_pages: db.$count(statusPages, eq(statusPages.owner_id, ownerId)),
    seats: seatsOf(ownerId, now),
  };
  const [row] = await db.select(owned).from(sql`(SELECT 1)`);
  return row ?? { monitors: 0, status_pages: 0, seats: 0 };
}
