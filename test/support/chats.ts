import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import type { ChatService } from "../../src/contract/chat-link.ts";
import { statusChannels } from "../../src/data/chat-links/table.ts";
import { openDb } from "../../src/data/db.ts";
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
