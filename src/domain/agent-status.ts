import { AGENT_OFFLINE_AFTER_MS, type AgentStatus } from "../contract/agent.ts";
import type { MonitorStatus } from "../contract/monitor-values.ts";

/** Who fell silent is offline from then on, also before the next sweep notices and reports it. */
/** Whether monitors of a page, or without one, may run on an agent of the same owner. */
export function servesPage(
  { own_page_only, status_page_id }: { own_page_only: boolean; status_page_id: string | null },
  pageId: string | null,
): boolean {
  return !own_page_only || status_page_id === pageId;
}

export function statusAt(agent: { status: AgentStatus; last_seen_at: number | null }, now: number): AgentStatus {
  return agent.last_seen_at !== null && now - agent.last_seen_at > AGENT_OFFLINE_AFTER_MS ? "offline" : agent.status;
}

/** The status of a monitor of type agent; undefined for an agent that does not exist. */
export function computeAgentMonitorStatus(
  agent: { status: AgentStatus; enrolled_at: number | null } | undefined,
  paused: boolean,
): { status: MonitorStatus; message: string } {
  if (paused) return { status: "paused", message: "paused" };
  if (!agent || agent.enrolled_at === null) return { status: "pending", message: "the agent has not enrolled" };
  return agent.status === "online"
    ? { status: "up", message: "the agent is online" }
    : { status: "down", message: "the agent is offline" };
}
