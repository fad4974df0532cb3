import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import type { FlappingRecord } from "./read.ts";
import { flappingMonitors } from "./table.ts";

export function saveFlapping(db: Db, record: FlappingRecord): Statement {
  return db
    .insert(flappingMonitors)
    .values(record)
    .onConflictDoUpdate({ target: flappingMonitors.monitor_id, set: record });
}

export function deleteFlapping(db: Db, monitorId: string): Statement {
  return db.delete(flappingMonitors).where(eq(flappingMonitors.monitor_id, monitorId));
}

/** What the API shows of it. */
export function setFlapping(db: Db, monitorId: string, flapping: boolean): Statement {
  return db.update(monitors).set({ flapping }).where(eq(monitors.id, monitorId));
}
