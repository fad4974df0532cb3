import { type AgentRecord, listMembershipsOnAgentPages } from "../../data/agents/read.ts";
import type { Db } from "../../data/db.ts";
import { hasPermission } from "../../domain/roles.ts";

/**
 * Whether a user may receive the credential of an existing agent, which reads the secrets of every monitor that the agent
 * runs: the agent's owner may, others need secrets.read on the page of each of these monitors.
 */
export async function mayEnrolAgent(db: Db, agent: AgentRecord, userId: string): Promise<boolean> {
  if (agent.owner_id === userId) return true;
  const pages = await listMembershipsOnAgentPages(db, agent.id, userId);
  return pages.every(({ member }) => member !== null && hasPermission(member, "secrets.read"));
}
