import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { heldOutages } from "../incidents/table.ts";
import { isHeld, type SuppressedOutage } from "./read.ts";

export function suppressOutage(db: Db, held: SuppressedOutage): Statement {
  return db.insert(heldOutages).values(held).onConflictDoUpdate({
    target: heldOutages.monitor_id,
    set: held,
  });
}

/** What is announced now takes the place of what was withheld before. */
export function forgetSuppression(db: Db, monitorId: string): Statement {
  return db.delete(heldOutages).where(eq(heldOutages.monitor_id, monitorId));
}

export function endSuppression(db: Db, held: SuppressedOutage): Statement {
  return db.delete(heldOutages).where(isHeld(held));
}
