import { escapeMattermost, formatChatText, markdownLink } from "./chat-text.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** Incoming webhooks: https://developers.mattermost.com/integrate/webhooks/incoming/; older servers split beyond 4,000. */
const LENGTH_MAX = 4000;

export const mattermost: Notifier = {
  provider: "mattermost",
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
