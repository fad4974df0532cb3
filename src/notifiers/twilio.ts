import { headline } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { formatPlain, plainText } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import {
  type CheckedTarget,
  isHttpUrl,
  NOT_AN_ADDRESS,
  type Notifier,
  type NotifierRequest,
  type ProviderField,
  USER_AGENT,
  type WebhookTarget,
} from "./port.ts";

/**
 * https://www.twilio.com/docs/messaging/api/message-resource and https://www.twilio.com/docs/voice/api/call-resource.
 * A message of 306 characters is at most two parts in the GSM alphabet and five beyond it: each part costs.
 */
const SMS_MAX = 306;
const ATTEMPTS_MAX = 5;
const PHONE = { pattern: /^\+[1-9]\d{6,14}$/, words: "a number such as +4930123456" };
/** https://www.twilio.com/docs/voice/twiml: the parameter takes 4,000 characters. */
const SPOKEN_MAX = 500;

const account: readonly ProviderField[] = [
  textField("account_sid", "Account SID", "On the first page of the Twilio console; begins with AC.", {
    form: { pattern: /^AC[0-9a-fA-F]{32}$/, words: "AC and 32 hexadecimal digits" },
  }),
  secretField("auth_token", "Auth token", "Beside the account SID."),
];
const to = textField("to", "To", "The number that is reached, with + and the country.", { form: PHONE });
const address = urlField("Of the API.", { default: "https://api.twilio.com" });
const validate = ({ url }: CheckedTarget) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS);

export const twilioSms: Notifier = {
  provider: "twilio_sms",
  label: "Twilio SMS",
  family: "phone",
  fields: [
    ...account,
    textField("from", "From", "A number of yours, a sender name, or a messaging service, which begins with MG.", {
      form: {
        pattern: /^(?:\+[1-9]\d{6,14}|MG[0-9a-fA-F]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/,
        words: "a number such as +4930123456, a messaging service or a name of up to 11 letters",
      },
    }),
    to,
    address,
  ],
  steps: [
    "Sign in to the [Twilio console](https://console.twilio.com) and copy account SID and auth token.",
    "Buy a number that sends SMS, or set up a messaging service.",
    "Write down the number that is to be reached.",
  ],
  channel: "another number that is reached",
  notes: [
    "A message has at most 306 characters. Twilio charges your account for each part of 153, or of 67 beyond the GSM alphabet; the budget of deliveries a minute holds for them, too.",
  ],
  attemptsMax: ATTEMPTS_MAX,
  isBundled: true,
  validate,
  build({ message }, target) {
    const from = configText(twilioSms, target, "from");
    const link = message.links.at(-1)?.url;
    const room = SMS_MAX - (link === undefined ? 0 : link.length + 1);
    // One sign beyond the GSM alphabet, such as a coloured dot, would halve what a part holds.
    const text = [headline(message), plainText(message)].filter((line) => line !== "").join("\n");
    return twilioRequest(twilioSms, target, "Messages.json", {
      ...(from.startsWith("MG") ? { MessagingServiceSid: from } : { From: from }),
      Body: link !== undefined && room >= 80 ? `${shorten(text, room)}\n${link}` : shorten(text, SMS_MAX),
    });
  },
};

export const twilioVoice: Notifier = {
  provider: "twilio_voice",
  label: "Twilio voice call",
  family: "phone",
  fields: [...account, textField("from", "From", "A number of yours that can call.", { form: PHONE }), to, address],
  steps: [
    "Sign in to the [Twilio console](https://console.twilio.com) and copy account SID and auth token.",
    "Buy a number that can call.",
    "Write down the number that is to be called.",
  ],
  channel: "another number that is called",
  notes: [
    "Calls say twice what is down. Only outages, serious incidents and other alarms call; recoveries, acknowledgements and maintenance do not.",
  ],
  attemptsMax: ATTEMPTS_MAX,
  isBundled: true,
  validate,
  build({ message, event }, target) {
    const isTest = event.name === "test_event";
    if (message.tone !== "down" && !isTest) return null;
    return twilioRequest(twilioVoice, target, "Calls.json", {
      From: configText(twilioVoice, target, "from"),
      Twiml: twimlOf(formatPlain({ ...message, links: [] }, { length_max: SPOKEN_MAX, isTitled: true }), message.title),
    });
  },
};

/** https://www.twilio.com/docs/voice/twiml/say */
function twimlOf(details: string, title: string): string {
  const sentences = [...new Set([title, ...details.split("\n")])].filter((text) => text !== "");
  const spoken = escapeXml(shorten(sentences.join(". "), SPOKEN_MAX));
  return `<Response><Say>Alert. ${spoken}</Say><Pause length="1"/><Say>Again. ${spoken}</Say></Response>`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** XML has no control characters, not even escaped. */
function escapeXml(text: string): string {
  const spoken = text.toWellFormed().replace(/\p{Cc}+/gu, " ");
  return spoken.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
}

function twilioRequest(
  notifier: Notifier,
  target: WebhookTarget,
  resource: string,
  fields: Record<string, string>,
): NotifierRequest {
  const sid = configText(notifier, target, "account_sid");
  const credentials = Buffer.from(`${sid}:${configText(notifier, target, "auth_token")}`).toString("base64");
  const recipient = target.channel ?? configText(notifier, target, "to");
  return {
    kind: "http",
    method: "POST",
    url: `${target.url.replace(/\/+$/, "")}/2010-04-01/Accounts/${encodeURIComponent(sid)}/${resource}`,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": USER_AGENT,
      authorization: `Basic ${credentials}`,
    },
    body: new URLSearchParams({ To: recipient, ...fields }).toString(),
  };
}
