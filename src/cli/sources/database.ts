import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { CommandFailure } from "../failure.ts";
import { type Column, createTables, recordOfRow, requireBounded, type Tables } from "./tables.ts";

/**
 * The tables of a database of another tool, read by SQLite itself: nothing that its schema computes is run, and rows are
 * counted and weighed before they are read.
 */

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
  return createTables({
    names: () => {
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 500").all();
      return tables.map(({ name }) => String(name));
    },
    load(table) {
      if (!isTable.get(table)) return [];
      // What the schema generates is not listed, and so not computed.
      const columns = database.prepare(`PRAGMA table_info(${quoted(table)})`).all() as unknown as Column[];
      requireFits(database, table, columns);
      const names = columns.map(({ name }) => quoted(name)).join(", ");
      const rows = database.prepare(`SELECT ${names} FROM ${quoted(table)}`).all();
      return rows.map((row) => recordOfRow(row, { table, columns }));
    },
    count: (table) => Number(database.prepare(`SELECT count(*) AS count FROM ${quoted(table)}`).get()?.count),
  });
}

function requireFits(database: DatabaseSync, table: string, columns: readonly Column[]): void {
  const weights = columns.map(({ name }) => `coalesce(octet_length(${quoted(name)}), 0)`).join(" + ") || "0";
  const counted = database.prepare(`SELECT count(*) AS count, sum(${weights}) AS bytes FROM ${quoted(table)}`).get();
  requireBounded(table, { rows: Number(counted?.count), bytes: Number(counted?.bytes) });
}
