import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { MeasuredCheck } from "../../contract/check.ts";
import { type Db, happensAt, type Statement } from "../db.ts";
import { insertIf } from "../insert-if.ts";
import { WAKE_GRACE_MS } from "../outbox/rows.ts";
import type { StoredEvent } from "./read.ts";
import { events } from "./table.ts";

/** An event is known by its id: inserting it twice stores it once. */
export function insertEvent(db: Db, event: StoredEvent): Statement {
  return happensAt(db.insert(events).values(rowOf(event)).onConflictDoNothing(), [event]);
}

export function insertEventIf(db: Db, event: StoredEvent, condition: SQL): Statement {
  return happensAt(insertIf(db, events, rowOf(event), condition), [event]);
}

/** Inserts those events for which the condition holds, in which `r.value` is an event; returns their ids. */
export function insertEventsIf(db: Db, inserted: readonly StoredEvent[], condition: SQL) {
  const members = Object.values(getTableColumns(events)).map(({ name }) => sql`r.value ->> ${name}`);
  const statement = db
    .insert(events)
    .select(
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(inserted.map(rowOf))}) AS r
        WHERE ${condition}`,
    )
    .returning({ id: events.id });
  return happensAt(statement, inserted);
}

/** The same of an event that may be stored already. */
export function insertNewEventIf(db: Db, event: StoredEvent, condition: SQL): Statement {
  const isNew = sql`NOT EXISTS (SELECT 1 FROM ${events} WHERE ${events.id} = ${event.id})`;
  return insertEventIf(db, event, sql`${isNew} AND ${condition}`);
}

/** As `insertEvent`, by one statement for any number. */
export function insertNewEvents(db: Db, inserted: readonly StoredEvent[]): Statement {
  return insertEventsIf(db, inserted, sql`NOT EXISTS (SELECT 1 FROM ${events} WHERE ${events.id} = r.value ->> 'id')`);
}

/** Replaces the data of a stored event, so that it no longer names what suppressed it. */
export function replaceEvent(db: Db, event: StoredEvent): Statement {
  return db
    .insert(events)
    .values(rowOf(event))
    .onConflictDoUpdate({ target: events.id, set: { data: event.data } });
}

/** Stores the data as the consumer completed it. */
export function markProcessed(db: Db, { id, data }: Pick<StoredEvent, "id" | "data">, now: number): Statement {
  return db.update(events).set({ processed_at: now, data }).where(eq(events.id, id));
}

/** Keeps that rules wait on an event that this batch stores, with the check that they measure. */
export function keepRulesWaiting(
  db: Db,
  { event_id, check, now }: { event_id: string; check: MeasuredCheck | undefined; now: number },
): Statement {
  return db
    .update(events)
    .set({ rules_wake_at: now + WAKE_GRACE_MS, rules_check: check ?? null })
    .where(eq(events.id, event_id));
}

/** Before what keeps others waiting in the same batch. */
export function endRulesWaiting(db: Db, eventId: string): Statement {
  return db.update(events).set({ rules_wake_at: null, rules_check: null }).where(eq(events.id, eventId));
}

function rowOf(event: StoredEvent): typeof events.$inferSelect {
  const { id, owner_id, status_page_id, monitor_id, name, classification, data, created_at, processed_at } = event;
  const wake_at = created_at + WAKE_GRACE_MS;
  return {
    id,
    owner_id,
    status_page_id,
    monitor_id,
    name,
    classification,
    data,
    created_at,
    processed_at,
    wake_at,
    held_until: null,
    ended_ids: null,
    rules_wake_at: null,
    rules_check: null,
  };
}
