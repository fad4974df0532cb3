import type { AlertMessage, AlertTone } from "../domain/alert-messages.ts";
import { plainTelegram, shorten } from "../lib/plain-text.ts";
import { blocksToText, parseMarkdown } from "../ui/markdown.ts";

/** What chats without cards of their own show: a title, the text, facts and links, one below the other. */

export const SYMBOLS: Record<AlertTone, string> = { down: "🔴", warning: "🟠", good: "🟢", info: "🔵" };
const ZERO_WIDTH_SPACE = "\u200b";
const SEPARATOR = " · ";
/** Beside these the text and the links of a message have room in every chat. */
const TITLE_MAX = 300;
const FACTS_MAX = 600;

interface Format {
  /** Makes text of users inert. */
  toInert(text: string): string;
  /** What the service accepts. */
  length_max: number;
  title?(escaped: string): string;
  /** A link under words, so that nobody reads its address. */
  link(label: string, url: string): string;
}

/** Four lines at most besides the text of a user: title, text, facts, links. */
export function formatChatText(
  message: AlertMessage,
  { toInert, length_max, title = (text) => text, link }: Format,
): string {
  const head = `${SYMBOLS[message.tone]} ${title(toInert(shorten(message.title, TITLE_MAX)))}`;
  const facts = message.facts.map(({ label, value }) => `${label}: ${toInert(value)}`).join(SEPARATOR);
  const links = message.links.map(({ label, url }) => link(label, url)).join(SEPARATOR);
  const rest = [shorten(facts, FACTS_MAX), links];
  const room = length_max - [head, ...rest].join("\n").length - 2;
  const text = shorten(toInert(plainText(message)), Math.max(room, 0));
  return shorten([head, text, ...rest].filter((line) => line !== "").join("\n"), length_max);
}

interface PlainFormat {
  length_max: number;
  /** The service has a place of its own for the title. */
  isTitled?: boolean;
  /** Makes text of users inert. */
  toInert?: (text: string) => string;
}

/** For services without marks: one line for each thing, addresses as they are. */
export function formatPlain(
  message: AlertMessage,
  { length_max, isTitled = false, toInert = (text) => text }: PlainFormat,
): string {
  const head = isTitled ? "" : `${SYMBOLS[message.tone]} ${toInert(shorten(message.title, TITLE_MAX))}`;
  const facts = shorten(message.facts.map(({ label, value }) => `${label}: ${toInert(value)}`).join("\n"), FACTS_MAX);
  const links = message.links.map(({ label, url }) => `${label}: ${url}`).join("\n");
  const room = length_max - [head, facts, links].join("\n").length - 2;
  const text = shorten(toInert(plainText(message)), Math.max(room, 0));
  const lines = [head, text, facts, links].filter((line) => line !== "");
  return shorten(lines.join("\n") || message.title, length_max);
}

/** As Slack and Google Chat write it. */
export function angleLink(label: string, url: string): string {
  return `<${url}|${label}>`;
}

/** As Markdown writes it. */
export function markdownLink(label: string, url: string): string {
  return `[${label}](${url})`;
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
  return plainTelegram(text.replace(/\\/g, `\\${ZERO_WIDTH_SPACE}`).replace(/[_*`[]/g, "\\$&"));
}
