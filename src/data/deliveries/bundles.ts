import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { type StoredEvent, toEvent } from "../events/read.ts";
import { events } from "../events/table.ts";
import { deliveries } from "../webhooks/table.ts";
import type { DeliveryRecord } from "./read.ts";

/** Of these deliveries those that still wait for the release of their alert. */
export async function listWaitingDeliveries(
  db: Db,
  ids: readonly string[],
  now: number,
): Promise<Pick<DeliveryRecord, "id" | "webhook_id" | "event_id">[]> {
  return db
    .select({ id: deliveries.id, webhook_id: deliveries.webhook_id, event_id: deliveries.event_id })
    .from(deliveries)
    .where(
      and(
        sql`${deliveries.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
        eq(deliveries.state, "pending"),
        eq(deliveries.attempt, 0),
        gt(deliveries.next_attempt_at, now),
      ),
    )
    .limit(ids.length);
}

/** Events that the message of this delivery lists besides its own, by the names of their monitors. */
export async function listBundledEvents(db: Db, deliveryId: string, limit: number): Promise<StoredEvent[]> {
  const rows = await db
    .select({ event: events })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.event_id))
    .where(and(sql`${deliveries.bundled_into} IS NOT NULL`, eq(deliveries.bundled_into, deliveryId)))
    .orderBy(
      sql`coalesce(${events.data} ->> 'monitor_name', ${events.data} ->> 'title') COLLATE NOCASE`,
      asc(events.id),
    )
    .limit(limit);
  return rows.map(({ event }) => toEvent(event));
}
