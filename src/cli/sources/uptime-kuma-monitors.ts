import { REDIRECTS_MAX } from "../../contract/http-check.ts";
import { isRecord } from "../../lib/is-record.ts";
import { basicAuthorization, type ImportedMonitor, type Remarks, reverseName, scalarOf } from "./draft.ts";
import type { ForeignRecord } from "./record.ts";

/** Types of monitors of Uptime Kuma 1.23 and 2. https://github.com/louislam/uptime-kuma/tree/master/server/monitor-types */

/** Columns that only these types use; its form fills them in for others, too, where they mean nothing. */
const OF_TYPES: readonly [columns: RegExp, types: readonly string[]][] = [
  [/^url$/, ["http", "keyword", "json-query", "real-browser", "websocket-upgrade"]],
  [
    /^(hostname|port)$/,
    [
      ...["port", "ping", "dns", "mqtt", "steam", "gamedig", "radius", "snmp", "smtp", "tailscale-ping", "globalping"],
      ...["ntp", "sip-options"],
    ],
  ],
  [/^(keyword|invert_keyword)$/, ["keyword", "grpc-keyword"]],
  [
    /^(method|body|headers|http_body_encoding|auth_.*|basic_.*|bearer_token|oauth_.*|tls_.*|maxredirects|cache_bust|accepted_statuscodes_json)$/,
    ["http", "keyword", "json-query", "real-browser", "websocket-upgrade"],
  ],
  [/^ignore_tls$/, ["http", "keyword", "json-query", "redis", "docker"]],
  [/^(proxy_id|save_.*|response_max_length|expiry_notification)$/, ["http", "keyword", "json-query"]],
  [/^retry_only_on_status_code_failure$/, ["json-query"]],
  [/^dns_/, ["dns"]],
  [/^mqtt_/, ["mqtt"]],
  [/^database_/, ["sqlserver", "postgres", "mysql", "mongodb", "redis", "oracledb"]],
  [/^radius_password$/, ["radius", "mysql", "snmp"]],
  [/^radius_/, ["radius"]],
  [/^grpc_/, ["grpc-keyword"]],
  [/^docker_/, ["docker"]],
  [/^(json_path|json_path_operator|expected_value)$/, ["json-query", "snmp", "mqtt", "mongodb"]],
  [/^kafka_/, ["kafka-producer"]],
  [/^rabbitmq_/, ["rabbitmq"]],
  [/^smtp_/, ["smtp"]],
  [/^snmp_/, ["snmp"]],
  [/^(game|gamedig_.*)$/, ["gamedig", "steam"]],
  [/^(ping_.*|packet_size)$/, ["ping", "tailscale-ping", "globalping"]],
  [/^ws_/, ["websocket-upgrade"]],
  [/^(remote_browser|screenshot_delay)$/, ["real-browser"]],
  [/^push_token$/, ["push"]],
  [/^system_service_name$/, ["system-service"]],
  [/^(subtype|location|protocol)$/, ["globalping"]],
  [/^manual_status$/, ["manual"]],
  [/^expected_tls_alert$/, ["port"]],
];

export type Kind = ImportedMonitor | string;

/** The reason where nothing here does what it does. */
export function kindOf(row: ForeignRecord, docker: ReadonlyMap<string, ForeignRecord>, remarks: Remarks): Kind {
  const type = row.text("type") ?? "";
  for (const column of row.names()) {
    const rule = OF_TYPES.find(([columns]) => columns.test(column));
    if (rule && !rule[1].includes(type)) row.ignore(column);
  }
  const host = row.text("hostname") ?? "";
  const port = row.text("port");
  const address = port === undefined ? host : `${host}:${port}`;
  switch (type) {
    case "http":
    case "keyword":
    case "json-query":
      return httpOf(row, type, remarks);
    case "port":
      return { type: "tcp", target: address };
    case "ping":
      return { type: "ping", target: host };
    case "dns":
      return dnsOf(row, host, port, remarks);
    case "push":
      return { type: "heartbeat" };
    case "group":
      return { type: "composite", children: [] };
    case "mysql":
    case "postgres":
    case "redis":
      return databaseOf(row, type, remarks);
    case "mqtt":
      return mqttOf(row, host, port, remarks);
    case "snmp":
      return snmpOf(row, address, remarks);
    case "rabbitmq":
      return rabbitmqOf(row, remarks);
    case "kafka-producer":
      return kafkaOf(row, remarks);
    case "smtp":
      return smtpOf(row, address);
    case "gamedig":
      return gameOf(row, host, port);
    case "docker":
      return dockerOf(row, docker);
    default:
      return `monitors of type ${type} have no counterpart`;
  }
}

/** A column that holds JSON; undefined where it holds none, which is said. */
function jsonOf(row: ForeignRecord, column: string, remarks: Remarks): unknown {
  try {
    return JSON.parse(row.text(column) ?? "null") ?? undefined;
  } catch {
    remarks.stays(`${column}, which is no JSON`);
    return undefined;
  }
}

const CONTENT_TYPES: Record<string, string> = {
  json: "application/json",
  xml: "text/xml; charset=utf-8",
};

function httpOf(row: ForeignRecord, type: string, remarks: Remarks): ImportedMonitor {
  const url = row.text("url") ?? "";
  const method = (row.text("method") ?? "GET").toUpperCase();
  const body = method === "GET" ? undefined : row.text("body");
  const encoding = row.text("http_body_encoding") ?? "json";
  const headers = {
    ...(body && CONTENT_TYPES[encoding] ? { "Content-Type": CONTENT_TYPES[encoding] } : {}),
    ...authorizationOf(row, remarks),
    ...headersOf(row, remarks),
  };
  const statuses = jsonOf(row, "accepted_statuscodes_json", remarks);
  if (statuses !== undefined && !Array.isArray(statuses)) remarks.stays("accepted_statuscodes_json, which is no list");
  const redirects = row.number("maxredirects");
  if (redirects !== undefined && redirects > REDIRECTS_MAX) remarks.changes(`follows ${REDIRECTS_MAX} redirects`);
  return {
    type: url.startsWith("https:") ? "https" : "http",
    target: url,
    ...(method !== "GET" && { http_method: method }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(body && encoding === "form" && { http_body: formLinesOf(body), http_body_type: "form" }),
    ...(body && encoding !== "form" && { http_body: body }),
    ...(Array.isArray(statuses) && { expected_statuses: statuses.map(String) }),
    ...(row.flag("ignore_tls") && { verify_ssl: false }),
    ...(redirects === 0 && { follow_redirects: false }),
    ...(redirects && redirects < REDIRECTS_MAX && { redirects_max: redirects }),
    ...(type === "keyword" && {
      expected_body: row.text("keyword") ?? "",
      ...(row.flag("invert_keyword") && { expected_body_match_type: "not_contains" }),
    }),
    ...(type === "json-query" && jsonAssertionOf(row, remarks)),
  };
}

/** A form is there as the JSON of its fields, or encoded already. */
function formLinesOf(body: string): string {
  const fields = body.trim().startsWith("{") ? jsonFields(body) : [...new URLSearchParams(body)];
  return fields.map(([name, value]) => `${name}=${value}`).join("\n");
}

function jsonFields(body: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(body) as Record<string, unknown>);
  } catch {
    return [...new URLSearchParams(body)];
  }
}

function authorizationOf(row: ForeignRecord, remarks: Remarks): Record<string, string> {
  const method = row.text("auth_method") ?? "null";
  if (method === "basic") {
    return {
      Authorization: basicAuthorization(row.text("basic_auth_user") ?? "", row.text("basic_auth_pass") ?? ""),
    };
  }
  if (method === "bearer") return { Authorization: `Bearer ${row.text("bearer_token") ?? ""}` };
  const user = row.text("basic_auth_user");
  if (method === "null" && user !== undefined) {
    return { Authorization: basicAuthorization(user, row.text("basic_auth_pass") ?? "") };
  }
  if (method !== "null") remarks.stays(`its authentication by ${method}`);
  return {};
}

function headersOf(row: ForeignRecord, remarks: Remarks): Record<string, string> {
  const headers = jsonOf(row, "headers", remarks);
  if (headers === undefined) return {};
  if (isRecord(headers))
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  remarks.stays("headers, which are no object");
  return {};
}

const OPERATORS: Record<string, string> = { "==": "eq", "!=": "neq", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte" };

function operatorOf(row: ForeignRecord): string | undefined {
  const sign = row.text("json_path_operator") ?? "==";
  return sign === "contains" ? "contains" : OPERATORS[sign];
}

/** JSONata is a language; a plain path of it reads the same here. */
function jsonAssertionOf(row: ForeignRecord, remarks: Remarks): object {
  const query = row.text("json_path") ?? "$";
  const path = query.replace(/^\$\.?/, "");
  const operator = operatorOf(row);
  const value = row.text("expected_value") ?? "";
  if (!/^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*|\[\d+\])*$/.test(path) || !operator) {
    remarks.stays(
      `its JSON query "${query}" ${row.text("json_path_operator") ?? "=="} "${value}": only that it answers`,
    );
    return {};
  }
  return { json_assertions: [{ path: `$.${path}`, operator, value: scalarOf(value) }] };
}

function dnsOf(row: ForeignRecord, host: string, port: string | undefined, remarks: Remarks): ImportedMonitor {
  const record = row.text("dns_resolve_type") ?? "A";
  const [server, ...further] = (row.text("dns_resolve_server") ?? "").split(",").map((each) => each.trim());
  if (further.length > 0) remarks.stays(`the name servers after the first: ${further.join(", ")}`);
  // The answer that it saw last.
  row.ignore("dns_last_result");
  return {
    type: "dns",
    target: record === "PTR" ? reverseName(host) : host,
    dns_record_type: record,
    ...(server && { dns_server: port === undefined || port === "53" ? server : `${bracketed(server)}:${port}` }),
    ...recordsOf(row, record, remarks),
  };
}

const bracketed = (host: string) => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);

/** Types whose records read the same in both tools. */
const PLAIN_RECORDS = ["A", "AAAA", "CNAME", "NS", "PTR", "TXT"];

/** Alternatives of one record are what `any` says; its other conditions have no place. */
function recordsOf(row: ForeignRecord, record: string, remarks: Remarks): object {
  const text = row.text("conditions");
  if (text === undefined) return {};
  const conditions = jsonOf(row, "conditions", remarks);
  const values = Array.isArray(conditions)
    ? conditions.map((condition, n) => {
        const { type, variable, operator, value, andOr } = isRecord(condition) ? condition : {};
        const isPlain = type === "expression" && variable === "record" && operator === "equals";
        return isPlain && (n === 0 || andOr === "or") && typeof value === "string" ? value : null;
      })
    : [null];
  if (values.includes(null) || !PLAIN_RECORDS.includes(record)) {
    remarks.stays(`its conditions: ${text}`);
    return {};
  }
  return { dns_expected: values, ...(values.length > 1 && { dns_match_type: "any" }) };
}

function databaseOf(row: ForeignRecord, type: "mysql" | "postgres" | "redis", remarks: Remarks): Kind {
  const target = row.text("database_connection_string") ?? "";
  if (!URL.canParse(target)) return "its connection string is no URL";
  const url = new URL(target);
  const password = type === "mysql" ? row.text("radius_password") : undefined;
  if (password !== undefined) url.password = encodeURIComponent(password);
  if (row.text("database_query") !== undefined) remarks.stays("its query: only that the server lets it in");
  const dropped = [...url.searchParams.keys()].filter((name) => type !== "postgres" || name !== "sslmode");
  for (const name of dropped) url.searchParams.delete(name);
  if (dropped.length > 0) remarks.stays(`parameters of its connection: ${dropped.join(", ")}`);
  const isChanged = password !== undefined || dropped.length > 0;
  return {
    type,
    target: isChanged ? url.href : target,
    ...(row.flag("ignore_tls") && { verify_ssl: false }),
  };
}

function userinfo(user: string | undefined, password: string | undefined): string {
  if (user === undefined && password === undefined) return "";
  const secret = password === undefined ? "" : `:${encodeURIComponent(password)}`;
  return `${encodeURIComponent(user ?? "")}${secret}@`;
}

function mqttOf(row: ForeignRecord, host: string, port: string | undefined, remarks: Remarks): Kind {
  const [, scheme = "mqtt", name = ""] = /^(?:(\w+):\/\/)?(.*)$/.exec(host) ?? [];
  if (scheme !== "mqtt" && scheme !== "mqtts") return `nothing here speaks MQTT over ${scheme}`;
  const topic = row.text("mqtt_topic");
  const [type, message] = [row.text("mqtt_check_type"), row.text("mqtt_success_message")];
  if (message !== undefined) remarks.stays(`the message "${message}": only that one arrives`);
  if (type === "json-query")
    remarks.stays(`its JSON query "${row.text("json_path")}" == "${row.text("expected_value")}"`);
  else row.ignore("json_path", "json_path_operator", "expected_value");
  const login = userinfo(row.text("mqtt_username"), row.text("mqtt_password"));
  return {
    type: "mqtt",
    target: `${scheme}://${login}${name}${port === undefined ? "" : `:${port}`}`,
    ...(topic && { mqtt_topic: topic }),
  };
}

function snmpOf(row: ForeignRecord, address: string, remarks: Remarks): ImportedMonitor {
  const version = row.text("snmp_version") ?? "2c";
  const login = version === "3" ? row.text("snmp_v3_username") : row.text("radius_password");
  const oid = row.text("snmp_oid");
  const operator = operatorOf(row);
  const [path, value] = [row.text("json_path") ?? "$", row.text("expected_value")];
  const isPlain = path === "$" && operator !== undefined && value !== undefined;
  if (value !== undefined && !isPlain) remarks.stays(`its JSON query "${path}" of the value "${value}"`);
  return {
    type: "snmp",
    target: `${login === undefined ? "" : `${encodeURIComponent(login)}@`}${address}`,
    snmp_version: version,
    ...(oid && { snmp_oid: oid }),
    ...(isPlain && { snmp_operator: operator, snmp_value: value }),
  };
}

function rabbitmqOf(row: ForeignRecord, remarks: Remarks): Kind {
  const nodes = jsonOf(row, "rabbitmq_nodes", remarks);
  const [first, ...further] = Array.isArray(nodes) ? nodes.map(String) : [];
  if (first === undefined || !URL.canParse(first)) return "it names no node";
  // An address may hold a password.
  const hosts = further.map((node) => URL.parse(node)?.host ?? "one that is no URL");
  if (hosts.length > 0) remarks.stays(`its further nodes, of which one had to answer: ${hosts.join(", ")}`);
  const url = new URL(first);
  url.username = encodeURIComponent(row.text("rabbitmq_username") ?? "");
  url.password = encodeURIComponent(row.text("rabbitmq_password") ?? "");
  return { type: "rabbitmq", target: url.href };
}

function kafkaOf(row: ForeignRecord, remarks: Remarks): Kind {
  const brokers = jsonOf(row, "kafka_producer_brokers", remarks);
  if (!Array.isArray(brokers) || brokers.length === 0) return "it names no broker";
  const sasl = jsonOf(row, "kafka_producer_sasl_options", remarks);
  const options = isRecord(sasl) ? sasl : {};
  const mechanism = String(options.mechanism ?? "None").toLowerCase();
  const isKnown = ["plain", "scram-sha-256", "scram-sha-512"].includes(mechanism);
  if (!isKnown && mechanism !== "none") remarks.stays(`its authentication by ${mechanism}`);
  const login = isKnown ? userinfo(String(options.username ?? ""), String(options.password ?? "")) : "";
  const scheme = row.flag("kafka_producer_ssl") ? "kafkas" : "kafka";
  const topic = row.text("kafka_producer_topic");
  const message = row.text("kafka_producer_message");
  if (message !== undefined) remarks.changes(`no message is sent: its topic is looked at`);
  row.ignore("kafka_producer_allow_auto_topic_creation");
  return {
    type: "kafka",
    target: brokers.map((broker, n) => `${scheme}://${n === 0 ? login : ""}${broker}`).join(","),
    ...(topic && { components: [topic] }),
    ...(isKnown && mechanism !== "plain" && { kafka_sasl_mechanism: mechanism }),
  };
}

const SMTP_MODES: Record<string, string> = { secure: "on", starttls: "starttls", nostarttls: "off" };

function smtpOf(row: ForeignRecord, address: string): ImportedMonitor {
  const mode = SMTP_MODES[row.text("smtp_security") ?? ""];
  return { type: "smtp", target: address, ...(mode && { tls_mode: mode }) };
}

/** By the names of GameDig 4 and 5. */
const GAMES: Record<string, string> = {
  minecraft: "minecraft",
  minecraftping: "minecraft",
  rust: "rust",
  counterstrike2: "cs2",
  cs2: "cs2",
  arkse: "ark",
  ase: "ark",
  asa: "ark",
  valheim: "valheim",
  fivem: "fivem",
  gta5f: "fivem",
};

function gameOf(row: ForeignRecord, host: string, port: string | undefined): Kind {
  const name = row.text("game") ?? "";
  const game = Object.hasOwn(GAMES, name) ? GAMES[name] : undefined;
  if (game === undefined) return `the game ${name} cannot be queried here`;
  row.ignore("gamedig_given_port_only");
  return { type: "game_server", game_type: game, target: port === undefined ? host : `${host}:${port}` };
}

function dockerOf(row: ForeignRecord, hosts: ReadonlyMap<string, ForeignRecord>): Kind {
  const host = hosts.get(row.text("docker_host") ?? "");
  const daemon = host?.text("docker_daemon");
  const container = row.text("docker_container");
  if (!daemon || !container) return "its Docker host is not among the settings";
  const isSocket = host?.text("docker_type") === "socket";
  return { type: "docker", target: isSocket ? `unix://${daemon}` : daemon, components: [container] };
}
