import { isRecord } from "../../lib/is-record.ts";
import { appriseChannels } from "./apprise-address.ts";
import {
  type Channel,
  type ChannelType,
  ntfyChannel,
  readChannel,
  telegramChannel,
  translateTemplate,
} from "./channels.ts";
import type { Draft, Remarks } from "./draft.ts";
import { ForeignRecord } from "./record.ts";

/** Notifications of Uptime Kuma. https://github.com/louislam/uptime-kuma/tree/master/server/notification-providers */
const TYPES: Record<string, ChannelType> = {
  discord: { provider: "discord", fields: { url: "discordWebhookUrl" } },
  slack: { provider: "slack", fields: { url: "slackwebhookURL" } },
  teams: { provider: "teams", fields: { url: "webhookUrl" } },
  mattermost: { provider: "mattermost", fields: { url: "mattermostWebhookUrl" } },
  "rocket.chat": { provider: "rocket_chat", fields: { url: "rocketwebhookURL" } },
  GoogleChat: { provider: "google_chat", fields: { url: "googleChatWebhookURL" } },
  PagerDuty: { provider: "pagerduty", fields: { url: "pagerdutyIntegrationUrl", secret: "pagerdutyIntegrationKey" } },
  gotify: { provider: "gotify", fields: { url: "gotifyserverurl", "config.token": "gotifyapplicationToken" } },
  pushover: {
    provider: "pushover",
    fields: { "config.token": "pushoverapptoken", "config.user": "pushoveruserkey", "config.device": "pushoverdevice" },
  },
  pushbullet: { provider: "pushbullet", fields: { "config.token": "pushbulletAccessToken" } },
  matrix: {
    provider: "matrix",
    fields: { url: "homeserverUrl", "config.room_id": "internalRoomId", "config.access_token": "accessToken" },
  },
  line: { provider: "line", fields: { "config.token": "lineChannelAccessToken", "config.to": "lineUserID" } },
  Feishu: { provider: "lark", fields: { url: "feishuWebHookUrl" } },
  DingDing: { provider: "dingtalk", fields: { url: "webHookUrl", "config.sign_secret": "secretKey" } },
  signal: {
    provider: "signal",
    fields: { url: "signalURL", "config.number": "signalNumber", "config.recipients": "signalRecipients" },
  },
  GrafanaOncall: { provider: "grafana_irm", fields: { url: "GrafanaOncallURL" } },
  HomeAssistant: {
    provider: "home_assistant",
    fields: {
      url: "homeAssistantUrl",
      "config.token": "longLivedAccessToken",
      "config.service": "notificationService",
    },
  },
  twilio: {
    provider: "twilio_sms",
    fields: {
      "config.account_sid": "twilioAccountSID",
      "config.auth_token": "twilioAuthToken",
      "config.from": "twilioFromNumber",
      "config.to": "twilioToNumber",
    },
  },
  Bark: { provider: "bark", fields: { url: "barkEndpoint" } },
};
export const KUMA_CHANNELS = Object.values(TYPES);

export function addNotification(draft: Draft, row: ForeignRecord, heard: readonly string[]): void {
  const name = row.text("name") ?? "unnamed";
  const subject = `notification "${name}"`;
  const remarks = draft.name(row, subject);
  const settings = settingsOf(row);
  settings.subject = subject;
  settings.ignore("name", "type", "id", "active", "userId", "isDefault", "applyExisting");
  if (row.flag("is_default")) remarks.changes("monitors that are added later do not get it by themselves");
  row.ignore("id", "user_id");
  const type = settings.text("type") ?? "";
  const channels = channelsOf(type, settings, remarks);
  if (channels.length === 0) {
    draft.leave(row, subject, `channels of type ${type} have to be set up anew`);
    return;
  }
  const isActive = row.text("active") !== "0";
  for (const channel of channels) draft.addWebhook(name, { channel, isActive, heard }, remarks);
  const unread = [...settings.unread()].map(({ path }) => path);
  if (unread.length > 0) remarks.stays(`not taken: ${unread.join(", ")}`);
}

function settingsOf(row: ForeignRecord): ForeignRecord {
  try {
    const parsed: unknown = JSON.parse(row.text("config") ?? "{}");
    return new ForeignRecord(isRecord(parsed) ? parsed : {});
  } catch {
    return new ForeignRecord({});
  }
}

/** None for a type without counterpart, and where the main setting is missing. */
function channelsOf(type: string, settings: ForeignRecord, remarks: Remarks): Channel[] {
  const found = (channel: Channel | null) => (channel === null ? [] : [channel]);
  switch (type) {
    case "telegram":
      return found(
        telegramChannel(
          settings.text("telegramBotToken"),
          settings.text("telegramChatID"),
          settings.text("telegramServerUrl"),
        ),
      );
    case "ntfy":
      return found(
        ntfyChannel(settings.text("ntfyserverurl"), settings.text("ntfytopic"), settings.text("ntfyaccesstoken")),
      );
    case "smtp":
      return (settings.text("smtpTo") ?? "").split(",").flatMap((to) => {
        return to.trim() === "" ? [] : [{ provider: "email" as const, url: `mailto:${to.trim()}` }];
      });
    case "apprise":
      return appriseChannels(settings.text("appriseURL") ?? "", remarks);
    case "webhook":
      return found(webhookChannel(settings, remarks));
    case "Opsgenie":
      return found(opsgenieChannel(settings));
    case "WeCom":
      return found(weComChannel(settings.text("weComBotKey")));
    case "Splunk":
      return found(splunkChannel(settings));
    default: {
      const known = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
      return found(known ? readChannel(known, settings) : null);
    }
  }
}

function opsgenieChannel(settings: ForeignRecord): Channel | null {
  const [api_key, region] = [settings.text("opsgenieApiKey"), settings.text("opsgenieRegion")];
  if (api_key === undefined) return null;
  const host = region === "eu" ? "api.eu.opsgenie.com" : "api.opsgenie.com";
  return { provider: "jira_service_management", url: `https://${host}/v2/alerts`, config: { api_key } };
}

function weComChannel(key: string | undefined): Channel | null {
  if (key === undefined) return null;
  return { provider: "wecom", url: `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${encodeURIComponent(key)}` };
}

/** Its address ends in both keys. */
function splunkChannel(settings: ForeignRecord): Channel | null {
  const address = settings.text("splunkRestURL") ?? "";
  const [, url, api_key, routing_key] = /^(https:\/\/.+\/alert)\/([A-Za-z0-9-]+)\/([^\s/?#]+)$/.exec(address) ?? [];
  if (!url || !api_key || !routing_key) return null;
  // Outages are critical and end by themselves here.
  settings.ignore("splunkSeverity", "splunkAutoResolve", "pagerdutyIntegrationKey");
  return { provider: "splunk_on_call", url, config: { api_key, routing_key } };
}

const WORDS = {
  msg: "text",
  name: "monitor.name",
  status: "status",
  "monitorJSON.name": "monitor.name",
  "monitorJSON['name']": "monitor.name",
  'monitorJSON["name"]': "monitor.name",
  "heartbeatJSON.msg": "text",
  "heartbeatJSON['msg']": "text",
  "heartbeatJSON.time": "since",
  "heartbeatJSON['time']": "since",
};

/** With a body or headers of its own it is a template; else our own webhook, whose body is another one. */
function webhookChannel(settings: ForeignRecord, remarks: Remarks): Channel | null {
  const url = settings.text("webhookURL");
  if (url === undefined) return null;
  const method = (settings.text("httpMethod") ?? "post").toUpperCase();
  const custom = settings.text("webhookCustomBody");
  const isCustom = settings.text("webhookContentType") === "custom" && custom !== undefined;
  const headers = webhookHeaders(settings, remarks);
  if (!isCustom && headers === null && method === "POST") {
    remarks.changes("its body is that of a webhook here: see docs/channels/generic.md");
    return { provider: "generic", url };
  }
  const body = isCustom ? translateTemplate(custom, /\{\{\s*([^{}]*?)\s*\}\}/g, WORDS) : null;
  const isKnown = body !== null && !body.includes("{%");
  if (isCustom && !isKnown) remarks.stays("its body, which has words that are not known here");
  if (!isCustom) remarks.changes("its body is that of a template here: see docs/channels/template.md");
  return {
    provider: "template",
    url,
    config: { method, ...(headers !== null && { headers }), ...(isKnown && { body }) },
  };
}

function webhookHeaders(settings: ForeignRecord, remarks: Remarks): Record<string, string> | null {
  const text = settings.text("webhookAdditionalHeaders");
  if (text === undefined) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed))
      return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
  } catch {
    // Said below, as of JSON that is no object.
  }
  remarks.stays("its headers, which are no JSON");
  return null;
}
