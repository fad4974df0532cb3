import { formatPlain } from "./chat-text.ts";
import { configText, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** https://bbernhard.github.io/signal-cli-rest-api/#/Messages/post_v2_send */
const LENGTH_MAX = 2000;
const PHONE = { pattern: /^\+[1-9]\d{6,14}$/, words: "a number such as +4930123456" };
const RECIPIENTS =
  /^(?:\+[1-9]\d{6,14}|group\.[A-Za-z0-9+/=_-]{8,120})(?:\s*,\s*(?:\+[1-9]\d{6,14}|group\.[A-Za-z0-9+/=_-]{8,120})){0,19}$/;

export const signal: Notifier = {
  provider: "signal",
  label: "Signal",
  family: "chat",
  fields: [
    urlField("Of your signal-cli REST API server, such as https://signal.example.com."),
    textField("number", "From", "The number that is registered or linked there.", { form: PHONE }),
    textField("recipients", "To", "Numbers, or group ids that begin with group., separated by commas.", {
      length_max: 1000,
      form: {
        pattern: RECIPIENTS,
        words: "up to 20 numbers such as +4930123456 or group ids, separated by commas",
      },
    }),
  ],
  steps: [
    "Run [signal-cli-rest-api](https://github.com/bbernhard/signal-cli-rest-api) where this service reaches it by https, behind a password or in a network that the operator allows.",
    "Register a number there or link it with your phone.",
    "For a group, take its id from `GET /v1/groups/<number>`.",
  ],
  channel: "other numbers or group ids, separated by commas",
  notes: ["A message is plain text. It is encrypted by your server, which the API does not protect by itself."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, target) {
    const recipients = (target.channel ?? configText(signal, target, "recipients")).split(",").map((to) => to.trim());
    return jsonRequest(`${target.url.replace(/(?:\/v2\/send)?\/*$/, "")}/v2/send`, {
      message: formatPlain(message, { length_max: LENGTH_MAX }),
      number: configText(signal, target, "number"),
      recipients,
      text_mode: "normal",
    });
  },
};
