import { ACKNOWLEDGE, type AlertMessage } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { angleLink, escapeSlack, formatChatText, plainText, SYMBOLS } from "./chat-text.ts";
import { urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/**
 * Incoming webhooks: https://api.slack.com/messaging/webhooks. What they sent cannot be edited. `text` is what
 * notifications show, and services that take the place of Slack without its blocks.
 */
const LENGTH_MAX = 3000;
/** https://docs.slack.dev/reference/block-kit/blocks */
const BLOCK = { header: 150, text: 3000, field: 2000, fields: 10, buttons: 25 };

export const slack: Notifier = {
  provider: "slack",
  label: "Slack",
  family: "chat",
  fields: [
    urlField("The webhook URL of your Slack app: its settings, Incoming Webhooks, Add New Webhook to Workspace."),
  ],
  steps: [
    "Open [your Slack apps](https://api.slack.com/apps) and create one from scratch.",
    'Under "Incoming Webhooks", activate them.',
    'Choose "Add New Webhook to Workspace" and the channel, and copy the webhook URL.',
  ],
  channel: "a channel, for webhooks that may choose one",
  notes: [
    "A message is `{text, blocks}`: a header, the page, the reason beside since when, and buttons. Notifications, and services that take the place of Slack, show `text`, which says the same. Slack cannot edit what an incoming webhook sent, so that a change is a new message.",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, { url, channel }) {
    const text = formatChatText(message, { toInert: escapeSlack, length_max: LENGTH_MAX, link: angleLink });
    return jsonRequest(url, { text, blocks: blocksOf(message), ...(channel !== null && { channel }) });
  },
};

/** A header, one line that names the page, the reason beside the facts, and buttons. */
function blocksOf(message: AlertMessage): object[] {
  const { tone, title, page_name = "", facts, links } = message;
  const text = shorten(escapeSlack(plainText(message)), BLOCK.text);
  const fields = facts
    .slice(0, BLOCK.fields)
    .map(({ label, value }) => inert(`*${label}*\n${shorten(escapeSlack(value), BLOCK.field - label.length)}`));
  const buttons = links.slice(0, BLOCK.buttons).map(({ label, url }) => ({
    type: "button",
    text: plain(label),
    url,
    ...(label === ACKNOWLEDGE && { style: "primary" }),
  }));
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
const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
/** Text in which Slack looks for no addresses, channels and people of its own. */
const inert = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
