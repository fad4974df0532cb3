import { CommandFailure } from "../failure.ts";
import { type Channel, type ChannelType, readChannel, telegramChannel } from "./channels.ts";
import { Draft, type Imported, type ImportOptions } from "./draft.ts";
import { parseForeignYaml } from "./file.ts";
import type { ForeignRecord } from "./record.ts";

/** Receivers of Alertmanager, from `alertmanager.yml`. https://prometheus.io/docs/alerting/latest/configuration/ */

const TYPES: Readonly<Record<string, ChannelType>> = {
  webhook_configs: { provider: "generic", fields: { url: "url" } },
  slack_configs: { provider: "slack", fields: { url: "api_url" } },
  discord_configs: { provider: "discord", fields: { url: "webhook_url" } },
  msteams_configs: { provider: "teams", fields: { url: "webhook_url" } },
  msteamsv2_configs: { provider: "teams", fields: { url: "webhook_url" } },
  mattermost_configs: { provider: "mattermost", fields: { url: "webhook_url" } },
  pagerduty_configs: { provider: "pagerduty", fields: { secret: "routing_key", url: "url" } },
  opsgenie_configs: { provider: "jira_service_management", fields: { "config.api_key": "api_key", url: "api_url" } },
  pushover_configs: {
    provider: "pushover",
    fields: { "config.token": "token", "config.user": "user_key", "config.device": "device" },
  },
  victorops_configs: {
    provider: "splunk_on_call",
    fields: { "config.api_key": "api_key", "config.routing_key": "routing_key" },
  },
  incidentio_configs: { provider: "incident_io", fields: { url: "url", "config.token": "alert_source_token" } },
};
export const ALERTMANAGER_CHANNELS = Object.values(TYPES);

/** What a receiver has by default of the file. */
const GLOBAL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  slack_configs: { url: "slack_api_url" },
  opsgenie_configs: { "config.api_key": "opsgenie_api_key" },
  victorops_configs: { "config.api_key": "victorops_api_key" },
};

export function importAlertmanager(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignYaml(text, "Alertmanager");
  const receivers = root.records("receivers");
  if (receivers.length === 0) throw new CommandFailure("the file is no alertmanager.yml: it has no receivers");
  const draft = new Draft(options);
  const route = root.record("route");
  if (route) draft.leave(route, "route", "channels here hear of all monitors: choose their events anew");
  for (const receiver of receivers) addReceiver(draft, receiver, root.record("global"));
  for (const list of ["inhibit_rules", "time_intervals", "mute_time_intervals"]) {
    for (const [n, each] of root.records(list).entries()) draft.leave(each, `${list}[${n}]`, "nothing here does that");
  }
  return draft.finish(root);
}

function addReceiver(draft: Draft, receiver: ForeignRecord, global: ForeignRecord | undefined): void {
  const name = receiver.text("name") ?? "unnamed";
  draft.name(receiver, `receiver "${name}"`);
  for (const list of receiver.names().filter((each) => each.endsWith("_configs"))) {
    for (const settings of receiver.records(list)) {
      const subject = `receiver "${name}" by ${list.replace("_configs", "")}`;
      const remarks = draft.name(settings, subject);
      const channels = channelsOf(list, settings, global);
      if (channels.length === 0) {
        draft.leave(settings, subject, "has to be set up anew");
        continue;
      }
      for (const channel of channels) draft.addWebhook(name, { channel }, remarks);
      if (settings.flag("send_resolved") === false) remarks.changes("recoveries are told, too");
      if (list === "webhook_configs") remarks.changes("its body is ours: see docs/channels/generic.md");
      remarks.changes("it hears of all monitors here, not of chosen ones");
    }
  }
}

function channelsOf(list: string, settings: ForeignRecord, global: ForeignRecord | undefined): Channel[] {
  if (list === "email_configs") {
    return (settings.text("to") ?? "").split(",").flatMap((to) => {
      return to.trim() === "" ? [] : [{ provider: "email" as const, url: `mailto:${to.trim()}` }];
    });
  }
  const channel =
    list === "telegram_configs"
      ? telegramChannel(settings.text("bot_token"), settings.text("chat_id"), settings.text("api_url"))
      : knownChannel(list, settings, global);
  return channel === null ? [] : [channel];
}

function knownChannel(list: string, settings: ForeignRecord, global: ForeignRecord | undefined): Channel | null {
  const type = Object.hasOwn(TYPES, list) ? TYPES[list] : undefined;
  if (!type) return null;
  const channel = readChannel(type, settings);
  if (channel || !global) return channel;
  const inherited = Object.entries(GLOBAL[list] ?? {}).flatMap(([field, setting]) => {
    const value = global.text(setting);
    return value === undefined ? [] : [[field, value] as const];
  });
  const [[field, value] = []] = inherited;
  if (field === undefined || value === undefined) return null;
  if (field === "url") return { provider: type.provider, url: value };
  const routing = settings.text("routing_key");
  return {
    provider: type.provider,
    config: { api_key: value, ...(routing && { routing_key: routing }) },
  };
}
