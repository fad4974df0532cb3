import { max } from "drizzle-orm";
import type { Db } from "./db.ts";
import { plannedMinutes } from "./monitors.table.ts";

export async function findLastPlannedMinute(db: Db): Promise<number | null> {
  const rows = await db.select({ last: max(plannedMinutes.minute_at) }).from(plannedMinutes);
  return rows[0]?.last ?? null;
}
