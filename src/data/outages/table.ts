import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { StoredEvidence } from "../../contract/check.ts";
import { emptyList, flag, id, instant } from "../columns.ts";
import { monitors } from "../monitors/table.ts";

/** `seq` of an outage that no transition opened: an agent reported it after it was over. */
export const BACKFILLED_SEQ = -1;

/** What every monitor was down for, from the first failing check to the first success of its recovery. */
export const outages = sqliteTable(
  "outages",
  {
    /** Derived from the monitor and `seq`, so that a repeat writes the same row. */
    id: id(),
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    /** Of the transition that opened it. */
    seq: integer("seq").notNull(),
    /** The page that the monitor was on when it began. */
    status_page_id: text("status_page_id"),
    started_at: instant("started_at").notNull(),
    ended_at: instant("ended_at"),
    /** The message of the first failing check. */
    cause: text("cause").notNull(),
    regions: text("regions", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    /** A maintenance window covered its beginning. */
    in_maintenance: flag("in_maintenance").notNull(),
    evidence: text("evidence", { mode: "json" }).$type<StoredEvidence>(),
  },
  (table) => [
    uniqueIndex("outages_monitor").on(table.monitor_id, table.started_at, table.seq),
    index("outages_open").on(table.monitor_id).where(sql`ended_at IS NULL`),
    index("outages_page").on(table.status_page_id, table.started_at),
  ],
);
