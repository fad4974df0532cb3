import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";

/** Building blocks shared by all tables. Instants are epoch milliseconds, ids are UUID text. */
export const id = () => text("id").primaryKey();
export const instant = (name: string) => integer(name, { mode: "number" });
export const flag = (name: string) => integer(name, { mode: "boolean" });
export const timestamps = () => ({
  created_at: instant("created_at").notNull(),
  updated_at: instant("updated_at").notNull(),
});
export const emptyList = sql`'[]'`;
export const emptyObject = sql`'{}'`;
