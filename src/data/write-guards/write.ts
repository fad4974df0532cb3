import { type SQL, sql } from "drizzle-orm";
import type { PlanCap } from "../../contract/limiter-object.ts";
import type { Db, Statement } from "../db.ts";
import { type GuardName, guards } from "./table.ts";

/** What is sent in a minute waits, and what is kept of the past is shortened; everything else is refused. */
export type GuardedCap = Extract<PlanCap, GuardName>;

/** Makes the whole batch fail when the condition holds at the moment of the write. */
export function failBatchWhen(db: Db, name: GuardName, condition: SQL): Statement {
  return db.insert(guards).select(sql`SELECT ${name} WHERE ${condition}`);
}
