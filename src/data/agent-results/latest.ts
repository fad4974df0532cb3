import { MINUTE_MS } from "../../lib/durations.ts";
import type { AgentPackedResult } from "../agents/table.ts";

type Results = readonly AgentPackedResult[];

interface MergedLatest {
  latest: AgentPackedResult[];
  /** When the sweep has to look at them, null while it need not; undefined where it is planned well already. */
  look_at: number | null | undefined;
}

/**
 * The newest result of each monitor; of two of the same check the fresh one. The sweep looks when the first ends to be
 * valid, in whole minutes. A look planned for earlier stays while it is more than a minute ahead, so that its index is not
 * written with every request.
 */
export function mergeLatest(
  { latest, look_at }: { latest: Results; look_at: number | null },
  fresh: Results,
  now: number,
): MergedLatest {
  const newest = new Map(latest.map((result) => [result[0], result]));
  // A concurrent request that replaced the known results has planned a look for each of these monitors, too.
  const areKnown = fresh.every(([id]) => endOf(newest.get(id)) !== null);
  for (const result of fresh) {
    const former = newest.get(result[0]);
    if (!former || result[1] >= former[1]) newest.set(result[0], result);
  }
  const merged = [...newest.values()];
  const first = firstLook(merged);
  const holds = first !== null && look_at !== null && look_at <= first && look_at > now + MINUTE_MS;
  return { latest: merged, look_at: areKnown && holds ? undefined : first };
}

/** In whole minutes; null where none of these results ends to be valid. */
export function firstLook(results: Results): number | null {
  const ends = results.flatMap((result) => endOf(result) ?? []);
  return ends.length === 0 ? null : Math.ceil(Math.min(...ends) / MINUTE_MS) * MINUTE_MS;
}

const endOf = (result: AgentPackedResult | undefined): number | null => result?.[7] ?? null;
