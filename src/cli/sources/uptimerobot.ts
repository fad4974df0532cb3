import { isRecord } from "../../lib/is-record.ts";
import { CommandFailure } from "../failure.ts";
import {
  basicAuthorization,
  Draft,
  type Imported,
  type ImportedMonitor,
  type ImportOptions,
  INTERVAL,
  type Remarks,
  scalarOf,
  TIMEOUT,
  within,
} from "./draft.ts";
import { parseForeignJson } from "./file.ts";
import type { ForeignRecord } from "./record.ts";

/**
 * Monitors of UptimeRobot, from what `GET /v3/monitors` or `POST /v2/getMonitors` answers.
 * https://github.com/uptimerobot/terraform-provider-uptimerobot/blob/main/internal/client/monitor.go
 */

/** Its own ids, addresses and what it found. */
const OF_THE_SERVICE = [
  ...["id", "userId", "status", "createDateTime", "create_datetime", "currentStateDuration", "lastIncidentId"],
  ...["lastIncident", "lastDayUptimes", "sslBrand", "sslExpiryDateTime", "domainExpireDate", "apiKey", "psps", "logs"],
  ...["custom_uptime_ratio", "all_time_uptime_ratio", "average_response_time", "response_times", "groupId", "sub_type"],
  // Certificates are watched anyhow.
  ...["sslExpirationReminder", "friendlyName", "friendly_name", "interval"],
];
const TYPES_OF_V2: Readonly<Record<string, string>> = { 1: "HTTP", 2: "KEYWORD", 3: "PING", 4: "PORT", 5: "HEARTBEAT" };
const METHODS_OF_V2 = ["GET", "HEAD", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const PORTS_OF_V2: Readonly<Record<string, string>> = { 1: "80", 2: "443", 3: "21", 4: "25", 5: "110", 6: "143" };

export function importUptimeRobot(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignJson(text, "UptimeRobot", "monitors");
  const monitors = [...root.records("data"), ...root.records("monitors")];
  if (monitors.length === 0) {
    throw new CommandFailure("the file holds no monitors: take what GET /v3/monitors or POST /v2/getMonitors answers");
  }
  const draft = new Draft(options);
  const isWhole = root.text("nextLink") === undefined && root.text("nextCursorId") === undefined;
  if (!isWhole) draft.about("the file").stays("the monitors on its next page: import that, too");
  const pagination = root.record("pagination");
  if (pagination) {
    if ((pagination.number("total") ?? 0) > monitors.length)
      draft
        .about("the file")
        .stays(`it holds ${monitors.length} of ${pagination.text("total")} monitors: import the rest, too`);
    pagination.ignoreAll();
  }
  root.ignore("stat");
  for (const monitor of monitors) addMonitor(draft, monitor);
  return draft.finish(root);
}

function addMonitor(draft: Draft, record: ForeignRecord): void {
  const name = record.text("friendlyName") ?? record.text("friendly_name") ?? record.text("url") ?? "unnamed";
  const subject = `monitor "${name}"`;
  const remarks = draft.name(record, subject);
  const kinds = kindsOf(record, remarks);
  if (typeof kinds === "string") {
    draft.leave(record, subject, kinds);
    return;
  }
  const isPaused = ["PAUSED", "0"].includes(record.text("status") ?? "");
  const seconds = record.number("interval") ?? 300;
  const interval = within(seconds, INTERVAL, (to) => remarks.changes(`interval is ${to} s here`));
  record.ignore(...OF_THE_SERVICE);
  const common = {
    interval,
    ...tagsOf(record),
    ...aroundOf(record, interval, remarks),
    ...(isPaused && { paused: true }),
  };
  for (const [kind, suffix] of kinds) {
    draft.addMonitor(
      `${name}${suffix}`,
      { ...kind, ...(kind.type === "heartbeat" ? without(common) : common) },
      remarks,
    );
  }
}

/** A heartbeat is not checked. */
function without({ timeout_seconds: _, latency_threshold_ms: __, ...common }: Partial<ImportedMonitor>) {
  return common;
}

function tagsOf(record: ForeignRecord): { tags?: string[] } {
  const tags = record.records("tags").flatMap((tag) => {
    // Tags here have no colours of their own.
    tag.ignore("id", "color", "monitors");
    return tag.text("name") ?? [];
  });
  return tags.length > 0 ? { tags } : {};
}

/** What every type has around its check. */
function aroundOf(record: ForeignRecord, interval: number, remarks: Remarks): Partial<ImportedMonitor> {
  const contacts = [...record.records("assignedAlertContacts"), ...record.records("alert_contacts")];
  if (contacts.length > 0) remarks.changes("its alert contacts: channels here hear of all monitors");
  for (const contact of contacts) contact.ignore("alertContactId", "threshold", "recurrence", "id", "type", "value");
  const windows = [...record.records("maintenanceWindows"), ...record.records("mwindows")];
  if (windows.length > 0) remarks.stays("its maintenance windows: plan them anew");
  for (const window of windows) window.ignoreAll();
  if (record.flag("domainExpirationReminder")) remarks.stays("reminders of its domain: add a monitor of type domain");
  const [timeout, slow] = [record.number("timeout") ?? 0, record.number("responseTimeThreshold") ?? 0];
  return {
    ...(timeout > 0 && {
      timeout_seconds: Math.min(
        interval,
        within(timeout, TIMEOUT, (to) => remarks.changes(`gives up after ${to} s here`)),
      ),
    }),
    ...(slow > 0 && { latency_threshold_ms: within(slow, [1, 60_000], (to) => remarks.changes(`slow from ${to} ms`)) }),
  };
}

type Kinds = [kind: ImportedMonitor, suffix: string][] | string;

/** The reason where nothing here does what it does; of name servers one monitor a type of record. */
function kindsOf(record: ForeignRecord, remarks: Remarks): Kinds {
  const raw = record.text("type") ?? "";
  const type = TYPES_OF_V2[raw] ?? raw;
  const url = record.text("url") ?? "";
  const host = url.replace(/^\w+:\/\//, "").replace(/[/?#].*$/, "");
  switch (type) {
    case "HTTP":
    case "KEYWORD":
    case "API":
      return [[httpOf(record, { type, url }, remarks), ""]];
    case "PING":
      return [[{ type: "ping", target: host }, ""]];
    case "PORT": {
      const port = record.text("port") ?? PORTS_OF_V2[record.text("sub_type") ?? ""];
      return [[{ type: "tcp", target: port === undefined ? host : `${host}:${port}` }, ""]];
    }
    case "UDP": {
      const udp = record.record("config")?.record("udp");
      const [payload, port] = [udp?.text("payload"), record.text("port")];
      return [[{ type: "udp", target: `${host}:${port}`, ...(payload && { udp_payload: payload }) }, ""]];
    }
    case "HEARTBEAT": {
      remarks.stays("the address that its senders have: give them the new one");
      const grace = record.number("gracePeriod") ?? 0;
      return [[{ type: "heartbeat", ...(grace > 0 && { grace_seconds: Math.min(86_400, grace) }) }, ""]];
    }
    case "DNS":
      return dnsOf(record, host);
    default:
      return `monitors of type ${type} have no counterpart`;
  }
}

function dnsOf(record: ForeignRecord, target: string): Kinds {
  const records = record.record("config")?.record("dnsRecords");
  const types = (records?.names() ?? []).filter((type) => (records?.texts(type).length ?? 0) > 0);
  if (types.length === 0) return [[{ type: "dns", target }, ""]];
  return types.map((type) => [
    { type: "dns", target, dns_record_type: type, dns_expected: records?.texts(type) },
    types.length > 1 ? ` (${type})` : "",
  ]);
}

function httpOf(
  record: ForeignRecord,
  { type, url }: { type: string; url: string },
  remarks: Remarks,
): ImportedMonitor {
  const method = methodOf(record, type);
  const body = method === "GET" || method === "HEAD" ? undefined : bodyOf(record);
  const headers = { ...body?.headers, ...authorizationOf(record, remarks), ...headersOf(record) };
  const statuses = record.texts("successHttpResponseCodes").map(statusOf);
  // Its defaults are statuses of 2xx and 3xx, of which we follow the latter.
  const isUsual = statuses.length === 0 || statuses.join() === "200-299,300-399";
  return {
    type: url.startsWith("https:") ? "https" : "http",
    target: url,
    ...(method !== "GET" && { http_method: method }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(body && { http_body: body.text }),
    ...(!isUsual && { expected_statuses: statuses }),
    ...(record.flag("followRedirections") === false && { follow_redirects: false }),
    ...(record.flag("checkSSLErrors") === false && { verify_ssl: false }),
    ...(type === "KEYWORD" && keywordOf(record, remarks)),
    ...(type === "API" && assertionsOf(record, remarks)),
  };
}

/** A keyword and a body need a request that is answered with one. */
function methodOf(record: ForeignRecord, type: string): string {
  const text = record.text("httpMethodType") ?? record.text("http_method");
  if (text === undefined) return type === "HTTP" ? "HEAD" : "GET";
  const method = METHODS_OF_V2[Number(text)] ?? text.toUpperCase();
  return method === "HEAD" && type !== "HTTP" ? "GET" : method;
}

const statusOf = (status: string) => (/^[1-5]xx$/i.test(status) ? `${status[0]}00-${status[0]}99` : status);

function bodyOf(record: ForeignRecord): { text: string; headers: Record<string, string> } | undefined {
  const isForm = ["KEY_VALUE", "1"].includes(record.text("postValueType") ?? record.text("post_type") ?? "");
  const value = record.take("postValueData") ?? record.take("post_value");
  record.ignore("post_content_type");
  if (value === undefined || value === null || value === "") return undefined;
  if (isForm && isRecord(value)) {
    const entries = Object.entries(value).map(([key, item]) => [key, String(item)]);
    return {
      text: new URLSearchParams(entries).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    };
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { text, headers: { "Content-Type": "application/json" } };
}

function headersOf(record: ForeignRecord): Record<string, string> {
  return { ...record.dictionary("customHttpHeaders"), ...record.dictionary("custom_http_headers") };
}

function authorizationOf(record: ForeignRecord, remarks: Remarks): Record<string, string> {
  const user = record.text("httpUsername") ?? record.text("http_username");
  const password = record.text("httpPassword") ?? record.text("http_password");
  const type = record.text("authType") ?? record.text("http_auth_type") ?? "HTTP_BASIC";
  if (user === undefined && password === undefined) return {};
  if (type === "HTTP_BASIC" || type === "1") return { Authorization: basicAuthorization(user ?? "", password ?? "") };
  if (type === "BEARER") return { Authorization: `Bearer ${password ?? user}` };
  if (type !== "NONE") remarks.stays(`its authentication by ${type}`);
  return {};
}

/** It alerts where the word is there, or where it is not. */
function keywordOf(record: ForeignRecord, remarks: Remarks): Partial<ImportedMonitor> {
  const type = record.text("keywordType") ?? record.text("keyword_type");
  const isBad = type === "ALERT_EXISTS" || type === "1";
  const isLoose = (record.text("keywordCaseType") ?? record.text("keyword_case_type")) === "1";
  if (isLoose) remarks.changes("letters of its keyword have to be as they are written here");
  return {
    expected_body: record.text("keywordValue") ?? record.text("keyword_value") ?? "",
    ...(isBad && { expected_body_match_type: "not_contains" }),
  };
}

const COMPARISONS: Readonly<Record<string, string>> = {
  equals: "eq",
  not_equals: "neq",
  greater_than: "gt",
  less_than: "lt",
  contains: "contains",
};

function assertionsOf(record: ForeignRecord, remarks: Remarks): Partial<ImportedMonitor> {
  const assertions = record.record("config")?.record("apiAssertions");
  const checks = assertions?.records("checks") ?? [];
  if (checks.length > 1 && assertions?.text("logic")?.toUpperCase() === "OR") {
    remarks.stays("its assertions, of which one is enough");
    for (const check of checks) check.ignoreAll();
    return {};
  }
  assertions?.ignore("logic");
  const found = checks.flatMap((check) => {
    const [path, comparison, target] = [check.text("property"), check.text("comparison"), check.text("target")];
    const operator = COMPARISONS[comparison?.toLowerCase() ?? ""];
    if (path && operator && target !== undefined && /^\$([.[][\w\].-]+)+$/.test(path))
      return [{ path, operator, value: scalarOf(target) }];
    remarks.stays(`its assertion ${path} ${comparison} ${target ?? ""}`);
    return [];
  });
  return found.length > 0 ? { json_assertions: found } : {};
}
