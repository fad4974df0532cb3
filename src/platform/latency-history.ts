import { DEFAULT_REGION } from "../contract/check.ts";
import { type LatencyHistogram, readTally } from "../domain/baseline.ts";
import { ByteReader } from "../lib/varint.ts";
import type { Env } from "./env.ts";
import { monitorObject } from "./monitor-objects.ts";
import { answerInTime } from "./object-timeout.ts";
import { agentHistory, type HistoryPlaces, proberObject, shardsOf } from "./prober-objects.ts";

export interface TalliedStep {
  at: number;
  tally: LatencyHistogram;
}

export interface LatencySource extends HistoryPlaces {
  id: string;
  regions: readonly string[];
  /** The agents that ever measured it. */
  measured_by: readonly string[];
  /** Its results are pushed. */
  is_pushed: boolean;
}

/**
 * The latencies that objects keep of a monitor since then: what the service and agents checked, in steps at most this
 * long, and what was pushed, by the hour.
 */
export async function readObjectLatency(
  env: Env,
  source: LatencySource,
  { from, step_ms, region }: { from: number; step_ms: number; region?: string },
): Promise<TalliedStep[]> {
  const { id, is_pushed, measured_by } = source;
  const all = source.regions.length > 0 ? source.regions : [DEFAULT_REGION];
  const regions = region === undefined ? all : [region];
  const agents = region === undefined || region === DEFAULT_REGION ? measured_by : [];
  const answers = [
    ...shardsOf(source).flatMap((shardId) =>
      regions.map((name) => proberObject(env, shardId, name).latency(id, from, step_ms)),
    ),
    ...agents.map((agentId) => agentHistory(env, agentId).latency(id, from, step_ms)),
    ...(is_pushed && regions.includes(DEFAULT_REGION) ? [monitorObject(env, id).latency(id, from)] : []),
  ];
  const found = await Promise.all(answers.map(answerInTime));
  return found.flat().map(({ at, tally }) => ({ at, tally: readTally(new ByteReader(tally)) }));
}
