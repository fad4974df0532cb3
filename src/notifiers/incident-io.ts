import { shorten } from "../lib/plain-text.ts";
import { alertActionOf } from "./alert-action.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, urlField } from "./fields.ts";
import { isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** Alert events: https://api-docs.incident.io/tag/Alert-Events-V2 */
const TITLE_MAX = 500;
const DESCRIPTION_MAX = 10_000;

export const incidentIo: Notifier = {
  provider: "incident_io",
  label: "incident.io",
  family: "on_call",
  fields: [
    urlField("Of the HTTP alert source: https://api.incident.io/v2/alert_events/http/<id>."),
    secretField("token", "Token", "The bearer token that the alert source shows beside its URL."),
  ],
  steps: [
    "In incident.io open Alerts, Sources, and add an HTTP source.",
    "Copy its URL and its token.",
    "Route the source to an escalation path.",
  ],
  channel: null,
  notes: [
    "One alert follows each outage by its deduplication key: it fires with the outage and resolves with the recovery.",
  ],
  attemptsMax: null,
  isBundled: false,
  keepsAlerts: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ event, message }, target) {
    const action = alertActionOf(event);
    // There is no acknowledgement: people acknowledge in incident.io.
    if (action === null || action === "acknowledge") return null;
    const source_url = message.links.at(-1)?.url;
    const body = {
      title: shorten(message.title, TITLE_MAX),
      description: formatPlain(message, { length_max: DESCRIPTION_MAX, isTitled: true }),
      deduplication_key: message.thread.id,
      status: action === "resolve" ? "resolved" : "firing",
      metadata: { event: event.name, severity: message.tone },
      ...(source_url !== undefined && { source_url }),
    };
    const headers = { authorization: `Bearer ${configText(incidentIo, target, "token")}` };
    return jsonRequest(target.url, body, { headers });
  },
};
