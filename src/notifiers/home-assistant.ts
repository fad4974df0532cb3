import { shorten } from "../lib/plain-text.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/**
 * https://developers.home-assistant.io/docs/api/rest/ and https://companion.home-assistant.io/docs/notifications/notifications-basic:
 * notifications of one tag replace each other on the phone.
 */
const TITLE_MAX = 250;
const MESSAGE_MAX = 2000;

export const homeAssistant: Notifier = {
  provider: "home_assistant",
  label: "Home Assistant",
  family: "development",
  fields: [
    urlField("Of your Home Assistant, such as https://home.example.org."),
    secretField("token", "Long-lived access token", "Your profile, Security, Long-lived access tokens."),
    textField("service", "Notify action", "What follows notify., such as mobile_app_my_phone.", {
      is_required: false,
      default: "notify",
      form: { pattern: /^[a-z0-9_]{1,100}$/, words: "small letters, digits and _, without notify." },
    }),
  ],
  steps: [
    "Open your profile in Home Assistant, Security, and create a long-lived access token.",
    "Find the action that notifies under Developer tools, Actions: `notify.mobile_app_…` of your phone.",
    "Make sure that this service reaches your Home Assistant by https.",
  ],
  channel: "another notify action",
  notes: ["Messages of one outage replace each other on phones. A tap opens the monitor or incident."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, target) {
    const service = target.channel ?? configText(homeAssistant, target, "service");
    const link = message.links.at(-1)?.url;
    const body = {
      title: shorten(message.title, TITLE_MAX),
      message: formatPlain({ ...message, links: [] }, { length_max: MESSAGE_MAX, isTitled: true }),
      data: { tag: message.thread.id, group: "vigil", ...(link !== undefined && { url: link, clickAction: link }) },
    };
    const headers = { authorization: `Bearer ${configText(homeAssistant, target, "token")}` };
    const path = `/api/services/notify/${encodeURIComponent(service)}`;
    return jsonRequest(`${target.url.replace(/\/+$/, "")}${path}`, body, { headers });
  },
};
