import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ChatAccountService } from "../../contract/chat-account.ts";
import { id, timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** Who acts for an account in a chat. */
export const chatAccounts = sqliteTable(
  "chat_accounts",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    service: text("service").$type<ChatAccountService>().notNull(),
    /** Empty where the service names people by themselves. */
    workspace_id: text("workspace_id").notNull(),
    chat_user_id: text("chat_user_id").notNull(),
    /** As the service said when it was linked; shown, and never looked up. */
    name: text("name").notNull(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("chat_accounts_person").on(table.service, table.workspace_id, table.chat_user_id),
    index("chat_accounts_user").on(table.user_id),
  ],
);
