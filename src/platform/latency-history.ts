import { DEFAULT_REGION } from "../contract/check.ts";
import { agentOf } from "../contract/location.ts";
import type { LatencyStep } from "../contract/prober-object.ts";
import { type LatencyHistogram, readTally } from "../domain/baseline.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
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

interface Asked {
  from: number;
  step_ms: number;
  region?: string;
}

const OBJECTS_AT_ONCE = 20;

/** The latencies of a monitor since then, as `readObjectLatencies` reads them. */
export async function readObjectLatency(env: Env, source: LatencySource, asked: Asked): Promise<TalliedStep[]> {
  return (await readObjectLatencies(env, [source], asked)).get(source.id) ?? [];
}

/**
 * The latencies that objects keep of monitors since then: what the service and agents checked, in steps at most this
 * long, and what was pushed, by the hour. Each object is asked once, for all the monitors that it keeps.
 */
export async function readObjectLatencies(
  env: Env,
  sources: readonly LatencySource[],
  { from, step_ms, region }: Asked,
): Promise<Map<string, TalliedStep[]>> {
  const keepers = sources.flatMap((source) => keepersOf(env, source, region));
  const objects = new Map(keepers.map((keeper) => [keeper.name, keeper]));
  const members = Map.groupBy(keepers, ({ name }) => name);
  const answers = await mapConcurrently([...objects.values()], OBJECTS_AT_ONCE, async ({ name, read }) => {
    const ids = (members.get(name) ?? []).map(({ id }) => id);
    const steps = await answerInTime(read(ids, from, step_ms));
    return ids.map((id, n) => ({ id, steps: steps[n] ?? [] }));
  });
  const latencies = Map.groupBy(answers.flat(), ({ id }) => id);
  return new Map([...latencies].map(([id, found]) => [id, found.flatMap(({ steps }) => steps.map(readStep))]));
}

/** One object that keeps latencies of a monitor, maybe among others. */
interface LatencyKeeper {
  name: string;
  id: string;
  read(ids: readonly string[], from: number, stepMs: number): Promise<LatencyStep[][]>;
}

function keepersOf(env: Env, source: LatencySource, region: string | undefined): LatencyKeeper[] {
  const { id, is_pushed, measured_by } = source;
  const all = source.regions.length > 0 ? source.regions : [DEFAULT_REGION];
  const voter = region === undefined ? null : agentOf(region);
  const regions = region === undefined ? all : voter === null ? [region] : [];
  const agents = region === undefined || region === DEFAULT_REGION ? measured_by : voter === null ? [] : [voter];
  const probers = [
    ...shardsOf(source).flatMap((shardId) =>
      regions.map((place) => ({ name: `${shardId}/${place}`, prober: () => proberObject(env, shardId, place) })),
    ),
    ...agents.map((agentId) => ({ name: `agent/${agentId}`, prober: () => agentHistory(env, agentId) })),
  ];
  const pushed: LatencyKeeper = {
    name: `push/${id}`,
    id,
    read: async (_ids, from) => [await monitorObject(env, id).latency(id, from)],
  };
  return [
    ...probers.map(
      ({ name, prober }): LatencyKeeper => ({
        name,
        id,
        read: (ids, from, stepMs) => prober().latencies(ids, from, stepMs),
      }),
    ),
    ...(is_pushed && regions.includes(DEFAULT_REGION) ? [pushed] : []),
  ];
}

const readStep = ({ at, tally }: LatencyStep): TalliedStep => ({ at, tally: readTally(new ByteReader(tally)) });
