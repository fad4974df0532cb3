import type { ProbeResult } from "../contract/check.ts";
import { MONITOR_TYPES, type MonitorType } from "../contract/monitor-values.ts";
import { runProbe } from "../probes/run.ts";
import { createNodeIo } from "./node-io.ts";
import { AGENT_TYPES, agentProbe } from "./probes/registry.ts";

/** One check for a person at the machine: `check redis 127.0.0.1:6379 --option tls_mode=on`. Throws when it is not understood. */
export async function checkOnce(operands: readonly string[], options: readonly string[]): Promise<ProbeResult> {
  const [type = "", target] = operands;
  const probe = isMonitorType(type) ? agentProbe(type) : null;
  if (!probe) throw new Error(`type must be one of ${AGENT_TYPES.join(", ")}`);
  if (target === undefined) throw new Error("check needs a type and a target");
  const fields = Object.fromEntries(options.map(parseOption));
  return runProbe(probe, { target, fields, timeout_seconds: null, latency_threshold_ms: null }, createNodeIo(fields));
}

function isMonitorType(text: string): text is MonitorType {
  return (MONITOR_TYPES as readonly string[]).includes(text);
}

/** Values are JSON where they can be read as such, else text. */
function parseOption(text: string): [string, unknown] {
  const equals = text.indexOf("=");
  if (equals < 1) throw new Error(`--option ${text} must have the form NAME=VALUE`);
  const value = text.slice(equals + 1);
  try {
    return [text.slice(0, equals), JSON.parse(value)];
  } catch {
    return [text.slice(0, equals), value];
  }
}

const WORDS = { success: "up", slow: "degraded", failure: "down", error: "not checked" } as const;

export function formatCheck({ outcome, message, latency_ms, details }: ProbeResult): string {
  const took = latency_ms === null ? "" : ` (${Math.round(latency_ms)} ms)`;
  const shown = Object.entries(details).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  return [`${WORDS[outcome]}: ${message}${took}`, ...shown].join("\n");
}
