import type { Db, Statement } from "../db.ts";
import type { StoredEvent } from "../events/read.ts";
import { events } from "../events/table.ts";
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

/** The stored event once more, without what it was held back by. */
export function releaseEvent(db: Db, event: StoredEvent): Statement {
  return db
    .insert(events)
    .values(event)
    .onConflictDoUpdate({ target: events.id, set: { data: event.data } });
}
