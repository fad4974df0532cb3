import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { QueueName } from "../../contract/queues.ts";
import { instant } from "../columns.ts";

/** A row per queue, written by its consumer. */
export const queueHealth = sqliteTable("queue_health", {
  queue: text("queue").$type<QueueName>().primaryKey(),
  /** When the newest marker that arrived was sent. */
  marker_sent_at: instant("marker_sent_at"),
  /** Messages that failed every time or could not be parsed. */
  dead_letters: integer("dead_letters").notNull().default(0),
  dead_letter_at: instant("dead_letter_at"),
});
