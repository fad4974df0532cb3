import { MONITOR_TYPES, type MonitorType } from "../../contract/monitor-values.ts";
import type { Probe } from "../../probes/port.ts";
import { probeFor } from "../../probes/registry.ts";
import { agentDnsProbe } from "./dns.ts";

/** Types that an agent checks in another way than the edge, or alone. */
const AGENT_PROBES: Partial<Record<MonitorType, Probe>> = {
  dns: agentDnsProbe,
};

/** The probe of a type as an agent runs it; null for types whose status comes from elsewhere. */
export function agentProbe(type: MonitorType): Probe | null {
  return AGENT_PROBES[type] ?? probeFor(type);
}

export const AGENT_TYPES: readonly MonitorType[] = MONITOR_TYPES.filter((type) => agentProbe(type) !== null);
