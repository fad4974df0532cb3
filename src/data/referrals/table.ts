import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** What came of a user's referral code; no row before the first click. The code itself is derived from the user's id. */
export const referrals = sqliteTable("referrals", {
  user_id: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  clicks: integer("clicks").notNull().default(0),
  /** Each earned one credit. */
  signups: integer("signups").notNull().default(0),
  credits_redeemed: integer("credits_redeemed").notNull().default(0),
  ...timestamps(),
});
