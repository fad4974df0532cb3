import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, instant, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** Who somebody is to a provider of sign-in: the pair of issuer and subject, which nobody else ever has; not the address. */
export const linkedSignIns = sqliteTable(
  "linked_sign_ins",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    /** As the provider said when it was linked; shown, and never looked up. */
    email: text("email"),
    /** When the newest sign-in with it began; an answer to an earlier one is not accepted any more. */
    begun_at: instant("begun_at").notNull(),
    last_used_at: instant("last_used_at").notNull(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("linked_sign_ins_subject").on(table.issuer, table.subject),
    index("linked_sign_ins_user").on(table.user_id),
  ],
);
