import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { NotificationType } from "../../contract/notification.ts";
import { id, instant, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** In-app notifications of users. */
export const notifications = sqliteTable(
  "notifications",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    type: text("type").$type<NotificationType>().notNull(),
    title: text("title").notNull(),
    message: text("message").notNull(),
    status_page_id: text("status_page_id"),
    target_id: text("target_id"),
    read_at: instant("read_at"),
    ...timestamps(),
  },
  (table) => [
    index("notifications_user").on(table.user_id, table.created_at),
    index("notifications_unread").on(table.user_id, table.created_at).where(sql`read_at IS NULL`),
  ],
);
