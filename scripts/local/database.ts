import { type Control, callControl } from "./runtime-control.ts";

export interface Statement {
  sql: string;
  params: (string | number | null)[];
}
export type Row = Record<string, unknown>;

/** Runs the statements as one transaction and gives the rows of each. */
export type Execute = (statements: Statement[]) => Promise<Row[][]>;

/** The database of a runtime that has a control worker. */
export function databaseOf(control: Control): Execute {
  return async (statements) => (await callControl(control, "/execute", statements)) as Row[][];
}
