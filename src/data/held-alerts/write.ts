import { type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { events } from "../events/table.ts";
import { WAKE_GRACE_MS } from "../outbox/rows.ts";
import { deliveries } from "../webhooks/table.ts";

const listOf = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** The rows of these events are part of the same batch, or stored before. */
export function holdEvents(
  db: Db,
  held: readonly { id: string; held_until: number; ended_ids: readonly string[] | null }[],
): Statement {
  const ofEvent = (member: SQL) =>
    sql`(SELECT ${member} FROM json_each(${JSON.stringify(held)}) WHERE value ->> 'id' = ${events.id})`;
  return db
    .update(events)
    .set({ held_until: ofEvent(sql`value ->> 'held_until'`), ended_ids: ofEvent(sql`value ->> 'ended_ids'`) })
    .where(sql`${events.id} IN ${listOf(held.map(({ id }) => id))}`);
}

export function releaseEvents(db: Db, ids: readonly string[]): Statement {
  return db
    .update(events)
    .set({ held_until: null })
    .where(sql`${events.id} IN ${listOf(ids)}`);
}

/** Those that no attempt was made of yet become due now. */
export function releaseDeliveries(db: Db, ids: readonly string[], now: number): Statement {
  return db
    .update(deliveries)
    .set({ next_attempt_at: now, wake_at: now + WAKE_GRACE_MS, updated_at: now })
    .where(sql`${deliveries.id} IN ${listOf(ids)} AND ${deliveries.state} = 'pending' AND ${deliveries.attempt} = 0`);
}

interface Bundle {
  /** The delivery whose message lists the events of the others. */
  carrier_id: string;
  others: readonly string[];
  /** Monitors that it lists. */
  size: number;
}

export function bundleDeliveries(db: Db, { carrier_id, others, size }: Bundle, now: number): Statement[] {
  return [
    db
      .update(deliveries)
      .set({ bundle_size: size, next_attempt_at: now, wake_at: now + WAKE_GRACE_MS, updated_at: now })
      .where(sql`${deliveries.id} = ${carrier_id} AND ${deliveries.state} = 'pending' AND ${deliveries.attempt} = 0`),
    db
      .update(deliveries)
      .set({ state: "bundled", bundled_into: carrier_id, next_attempt_at: null, updated_at: now })
      .where(
        sql`${deliveries.id} IN ${listOf(others)} AND ${deliveries.state} = 'pending' AND ${deliveries.attempt} = 0`,
      ),
  ];
}
