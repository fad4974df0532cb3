import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How far the sweeps are that go through everything there is, a part of it every minute. */
export const sweepCursors = sqliteTable("upkeep_rounds", {
  name: text("name").primaryKey(),
  /** The last id that was visited; empty = the round is over. */
  position: text("position").notNull(),
  /** When the next round may begin. */
  due_at: integer("due_at", { mode: "number" }).notNull(),
});
