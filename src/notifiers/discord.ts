import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { escapeDiscord, formatChatText, markdownLink, plainText } from "./chat-text.ts";
import { urlField } from "./fields.ts";
import {
  CHAT_ATTEMPTS_MAX,
  isHttpUrl,
  jsonRequest,
  NOT_AN_ADDRESS,
  type Notifier,
  type NotifierInput,
  type WebhookTarget,
} from "./port.ts";

/**
 * Webhooks (https://discord.com/developers/docs/resources/webhook#execute-webhook) by an http address, and the bot of the
 * operator by `discord:channel:<id>`.
 */
const CONTENT_LENGTH_MAX = 2000;
const BOT_CHANNEL = /^discord:channel:(\d{1,20})$/;
const CHANNEL_ID = /^\d{1,20}$/;
/** Decimal colours of embeds. */
const COLOURS: Record<AlertTone, number> = { down: 0xd92d20, warning: 0xf79009, good: 0x12b76a, info: 0x2e90fa };

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const EMBED = { title: 256, description: 4096, field_name: 256, field_value: 1024 };

export const discord: Notifier = {
  provider: "discord",
  label: "Discord",
  family: "chat",
  fields: [
    urlField(
      "The webhook URL: settings of the channel, Integrations, Webhooks. Or discord:channel:<id> for the operator's bot.",
    ),
  ],
  steps: [
    'In the channel\'s settings open "Integrations", "Webhooks".',
    "Create a webhook, name it, and copy its URL.",
    "Or, for the bot of your operator (setting `DISCORD_BOT_TOKEN`), invite it, link the channel to one of your status pages, and use `discord:channel:<channel id>`.",
  ],
  channel: "another webhook, or a channel id of the bot",
  notes: [
    "Its `provider` may be written `service`, too. Further messages of an incident edit the first one while its status is the same. The bot's commands: [linked channels](../channels.md#linked-channels).",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,

  validate({ url }, { discord_bot_token }) {
    if (isHttpUrl(url)) return null;
    if (!BOT_CHANNEL.test(url)) return `${NOT_AN_ADDRESS} or discord:channel:<id>`;
    return discord_bot_token === "" ? "url needs a Discord bot, and the operator has configured none" : null;
  },

  receiverOf(target) {
    const id = channelOf(target);
    return id === null ? null : { kind: "chat", service: "discord", id };
  },

  build(input, target) {
    const channelId = channelOf(target);
    if (channelId !== null) return botRequest(input, `channels/${channelId}/messages`);
    const url = new URL(webhookUrl(target));
    // The response then carries the message, whose id editing needs.
    url.searchParams.set("wait", "true");
    return jsonRequest(url.href, contentOf(input));
  },

  editing: {
    parseMessageId: (body) => /"id"\s*:\s*"(\d{1,20})"/.exec(body)?.[1] ?? null,
    edit(input, target, messageId) {
      const channelId = channelOf(target);
      if (channelId !== null) return botRequest(input, `channels/${channelId}/messages/${messageId}`, "PATCH");
      const url = new URL(webhookUrl(target));
      url.pathname = `${url.pathname.replace(/\/$/, "")}/messages/${messageId}`;
      return jsonRequest(url.href, contentOf(input), { method: "PATCH" });
    },
  },
};

function contentOf({ message }: NotifierInput) {
  const content = formatChatText(message, {
    toInert: escapeDiscord,
    length_max: CONTENT_LENGTH_MAX,
    title: (text) => `**${text}**`,
    // In angle brackets an address gets no preview.
    link: (label, url) => markdownLink(label, `<${url}>`),
  });
  return { content, allowed_mentions: { parse: [] } };
}

/** Null for a webhook: `channel` may name another channel of the bot or another webhook. */
function channelOf({ url, channel }: Pick<WebhookTarget, "url" | "channel">): string | null {
  if (channel !== null) return isHttpUrl(channel) ? null : channel.replace(/^discord:channel:/, "");
  return BOT_CHANNEL.exec(url)?.[1] ?? null;
}

function webhookUrl({ url, channel }: WebhookTarget): string {
  return channel ?? url;
}

function botRequest({ message, event, services }: NotifierInput, path: string, method: "POST" | "PATCH" = "POST") {
  const [, id = ""] = /^channels\/([^/]*)/.exec(path) ?? [];
  if (!CHANNEL_ID.test(id)) throw new Error("alert_channels names no channel of Discord");
  const links = message.links.map(({ label, url }) => markdownLink(label, url)).join(" · ");
  const text = shorten(escapeDiscord(plainText(message)), EMBED.description - links.length - 1);
  const embed = {
    title: shorten(escapeDiscord(message.title), EMBED.title),
    description: [text, links].filter((line) => line !== "").join("\n"),
    color: COLOURS[message.tone],
    fields: message.facts.map(({ label, value }) => ({
      name: shorten(label, EMBED.field_name),
      value: shorten(escapeDiscord(value), EMBED.field_value),
      inline: true,
    })),
    timestamp: new Date(event.created_at).toISOString(),
  };
  return jsonRequest(
    `${services.discord_api_base}/${path}`,
    { embeds: [embed], allowed_mentions: { parse: [] }, ...buttonOf(message) },
    { method, headers: { authorization: `Bot ${services.discord_bot_token}` } },
  );
}

/** https://discord.com/developers/docs/components/reference: a row with a green button. */
function buttonOf({ acknowledge_button: custom_id }: NotifierInput["message"]) {
  if (custom_id === undefined) return {};
  return { components: [{ type: 1, components: [{ type: 2, style: 3, label: "Acknowledge", custom_id }] }] };
}
