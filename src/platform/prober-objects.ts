import { REGIONS } from "../contract/monitor-values.ts";
import type { ProberRpc } from "../contract/prober-object.ts";
import type { Env } from "./env.ts";

/** The object that keeps the history of a shard in a region; it is created in that region and stays there. */
export function proberObject(env: Env, shardId: string, region: string): ProberRpc {
  const locationHint = REGIONS.find((each) => each === region);
  const stub: unknown = env.PROBER.get(env.PROBER.idFromName(`${shardId}/${region}`), { locationHint });
  // The namespace is bound to ProberObject, which implements ProberRpc; platform may not import the class.
  return stub as ProberRpc;
}
