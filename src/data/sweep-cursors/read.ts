import { eq } from "drizzle-orm";
import type { Db } from "../db.ts";
import { sweepCursors } from "./table.ts";

export type SweepCursorRecord = typeof sweepCursors.$inferSelect;

export async function findSweepCursor(db: Db, name: string): Promise<SweepCursorRecord> {
  const rows = await db.select().from(sweepCursors).where(eq(sweepCursors.name, name)).limit(1);
  return rows[0] ?? { name, position: "", due_at: 0 };
}
