import { escapeTelegram, formatChatText, markdownLink } from "./chat-text.ts";
import { textField, urlField } from "./fields.ts";
import {
  CHAT_ATTEMPTS_MAX,
  isHttpUrl,
  jsonRequest,
  type Notifier,
  type NotifierInput,
  type WebhookTarget,
} from "./port.ts";

/** https://core.telegram.org/bots/api#sendmessage and #editmessagetext */
const LENGTH_MAX = 4096;
const API_ORIGIN = "https://api.telegram.org";
const BOT_CHAT = /^telegram:chat:(-?\d{1,20}|@\w{1,64})$/;

const parseMessageId = (body: string) => /"message_id"\s*:\s*(\d{1,20})/.exec(body)?.[1] ?? null;

/** A bot of the user: the address holds its token, the secret is the chat id. A server of their own may have any path. */
export const telegram: Notifier = {
  provider: "telegram",
  label: "Telegram",
  family: "chat",
  fields: [
    urlField("https://api.telegram.org/bot<token>/sendMessage, with the token that @BotFather gave your bot."),
    textField("secret", "Chat id", "The chat id, from https://api.telegram.org/bot<token>/getUpdates."),
  ],
  steps: [
    "Ask [@BotFather](https://t.me/BotFather) for a bot and its token.",
    "Add the bot to the chat and write something there.",
    "Read the chat id from `https://api.telegram.org/bot<token>/getUpdates`.",
  ],
  channel: "another chat id",
  notes: [
    "Further messages of an outage edit the first one while its status is the same. For the bot of your operator see [telegram_bot](telegram_bot.md).",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate({ url, secret }) {
    if (!isHttpUrl(url) || (new URL(url).origin === API_ORIGIN && !new URL(url).pathname.endsWith("/sendMessage"))) {
      return `url must be ${API_ORIGIN}/bot<token>/sendMessage`;
    }
    return secret === null ? "secret must be the chat id" : null;
  },
  build: (input, target) => jsonRequest(methodUrl(input, target, "sendMessage"), bodyOf(input, chatOf(target))),
  editing: {
    parseMessageId,
    edit: (input, target, messageId) =>
      jsonRequest(methodUrl(input, target, "editMessageText"), {
        ...bodyOf(input, chatOf(target)),
        message_id: Number(messageId),
      }),
  },
};

/** The bot of the operator: the address is `telegram:chat:<id>`, as a link token writes it. */
export const telegramBot: Notifier = {
  provider: "telegram_bot",
  label: "Telegram (the operator's bot)",
  family: "chat",
  fields: [
    urlField("telegram:chat:<id>; the list of the page's status channels shows the id once the chat is linked."),
  ],
  steps: [
    "Make sure that your operator runs a bot (settings `TELEGRAM_BOT_TOKEN` and `TELEGRAM_BOT_NAME`), and add it to the chat.",
    "[Link the chat](../channels.md#linked-channels) to a status page; the list of its status channels shows the chat id.",
    "Use `telegram:chat:<chat id>` as the address.",
  ],
  channel: "another chat id",
  notes: [
    "The bot writes only into chats that are linked to a status page of the same owner, those of `alert_channels` included. Until then, and after the link is removed, the webhook says so in `notices`, and its deliveries fail with the reason.",
    "Further messages of an outage edit the first one while its status is the same.",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate({ url }, { telegram_bot_token }) {
    if (!BOT_CHAT.test(url)) return "url must be telegram:chat:<id>";
    return telegram_bot_token === "" ? "url needs a Telegram bot, and the operator has configured none" : null;
  },
  receiverOf: (target) => ({ kind: "chat", service: "telegram", id: botChatOf(target) }),
  build: (input, target) =>
    jsonRequest(botUrl(input, "sendMessage"), { ...bodyOf(input, botChatOf(target)), ...buttonOf(input) }),
  editing: {
    parseMessageId,
    edit: (input, target, messageId) =>
      jsonRequest(botUrl(input, "editMessageText"), {
        ...bodyOf(input, botChatOf(target)),
        message_id: Number(messageId),
      }),
  },
};

function bodyOf({ message }: NotifierInput, chat_id: string) {
  const text = formatChatText(message, {
    toInert: escapeTelegram,
    length_max: LENGTH_MAX,
    title: boldTitle,
    link: markdownLink,
  });
  return { chat_id, text, parse_mode: "Markdown" };
}

/** Within bold text a backslash keeps no mark (https://core.telegram.org/bots/api#markdown-style): such a title is plain. */
function boldTitle(escaped: string): string {
  return escaped.includes("\\") ? escaped : `*${escaped}*`;
}

function chatOf({ channel, secret }: WebhookTarget): string {
  return channel ?? secret ?? "";
}

function botChatOf({ channel, url }: Pick<WebhookTarget, "url" | "channel">): string {
  return channel?.replace(/^telegram:chat:/, "") ?? BOT_CHAT.exec(url)?.[1] ?? "";
}

/** The operator may run an API server of their own (https://core.telegram.org/bots/api#using-a-local-bot-api-server). */
function methodUrl({ services }: NotifierInput, { url }: WebhookTarget, method: string): string {
  const address = url.replace(/\/sendMessage(?=$|\?)/, `/${method}`);
  return address.startsWith(`${API_ORIGIN}/`)
    ? `${services.telegram_api_base}${address.slice(API_ORIGIN.length)}`
    : address;
}

function botUrl({ services }: NotifierInput, method: string): string {
  return `${services.telegram_api_base}/bot${services.telegram_bot_token}/${method}`;
}

/** https://core.telegram.org/bots/api#inlinekeyboardbutton */
function buttonOf({ message: { acknowledge_button } }: NotifierInput) {
  if (acknowledge_button === undefined) return {};
  return { reply_markup: { inline_keyboard: [[{ text: "Acknowledge", callback_data: acknowledge_button }]] } };
}
