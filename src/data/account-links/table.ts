import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, instant, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** Links that open an account once. The token is stored as its SHA-256 only; a used link has no row. */
export const accountLinks = sqliteTable(
  "account_links",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** `password_reset` was mailed to the account's address; `sign_in` was printed for the operator. */
    kind: text("kind").$type<"password_reset" | "sign_in">().notNull(),
    token_hash: text("token_hash").notNull().unique(),
    expires_at: instant("expires_at").notNull(),
    ...timestamps(),
  },
  (table) => [index("account_links_user").on(table.user_id), index("account_links_age").on(table.expires_at)],
);
