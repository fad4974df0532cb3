import { AGENT_OFFLINE_AFTER_MS, type AgentStatus } from "../contract/agent.ts";

/** Who fell silent is offline from then on, also before the next sweep notices and tells of it. */
export function statusAt(agent: { status: AgentStatus; last_seen_at: number | null }, now: number): AgentStatus {
  return agent.last_seen_at !== null && now - agent.last_seen_at > AGENT_OFFLINE_AFTER_MS ? "offline" : agent.status;
}
