import { createHmac } from "node:crypto";
import { charactersIn, readCode, withoutMentions } from "./bot-answers.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** Custom robots: https://open.dingtalk.com/document/robots/custom-robot-access; 20,000 bytes, 20 messages a minute. */
const LENGTH_MAX = charactersIn(15_000);
const BUSY = [130101, 410100];

export const dingtalk: Notifier = {
  provider: "dingtalk",
  label: "DingTalk",
  family: "chat",
  fields: [
    urlField("The webhook of a custom robot: https://oapi.dingtalk.com/robot/send?access_token=…."),
    secretField("sign_secret", "Signing secret", "Where the robot has the security setting Sign; begins with SEC.", {
      is_required: false,
    }),
  ],
  steps: [
    "In the settings of the group open Bots, and add a custom robot.",
    "Choose the security setting Sign and copy the secret, or a keyword that every message has, such as Vigil in the name.",
    "Copy the webhook address.",
  ],
  channel: "another robot's webhook",
  notes: ["A message is plain text, signed where there is a secret, and mentions no one."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message, sent_at }, target) {
    const url = new URL(target.channel ?? target.url);
    const secret = configText(dingtalk, target, "sign_secret");
    if (secret !== "") {
      url.searchParams.set("timestamp", String(sent_at));
      url.searchParams.set("sign", createHmac("sha256", secret).update(`${sent_at}\n${secret}`).digest("base64"));
    }
    const content = formatPlain(message, { length_max: LENGTH_MAX, toInert: withoutMentions });
    return jsonRequest(url.href, { msgtype: "text", text: { content }, at: { isAtAll: false } });
  },
  readAnswer: (answer) => readCode(answer, { success: 0, busy: BUSY }),
};
