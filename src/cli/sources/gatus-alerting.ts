import {
  type Channel,
  type ChannelType,
  ntfyChannel,
  readChannel,
  telegramChannel,
  translateTemplate,
} from "./channels.ts";
import type { Draft, Remarks } from "./draft.ts";
import type { ForeignRecord } from "./record.ts";

/** Providers of Gatus. https://github.com/TwiN/gatus/tree/master/alerting/provider */
const TYPES: Record<string, ChannelType> = {
  slack: { provider: "slack", fields: { url: "webhook-url" } },
  discord: { provider: "discord", fields: { url: "webhook-url" } },
  teams: { provider: "teams", fields: { url: "webhook-url" } },
  "teams-workflows": { provider: "teams", fields: { url: "webhook-url" } },
  mattermost: { provider: "mattermost", fields: { url: "webhook-url" } },
  googlechat: { provider: "google_chat", fields: { url: "webhook-url" } },
  rocketchat: { provider: "rocket_chat", fields: { url: "webhook-url" } },
  gotify: { provider: "gotify", fields: { url: "server-url", "config.token": "token" } },
  matrix: {
    provider: "matrix",
    fields: { url: "server-url", "config.room_id": "internal-room-id", "config.access_token": "access-token" },
  },
  pagerduty: { provider: "pagerduty", fields: { secret: "integration-key" } },
  pushover: {
    provider: "pushover",
    fields: { "config.token": "application-token", "config.user": "user-key", "config.device": "device" },
  },
  homeassistant: { provider: "home_assistant", fields: { url: "url", "config.token": "token" } },
  twilio: {
    provider: "twilio_sms",
    fields: { "config.account_sid": "sid", "config.auth_token": "token", "config.from": "from", "config.to": "to" },
  },
  signal: {
    provider: "signal",
    fields: { url: "api-url", "config.number": "number", "config.recipients": "recipients" },
  },
  "incident-io": { provider: "incident_io", fields: { url: "url", "config.token": "auth-token" } },
  gitlab: { provider: "gitlab_alerts", fields: { url: "webhook-url", "config.token": "authorization-key" } },
  opsgenie: { provider: "jira_service_management", fields: { "config.api_key": "api-key" } },
};
export const GATUS_CHANNELS = Object.values(TYPES);

const PAGERDUTY = "https://events.pagerduty.com/v2/enqueue";
const OPSGENIE = "https://api.opsgenie.com/v2/alerts";

/** `heard`: the monitors whose endpoints have an alert of a type. */
export function addAlerting(draft: Draft, alerting: ForeignRecord, heard: ReadonlyMap<string, string[]>): void {
  for (const name of alerting.names()) {
    const settings = alerting.record(name);
    if (!settings) continue;
    const subject = `alerting "${name}"`;
    const remarks = draft.name(settings, subject);
    const channels = channelsOf(name, settings, remarks);
    if (channels.length === 0) {
      draft.leave(settings, subject, "has to be set up anew");
      continue;
    }
    for (const channel of channels) draft.addWebhook(name, { channel, heard: heard.get(name) ?? [] }, remarks);
  }
}

function channelsOf(name: string, settings: ForeignRecord, remarks: Remarks): Channel[] {
  const found = (channel: Channel | null) => (channel === null ? [] : [channel]);
  switch (name) {
    case "telegram":
      return found(telegramChannel(settings.text("token"), settings.text("id"), settings.text("api-url")));
    case "ntfy":
      return found(
        ntfyChannel(settings.text("url") ?? "https://ntfy.sh", settings.text("topic"), settings.text("token")),
      );
    case "email":
      return (settings.text("to") ?? "").split(",").flatMap((to) => {
        return to.trim() === "" ? [] : [{ provider: "email" as const, url: `mailto:${to.trim()}` }];
      });
    case "line":
      return settings.texts("user-ids").flatMap((to) => {
        const token = settings.text("channel-access-token");
        return token === undefined ? [] : [{ provider: "line" as const, config: { token, to } }];
      });
    case "github":
      return found(githubChannel(settings));
    case "custom":
      return found(customChannel(settings, remarks));
    default: {
      const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
      const channel = type ? readChannel(type, settings) : null;
      if (name === "pagerduty" && channel) return [{ ...channel, url: PAGERDUTY }];
      if (name === "opsgenie" && channel) return [{ ...channel, url: OPSGENIE }];
      return found(channel);
    }
  }
}

function githubChannel(settings: ForeignRecord): Channel | null {
  const [, host, repository] =
    /^https?:\/\/([^/]+)\/([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(settings.text("repository-url") ?? "") ?? [];
  const token = settings.text("token");
  if (!repository || !token) return null;
  const url = host === "github.com" ? undefined : `https://${host}/api/v3`;
  return { provider: "github_issues", ...(url && { url }), config: { repository, token } };
}

const WORDS = {
  ALERT_DESCRIPTION: "text",
  ENDPOINT_NAME: "monitor.name",
  ALERT_TRIGGERED_OR_RESOLVED: "status",
};

function customChannel(settings: ForeignRecord, remarks: Remarks): Channel | null {
  const translate = (text: string) => translateTemplate(text, /\[([A-Z_]{4,})\]/g, WORDS);
  const address = settings.text("url");
  const url = address === undefined ? null : translate(address);
  if (url === null) return null;
  const method = settings.text("method");
  const headers = settings.dictionary("headers");
  const text = settings.text("body");
  const body = text === undefined ? null : translate(text);
  if (text !== undefined && body === null) remarks.stays("its body, which has words that are not known here");
  if (text?.includes("[ALERT_TRIGGERED_OR_RESOLVED]")) remarks.changes("its body says down and up in words of ours");
  return {
    provider: "template",
    url,
    config: {
      ...(method && { method: method.toUpperCase() }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(body !== null && { body }),
    },
  };
}
