import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { plainText } from "./chat-text.ts";
import { urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/**
 * The workflow "When a Teams webhook request is received" posts Adaptive Cards:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using.
 * A text run has no Markdown and no mentions (https://adaptivecards.io/explorer/TextRun.html), so that text of users is
 * inert; a card has at most 28 kB.
 */
const TITLE_MAX = 500;
const TEXT_MAX = 4000;
const VALUE_MAX = 500;
const COLOURS: Record<AlertTone, string> = { down: "attention", warning: "warning", good: "good", info: "accent" };

const run = (text: string, look: Record<string, string> = {}) => ({
  type: "RichTextBlock",
  inlines: [{ type: "TextRun", text, ...look }],
});

export const teams: Notifier = {
  provider: "teams",
  label: "Microsoft Teams",
  family: "chat",
  fields: [urlField("The address that the workflow 'When a Teams webhook request is received' shows.")],
  steps: [
    'In the channel\'s menu choose "Workflows", and the template that posts to a channel when a webhook request is received.',
    "Sign in and choose team and channel.",
    "Copy the address that the workflow shows.",
  ],
  channel: "the address of another workflow",
  notes: [
    "A message is an Adaptive Card with a button for each link (`Action.OpenUrl`). With `is_team_only` Acknowledge is the signed link that acknowledges without signing in, else it opens the incident in the dashboard. The address of a workflow takes messages and brings nothing back: buttons that answer within Teams (`Action.Submit`) and commands need a bot that is registered with Microsoft, which this service has not, and a card cannot be edited once it was posted.",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, { url, channel }) {
    const text = plainText(message);
    const look = { size: "large", weight: "bolder", color: COLOURS[message.tone] };
    const content = {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      version: "1.4",
      body: [
        run(shorten(message.title, TITLE_MAX), look),
        ...(text === "" ? [] : [run(shorten(text, TEXT_MAX))]),
        ...message.facts.map(({ label, value }) => run(`${label}: ${shorten(value, VALUE_MAX)}`)),
      ],
      actions: message.links.map((link) => ({ type: "Action.OpenUrl", title: link.label, url: link.url })),
    };
    const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
    return jsonRequest(channel ?? url, { type: "message", attachments: [attachment] });
  },
};
