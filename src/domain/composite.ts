import type { MonitorStatus } from "../contract/monitor-values.ts";

/** Choice: members that all rest leave the composite paused; while one of them has yet to report, it is pending. */
const ORDER: readonly MonitorStatus[] = ["down", "degraded", "unknown", "up", "pending", "paused"];

/** The status of a composite from its members' statuses: the first in ORDER that any member has. */
export function computeComposite(members: readonly MonitorStatus[]): MonitorStatus {
  return ORDER.find((status) => members.includes(status)) ?? "pending";
}
