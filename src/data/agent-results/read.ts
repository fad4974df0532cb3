import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { agentResults, agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { monitors, type PackedResult } from "../monitors/table.ts";

export type AgentResultRecord = typeof agentResults.$inferSelect;

export const SWEEP_MAX = 500;

/** Newest first, from `from` and before `to`. */
export function listResults(
  db: Db,
  monitorId: string,
  range: { from?: number; to?: number; limit: number },
): Promise<AgentResultRecord[]> {
  return db
    .select()
    .from(agentResults)
    .where(
      and(
        eq(agentResults.monitor_id, monitorId),
        range.from === undefined ? undefined : gte(agentResults.checked_at, range.from),
        range.to === undefined ? undefined : lt(agentResults.checked_at, range.to),
      ),
    )
    .orderBy(desc(agentResults.checked_at))
    .limit(range.limit);
}

/** The newest result of each of these monitors, in the form in which those of check groups are kept. */
export async function listLatestOfAgents(db: Db, monitorIds: readonly string[]): Promise<PackedResult[]> {
  if (monitorIds.length === 0) return [];
  const newest = sql`(SELECT max(checked_at) FROM agent_results WHERE monitor_id = m.value)`;
  const rows = await db
    .select({
      monitor_id: agentResults.monitor_id,
      checked_at: agentResults.checked_at,
      latency_ms: agentResults.latency_ms,
      message: agentResults.message,
      status: agentResults.status,
    })
    .from(sql`json_each(${JSON.stringify(monitorIds)}) AS m`)
    .innerJoin(agentResults, sql`${agentResults.monitor_id} = m.value AND ${agentResults.checked_at} = ${newest}`);
  return rows.map(({ monitor_id, checked_at, latency_ms, message, status }) => {
    const outcome = status === "up" ? "success" : status === "down" ? "failure" : "slow";
    return [monitor_id, checked_at, latency_ms, message, DEFAULT_REGION, outcome, checked_at];
  });
}

/** Monitors whose agent fell silent, or says nothing of them any more, although they claim to know something. */
export function listStaleAgentMonitors(db: Db, now: number) {
  const last = sql<number | null>`(SELECT max(checked_at) FROM agent_results WHERE monitor_id = ${monitors.id})`;
  const staleAfter = sql`max(${monitors.interval} * 3000, 180000)`;
  const { id, status, status_page_id, config_version, synced_version, state_seq, settled, updated_at } = monitors;
  return db
    .select({
      ...{ id, status, status_page_id, config_version, synced_version, state_seq, settled, updated_at },
      last_result_at: last,
      agent_status: agents.status,
    })
    .from(monitors)
    .leftJoin(agents, eq(agents.id, monitors.agent_id))
    .where(
      and(
        isNotNull(monitors.agent_id),
        eq(monitors.paused, false),
        inArray(monitors.status, ["up", "down", "degraded"]),
        or(
          isNull(agents.id),
          ne(agents.status, "online"),
          lt(sql`coalesce(${last}, ${monitors.updated_at}) + ${staleAfter}`, now),
        ),
      ),
    )
    .limit(SWEEP_MAX);
}
