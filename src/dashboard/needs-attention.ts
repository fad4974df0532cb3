import type { MonitorStatus } from "../contract/monitor-values.ts";

/** Where somebody has to do something, the worst first. */
export const NEEDS_ATTENTION: readonly MonitorStatus[] = ["down", "degraded", "unknown"];
