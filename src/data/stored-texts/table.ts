import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";
import { users } from "../users/table.ts";

/**
 * What an account has written, where its plan limits that. Each write adds to it in its own transaction, so no number is
 * ever too small; what is deleted later is found when a number reaches its cap and is measured.
 */
export const storedTexts = sqliteTable("stored_texts", {
  owner_id: text("owner_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** Of texts that are stored: the sizes of the requests that brought them. */
  bytes: integer("bytes").notNull(),
  measured_at: instant("measured_at").notNull().default(0),
  /** Of texts that went into events, which outlive what they are about. */
  event_bytes: integer("event_bytes").notNull().default(0),
  /** Of the audit log. */
  audit_bytes: integer("audit_bytes").notNull().default(0),
  /** The hour in which the rows below were written. */
  hour_at: instant("hour_at").notNull().default(0),
  /** By people. */
  written_rows: integer("written_rows").notNull().default(0),
  agent_rows: integer("agent_rows").notNull().default(0),
});
