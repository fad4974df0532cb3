import { formatPlain } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/**
 * Push messages: https://developers.line.biz/en/reference/messaging-api/#send-push-message; a text of 5,000 characters.
 * A repeat under the same retry key is answered 409 once the message was accepted
 * (https://developers.line.biz/en/docs/messaging-api/retrying-api-request/).
 */
const LENGTH_MAX = 5000;

export const line: Notifier = {
  provider: "line",
  label: "LINE",
  family: "chat",
  fields: [
    secretField(
      "token",
      "Channel access token",
      "In the LINE Developers console, on the Messaging API tab of the channel.",
    ),
    textField("to", "To", "The id of a user, group or room, as webhooks of LINE name it: U, C or R and 32 digits.", {
      form: { pattern: /^[UCR][0-9a-f]{32}$/, words: "U, C or R and 32 hexadecimal digits" },
    }),
    urlField("Of push messages.", { default: "https://api.line.me/v2/bot/message/push" }),
  ],
  steps: [
    "Create a Messaging API channel in the [LINE Developers console](https://developers.line.biz/console/).",
    "Issue a long-lived channel access token.",
    "Add the bot as a friend or to a group, and take the id from a webhook event, or your own there.",
  ],
  channel: "the id of another user, group or room",
  notes: ["A message is plain text. LINE counts it towards the monthly quota of your account."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message, delivery_id }, target) {
    const to = target.channel ?? configText(line, target, "to");
    const text = formatPlain(message, { length_max: LENGTH_MAX });
    const headers = { authorization: `Bearer ${configText(line, target, "token")}`, "x-line-retry-key": delivery_id };
    return jsonRequest(target.url, { to, messages: [{ type: "text", text }] }, { headers });
  },
  readAnswer: ({ status }) => (status === 409 ? { kind: "delivered" } : null),
};
