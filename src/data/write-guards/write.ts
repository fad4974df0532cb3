import { type SQL, sql } from "drizzle-orm";
import type { PlanCap } from "../../contract/limiter-object.ts";
import type { Db, Statement } from "../db.ts";
import { guards } from "./table.ts";

/** What is sent in a minute waits, and what is kept of the past is shortened; everything else is refused. */
export type GuardedCap = Exclude<PlanCap, "deliveries" | "delivery_bytes" | "audit_bytes">;
export type GuardName =
  | "monitors"
  | "status_pages"
  | "seats"
  | "already_member"
  | "event_rules"
  | "custom_domain"
  | "stale"
  | GuardedCap
  | "locations";

/** The name of the constraint that refuses the batch when this guard's condition holds. */
export function guardConstraint(name: GuardName): string {
  return `guard_${name}`;
}

/** Makes the whole batch fail when the condition holds at the moment of the write. */
export function failBatchWhen(db: Db, name: GuardName, condition: SQL): Statement {
  return db.insert(guards).select(sql`SELECT ${name} WHERE ${condition}`);
}
