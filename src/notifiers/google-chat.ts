import { angleLink, escapeGoogleChat, formatChatText } from "./chat-text.ts";
import { urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/**
 * Incoming webhooks: https://developers.google.com/workspace/chat/quickstart/webhooks. Messages of an outage share a thread.
 */
const LENGTH_MAX = 4000;

export const googleChat: Notifier = {
  provider: "google_chat",
  label: "Google Chat",
  family: "chat",
  fields: [urlField("The link of a webhook: Apps & integrations of the space, Webhooks.")],
  steps: ['Open the space, "Apps & integrations".', 'Choose "Add webhooks" and name it.', "Copy its link."],
  channel: "another webhook's link",
  notes: ["Messages of one outage share a thread."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, target) {
    const url = new URL(target.channel ?? target.url);
    url.searchParams.set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
    const text = formatChatText(message, { toInert: escapeGoogleChat, length_max: LENGTH_MAX, link: angleLink });
    return jsonRequest(url.href, { text, thread: { threadKey: message.thread.id } });
  },
};
