import type { AgentDiscoveriesReport } from "../contract/agent.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import { isRecord } from "../lib/is-record.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { engineSockets, findSocket, getFromSocket } from "./container-engine.ts";
import { findCertificateFault } from "./discovery-certificates.ts";
import { type ListeningSocket, listListeningSockets } from "./discovery-sockets.ts";

type Discovery = AgentDiscoveriesReport["discoveries"][number];

const DISCOVERIES_MAX = 100;
const ENGINE_TIMEOUT_MS = 5000;

/** Ports that belong to a protocol of which there is a monitor type; all others can be watched as tcp. */
const TYPES_BY_PORT: Readonly<Record<number, MonitorType>> = {
  21: "tcp",
  22: "tcp",
  23: "telnet",
  25: "smtp",
  80: "http",
  110: "pop3",
  143: "imap",
  161: "snmp",
  443: "https",
  465: "smtp",
  587: "smtp",
  993: "imap",
  995: "pop3",
  1883: "mqtt",
  2375: "docker",
  3306: "mysql",
  5432: "postgres",
  5672: "rabbitmq",
  6379: "redis",
  6443: "kubernetes",
  8006: "proxmox",
  8080: "http",
  8443: "https",
  8883: "mqtt",
  9092: "kafka",
  15672: "rabbitmq",
};
/** Of these the monitor begins with TLS, and so verifies a certificate. */
const TLS_PORTS: ReadonlySet<number> = new Set([443, 465, 993, 995, 6443, 8006, 8443, 8883]);
const CERTIFICATES_AT_ONCE = 8;
const TYPES_OF_UDP: Readonly<Record<number, MonitorType>> = { 161: "snmp" };

/** Services that listen on this host and containers that run on it, as far as this user may see them. */
export async function discover(env: NodeJS.ProcessEnv): Promise<Discovery[]> {
  const services = await discoverServices(listListeningSockets().slice(0, DISCOVERIES_MAX));
  const containers = await discoverContainers(env);
  return [...containers, ...services].slice(0, DISCOVERIES_MAX);
}

export async function discoverServices(sockets: readonly ListeningSocket[]): Promise<Discovery[]> {
  const found = await mapConcurrently(sockets, CERTIFICATES_AT_ONCE, async (socket) => {
    const service = serviceOf(socket);
    if (!service || socket.protocol !== "tcp" || !TLS_PORTS.has(socket.port)) return service;
    const certificate_fault = await findCertificateFault(socket);
    // A monitor that fails from the first check on has no use.
    const details = { ...service.details, verify_ssl: false, certificate_fault };
    return certificate_fault === null ? service : { ...service, details };
  });
  return found.filter((service) => service !== null);
}

/** UDP services that no monitor type knows say nothing when they are asked, so there is nothing to watch. */
function serviceOf({ protocol, host, port, process }: ListeningSocket): Discovery | null {
  const type = protocol === "tcp" ? (TYPES_BY_PORT[port] ?? "tcp") : TYPES_OF_UDP[port];
  if (!type) return null;
  const program = process ?? (type === "tcp" ? "a service" : type);
  const target = type === "http" || type === "https" ? `${type}://${host}:${port}/` : targetOf(type, host, port);
  return {
    kind: "service",
    name: `${program} on ${protocol} port ${port}`,
    target,
    details: { type, protocol, port, process },
  };
}

function targetOf(type: MonitorType, host: string, port: number): string {
  if (type === "kubernetes" || type === "proxmox") return `https://${host}:${port}`;
  if (type === "rabbitmq") return port === 15_672 ? `http://${host}:${port}` : `amqp://${host}:${port}`;
  return `${host}:${port}`;
}

async function discoverContainers(env: NodeJS.ProcessEnv): Promise<Discovery[]> {
  const sockets = engineSockets(env);
  const found = await Promise.all(
    (["docker", "podman"] as const).map(async (type) => {
      const path = findSocket(sockets[type]);
      return path === undefined ? [] : containersOf(type, path);
    }),
  );
  return found.flat();
}

async function containersOf(type: "docker" | "podman", socketPath: string): Promise<Discovery[]> {
  const target = `unix://${socketPath}`;
  try {
    const signal = AbortSignal.timeout(ENGINE_TIMEOUT_MS);
    const { value } = await getFromSocket(socketPath, "/containers/json", signal);
    const containers = Array.isArray(value) ? value.filter(isRecord) : [];
    const engine: Discovery = {
      kind: "engine",
      name: `${type} with ${containers.length} running containers`,
      target,
      details: { type },
    };
    return [engine, ...containers.map((each) => containerOf(type, target, each))];
  } catch {
    return [];
  }
}

function containerOf(type: "docker" | "podman", target: string, container: Record<string, unknown>): Discovery {
  const [first] = Array.isArray(container.Names) ? container.Names : [];
  const name = typeof first === "string" ? first.replace(/^\//, "") : String(container.Id ?? "").slice(0, 12);
  const image = typeof container.Image === "string" ? container.Image : null;
  return { kind: "container", name, target, details: { type, components: [name], image } };
}
