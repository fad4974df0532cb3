import type { MonitorStatus } from "../contract/monitor-values.ts";

/** Choice: members that all rest leave the composite paused; while one of them has yet to report, it is pending. */
const ORDER: readonly MonitorStatus[] = ["down", "degraded", "unknown", "up", "pending", "paused"];

export interface ChildState {
  status: MonitorStatus;
  status_since: number;
}

/** The status of a composite from its members' statuses: the first in ORDER that any member has. */
export function computeComposite(members: readonly MonitorStatus[]): MonitorStatus {
  return ORDER.find((status) => members.includes(status)) ?? "pending";
}

/**
 * What the members add up to, and since when. What became worse did so with the first member that has the new status;
 * what became better, when the last member left the old one.
 */
export function computeCompositeState(members: readonly ChildState[], before: MonitorStatus) {
  const status = computeComposite(members.map((member) => member.status));
  const alike = members.filter((member) => member.status === status);
  const isWorse = ORDER.indexOf(status) < ORDER.indexOf(before);
  const since = isWorse
    ? Math.min(...alike.map((member) => member.status_since))
    : Math.max(0, ...members.map((member) => member.status_since));
  const message = members.length === 0 ? "no members" : `${alike.length} of ${members.length} members ${status}`;
  return { status, since, message };
}
