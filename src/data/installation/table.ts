import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";

/** The one row about the database itself, which `WitnessObject` compares with what it saw last. */
export const installation = sqliteTable("installation", {
  id: integer("id").primaryKey(),
  /** Changes when the database went back in time or the objects were lost; see domain/epoch.ts. */
  epoch: text("epoch").notNull(),
  ticks: integer("ticks").notNull(),
  /** Until when the database knew what happened before the epoch began. */
  known_until: instant("known_until").notNull(),
  ticked_at: instant("ticked_at").notNull(),
});
