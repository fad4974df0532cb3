import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { AlarmRecord } from "./read.ts";
import { alarms } from "./table.ts";

/** Keeps since when an alarm is raised; its message follows what is found. */
export function raiseAlarm(db: Db, alarm: AlarmRecord): Statement {
  const { message } = alarm;
  return db.insert(alarms).values(alarm).onConflictDoUpdate({ target: alarms.name, set: { message } });
}

export function clearAlarm(db: Db, { name }: Pick<AlarmRecord, "name">): Statement {
  return db.delete(alarms).where(eq(alarms.name, name));
}
