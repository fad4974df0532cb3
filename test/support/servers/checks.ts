import type { ProbeResult } from "../../../src/contract/check.ts";
import type { Probe } from "../../../src/probes/port.ts";
import { runProbe } from "../../../src/probes/run.ts";
import { nodeIo } from "../node-io.ts";

/** One check in plain Node, as the monitor with this target and these fields would have it. */
export function checkInNode(
  probe: Probe,
  target: string,
  fields: object = {},
  timeout_seconds = 10,
): Promise<ProbeResult> {
  return runProbe(probe, { target, fields, timeout_seconds, latency_threshold_ms: null }, nodeIo);
}
