import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { REDIRECTS_MAX } from "../contract/http-check.ts";
import type { WebhookProvider } from "../contract/webhook.ts";
import { keyFrom } from "./export.ts";
import { CommandFailure } from "./failure.ts";
import { freeKey, type Imported, type ImportedMonitor, pushTokenOf, scalarOf, within } from "./import-result.ts";

/** Settings of Uptime Kuma, from its database kuma.db: the schema of 1.23 or 2.x, which has the same tables and more columns. */

type Row = Record<string, unknown>;
type Remark = (reason: string) => void;

const INTERVAL = [10, 86_400] as [number, number];

export function importUptimeKuma(file: string): Imported {
  if (!existsSync(file)) throw new CommandFailure(`there is no file ${file}`);
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = (table: string): Row[] => {
    const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
    return exists ? (database.prepare(`SELECT * FROM "${table}"`).all() as Row[]) : [];
  };
  try {
    if (rows("monitor").length === 0 && rows("setting").length === 0) throw new Error("no monitors");
    return convert(rows);
  } catch (error) {
    throw new CommandFailure(
      `${file} is no database of Uptime Kuma: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    database.close();
  }
}

function convert(rows: (table: string) => Row[]): Imported {
  const imported: Imported = {
    manifest: { version: 1, status_pages: {}, groups: {}, monitors: {}, webhooks: {} },
    left: [],
  };
  const { manifest, left } = imported;
  const remarkOn = (subject: string) => (reason: string) => void left.push({ subject, reason });
  const keys = new Map<unknown, string>();
  const sources = rows("monitor");
  for (const row of sources) {
    const remark = remarkOn(`monitor "${row.name}"`);
    const monitor = convertMonitor(row, remark);
    if (!monitor) continue;
    const key = freeKey(manifest.monitors, keyFrom(String(row.name)));
    keys.set(row.id, key);
    manifest.monitors[key] = { ...monitor, ...tagsOf(row, rows) };
  }
  addMembers(imported, sources, keys);
  addPages(imported, rows, keys);
  settleComposites(imported);
  for (const row of rows("notification")) addNotification(imported, row, remarkOn(`notification "${row.name}"`));
  for (const { title } of rows("maintenance")) left.push({ subject: `maintenance "${title}"`, reason: "plan it anew" });
  return imported;
}

function convertMonitor(row: Row, remark: Remark): ImportedMonitor | null {
  const kind = kindOf(row, remark);
  if (!kind) return null;
  const isChecked = kind.type !== "heartbeat" && kind.type !== "composite";
  if (row.upside_down && !isChecked) remark(`upside down mode is not taken for ${kind.type} monitors`);
  if (row.proxy_id) remark("its proxy is not taken");
  const interval = within(Number(row.interval ?? 60), INTERVAL, (to) => remark(`interval is ${to} s here`));
  const retries = Number(row.maxretries ?? 0);
  return {
    name: String(row.name),
    ...kind,
    interval,
    failure_threshold: within(retries + 1, [1, 20], (to) => remark(`fails after ${to} checks here`)),
    ...(Number(row.retry_interval) > 0 && { retry_interval: within(Number(row.retry_interval), [5, 300], () => {}) }),
    ...(isChecked && timeoutOf(row, interval)),
    ...(isChecked && row.upside_down ? { invert: true } : {}),
    ...(!row.active && { paused: true }),
  };
}

function timeoutOf({ timeout }: Row, interval: number): object {
  const seconds = Number(timeout ?? 0);
  return seconds > 0 ? { timeout_seconds: within(seconds, [1, Math.min(30, interval)], () => {}) } : {};
}

function kindOf(row: Row, remark: Remark): (Partial<ImportedMonitor> & Pick<ImportedMonitor, "type">) | null {
  switch (row.type) {
    case "http":
    case "keyword":
    case "json-query":
      return httpOf(row, remark);
    case "port":
      return { type: "tcp", target: `${row.hostname}:${row.port}` };
    case "dns":
      return {
        type: "dns",
        target: String(row.hostname),
        dns_record_type: String(row.dns_resolve_type ?? "A"),
        ...(row.dns_resolve_server ? { dns_server: String(row.dns_resolve_server).split(",")[0]?.trim() } : {}),
      };
    case "push":
      return { type: "heartbeat", ...pushTokenOf(row.push_token ? String(row.push_token) : null, remark) };
    case "group":
      return { type: "composite", children: [] };
    case "mysql":
    case "postgres":
    case "redis":
      return { type: row.type, target: String(row.database_connection_string) };
    case "ping":
      remark("ping needs an agent in your network: add it with agent_id");
      return null;
    default:
      remark(`monitors of type ${row.type} have no counterpart`);
      return null;
  }
}

function httpOf(row: Row, remark: Remark): ReturnType<typeof kindOf> {
  const url = String(row.url);
  const headers = headersOf(row, remark);
  const method = String(row.method ?? "GET").toUpperCase();
  const statuses = JSON.parse(String(row.accepted_statuscodes_json ?? "[]")) as string[];
  if (row.auth_method && !["", "null", "basic"].includes(String(row.auth_method))) {
    remark(`authentication by ${row.auth_method} is not taken`);
  }
  return {
    type: url.startsWith("https:") ? "https" : "http",
    target: url,
    ...(method !== "GET" && { http_method: method }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(row.body && method !== "GET" ? bodyOf(row) : {}),
    ...(statuses.join() !== "200-299" && { expected_statuses: statuses }),
    ...(row.ignore_tls ? { verify_ssl: false } : {}),
    ...redirectsOf(Number(row.maxredirects ?? 10)),
    ...(row.type === "keyword" && {
      expected_body: String(row.keyword),
      ...(row.invert_keyword ? { expected_body_match_type: "not_contains" } : {}),
    }),
    ...(row.type === "json-query" && jsonAssertionOf(row, remark)),
  };
}

/** Those above what a check follows here are its most anyway. */
function redirectsOf(maxRedirects: number): object {
  if (maxRedirects === 0) return { follow_redirects: false };
  return maxRedirects < REDIRECTS_MAX ? { redirects_max: maxRedirects } : {};
}

/** A form is there as the JSON of its fields, or encoded already. */
function bodyOf({ body, http_body_encoding }: Row): object {
  const text = String(body);
  if (http_body_encoding !== "form") return { http_body: text };
  return { http_body: formLinesOf(text), http_body_type: "form" };
}

function formLinesOf(text: string): string {
  const fields = text.trim().startsWith("{")
    ? Object.entries(JSON.parse(text) as Record<string, unknown>)
    : [...new URLSearchParams(text)];
  return fields.map(([name, value]) => `${name}=${value}`).join("\n");
}

const OPERATORS: Record<string, string> = { "==": "eq", "!=": "neq", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" };

/** JSONata is a language; a plain path of it reads the same here. */
function jsonAssertionOf({ json_path, json_path_operator, expected_value }: Row, remark: Remark): object {
  const path = String(json_path ?? "").replace(/^\$\.?/, "");
  const operator = json_path_operator === "contains" ? "contains" : OPERATORS[String(json_path_operator ?? "==")];
  if (!/^[\w$-]+(\.[\w$-]+|\[\d+\])*$/.test(path) || !operator) {
    remark(`its JSON query "${json_path}" is not taken, only that it answers`);
    return {};
  }
  return { json_assertions: [{ path: `$.${path}`, operator, value: scalarOf(String(expected_value)) }] };
}

function headersOf(row: Row, remark: Remark): Record<string, string> {
  const headers: Record<string, string> = {};
  try {
    Object.assign(headers, row.headers ? JSON.parse(String(row.headers)) : {});
  } catch {
    remark("its headers are no JSON and are not taken");
  }
  if (row.basic_auth_user) {
    const credentials = Buffer.from(`${row.basic_auth_user}:${row.basic_auth_pass ?? ""}`).toString("base64");
    headers.Authorization = `Basic ${credentials}`;
  }
  return headers;
}

function tagsOf({ id }: Row, rows: (table: string) => Row[]): object {
  const names = new Map(rows("tag").map((tag) => [tag.id, String(tag.name)]));
  const tags = rows("monitor_tag")
    .filter(({ monitor_id }) => monitor_id === id)
    .map(({ tag_id, value }) => (value ? `${names.get(tag_id)}:${value}` : `${names.get(tag_id)}`));
  return tags.length > 0 ? { tags } : {};
}

function addMembers({ manifest, left }: Imported, sources: Row[], keys: Map<unknown, string>): void {
  for (const { id, parent, name } of sources) {
    const [key, parentKey] = [keys.get(id), keys.get(parent)];
    if (key && parentKey) manifest.monitors[parentKey]?.children?.push(key);
    else if (key && parent) left.push({ subject: `monitor "${name}"`, reason: "its group is not taken" });
  }
}

/** A composite hides its members from their page, and all of them are on one page or on none. */
function settleComposites({ manifest, left }: Imported): void {
  for (const [key, composite] of Object.entries(manifest.monitors)) {
    if (composite.type !== "composite") continue;
    const members = (composite.children ?? []).flatMap((child) => manifest.monitors[child] ?? []);
    const isElsewhere = members.some(({ status_page }) => status_page && status_page !== composite.status_page);
    if (members.length === 0 || isElsewhere) {
      const reason = isElsewhere
        ? "its members are shown on a page, where a composite would hide them"
        : "has no members";
      left.push({ subject: `group "${composite.name}"`, reason });
      delete manifest.monitors[key];
      for (const { children } of Object.values(manifest.monitors)) {
        if (children?.includes(key)) children.splice(children.indexOf(key), 1);
      }
    } else if (composite.status_page) {
      for (const member of members) member.status_page = composite.status_page;
    }
  }
}

function addPages({ manifest, left }: Imported, rows: (table: string) => Row[], keys: Map<unknown, string>): void {
  const pages = new Map(rows("status_page").map((page) => [page.id, page]));
  for (const { slug, title, description, footer_text } of pages.values()) {
    manifest.status_pages[String(slug)] = {
      name: String(title),
      ...(description ? { description: String(description) } : {}),
      ...(footer_text ? { footer_text: String(footer_text) } : {}),
    };
  }
  const sections = new Map(rows("group").map((group) => [group.id, group]));
  for (const { monitor_id, group_id } of rows("monitor_group")) {
    const section = sections.get(group_id);
    const page = pages.get(section?.status_page_id);
    const monitor = manifest.monitors[keys.get(monitor_id) ?? ""];
    if (!section || !page || !monitor) continue;
    if (monitor.status_page) {
      left.push({
        subject: `monitor "${monitor.name}"`,
        reason: `stays off the page ${page.slug}: one page a monitor`,
      });
      continue;
    }
    const group = keyFrom(`${page.slug}.${section.name}`);
    manifest.groups[group] = { name: String(section.name), status_page: String(page.slug) };
    Object.assign(monitor, { status_page: String(page.slug), group });
  }
}

/** Which provider takes the place of a type of notification, and where its settings stand there. */
interface NotificationType {
  provider: WebhookProvider;
  /** Members of the webhook, those of `config` named with it, by the settings that hold them. */
  fields: Record<string, string>;
}

const NOTIFICATIONS: Record<string, NotificationType> = {
  webhook: { provider: "generic", fields: { url: "webhookURL" } },
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
};
/** So that a test compares the names with those that the providers declare. */
export const IMPORTED_FIELDS = Object.values(NOTIFICATIONS).map(({ provider, fields }) => ({
  provider,
  names: Object.keys(fields),
}));

function addNotification({ manifest }: Imported, { name, config, active }: Row, remark: Remark): void {
  const settings = JSON.parse(String(config ?? "{}")) as Row;
  const target = targetOf(settings);
  if (target === null) {
    remark(`channels of type ${settings.type} have to be set up anew`);
    return;
  }
  const key = freeKey(manifest.webhooks, keyFrom(String(name)));
  manifest.webhooks[key] = { name: String(name), ...target, ...(!active && { is_active: false }) };
  remark("it hears of all monitors here, not of chosen ones");
}

/** Null for a type without counterpart, and where the main setting is missing. */
function targetOf(settings: Row): { provider: WebhookProvider } | null {
  const type = String(settings.type);
  if (type === "telegram") return telegramOf(settings);
  if (type === "ntfy") return ntfyOf(settings);
  const known = Object.hasOwn(NOTIFICATIONS, type) ? NOTIFICATIONS[type] : undefined;
  if (!known) return null;
  const values = Object.entries(known.fields).map(([field, setting]) => [field, settings[setting]] as const);
  const [[, main] = []] = values;
  if (typeof main !== "string" || main === "") return null;
  const given = values.filter(([, value]) => typeof value === "string" && value !== "");
  const own = given.filter(([field]) => !field.startsWith("config."));
  const nested = given.flatMap(([field, value]) => (field.startsWith("config.") ? [[field.slice(7), value]] : []));
  return {
    provider: known.provider,
    ...Object.fromEntries(own),
    ...(nested.length > 0 && { config: Object.fromEntries(nested) }),
  };
}

function telegramOf({ telegramBotToken, telegramChatID }: Row) {
  if (typeof telegramBotToken !== "string" || !telegramChatID) return null;
  const url = `https://api.telegram.org/bot${telegramBotToken}/sendMessage`;
  return { provider: "telegram" as const, url, secret: String(telegramChatID) };
}

function ntfyOf({ ntfyserverurl, ntfytopic, ntfyaccesstoken }: Row) {
  if (typeof ntfyserverurl !== "string" || typeof ntfytopic !== "string") return null;
  const url = `${ntfyserverurl.replace(/\/+$/, "")}/${encodeURIComponent(ntfytopic)}`;
  const hasToken = typeof ntfyaccesstoken === "string" && ntfyaccesstoken !== "";
  return { provider: "ntfy" as const, url, ...(hasToken && { secret: ntfyaccesstoken }) };
}
