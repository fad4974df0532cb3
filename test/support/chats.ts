import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import type { ChatService } from "../../src/contract/chat-link.ts";
import { chatAccounts } from "../../src/data/chat-accounts/table.ts";
import { statusChannels } from "../../src/data/chat-links/table.ts";
import { openDb } from "../../src/data/db.ts";
import { type ChatIdentity, chatAccountCode } from "../../src/platform/chat-account-codes.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Account, createPage } from "./factories.ts";

/** Links a chat to a page of this account, as the bot's command does. */
export async function linkChat(account: Account, service: ChatService, channel_id: string, page?: string) {
  const status_page_id = page ?? (await createPage(account));
  const { user_id } = account;
  const [id, now] = [newId(), Date.now()];
  const made = { id, owner_id: user_id, created_by: user_id, created_at: now, updated_at: now };
  await openDb(env.DB)
    .insert(statusChannels)
    .values({ ...made, status_page_id, service, channel_id, name: "ops" });
  return { id, status_page_id };
}

/** Takes the link away, as a user or the deletion of its page does. */
export async function unlinkChat({ id }: { id: string }): Promise<void> {
  await openDb(env.DB).delete(statusChannels).where(eq(statusChannels.id, id));
}

/** What the link has that a chat gives one of its people. */
export function chatCodeOf(person: Partial<ChatIdentity> = {}, now = Date.now()): string {
  const somebody = { service: "telegram", workspace_id: "", chat_user_id: newId(), name: "ada", ...person } as const;
  return chatAccountCode(env.ROOT_SECRET, somebody, now);
}

/** Links somebody in a chat to this account, as confirming the link does. */
export async function insertChatAccountOf(
  { user_id }: Pick<Account, "user_id">,
  person: Partial<ChatIdentity> = {},
): Promise<string> {
  const somebody = { service: "telegram", workspace_id: "", chat_user_id: newId(), name: "ada", ...person } as const;
  const [id, now] = [newId(), Date.now()];
  await openDb(env.DB)
    .insert(chatAccounts)
    .values({ id, user_id, ...somebody, created_at: now, updated_at: now });
  return id;
}
