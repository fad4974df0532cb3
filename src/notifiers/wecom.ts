import { charactersIn, readCode, withoutMentions } from "./bot-answers.ts";
import { formatPlain } from "./chat-text.ts";
import { urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** Group robots: https://developer.work.weixin.qq.com/document/path/91770; 2,048 bytes, 20 messages a minute. */
const LENGTH_MAX = charactersIn(2048);
const BUSY = [45009];

export const wecom: Notifier = {
  provider: "wecom",
  label: "WeCom",
  family: "chat",
  fields: [urlField("The webhook of a group robot: https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=….")],
  steps: ["In the group open its menu and add a group robot.", "Name the robot.", "Copy its webhook address."],
  channel: "another robot's webhook",
  notes: ["A message is plain text of at most 2,048 bytes and mentions no one."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, { url, channel }) {
    const content = formatPlain(message, { length_max: LENGTH_MAX, toInert: withoutMentions });
    return jsonRequest(channel ?? url, { msgtype: "text", text: { content } });
  },
  readAnswer: (answer) => readCode(answer, { success: 0, busy: BUSY }),
};
