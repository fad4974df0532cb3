import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { agentResults, agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { isAmong, PROJECTED } from "../monitors/read.ts";
import { monitors, type PackedResult } from "../monitors/table.ts";

export type AgentResultRecord = typeof agentResults.$inferSelect;

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

/** The newest result of a monitor, as far as agents measured it. */
const last = sql<number | null>`(SELECT max(checked_at) FROM agent_results WHERE monitor_id = ${monitors.id})`;

/** The condition under which a monitor shows a status although its agent is offline or sends no results of it. */
function isStale(now: number): SQL | undefined {
  const staleAfter = sql`max(${monitors.interval} * 3000, 180000)`;
  return and(
    isNotNull(monitors.agent_id),
    ne(monitors.type, "agent"),
    eq(monitors.paused, false),
    inArray(monitors.status, ["up", "down", "degraded"]),
    or(
      isNull(agents.id),
      ne(agents.status, "online"),
      lt(sql`coalesce(${last}, ${monitors.updated_at}) + ${staleAfter}`, now),
    ),
  );
}

export async function listStaleAgentMonitors(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: monitors.id })
    .from(monitors)
    .leftJoin(agents, eq(agents.id, monitors.agent_id))
    .where(isStale(now))
    .limit(limit);
  return rows.map(({ id }) => id);
}

export function listStaleAgentMonitorsAmong(db: Db, now: number, monitorIds: readonly string[]) {
  return db
    .select({
      ...PROJECTED,
      updated_at: monitors.updated_at,
      last_result_at: last,
      agent_status: agents.status,
    })
    .from(monitors)
    .leftJoin(agents, eq(agents.id, monitors.agent_id))
    .where(and(isAmong(monitorIds), isStale(now)))
    .limit(monitorIds.length);
}
