import { eq } from "drizzle-orm";
import type { Db, Statement } from "./db.ts";
import { upkeepRounds } from "./upkeep.table.ts";

export type RoundRecord = typeof upkeepRounds.$inferSelect;

export async function findRound(db: Db, name: string): Promise<RoundRecord> {
  const rows = await db.select().from(upkeepRounds).where(eq(upkeepRounds.name, name)).limit(1);
  return rows[0] ?? { name, position: "", due_at: 0 };
}

export function moveRound(db: Db, round: RoundRecord): Statement {
  const { position, due_at } = round;
  return db
    .insert(upkeepRounds)
    .values(round)
    .onConflictDoUpdate({ target: upkeepRounds.name, set: { position, due_at } });
}
