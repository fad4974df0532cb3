import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, selectField, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** https://pushover.net/api: lengths, priorities, and an emergency that is repeated until somebody confirms it. */
const TITLE_MAX = 250;
const MESSAGE_MAX = 1024;
const KEY = { pattern: /^[A-Za-z0-9]{30}$/, words: "30 letters and digits" };
const PRIORITIES: Record<AlertTone, number> = { down: 1, warning: 0, good: 0, info: -1 };
const EMERGENCY = { priority: 2, retry: 60, expire: 3600 };
const YES = "until confirmed";

export const pushover: Notifier = {
  provider: "pushover",
  label: "Pushover",
  family: "phone",
  fields: [
    secretField("token", "API token", "Of an application that you create at pushover.net/apps/build.", { form: KEY }),
    secretField("user", "User or group key", "On your dashboard at pushover.net, or of a delivery group.", {
      form: KEY,
    }),
    textField("device", "Device", "The name of one device; all of them if empty.", {
      is_required: false,
      form: { pattern: /^[A-Za-z0-9_-]{1,25}$/, words: "1 to 25 letters, digits, _ or -" },
    }),
    selectField("emergency", "Outages sound", "Until confirmed: every minute for an hour.", ["once", YES]),
    urlField("Of the message API.", { default: "https://api.pushover.net/1/messages.json" }),
  ],
  steps: [
    "Sign in at [Pushover](https://pushover.net) and copy your user key.",
    "Create an application there and copy its API token.",
    "Install the app on each phone that should ring.",
  ],
  channel: "the name of another device",
  notes: ["Outages have high priority, which passes quiet hours; recoveries have the normal one."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message, event }, target) {
    const link = message.links.at(-1);
    const device = target.channel ?? configText(pushover, target, "device");
    const isEmergency = message.tone === "down" && configText(pushover, target, "emergency") === YES;
    return jsonRequest(target.url, {
      token: configText(pushover, target, "token"),
      user: configText(pushover, target, "user"),
      title: shorten(message.title, TITLE_MAX),
      message: formatPlain({ ...message, links: [] }, { length_max: MESSAGE_MAX, isTitled: true }),
      timestamp: Math.floor(event.created_at / 1000),
      ...(isEmergency ? EMERGENCY : { priority: PRIORITIES[message.tone] }),
      ...(link && { url: link.url, url_title: link.label }),
      ...(device !== "" && { device }),
    });
  },
};
