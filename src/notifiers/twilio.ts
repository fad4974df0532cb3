import { type AlertMessage, headline } from "../domain/alert-messages.ts";
import { escapeXml } from "../lib/escape-xml.ts";
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
const to = textField(
  "to",
  "To",
  "The number that is reached, with + and the country. None: it reaches people on call alone.",
  {
    is_required: false,
    form: PHONE,
  },
);
const people: readonly ProviderField[] = [
  textField(
    "people_monthly_max",
    "For people, a month",
    "How many messages and calls a month may go to the verified numbers of you and your team. None: no number is verified or reached.",
    { is_required: false, form: { pattern: /^[1-9]\d{0,4}$/, words: "a number from 1 to 99999" } },
  ),
  textField(
    "people_countries",
    "Their countries",
    "Country codes, or the beginning of numbers, of those who may be reached, such as +49, +43. +1 is all of North America and the Caribbean.",
    {
      is_required: false,
      form: { pattern: /^\+[1-9]\d{0,6}(?:[\s,]+\+[1-9]\d{0,6}){0,49}$/, words: "country codes such as +49, +43" },
    },
  ),
];
const address = urlField("Of the API.", { default: "https://api.twilio.com" });

function validate({ url, config }: CheckedTarget): string | null {
  if (!isHttpUrl(url)) return NOT_AN_ADDRESS;
  const has = (name: string) => typeof config[name] === "string" && config[name] !== "";
  if (has("people_monthly_max") && !has("people_countries"))
    return "config.people_countries is required: whom it may reach";
  return has("to") || has("people_monthly_max") ? null : "config.to is required: to";
}

const PEOPLE_NOTE =
  "People of your team verify numbers of their own under Account, Contacts, once the channel says how many messages a month they may get and in which countries, and are reached when they are on call. The owner of the channel gets a notification and a mail when the month's messages are used up.";

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
    ...people,
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
    PEOPLE_NOTE,
    'For the reply ACK, which acknowledges in the name of the person, set the number\'s "A message comes in" webhook in the Twilio console to `https://<address>/integrations/twilio/<id of the channel>/messages` (POST). What others than your people write is not answered.',
  ],
  attemptsMax: ATTEMPTS_MAX,
  isBundled: true,
  validate,
  build({ message }, target) {
    const number = numberOf(twilioSms, target);
    if (number === "") return null;
    const link = message.links.at(-1)?.url;
    const room = SMS_MAX - (link === undefined ? 0 : link.length + 1);
    // One sign beyond the GSM alphabet, such as a coloured dot, would halve what a part holds.
    const text = [headline(message), plainText(message)].filter((line) => line !== "").join("\n");
    const body = link !== undefined && room >= 80 ? `${shorten(text, room)}\n${link}` : shorten(text, SMS_MAX);
    return smsRequest(target, number, body);
  },
};

export const twilioVoice: Notifier = {
  provider: "twilio_voice",
  label: "Twilio voice call",
  family: "phone",
  fields: [
    ...account,
    textField("from", "From", "A number of yours that can call.", { form: PHONE }),
    to,
    ...people,
    address,
  ],
  steps: [
    "Sign in to the [Twilio console](https://console.twilio.com) and copy account SID and auth token.",
    "Buy a number that can call.",
    "Write down the number that is to be called.",
  ],
  channel: "another number that is called",
  notes: [
    "Calls say twice what is down. Only outages, serious incidents and other alarms call; recoveries, acknowledgements and maintenance do not.",
    PEOPLE_NOTE,
    "A person on call presses 1 to acknowledge, or 2 to notify the next step at once, where `PUBLIC_URL` is set; the number needs no settings at Twilio for that. When nobody of a step answers the telephone, the next step is notified at once. What a mailbox answers counts as answered.",
  ],
  attemptsMax: ATTEMPTS_MAX,
  isBundled: true,
  validate,
  build({ message, event }, target) {
    const isTest = event.name === "test_event";
    const number = numberOf(twilioVoice, target);
    if (number === "" || (message.tone !== "down" && !isTest)) return null;
    return callRequest(target, number, twimlOf(message));
  },
};

const numberOf = (notifier: Notifier, target: WebhookTarget) => target.channel ?? configText(notifier, target, "to");

/** A name of letters has no number that could be answered. */
export function canBeAnswered(target: WebhookTarget): boolean {
  return /^(?:\+|MG)/.test(configText(twilioSms, target, "from"));
}

export function smsRequest(target: WebhookTarget, number: string, text: string): NotifierRequest {
  const from = configText(twilioSms, target, "from");
  const sender: Record<string, string> = from.startsWith("MG") ? { MessagingServiceSid: from } : { From: from };
  return twilioRequest(twilioSms, target, "Messages.json", { To: number, ...sender, Body: text });
}

function callRequest(target: WebhookTarget, number: string, Twiml: string, more: Record<string, string> = {}) {
  const From = configText(twilioVoice, target, "from");
  return twilioRequest(twilioVoice, target, "Calls.json", { To: number, From, Twiml, ...more });
}

/** A call that reads out a code, digit by digit. */
export function codeCall(target: WebhookTarget, number: string, code: string): NotifierRequest {
  const digits = `Your code is ${[...code].join(", ")}.`;
  const text = `This is a call of Vigil. ${digits}`;
  const again = `Again. ${digits} If you did not ask for it, hang up.`;
  return callRequest(target, number, `<Response><Say>${text}</Say><Pause length="1"/><Say>${again}</Say></Response>`);
}

/** Rings shorter than mailboxes take to answer. */
const RING_SECONDS = "25";

/**
 * A call that takes a key (https://www.twilio.com/docs/voice/twiml/gather), and after which Twilio reports whether anybody
 * answered (StatusCallback of the call resource). Without a callback it only speaks.
 */
export function keyCall(
  target: WebhookTarget,
  number: string,
  { message, callback }: { message: AlertMessage; callback: string | null },
): NotifierRequest {
  if (callback === null) return callRequest(target, number, twimlOf(message));
  const gather = gatherKey(callback, spokenOf(message));
  return callRequest(target, number, `<Response>${gather}<Say>No key was pressed.</Say></Response>`, {
    StatusCallback: callback,
    StatusCallbackMethod: "POST",
    Timeout: RING_SECONDS,
  });
}

/** Says a text twice, and which keys there are. */
function gatherKey(callback: string, spoken: string): string {
  const keys = "Press 1 to acknowledge, or 2 to notify the next step.";
  const said = `<Say>Alert. ${spoken} ${keys}</Say><Pause length="1"/><Say>Again. ${spoken} ${keys}</Say>`;
  return `<Gather numDigits="1" timeout="10" method="POST" action="${escapeXml(callback)}">${said}</Gather>`;
}

/** https://www.twilio.com/docs/voice/twiml/say */
function twimlOf(message: AlertMessage): string {
  const spoken = spokenOf(message);
  return `<Response><Say>Alert. ${spoken}</Say><Pause length="1"/><Say>Again. ${spoken}</Say></Response>`;
}

function spokenOf(message: AlertMessage): string {
  const details = formatPlain({ ...message, links: [] }, { length_max: SPOKEN_MAX, isTitled: true });
  const sentences = [...new Set([message.title, ...details.split("\n")])].filter((text) => text !== "");
  return escapeXml(shorten(sentences.join(". "), SPOKEN_MAX));
}

function twilioRequest(
  notifier: Notifier,
  target: WebhookTarget,
  resource: string,
  fields: Record<string, string>,
): NotifierRequest {
  const sid = configText(notifier, target, "account_sid");
  const credentials = Buffer.from(`${sid}:${configText(notifier, target, "auth_token")}`).toString("base64");
  return {
    kind: "http",
    method: "POST",
    url: `${target.url.replace(/\/+$/, "")}/2010-04-01/Accounts/${encodeURIComponent(sid)}/${resource}`,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": USER_AGENT,
      authorization: `Basic ${credentials}`,
    },
    body: new URLSearchParams(fields).toString(),
  };
}
