import { AgentAssignment } from "../contract/agent.ts";
import type { Checked } from "./checker.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Sender } from "./sender.ts";
import type { Command } from "./uplink.ts";

export interface ExecutionParts {
  scheduler: Pick<Scheduler, "has" | "monitors" | "checkNow">;
  sender: Pick<Sender, "flush">;
  refreshAssignments(): Promise<void>;
  /** Gives how many were found. */
  reportDiscoveries(): Promise<number>;
  update(): Promise<object>;
  /** Checks what is not assigned, once. */
  checkOnce(assignment: AgentAssignment): Promise<Checked>;
}

/** Does what a command says and gives what its acknowledgement reports; throws the reason why it cannot. */
export async function executeCommand({ type, params }: Command, parts: ExecutionParts): Promise<object> {
  switch (type) {
    case "check_now":
      return checkNow(typeof params.monitor_id === "string" ? params.monitor_id : null, parts);
    case "discover":
      return { found: await parts.reportDiscoveries() };
    case "update":
      return parts.update();
    case "confirm":
      return confirm(params.assignment, parts);
    case "rotate_token":
      // The answer to the acknowledgement carries the new token.
      return {};
  }
}

async function confirm(given: unknown, { checkOnce }: ExecutionParts): Promise<object> {
  const assignment = AgentAssignment.safeParse(given);
  if (!assignment.success) throw new Error("this agent does not understand the check");
  const checked = await checkOnce(assignment.data);
  if (!checked.ok) throw new Error(checked.reason);
  const { status, latency_ms, message, observation } = checked.result;
  return { status, latency_ms, message, observation };
}

async function checkNow(monitorId: string | null, { scheduler, sender, refreshAssignments }: ExecutionParts) {
  if (monitorId !== null && !scheduler.has(monitorId)) await refreshAssignments();
  const ids = monitorId === null ? scheduler.monitors.map(({ assignment }) => assignment.id) : [monitorId];
  const checks = await Promise.all(ids.map((id) => scheduler.checkNow(id)));
  await sender.flush();
  const [first] = checks;
  if (monitorId === null) return { checked: checks.length };
  if (!first) throw new Error("this monitor is not assigned to the agent");
  if (!first.ok) throw new Error(first.reason);
  const { status, latency_ms, message } = first.result;
  return { status, latency_ms, message };
}
