import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { alertActionOf } from "./alert-action.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, urlField } from "./fields.ts";
import { isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/**
 * Integration events of Jira Service Management, which are those of Opsgenie: https://docs.opsgenie.com/docs/alert-api
 * (lengths, alias, close, acknowledge) and
 * https://support.atlassian.com/jira-service-management-cloud/docs/what-is-a-default-api-integration/.
 */
const MESSAGE_MAX = 130;
const ALIAS_MAX = 512;
const DESCRIPTION_MAX = 15_000;
const PRIORITIES: Record<AlertTone, string> = { down: "P1", warning: "P3", good: "P5", info: "P5" };
const SOURCE = "Vigil";

export const jiraServiceManagement: Notifier = {
  provider: "jira_service_management",
  label: "Jira Service Management",
  family: "on_call",
  fields: [
    secretField(
      "api_key",
      "API key",
      "Of an API integration: Operations of the team, Integrations, Add integration, API.",
    ),
    secretField(
      "webhook_token",
      "Webhook token",
      "A text of your choice that the webhook of Jira sends, by which acknowledgements come back.",
      { is_required: false, form: { pattern: /^[!-~]{16,}$/, words: "at least 16 characters without spaces" } },
    ),
    urlField(
      "Of the alerts. For Opsgenie: https://api.opsgenie.com/v2/alerts, in Europe https://api.eu.opsgenie.com/v2/alerts.",
      {
        default: "https://api.atlassian.com/jsm/ops/integration/v2/alerts",
      },
    ),
  ],
  steps: [
    "Open the operations of your team in Jira Service Management, Integrations, and add the integration API.",
    "Copy its API key and turn it on.",
    "For Opsgenie, or a service with its API, set the address of its alerts, too.",
  ],
  channel: "another API key",
  notes: [
    "One alert follows each outage by its alias: it opens with the outage, is acknowledged with its incident and closed with the recovery. A repeat while it is open only counts up.",
    "Acknowledgements come back: add the integration Webhook to the team, with the address `https://<address>/integrations/jira/<id of the channel>`, the header `X-Webhook-Token` with the token of this channel, and the alert actions acknowledge and close. Who acknowledges there acknowledges here; a close there does not end the outage, and is noted in the timeline of the incident, of a published one in the audit log.",
  ],
  attemptsMax: null,
  isBundled: false,
  keepsAlerts: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build(input, target) {
    const { message, event } = input;
    const action = alertActionOf(event);
    if (action === null) return null;
    const key = target.channel ?? configText(jiraServiceManagement, target, "api_key");
    const options = { headers: { authorization: `GenieKey ${key}` }, secrets: [key] };
    const alias = message.thread.id.slice(0, ALIAS_MAX);
    const base = target.url.replace(/\/+$/, "");
    if (action !== "trigger") {
      const verb = action === "resolve" ? "close" : "acknowledge";
      const note = shorten(message.title, MESSAGE_MAX);
      const path = `${base}/${encodeURIComponent(alias)}/${verb}?identifierType=alias`;
      return jsonRequest(path, { source: SOURCE, note }, options);
    }
    return jsonRequest(
      base,
      {
        message: shorten(message.title, MESSAGE_MAX),
        alias,
        description: formatPlain(message, { length_max: DESCRIPTION_MAX, isTitled: true }),
        priority: PRIORITIES[message.tone],
        source: SOURCE,
        details: { event: event.name, ...Object.fromEntries(message.facts.map(({ label, value }) => [label, value])) },
      },
      options,
    );
  },
};
