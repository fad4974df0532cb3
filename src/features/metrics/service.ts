import { commit } from "../../access/commit.ts";
import { alreadyShown, findIdempotentResult } from "../../access/idempotency.ts";
import { viewerOf } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { listLatestOfAgents } from "../../data/agent-results/read.ts";
import { listCheckGroupStates } from "../../data/check-groups/read.ts";
import { type MaintenanceTime, readMaintenanceTime } from "../../data/maintenance/time.ts";
import { listRecentIntervals, listScrapedMonitors } from "../../data/metrics/read.ts";
import { deleteMetricsToken, upsertMetricsToken } from "../../data/metrics-tokens/write.ts";
import {
  computeStatusDurations,
  type StatusDurations,
  type StatusInterval,
  sumStatusDurations,
} from "../../domain/uptime.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { newMachineToken, sha256Hex } from "../../platform/credentials.ts";

const MONITORS_MAX = 5000;
const INTERVALS_MAX = 50_000;

export type ScrapedMonitor = Awaited<ReturnType<typeof listScrapedMonitors>>[number] & {
  latency_ms: number | null;
  /** Of the last 24 hours. */
  durations: StatusDurations;
};

/** Costs five queries, however many monitors there are. */
export async function scrapeMonitors(ctx: RequestScope): Promise<ScrapedMonitor[]> {
  const monitors = await listScrapedMonitors(ctx.db, await viewerOf(ctx), MONITORS_MAX);
  const ids = monitors.map(({ id }) => id);
  const since = ctx.now - DAY_MS;
  const groupIds = [...new Set(monitors.map(({ check_group_id }) => check_group_id))].filter((id) => id !== "");
  const [groups, fromAgents, intervals, timeOf] = await Promise.all([
    listCheckGroupStates(ctx.db, groupIds),
    listLatestOfAgents(ctx.db, monitors),
    listRecentIntervals(ctx.db, ids, { since, limit: INTERVALS_MAX }),
    readMaintenanceTime(ctx.db, ids, { since, now: ctx.now }),
  ]);
  const latencies = new Map(
    [...groups.flatMap(({ latest }) => latest), ...fromAgents].map(([id, , latency_ms]) => [id, latency_ms]),
  );
  const intervalsOf = Map.groupBy(intervals, ({ monitor_id }) => monitor_id);
  return monitors.map((monitor) => ({
    ...monitor,
    latency_ms: latencies.get(monitor.id) ?? null,
    durations: durationsSince(since, intervalsOf.get(monitor.id) ?? [], { time: timeOf(monitor.id), now: ctx.now }),
  }));
}

function durationsSince(
  since: number,
  intervals: readonly StatusInterval[],
  { time: { spans: maintenance, is_excluded }, now }: { time: MaintenanceTime; now: number },
): StatusDurations {
  const range = { from_at: since, to_at: now };
  return sumStatusDurations(computeStatusDurations(intervals, [range], { maintenance, is_excluded, now }));
}

/** The token that the user had before is refused from then on. */
export async function replaceMetricsToken(ctx: RequestScope): Promise<string> {
  const { user_id } = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) throw alreadyShown(earlier);
  const token = newMachineToken("metrics");
  const record = { user_id, token_hash: sha256Hex(token), created_at: ctx.now, updated_at: ctx.now };
  await commit(ctx, [upsertMetricsToken(ctx.db, record)], {
    audit: { owner_id: user_id, target_type: "user", target_id: user_id, summary: "created a metrics token" },
  });
  return token;
}

/** Where there is none, that is what the caller wants. */
export async function revokeMetricsToken(ctx: RequestScope): Promise<void> {
  const { user_id } = requireUser(ctx);
  await commit(ctx, [deleteMetricsToken(ctx.db, user_id)], {
    audit: { owner_id: user_id, target_type: "user", target_id: user_id, summary: "revoked the metrics token" },
  });
}
