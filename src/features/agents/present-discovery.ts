import type { z } from "zod";
import type { AgentDiscovery } from "../../contract/discovery.ts";
import type { AgentReportRecord } from "../../data/agent-reports/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { type Discovery, watches, watchSettingsOf } from "../../domain/discovery.ts";
import { toIso } from "../../platform/clock.ts";

/** `monitors` are those of the same agent that the caller may see. */
export function presentDiscovery(
  { id, at, data }: AgentReportRecord,
  monitors: readonly MonitorRecord[],
): z.infer<typeof AgentDiscovery> {
  const discovery = discoveryOf(data);
  const settings = watchSettingsOf(discovery);
  return {
    id,
    seen_at: toIso(at),
    kind: discovery.kind,
    name: discovery.name,
    target: discovery.target,
    type: settings.type,
    monitor_id: monitors.find((monitor) => watches(monitor, settings))?.id ?? null,
    details: discovery.details,
  };
}

/** Reports are stored as the agent sent them. */
export function discoveryOf(data: Record<string, unknown>): Discovery {
  return {
    kind: textOf(data.kind),
    name: textOf(data.name),
    target: typeof data.target === "string" ? data.target : null,
    details: data.details ?? null,
  };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");
