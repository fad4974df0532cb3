import { shorten } from "../lib/plain-text.ts";
import { formatChatText, markdownLink } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, NOT_AN_ADDRESS, type Notifier, USER_AGENT } from "./port.ts";

/** https://zulip.com/api/send-message: 10,000 characters, and 60 of a topic. */
const LENGTH_MAX = 10_000;
const TOPIC_MAX = 60;
const ZERO_WIDTH_SPACE = "\u200b";

export const zulip: Notifier = {
  provider: "zulip",
  label: "Zulip",
  family: "chat",
  fields: [
    urlField("Of your organization, such as https://example.zulipchat.com."),
    textField("email", "Bot e-mail", "Settings, Your bots: the address of an incoming webhook or generic bot.", {
      form: { pattern: /^[^\s:@]+@[^\s:@]+$/, words: "an e-mail address" },
    }),
    secretField("api_key", "API key", "Beside the address of the bot."),
    textField("channel", "Channel", "Its name; the bot has to be allowed to post there.", { length_max: 60 }),
    textField("topic", "Topic", "A topic for each monitor or incident if empty.", {
      is_required: false,
      length_max: TOPIC_MAX,
    }),
  ],
  steps: [
    "In Zulip open Personal settings, Bots, and add an incoming webhook bot.",
    "Copy its e-mail address and API key.",
    "Subscribe it to the channel where alerts go.",
  ],
  channel: "another channel",
  notes: ["Without a topic, messages about one thing share one. Text of users mentions no one and has no markup."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message, event }, target) {
    const content = formatChatText(message, {
      toInert,
      length_max: LENGTH_MAX,
      title: (text) => `**${text}**`,
      link: markdownLink,
    });
    const data: Readonly<Record<string, unknown>> = event.data;
    const subject = [data.monitor_name, data.title].find((name) => typeof name === "string") ?? message.title;
    const topic = configText(zulip, target, "topic") || String(subject).replace(/\s+/g, " ").trim();
    const credentials = `${configText(zulip, target, "email")}:${configText(zulip, target, "api_key")}`;
    return {
      kind: "http",
      method: "POST",
      url: `${target.url.replace(/\/+$/, "")}/api/v1/messages`,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": USER_AGENT,
        authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
      },
      body: new URLSearchParams({
        type: "stream",
        to: target.channel ?? configText(zulip, target, "channel"),
        topic: shorten(topic, TOPIC_MAX).toWellFormed() || "Alerts",
        content: content.toWellFormed(),
      }).toString(),
    };
  },
};

/** https://zulip.com/help/format-your-message-using-markdown: a zero-width space keeps a mark and a mention text. */
function toInert(text: string): string {
  return text.replace(/[@#*_~`[\]|>$]|:(?=[a-z])/gi, `$&${ZERO_WIDTH_SPACE}`);
}
