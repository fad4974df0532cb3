import type { ZodType } from "zod";
import type { MonitorType } from "../contract/monitor-values.ts";
import type { Parsed } from "../lib/parse-result.ts";
import { apiOptions } from "./api.ts";
import { dnsProbe } from "./dns.ts";
import { domainProbe } from "./domain.ts";
import { gameServerProbe, gameServerRuns } from "./game-server.ts";
import { heartbeatOptions } from "./heartbeat.ts";
import { httpProbe, httpsProbe } from "./http.ts";
import { imapProbe } from "./imap.ts";
import { mysqlProbe } from "./mysql.ts";
import { pop3Probe } from "./pop3.ts";
import type { Probe } from "./port.ts";
import { postgresProbe } from "./postgres.ts";
import { redisProbe } from "./redis.ts";
import { smtpProbe } from "./smtp.ts";
import { sslProbe } from "./ssl.ts";
import { NO_OPTIONS, tcpProbe } from "./tcp.ts";
import { telnetProbe } from "./telnet.ts";

/**
 * Where results of a type come from: `edge` and `agent` run a probe, `push` is told by the watched thing itself,
 * `computed` follows from other states. An entry without a probe cannot be checked by this program.
 */
export interface ProbeEntry {
  runs: ResultSource;
  probe?: Probe;
  /** How the fields of a type without a probe are read. */
  options?: ZodType;
  /** Where the fields of the type say who runs it. */
  runsWith?(options: unknown): ResultSource;
  /** What a computed status follows from. */
  follows?: "agent" | "members";
}
export type ResultSource = "edge" | "agent" | "push" | "computed";

const REGISTRY = {
  http: { runs: "edge", probe: httpProbe },
  https: { runs: "edge", probe: httpsProbe },
  tcp: { runs: "edge", probe: tcpProbe },
  dns: { runs: "edge", probe: dnsProbe },
  smtp: { runs: "edge", probe: smtpProbe },
  pop3: { runs: "edge", probe: pop3Probe },
  imap: { runs: "edge", probe: imapProbe },
  telnet: { runs: "edge", probe: telnetProbe },
  postgres: { runs: "edge", probe: postgresProbe },
  mysql: { runs: "edge", probe: mysqlProbe },
  redis: { runs: "edge", probe: redisProbe },
  ssl: { runs: "edge", probe: sslProbe },
  domain: { runs: "edge", probe: domainProbe },
  game_server: { runs: "edge", probe: gameServerProbe, runsWith: gameServerRuns },
  icmp: { runs: "agent" },
  ping: { runs: "agent" },
  udp: { runs: "agent" },
  docker: { runs: "agent" },
  podman: { runs: "agent" },
  docker_swarm: { runs: "agent" },
  kubernetes: { runs: "agent" },
  proxmox: { runs: "agent" },
  vmware: { runs: "agent" },
  ceph: { runs: "agent" },
  rabbitmq: { runs: "agent" },
  kafka: { runs: "agent" },
  mqtt: { runs: "agent" },
  snmp: { runs: "agent" },
  network_device: { runs: "agent" },
  heartbeat: { runs: "push", options: heartbeatOptions },
  api: { runs: "push", options: apiOptions },
  agent: { runs: "computed", follows: "agent" },
  composite: { runs: "computed", follows: "members" },
} satisfies Record<MonitorType, ProbeEntry>;

export function probeEntry(type: MonitorType): ProbeEntry {
  return REGISTRY[type];
}

/** The schema of the fields that belong to a type; what it gives is an object of those fields, or null for none. */
export function optionsOf(type: MonitorType): ZodType {
  const entry = probeEntry(type);
  return entry.probe?.options ?? entry.options ?? NO_OPTIONS;
}

/** Who runs a monitor of this type with these fields, as `optionsOf` read them. */
export function resultSourceOf(type: MonitorType, options: unknown): ResultSource {
  const entry = probeEntry(type);
  return entry.runsWith?.(options) ?? entry.runs;
}

/** The probe of a type, or null where this program has none. */
export function probeFor(type: MonitorType): Probe | null {
  return probeEntry(type).probe ?? null;
}

/** The reason why a target does not suit its type, to be put after the word `target`, or the target as it is kept. */
export function parseTarget(type: MonitorType, text: string): Parsed<string> {
  const trimmed = text.trim();
  if (trimmed === "") return { ok: false, reason: "must not be empty" };
  const parsed = probeFor(type)?.parseTarget(trimmed);
  return parsed && !parsed.ok ? parsed : { ok: true, value: trimmed };
}
