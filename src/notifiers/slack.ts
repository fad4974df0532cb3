import { urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";
import { slackMessage } from "./slack-message.ts";

/** Incoming webhooks: https://api.slack.com/messaging/webhooks. What they sent cannot be edited. */
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
    return jsonRequest(url, { ...slackMessage(message), ...(channel !== null && { channel }) });
  },
};
