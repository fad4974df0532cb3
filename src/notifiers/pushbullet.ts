import { shorten } from "../lib/plain-text.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** https://docs.pushbullet.com/#create-push: a repeat with the same guid is dropped. */
const TITLE_MAX = 250;
const BODY_MAX = 4000;

export const pushbullet: Notifier = {
  provider: "pushbullet",
  label: "Pushbullet",
  family: "phone",
  fields: [
    secretField("token", "Access token", "Settings, Account, Create access token."),
    textField(
      "channel_tag",
      "Channel tag",
      "Sends to the subscribers of a channel of yours; to all your devices if empty.",
      {
        is_required: false,
        form: { pattern: /^[A-Za-z0-9_-]{1,100}$/, words: "letters, digits, _ and -" },
      },
    ),
    urlField("Of the API.", { default: "https://api.pushbullet.com/v2/pushes" }),
  ],
  steps: [
    "Sign in to [Pushbullet](https://www.pushbullet.com/#settings/account) and create an access token.",
    "Install the app on each device.",
    "For several people, create a channel and write its tag below.",
  ],
  channel: "another channel tag",
  notes: ["A message is a link to the monitor or incident, with its text."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message, delivery_id }, target) {
    const channel_tag = target.channel ?? configText(pushbullet, target, "channel_tag");
    const url = message.links.at(-1)?.url;
    const body = {
      type: url === undefined ? "note" : "link",
      title: shorten(message.title, TITLE_MAX),
      body: formatPlain({ ...message, links: [] }, { length_max: BODY_MAX, isTitled: true }),
      guid: delivery_id,
      ...(url !== undefined && { url }),
      ...(channel_tag !== "" && { channel_tag }),
    };
    return jsonRequest(target.url, body, { headers: { "access-token": configText(pushbullet, target, "token") } });
  },
};
