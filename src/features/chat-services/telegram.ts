import { z } from "zod";
import type { RequestScope } from "../../access/scope.ts";
import type { TelegramUpdate, TelegramUser } from "../../contract/chat-link.ts";
import { send } from "../../delivery/sender.ts";
import { plainTelegram, shorten } from "../../lib/plain-text.ts";
import type { ChatIdentity } from "../../platform/chat-account-codes.ts";
import { linkAddress } from "../chat-accounts/acting.ts";
import { type ChatCommand, pressButton, runCommand } from "./commands.ts";

/** https://core.telegram.org/bots/api#making-requests-when-getting-updates: the answer is a call of the API. */
const TEXT_LENGTH_MAX = 4096;
const ALERT_LENGTH_MAX = 200;
/** `/status`, `/status@vigil_bot`, `/link <token>`; `/start <token>` is what a link to the bot sends. */
const COMMAND = /^\/([a-z]{1,32})(?:@\w+)?(?:\s+(\S+))?/i;

/** What everybody in a group reads is no place for a link that says who somebody is. */
const PRIVATELY = "You are linked to no account yet. Write /account to this bot in a private chat.";
const ACCOUNT = /^\/(?:start\s+)?account(?:@\w+)?\s*$/i;

export async function answerUpdate(ctx: RequestScope, update: TelegramUpdate): Promise<Record<string, unknown>> {
  const { callback_query: query } = update;
  if (query) {
    const asked = { data: query.data ?? "", person: personOf(query.from), sayHowToLink: () => PRIVATELY };
    const text = await pressButton(ctx, asked);
    return { method: "answerCallbackQuery", callback_query_id: query.id, text: shorten(text, ALERT_LENGTH_MAX) };
  }
  const message = update.message ?? update.channel_post;
  const [, name, argument = ""] = COMMAND.exec(message?.text ?? "") ?? [];
  if (!message || name === undefined) return {};
  const { chat, from } = message;
  const isPrivate = chat.type === "private";
  const person = from ? personOf(from) : null;
  if (ACCOUNT.test(message.text ?? "")) {
    const text = isPrivate && person ? howToLink(ctx, person) : PRIVATELY;
    return { method: "sendMessage", chat_id: chat.id, text, link_preview_options: { is_disabled: true } };
  }
  const command: ChatCommand = {
    service: "telegram",
    channel: { id: String(chat.id), name: chat.title ?? null },
    argument,
    name: name.toLowerCase() === "start" && argument !== "" ? "link" : name.toLowerCase(),
    person,
    sayHowToLink: () => PRIVATELY,
    // Only administrators post to channels, and a private chat has one person.
    isManager: async () =>
      update.channel_post !== undefined || isPrivate || (from ? isAdministrator(ctx, chat.id, from.id) : false),
  };
  const text = await runCommand(ctx, command);
  // The command in the bot's own words is one to press.
  const inert = text === PRIVATELY ? text : plainTelegram(text);
  return { method: "sendMessage", chat_id: chat.id, text: shorten(inert, TEXT_LENGTH_MAX) };
}

function personOf({ id, username, first_name }: TelegramUser): ChatIdentity {
  return {
    service: "telegram",
    workspace_id: "",
    chat_user_id: String(id),
    name: username ?? first_name ?? String(id),
  };
}

function howToLink(ctx: RequestScope, person: ChatIdentity): string {
  return `Open this within 15 minutes, signed in, and say that it is you: ${linkAddress(ctx, person)}`;
}

const ChatMember = z.object({ result: z.object({ status: z.string() }) });

/** https://core.telegram.org/bots/api#getchatmember */
async function isAdministrator({ settings }: RequestScope, chat_id: number, user_id: number): Promise<boolean> {
  if (settings.TELEGRAM_BOT_TOKEN === "") return false;
  const reply = await send(settings, {
    method: "POST",
    headers: { "content-type": "application/json" },
    url: `${settings.TELEGRAM_API_BASE}/bot${settings.TELEGRAM_BOT_TOKEN}/getChatMember`,
    body: JSON.stringify({ chat_id, user_id }),
  });
  if (reply.kind !== "answered" || reply.status !== 200) return false;
  const member = parseMember(reply.excerpt);
  return member === "creator" || member === "administrator";
}

function parseMember(text: string): string | null {
  try {
    return ChatMember.parse(JSON.parse(text)).result.status;
  } catch {
    return null;
  }
}
