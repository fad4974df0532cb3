import { sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { events } from "../events/table.ts";
import { isAmong } from "../outbox/rows.ts";
import { deliveries } from "../webhooks/table.ts";

/** Those of these events that are stored, and those of these deliveries that were not skipped. */
export async function listReceived(
  db: Db,
  { event_ids, delivery_ids }: { event_ids: readonly string[]; delivery_ids: readonly string[] },
) {
  const [announced, received] = await db.batch([
    db
      .select({
        id: events.id,
        name: events.name,
        created_at: events.created_at,
        /** Of an incident. */
        was_public: sql<number | null>`${events.data} ->> 'is_public'`,
      })
      .from(events)
      .where(isAmong(events.id, event_ids))
      .limit(event_ids.length),
    db
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(sql`${isAmong(deliveries.id, delivery_ids)} AND ${deliveries.state} <> 'skipped'`)
      .limit(delivery_ids.length),
  ]);
  return { announced, received: new Set(received.map(({ id }) => id)) };
}
