import { getTableColumns, type SQL, sql } from "drizzle-orm";
import {
  type BackfilledOutage,
  type BackfillLimits,
  backfillStretches,
  type LateResult,
  listBackfilledOutages,
  type SourcedInterval,
  type Thresholds,
} from "../../domain/backfill.ts";
import { invalidateDailyAggregates } from "../daily-aggregates/write.ts";
import type { Db, Statement } from "../db.ts";
import { monitors, statusIntervals } from "../monitors/table.ts";
import { listOutagesAround, type OutageAround, type OutageWindow } from "../outages/read.ts";
import { replaceBackfilledOutages } from "../outages/write.ts";

export interface BackfillRequest extends BackfillLimits, Thresholds {
  monitor_id: string;
  /** The page that it is on. */
  status_page_id: string | null;
  /** When the first and the last of the late results were checked. */
  from: number;
  to: number;
  /** What was measured between them and as long before and after as a result is valid, oldest first. */
  measurements: readonly LateResult[];
}

interface Backfill {
  /** Monitors of which intervals change. */
  monitor_ids: string[];
  statements: Statement[];
}

/**
 * Writes late results of any number of monitors into the stretches that were unknown. A stretch is known by the
 * transition that began it and keeps its last piece; the pieces before it get numbers below zero, which make a batch fail
 * that another one overtook.
 */
export async function planBackfill(
  db: Db,
  requests: readonly BackfillRequest[],
  { now, outageIdOf }: { now: number; outageIdOf: (monitorId: string, startedAt: number) => string },
): Promise<Backfill> {
  if (requests.length === 0) return { monitor_ids: [], statements: [] };
  const windows = requests.map(windowOf);
  const [stretches, lowest, outages] = await db.batch([
    listStretches(db, windows),
    listLowestNumbers(db, requests),
    listOutagesAround(db, windows),
  ]);
  const outagesOf = Map.groupBy(outages, ({ monitor_id }) => monitor_id);
  const stretchesOf = Map.groupBy(stretches, ({ monitor_id }) => monitor_id);
  const lowestOf = new Map(lowest.map(({ monitor_id, seq }) => [monitor_id, seq ?? 0]));
  const filled = requests.map((request) => ({
    request,
    ...fill(request, {
      unordered: stretchesOf.get(request.monitor_id) ?? [],
      lowest: Math.min(0, lowestOf.get(request.monitor_id) ?? 0),
      recorded: outagesOf.get(request.monitor_id) ?? [],
    }),
  }));
  const changed = filled.filter(({ updated }) => updated.length > 0);
  if (changed.length === 0) return { monitor_ids: [], statements: [] };
  return {
    monitor_ids: changed.map(({ request }) => request.monitor_id),
    statements: [
      // An earlier result may end where the first of these begins; nothing before that changes.
      ...changed.flatMap(({ request: { monitor_id, from, valid_for_ms } }) =>
        invalidateDailyAggregates(db, { monitor_id, touched_from: from - valid_for_ms, now }),
      ),
      insertPieces(
        db,
        changed.flatMap(({ added }) => added),
      ),
      updateStretches(
        db,
        changed.flatMap(({ updated }) => updated),
      ),
      ...replaceBackfilledOutages(db, {
        former: changed.flatMap(({ former }) => former),
        records: changed.flatMap(({ request: { monitor_id, status_page_id }, outages }) =>
          outages.map((outage) => ({
            id: outageIdOf(monitor_id, outage.started_at),
            monitor_id,
            status_page_id,
            ...outage,
          })),
        ),
      }),
    ],
  };
}

type StoredInterval = typeof statusIntervals.$inferSelect;

interface Filled {
  added: StoredInterval[];
  updated: StoredInterval[];
  /** Outages that earlier results said, and what all of them say now. */
  former: string[];
  outages: BackfilledOutage[];
}

interface Stored {
  unordered: readonly StoredInterval[];
  /** Of the numbers of the monitor's intervals. */
  lowest: number;
  recorded: readonly OutageAround[];
}

function fill(request: BackfillRequest, { unordered, lowest, recorded }: Stored): Filled {
  const { monitor_id, measurements } = request;
  const stretches = unordered.toSorted((a, b) => a.from_at - b.from_at);
  let free = lowest;
  const shown: SourcedInterval[] = [];
  const filled = backfillStretches(stretches, measurements, request).flatMap(({ stretch, pieces }) => {
    shown.push(...pieces);
    const last = pieces.pop();
    if (!last || isSame(stretch, last)) return [];
    const added = pieces.map((piece) => {
      free -= 1;
      return { ...piece, monitor_id, seq: free };
    });
    return [{ added, updated: { ...last, monitor_id, seq: stretch.seq } }];
  });
  return {
    added: filled.flatMap(({ added }) => added),
    updated: filled.map(({ updated }) => updated),
    former: recorded.flatMap(({ id, is_backfilled }) => (is_backfilled ? [id] : [])),
    outages: listBackfilledOutages(shown, measurements, { window: windowOf(request), recorded }),
  };
}

/** Where results may change what is known. */
function windowOf({ monitor_id, from, to, valid_for_ms }: BackfillRequest) {
  return { monitor_id, from: from - valid_for_ms, to: to + valid_for_ms };
}

function listStretches(db: Db, windows: readonly OutageWindow[]) {
  return db
    .select(getTableColumns(statusIntervals))
    .from(sql`json_each(${JSON.stringify(windows)}) AS r`)
    .innerJoin(
      statusIntervals,
      sql`${statusIntervals.monitor_id} = r.value ->> 'monitor_id' AND ${statusIntervals.from_at} < r.value ->> 'to'
        AND coalesce(${statusIntervals.to_at}, r.value ->> 'to') > r.value ->> 'from'`,
    );
}

function listLowestNumbers(db: Db, requests: readonly BackfillRequest[]) {
  const ids = JSON.stringify(requests.map(({ monitor_id }) => monitor_id));
  return db
    .select({
      monitor_id: sql<string>`r.value`.as("monitor_id"),
      seq: sql<number | null>`(SELECT min(i.seq) FROM ${statusIntervals} i WHERE i.monitor_id = r.value)`.as("seq"),
    })
    .from(sql`json_each(${ids}) AS r`);
}

function insertPieces(db: Db, pieces: readonly StoredInterval[]): Statement {
  const members = Object.values(getTableColumns(statusIntervals)).map(({ name }) => member(name));
  return db.insert(statusIntervals).select(
    sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(pieces)}) AS r
      JOIN ${monitors} ON ${monitors.id} = ${member("monitor_id")} WHERE true`,
  );
}

/** Without their ends: that of the last is the next transition's, which may have been recorded meanwhile. */
function updateStretches(db: Db, stretches: readonly StoredInterval[]): Statement {
  return db
    .update(statusIntervals)
    .set({ status: member("status"), source: member("source"), from_at: member("from_at") })
    .from(sql`json_each(${JSON.stringify(stretches)}) AS r`)
    .where(sql`${statusIntervals.monitor_id} = ${member("monitor_id")} AND ${statusIntervals.seq} = ${member("seq")}`);
}

const member = (name: string): SQL => sql`r.value ->> ${sql.raw(`'${name}'`)}`;

function isSame(a: SourcedInterval, b: SourcedInterval): boolean {
  return a.status === b.status && a.source === b.source && a.from_at === b.from_at;
}
