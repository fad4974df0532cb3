import type { z } from "zod";
import type { ChatAccount } from "../../contract/chat-account.ts";
import type { ChatAccountRecord } from "../../data/chat-accounts/read.ts";
import { toIso } from "../../platform/clock.ts";

export function presentChatAccount(record: ChatAccountRecord): z.infer<typeof ChatAccount> {
  const { id, service, workspace_id, chat_user_id, name } = record;
  return {
    id,
    service,
    workspace_id: workspace_id || null,
    chat_user_id,
    name,
    created_at: toIso(record.created_at),
    updated_at: toIso(record.updated_at),
  };
}
