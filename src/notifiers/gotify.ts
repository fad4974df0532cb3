import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** https://gotify.net/docs/pushmsg and https://gotify.net/docs/msgextras */
const TITLE_MAX = 250;
const MESSAGE_MAX = 4000;
/** From 8 on a phone sounds and shows the message at once. */
const PRIORITIES: Record<AlertTone, number> = { down: 8, warning: 6, good: 4, info: 2 };

export const gotify: Notifier = {
  provider: "gotify",
  label: "Gotify",
  family: "phone",
  fields: [
    urlField("Of your server, such as https://gotify.example.com."),
    secretField("token", "App token", "Apps, Create application; its token begins with A."),
  ],
  steps: [
    "Open your Gotify server, Apps, and create an application.",
    "Copy its token.",
    "Sign in to the server in the app of your phone.",
  ],
  channel: null,
  notes: ["Outages have priority 8, recoveries 4. A tap opens the monitor or incident."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, target) {
    const click = message.links.at(-1)?.url;
    const body = {
      title: shorten(message.title, TITLE_MAX),
      message: formatPlain(message, { length_max: MESSAGE_MAX, isTitled: true }),
      priority: PRIORITIES[message.tone],
      extras: {
        "client::display": { contentType: "text/plain" },
        ...(click !== undefined && { "client::notification": { click: { url: click } } }),
      },
    };
    const headers = { "x-gotify-key": configText(gotify, target, "token") };
    return jsonRequest(`${target.url.replace(/\/+$/, "")}/message`, body, { headers });
  },
};
