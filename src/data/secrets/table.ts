import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** Values that an account's journeys send, by the names under which they are used. */
export const secrets = sqliteTable(
  "secrets",
  {
    id: id(),
    owner_id: text("owner_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    sealed: text("sealed").notNull(),
    ...timestamps(),
  },
  (table) => [uniqueIndex("secrets_name").on(table.owner_id, table.name)],
);
