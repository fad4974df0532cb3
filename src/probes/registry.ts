import type { MonitorType } from "../contract/monitor-values.ts";
import type { Parsed } from "../kit/parsed.ts";
import { httpProbe, httpsProbe } from "./http.ts";
import type { Probe } from "./port.ts";
import { tcpProbe } from "./tcp.ts";

/**
 * Where results of a type come from: `edge` and `agent` run a probe, `push` is told by the watched thing itself,
 * `computed` follows from other states. An entry without a probe cannot be checked by this program.
 */
export interface ProbeEntry {
  runs: "edge" | "agent" | "push" | "computed";
  probe?: Probe;
}

const REGISTRY = {
  http: { runs: "edge", probe: httpProbe },
  https: { runs: "edge", probe: httpsProbe },
  tcp: { runs: "edge", probe: tcpProbe },
  dns: { runs: "edge" },
  smtp: { runs: "edge" },
  pop3: { runs: "edge" },
  imap: { runs: "edge" },
  telnet: { runs: "edge" },
  postgres: { runs: "edge" },
  mysql: { runs: "edge" },
  redis: { runs: "edge" },
  ssl: { runs: "edge" },
  domain: { runs: "edge" },
  game_server: { runs: "edge" },
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
  heartbeat: { runs: "push" },
  api: { runs: "push" },
  agent: { runs: "computed" },
  composite: { runs: "computed" },
} satisfies Record<MonitorType, ProbeEntry>;

export function probeEntry(type: MonitorType): ProbeEntry {
  return REGISTRY[type];
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
