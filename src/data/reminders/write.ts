import { sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { webhooks } from "../webhooks/table.ts";
import { webhookReminders } from "./table.ts";

export type ReminderRecord = typeof webhookReminders.$inferSelect;

/** One statement for any number; what was deleted meanwhile drops out. */
export function recordReminders(db: Db, records: readonly ReminderRecord[]): Statement {
  return db
    .insert(webhookReminders)
    .select(
      sql`SELECT r.value ->> 'webhook_id', r.value ->> 'monitor_id', r.value ->> 'outage_seq', r.value ->> 'due_at'
        FROM json_each(${JSON.stringify(records)}) AS r
        JOIN ${webhooks} ON ${webhooks.id} = r.value ->> 'webhook_id'
        JOIN ${monitors} ON ${monitors.id} = r.value ->> 'monitor_id' WHERE true`,
    )
    .onConflictDoUpdate({
      target: [webhookReminders.webhook_id, webhookReminders.monitor_id],
      set: { outage_seq: sql`excluded.outage_seq`, due_at: sql`excluded.due_at` },
    });
}
