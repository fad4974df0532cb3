import type { ZodType } from "zod";
import {
  ApiCheck,
  KafkaCheck,
  MqttCheck,
  NetworkDeviceCheck,
  PingCheck,
  RabbitmqCheck,
  SnmpCheck,
  UdpCheck,
} from "../contract/infrastructure-check.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import type { Parsed } from "../lib/parse-result.ts";
import type { Probe, ProbeNeed } from "./port.ts";
import { type Credentials, parseServer, type ServerTarget } from "./server-target.ts";
import { type HostPort, parseHostPort } from "./tcp.ts";

/**
 * Types that only an agent runs: how their targets and fields are read. The service and the agent both need that; the
 * checks, and the clients of their protocols, are part of the agent alone.
 */
export type AgentType<Target = unknown, Options = unknown> = Omit<Probe<Target, Options>, "check">;

/** Only the host counts where no port is named. */
const ANY_PORT = 1;

function agentType<Target, Options>(
  type: MonitorType,
  needs: readonly ProbeNeed[],
  about: Pick<AgentType<Target, Options>, "options" | "parseTarget" | "destination">,
): AgentType<Target, Options> {
  return { type, needs, timeout_seconds: 10, ...about };
}

const hostOnly = (type: "icmp" | "ping") =>
  agentType<{ host: string }, PingCheck>(type, ["icmp"], {
    options: PingCheck,
    parseTarget: (text) => parseHost(text, type),
    destination: ({ host }) => ({ host, port: ANY_PORT }),
  });

function parseHost(text: string, scheme: string): Parsed<{ host: string }> {
  const parsed = parseHostPort(text, scheme, ANY_PORT);
  // What begins with a dash would be an option to the program that pings. A port is read over: people paste addresses.
  if (!parsed.ok || parsed.value.host.startsWith("-")) {
    return { ok: false, reason: "must be a host name or an address" };
  }
  return { ok: true, value: { host: parsed.value.host.replace(/^\[|\]$/g, "") } };
}

export const icmpType = hostOnly("icmp");
export const pingType = hostOnly("ping");

export const udpType = agentType<HostPort, UdpCheck>("udp", ["udp"], {
  options: UdpCheck,
  parseTarget: (text) => parseHostPort(text, "udp"),
  destination: (target) => target,
});

/** An API over HTTP, or a unix socket of the agent's host. */
export type ApiTarget =
  | { kind: "url"; url: URL; credentials: Credentials | null }
  | { kind: "socket"; path: string }
  | { kind: "command" };

const isUrl = (target: ApiTarget) => (target.kind === "url" ? target.url : null);

/** Container engines: `unix:///var/run/docker.sock` or the address of an API that is opened to the network. */
function engineType(type: "docker" | "podman" | "docker_swarm"): AgentType<ApiTarget, ApiCheck> {
  return agentType(type, ["http"], {
    options: ApiCheck,
    destination: isUrl,
    parseTarget(text) {
      const path = /^(?:unix:\/\/)?(\/[^\s?#]+)$/.exec(text.trim())?.[1];
      if (path) return { ok: true, value: { kind: "socket", path } };
      const tcp = text.trim().replace(/^tcp:\/\//, "http://");
      const parsed = parseApi(tcp, { schemes: ["http:", "https:"], port: { "http:": "2375", "https:": "2376" } });
      return parsed.ok
        ? parsed
        : { ok: false, reason: "must have the form unix:///path/to/socket or https://host:port" };
    },
  });
}
export const dockerType = engineType("docker");
export const podmanType = engineType("podman");
export const dockerSwarmType = engineType("docker_swarm");

interface ApiKind {
  schemes: readonly string[];
  /** Of an address that names none. */
  port?: Record<string, string>;
}

function parseApi(text: string, kind: ApiKind): Parsed<Extract<ApiTarget, { kind: "url" }>> {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${kind.schemes[0]}//${text}`;
  if (text === "" || /\s/.test(text) || !URL.canParse(address)) return { ok: false, reason: "must be a URL" };
  const url = new URL(address);
  if (!kind.schemes.includes(url.protocol) || url.hostname === "") {
    return { ok: false, reason: `must start with ${kind.schemes.map((scheme) => `${scheme}//`).join(" or ")}` };
  }
  const credentials = credentialsOf(url);
  if (credentials === undefined) return { ok: false, reason: "has a user name or password that is not valid" };
  url.username = "";
  url.password = "";
  const hasPort = /:\d+(?=[/?#]|$)/.test(address.replace(/^[^/]*\/\/([^/?#]*@)?/, ""));
  if (!hasPort) url.port = kind.port?.[url.protocol] ?? "";
  return { ok: true, value: { kind: "url", url, credentials } };
}

function credentialsOf({ username, password }: URL): Credentials | null | undefined {
  if (username === "" && password === "") return null;
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

function apiType<Options>(type: MonitorType, options: ZodType<Options>, kind: ApiKind): AgentType<ApiTarget, Options> {
  return agentType(type, ["http"], {
    options,
    destination: isUrl,
    parseTarget: (text) => parseApi(text.trim(), kind),
  });
}

export const kubernetesType = apiType("kubernetes", ApiCheck, {
  schemes: ["https:", "http:"],
  port: { "https:": "6443" },
});
export const proxmoxType = apiType("proxmox", ApiCheck, { schemes: ["https:", "http:"], port: { "https:": "8006" } });
export const vmwareType = apiType("vmware", ApiCheck, { schemes: ["https:", "http:"] });
/** Management API by http and https, the broker itself by amqp and amqps. */
export const rabbitmqType = apiType<RabbitmqCheck>("rabbitmq", RabbitmqCheck, {
  schemes: ["http:", "https:", "amqp:", "amqps:"],
  port: { "http:": "15672", "https:": "15671", "amqp:": "5672", "amqps:": "5671" },
});

/** The dashboard's API, the Prometheus exporter, or `ceph://local`: the command line of the agent's host. */
export const cephType: AgentType<ApiTarget, ApiCheck> = {
  ...apiType("ceph", ApiCheck, { schemes: ["https:", "http:"], port: { "https:": "8443", "http:": "9283" } }),
  parseTarget(text) {
    if (text.trim() === "ceph://local") return { ok: true, value: { kind: "command" } };
    return parseApi(text.trim(), { schemes: ["https:", "http:"], port: { "https:": "8443", "http:": "9283" } });
  },
};

export interface KafkaTarget {
  brokers: ServerTarget[];
}
const KAFKA = {
  schemes: { kafka: { port: 9092, tls: "off" }, kafkas: { port: 9093, tls: "on" } },
  hasCredentials: true,
} as const;
const BROKERS_MAX = 20;

/** Brokers of one cluster, comma-separated; what the first says of TLS and credentials holds for all. */
export const kafkaType = agentType<KafkaTarget, KafkaCheck>("kafka", ["tcp", "tls"], {
  options: KafkaCheck,
  destination: ({ brokers: [first] }) => (first ? { host: first.host, port: first.port } : null),
  parseTarget(text) {
    const brokers: ServerTarget[] = [];
    for (const part of text.split(",")) {
      const broker = parseServer(part, KAFKA);
      if (!broker.ok) return broker;
      brokers.push(broker.value);
    }
    if (brokers.length > BROKERS_MAX) return { ok: false, reason: `must not name more than ${BROKERS_MAX} brokers` };
    return { ok: true, value: { brokers } };
  },
});

const MQTT = {
  schemes: { mqtt: { port: 1883, tls: "off" }, mqtts: { port: 8883, tls: "on" } },
  hasCredentials: true,
} as const;

export const mqttType = agentType<ServerTarget, MqttCheck>("mqtt", ["tcp", "tls"], {
  options: MqttCheck,
  parseTarget: (text) => parseServer(text, MQTT),
  destination: ({ host, port }) => ({ host, port }),
});

const SNMP = { schemes: { snmp: { port: 161, tls: "off" } }, hasCredentials: true } as const;

/** `community@host`, `:community@host`, or for version 3 `user:password@host` and `user:password:privacy-password@host`. */
function snmpType<Options>(type: "snmp" | "network_device", options: ZodType<Options>) {
  return agentType<ServerTarget, Options>(type, ["udp"], {
    options,
    parseTarget: (text) => parseServer(text, SNMP),
    destination: ({ host, port }) => ({ host, port }),
  });
}
export const snmpAgentType = snmpType("snmp", SnmpCheck);
export const networkDeviceType = snmpType("network_device", NetworkDeviceCheck);
