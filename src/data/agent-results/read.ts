import { and, asc, eq, inArray, lte, ne, sql } from "drizzle-orm";
import { agentLocation, agentsOf, asksEdge, LOCATIONS_MAX } from "../../contract/location.ts";
import { agentSlotOf, STALE_AFTER_MIN_MS } from "../../domain/check-schedule.ts";
import type { KnownVote } from "../../domain/gone-agents.ts";
import { type AgentPackedResult, agentLatest, agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { monitorLocations } from "../locations/table.ts";
import { PROJECTED } from "../monitors/read.ts";
import { monitors, type PackedResult } from "../monitors/table.ts";

export interface RunByAgent {
  id: string;
  /** Null for a monitor that no agent runs alone. */
  agent_id: string | null;
  locations: readonly string[];
}

/** An agent's newest results as they are stored, so that a write can tell whether they still are. */
export interface StoredLatest {
  latest: string;
  look_at: number | null;
}

export async function findLatest(db: Db, agentId: string): Promise<StoredLatest | undefined> {
  const rows = await db
    .select({ latest: sql<string>`${agentLatest.latest}`, look_at: agentLatest.look_at })
    .from(agentLatest)
    .where(eq(agentLatest.agent_id, agentId))
    .limit(1);
  return rows[0];
}

/** When the agent's newest check of each monitor began. */
export function newestChecks({ latest }: StoredLatest): Map<string, number> {
  // As recordLatest stores it.
  const results: AgentPackedResult[] = JSON.parse(latest);
  return new Map(results.map(([id, checked_at]) => [id, checked_at]));
}

/** The newest result of each of these monitors that its present agents measured; none of those that the edge checks, too. */
export async function listLatestOfAgents(db: Db, runBy: readonly RunByAgent[]): Promise<PackedResult[]> {
  const agentsBy = new Map(runBy.flatMap((each) => (asksEdge(each) ? [] : [[each.id, agentsOf(each)] as const])));
  if (agentsBy.size === 0) return [];
  const rows = await db
    .select({ agent_id: agentLatest.agent_id, packed: sql<string>`e.value` })
    .from(sql`json_each(${JSON.stringify([...new Set([...agentsBy.values()].flat())])}) AS a`)
    .innerJoin(agentLatest, sql`${agentLatest.agent_id} = a.value`)
    .innerJoin(
      sql`json_each(${agentLatest.latest}) AS e`,
      sql`e.value ->> 1 > 0 AND e.value ->> 0 IN ${among([...agentsBy.keys()])}`,
    );
  const newest = new Map<string, PackedResult>();
  for (const { agent_id, packed } of rows) {
    const [id, ...rest]: AgentPackedResult = JSON.parse(packed);
    const [checked_at, latency_ms, message, region, outcome, judged_at] = rest;
    if (!agentsBy.get(id)?.includes(agent_id) || checked_at < (newest.get(id)?.[1] ?? 0)) continue;
    newest.set(id, [id, checked_at, latency_ms, message, region, outcome, judged_at]);
  }
  return [...newest.values()];
}

/** The newest results of a monitor that these agents measured, as votes. */
export async function listLatestVotes(db: Db, monitorId: string, agentIds: readonly string[]): Promise<KnownVote[]> {
  if (agentIds.length === 0) return [];
  const { id, check_group_id, interval } = monitors;
  const rows = await db
    .select({
      id,
      check_group_id,
      interval,
      agent_id: agentLatest.agent_id,
      agent_status: agents.status,
      packed: sql<string>`e.value`,
    })
    .from(sql`json_each(${JSON.stringify(agentIds)}) AS a`)
    .innerJoin(agentLatest, sql`${agentLatest.agent_id} = a.value`)
    .innerJoin(sql`json_each(${agentLatest.latest}) AS e`, sql`e.value ->> 1 > 0 AND e.value ->> 0 = ${monitorId}`)
    .innerJoin(agents, eq(agents.id, agentLatest.agent_id))
    .innerJoin(monitors, eq(monitors.id, monitorId));
  return rows.map(({ agent_id, agent_status, packed, ...monitor }) => {
    const [, checked_at, latency_ms, message, , outcome]: AgentPackedResult = JSON.parse(packed);
    const slot_at = agentSlotOf(monitor, checked_at);
    return {
      vote: { region: agentLocation(agent_id), slot_at, checked_at, outcome, latency_ms, message },
      interval_ms: monitor.interval * 1000,
      is_online: agent_status === "online",
    };
  });
}

/** Agents of which a result may have ended to be valid, the longest due first. */
export async function listDueAgents(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ agent_id: agentLatest.agent_id })
    .from(agentLatest)
    .where(lte(agentLatest.look_at, now))
    .orderBy(asc(agentLatest.look_at))
    .limit(limit);
  return rows.map(({ agent_id }) => agent_id);
}

/** The condition under which a monitor shows a status that its agent has to confirm again and again. */
export const isShownByAgent = and(
  ne(monitors.type, "agent"),
  eq(monitors.paused, false),
  inArray(monitors.status, ["up", "down", "degraded"]),
);

/** Monitors of these agents that show a status although the agent is offline or its last result is no longer valid. */
export function listStaleAgentMonitors(db: Db, agentIds: readonly string[], now: number, limit: number) {
  return db
    .select({ id: monitors.id, agent_id: agentLatest.agent_id })
    .from(sql`json_each(${JSON.stringify(agentIds)}) AS named`)
    .innerJoin(agentLatest, sql`${agentLatest.agent_id} = named.value`)
    .innerJoin(agents, eq(agents.id, agentLatest.agent_id))
    .innerJoin(sql`json_each(${agentLatest.latest}) AS e`, isOver(now))
    .innerJoin(monitors, isOfEntry(now))
    .where(isShownByAgent)
    .limit(limit);
}

export function listStaleAgentMonitorsAmong(db: Db, now: number, monitorIds: readonly string[]) {
  const named = among(monitorIds);
  return db
    .select({
      ...PROJECTED,
      name: monitors.name,
      owner_id: monitors.owner_id,
      updated_at: monitors.updated_at,
      options: monitors.options,
      interval: monitors.interval,
      agent_id: agentLatest.agent_id,
      last_result_at: sql<number>`e.value ->> 1`,
      agent_status: agents.status,
    })
    .from(
      sql`(SELECT m.agent_id FROM ${monitors} m WHERE m.id IN ${named}
        UNION SELECT l.agent_id FROM ${monitorLocations} l WHERE l.monitor_id IN ${named}) AS named`,
    )
    .innerJoin(agentLatest, sql`${agentLatest.agent_id} = named.agent_id`)
    .innerJoin(agents, eq(agents.id, agentLatest.agent_id))
    .innerJoin(sql`json_each(${agentLatest.latest}) AS e`, and(isOver(now), sql`e.value ->> 0 IN ${named}`))
    .innerJoin(monitors, isOfEntry(now))
    .where(isShownByAgent)
    .limit(monitorIds.length * LOCATIONS_MAX);
}

/** Monitors that wait for the first result of an agent that is offline, or has had the time for one. */
export function listAwaitingAgentMonitors(db: Db, now: number, limit: number) {
  return db
    .select({ id: monitors.id })
    .from(monitors)
    .innerJoin(agents, eq(agents.id, monitors.agent_id))
    .where(isAwaitedTooLong(now))
    .orderBy(asc(monitors.status_since))
    .limit(limit);
}

export function listAwaitingAgentMonitorsAmong(db: Db, now: number, monitorIds: readonly string[]) {
  return db
    .select({
      ...PROJECTED,
      name: monitors.name,
      owner_id: monitors.owner_id,
      updated_at: monitors.updated_at,
      options: monitors.options,
      interval: monitors.interval,
      agent_status: agents.status,
    })
    .from(monitors)
    .innerJoin(agents, eq(agents.id, monitors.agent_id))
    .where(and(sql`${monitors.id} IN ${among(monitorIds)}`, isAwaitedTooLong(now)))
    .limit(monitorIds.length);
}

/**
 * As staleAfterMs. Monitors are pending for a few intervals alone, so that the index, which its first column is sought in,
 * has few of them.
 */
const isAwaitedTooLong = (now: number) =>
  and(
    sql`${monitors.status} = 'pending' AND ${monitors.agent_id} IS NOT NULL`,
    lte(monitors.status_since, now),
    ne(monitors.type, "agent"),
    sql`(${agents.status} <> 'online'
      OR ${monitors.status_since} + max(3000 * ${monitors.interval}, ${STALE_AFTER_MIN_MS}) < ${now})`,
  );

const isOver = (now: number) => sql`(${agents.status} <> 'online' OR e.value ->> 7 < ${now})`;
/**
 * By its key; the index of agents would read all their monitors for each entry. Of several agents that check a monitor
 * without the edge, only the last whose result ends to be valid makes it unknown.
 */
const isOfEntry = (now: number) =>
  sql`${monitors.id} = e.value ->> 0 AND (+${monitors.agent_id} = ${agentLatest.agent_id}
    OR (${monitors.check_group_id} = '' AND instr(${monitors.locations}, ${agentLatest.agent_id}) > 0
      AND NOT EXISTS (SELECT 1 FROM ${monitorLocations} l JOIN ${agents} p ON p.id = l.agent_id AND p.status = 'online'
        JOIN ${agentLatest} o ON o.agent_id = l.agent_id JOIN json_each(o.latest) x ON x.value ->> 0 = l.monitor_id
        WHERE l.monitor_id = ${monitors.id} AND x.value ->> 7 >= ${now})))`;

const among = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
