import { COMPOSITE_POLICY_DEFAULT } from "../contract/composite.ts";
import type { MonitorStatus } from "../contract/monitor-values.ts";

/** Choice: members that all rest leave the composite paused; while one of them has yet to report, it is pending. */
const ORDER: readonly MonitorStatus[] = ["down", "degraded", "unknown", "up", "pending", "paused"];

/** Members of which nothing is known at present count for neither side of a policy, as regions that could not check. */
const ABSTAINING: readonly MonitorStatus[] = ["unknown", "pending", "paused"];

export interface ChildState {
  status: MonitorStatus;
  status_since: number;
}

/**
 * The status of a composite from its members' statuses: the first in ORDER that any member has, except that members that
 * are down, but fewer than the policy asks for, leave it degraded.
 */
export function computeComposite(
  members: readonly MonitorStatus[],
  policy: string = COMPOSITE_POLICY_DEFAULT,
): MonitorStatus {
  const worst = ORDER.find((status) => members.includes(status)) ?? "pending";
  if (worst !== "down") return worst;
  const down = members.filter((status) => status === "down").length;
  const judged = members.filter((status) => !ABSTAINING.includes(status)).length;
  return down >= countWanted(policy, judged) ? "down" : "degraded";
}

/** How many of the members that are judged have to be down; never more than there are. */
function countWanted(policy: string, judged: number): number {
  const [name, number] = policy.split(":");
  switch (name) {
    case "all":
      return judged;
    case "at_least":
      return Math.min(Number(number), judged);
    case "percent":
      return Math.ceil((judged * Number(number)) / 100);
    default:
      return 1;
  }
}

/**
 * What the members add up to, and since when. What became worse did so with the member that tipped it; what became better,
 * when the last member left the old status.
 */
export function computeCompositeState(
  members: readonly ChildState[],
  before: MonitorStatus,
  policy: string = COMPOSITE_POLICY_DEFAULT,
) {
  const status = computeComposite(
    members.map((member) => member.status),
    policy,
  );
  const isWorse = ORDER.indexOf(status) < ORDER.indexOf(before);
  const since = isWorse
    ? findWorsening(members, status, policy)
    : Math.max(0, ...members.map((member) => member.status_since));
  return { status, since, message: describe(members, status) };
}

/** When the first member got a status that explains this one; for down, when enough of them had it. */
function findWorsening(members: readonly ChildState[], status: MonitorStatus, policy: string): number {
  const causes: readonly MonitorStatus[] = status === "degraded" ? ["degraded", "down"] : [status];
  const changes = members.filter((member) => causes.includes(member.status)).map((member) => member.status_since);
  if (status !== "down") return Math.min(...changes);
  // What a member was before its present status is taken for fine. One that abstains since later can tip it, too.
  const statusesAt = (at: number) => members.map((member) => (member.status_since <= at ? member.status : "up"));
  const instants = members.map((member) => member.status_since).sort((a, b) => a - b);
  return instants.find((at) => computeComposite(statusesAt(at), policy) === "down") ?? Math.max(...instants);
}

function describe(members: readonly ChildState[], status: MonitorStatus): string {
  if (members.length === 0) return "no members";
  const isPartlyDown = status === "degraded" && members.some((member) => member.status === "down");
  const named = isPartlyDown ? "down" : status;
  const alike = members.filter((member) => member.status === named).length;
  return `${alike} of ${members.length} members ${named}`;
}
