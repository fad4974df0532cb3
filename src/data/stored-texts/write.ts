import { and, eq, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { storedTexts } from "./table.ts";

/** The rows that a budget counts by the hour. */
export type RowBudget = "written_rows" | "agent_rows";

export interface Written {
  /** Of texts, which events may repeat. */
  bytes: number;
  audit_bytes: number;
  budget: RowBudget;
  rows: number;
  hour_at: number;
}

/** Adds a write to what its account has written; a new hour begins at zero. */
export function addWritten(db: Db, ownerId: string, { bytes, audit_bytes, budget, rows, hour_at }: Written): Statement {
  const added = (of: RowBudget) => (of === budget ? rows : 0);
  const total = (of: RowBudget) =>
    sql`CASE WHEN ${storedTexts.hour_at} = ${hour_at} THEN ${storedTexts[of]} ELSE 0 END + ${added(of)}`;
  return db
    .insert(storedTexts)
    .values({
      owner_id: ownerId,
      bytes,
      event_bytes: bytes,
      audit_bytes,
      hour_at,
      written_rows: added("written_rows"),
      agent_rows: added("agent_rows"),
    })
    .onConflictDoUpdate({
      target: storedTexts.owner_id,
      set: {
        bytes: sql`${storedTexts.bytes} + ${bytes}`,
        event_bytes: sql`${storedTexts.event_bytes} + ${bytes}`,
        audit_bytes: sql`${storedTexts.audit_bytes} + ${audit_bytes}`,
        hour_at,
        written_rows: total("written_rows"),
        agent_rows: total("agent_rows"),
      },
    });
}

/** Adds rows of a write that was counted in the same hour. */
export function addRows(
  db: Db,
  ownerId: string,
  { budget, count, hour_at }: { budget: RowBudget; count: number; hour_at: number },
): Statement {
  return db
    .update(storedTexts)
    .set({ [budget]: sql`${storedTexts[budget]} + ${count}` })
    .where(and(eq(storedTexts.owner_id, ownerId), eq(storedTexts.hour_at, hour_at)));
}

/** Where the account has a row: what its plan does not limit is not counted. */
export function addPastBytes(db: Db, ownerId: string, kind: "audit_bytes" | "event_bytes", bytes: number): Statement {
  return db
    .update(storedTexts)
    .set({ [kind]: sql`${storedTexts[kind]} + ${bytes}` })
    .where(eq(storedTexts.owner_id, ownerId));
}

/** Takes off what a measurement found too much; what was added meanwhile stays. */
export function correctStoredText(
  db: Db,
  ownerId: string,
  { excess, now }: { excess: number; now: number },
): Statement {
  return db
    .update(storedTexts)
    .set({ bytes: sql`${storedTexts.bytes} - ${excess}`, measured_at: now })
    .where(eq(storedTexts.owner_id, ownerId));
}
