import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";
import { users } from "../users/table.ts";

/**
 * How many bytes of text an account has written: each write adds the size of its request, so the number is never too
 * small. It is measured when it reaches the cap.
 */
export const storedTexts = sqliteTable("stored_texts", {
  owner_id: text("owner_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  bytes: integer("bytes").notNull(),
  measured_at: instant("measured_at").notNull().default(0),
});
