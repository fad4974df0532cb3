import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FlappingState } from "../../domain/flapping.ts";
import { instant } from "../columns.ts";
import { monitors } from "../monitors/table.ts";

/** How alerts about a held change are routed, where a rule decided it. */
export interface HeldRouting {
  rule_id: string | null;
  classification?: "public" | "team_only" | "critical";
}

/** Monitors that flap, or did within the last minutes. Steady monitors have no row. */
export const flappingMonitors = sqliteTable(
  "flapping_monitors",
  {
    monitor_id: text("monitor_id")
      .primaryKey()
      .references(() => monitors.id, { onDelete: "cascade" }),
    state: text("state", { mode: "json" }).$type<FlappingState>().notNull(),
    held_routing: text("held_routing", { mode: "json" }).$type<HeldRouting>(),
    /** Grows with every write, so that two writers never overwrite each other. */
    revision: integer("revision").notNull(),
    /** When time alone changes something. */
    wake_at: instant("wake_at").notNull(),
  },
  (table) => [index("flapping_monitors_wake").on(table.wake_at)],
);
