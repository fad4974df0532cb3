import type { RequestScope } from "../../access/scope.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import type { RegionCheck } from "../../domain/threshold-tuner.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { listAgentResults, listRegionResults } from "../../platform/prober-objects.ts";

/** One call reads so much, so that no answer is large. */
const PART_MS = 7 * DAY_MS;
const PART_ENTRIES_MAX = 70_000;

/** Every check of a monitor in `[from, to)`, of all its regions or of its agent. */
export async function listRegionChecks(
  ctx: RequestScope,
  monitor: MonitorRecord,
  { from, to }: { from: number; to: number },
): Promise<RegionCheck[]> {
  const checks: RegionCheck[] = [];
  for (let at = from; at < to; at += PART_MS) {
    const part = { from: at, to: Math.min(to, at + PART_MS), limit: PART_ENTRIES_MAX };
    const found = await Promise.all([listFromAgent(ctx, monitor, part), ...listFromProbers(ctx, monitor, part)]);
    for (const each of found) checks.push(...each);
  }
  return checks;
}

interface Part {
  from: number;
  to: number;
  limit: number;
}

async function listFromAgent(ctx: RequestScope, monitor: MonitorRecord, part: Part): Promise<RegionCheck[]> {
  if (monitor.agent_id === null) return [];
  const results = await listAgentResults(ctx.env, monitor.measured_by, { monitor_id: monitor.id, ...part });
  return results.map(({ checked_at, outcome, latency_ms }) => ({
    at: checked_at,
    region: DEFAULT_REGION,
    outcome,
    latency_ms,
  }));
}

function listFromProbers(ctx: RequestScope, monitor: MonitorRecord, part: Part): Promise<RegionCheck[]>[] {
  const regions = monitor.regions.length > 0 ? monitor.regions : [DEFAULT_REGION];
  return regions.map(async (region) => {
    const results = await listRegionResults(ctx.env, monitor, region, { monitor_id: monitor.id, ...part });
    return results.map(({ checked_at, outcome, latency_ms }) => ({
      at: checked_at,
      region,
      outcome,
      latency_ms,
    }));
  });
}
