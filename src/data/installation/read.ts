import { sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { installation } from "./table.ts";

export type InstallationRecord = Omit<typeof installation.$inferSelect, "id">;

export async function findInstallation(db: Db): Promise<InstallationRecord | undefined> {
  const { epoch, ticks, known_until, ticked_at } = installation;
  const rows = await db.select({ epoch, ticks, known_until, ticked_at }).from(installation).limit(1);
  return rows[0];
}

/** The present epoch, "" before the first tick, for statements that compare it. */
export const PRESENT_EPOCH = sql<string>`coalesce((SELECT epoch FROM installation), '')`;
