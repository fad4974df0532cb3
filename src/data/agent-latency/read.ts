import { and, asc, eq, gt, gte, inArray, isNotNull, lt, sql } from "drizzle-orm";
import { addTallies, type LatencyHistogram, tallyOf, unpackLatency } from "../../domain/baseline.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { agentResults, agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { agentLatency } from "./table.ts";

/** Distinct latencies of the hours of a few days; a day has at most 8,640 checks. */
const GROUPS_MAX = 50_000;
/** Of one agent. */
const MONITORS_MAX = 1000;

export interface TalliedStep {
  at: number;
  tally: LatencyHistogram;
}

/** What agents measured of a monitor since then: days that were added up by the hour, later ones in the steps asked for. */
export async function listAgentLatency(
  db: Db,
  monitorId: string,
  { from, step_ms }: { from: number; step_ms: number },
): Promise<TalliedStep[]> {
  const days = await db
    .select({ day_at: agentLatency.day_at, hours: agentLatency.hours })
    .from(agentLatency)
    .where(and(eq(agentLatency.monitor_id, monitorId), gt(agentLatency.day_at, from - DAY_MS)))
    .orderBy(asc(agentLatency.day_at));
  const last = days.at(-1)?.day_at;
  const recent = await measureLatency(db, [monitorId], {
    from: last === undefined ? from : Math.max(from, last + DAY_MS),
    to: Number.MAX_SAFE_INTEGER,
    step_ms,
  });
  const past = days.flatMap(({ hours }) => hours.map(({ at, tally }) => ({ at, tally: unpackLatency(tally) })));
  return [...past.filter(({ at }) => at >= from), ...(recent.get(monitorId) ?? [])];
}

/** The latencies of successes in `[from, to)`, by monitor; equal ones of a step are counted by the database. */
export async function measureLatency(
  db: Db,
  monitorIds: readonly string[],
  { from, to, step_ms }: { from: number; to: number; step_ms: number },
): Promise<Map<string, TalliedStep[]>> {
  const step = sql.raw(String(step_ms));
  const at = sql<number>`${agentResults.checked_at} / ${step} * ${step}`;
  const rows = await db
    .select({
      monitor_id: agentResults.monitor_id,
      at: at.as("at"),
      latency_ms: sql<number>`${agentResults.latency_ms}`.as("latency"),
      count: sql<number>`count(*)`.as("count"),
    })
    .from(agentResults)
    .where(
      and(
        sql`${agentResults.monitor_id} IN (SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`,
        gte(agentResults.checked_at, from),
        lt(agentResults.checked_at, to),
        inArray(agentResults.status, ["up", "degraded"]),
        isNotNull(agentResults.latency_ms),
      ),
    )
    .groupBy(agentResults.monitor_id, at, agentResults.latency_ms)
    .limit(GROUPS_MAX);
  return new Map(
    [...Map.groupBy(rows, ({ monitor_id }) => monitor_id)].map(([id, found]) => [
      id,
      [...Map.groupBy(found, (row) => row.at)].map(([stepAt, counted]) => ({
        at: stepAt,
        tally: addTallies(counted.map(({ latency_ms, count }) => tallyOf([latency_ms], count))),
      })),
    ]),
  );
}

export interface MonitorToAdd {
  monitor_id: string;
  /** The day after the last that was added up; the first with a result before any. */
  next_at: number;
}

/** The next agents in the order of their ids, with the monitors of each of which a day before `until` is not added up. */
export async function listLatencyToAdd(
  db: Db,
  { after, until, limit }: { after: string; until: number; limit: number },
): Promise<{ agents: string[]; monitors: MonitorToAdd[] }> {
  const found = await db
    .select({ id: agents.id })
    .from(agents)
    .where(gt(agents.id, after))
    .orderBy(asc(agents.id))
    .limit(limit);
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return { agents: ids, monitors: [] };
  const day = sql.raw(String(DAY_MS));
  const last = sql`(SELECT max(l.day_at) + ${day} FROM ${agentLatency} l WHERE l.monitor_id = ${monitors.id})`;
  const first = sql`(SELECT min(r.checked_at) / ${day} * ${day} FROM ${agentResults} r WHERE r.monitor_id = ${monitors.id})`;
  const next = sql<number | null>`coalesce(${last}, ${first})`;
  const rows = await db
    .select({ monitor_id: monitors.id, next_at: next.as("next_at") })
    .from(monitors)
    .where(
      and(
        isNotNull(monitors.agent_id),
        sql`${monitors.agent_id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
        sql`${next} < ${until}`,
      ),
    )
    .limit(MONITORS_MAX);
  return { agents: ids, monitors: rows.map(({ monitor_id, next_at }) => ({ monitor_id, next_at: next_at ?? until })) };
}
