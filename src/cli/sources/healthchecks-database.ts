import { isRecord } from "../../lib/is-record.ts";
import { keyFrom } from "../export.ts";
import { type Channel, ntfyChannel } from "./channels.ts";
import { Draft, type Imported, type ImportedMonitor, type ImportOptions, pushTokenOf, type Remarks } from "./draft.ts";
import { dueOf, graceOf, leaveFilters, tagsOf } from "./healthchecks-checks.ts";
import { ForeignRecord } from "./record.ts";
import type { Tables } from "./tables.ts";

/**
 * The database of a Healthchecks that somebody runs: SQLite, or a dump of PostgreSQL, MariaDB or MySQL. Unlike the API it
 * has the settings of integrations. https://github.com/healthchecks/healthchecks/blob/master/hc/api/models.py
 */

/** Its accounts, its own state, and what it sent. */
const OF_THE_PROGRAM =
  /^(sqlite_.*|django_.*|auth_.*|accounts_(?!project$).*|api_(tokenbucket|notification)|logs_.*|payments_.*)$/;
const HISTORY = /^api_(ping|flip)$/;
/** What a check is at the moment. */
const OF_A_CHECK = [
  ...["id", "created", "badge_key", "n_pings", "last_ping", "last_start", "last_start_rid", "last_duration"],
  ...["has_confirmation_link", "alert_after", "kind", "schedule", "tz", "timeout"],
];
const PAGERDUTY = "https://events.pagerduty.com/v2/enqueue";

export function convertHealthchecks(tables: Tables, options: ImportOptions): Imported {
  const checks = tables.rows("api_check");
  if (checks.length === 0) throw new Error("it holds no checks");
  const draft = new Draft(options);
  const projects = projectsOf(draft, tables);
  const keys = new Map<string, string>();
  for (const row of checks) {
    const key = addCheck(draft, row, projects);
    if (key !== null) keys.set(row.text("id") ?? "", key);
  }
  const heard = new Map<string, string[]>();
  for (const row of tables.rows("api_channel_checks")) {
    const [channel, key] = [row.text("channel_id") ?? "", keys.get(row.text("check_id") ?? "")];
    if (key !== undefined) heard.set(channel, [...(heard.get(channel) ?? []), key]);
    row.ignore("id");
  }
  for (const row of tables.rows("api_channel")) addChannel(draft, row, heard.get(row.text("id") ?? "") ?? []);
  for (const { table, count } of tables.unread()) {
    if (OF_THE_PROGRAM.test(table)) continue;
    const reason = HISTORY.test(table) ? `history: ${count} rows` : `nothing here reads its ${count} rows`;
    draft.about(`table ${table}`).stays(reason);
  }
  return draft.finish(...tables.read());
}

/** Names by ids, where there are several: checks get them as tags. */
function projectsOf(draft: Draft, tables: Tables): Map<string, string> {
  const rows = tables.rows("accounts_project");
  for (const row of rows) {
    const key = row.text("ping_key");
    const subject = `project "${row.text("name") ?? row.text("code")}"`;
    if (key !== undefined) {
      draft
        .about(subject)
        .changes("pings by its ping key go on once a page has it: PUT /status-pages/{id}/ping-key takes the same key");
    }
    if (row.text("api_key") ?? row.text("api_key_readonly"))
      draft.about(subject).stays("its API keys: make tokens here");
    row.ignoreAll();
  }
  return new Map(rows.length < 2 ? [] : rows.map((row) => [row.text("id") ?? "", row.text("name") ?? ""]));
}

function addCheck(draft: Draft, row: ForeignRecord, projects: ReadonlyMap<string, string>): string | null {
  const uuid = uuidOf(row.text("code") ?? "");
  const name = row.text("name") ?? row.text("slug") ?? uuid;
  const remarks = draft.name(row, `check "${name}"`);
  const kind = row.text("kind") ?? "simple";
  const due = {
    schedule: kind === "simple" ? undefined : row.text("schedule"),
    zone: row.text("tz"),
    seconds: secondsOf(row.text("timeout")),
  };
  const project = projects.get(row.text("project_id") ?? "");
  const tags = [...tagsOf(row), ...(project ? [project] : [])];
  if (row.flag("manual_resume")) remarks.changes("a ping ends its pause no more: resume it here");
  leaveFilters(row, remarks);
  row.ignore(...OF_A_CHECK);
  const monitor: ImportedMonitor = {
    type: "heartbeat",
    ...dueOf(due, remarks),
    ...graceOf(secondsOf(row.text("grace")), remarks),
    ...pushTokenOf(uuid, remarks),
    ...(tags.length > 0 && { tags }),
    ...(row.text("status") === "paused" && { paused: true }),
  };
  return draft.addMonitor(name, monitor, remarks, keyFrom(row.text("slug") ?? name));
}

/** SQLite and MySQL keep 32 signs. */
function uuidOf(code: string): string {
  return code.replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, "$1-$2-$3-$4-$5");
}

/** Microseconds, or as PostgreSQL writes an interval: `1 day 02:00:00`. */
function secondsOf(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  if (/^\d+$/.test(duration)) return Number(duration) / 1_000_000;
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] =
    /^(?:(\d+) days? ?)?(?:(\d+):(\d{2}):(\d{2}))?/.exec(duration) ?? [];
  return Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

function addChannel(draft: Draft, row: ForeignRecord, heard: readonly string[]): void {
  const kind = row.text("kind") ?? "";
  const name = row.text("name") ?? kind;
  const subject = `integration "${name}"`;
  const remarks = draft.name(row, subject);
  row.ignore(
    "id",
    "code",
    "created",
    "project_id",
    "email_verified",
    "last_notify",
    "last_notify_duration",
    "last_error",
  );
  const value = row.text("value") ?? "";
  const settings = settingsOf(value);
  const channel = channelOf(kind, { value, settings }, remarks);
  if (channel === null) {
    draft.leave(row, subject, `integrations by ${kind} have to be set up anew`);
    return;
  }
  if (settings.flag("up") === false || settings.flag("down") === false) {
    remarks.changes("it hears of outages and of their end here");
  }
  draft.addWebhook(name, { channel, isActive: row.flag("disabled") !== true, heard }, remarks);
  const unread = [...settings.unread()].map(({ path }) => path);
  if (unread.length > 0) remarks.stays(`not taken: ${unread.join(", ")}`);
}

function settingsOf(value: string): ForeignRecord {
  try {
    const parsed: unknown = JSON.parse(value);
    return new ForeignRecord(isRecord(parsed) ? parsed : {});
  } catch {
    return new ForeignRecord({});
  }
}

const URL_KINDS: Readonly<Record<string, Channel["provider"]>> = {
  mattermost: "mattermost",
  rocketchat: "rocket_chat",
  msteams: "teams",
  msteamsw: "teams",
  googlechat: "google_chat",
};

interface Stored {
  value: string;
  settings: ForeignRecord;
}

/** Null where the service itself held the credential, or nothing here is of its kind. */
function channelOf(kind: string, { value, settings }: Stored, remarks: Remarks): Channel | null {
  const plain = value.startsWith("{") ? undefined : value;
  const provider = Object.hasOwn(URL_KINDS, kind) ? URL_KINDS[kind] : undefined;
  if (provider) return withUrl(provider, plain);
  switch (kind) {
    case "email":
      return withUrl("email", plain ?? settings.text("value"), "mailto:");
    case "slack":
      settings.ignore("ok", "access_token", "scope", "user_id", "team_id", "team_name", "team", "app_id");
      return withUrl("slack", plain ?? webhookOf(settings, "incoming_webhook"));
    case "discord":
      settings.ignore("access_token", "refresh_token", "scope", "token_type", "expires_in");
      return withUrl("discord", webhookOf(settings, "webhook"));
    case "pd": {
      const secret = plain ?? settings.text("service_key");
      settings.ignore("account");
      return secret === undefined || secret === "" ? null : { provider: "pagerduty", url: PAGERDUTY, secret };
    }
    case "pushbullet":
      return plain ? { provider: "pushbullet", config: { token: plain } } : null;
    case "ntfy":
      settings.ignore("priority", "priority_up");
      return ntfyChannel(settings.text("url"), settings.text("topic"), settings.text("token"));
    case "gotify": {
      const [url, token] = [settings.text("url"), settings.text("token")];
      return url && token ? { provider: "gotify", url, config: { token } } : null;
    }
    case "webhook":
      return webhookChannel(settings, remarks);
    default:
      return null;
  }
}

function withUrl(provider: Channel["provider"], url: string | undefined, prefix = ""): Channel | null {
  return url ? { provider, url: `${prefix}${url}` } : null;
}

function webhookOf(settings: ForeignRecord, name: string): string | undefined {
  const hook = settings.record(name);
  const url = hook?.text("url");
  hook?.ignoreAll();
  return url;
}

/** Placeholders of its bodies are others than here, so that its own words are said and not sent. */
function webhookChannel(settings: ForeignRecord, remarks: Remarks): Channel | null {
  const [down, up] = [settings.text("url_down"), settings.text("url_up")];
  const url = down ?? up;
  if (url === undefined) return null;
  if (up !== undefined && up !== url)
    remarks.stays(`its address of the end of outages, ${new URL(up, "http://x").host}`);
  const [method, body] = [settings.text("method_down") ?? "GET", settings.text("body_down")];
  const headers = settings.dictionary("headers_down");
  settings.ignore("method_up", "body_up", "headers_up", "name");
  const isPlain = method === "POST" && body === undefined && Object.keys(headers).length === 0;
  if (/\$[A-Z]/.test(url)) remarks.changes("words such as $NAME in its address are sent as they are");
  if (isPlain) return { provider: "generic", url };
  remarks.changes("its body is that of a template here: see docs/channels/template.md");
  return { provider: "template", url, config: { method, ...(Object.keys(headers).length > 0 && { headers }) } };
}
