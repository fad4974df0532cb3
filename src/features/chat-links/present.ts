import type { z } from "zod";
import type { ChatLinkToken, ChatService, StatusChannel } from "../../contract/chat-link.ts";
import type { StatusChannelRecord } from "../../data/chat-links/read.ts";
import { toIso } from "../../platform/clock.ts";
import type { Settings } from "../../platform/settings.ts";
import type { CreatedLinkToken } from "./service.ts";

/** Send Messages and View Channel: https://discord.com/developers/docs/topics/permissions */
const DISCORD_PERMISSIONS = (1 << 10) | (1 << 11);

export function presentLinkToken(
  { token, expires_at }: CreatedLinkToken,
  service: ChatService,
  settings: Settings,
): z.infer<typeof ChatLinkToken> {
  const command = service === "discord" ? `/link token:${token}` : `/link ${token}`;
  return {
    token,
    expires_at: toIso(expires_at),
    url: inviteUrl(service, token, settings),
    instructions: `Add the bot to the channel, then write ${command} there. You have to manage the channel.`,
  };
}

function inviteUrl(service: ChatService, token: string, settings: Settings): string {
  if (service === "telegram") return `https://t.me/${settings.TELEGRAM_BOT_NAME}?startgroup=${token}`;
  const url = new URL("https://discord.com/oauth2/authorize");
  url.searchParams.set("client_id", settings.DISCORD_APPLICATION_ID);
  url.searchParams.set("scope", "bot applications.commands");
  url.searchParams.set("permissions", String(DISCORD_PERMISSIONS));
  return url.href;
}

export function presentStatusChannel(channel: StatusChannelRecord): StatusChannel {
  return {
    id: channel.id,
    status_page_id: channel.status_page_id,
    service: channel.service,
    channel_id: channel.channel_id,
    name: channel.name,
    created_at: toIso(channel.created_at),
    updated_at: toIso(channel.updated_at),
  };
}
