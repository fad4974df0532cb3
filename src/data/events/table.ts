import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EventClassification } from "../../contract/events.ts";
import { id, instant } from "../columns.ts";
import { wakeAt } from "../outbox/rows.ts";

/** All events. A row without `processed_at` still waits for its consumer. */
export const events = sqliteTable(
  "events",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    status_page_id: text("status_page_id"),
    monitor_id: text("monitor_id"),
    name: text("name").notNull(),
    classification: text("classification").$type<EventClassification>().notNull(),
    data: text("data", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
    created_at: instant("created_at").notNull(),
    processed_at: instant("processed_at"),
    wake_at: wakeAt(),
    /** While alerts about it wait for others of its page: until when. Null once people have been notified. */
    held_until: instant("held_until"),
  },
  (table) => [
    index("events_page").on(table.status_page_id, table.created_at),
    index("events_owner").on(table.owner_id, table.created_at),
    index("events_held").on(table.owner_id, table.status_page_id).where(sql`held_until IS NOT NULL`),
    index("events_overdue").on(table.held_until).where(sql`held_until IS NOT NULL`),
    index("events_to_wake").on(table.wake_at).where(sql`processed_at IS NULL`),
  ],
);
