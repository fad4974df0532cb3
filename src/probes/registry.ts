import { ZodObject, ZodPipe, type ZodType } from "zod";
import { CheckRules } from "../contract/check-rules.ts";
import { MONITOR_TYPES, type MonitorType } from "../contract/monitor-values.ts";
import type { Plan } from "../contract/plan.ts";
import { includesPlan } from "../domain/plans.ts";
import { isRecord } from "../lib/is-record.ts";
import type { Parsed } from "../lib/parse-result.ts";
import {
  type AgentType,
  cephType,
  dockerSwarmType,
  dockerType,
  icmpType,
  kafkaType,
  kubernetesType,
  mqttType,
  networkDeviceType,
  pingType,
  podmanType,
  proxmoxType,
  rabbitmqType,
  snmpAgentType,
  udpType,
  vmwareType,
} from "./agent-types.ts";
import { apiType } from "./api.ts";
import { compositeType } from "./composite.ts";
import { dnsProbe } from "./dns.ts";
import { domainProbe } from "./domain.ts";
import { gameServerType } from "./game-server.ts";
import { heartbeatType } from "./heartbeat.ts";
import { httpProbe, httpsProbe } from "./http.ts";
import { imapProbe } from "./imap.ts";
import { mysqlProbe } from "./mysql.ts";
import { pop3Probe } from "./pop3.ts";
import type { MonitorTypeEntry, Probe, ResultSource } from "./port.ts";
import { postgresProbe } from "./postgres.ts";
import { redisProbe } from "./redis.ts";
import { smtpProbe } from "./smtp.ts";
import { sslProbe } from "./ssl.ts";
import { NO_OPTIONS, tcpProbe } from "./tcp.ts";
import { telnetProbe } from "./telnet.ts";

/** What callers of the registry name. */
export type { PushEntry, ResultSource } from "./port.ts";

const edge = (label: string, plan: Plan, probe: Probe): MonitorTypeEntry => ({
  label,
  source: "edge",
  plan,
  options: probe.options,
  probe,
});
/** Its probe needs what the edge does not have. */
const agent = (label: string, plan: Plan, type: AgentType): MonitorTypeEntry & { source: "agent" } => ({
  label,
  source: "agent",
  plan,
  options: type.options,
  targets: type,
});

/** One line per monitor type: its name for people, where its results come from, the smallest plan that includes it, its code. */
const REGISTRY = {
  http: edge("HTTP", "free", httpProbe),
  https: edge("HTTPS", "free", httpsProbe),
  tcp: edge("TCP port", "free", tcpProbe),
  dns: edge("DNS", "free", dnsProbe),
  ssl: edge("Certificate", "free", sslProbe),
  smtp: edge("SMTP", "starter", smtpProbe),
  pop3: edge("POP3", "starter", pop3Probe),
  imap: edge("IMAP", "starter", imapProbe),
  telnet: edge("Telnet", "starter", telnetProbe),
  domain: edge("Domain registration", "starter", domainProbe),
  postgres: edge("PostgreSQL", "pro", postgresProbe),
  mysql: edge("MySQL", "pro", mysqlProbe),
  redis: edge("Redis", "pro", redisProbe),
  icmp: agent("ICMP", "free", icmpType),
  ping: agent("Ping", "free", pingType),
  udp: agent("UDP", "starter", udpType),
  docker: agent("Docker", "pro", dockerType),
  podman: agent("Podman", "pro", podmanType),
  docker_swarm: agent("Docker Swarm", "pro", dockerSwarmType),
  kubernetes: agent("Kubernetes", "pro", kubernetesType),
  proxmox: agent("Proxmox", "pro", proxmoxType),
  vmware: agent("VMware", "pro", vmwareType),
  ceph: agent("Ceph", "pro", cephType),
  rabbitmq: agent("RabbitMQ", "pro", rabbitmqType),
  kafka: agent("Kafka", "pro", kafkaType),
  mqtt: agent("MQTT", "pro", mqttType),
  snmp: agent("SNMP", "pro", snmpAgentType),
  network_device: agent("Network device", "pro", networkDeviceType),
  heartbeat: heartbeatType,
  api: apiType,
  game_server: gameServerType,
  agent: { label: "Agent", source: "computed", follows: "agent", plan: "pro", options: NO_OPTIONS },
  composite: compositeType,
} satisfies Record<MonitorType, MonitorTypeEntry>;

/** What an agent alone can check. */
export type AgentOnlyType = {
  [Type in MonitorType]: (typeof REGISTRY)[Type] extends { source: "agent" } ? Type : never;
}[MonitorType];

export function monitorType(type: MonitorType): MonitorTypeEntry {
  return REGISTRY[type];
}

export function listTypesOf(plan: Plan): MonitorType[] {
  return MONITOR_TYPES.filter((type) => includesPlan(plan, monitorType(type).plan));
}

/** The source of a monitor of this type with these fields, as the type's `options` parsed them. */
export function resultSourceOf(type: MonitorType, options: unknown): ResultSource {
  const entry = monitorType(type);
  return entry.sourceOf?.(options) ?? entry.source;
}

/** The probe of a type, or null where this program has none. */
export function probeFor(type: MonitorType): Probe | null {
  return monitorType(type).probe ?? null;
}

/** Whether a check of ours with these fields, as the type's `options` parsed them, computes a TLS handshake. */
export function handshakesItself(type: MonitorType, options: unknown): boolean {
  const { verify_ssl, tls_mode }: { verify_ssl?: unknown; tls_mode?: unknown } = isRecord(options) ? options : {};
  const needs = probeFor(type)?.needs ?? [];
  return verify_ssl === false || (needs.includes("tls") && tls_mode !== "off");
}

/** How targets of a type are read; undefined for types without targets. */
export function targetsOf(type: MonitorType): Pick<Probe, "parseTarget" | "destination"> | undefined {
  const { probe, targets } = monitorType(type);
  return probe ?? targets;
}

/** Whether results of this source are those of checks, to which the rules of checks apply. */
export function isChecked(source: ResultSource): boolean {
  return source === "edge" || source === "agent";
}

/** The names of a type's own fields, as a request body carries them. */
export function fieldNamesOf(type: MonitorType): string[] {
  const { source, options } = monitorType(type);
  return Object.keys({ ...inputFieldsOf(options), ...(isChecked(source) && inputFieldsOf(CheckRules)) });
}

/** The fields of all types by name, as a request body carries them: without defaults. */
export const TYPE_FIELDS: Readonly<Record<string, ZodType>> = Object.fromEntries([
  ...Object.values<MonitorTypeEntry>(REGISTRY).flatMap(({ options }) => Object.entries(inputFieldsOf(options))),
  ...Object.entries(inputFieldsOf(CheckRules)),
]);

function inputFieldsOf(options: ZodType): Record<string, ZodType> {
  const object = options instanceof ZodPipe ? options.in : options;
  if (!(object instanceof ZodObject)) return {};
  // Every schema of ours is one of Zod's classes; the library's types also allow its core ones.
  const fields = Object.entries(object.shape as Record<string, ZodType>);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, field instanceof ZodPipe ? (field.in as ZodType) : field]),
  );
}

/** The reason why a target does not suit its type, to be put after the word `target`, or the target as it is kept. */
export function parseTarget(type: MonitorType, text: string): Parsed<string> {
  const trimmed = text.trim();
  if (trimmed === "") return { ok: false, reason: "must not be empty" };
  const parsed = targetsOf(type)?.parseTarget(trimmed);
  return parsed && !parsed.ok ? parsed : { ok: true, value: trimmed };
}
