import { eq } from "drizzle-orm";
import { upkeepRounds } from "../daily-aggregates/table.ts";
import type { Db } from "../db.ts";

export type RoundRecord = typeof upkeepRounds.$inferSelect;

export async function findRound(db: Db, name: string): Promise<RoundRecord> {
  const rows = await db.select().from(upkeepRounds).where(eq(upkeepRounds.name, name)).limit(1);
  return rows[0] ?? { name, position: "", due_at: 0 };
}
