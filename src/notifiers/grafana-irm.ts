import { shorten } from "../lib/plain-text.ts";
import { alertActionOf } from "./alert-action.ts";
import { formatPlain } from "./chat-text.ts";
import { urlField } from "./fields.ts";
import { isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** Formatted webhooks: https://grafana.com/docs/oncall/latest/configure/integrations/references/webhook/ */
const TITLE_MAX = 500;
const MESSAGE_MAX = 10_000;

export const grafanaIrm: Notifier = {
  provider: "grafana_irm",
  label: "Grafana IRM and OnCall",
  family: "on_call",
  fields: [urlField("Of an integration of the type Formatted webhook; it holds its own key.")],
  steps: [
    "In Grafana open Alerts & IRM, Integrations, and add a formatted webhook.",
    "Copy the URL that it shows.",
    "Choose the escalation chain of its route.",
  ],
  channel: null,
  notes: ["One alert group follows each outage: it fires with the outage and resolves with the recovery."],
  attemptsMax: null,
  isBundled: false,
  keepsAlerts: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ event, message }, { url }) {
    const action = alertActionOf(event);
    // The format knows no acknowledgement.
    if (action === null || action === "acknowledge") return null;
    const details = message.links.at(-1)?.url;
    return jsonRequest(url, {
      alert_uid: message.thread.id,
      title: shorten(message.title, TITLE_MAX),
      state: action === "resolve" ? "ok" : "alerting",
      message: formatPlain(message, { length_max: MESSAGE_MAX, isTitled: true }),
      ...(details !== undefined && { link_to_upstream_details: details }),
    });
  },
};
