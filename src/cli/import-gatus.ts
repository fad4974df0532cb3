import { parse } from "yaml";
import { z } from "zod";
import { keyFrom } from "./export.ts";
import { CommandFailure } from "./failure.ts";
import { freeKey, type Imported, type ImportedMonitor, pushTokenOf, scalarOf, within } from "./import-result.ts";

/** Settings of Gatus, from its YAML: endpoints, their conditions, and external endpoints. */

const Endpoint = z.looseObject({
  name: z.string(),
  group: z.string().optional(),
  enabled: z.boolean().default(true),
  url: z.string(),
  method: z.string().default("GET"),
  body: z.string().optional(),
  headers: z.record(z.string(), z.coerce.string()).optional(),
  interval: z.string().default("60s"),
  conditions: z.array(z.string()).default([]),
  dns: z.object({ "query-name": z.string(), "query-type": z.string() }).optional(),
  client: z
    .looseObject({
      insecure: z.boolean().default(false),
      "ignore-redirect": z.boolean().default(false),
      timeout: z.string().optional(),
    })
    .optional(),
  alerts: z
    .array(z.looseObject({ "failure-threshold": z.int().optional(), "success-threshold": z.int().optional() }))
    .default([]),
});
type Endpoint = z.infer<typeof Endpoint>;

const ExternalEndpoint = z.looseObject({
  name: z.string(),
  token: z.string(),
  group: z.string().optional(),
  enabled: z.boolean().default(true),
  heartbeat: z.looseObject({ interval: z.string().optional() }).optional(),
});

const Settings = z.looseObject({
  endpoints: z.array(Endpoint).default([]),
  "external-endpoints": z.array(ExternalEndpoint).default([]),
});

type Remark = (reason: string) => void;
const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const PARTS_LEFT = ["alerting", "maintenance", "suites", "announcements", "security"];

export function importGatus(text: string): Imported {
  const parsed = Settings.safeParse(readYaml(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new CommandFailure(`the file is no configuration of Gatus: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const monitors: Imported["manifest"]["monitors"] = {};
  const left: Imported["left"] = [];
  const add = (name: string, group: string | undefined, monitor: ImportedMonitor | null) => {
    if (!monitor) return;
    const key = freeKey(monitors, keyFrom(group ? `${group}.${name}` : name));
    monitors[key] = { ...monitor, name, ...(group && { tags: [group] }) };
  };
  for (const endpoint of parsed.data.endpoints) {
    const remark = (reason: string) => void left.push({ subject: `endpoint "${endpoint.name}"`, reason });
    add(endpoint.name, endpoint.group, convertEndpoint(endpoint, remark));
  }
  for (const { name, group, token, enabled, heartbeat } of parsed.data["external-endpoints"]) {
    const remark = (reason: string) => void left.push({ subject: `endpoint "${name}"`, reason });
    const interval = within(milliseconds(heartbeat?.interval ?? "24h") / 1000, [10, 86_400], () => {});
    const sender = pushTokenOf(`${gatusKey(group ?? "")}_${gatusKey(name)}/${token}`, remark);
    add(name, group, { type: "heartbeat", interval, ...sender, ...(!enabled && { paused: true }) });
  }
  for (const part of PARTS_LEFT.filter((name) => Object.hasOwn(parsed.data, name))) {
    left.push({ subject: part, reason: "has to be set up anew" });
  }
  return { manifest: { version: 1, status_pages: {}, groups: {}, monitors, webhooks: {} }, left };
}

/** As Gatus names an endpoint in the addresses of its external endpoints. */
function gatusKey(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[/_,.#+&\s]/g, "-");
}

function readYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
    throw new CommandFailure(`the file is no YAML that can be read: ${reason}`);
  }
}

function convertEndpoint(endpoint: Endpoint, remark: Remark): ImportedMonitor | null {
  const kind = kindOf(endpoint, remark);
  if (!kind) return null;
  const { alerts, client, enabled } = endpoint;
  const monitor: ImportedMonitor = {
    ...kind,
    interval: within(milliseconds(endpoint.interval) / 1000, [10, 86_400], (to) => remark(`interval is ${to} s here`)),
    ...(client?.timeout && { timeout_seconds: within(milliseconds(client.timeout) / 1000, [1, 30], () => {}) }),
    ...thresholds(alerts),
    ...(!enabled && { paused: true }),
  };
  for (const condition of endpoint.conditions) {
    if (!importCondition(monitor, condition)) remark(`its condition "${condition}" is not taken`);
  }
  return monitor;
}

function thresholds([alert]: Endpoint["alerts"]): object {
  const [failures, successes] = [alert?.["failure-threshold"], alert?.["success-threshold"]];
  return {
    ...(failures && { failure_threshold: within(failures, [1, 20], () => {}) }),
    ...(successes && { recovery_threshold: within(successes, [1, 20], () => {}) }),
  };
}

function kindOf(endpoint: Endpoint, remark: Remark): ImportedMonitor | null {
  const { url, dns, method, headers, body, client } = endpoint;
  if (dns) {
    const server = url.replace(/^\w+:\/\//, "");
    return { type: "dns", target: dns["query-name"], dns_record_type: dns["query-type"], dns_server: server };
  }
  const [, scheme = "", rest = ""] = /^(\w+):\/\/(.*)$/.exec(url) ?? [];
  if (scheme === "tcp") return { type: "tcp", target: rest };
  if (scheme === "tls") return { type: "ssl", target: rest };
  if (scheme !== "http" && scheme !== "https") {
    const reason = scheme === "icmp" ? "ping needs an agent: add it with agent_id" : `nothing here watches ${scheme}`;
    remark(reason);
    return null;
  }
  return {
    type: scheme,
    target: url,
    ...(method !== "GET" && { http_method: method }),
    ...(headers && { http_headers: headers }),
    ...(body && method !== "GET" ? { http_body: body } : {}),
    ...(client?.insecure && { verify_ssl: false }),
    ...(client?.["ignore-redirect"] && { follow_redirects: false }),
  };
}

const CONDITION = /^(\[[A-Z_]+\]\S*|len\(.*?\)|has\(.*?\))\s*(==|!=|<=|>=|<|>)\s*(.+)$/;
/** True of every monitor that is up. */
const IMPLIED = new Set(["[CONNECTED] == true", "[DNS_RCODE] == NOERROR"]);

/** Adds a condition to the monitor; false where the monitor cannot express it. */
function importCondition(monitor: ImportedMonitor, condition: string): boolean {
  if (IMPLIED.has(condition.trim())) return true;
  const [, subject = "", operator = "", value = ""] = CONDITION.exec(condition.trim()) ?? [];
  if (subject === "[STATUS]") return importStatus(monitor, operator, value);
  if (subject === "[RESPONSE_TIME]" && operator.startsWith("<") && /^\d+(ms|s)?$/.test(value)) {
    monitor.latency_threshold_ms = milliseconds(/\d$/.test(value) ? `${value}ms` : value);
    return true;
  }
  const isWeb = monitor.type === "http" || monitor.type === "https";
  if (subject === "[CERTIFICATE_EXPIRATION]" && operator.startsWith(">") && isWeb && milliseconds(value) > 0) {
    monitor.certificate_days_min = within(Math.ceil(milliseconds(value) / 86_400_000), [1, 365], () => {});
    return true;
  }
  if (subject === "[BODY]" && operator === "==") return importBody(monitor, value);
  const [, path] = /^\[BODY\]\.([\w-]+(?:\.[\w-]+|\[\d+\])*)$/.exec(subject) ?? [];
  if (path === undefined || /^(pat|any)\(/.test(value)) return false;
  const assertion = { path: `$.${path}`, operator, value: scalarOf(value) };
  monitor.json_assertions = [...((monitor.json_assertions as object[] | undefined) ?? []), assertion];
  return true;
}

function importStatus(monitor: ImportedMonitor, operator: string, value: string): boolean {
  const listed = /^any\((.*)\)$/.exec(value)?.[1]?.split(",") ?? [value];
  const statuses = listed.map((status) => Number(status.trim()));
  const [status = Number.NaN] = statuses;
  if (statuses.some((code) => !Number.isInteger(code))) return false;
  const range = { "<": `100-${status - 1}`, "<=": `100-${status}`, ">": `${status + 1}-599`, ">=": `${status}-599` };
  if (operator === "==") monitor.expected_statuses = statuses;
  else if (operator in range) monitor.expected_statuses = [range[operator as keyof typeof range]];
  else return false;
  return true;
}

function importBody(monitor: ImportedMonitor, value: string): boolean {
  if (monitor.type === "dns") {
    monitor.dns_expected = [value];
    return true;
  }
  const [, pattern] = /^pat\((.*)\)$/.exec(value) ?? [];
  if (pattern === undefined) {
    if (value.startsWith("any(")) return false;
    Object.assign(monitor, { expected_body: value, expected_body_match_type: "exact" });
    return true;
  }
  const [, inner] = /^\*([^*]+)\*$/.exec(pattern) ?? [];
  if (inner === undefined) return false;
  monitor.expected_body = inner;
  return true;
}

/** Durations as Go writes them. */
function milliseconds(duration: string): number {
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, count, unit = "s"]) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
}
