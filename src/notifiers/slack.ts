import { escapeSlack, formatChatText } from "./chat-text.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** Incoming webhooks: https://api.slack.com/messaging/webhooks. What they sent cannot be edited. */
const LENGTH_MAX = 3000;

export const slack: Notifier = {
  provider: "slack",
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, { url, channel }) {
    const text = formatChatText(message, { toInert: escapeSlack, length_max: LENGTH_MAX });
    return jsonRequest(url, { text, ...(channel !== null && { channel }) });
  },
};
