import { REGIONS } from "../contract/monitor-values.ts";
import type { ProberRpc, ResultQuery, StoredResult } from "../contract/prober-object.ts";
import type { Env } from "./env.ts";
import { answerInTime } from "./object-timeout.ts";

/** The object that stores the history of a shard in a region, created near that region where the platform can. */
export function proberObject(env: Env, shardId: string, region: string): ProberRpc {
  const locationHint = REGIONS.find((each) => each === region);
  return env.PROBER.getByName(`${shardId}/${region}`, { locationHint });
}

/** The object that stores what an agent measured of all its monitors. */
export function agentHistory(env: Env, agentId: string): ProberRpc {
  return env.PROBER.getByName(`agent/${agentId}`);
}

/** Where a monitor's results lie: in the objects of its shard, and of others in which it was checked. */
export interface HistoryPlaces {
  shard_id: string;
  other_shards: Readonly<Record<string, number>>;
}

/** Empty for a monitor that the service never checked itself. */
export function shardsOf({ shard_id, other_shards }: HistoryPlaces): string[] {
  return [...new Set([shard_id, ...Object.keys(other_shards)])].filter((id) => id !== "");
}

/** What the service itself checked of a monitor from a region, newest first. */
export async function listRegionResults(
  env: Env,
  places: HistoryPlaces,
  region: string,
  query: ResultQuery,
): Promise<StoredResult[]> {
  const found = await Promise.all(
    shardsOf(places).map((id) => answerInTime(proberObject(env, id, region).list(query))),
  );
  return newestOf(found, query.limit);
}

/** What agents measured of a monitor, newest first: the agents that ever did, as the monitor's row names them. */
export async function listAgentResults(
  env: Env,
  measuredBy: readonly string[],
  query: ResultQuery,
): Promise<StoredResult[]> {
  const found = await Promise.all(measuredBy.map((agentId) => answerInTime(agentHistory(env, agentId).list(query))));
  return newestOf(found, query.limit);
}

function newestOf(found: readonly StoredResult[][], limit: number): StoredResult[] {
  const results = found.flat();
  if (found.length > 1) results.sort((a, b) => b.checked_at - a.checked_at);
  return results.slice(0, limit);
}
