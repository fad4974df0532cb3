import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { type AlertAction, alertActionOf } from "./alert-action.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, textField, urlField } from "./fields.ts";
import { isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** REST endpoint: https://help.victorops.com/knowledge-base/rest-endpoint-integration-guide/ */
const ENTITY_MAX = 512;
const MESSAGE_MAX = 20_000;
const OPENING: Record<AlertTone, string> = { down: "CRITICAL", warning: "WARNING", good: "INFO", info: "INFO" };
const TYPES: Record<Exclude<AlertAction, "trigger">, string> = {
  acknowledge: "ACKNOWLEDGEMENT",
  resolve: "RECOVERY",
};

export const splunkOnCall: Notifier = {
  provider: "splunk_on_call",
  label: "Splunk On-Call",
  family: "on_call",
  fields: [
    secretField("api_key", "API key", "The last part but one of the URL that Integrations, REST shows.", {
      form: { pattern: /^[A-Za-z0-9-]{8,100}$/, words: "the key alone, not the whole URL" },
    }),
    textField("routing_key", "Routing key", "Settings, Routing keys: says which team is paged.", {
      form: { pattern: /^[^\s/?#]{1,100}$/, words: "a routing key without spaces and slashes" },
    }),
    urlField("Of the endpoint, without the keys.", {
      default: "https://alert.victorops.com/integrations/generic/20131114/alert",
    }),
  ],
  steps: [
    "In Splunk On-Call open Integrations, REST (generic), and enable it.",
    "Copy the API key from the URL to notify.",
    "Choose a routing key under Settings, Routing keys.",
  ],
  channel: "another routing key",
  notes: ["One incident follows each outage: CRITICAL or WARNING opens it, ACKNOWLEDGEMENT and RECOVERY follow."],
  attemptsMax: null,
  isBundled: false,
  keepsAlerts: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ event, message }, target) {
    const action = alertActionOf(event);
    if (action === null) return null;
    const keys = [
      configText(splunkOnCall, target, "api_key"),
      target.channel ?? configText(splunkOnCall, target, "routing_key"),
    ];
    return jsonRequest([target.url.replace(/\/+$/, ""), ...keys.map(encodeURIComponent)].join("/"), {
      message_type: action === "trigger" ? OPENING[message.tone] : TYPES[action],
      entity_id: message.thread.id.slice(0, ENTITY_MAX),
      entity_display_name: shorten(message.title, ENTITY_MAX),
      state_message: formatPlain(message, { length_max: MESSAGE_MAX, isTitled: true }),
      state_start_time: Math.floor(event.created_at / 1000),
      monitoring_tool: "Vigil",
    });
  },
  readAnswer: ({ status, excerpt }) =>
    status === 200 && /"result"\s*:\s*"failure"/.test(excerpt)
      ? { kind: "refused", error: "Splunk On-Call refused the alert" }
      : null,
};
