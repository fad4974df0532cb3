import { agentLocation, agentsAmong } from "../contract/location.ts";
import { listAgentsByIds } from "../data/agents/read.ts";
import type { Db } from "../data/db.ts";

/** How the agents among locations are called; costs no query where there is none. */
export async function nameLocations(db: Db, locations: readonly string[]): Promise<Record<string, string> | undefined> {
  const ids = agentsAmong(locations);
  if (ids.length === 0) return undefined;
  const agents = await listAgentsByIds(db, ids);
  return Object.fromEntries(agents.map(({ id, name }) => [agentLocation(id), name]));
}
