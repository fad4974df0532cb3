import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  or,
  sql,
} from "drizzle-orm";
import { DEFAULT_REGION } from "../contract/check.ts";
import { fillStretch, isFillable, type Reach, type Stretch } from "../domain/backfill.ts";
import { agentResults, agents } from "./agents.table.ts";
import type { Db, Statement } from "./db.ts";
import { monitors, type PackedResult, statusIntervals } from "./monitors.table.ts";
import { dropRollups } from "./roll-ups.ts";

export type AgentResultRecord = typeof agentResults.$inferSelect;

const SWEEP_MAX = 500;
/** More than an agent can have measured in the 24 hours for which results are taken, at the shortest interval. */
const NEIGHBOURS_MAX = 10_000;

/** One statement for any number of results; one check is stored once. Gives the checks that were new. */
export function insertResults(db: Db, results: readonly AgentResultRecord[]) {
  const members = Object.values(getTableColumns(agentResults)).map((column) =>
    column.name === "details" ? sql`r.value -> 'details'` : sql`r.value ->> ${column.name}`,
  );
  return db
    .insert(agentResults)
    .select(
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(results)}) AS r
        JOIN ${monitors} ON ${monitors.id} = r.value ->> 'monitor_id' WHERE true`,
    )
    .onConflictDoNothing()
    .returning({ checked_at: agentResults.checked_at });
}

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

export function deleteExpiredResults(db: Db, now: number): Statement {
  const expired = sql`SELECT rowid FROM ${agentResults} WHERE ${agentResults.expires_at} <= ${now} LIMIT ${SWEEP_MAX}`;
  return db.delete(agentResults).where(sql`rowid IN (${expired})`);
}

/** Monitors whose agent fell silent, or says nothing of them any more, although they claim to know something. */
export function listUnheard(db: Db, now: number) {
  const last = sql<number | null>`(SELECT max(checked_at) FROM agent_results WHERE monitor_id = ${monitors.id})`;
  const staleAfter = sql`max(${monitors.interval} * 3000, 180000)`;
  const { id, status_page_id, config_version, synced_version, state_seq, settled, updated_at } = monitors;
  return db
    .select({
      ...{ id, status_page_id, config_version, synced_version, state_seq, settled, updated_at },
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

export interface Filling extends Reach {
  monitor_id: string;
  /** When the first and the last of the late results were checked. */
  from: number;
  to: number;
  now: number;
}

/**
 * Writes late results into the stretches that were unknown. A stretch is known by the transition that began it and
 * keeps its last piece; the pieces before it get numbers below zero, which make a batch fail that another one overtook.
 */
export async function planFilling(db: Db, filling: Filling): Promise<Statement[]> {
  const { monitor_id, from, to, valid_for_ms } = filling;
  const [stretches, measurements, lowest] = await db.batch([
    db
      .select()
      .from(statusIntervals)
      .where(
        and(
          eq(statusIntervals.monitor_id, monitor_id),
          lt(statusIntervals.from_at, to + valid_for_ms),
          or(isNull(statusIntervals.to_at), gt(statusIntervals.to_at, from - valid_for_ms)),
        ),
      ),
    db
      .select({
        checked_at: agentResults.checked_at,
        status: agentResults.status,
        is_late: agentResults.is_late,
      })
      .from(agentResults)
      .where(
        and(
          eq(agentResults.monitor_id, monitor_id),
          gte(agentResults.checked_at, from - valid_for_ms),
          lte(agentResults.checked_at, to + valid_for_ms),
        ),
      )
      .orderBy(asc(agentResults.checked_at))
      .limit(NEIGHBOURS_MAX),
    db
      .select({ seq: sql<number>`min(${statusIntervals.seq})` })
      .from(statusIntervals)
      .where(eq(statusIntervals.monitor_id, monitor_id)),
  ]);
  let free = Math.min(0, lowest[0]?.seq ?? 0);
  const filled = stretches.filter(isFillable).flatMap((stretch) => {
    const pieces = fillStretch(stretch, measurements, filling);
    const last = pieces.pop();
    if (!last || isSame(stretch, last)) return [];
    const { status, source, from_at } = last;
    return [
      ...pieces.map((piece) => {
        free -= 1;
        return db.insert(statusIntervals).values({ ...piece, monitor_id, seq: free });
      }),
      // Its end is the next transition's, which may have been recorded meanwhile.
      db
        .update(statusIntervals)
        .set({ status, source, from_at })
        .where(and(eq(statusIntervals.monitor_id, monitor_id), eq(statusIntervals.seq, stretch.seq))),
    ];
  });
  // What an earlier result said may end where the first of these begins, but nothing before that is told anew.
  return filled.length === 0
    ? []
    : [...dropRollups(db, { monitor_id, touched_from: from - valid_for_ms, now: filling.now }), ...filled];
}

function isSame(a: Stretch, b: Stretch): boolean {
  return a.status === b.status && a.source === b.source && a.from_at === b.from_at;
}
