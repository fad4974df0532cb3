import { and, asc, eq, getTableColumns, gt, gte, isNull, lt, lte, or, sql } from "drizzle-orm";
import { type BackfillLimits, backfillInterval, isBackfillable, type SourcedInterval } from "../../domain/backfill.ts";
import { agentResults } from "../agents/table.ts";
import { invalidateDailyAggregates } from "../daily-aggregates/write.ts";
import { type Db, deleteSome, type Statement } from "../db.ts";
import { monitors, statusIntervals } from "../monitors/table.ts";
import type { AgentResultRecord } from "./read.ts";

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

export function deleteExpiredResults(db: Db, now: number): Statement {
  return deleteSome(db, agentResults, lte(agentResults.expires_at, now));
}

export interface BackfillRequest extends BackfillLimits {
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
export async function planBackfill(db: Db, filling: BackfillRequest): Promise<Statement[]> {
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
  const filled = stretches.filter(isBackfillable).flatMap((stretch) => {
    const pieces = backfillInterval(stretch, measurements, filling);
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
  // An earlier result may end where the first of these begins; nothing before that changes.
  return filled.length === 0
    ? []
    : [
        ...invalidateDailyAggregates(db, { monitor_id, touched_from: from - valid_for_ms, now: filling.now }),
        ...filled,
      ];
}

function isSame(a: SourcedInterval, b: SourcedInterval): boolean {
  return a.status === b.status && a.source === b.source && a.from_at === b.from_at;
}
