import { MONITOR_TYPES, type MonitorType } from "../../contract/monitor-values.ts";
import type { Probe } from "../../probes/port.ts";
import { type AgentOnlyType, probeFor } from "../../probes/registry.ts";
import { cephProbe } from "./ceph.ts";
import { agentDnsProbe } from "./dns.ts";
import { dockerSwarmProbe } from "./docker-swarm.ts";
import { dockerProbe, podmanProbe } from "./engine.ts";
import { agentGameServerProbe } from "./game-server.ts";
import { kafkaProbe } from "./kafka.ts";
import { kubernetesProbe } from "./kubernetes.ts";
import { mqttProbe } from "./mqtt.ts";
import { networkDeviceProbe } from "./network-device.ts";
import { icmpProbe, pingProbe } from "./ping.ts";
import { proxmoxProbe } from "./proxmox.ts";
import { rabbitmqProbe } from "./rabbitmq.ts";
import { snmpProbe } from "./snmp.ts";
import { udpProbe } from "./udp.ts";
import { vmwareProbe } from "./vmware.ts";

/** Types that an agent checks in another way than the edge, or alone: a type of the latter without a probe does not compile. */
const AGENT_PROBES = {
  dns: agentDnsProbe,
  game_server: agentGameServerProbe,
  icmp: icmpProbe,
  ping: pingProbe,
  udp: udpProbe,
  docker: dockerProbe,
  podman: podmanProbe,
  docker_swarm: dockerSwarmProbe,
  kubernetes: kubernetesProbe,
  proxmox: proxmoxProbe,
  vmware: vmwareProbe,
  ceph: cephProbe,
  rabbitmq: rabbitmqProbe,
  kafka: kafkaProbe,
  mqtt: mqttProbe,
  snmp: snmpProbe,
  network_device: networkDeviceProbe,
} satisfies Partial<Record<MonitorType, Probe>> & Record<AgentOnlyType, Probe>;

/** The probe of a type as an agent runs it; null for types whose status comes from elsewhere. */
export function agentProbe(type: MonitorType): Probe | null {
  const probes: Partial<Record<MonitorType, Probe>> = AGENT_PROBES;
  return probes[type] ?? probeFor(type);
}

export const AGENT_TYPES: readonly MonitorType[] = MONITOR_TYPES.filter((type) => agentProbe(type) !== null);
