import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { CommandFailure } from "../failure.ts";
import { ForeignRecord } from "./record.ts";

/**
 * The tables of a database of another tool. It may come from anybody: nothing that its schema computes is run, and rows are
 * counted and weighed before they are read.
 */

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

export function readTables<Result>(file: string, tool: string, convert: (tables: Tables) => Result): Result {
  if (!existsSync(file)) throw new CommandFailure(`there is no file ${file}`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, allowExtension: false });
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA mmap_size = 0");
    return convert(tablesOf(database));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${file} is no database of ${tool}: ${error instanceof Error ? error.message : error}`);
  } finally {
    database?.close();
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function tablesOf(database: DatabaseSync): Tables {
  const isTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  const asked = new Map<string, readonly ForeignRecord[]>();
  const load = (table: string): readonly ForeignRecord[] => {
    if (!isTable.get(table)) return [];
    // What the schema generates is not listed, and so not computed.
    const columns = database.prepare(`PRAGMA table_info(${quoted(table)})`).all() as unknown as Column[];
    requireFits(database, table, columns);
    const names = columns.map(({ name }) => quoted(name)).join(", ");
    const rows = database.prepare(`SELECT ${names} FROM ${quoted(table)}`).all();
    return rows.map((row) => recordOf(row, { table, columns }));
  };
  return {
    rows(table) {
      const records = asked.get(table) ?? load(table);
      asked.set(table, records);
      return records;
    },
    read: () => [...asked.values()].flat(),
    unread() {
      const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 500").all();
      return names.flatMap(({ name }) => {
        const table = String(name);
        if (asked.has(table)) return [];
        const counted = database.prepare(`SELECT count(*) AS count FROM ${quoted(table)}`).get();
        return Number(counted?.count) > 0 ? [{ table, count: Number(counted?.count) }] : [];
      });
    },
  };
}

interface Column {
  name: string;
  dflt_value: string | null;
}

function requireFits(database: DatabaseSync, table: string, columns: readonly Column[]): void {
  const weights = columns.map(({ name }) => `coalesce(octet_length(${quoted(name)}), 0)`).join(" + ") || "0";
  const counted = database.prepare(`SELECT count(*) AS count, sum(${weights}) AS bytes FROM ${quoted(table)}`).get();
  if (Number(counted?.count) > ROWS_MAX) throw new CommandFailure(`${table} has more than ${ROWS_MAX} rows`);
  if (Number(counted?.bytes) > BYTES_MAX)
    throw new CommandFailure(`${table} holds more than ${BYTES_MAX / 1024 / 1024} MiB`);
}

/** A column that holds what it holds by default says nothing. */
function recordOf(row: Record<string, unknown>, { table, columns }: { table: string; columns: readonly Column[] }) {
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
