import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { StoredEvent } from "./read.ts";
import { events } from "./table.ts";

/** An event is known by its id: telling of it twice stores it once. */
export function insertEvent(db: Db, event: StoredEvent): Statement {
  return db.insert(events).values(event).onConflictDoNothing();
}

export function markProcessed(db: Db, eventId: string, now: number): Statement {
  return db.update(events).set({ processed_at: now }).where(eq(events.id, eventId));
}
