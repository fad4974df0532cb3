import type { AlertTone } from "../domain/alert-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { alertActionOf } from "./alert-action.ts";
import { formatPlain } from "./chat-text.ts";
import { configText, secretField, urlField } from "./fields.ts";
import { isHttpUrl, jsonRequest, NOT_AN_ADDRESS, type Notifier } from "./port.ts";

/** HTTP endpoints: https://docs.gitlab.com/operations/incident_management/integrations/; alerts of a fingerprint are one. */
const TITLE_MAX = 200;
const DESCRIPTION_MAX = 1000;
const SEVERITIES: Record<AlertTone, string> = { down: "critical", warning: "medium", good: "info", info: "info" };

export const gitlabAlerts: Notifier = {
  provider: "gitlab_alerts",
  label: "GitLab alerts",
  family: "development",
  fields: [
    urlField("Of the HTTP endpoint: Settings, Monitor, Alerts of the project."),
    secretField("token", "Authorization key", "Beside the URL of the endpoint."),
  ],
  steps: [
    "Open Settings, Monitor, Alerts of your GitLab project and add an HTTP endpoint.",
    "Copy its webhook URL and authorization key.",
    "Choose there whether an alert opens an incident.",
  ],
  channel: null,
  notes: [
    "One alert follows each outage by its fingerprint: it triggers with the outage and resolves with the recovery.",
  ],
  attemptsMax: null,
  isBundled: false,
  keepsAlerts: true,
  validate: ({ url }) => (isHttpUrl(url) ? null : NOT_AN_ADDRESS),
  build({ event, message }, target) {
    const action = alertActionOf(event);
    // The endpoint knows no acknowledgement.
    if (action === null || action === "acknowledge") return null;
    const at = new Date(event.created_at).toISOString();
    const body = {
      title: shorten(message.title, TITLE_MAX),
      description: formatPlain(message, { length_max: DESCRIPTION_MAX, isTitled: true }),
      monitoring_tool: "Vigil",
      service: message.page_name ?? "Vigil",
      severity: SEVERITIES[message.tone],
      fingerprint: message.thread.id,
      ...(action === "resolve" ? { end_time: at } : { start_time: at }),
    };
    const headers = { authorization: `Bearer ${configText(gitlabAlerts, target, "token")}` };
    return jsonRequest(target.url, body, { headers });
  },
};
