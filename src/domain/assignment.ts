import type { AgentAssignment } from "../contract/agent.ts";
import { isVotedOn, type Location } from "../contract/location.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import { agentPhaseOf, retryIntervalMs } from "./check-schedule.ts";

interface Assigned {
  id: string;
  name: string;
  type: MonitorType;
  agent_id: string | null;
  locations: readonly Location[];
  interval: number;
  timeout_seconds: number;
  retry_interval: number | null;
  failure_threshold: number;
  recovery_threshold: number;
  latency_threshold_ms: number | null;
  config_version: number;
  check_group_id: string;
}

interface Opened {
  target: string;
  fields: Record<string, unknown>;
  secrets?: AgentAssignment["secrets"];
}

/** A monitor as an agent gets it, with its target and fields as its probe needs them. */
export function describeAssignment(monitor: Assigned, { target, fields, secrets }: Opened): AgentAssignment {
  return {
    id: monitor.id,
    name: monitor.name,
    type: monitor.type,
    target,
    interval: monitor.interval,
    timeout_seconds: monitor.timeout_seconds,
    retry_interval: retryIntervalMs(monitor.interval, monitor.retry_interval) / 1000,
    failure_threshold: monitor.failure_threshold,
    recovery_threshold: monitor.recovery_threshold,
    latency_threshold_ms: monitor.latency_threshold_ms,
    options: fields,
    ...(secrets && { secrets }),
    config_version: monitor.config_version,
    ...(isVotedOn(monitor) && { is_location: true, slot_phase_ms: agentPhaseOf(monitor) }),
  };
}
