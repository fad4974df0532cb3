import { and, lte, type SQL, sql } from "drizzle-orm";
import { MINUTE_MS } from "../../lib/durations.ts";
import { type AgentPackedResult, agentLatest, agents } from "../agents/table.ts";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";

/** Keeps the newest result of each monitor, by one row for any number of them. */
export function recordLatest(db: Db, agentId: string, fresh: readonly AgentPackedResult[]): Statement {
  return mergeLatest(db, agentId, sql`SELECT value FROM json_each(${JSON.stringify(fresh)})`);
}

export interface AwaitedResult {
  monitor_id: string;
  agent_id: string;
  /** The monitor is unknown when no result has come until then. */
  valid_until: number;
}

/** Gives an agent time for its first result under a changed configuration. */
export function awaitResult(db: Db, { monitor_id, agent_id, valid_until }: AwaitedResult): Statement {
  const none: AgentPackedResult = [monitor_id, 0, null, "", "default", "error", null, null];
  const stored = sql`(SELECT value FROM json_each(${storedBy(agent_id)}) WHERE value ->> 0 = ${monitor_id})`;
  const awaited = sql`json_set(coalesce(${stored}, ${JSON.stringify(none)}), '$[7]', CAST(${valid_until} AS INTEGER))`;
  return mergeLatest(db, agent_id, sql`SELECT ${awaited} AS value`);
}

/** Merged where it is stored, because an agent may send several requests at the same time. */
function mergeLatest(db: Db, agentId: string, added: SQL): Statement {
  const both = sql`SELECT value, 0 AS source FROM (${added})
    UNION ALL SELECT value, 1 AS source FROM json_each(coalesce(${storedBy(agentId)}, '[]'))`;
  const newest = sql`SELECT value, row_number() OVER (PARTITION BY value ->> 0 ORDER BY value ->> 1 DESC, source) AS place
    FROM (${both})`;
  return db
    .insert(agentLatest)
    .select(
      sql`SELECT a.id, json_group_array(json(value)), ${firstOf(sql`value`)}
        FROM ${agents} a JOIN (${newest}) ON place = 1 WHERE a.id = ${agentId} GROUP BY a.id`,
    )
    .onConflictDoUpdate({
      target: agentLatest.agent_id,
      set: { latest: sql`excluded.latest`, look_at: sql`excluded.look_at` },
    });
}

const storedBy = (agentId: string) => sql`(SELECT l.latest FROM ${agentLatest} l WHERE l.agent_id = ${agentId})`;

/** In whole minutes, so that the index of due agents is not written with every result. */
function firstOf(packed: SQL): SQL {
  const minute = sql.raw(String(MINUTE_MS));
  return sql`(min(${packed} ->> 7) + ${minute} - 1) / ${minute} * ${minute}`;
}

/** Decides anew when to look at these agents, after their monitors without a valid result were marked. */
export function settleLatest(db: Db, agentIds: readonly string[], now: number): Statement {
  const members = sql`json_each(agent_latest.latest) AS e JOIN ${monitors} m
    ON m.id = e.value ->> 0 AND +m.agent_id = agent_latest.agent_id`;
  const isShown = sql`(m.type <> 'agent' AND m.paused = 0 AND m.status IN ('up', 'down', 'degraded'))`;
  const isOnline = sql`(SELECT a.status = 'online' FROM ${agents} a WHERE a.id = agent_latest.agent_id)`;
  return db
    .update(agentLatest)
    .set({
      latest: sql`(SELECT json_group_array(json(CASE WHEN ${isShown} THEN e.value ELSE json_set(e.value, '$[7]', NULL) END))
        FROM ${members})`,
      look_at: sql`(SELECT CASE WHEN count(*) = 0 THEN NULL WHEN ${isOnline} THEN ${firstOf(sql`e.value`)} ELSE 0 END
        FROM ${members} WHERE ${isShown})`,
    })
    .where(and(isAmongAgents(agentIds), lte(agentLatest.look_at, now)));
}

const isAmongAgents = (ids: readonly string[]) =>
  sql`agent_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** Notes in the rows of these monitors that an agent's object holds results of them. */
export function addMeasuringAgent(db: Db, monitorIds: readonly string[], agentId: string): Statement {
  return db
    .update(monitors)
    .set({ measured_by: sql`json_insert(${monitors.measured_by}, '$[#]', ${agentId})` })
    .where(
      sql`${monitors.id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))
        AND NOT EXISTS (SELECT 1 FROM json_each(${monitors.measured_by}) WHERE value = ${agentId})`,
    );
}
