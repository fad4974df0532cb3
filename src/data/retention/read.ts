import { asc, eq, gt } from "drizzle-orm";
import type { Db } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { users } from "../users/table.ts";

/** Monitors in the order of their ids, with the plan of their owners; null: the operator's default. */
export function listMonitorPlans(db: Db, after: string, limit: number) {
  return db
    .select({ id: monitors.id, plan: users.plan })
    .from(monitors)
    .innerJoin(users, eq(users.id, monitors.owner_id))
    .where(gt(monitors.id, after))
    .orderBy(asc(monitors.id))
    .limit(limit);
}

export function listUserPlans(db: Db, after: string, limit: number) {
  return db
    .select({ id: users.id, plan: users.plan })
    .from(users)
    .where(gt(users.id, after))
    .orderBy(asc(users.id))
    .limit(limit);
}
