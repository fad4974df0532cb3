import type { ChatService } from "../contract/chat-link.ts";
import { plainTelegram, shorten } from "../lib/plain-text.ts";
import { escapeDiscord } from "./chat-text.ts";
import { type ChatServices, jsonRequest, type NotifierRequest } from "./port.ts";

/** A message of the bot in a linked channel: sent, then edited in place. */
export interface StatusPost {
  service: ChatService;
  channel_id: string;
  /** Plain text. */
  text: string;
  link: string | null;
  /** Null: it was not sent yet. */
  message_id: string | null;
  /** The same for repeats of one message, so that Discord drops those. */
  nonce: string;
}

/** https://discord.com/developers/docs/resources/message and https://core.telegram.org/bots/api#sendmessage */
const DISCORD_LENGTH_MAX = 2000;
const TELEGRAM_LENGTH_MAX = 4096;
const NONCE_LENGTH_MAX = 25;

export function buildStatusPost(post: StatusPost, services: ChatServices): NotifierRequest {
  return post.service === "discord" ? buildForDiscord(post, services) : buildForTelegram(post, services);
}

function buildForDiscord({ channel_id, message_id, text, link, nonce }: StatusPost, services: ChatServices) {
  const messages = `${services.discord_api_base}/channels/${channel_id}/messages`;
  const headers = { authorization: `Bot ${services.discord_bot_token}` };
  const suffix = link === null ? "" : `\n${link}`;
  const content = `${shorten(escapeDiscord(text), DISCORD_LENGTH_MAX - suffix.length)}${suffix}`;
  const body = { content, allowed_mentions: { parse: [] } };
  if (message_id !== null) return jsonRequest(`${messages}/${message_id}`, body, { method: "PATCH", headers });
  return jsonRequest(messages, { ...body, nonce: nonce.slice(0, NONCE_LENGTH_MAX), enforce_nonce: true }, { headers });
}

function buildForTelegram({ channel_id, message_id, text, link }: StatusPost, services: ChatServices) {
  const api = `${services.telegram_api_base}/bot${services.telegram_bot_token}`;
  const message = message_id === null ? {} : { message_id: Number(message_id) };
  const suffix = link === null ? "" : `\n${link}`;
  // Without parse_mode nothing in the text is markup.
  const body = {
    chat_id: channel_id,
    text: `${shorten(plainTelegram(text), TELEGRAM_LENGTH_MAX - suffix.length)}${suffix}`,
    link_preview_options: { is_disabled: true },
  };
  return jsonRequest(`${api}/${message_id === null ? "sendMessage" : "editMessageText"}`, { ...body, ...message });
}

export type PostResult = { kind: "done"; message_id: string | null } | { kind: "missing" } | { kind: "refused" };

/** What an answer means: `missing`, when the message to be edited was deleted in the channel. */
export function readPostAnswer({ service, message_id }: StatusPost, status: number, body: string): PostResult {
  if (status >= 200 && status < 300) {
    const sent = /"(?:id|message_id)"\s*:\s*"?(\d{1,20})/.exec(body)?.[1] ?? null;
    return { kind: "done", message_id: message_id ?? sent };
  }
  const isMissing = service === "discord" ? status === 404 : status === 400 && /not found/i.test(body);
  if (isMissing && message_id !== null) return { kind: "missing" };
  return status === 400 && /message is not modified/i.test(body) ? { kind: "done", message_id } : { kind: "refused" };
}
