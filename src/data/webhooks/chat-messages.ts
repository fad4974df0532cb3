import { and, eq, lt, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { chatMessages } from "./table.ts";

export type ChatMessageRecord = typeof chatMessages.$inferSelect;

export async function findChatMessage(
  db: Db,
  { webhook_id, thread_id }: Pick<ChatMessageRecord, "webhook_id" | "thread_id">,
): Promise<ChatMessageRecord | undefined> {
  const rows = await db
    .select()
    .from(chatMessages)
    .where(and(eq(chatMessages.webhook_id, webhook_id), eq(chatMessages.thread_id, thread_id)))
    .limit(1);
  return rows[0];
}

export function upsertChatMessage(db: Db, message: ChatMessageRecord): Statement {
  const { state, message_id, updated_at } = message;
  return db
    .insert(chatMessages)
    .values(message)
    .onConflictDoUpdate({
      target: [chatMessages.webhook_id, chatMessages.thread_id],
      set: { state, message_id, updated_at },
    });
}

export async function deleteChatMessagesBefore(db: Db, instant: number, limit: number): Promise<void> {
  const oldest = sql`(SELECT rowid FROM ${chatMessages} WHERE ${lt(chatMessages.updated_at, instant)} LIMIT ${limit})`;
  await db.delete(chatMessages).where(sql`rowid IN ${oldest}`);
}
