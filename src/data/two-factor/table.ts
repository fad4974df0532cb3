import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, instant, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** The authenticator app of an account. */
export const twoFactors = sqliteTable("two_factors", {
  user_id: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** Sealed, bound to the user. */
  sealed_secret: text("sealed_secret").notNull(),
  /** null = set up, but not confirmed by a code yet: sign-in does not ask for one. */
  confirmed_at: instant("confirmed_at"),
  /** Codes of this step and of earlier ones are used up. */
  last_used_step: instant("last_used_step"),
  ...timestamps(),
});

/** Stored as a SHA-256 over code and user; a used code has no row. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    code_hash: text("code_hash").notNull().unique(),
    ...timestamps(),
  },
  (table) => [index("recovery_codes_user").on(table.user_id)],
);
