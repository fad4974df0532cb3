import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, timestamps } from "../columns.ts";
import { sessions } from "../sessions/table.ts";

/** What a provider of sign-in knows a session by, and what it is asked with whether that goes on. */
export const providerSessions = sqliteTable(
  "provider_sessions",
  {
    session_id: text("session_id")
      .primaryKey()
      .references(() => sessions.id, { onDelete: "cascade" }),
    provider_id: text("provider_id").notNull(),
    issuer: text("issuer").notNull(),
    /** The provider's id of its own session; null where it names none. */
    sid: text("sid"),
    /** The ID token and the refresh token. */
    sealed: text("sealed").notNull(),
    /** When the provider is asked next; null where it gave no refresh token. */
    ask_at: instant("ask_at"),
    ...timestamps(),
  },
  (table) => [
    index("provider_sessions_sid").on(table.issuer, table.sid),
    index("provider_sessions_due").on(table.ask_at),
  ],
);
