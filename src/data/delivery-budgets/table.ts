import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";
import { users } from "../users/table.ts";

/** How many deliveries an owner has sent in one minute; only owners whose plan limits them have a row. */
export const deliveryBudgets = sqliteTable(
  "delivery_budgets",
  {
    owner_id: text("owner_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The minute that `taken` counts. */
    minute_at: instant("minute_at").notNull(),
    taken: integer("taken").notNull(),
    /** The day in which attempts kept so many bytes of requests and answers. */
    day_at: instant("day_at").notNull().default(0),
    kept_bytes: integer("kept_bytes").notNull().default(0),
    /** Since when deliveries wait for a later minute; null when none does. */
    throttled_since: instant("throttled_since"),
  },
  (table) => [index("delivery_budgets_throttled").on(table.throttled_since).where(sql`throttled_since IS NOT NULL`)],
);
