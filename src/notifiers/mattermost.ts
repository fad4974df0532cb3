import { escapeMattermost, formatChatText, markdownLink } from "./chat-text.ts";
import { urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** Incoming webhooks: https://developers.mattermost.com/integrate/webhooks/incoming/; older servers split beyond 4,000. */
const LENGTH_MAX = 4000;

export const mattermost: Notifier = {
  provider: "mattermost",
  label: "Mattermost",
  family: "chat",
  fields: [urlField("An incoming webhook: product menu, Integrations, Incoming Webhooks.")],
  steps: [
    'In the product menu choose "Integrations", "Incoming Webhooks".',
    "Add one, choose its channel, and leave it unlocked if `alert_channels` should choose others.",
    "Copy its URL.",
  ],
  channel: "a channel",
  notes: ["A message is `{text}`, with `channel` where `alert_channels` names one."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, { url, channel }) {
    const text = formatChatText(message, {
      toInert: escapeMattermost,
      length_max: LENGTH_MAX,
      title: (escaped) => `**${escaped}**`,
      link: markdownLink,
    });
    return jsonRequest(url, { text, ...(channel !== null && { channel }) });
  },
};
