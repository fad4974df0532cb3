import type { AlertMessage, AlertTone } from "../domain/alert-messages.ts";
import { plainTelegram, shorten } from "../lib/plain-text.ts";
import { blocksToText, parseMarkdown } from "../ui/markdown.ts";

/** What chats without cards of their own show: a title, the text, facts and links, one below the other. */

const SYMBOLS: Record<AlertTone, string> = { down: "🔴", warning: "🟠", good: "🟢", info: "🔵" };
const ZERO_WIDTH_SPACE = "\u200b";

interface Format {
  /** Makes text of users inert. */
  toInert(text: string): string;
  /** What the service accepts. */
  length_max: number;
  title?(escaped: string): string;
  /** Keeps the marks in an address from being read as such. */
  url?(url: string): string;
}

export function formatChatText(
  message: AlertMessage,
  { toInert, length_max, title = (text) => text, url = (text) => text }: Format,
): string {
  const head = `${SYMBOLS[message.tone]} ${title(toInert(message.title))}`;
  const facts = message.facts.map(({ label, value }) => `${label}: ${toInert(value)}`);
  const links = message.links.map((link) => `${link.label}: ${url(link.url)}`);
  const rest = [...facts, ...links];
  const room = length_max - [head, ...rest].join("\n").length - 2;
  const text = shorten(toInert(plainText(message)), Math.max(room, 0));
  return shorten([head, text, ...rest].filter((line) => line !== "").join("\n"), length_max);
}

/** The text of a message without marks. */
export function plainText({ text, is_markdown }: Pick<AlertMessage, "text" | "is_markdown">): string {
  return is_markdown ? blocksToText(parseMarkdown(text)) : text;
}

/**
 * Slack and Google Chat have no escape for marks: a zero-width space after one that could begin a format keeps it text.
 * https://api.slack.com/reference/surfaces/formatting#escaping
 */
export function escapeSlack(text: string): string {
  const marks = text.replace(/(^|[\s("'[{])([*_~`]+)(?=\S)/g, `$1$2${ZERO_WIDTH_SPACE}`);
  return marks.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** https://developers.google.com/workspace/chat/format-messages: mentions and links stand in angle brackets. */
export function escapeGoogleChat(text: string): string {
  const marks = text.replace(/(^|[\s("'[{])([*_~`]+)(?=\S)/g, `$1$2${ZERO_WIDTH_SPACE}`);
  return marks.replace(/<(?=\S)/g, `<${ZERO_WIDTH_SPACE}`);
}

/** https://support.discord.com/hc/en-us/articles/210298617: a backslash keeps a mark; `<` begins mentions and times. */
export function escapeDiscord(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<@]/g, "\\$&");
}

/** Markdown with mentions of `@name`, `@channel`, `~channel` and `:emoji:`. */
export function escapeMattermost(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|>~<-]/g, "\\$&").replace(/@/g, `@${ZERO_WIDTH_SPACE}`);
}

/** Legacy Markdown of https://core.telegram.org/bots/api#markdown-style; mentions and commands need more than a backslash. */
export function escapeTelegram(text: string): string {
  return plainTelegram(escapeTelegramMarks(text.replace(/\\/g, `\\${ZERO_WIDTH_SPACE}`)));
}

export function escapeTelegramMarks(text: string): string {
  return text.replace(/[_*`[]/g, "\\$&");
}
