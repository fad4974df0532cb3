import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agents } from "../agents/table.ts";
import { monitors } from "../monitors/table.ts";

/** The agents that are locations of monitors, as the monitors' own rows name them, to be found from the agent's side. */
export const monitorLocations = sqliteTable(
  "monitor_locations",
  {
    agent_id: text("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.agent_id, table.monitor_id] }),
    index("monitor_locations_monitor").on(table.monitor_id),
  ],
);
