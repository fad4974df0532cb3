import { z } from "zod";

/** The state of one object as backups hold it: its tables and its named values, in pages. */

/**
 * Those that hold what the database does not. The witness stays behind: that it has nothing in a restored deployment begins
 * an epoch, in which each monitor's object and its row are reconciled.
 */
export const BACKED_UP_OBJECTS = ["monitor", "prober"] as const;
export type BackedUpObject = (typeof BACKED_UP_OBJECTS)[number];

/** Bytes are base64 text in an object of their own. */
const Cell = z.union([z.string(), z.number(), z.null(), z.object({ base64: z.string() })]);
export type Cell = z.infer<typeof Cell>;

const TablePart = z.object({
  name: z.string(),
  /** The statement that makes the table. */
  schema: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(Cell)),
});

export const StatePage = z.object({
  tables: z.array(TablePart),
  values: z.array(z.tuple([z.string(), z.unknown()])),
});
export type StatePage = z.infer<typeof StatePage>;

/** Where the next page begins: after this row of this table. */
export const StateCursor = z.object({ table: z.string(), after: z.array(Cell) });
export type StateCursor = z.infer<typeof StateCursor>;

export interface ReadState {
  page: StatePage;
  /** Null after the last page. */
  next: StateCursor | null;
}

export interface WrittenState {
  page: StatePage;
  /** Pages of one object are written in order, beginning with 0. */
  position: number;
  is_last: boolean;
}

export type StateWriting = "kept" | "replaced" | "incomplete";

/** The verbs by which the operator's backup reads and replaces the state of an object. */
export interface ObjectStateRpc {
  readState(cursor: StateCursor | null): Promise<ReadState>;
  /** The state changes with the last page, all at once, unless pages before it are missing. */
  writeState(written: WrittenState): Promise<StateWriting>;
}

const Named = { kind: z.enum(BACKED_UP_OBJECTS), name: z.string().min(1).max(200) };
export const ObjectStateRead = z.object({ ...Named, cursor: StateCursor.nullable() });
export const ObjectStateWrite = z.object({
  ...Named,
  page: StatePage,
  position: z.int().min(0),
  is_last: z.boolean(),
});
