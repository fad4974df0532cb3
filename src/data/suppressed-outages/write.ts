import type { Db, Statement } from "../db.ts";
import { heldOutages } from "../incidents/table.ts";
import { isHeld, type SuppressedOutage } from "./read.ts";

export function suppressOutage(db: Db, held: SuppressedOutage): Statement {
  return db
    .insert(heldOutages)
    .values(held)
    .onConflictDoUpdate({
      target: heldOutages.monitor_id,
      set: { outage_seq: held.outage_seq, held_by: held.held_by },
    });
}

export function endSuppression(db: Db, held: SuppressedOutage): Statement {
  return db.delete(heldOutages).where(isHeld(held));
}
