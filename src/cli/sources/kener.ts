import { REDIRECTS_MAX } from "../../contract/http-check.ts";
import { isRecord } from "../../lib/is-record.ts";
import { CommandFailure } from "../failure.ts";
import {
  Draft,
  type Imported,
  type ImportedMonitor,
  type ImportOptions,
  INTERVAL,
  type Remarks,
  TIMEOUT,
  within,
} from "./draft.ts";
import { type ForeignFile, parseForeignYaml } from "./file.ts";
import { ForeignRecord } from "./record.ts";

/**
 * Monitors of Kener: the table of its SQLite database (3 and 4), the answer of its API, or `monitors.yaml` of 2.
 * https://github.com/rajnandan1/kener/blob/main/src/lib/server/types/monitor.ts
 */

/** Its own ids and times, and how it computes a day. */
const OF_THE_PROGRAM = ["id", "created_at", "updated_at", "day_degraded_minimum_count", "day_down_minimum_count"];
const OF_DAYS = ["include_degraded_in_downtime", "dayDegradedMinimumCount", "dayDownMinimumCount"];
/** Its accounts and its own state. */
const TABLES_OF_THE_PROGRAM =
  /^(sqlite_.*|knex_.*|users|users_.*|roles.*|api_keys|invitations|images|general_email_templates|seeds?)$/;
/** What it takes for up without code of its own. */
const STATUSES = ["200-399"];

export function importKenerFile(file: ForeignFile, options: ImportOptions = {}): Imported {
  if (!file.isDatabase()) return importKener(file.text(), options);
  return file.readTables("Kener", (tables) => {
    const rows = tables.rows("monitors");
    if (rows.length === 0) throw new Error("it holds no monitors");
    const draft = new Draft(options);
    addMonitors(draft, rows);
    for (const { table, count } of tables.unread()) {
      if (!TABLES_OF_THE_PROGRAM.test(table))
        draft.about(`table ${table}`).stays(`nothing here reads its ${count} rows`);
    }
    return draft.finish(...rows);
  });
}

export function importKener(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignYaml(text, "Kener", "monitors");
  const monitors = root.records("monitors");
  if (monitors.length === 0) throw new CommandFailure("the file holds no monitors of Kener");
  const draft = new Draft(options);
  addMonitors(draft, monitors);
  return draft.finish(root);
}

function addMonitors(draft: Draft, records: readonly ForeignRecord[]): void {
  const keys = new Map<string, string>();
  const members = new Map<string, { tags: string[]; remarks: Remarks }>();
  for (const record of records) {
    const name = record.text("name") ?? record.text("tag") ?? "unnamed";
    const tag = record.text("tag") ?? name;
    const subject = `monitor "${name}"`;
    const remarks = draft.name(record, subject);
    record.ignore(...OF_THE_PROGRAM, ...OF_DAYS);
    const settings = settingsOf(record, remarks);
    settings.subject = subject;
    const kinds = kindsOf(record, settings, remarks);
    if (typeof kinds === "string") {
      draft.leave(record, subject, kinds);
      continue;
    }
    const interval = intervalOf(record.text("cron"), remarks);
    const category = record.text("category_name") ?? record.text("category");
    const isPaused = ["INACTIVE", "PAUSED"].includes((record.text("status") ?? "ACTIVE").toUpperCase());
    for (const [kind, suffix] of kinds) {
      const monitor: ImportedMonitor = {
        interval,
        ...kind,
        ...(category !== undefined && category !== "Home" && { tags: [category] }),
        ...(isPaused && { paused: true }),
      };
      const key = draft.addMonitor(`${name}${suffix}`, monitor, remarks);
      if (key !== null) keys.set(tag, key);
      if (key !== null && kind.type === "composite")
        members.set(key, { tags: settings.records("monitors").flatMap((member) => member.text("tag") ?? []), remarks });
    }
    leave(draft, settings, subject);
  }
  for (const [key, { tags, remarks }] of members) {
    const children = tags.flatMap((tag) => keys.get(tag) ?? []);
    const missing = tags.filter((tag) => !keys.has(tag));
    if (missing.length > 0) remarks.stays(`its members ${missing.join(", ")}, which do not come`);
    const composite = draft.manifest.monitors[key];
    const isNested = children.some((child) => draft.manifest.monitors[child]?.type === "composite");
    if (children.length > 0 && !isNested && composite) composite.children = children;
    else {
      remarks.stays(isNested ? "a group holds no groups here" : "it has no members");
      delete draft.manifest.monitors[key];
    }
  }
}

/** Settings of a type in a text of JSON are no part of the record that holds them: what nobody reads is named here. */
function leave(draft: Draft, settings: ForeignRecord, subject: string): void {
  const paths = [...settings.unread()].map(({ path }) => path);
  if (paths.length > 0) draft.about(subject).stays(`not taken: ${paths.join(", ")}`);
}

function settingsOf(record: ForeignRecord, remarks: Remarks): ForeignRecord {
  const value = record.take("type_data");
  if (isRecord(value)) return new ForeignRecord(value);
  if (typeof value !== "string" || value === "") return new ForeignRecord({});
  try {
    const parsed: unknown = JSON.parse(value);
    if (isRecord(parsed)) return new ForeignRecord(parsed);
  } catch {
    // Said below, as anything else that is no object.
  }
  remarks.stays("type_data, which is no object");
  return new ForeignRecord({});
}

function intervalOf(cron: string | undefined, remarks: Remarks): number {
  const [, minutes] = /^\*(?:\/(\d+))? \* \* \* \*$/.exec(cron ?? "* * * * *") ?? [null];
  if (/^0 \* \* \* \*$/.test(cron ?? "")) return 3600;
  const isPlain = cron === undefined || /^\*(\/\d+)? \* \* \* \*$/.test(cron);
  if (!isPlain) remarks.changes(`"${cron}" is every minute here`);
  const seconds = Number(minutes ?? 1) * 60;
  return within(seconds, INTERVAL, (to) => remarks.changes(`interval is ${to} s here`));
}

type Kinds = [kind: ImportedMonitor, suffix: string][] | string;

/** The reason where nothing here does what it does; of several hosts one monitor each. */
function kindsOf(record: ForeignRecord, settings: ForeignRecord, remarks: Remarks): Kinds {
  const [api, ping, dns] = [record.record("api"), record.record("ping"), record.record("dns")];
  const type = record.text("monitor_type") ?? (api ? "API" : ping ? "PING" : dns ? "DNS" : "NONE");
  switch (type) {
    case "API":
      return [[httpOf(api ?? settings, remarks), ""]];
    case "PING":
      return hostsOf(ping ?? settings, remarks, ({ host, timeout }) => ({ type: "ping", target: host, ...timeout }));
    case "TCP":
      return hostsOf(settings, remarks, ({ host, port, timeout }) => {
        return { type: "tcp", target: `${host.includes(":") ? `[${host}]` : host}:${port}`, ...timeout };
      });
    case "DNS":
      return [[dnsOf(dns ?? settings), ""]];
    case "SSL":
      return [[{ type: "ssl", target: `${settings.text("host")}:${settings.text("port") ?? 443}` }, ""]];
    case "SQL":
      return databaseOf(settings, remarks);
    case "HEARTBEAT":
      return [[heartbeatOf(settings, remarks), ""]];
    case "GROUP":
      return [[{ type: "composite", children: [] }, ""]];
    default:
      return type === "NONE" ? "nothing checks it there: add what checks it" : `nothing here checks by ${type}`;
  }
}

function timeoutOf(settings: ForeignRecord, remarks: Remarks): Partial<ImportedMonitor> {
  const ms = settings.number("timeout");
  if (ms === undefined || ms <= 0) return {};
  return { timeout_seconds: within(ms / 1000, TIMEOUT, (to) => remarks.changes(`gives up after ${to} s here`)) };
}

function httpOf(settings: ForeignRecord, remarks: Remarks): ImportedMonitor {
  const url = settings.text("url") ?? "";
  const method = (settings.text("method") ?? "GET").toUpperCase();
  const body = method === "GET" || method === "HEAD" ? undefined : settings.text("body");
  const listed = settings.records("headers").flatMap((header) => {
    const [name, value] = [header.text("key"), header.text("value") ?? ""];
    return name === undefined ? [] : [[name, value]];
  });
  const headers = { ...settings.dictionary("headers"), ...Object.fromEntries(listed) };
  if (settings.text("eval") !== undefined) remarks.stays("its eval: a 2xx or 3xx is enough here");
  const redirects = settings.number("max_redirects");
  return {
    type: url.startsWith("https:") ? "https" : "http",
    target: url,
    ...(method !== "GET" && { http_method: method }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(body && { http_body: body }),
    expected_statuses: STATUSES,
    ...(settings.flag("allowSelfSignedCert") && { verify_ssl: false }),
    ...(settings.flag("follow_redirects") === false && { follow_redirects: false }),
    ...(redirects && {
      redirects_max: within(redirects, [1, REDIRECTS_MAX], (to) => remarks.changes(`follows ${to} redirects here`)),
    }),
    ...timeoutOf(settings, remarks),
  };
}

interface Host {
  host: string;
  port: string;
  timeout: Partial<ImportedMonitor>;
}

function hostsOf(settings: ForeignRecord, remarks: Remarks, make: (host: Host) => ImportedMonitor): Kinds {
  for (const name of ["pingEval", "tcpEval"]) if (settings.text(name) !== undefined) remarks.stays(`its ${name}`);
  const listed = settings.records("hosts").map((record) => {
    record.ignore("type", "count");
    return { host: record.text("host") ?? "", port: record.text("port") ?? "", timeout: timeoutOf(record, remarks) };
  });
  const named = ["hostsV4", "hostsV6"].flatMap((name) => settings.texts(name));
  const hosts = [...listed, ...named.map((host) => ({ host, port: "", timeout: {} }))];
  if (hosts.length === 0) return "it names no host";
  return hosts.map((host) => [make(host), hosts.length > 1 ? ` (${host.host})` : ""]);
}

function dnsOf(settings: ForeignRecord): ImportedMonitor {
  const [server, values] = [settings.text("nameServer"), settings.texts("values")];
  const type = settings.text("lookupRecord");
  return {
    type: "dns",
    target: settings.text("host") ?? "",
    ...(type && { dns_record_type: type }),
    ...(server && { dns_server: server }),
    ...(values.length > 0 && { dns_expected: values }),
    ...(settings.text("matchType") === "ANY" && values.length > 1 && { dns_match_type: "any" }),
  };
}

function databaseOf(settings: ForeignRecord, remarks: Remarks): Kinds {
  const target = settings.text("connectionString") ?? "";
  const kind = settings.text("dbType") ?? "";
  const type = { pg: "postgres", postgres: "postgres", postgresql: "postgres", mysql: "mysql", mysql2: "mysql" }[kind];
  if (type === undefined || !URL.canParse(target)) return `nothing here speaks with its database ${kind}`;
  if (settings.text("query") !== undefined) remarks.stays("its query: only that the server lets it in");
  return [[{ type: type === "mysql" ? "mysql" : "postgres", target, ...timeoutOf(settings, remarks) }, ""]];
}

function heartbeatOf(settings: ForeignRecord, remarks: Remarks): ImportedMonitor {
  const minutes = settings.number("downRemainingMinutes") ?? 60;
  remarks.stays("the address that its senders have: give them the new one");
  settings.ignore("secretString");
  return {
    type: "heartbeat",
    interval: within(minutes * 60, INTERVAL, (to) => remarks.changes(`is due every ${to} s here`)),
  };
}
