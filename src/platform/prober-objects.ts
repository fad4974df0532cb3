import { REGIONS } from "../contract/monitor-values.ts";
import type { ProberRpc, ResultQuery, StoredResult } from "../contract/prober-object.ts";
import type { Env } from "./env.ts";

/** The object that stores the history of a shard in a region, created near that region where the platform can. */
export function proberObject(env: Env, shardId: string, region: string): ProberRpc {
  const locationHint = REGIONS.find((each) => each === region);
  return env.PROBER.get(env.PROBER.idFromName(`${shardId}/${region}`), { locationHint });
}

/** The object that stores what an agent measured of all its monitors. */
export function agentHistory(env: Env, agentId: string): ProberRpc {
  return env.PROBER.get(env.PROBER.idFromName(`agent/${agentId}`));
}

/** What agents measured of a monitor, newest first: the agents that ever did, as the monitor's row names them. */
export async function listAgentResults(
  env: Env,
  measuredBy: readonly string[],
  query: ResultQuery,
): Promise<StoredResult[]> {
  const found = await Promise.all(measuredBy.map((agentId) => agentHistory(env, agentId).list(query)));
  const results = found.flat();
  if (found.length > 1) results.sort((a, b) => b.checked_at - a.checked_at);
  return results.slice(0, query.limit);
}
