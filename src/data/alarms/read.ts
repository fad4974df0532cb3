import { and, asc, isNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { users } from "../users/table.ts";
import { alarms } from "./table.ts";

export type AlarmRecord = typeof alarms.$inferSelect;

/** Each receives a mail about an alarm. */
const OPERATORS_MAX = 50;

/** At most one of each name. */
export function listAlarms(db: Db) {
  return db.select().from(alarms).orderBy(asc(alarms.name));
}

export function listOperators(db: Db) {
  return (
    db
      .select({ id: users.id, email: users.email })
      .from(users)
      // As the index says it.
      .where(and(sql`operator = 1`, isNull(users.deleted_at)))
      .orderBy(asc(users.id))
      .limit(OPERATORS_MAX)
  );
}

/** Conditions of statements that may run twice for one alarm. */
export function isNotRaised({ name }: Pick<AlarmRecord, "name">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${alarms} WHERE name = ${name})`;
}

export function isStillRaised({ name, raised_at }: AlarmRecord): SQL {
  return sql`EXISTS (SELECT 1 FROM ${alarms} WHERE name = ${name} AND raised_at = ${raised_at})`;
}
