import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SavedList } from "../../contract/saved-view.ts";
import { id, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** Lists of the dashboard with filter and order, by the name that a person gave them. */
export const savedViews = sqliteTable(
  "saved_views",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    list: text("list").$type<SavedList>().notNull(),
    /** Of the list's address: `status=down,paused&sort=since`. */
    query: text("query").notNull(),
    ...timestamps(),
  },
  (table) => [uniqueIndex("saved_views_name").on(table.user_id, table.name)],
);
