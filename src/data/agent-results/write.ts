import { and, eq, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { MINUTE_MS } from "../../lib/durations.ts";
import { type AgentPackedResult, agentLatest, agents } from "../agents/table.ts";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { firstLook, mergeLatest } from "./latest.ts";
import type { StoredLatest } from "./read.ts";

interface Recorded {
  agent_id: string;
  known: StoredLatest | undefined;
  fresh: readonly AgentPackedResult[];
  now: number;
}

/**
 * Keeps the newest result of each monitor, by one row for any number of them. It is written as merged from what was read;
 * only where another request has stored some since then they are merged where they are stored, which reads a row for each.
 */
export function recordLatest(db: Db, { agent_id, known, fresh, now }: Recorded): Statement {
  const added = sql`SELECT value FROM json_each(${JSON.stringify(fresh)})`;
  if (!known) return mergeStored(db, agent_id, added);
  const merged = mergeLatest({ latest: JSON.parse(known.latest), look_at: known.look_at }, fresh, now);
  const isUnchanged = sql`${agentLatest.latest} = ${known.latest}`;
  const mergedHere = sql`(SELECT json_group_array(json(value)) FROM (${newestOf(added, agentLatest.latest)}) WHERE place = 1)`;
  // The first look for any of them, or an earlier one: the sweep looks at each.
  const soonest = firstLook(fresh);
  const earlier = sql`min(coalesce(${agentLatest.look_at}, ${soonest}), ${soonest})`;
  return db
    .update(agentLatest)
    .set({
      latest: sql`CASE WHEN ${isUnchanged} THEN ${JSON.stringify(merged.latest)} ELSE ${mergedHere} END`,
      // SQLite writes the index of a column that is set, even to what it was.
      ...(merged.look_at !== undefined && {
        look_at: sql`CASE WHEN ${isUnchanged} THEN ${merged.look_at} ELSE ${earlier} END`,
      }),
    })
    .where(eq(agentLatest.agent_id, agent_id));
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
  return mergeStored(db, agent_id, sql`SELECT ${awaited} AS value`);
}

function mergeStored(db: Db, agentId: string, added: SQL): Statement {
  const newest = newestOf(added, sql`coalesce(${storedBy(agentId)}, '[]')`);
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

/** As `mergeLatest`: those at place 1. */
const newestOf = (added: SQL, stored: SQLWrapper) =>
  sql`SELECT value, row_number() OVER (PARTITION BY value ->> 0 ORDER BY value ->> 1 DESC, source) AS place
    FROM (SELECT value, 0 AS source FROM (${added}) UNION ALL SELECT value, 1 AS source FROM json_each(${stored}))`;

const storedBy = (agentId: string) => sql`(SELECT l.latest FROM ${agentLatest} l WHERE l.agent_id = ${agentId})`;

/** In whole minutes, so that the index of due agents is not written with every result. */
function firstOf(packed: SQL): SQL {
  const minute = sql.raw(String(MINUTE_MS));
  return sql`(min(${packed} ->> 7) + ${minute} - 1) / ${minute} * ${minute}`;
}

/** Decides anew when to look at these agents, after their monitors without a valid result were marked. */
export function settleLatest(db: Db, agentIds: readonly string[], now: number): Statement {
  const members = sql`json_each(agent_latest.latest) AS e JOIN ${monitors} m
    ON m.id = e.value ->> 0 AND (+m.agent_id = agent_latest.agent_id OR instr(m.locations, agent_latest.agent_id) > 0)`;
  const isShown = sql`(m.type <> 'agent' AND m.paused = 0 AND m.status IN ('up', 'down', 'degraded'))`;
  const isVoted = sql`m.agent_id IS NULL`;
  const isOnline = sql`(SELECT a.status = 'online' FROM ${agents} a WHERE a.id = agent_latest.agent_id)`;
  // What ended of one of several agents that vote is for the others to notice when theirs ends, too.
  const isWatched = sql`(${isShown} AND (NOT ${isVoted} OR (${isOnline} AND e.value ->> 7 >= ${now})))`;
  return db
    .update(agentLatest)
    .set({
      latest: sql`(SELECT json_group_array(json(CASE WHEN ${isWatched} THEN e.value ELSE json_set(e.value, '$[7]', NULL) END))
        FROM ${members})`,
      look_at: sql`(SELECT CASE WHEN count(*) = 0 THEN NULL WHEN ${isOnline} THEN ${firstOf(sql`e.value`)} ELSE 0 END
        FROM ${members} WHERE ${isWatched})`,
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
