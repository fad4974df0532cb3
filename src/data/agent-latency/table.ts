import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PackedLatency } from "../../domain/baseline.ts";
import { instant } from "../columns.ts";
import { monitors } from "../monitors/table.ts";

/**
 * What the latencies that agents measured on one day come to, hour by hour, so that a long period reads a row for each
 * day and not one for each check. A day is added up once no result of it can come any more.
 */
export const agentLatency = sqliteTable(
  "agent_latency",
  {
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    /** Midnight UTC. */
    day_at: instant("day_at").notNull(),
    hours: text("hours", { mode: "json" }).$type<{ at: number; tally: PackedLatency }[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.monitor_id, table.day_at] })],
);
