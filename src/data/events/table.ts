import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MeasuredCheck } from "../../contract/check.ts";
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
    /** Of what ends something, the announced events that it ends; null where they are not known. */
    ended_ids: text("ended_ids", { mode: "json" }).$type<readonly string[]>(),
    /** While rules wait that fire on it: when the sweep sends a message for them. Null once all have fired. */
    rules_wake_at: instant("rules_wake_at"),
    /** The check that those rules measure, which its history may not have yet. */
    rules_check: text("rules_check", { mode: "json" }).$type<MeasuredCheck>(),
  },
  (table) => [
    index("events_page").on(table.status_page_id, table.created_at),
    index("events_owner").on(table.owner_id, table.created_at),
    index("events_held").on(table.owner_id, table.status_page_id).where(sql`held_until IS NOT NULL`),
    index("events_overdue").on(table.held_until).where(sql`held_until IS NOT NULL`),
    index("events_to_wake").on(table.wake_at).where(sql`processed_at IS NULL`),
    index("events_rules_to_wake").on(table.rules_wake_at).where(sql`rules_wake_at IS NOT NULL`),
  ],
);
