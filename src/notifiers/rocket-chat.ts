import { escapeMattermost, formatChatText, markdownLink } from "./chat-text.ts";
import { urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** Incoming integrations: https://docs.rocket.chat/docs/integrations; servers refuse messages beyond 5,000 characters. */
const LENGTH_MAX = 4900;

export const rocketChat: Notifier = {
  provider: "rocket_chat",
  label: "Rocket.Chat",
  family: "chat",
  fields: [urlField("The webhook URL of an incoming integration: Workspace, Integrations, New, Incoming.")],
  steps: [
    "As an administrator open Workspace, Integrations, New, and choose Incoming.",
    "Enable it, choose the channel and the user in whose name it posts, and save.",
    "Copy the webhook URL.",
  ],
  channel: "a channel such as `#ops`, where the integration may choose one",
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
