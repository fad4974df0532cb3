import { and, eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { ChatAccountRecord } from "./read.ts";
import { chatAccounts } from "./table.ts";

export function insertChatAccount(db: Db, record: ChatAccountRecord): Statement {
  return db.insert(chatAccounts).values(record);
}

export function deleteChatAccount(db: Db, { id, user_id }: Pick<ChatAccountRecord, "id" | "user_id">): Statement {
  return db.delete(chatAccounts).where(and(eq(chatAccounts.id, id), eq(chatAccounts.user_id, user_id)));
}
