import { eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Plan } from "../../contract/plan.ts";
import type { Db } from "../db.ts";
import { users } from "../users/table.ts";
import { deliveryBudgets } from "./table.ts";

/** Owners with deliveries that wait for their budget, and their plans; who waits longest comes first. */
export function listThrottledOwners(db: Db, limit: number) {
  return db
    .select({ owner_id: deliveryBudgets.owner_id, plan: users.plan })
    .from(deliveryBudgets)
    .innerJoin(users, eq(users.id, deliveryBudgets.owner_id))
    .where(isNotNull(deliveryBudgets.throttled_since))
    .orderBy(deliveryBudgets.throttled_since)
    .limit(limit);
}

/** Since when deliveries of this owner wait; null while none does. */
export async function findThrottledSince(db: Db, ownerId: string): Promise<number | null> {
  const rows = await db
    .select({ since: deliveryBudgets.throttled_since })
    .from(deliveryBudgets)
    .where(eq(deliveryBudgets.owner_id, ownerId))
    .limit(1);
  return rows[0]?.since ?? null;
}

/** What attempts may keep of requests and answers in a day. */
export interface KeptBytes {
  day_at: number;
  /** null = no limit. */
  max: Record<Plan, number | null>;
  default_plan: Plan;
}

/** The cap of the user whose row is joined. */
export const keptMax = ({ max, default_plan }: Omit<KeptBytes, "day_at">): SQL =>
  sql`(${JSON.stringify(max)} ->> coalesce(${users.plan}, ${default_plan}))`;
