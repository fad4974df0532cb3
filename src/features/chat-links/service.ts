import { commit } from "../../access/commit.ts";
import { requirePage, requireVisiblePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireStatusChannel } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { ChatService } from "../../contract/chat-link.ts";
import { notFound } from "../../contract/errors.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { listStatusChannels } from "../../data/chat-links/read.ts";
import { deleteStatusChannel, insertLinkToken } from "../../data/chat-links/write.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { newLinkToken, sha256Hex } from "../../platform/credentials.ts";

const TOKEN_VALID_MS = 15 * MINUTE_MS;

export interface CreatedLinkToken {
  token: string;
  expires_at: number;
}

/** Makes a token that the bot's command redeems in the channel to be linked. */
export async function createLinkToken(
  ctx: RequestScope,
  pageId: string,
  service: ChatService,
): Promise<CreatedLinkToken> {
  const page = await requirePage(ctx, pageId);
  const token = newLinkToken();
  const expires_at = ctx.now + TOKEN_VALID_MS;
  const record = {
    token_hash: sha256Hex(token),
    service,
    status_page_id: page.id,
    created_by: requireUser(ctx).user_id,
    expires_at,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await commit(ctx, [insertLinkToken(ctx.db, record)], {
    audit: {
      owner_id: page.owner_id,
      status_page_id: page.id,
      target_type: "status_page",
      target_id: page.id,
      summary: `created a ${service} link token for status page "${page.name}"`,
    },
  });
  return { token, expires_at };
}

export async function listChannels(
  ctx: RequestScope,
  { page_id, service }: { page_id: string; service: ChatService },
  pagination: Pagination,
) {
  const { page } = await requireVisiblePage(ctx, page_id);
  return listStatusChannels(ctx.db, { page_id: page.id, service }, pagination);
}

export async function unlinkChannel(ctx: RequestScope, channelId: string, service: ChatService): Promise<void> {
  const channel = await requireStatusChannel(ctx, channelId);
  if (channel.service !== service) throw notFound("status channel");
  await commit(ctx, [deleteStatusChannel(ctx.db, channel.id)], {
    audit: {
      owner_id: channel.owner_id,
      status_page_id: channel.status_page_id,
      target_type: "status_channel",
      target_id: channel.id,
      summary: `unlinked the ${service} channel ${channel.name ?? channel.channel_id}`,
    },
  });
}
