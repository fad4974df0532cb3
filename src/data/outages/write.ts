import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { maintenanceCoverage } from "../maintenance/table.ts";
import { monitors } from "../monitors/table.ts";
import type { OutageRecord } from "./read.ts";
import { BACKFILLED_SEQ, outages } from "./table.ts";

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

type Backfilled = Pick<
  OutageRecord,
  "id" | "monitor_id" | "status_page_id" | "started_at" | "ended_at" | "cause" | "evidence"
>;

/** Late results refine the past: former outages of theirs that are not among the records give way. */
export function replaceBackfilledOutages(
  db: Db,
  { former, records }: { former: readonly string[]; records: readonly Backfilled[] },
): Statement[] {
  const kept = new Set(records.map(({ id }) => id));
  const gone = former.filter((id) => !kept.has(id));
  const rows = records.map(({ evidence, ...record }) => ({
    ...record,
    seq: BACKFILLED_SEQ,
    regions: [],
    evidence: evidence && JSON.stringify(evidence),
  }));
  const storedValue = (name: string) =>
    name === "in_maintenance" ? wasInMaintenance : sql`r.value ->> ${sql.raw(`'${name}'`)}`;
  const values = Object.values(getTableColumns(outages)).map(({ name }) => storedValue(name));
  return [
    db.delete(outages).where(sql`${outages.id} IN (SELECT value FROM json_each(${JSON.stringify(gone)}))`),
    db
      .insert(outages)
      .select(
        sql`SELECT ${sql.join(values, sql`, `)} FROM json_each(${JSON.stringify(rows)}) AS r
          JOIN ${monitors} ON ${monitors.id} = r.value ->> 'monitor_id' WHERE true`,
      )
      .onConflictDoUpdate({
        target: outages.id,
        set: {
          ended_at: sql`excluded.ended_at`,
          cause: sql`excluded.cause`,
          in_maintenance: sql`excluded.in_maintenance`,
          evidence: sql`coalesce(${outages.evidence}, excluded.evidence)`,
        },
      }),
  ];
}

/** Whether a window covered the beginning of the outage `r`, as it took place. */
const wasInMaintenance = sql`EXISTS (SELECT 1 FROM ${maintenanceCoverage} AS c
  WHERE c.status_page_id = r.value ->> 'status_page_id' AND c.end_at > r.value ->> 'started_at'
    AND c.start_at <= r.value ->> 'started_at'
    AND CASE WHEN c.covers_page THEN coalesce(${monitors.page_since}, 0) <= r.value ->> 'started_at'
      ELSE EXISTS (SELECT 1 FROM json_each(c.monitor_ids) AS n WHERE n.value = ${monitors.id}) END)`;
