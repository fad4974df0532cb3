import { sql } from "drizzle-orm";
import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** What the reader of an address answered to mail on behalf of an account. */
export const mailConsents = sqliteTable(
  "mail_consents",
  {
    /** The owner who sends alerts there, or the user whose own contact it is. */
    account_id: text("account_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Keeps the address itself out of the table. */
    address_hash: text("address_hash").notNull(),
    /** When a mail last asked; null where the reader stopped what nobody had asked about. */
    asked_at: instant("asked_at"),
    agreed_at: instant("agreed_at"),
    stopped_at: instant("stopped_at"),
    ...timestamps(),
  },
  (table) => [
    primaryKey({ columns: [table.address_hash, table.account_id] }),
    index("mail_consents_account").on(table.account_id),
    index("mail_consents_unanswered").on(table.asked_at).where(sql`agreed_at IS NULL AND stopped_at IS NULL`),
  ],
);
