import { and, eq, isNull } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { OutageRecord } from "./read.ts";
import { outages } from "./table.ts";

export function insertOutage(db: Db, record: OutageRecord): Statement {
  return db.insert(outages).values(record).onConflictDoNothing();
}

export function endOutage(db: Db, outageId: string, endedAt: number): Statement {
  return db
    .update(outages)
    .set({ ended_at: endedAt })
    .where(and(eq(outages.id, outageId), isNull(outages.ended_at)));
}
