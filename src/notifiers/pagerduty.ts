import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { type AlertAction, alertActionOf } from "./alert-action.ts";
import { plainText } from "./chat-text.ts";
import { secretField, urlField } from "./fields.ts";
import { isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier, type NotifierInput } from "./port.ts";

/**
 * Events API v2: https://developer.pagerduty.com/docs/events-api-v2/trigger-events. All events of an outage share a
 * `dedup_key`, so that they open, acknowledge and resolve one alert.
 */
const SUMMARY_MAX = 1024;
const KEY_MAX = 255;
const SEVERITIES: Record<AlertTone, string> = { down: "critical", warning: "warning", good: "info", info: "info" };

export const pagerduty: Notifier = {
  provider: "pagerduty",
  label: "PagerDuty",
  family: "on_call",
  fields: [
    urlField("https://events.pagerduty.com/v2/enqueue, or https://events.eu.pagerduty.com/v2/enqueue in Europe.", {
      default: "https://events.pagerduty.com/v2/enqueue",
    }),
    secretField("secret", "Integration key", "The routing key of an Events API v2 integration of the service."),
    secretField(
      "webhook_secret",
      "Signing secret",
      "Of a webhook subscription (version 3) at PagerDuty, by which acknowledgements come back.",
      { is_required: false },
    ),
  ],
  steps: [
    'Open the service, "Integrations", "Add an integration".',
    'Choose "Events API V2".',
    "Copy the integration key.",
  ],
  channel: "another integration key",
  notes: [
    "One alert follows each outage: it opens with the outage, is acknowledged with its incident, and resolves with the recovery. `monitor.down`, warnings and custom events trigger, `incident.acknowledged` acknowledges, `monitor.up` and `incident.resolved` resolve; maintenance sends nothing. The alert of a slow monitor resolves when it goes down, which opens another one, and when it is fast again.",
    'Acknowledgements come back: in PagerDuty add a generic webhook (Integrations) to `https://<address>/integrations/pagerduty/<id of the channel>` with the events incident.acknowledged and incident.resolved, and enter its signing secret here. Who acknowledges there acknowledges here, by name and "in PagerDuty"; who resolves there does not end the outage, which is noted in the timeline of the incident, and of a published one in the audit log.',
  ],
  attemptsMax: null,
  isBundled: false,
  keepsAlerts: true,
  validate({ url, secret }) {
    if (!isHttpUrl(url)) return NOT_AN_ADDRESS;
    return secret === null ? "secret must be the routing key" : null;
  },
  build(input, { url, secret, channel }) {
    const action = alertActionOf(input.event);
    if (action === null) return null;
    const routing_key = channel ?? secret ?? "";
    const dedup_key = input.message.thread.id.slice(0, KEY_MAX);
    const alert = action === "trigger" ? alertOf(input) : {};
    const body = { routing_key, event_action: action, dedup_key, ...alert };
    return jsonRequest(url, body, { secrets: [routing_key] });
  },
  follow({ event }, { url, secret, channel }) {
    if (!endsSlowness(event)) return null;
    const routing_key = channel ?? secret ?? "";
    const body = { routing_key, event_action: "resolve" satisfies AlertAction, dedup_key: event.monitor_id };
    return jsonRequest(url, body, { secrets: [routing_key] });
  },
};

/**
 * The alert of a monitor that is slow has the monitor's key, that of an outage the outage's. An outage takes the place of
 * the slowness before it, and ends it together with itself where its beginning was not sent here.
 */
function endsSlowness(event: NewEvent): boolean {
  if (!isKnownEvent(event)) return false;
  if (event.name === "monitor.down") return event.data.previous_status === "degraded";
  return event.name === "monitor.up" && event.data.outage_id !== null;
}

function alertOf({ event, message }: NotifierInput) {
  const { title, text, tone, facts, links } = message;
  const details = Object.fromEntries(facts.map(({ label, value }) => [label, value]));
  return {
    payload: {
      summary: shorten(title, SUMMARY_MAX),
      source: "Vigil",
      severity: SEVERITIES[tone],
      timestamp: new Date(event.created_at).toISOString(),
      class: event.name,
      custom_details: { ...details, ...(text !== "" && { Message: plainText({ ...message, text }) }) },
    },
    links: links.map(({ label, url }) => ({ href: url, text: label })),
    client: "Vigil",
  };
}
