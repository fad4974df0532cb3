import { upkeepRounds } from "../daily-aggregates/table.ts";
import type { Db, Statement } from "../db.ts";
import type { RoundRecord } from "./read.ts";

export function moveRound(db: Db, round: RoundRecord): Statement {
  const { position, due_at } = round;
  return db
    .insert(upkeepRounds)
    .values(round)
    .onConflictDoUpdate({ target: upkeepRounds.name, set: { position, due_at } });
}
