import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";
import { users } from "../users/table.ts";

/** How much mail an owner has sent in one day; only owners whose plan limits it have a row. */
export const mailBudgets = sqliteTable("mail_budgets", {
  owner_id: text("owner_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** The day (UTC) that the others count. */
  day_at: instant("day_at").notNull(),
  /** To addresses that are no account of the team. */
  mails: integer("mails").notNull().default(0),
  /** To subscribers. */
  subscriber_mails: integer("subscriber_mails").notNull().default(0),
});
