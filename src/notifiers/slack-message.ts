import { ACKNOWLEDGE, type AlertMessage } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { angleLink, escapeSlack, formatChatText, plainText, SYMBOLS } from "./chat-text.ts";

/** `text` is what notifications show, and services that take the place of Slack without its blocks. */
const LENGTH_MAX = 3000;
/** https://docs.slack.dev/reference/block-kit/blocks */
const BLOCK = { header: 150, text: 3000, field: 2000, fields: 10, buttons: 25 };

export function slackMessage(message: AlertMessage, buttons: readonly object[] = []) {
  const text = formatChatText(message, { toInert: escapeSlack, length_max: LENGTH_MAX, link: angleLink });
  return { text, blocks: blocksOf(message, buttons) };
}

/** A header, one line that names the page, the reason beside the facts, and buttons. */
function blocksOf(message: AlertMessage, before: readonly object[]): object[] {
  const { tone, title, page_name = "", facts, links } = message;
  const text = shorten(escapeSlack(plainText(message)), BLOCK.text);
  const fields = facts
    .slice(0, BLOCK.fields)
    .map(({ label, value }) => inert(`*${label}*\n${shorten(escapeSlack(value), BLOCK.field - label.length)}`));
  const buttons = [
    ...before,
    ...links.map(({ label, url }) => ({
      type: "button",
      text: plain(label),
      url,
      ...(label === ACKNOWLEDGE && { style: "primary" }),
    })),
  ].slice(0, BLOCK.buttons);
  return [
    { type: "header", text: plain(shorten(`${SYMBOLS[tone]} ${title}`, BLOCK.header)) },
    ...(page_name === "" ? [] : [{ type: "context", elements: [plain(page_name)] }]),
    ...(text === "" && fields.length === 0
      ? []
      : [{ type: "section", ...(text !== "" && { text: inert(text) }), ...(fields.length > 0 && { fields }) }]),
    ...(buttons.length === 0 ? [] : [{ type: "actions", elements: buttons }]),
  ];
}

/** Text without marks, mentions and emoji by name. */
export const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
/** Text in which Slack looks for no addresses, channels and people of its own. */
const inert = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
