import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { NotifyContactType } from "../../contract/notify-contact.ts";
import { id, instant, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** Where a user can be reached besides the account. */
export const notifyContacts = sqliteTable(
  "notify_contacts",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    type: text("type").$type<NotifyContactType>().notNull(),
    /** The address, encrypted: chat addresses are credentials. */
    sealed: text("sealed").notNull(),
    label: text("label"),
    verified_at: instant("verified_at"),
    ...timestamps(),
  },
  (table) => [index("notify_contacts_user").on(table.user_id, table.created_at)],
);
