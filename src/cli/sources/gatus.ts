import { CommandFailure } from "../failure.ts";
import {
  Draft,
  type Imported,
  type ImportedMonitor,
  type ImportOptions,
  INTERVAL,
  pushTokenOf,
  reverseName,
  TIMEOUT,
  within,
} from "./draft.ts";
import { parseForeignYaml } from "./file.ts";
import { addAlerting } from "./gatus-alerting.ts";
import { importConditions } from "./gatus-conditions.ts";
import { intervalOf, nameOf, noteAlerts, readBody, readCommon } from "./gatus-endpoint.ts";
import { addSuite } from "./gatus-suites.ts";
import { milliseconds } from "./go-duration.ts";
import type { ForeignRecord } from "./record.ts";

/**
 * Settings of Gatus 5, from its YAML: endpoints, suites, external endpoints, alerting.
 * https://github.com/TwiN/gatus/blob/master/config/config.go
 */

/** What says how Gatus itself runs. */
const OF_THE_PROGRAM = [
  ...["debug", "metrics", "skip-invalid-config-update", "disable-monitoring-lock", "concurrency", "storage", "web"],
];

export function importGatus(text: string, options: ImportOptions = {}): Imported {
  const root = parseForeignYaml(text, "Gatus");
  const sections = ["endpoints", "external-endpoints", "suites"] as const;
  if (!sections.some((name) => root.records(name).length > 0)) {
    throw new CommandFailure("the file is no configuration of Gatus: it has no endpoints");
  }
  const draft = new Draft(options);
  root.ignore(...OF_THE_PROGRAM);
  const heard = new Map<string, string[]>();
  for (const endpoint of root.records("endpoints")) noteAlerts(heard, endpoint, addEndpoint(draft, endpoint));
  for (const endpoint of root.records("external-endpoints")) noteAlerts(heard, endpoint, addExternal(draft, endpoint));
  for (const suite of root.records("suites")) {
    const key = addSuite(draft, suite);
    for (const record of [suite, ...suite.records("endpoints")]) noteAlerts(heard, record, key);
  }
  const alerting = root.record("alerting");
  for (const type of heard.keys()) {
    if (!alerting?.names().includes(type)) draft.about(`alerting "${type}"`).stays("the file does not configure it");
  }
  if (alerting) addAlerting(draft, alerting, heard);
  return draft.finish(root);
}

function addEndpoint(draft: Draft, record: ForeignRecord): string | null {
  const { name, key } = nameOf(record);
  const remarks = draft.name(record, `endpoint "${name}"`);
  const kind = kindOf(record);
  if (typeof kind === "string") {
    draft.leave(record, `endpoint "${name}"`, kind);
    return null;
  }
  const client = record.record("client");
  const timeout = client?.text("timeout");
  const monitor: ImportedMonitor = {
    ...kind,
    interval: intervalOf(record, "60s", remarks),
    ...(timeout && {
      timeout_seconds: within(milliseconds(timeout) / 1000, TIMEOUT, (to) => remarks.changes(`gives up after ${to} s`)),
    }),
    ...readCommon(record, remarks),
  };
  importConditions(monitor, record.texts("conditions"), remarks);
  return draft.addMonitor(name, monitor, remarks, key);
}

/** The reason where nothing here does what it does. */
function kindOf(record: ForeignRecord): ImportedMonitor | string {
  const url = record.text("url") ?? "";
  const dns = record.record("dns");
  if (dns) {
    const type = dns.text("query-type") ?? "A";
    const name = dns.text("query-name") ?? "";
    const server = url.replace(/^\w+:\/\//, "");
    return {
      type: "dns",
      target: type === "PTR" ? reverseName(name) : name,
      dns_record_type: type,
      ...(server && { dns_server: server }),
    };
  }
  const [, scheme = "", rest = ""] = /^(\w+):\/\/(.*)$/.exec(url) ?? [];
  switch (scheme) {
    case "http":
    case "https":
      return { type: scheme, ...requestOf(record, url), ...readClient(record) };
    case "tcp":
      return { type: "tcp", target: rest };
    case "ssh":
      return sshOf(rest);
    case "tls":
      return { type: "ssl", target: rest };
    case "starttls":
      return { type: "smtp", target: rest, tls_mode: "starttls" };
    case "icmp":
      return { type: "ping", target: rest };
    case "udp":
      return { type: "udp", target: rest };
    default:
      return `nothing here watches ${scheme || url}`;
  }
}

/** Its greeting is enough: nobody logs in. */
function sshOf(address: string): ImportedMonitor {
  const host = address.replace(/\/.*$/, "");
  return { type: "tcp", target: /:\d+$/.test(host) ? host : `${host}:22`, tcp_protocol: "ssh" };
}

function requestOf(record: ForeignRecord, url: string): Partial<ImportedMonitor> {
  const method = (record.text("method") ?? "GET").toUpperCase();
  const { body, headers } = readBody(record);
  return {
    target: url,
    ...(method !== "GET" && { http_method: method }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(body && method !== "GET" && { http_body: body }),
  };
}

function readClient(record: ForeignRecord): Partial<ImportedMonitor> {
  const client = record.record("client");
  return {
    ...(client?.flag("insecure") && { verify_ssl: false }),
    ...(client?.flag("ignore-redirect") && { follow_redirects: false }),
  };
}

function addExternal(draft: Draft, record: ForeignRecord): string | null {
  const { name, key } = nameOf(record);
  const remarks = draft.name(record, `endpoint "${name}"`);
  const every = record.record("heartbeat")?.text("interval");
  if (!every) remarks.changes("it never had to report: a heartbeat is due once a day here");
  const interval = within(milliseconds(every ?? "24h") / 1000, INTERVAL, (to) => {
    remarks.changes(`interval is ${to} s here`);
  });
  const token = record.text("token");
  const path = `${gatusKey(record.text("group") ?? "")}_${gatusKey(name)}/${token}`;
  const sender = pushTokenOf(token === undefined ? undefined : path, remarks);
  return draft.addMonitor(
    name,
    { type: "heartbeat", interval, ...sender, ...readCommon(record, remarks) },
    remarks,
    key,
  );
}

/** As Gatus names an endpoint in the addresses of its external endpoints. */
function gatusKey(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[/_,.#+&\s]/g, "-");
}
