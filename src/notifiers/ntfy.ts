import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { plainText } from "./chat-text.ts";
import { secretField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** https://docs.ntfy.sh/publish/: the address is that of the topic, the secret an access token. */
const MESSAGE_BYTES_MAX = 4096;
const TITLE_MAX = 250;
/** Buttons below a message: https://docs.ntfy.sh/publish/#action-buttons */
const ACTIONS_MAX = 3;
const LOOKS: Record<AlertTone, { priority: string; tags: string }> = {
  down: { priority: "5", tags: "rotating_light" },
  warning: { priority: "4", tags: "warning" },
  good: { priority: "3", tags: "white_check_mark" },
  info: { priority: "3", tags: "information_source" },
};

export const ntfy: Notifier = {
  provider: "ntfy",
  label: "ntfy",
  family: "phone",
  fields: [
    urlField("The address of the topic, such as https://ntfy.sh/your-topic."),
    secretField("secret", "Access token", "Where the topic needs one: Account, Access tokens.", { is_required: false }),
  ],
  steps: [
    "Choose a topic that no one guesses, on ntfy.sh or your own server.",
    "Subscribe to it in the app.",
    "Where the topic is protected, create an access token.",
  ],
  channel: "another topic of the same server",
  notes: [
    "Outages have the highest priority, recoveries the default one. A message has a button for each link: monitor, incident, acknowledge.",
  ],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate({ url }) {
    if (!isHttpUrl(url)) return NOT_AN_ADDRESS;
    return new URL(url).pathname.length > 1 ? null : "url must be the address of a topic";
  },
  build({ message }, { url, secret, channel }) {
    const click = message.links.at(-1)?.url;
    const actions = message.links.slice(0, ACTIONS_MAX).map(({ label, url }) => `view, ${label}, ${url}`);
    const facts = message.facts.map(({ label, value }) => `${label}: ${value}`);
    return {
      kind: "http",
      method: "POST",
      url: channel === null ? url : new URL(encodeURIComponent(channel), url).href,
      headers: {
        "content-type": "text/plain; charset=utf-8",
        "user-agent": "Vigil-Webhooks/1",
        title: encodeHeader(shorten(message.title, TITLE_MAX)),
        ...LOOKS[message.tone],
        ...(click !== undefined && { click, actions: actions.join("; ") }),
        ...(secret !== null && { authorization: `Bearer ${secret}` }),
      },
      body: cut([plainText(message), ...facts].filter((line) => line !== "").join("\n") || message.title),
    };
  },
};

/** RFC 2047, which ntfy decodes: header values are Latin-1. */
function encodeHeader(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

function cut(text: string): string {
  const bytes = Buffer.from(text, "utf8");
  // A character that is cut in two ends as U+FFFD, which is dropped.
  return bytes.length <= MESSAGE_BYTES_MAX
    ? text
    : `${bytes
        .subarray(0, MESSAGE_BYTES_MAX - 6)
        .toString("utf8")
        .replace(/\ufffd+$/, "")}…`;
}
