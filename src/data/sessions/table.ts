import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, instant, timestamps } from "../columns.ts";
import { linkedSignIns } from "../linked-sign-ins/table.ts";
import { users } from "../users/table.ts";

/** Apart from the users, so that no query for a person carries a hash along. */
export const passwords = sqliteTable("passwords", {
  user_id: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** PHC string of a peppered scrypt. */
  hash: text("hash").notNull(),
  ...timestamps(),
});

/** Signed-in browsers. The cookie's value is stored as its SHA-256 only. */
export const sessions = sqliteTable(
  "sessions",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    token_hash: text("token_hash").notNull().unique(),
    /** As the browser named itself at sign-in. */
    user_agent: text("user_agent"),
    ip: text("ip"),
    /** When its holder last gave the password or a passkey; null for a session that began without one. */
    password_at: instant("password_at"),
    /** What it was begun with at a provider of sign-in, with which it ends; null for any other. */
    linked_sign_in_id: text("linked_sign_in_id").references(() => linkedSignIns.id, { onDelete: "cascade" }),
    /** May lag by a minute. */
    last_used_at: instant("last_used_at").notNull(),
    ...timestamps(),
  },
  (table) => [
    index("sessions_user").on(table.user_id),
    index("sessions_linked").on(table.linked_sign_in_id),
    index("sessions_age").on(table.created_at),
    index("sessions_idle").on(table.last_used_at),
  ],
);
