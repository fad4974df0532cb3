import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, instant, timestamps } from "../columns.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

/** Offers of a status page to another account, at most one of a page. The token is stored as its SHA-256 only. */
export const pageTransfers = sqliteTable(
  "page_transfers",
  {
    id: id(),
    status_page_id: text("status_page_id")
      .notNull()
      .unique()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    from_user_id: text("from_user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    to_user_id: text("to_user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    token_hash: text("token_hash").notNull().unique(),
    expires_at: instant("expires_at").notNull(),
    ...timestamps(),
  },
  (table) => [index("page_transfers_age").on(table.expires_at)],
);
