import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** https://github.com/caronc/apprise-api#api-details: `/notify/<key>` sends to stored addresses, `/notify` to named ones. */
const TITLE_MAX = 250;
const BODY_MAX = 4000;
const TYPES: Record<AlertTone, string> = { down: "failure", warning: "warning", good: "success", info: "info" };
const STATELESS = /\/notify\/?$/;

export const apprise: Notifier = {
  provider: "apprise",
  label: "Apprise",
  family: "own",
  fields: [
    urlField("Of your Apprise API server: https://apprise.example.com/notify/<key>, or …/notify with addresses below."),
    secretField("urls", "Apprise addresses", "Separated by commas, where the address of the server ends in /notify.", {
      is_required: false,
      length_max: 2048,
    }),
    textField("tag", "Tag", "Sends to the stored addresses that have it.", { is_required: false, length_max: 100 }),
  ],
  steps: [
    "Run an [Apprise API](https://github.com/caronc/apprise-api) server that this service reaches by https.",
    "Store the addresses of your services there under a key, or write them below.",
    "Use `https://your-server/notify/<key>` as the address.",
  ],
  channel: "another tag",
  notes: [
    "Apprise sends on to some 130 services. A message has its title, text and facts as plain text, and the type `failure`, `warning`, `success` or `info`.",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate({ url, config }) {
    if (!isHttpUrl(url)) return NOT_AN_ADDRESS;
    const path = new URL(url).pathname;
    if (!/\/notify(\/|$)/.test(path)) return "url must end in /notify/<key> or /notify";
    return STATELESS.test(path) && !config.urls ? "config.urls is required: addresses, where url names no key" : null;
  },
  build({ message }, target) {
    const [urls, tag] = [configText(apprise, target, "urls"), target.channel ?? configText(apprise, target, "tag")];
    return jsonRequest(target.url, {
      title: shorten(message.title, TITLE_MAX),
      body: formatPlain(message, { length_max: BODY_MAX, isTitled: true }),
      type: TYPES[message.tone],
      format: "text",
      ...(tag !== "" && { tag }),
      ...(urls !== "" && STATELESS.test(new URL(target.url).pathname) && { urls }),
    });
  },
  readAnswer: ({ status }) =>
    status === 204 ? { kind: "refused", error: "the Apprise server has nothing stored under this key" } : null,
};
