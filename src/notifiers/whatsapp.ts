import { shorten } from "../lib/plain-text.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import { CHAT_ATTEMPTS_MAX, isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/**
 * Cloud API: https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates. A business may begin
 * a conversation by an approved template alone; a parameter has no line breaks, tabs and more than four spaces.
 */
const PARAMETER_MAX = 900;
/** https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes: limits of the app, account and pair. */
const BUSY = /"code"\s*:\s*(?:4|80007|130429|131048|131056)\b/;

export const whatsapp: Notifier = {
  provider: "whatsapp",
  label: "WhatsApp",
  family: "phone",
  fields: [
    textField("phone_number_id", "Phone number ID", "WhatsApp, API Setup of your Meta app; not the number itself.", {
      form: { pattern: /^\d{5,20}$/, words: "5 to 20 digits" },
    }),
    secretField("token", "Access token", "Of a system user with whatsapp_business_messaging, which does not expire.", {
      length_max: 1024,
    }),
    textField("to", "To", "The number that is reached, with the country.", {
      form: { pattern: /^\+?[1-9]\d{6,14}$/, words: "a number such as +4930123456" },
    }),
    textField("template", "Template", "The name of an approved template whose body has one parameter.", {
      form: { pattern: /^[a-z0-9_]{1,512}$/, words: "small letters, digits and _" },
    }),
    textField("language", "Language of the template", "As WhatsApp Manager lists it, such as en or en_US.", {
      is_required: false,
      default: "en",
      form: { pattern: /^[a-z]{2,3}(?:_[A-Z]{2})?$/, words: "a code such as en or en_US" },
    }),
    urlField("Of the Graph API.", { default: "https://graph.facebook.com/v23.0" }),
  ],
  steps: [
    "Create a Meta app with WhatsApp and copy the phone number ID and an access token of a system user.",
    "In WhatsApp Manager create a utility template such as `Alert: {{1}}` and wait until it is approved.",
    "Write down the name and language of the template.",
  ],
  channel: "another number that is reached",
  notes: ["The one parameter of the template is the alert in one line. WhatsApp charges your account for it."],
  attemptsMax: CHAT_ATTEMPTS_MAX,
  isBundled: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ message }, target) {
    const lines = formatPlain(message, { length_max: PARAMETER_MAX }).split("\n");
    const text = shorten(lines.join(" · ").replace(/\s+/g, " "), PARAMETER_MAX);
    const body = {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: target.channel ?? configText(whatsapp, target, "to"),
      type: "template",
      template: {
        name: configText(whatsapp, target, "template"),
        language: { code: configText(whatsapp, target, "language") },
        components: [{ type: "body", parameters: [{ type: "text", text }] }],
      },
    };
    const path = `${target.url.replace(/\/+$/, "")}/${configText(whatsapp, target, "phone_number_id")}/messages`;
    return jsonRequest(path, body, { headers: { authorization: `Bearer ${configText(whatsapp, target, "token")}` } });
  },
  readAnswer: ({ status, excerpt }) =>
    status === 400 && BUSY.test(excerpt)
      ? { kind: "later", error: "WhatsApp limits messages", wait_seconds: null }
      : null,
};
