import { formatPlain } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** https://developer.webex.com/docs/api/v1/messages/create-a-message: 7,439 bytes; `text` has no markup and no mentions. */
const LENGTH_MAX = 2400;

export const webex: Notifier = {
  provider: "webex",
  label: "Webex",
  family: "chat",
  fields: [
    secretField("token", "Bot access token", "Shown once, when you create the bot at developer.webex.com/my-apps."),
    textField(
      "room_id",
      "Room id",
      "From https://developer.webex.com/docs/api/v1/rooms/list-rooms with the token of the bot.",
    ),
    urlField("Of the messages.", { default: "https://webexapis.com/v1/messages" }),
  ],
  steps: [
    "Create a bot at [Webex for developers](https://developer.webex.com/my-apps/new/bot) and copy its access token.",
    "Add the bot to the space.",
    "Find the id of the space with the request that lists rooms.",
  ],
  channel: "another room id",
  notes: ["A message is plain text."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, target) {
    const roomId = target.channel ?? configText(webex, target, "room_id");
    const headers = { authorization: `Bearer ${configText(webex, target, "token")}` };
    return jsonRequest(target.url, { roomId, text: formatPlain(message, { length_max: LENGTH_MAX }) }, { headers });
  },
};
