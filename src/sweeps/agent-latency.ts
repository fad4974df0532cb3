import type { Scope } from "../access/scope.ts";
import { listLatencyToAdd, type MonitorToAdd, measureLatency } from "../data/agent-latency/read.ts";
import { type AgentLatencyRecord, insertAgentLatency } from "../data/agent-latency/write.ts";
import { runBatch } from "../data/db.ts";
import { packLatency } from "../domain/baseline.ts";
import { startOfStep } from "../domain/latency-series.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { advanceSweep } from "./resumable-sweep.ts";

const AGENTS_MAX = 20;
/** Monitors whose checks of one day are read at once: at most 260,000 rows. */
const MONITORS_PER_QUERY = 30;
const QUERIES_MAX = 20;

/** Adds up the latencies that agents measured, each day once, when the last result of it has come or is refused. */
export function sweepAgentLatency(scope: Scope): Promise<void> {
  return advanceSweep(scope, { name: "agent latency", every_ms: HOUR_MS, visit: (after) => visit(scope, after) });
}

async function visit(scope: Scope, after: string): Promise<string | null> {
  // Results are taken for 24 hours after their check.
  const until = startOfStep(scope.now - DAY_MS, DAY_MS);
  const { agents, monitors } = await listLatencyToAdd(scope.db, { after, until, limit: AGENTS_MAX });
  for (const work of portionsOf(monitors).slice(0, QUERIES_MAX)) await addDay(scope, work);
  // What is left of these agents is found again: they are visited until nothing of them is missing.
  if (monitors.length > 0) return after;
  return agents.length < AGENTS_MAX ? null : (agents.at(-1) ?? null);
}

interface Portion {
  day_at: number;
  ids: string[];
}

function portionsOf(monitors: readonly MonitorToAdd[]): Portion[] {
  return [...Map.groupBy(monitors, ({ next_at }) => next_at)].flatMap(([day_at, members]) => {
    const ids = members.map(({ monitor_id }) => monitor_id);
    const count = Math.ceil(ids.length / MONITORS_PER_QUERY);
    return Array.from({ length: count }, (_, n) => ({
      day_at,
      ids: ids.slice(n * MONITORS_PER_QUERY, (n + 1) * MONITORS_PER_QUERY),
    }));
  });
}

/** A day without results leaves a row, too: it tells that the next one is due. */
async function addDay(scope: Scope, { day_at, ids }: Portion): Promise<void> {
  const measured = await measureLatency(scope.db, ids, { from: day_at, to: day_at + DAY_MS, step_ms: HOUR_MS });
  const days = ids.map(
    (monitor_id): AgentLatencyRecord => ({
      monitor_id,
      day_at,
      hours: (measured.get(monitor_id) ?? []).map(({ at, tally }) => ({ at, tally: packLatency(tally) })),
    }),
  );
  await runBatch(scope.db, [insertAgentLatency(scope.db, days)]);
}
