import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { charactersIn, readCode } from "./bot-answers.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** https://github.com/Finb/bark-server/blob/master/docs/API_V2.md; Apple takes 4 KB in all. */
const TITLE_MAX = 200;
const BODY_MAX = charactersIn(2400);
const LEVELS: Record<AlertTone, string> = { down: "timeSensitive", warning: "active", good: "active", info: "passive" };

export const bark: Notifier = {
  provider: "bark",
  label: "Bark",
  family: "phone",
  fields: [
    secretField("device_key", "Device key", "In the app: the first part of the path of its test address.", {
      form: { pattern: /^[A-Za-z0-9_-]{5,100}$/, words: "letters and digits, without the address" },
    }),
    urlField("Of the server.", { default: "https://api.day.app" }),
  ],
  steps: [
    "Install [Bark](https://bark.day.app) on your iPhone.",
    "Copy the device key from the test address that the app shows.",
    "For a server of your own, set its address, too.",
  ],
  channel: "another device key",
  notes: ["Outages are time-sensitive and pass a focus; messages of one outage stand in one group."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, target) {
    const device_key = target.channel ?? configText(bark, target, "device_key");
    const url = message.links.at(-1)?.url;
    return jsonRequest(
      `${target.url.replace(/\/+$/, "")}/push`,
      {
        device_key,
        title: shorten(message.title, TITLE_MAX),
        body: formatPlain({ ...message, links: [] }, { length_max: BODY_MAX, isTitled: true }),
        level: LEVELS[message.tone],
        group: message.page_name ?? "Vigil",
        ...(url !== undefined && { url }),
      },
      { secrets: [device_key] },
    );
  },
  readAnswer: (answer) => readCode(answer, { success: 200, busy: [] }),
};
