import { REGIONS } from "../contract/monitor-values.ts";
import type { ProberRpc } from "../contract/prober-object.ts";
import type { Env } from "./env.ts";

/** The object that stores the history of a shard in a region, created near that region where the platform can. */
export function proberObject(env: Env, shardId: string, region: string): ProberRpc {
  const locationHint = REGIONS.find((each) => each === region);
  return env.PROBER.get(env.PROBER.idFromName(`${shardId}/${region}`), { locationHint });
}
