import { eq } from "drizzle-orm";
import type { Db } from "./db.ts";
import { monitors } from "./monitors.table.ts";

export type MonitorRecord = typeof monitors.$inferSelect;

export async function findMonitor(db: Db, monitorId: string): Promise<MonitorRecord | undefined> {
  const rows = await db.select().from(monitors).where(eq(monitors.id, monitorId)).limit(1);
  return rows[0];
}
