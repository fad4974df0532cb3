import type { z } from "zod";
import type { Agent, AgentDetail, AgentMetrics, AgentPace, InstallToken } from "../../contract/agent.ts";
import type { AgentCommand, AgentCommandStatus } from "../../contract/agent-command.ts";
import type { AgentCommandRecord, AgentReportRecord } from "../../data/agent-reports/read.ts";
import type { AgentRecord } from "../../data/agents/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { statusAt } from "../../domain/agent-status.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import { presentDiscovery } from "./present-discovery.ts";

/** With the newest of the reports about the agent's host, which says how it keeps up. */
export function presentAgent(
  agent: AgentRecord,
  { now, newest }: { now: number; newest: AgentReportRecord | undefined },
): z.infer<typeof Agent> {
  return {
    id: agent.id,
    name: agent.name,
    hostname: agent.hostname,
    status: statusAt(agent, now),
    region: agent.region,
    is_location: agent.is_location,
    own_page_only: agent.own_page_only,
    version: agent.version,
    network: agent.network,
    pace: newest === undefined ? null : presentPace(newest),
    status_page_id: agent.status_page_id,
    last_seen_at: toIsoOrNull(agent.last_seen_at),
    created_at: toIso(agent.created_at),
    updated_at: toIso(agent.updated_at),
  };
}

/** An agent with everything that its page shows. */
export interface AgentView {
  agent: AgentRecord;
  monitors: readonly MonitorRecord[];
  metrics: AgentReportRecord | undefined;
  events: readonly AgentReportRecord[];
  discoveries: readonly AgentReportRecord[];
}

export function presentDetail(view: AgentView, now: number): z.infer<typeof AgentDetail> {
  const { agent } = view;
  return {
    ...presentAgent(agent, { now, newest: view.metrics }),
    os: agent.os,
    arch: agent.arch,
    capabilities: agent.capabilities,
    enrolled_at: toIsoOrNull(agent.enrolled_at),
    monitors: view.monitors.map(({ id, name, type, status }) => ({ id, name, type, status })),
    metrics: view.metrics ? presentMetrics(view.metrics) : null,
    events: view.events.map(({ at, data }) => ({
      at: toIso(at),
      level: textOf(data.level),
      type: textOf(data.type),
      message: textOf(data.message),
      data: data.data ?? null,
    })),
    discoveries: view.discoveries.map((report) => presentDiscovery(report, view.monitors)),
  };
}

function presentPace({ at, data }: AgentReportRecord): z.infer<typeof AgentPace> {
  return {
    measured_at: toIso(at),
    checks_per_minute: numberOf(data.checks_per_minute),
    lateness_ms: numberOf(data.lateness_ms),
    clock_offset_ms: numberOf(data.clock_offset_ms),
  };
}

export function presentMetrics(report: AgentReportRecord): z.infer<typeof AgentMetrics> {
  const { data } = report;
  const { measured_at: collected_at, checks_per_minute, lateness_ms, clock_offset_ms } = presentPace(report);
  return {
    collected_at,
    cpu_percent: numberOf(data.cpu_percent),
    memory_percent: numberOf(data.memory_percent),
    disk_percent: numberOf(data.disk_percent),
    load_1: numberOf(data.load_1),
    uptime_seconds: numberOf(data.uptime_seconds),
    checks_per_minute,
    lateness_ms,
    clock_offset_ms,
    custom: typeof data.custom === "object" && data.custom !== null ? { ...data.custom } : {},
  };
}

export function presentCommand(command: AgentCommandRecord): z.infer<typeof AgentCommand> {
  return { id: command.id, type: command.type, params: command.params };
}

export function presentCommandStatus(command: AgentCommandRecord): z.infer<typeof AgentCommandStatus> {
  return {
    ...presentCommand(command),
    // Who sees the agent need not see the monitor.
    ...(command.type === "confirm" && { params: {} }),
    acknowledged_at: toIsoOrNull(command.acked_at),
    ok: command.ok,
    result: command.type === "confirm" ? null : (command.result ?? null),
    error: command.error,
    created_at: toIso(command.created_at),
    updated_at: toIso(command.acked_at ?? command.created_at),
  };
}

export function presentInstallToken(
  { token, expires_at }: { token: string; expires_at: number },
  publicUrl: string,
): z.infer<typeof InstallToken> {
  return {
    install_token: token,
    expires_at: toIso(expires_at),
    install_command: `curl -fsSL ${publicUrl}/api/uptime/v1/agents/install | VIGIL_INSTALL_TOKEN=${token} sh -s -- --url ${publicUrl}`,
  };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");
const numberOf = (value: unknown) => (typeof value === "number" ? value : null);
