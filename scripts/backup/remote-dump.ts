import { appendFileSync, writeFileSync } from "node:fs";
import type { Execute, Row } from "../local/database.ts";

/**
 * A deployed database as SQL, read in pages by key. An export by the platform lets the database answer nobody else until it
 * has ended; between two pages the service goes on.
 *
 * So the dump is of no single moment. A table is read before those that it refers to, whose rows are then there, and what
 * lost them to a deletion meanwhile is removed by the last statements.
 */

/** Of an answer: a page of rows that are longer than others is followed by a smaller one. */
const PAGE_BYTES = 1_000_000;
const ROWS = { first: 200, max: 5_000 };
/** D1 takes statements of 100,000 bytes: https://developers.cloudflare.com/d1/platform/limits/ */
const STATEMENT_BYTES = 90_000;
/** Of a text that is longer; a letter has three bytes at most, and four if it takes two units. */
const PIECE_UNITS = 20_000;
const SHORT_UNITS = 1_000;

interface Reference {
  table: string;
  from: string[];
  to: string[];
  isCleared: boolean;
}

interface Table {
  name: string;
  sql: string;
  columns: string[];
  references: Reference[];
}

export async function dumpDatabase(execute: Execute, files: { schema: string; rows: string }): Promise<void> {
  const items = await read(
    execute,
    `SELECT type, name, sql FROM sqlite_master
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY rowid`,
  );
  const others = items.filter(({ type }) => type !== "table").map(({ sql }) => `${sql};`);
  const tables: Table[] = [];
  for (const { type, name, sql } of items) {
    if (type === "table") tables.push(await describeTable(execute, String(name), String(sql)));
  }
  const lines = ["PRAGMA defer_foreign_keys=TRUE;", ...tables.map(({ sql }) => `${sql};`), ...others, ""];
  writeFileSync(files.schema, lines.join("\n"), { mode: 0o600 });
  writeFileSync(files.rows, "PRAGMA defer_foreign_keys=TRUE;\n", { mode: 0o600 });
  const ordered = orderByReferences(tables);
  for (const table of ordered) await dumpRows(execute, table, files.rows);
  // What is referred to comes last, so that what it takes along is known when the next table is cleared.
  const repairs = ordered.toReversed().flatMap(repairsOf);
  appendFileSync(files.rows, repairs.map((sql) => `${sql}\n`).join(""));
}

async function read(execute: Execute, sql: string, params: (string | number)[] = []): Promise<Row[]> {
  const [rows = []] = await execute([{ sql, params }]);
  return rows;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

async function describeTable(execute: Execute, name: string, sql: string): Promise<Table> {
  const columns = await read(execute, `PRAGMA table_info(${quoted(name)})`);
  const keys = await read(execute, `PRAGMA foreign_key_list(${quoted(name)})`);
  const references = [...Map.groupBy(keys, ({ id }) => id).values()].map((parts) => ({
    table: String(parts[0]?.table),
    from: parts.map(({ from }) => String(from)),
    // Without a column the primary key is meant.
    to: parts.map(({ to }) => (to === null ? "rowid" : String(to))),
    isCleared: parts[0]?.on_delete === "SET NULL",
  }));
  return { name, sql, columns: columns.map((column) => String(column.name)), references };
}

/** Each table before those that it refers to; of a circle, in the order of their making. */
function orderByReferences(tables: readonly Table[]): Table[] {
  const ordered: Table[] = [];
  const visited = new Set<Table>();
  const visit = (table: Table) => {
    if (visited.has(table)) return;
    visited.add(table);
    for (const { table: name } of table.references) {
      const other = tables.find((each) => each.name === name);
      if (other) visit(other);
    }
    ordered.unshift(table);
  };
  for (const table of tables) visit(table);
  return ordered;
}

async function dumpRows(execute: Execute, table: Table, file: string): Promise<void> {
  const { name, columns } = table;
  const values = columns.map((column, n) => `quote(${quoted(column)}) AS c${n}`).join(", ");
  // Rows that come while the table is read may go on for ever.
  const [newest] = await read(execute, `SELECT max(rowid) AS last FROM ${quoted(name)}`);
  const last = Number(newest?.last ?? 0);
  let size = ROWS.first;
  for (let after = -1; after < last; ) {
    const sql = `SELECT rowid AS page_key, ${values} FROM ${quoted(name)} WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?`;
    const rows = await read(execute, sql, [after, last, size]);
    if (rows.length === 0) return;
    const statements = rows.flatMap((row) => {
      return statementsOf(
        table,
        columns.map((_column, n) => String(row[`c${n}`])),
      );
    });
    const text = statements.map((statement) => `${statement}\n`).join("");
    appendFileSync(file, text);
    after = Number(rows.at(-1)?.page_key);
    const ideal = Math.ceil((size * PAGE_BYTES) / Math.max(1, text.length));
    size = Math.min(ROWS.max, Math.max(1, Math.min(2 * size, ideal)));
  }
}

/** One row; the texts of a long one are appended piece by piece, while it is the newest of its table. */
function statementsOf({ name, columns }: Table, literals: readonly string[]): string[] {
  const insert = (values: readonly string[]) =>
    `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(", ")}) VALUES (${values.join(", ")});`;
  const whole = insert(literals);
  if (Buffer.byteLength(whole) <= STATEMENT_BYTES) return [whole];
  const isLong = (literal: string) => literal.startsWith("'") && literal.length > SHORT_UNITS;
  const isNewest = `rowid = (SELECT max(rowid) FROM ${quoted(name)})`;
  const append = (column: string, piece: string) =>
    `UPDATE ${quoted(name)} SET ${quoted(column)} = ${quoted(column)} || ${piece} WHERE ${isNewest};`;
  return [
    insert(literals.map((literal) => (isLong(literal) ? "''" : literal))),
    ...columns.flatMap((column, n) => {
      const literal = literals[n] ?? "";
      return isLong(literal) ? piecesOf(literal).map((piece) => append(column, piece)) : [];
    }),
  ];
}

/** Literals of the parts of a text; none parts the two units of one letter. */
function piecesOf(literal: string): string[] {
  const text = literal.slice(1, -1).replaceAll("''", "'");
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = from + PIECE_UNITS;
    const isParted = (text.codePointAt(end - 1) ?? 0) > 0xffff;
    const piece = text.slice(from, isParted ? end - 1 : end);
    pieces.push(`'${piece.replaceAll("'", "''")}'`);
    from += piece.length;
  }
  return pieces;
}

function repairsOf({ name, references }: Table): string[] {
  return references.map(({ table, from, to, isCleared }) => {
    const isSet = from.map((column) => `${quoted(column)} IS NOT NULL`).join(" AND ");
    const isSame = from
      .map((column, n) => `p.${quoted(to[n] ?? "rowid")} = ${quoted(name)}.${quoted(column)}`)
      .join(" AND ");
    const isLost = `${isSet} AND NOT EXISTS (SELECT 1 FROM ${quoted(table)} p WHERE ${isSame})`;
    const cleared = from.map((column) => `${quoted(column)} = NULL`).join(", ");
    return isCleared
      ? `UPDATE ${quoted(name)} SET ${cleared} WHERE ${isLost};`
      : `DELETE FROM ${quoted(name)} WHERE ${isLost};`;
  });
}
