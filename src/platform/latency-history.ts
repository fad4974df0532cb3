import { DEFAULT_REGION } from "../contract/check.ts";
import { type LatencyHistogram, readTally } from "../domain/baseline.ts";
import { ByteReader } from "../lib/varint.ts";
import type { Env } from "./env.ts";
import { monitorObject } from "./monitor-objects.ts";
import { proberObject } from "./prober-objects.ts";

export interface LatencySource {
  id: string;
  shard_id: string;
  regions: readonly string[];
  /** Its results are pushed. */
  is_pushed: boolean;
}

/**
 * The latencies that objects keep of a monitor since then: what the service checked, in steps at most this long, and
 * what was pushed, by the hour. Those that agents measured lie in the database.
 */
export async function readObjectLatency(
  env: Env,
  source: LatencySource,
  { from, step_ms, region }: { from: number; step_ms: number; region?: string },
): Promise<{ at: number; tally: LatencyHistogram }[]> {
  const { id, shard_id, is_pushed } = source;
  const all = source.regions.length > 0 ? source.regions : [DEFAULT_REGION];
  const regions = region === undefined ? all : [region];
  const found = await Promise.all([
    ...(shard_id === "" ? [] : regions.map((name) => proberObject(env, shard_id, name).latency(id, from, step_ms))),
    ...(is_pushed && regions.includes(DEFAULT_REGION) ? [monitorObject(env, id).latency(id, from)] : []),
  ]);
  return found.flat().map(({ at, tally }) => ({ at, tally: readTally(new ByteReader(tally)) }));
}
