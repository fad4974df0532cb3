import type { Db, Statement } from "../db.ts";
import type { SweepCursorRecord } from "./read.ts";
import { sweepCursors } from "./table.ts";

export function saveSweepCursor(db: Db, round: SweepCursorRecord): Statement {
  const { position, due_at } = round;
  return db
    .insert(sweepCursors)
    .values(round)
    .onConflictDoUpdate({ target: sweepCursors.name, set: { position, due_at } });
}
