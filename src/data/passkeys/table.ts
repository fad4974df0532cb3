import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, instant, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** Public keys that accounts sign in with. What signs is in the person's device and never comes here. */
export const passkeys = sqliteTable(
  "passkeys",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** The host name that it was made for; browsers offer it under no other. */
    rp_id: text("rp_id").notNull(),
    /** base64url, as the device names it. */
    credential_id: text("credential_id").notNull().unique(),
    /** base64url of the COSE key. */
    public_key: text("public_key").notNull(),
    /** Of signatures; stays 0 for passkeys that are kept on several devices. */
    counter: integer("counter").notNull(),
    transports: text("transports", { mode: "json" }).$type<string[]>(),
    last_used_at: instant("last_used_at"),
    ...timestamps(),
  },
  (table) => [index("passkeys_user").on(table.user_id)],
);

/** Challenges that were answered, as SHA-256, until they expire: each is worth one answer. */
export const usedChallenges = sqliteTable(
  "used_challenges",
  {
    challenge_hash: text("challenge_hash").primaryKey(),
    expires_at: instant("expires_at").notNull(),
  },
  (table) => [index("used_challenges_age").on(table.expires_at)],
);
