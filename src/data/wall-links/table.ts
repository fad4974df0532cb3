import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, instant, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** Addresses that show, to whom has one, how everything stands that a person sees: for screens on a wall. */
export const wallLinks = sqliteTable(
  "wall_links",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Of the screen: "Office, second floor". */
    name: text("name").notNull(),
    token_hash: text("token_hash").notNull().unique(),
    last_shown_at: instant("last_shown_at"),
    ...timestamps(),
  },
  (table) => [index("wall_links_user").on(table.user_id, table.created_at)],
);
