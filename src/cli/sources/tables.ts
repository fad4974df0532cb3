import { CommandFailure } from "../failure.ts";
import { ForeignRecord } from "./record.ts";

/** What readers of databases share. A database may come from anybody. */

const ROWS_MAX = 20_000;
const BYTES_MAX = 64 * 1024 * 1024;

export interface Tables {
  /** Of each row what is not empty and not what the column holds anyhow; the same records each time. */
  rows(table: string): readonly ForeignRecord[];
  /** All records that were asked for. */
  read(): ForeignRecord[];
  /** Tables nobody asked for that hold something. */
  unread(): { table: string; count: number }[];
}

interface TableReader {
  names(): Iterable<string>;
  load(table: string): readonly ForeignRecord[];
  /** Its rows, without reading them. */
  count(table: string): number;
}

export function createTables({ names, load, count }: TableReader): Tables {
  const asked = new Map<string, readonly ForeignRecord[]>();
  return {
    rows(table) {
      const records = asked.get(table) ?? load(table);
      asked.set(table, records);
      return records;
    },
    read: () => [...asked.values()].flat(),
    unread: () =>
      [...names()]
        .filter((table) => !asked.has(table))
        .map((table) => ({ table, count: count(table) }))
        .filter(({ count }) => count > 0),
  };
}

export interface Column {
  name: string;
  dflt_value: string | null;
}

export function requireBounded(table: string, { rows, bytes }: { rows: number; bytes: number }): void {
  if (rows > ROWS_MAX) throw new CommandFailure(`${table} has more than ${ROWS_MAX} rows`);
  if (bytes > BYTES_MAX) throw new CommandFailure(`${table} holds more than ${BYTES_MAX / 1024 / 1024} MiB`);
}

/** A column that holds what it holds by default says nothing. */
export function recordOfRow(
  row: Readonly<Record<string, unknown>>,
  { table, columns }: { table: string; columns: readonly Column[] },
): ForeignRecord {
  const said = columns.flatMap(({ name, dflt_value }) => {
    const value = row[name];
    const text = String(value);
    const isEmpty = value === null || text === "" || text === "[]" || text === "{}";
    const isDefault = dflt_value !== null && text === dflt_value.replace(/^['"](.*)['"]$/s, "$1");
    return isEmpty || isDefault ? [] : [[name, value] as const];
  });
  const record = new ForeignRecord(Object.fromEntries(said));
  record.subject = `table ${table}`;
  return record;
}
