import { agentLocation, agentsAmong } from "../contract/location.ts";
import type { MonitorTransition } from "../contract/monitor-transition.ts";
import { listAgentsByIds } from "../data/agents/read.ts";
import type { Db } from "../data/db.ts";

/** How the agents are called from which an outage was found; costs no query where none was. */
export async function nameLocations(
  db: Db,
  { failure }: Pick<MonitorTransition, "failure">,
): Promise<Record<string, string> | undefined> {
  const ids = agentsAmong(failure?.regions ?? []);
  if (ids.length === 0) return undefined;
  const agents = await listAgentsByIds(db, ids);
  return Object.fromEntries(agents.map(({ id, name }) => [agentLocation(id), name]));
}
