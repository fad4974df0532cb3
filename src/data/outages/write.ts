import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import type { OutageRecord } from "./read.ts";
import { outages } from "./table.ts";

export function insertOutage(db: Db, record: OutageRecord): Statement {
  return db.insert(outages).values(record).onConflictDoNothing();
}

export function endOutage(db: Db, outageId: string, endedAt: number): Statement {
  return db
    .update(outages)
    .set({ ended_at: endedAt })
    .where(and(eq(outages.id, outageId), isNull(outages.ended_at)));
}

export function updateRegions(db: Db, outageId: string, regions: string[]): Statement {
  return db.update(outages).set({ regions }).where(eq(outages.id, outageId));
}

/** No transition opened these: an agent reported them after they were over. */
const BACKFILLED_SEQ = -1;

export interface OutageRange {
  monitor_id: string;
  from: number;
  to: number;
}

type Backfilled = Pick<OutageRecord, "id" | "monitor_id" | "status_page_id" | "started_at" | "ended_at" | "cause">;

/** Late results refine the past, so what they said of these ranges before gives way. */
export function replaceBackfilledOutages(
  db: Db,
  ranges: readonly OutageRange[],
  records: readonly Backfilled[],
): Statement[] {
  const replaced = sql`SELECT o.id FROM json_each(${JSON.stringify(ranges)}) AS r JOIN ${outages} AS o
    ON o.monitor_id = r.value ->> 'monitor_id' AND o.seq = ${BACKFILLED_SEQ}
    AND o.started_at >= r.value ->> 'from' AND o.started_at < r.value ->> 'to'`;
  const rows = records.map((record) => ({
    ...record,
    seq: BACKFILLED_SEQ,
    regions: [],
    in_maintenance: 0,
    evidence: null,
  }));
  const members = Object.values(getTableColumns(outages)).map(({ name }) => sql`r.value ->> ${sql.raw(`'${name}'`)}`);
  return [
    db.delete(outages).where(sql`${outages.id} IN (${replaced})`),
    db.insert(outages).select(
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(rows)}) AS r
        JOIN ${monitors} ON ${monitors.id} = r.value ->> 'monitor_id' WHERE true`,
    ),
  ];
}
