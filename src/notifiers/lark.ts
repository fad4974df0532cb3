import { createHmac } from "node:crypto";
import { charactersIn, readCode, withoutMentions } from "./bot-answers.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** Custom bots: https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot; 20 KB, 5 a second and 100 a minute. */
const LENGTH_MAX = charactersIn(15_000);
/** Too many requests: https://open.larksuite.com/document/server-docs/api-call-guide/generic-error-code */
const BUSY = [11232, 9499, 99991400];

export const lark: Notifier = {
  provider: "lark",
  label: "Lark and Feishu",
  family: "chat",
  fields: [
    urlField("The webhook of a custom bot: https://open.larksuite.com/… or https://open.feishu.cn/…."),
    secretField("sign_secret", "Signing secret", "Where the bot verifies signatures: its security settings.", {
      is_required: false,
    }),
  ],
  steps: [
    "In the settings of the group open Bots, and add a custom bot.",
    "Copy its webhook address.",
    "Under security settings turn the signature verification on and copy the secret.",
  ],
  channel: "another bot's webhook",
  notes: ["A message is plain text; where there is a secret it is signed. Text of users mentions no one."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message, sent_at }, target) {
    const secret = configText(lark, target, "sign_secret");
    const text = formatPlain(message, { length_max: LENGTH_MAX, toInert: withoutMentions });
    return jsonRequest(target.channel ?? target.url, {
      ...(secret !== "" && signed(secret, sent_at)),
      msg_type: "text",
      content: { text },
    });
  },
  readAnswer: (answer) => readCode(answer, { success: 0, busy: BUSY }),
};

/** The key is the time and the secret; the message is empty. */
function signed(secret: string, sent_at: number): { timestamp: string; sign: string } {
  const timestamp = String(Math.floor(sent_at / 1000));
  return { timestamp, sign: createHmac("sha256", `${timestamp}\n${secret}`).digest("base64") };
}
