import type { Cell, ReadState, StateCursor, StatePage, StateWriting, WrittenState } from "../contract/object-state.ts";

/** Far below what a call may carry (32 MiB), so that neither side holds much at once. */
const PAGE_BYTES = 1 << 20;
const STAGE = "written_pages";

interface Table {
  name: string;
  schema: string;
  columns: string[];
  key: string[];
}

/**
 * Reads one page. Directories of words come last: they only grow, so every row that was read before them finds its words
 * although the object goes on working between two pages.
 */
export function readState({ sql, kv }: DurableObjectStorage, cursor: StateCursor | null): ReadState {
  const tables = listTables(sql);
  const values: StatePage["values"] = cursor === null ? [...kv.list()] : [];
  const page: StatePage = { tables: [], values };
  const from = cursor === null ? 0 : tables.findIndex(({ name }) => name === cursor.table);
  let room = PAGE_BYTES - JSON.stringify(values).length;
  for (const [n, table] of tables.slice(Math.max(0, from)).entries()) {
    const part = { name: table.name, schema: table.schema, columns: table.columns, rows: [] as Cell[][] };
    page.tables.push(part);
    const after = n === 0 && cursor !== null && from >= 0 ? cursor.after : [];
    for (const row of rowsAfter(sql, table, after)) {
      const cells = row.map(toCell);
      if (room <= 0) return { page, next: { table: table.name, after: keyOf(table, part.rows.at(-1)) ?? after } };
      room -= JSON.stringify(cells).length;
      part.rows.push(cells);
    }
  }
  return { page, next: null };
}

/** Keeps a page until the last one is there; then all of the object's state is replaced in one transaction. */
export function writeState(storage: DurableObjectStorage, { page, position, is_last }: WrittenState): StateWriting {
  const { sql } = storage;
  return storage.transactionSync(() => {
    if (position === 0) sql.exec(`DROP TABLE IF EXISTS ${STAGE}`);
    sql.exec(`CREATE TABLE IF NOT EXISTS ${STAGE} (position INTEGER PRIMARY KEY, page TEXT NOT NULL)`);
    sql.exec(`INSERT OR REPLACE INTO ${STAGE} (position, page) VALUES (?, ?)`, position, JSON.stringify(page));
    if (!is_last) return "kept";
    const { pages } = sql
      .exec<{ pages: number }>(`SELECT count(*) AS pages FROM ${STAGE} WHERE position <= ?`, position)
      .one();
    if (pages !== position + 1) return "incomplete";
    replaceState(storage, position);
    return "replaced";
  });
}

function replaceState({ sql, kv }: DurableObjectStorage, last: number): void {
  for (const { name } of listTables(sql)) sql.exec(`DROP TABLE ${quoted(name)}`);
  for (const [key] of [...kv.list()]) kv.delete(key);
  const made = new Set<string>();
  for (let position = 0; position <= last; position++) {
    const [staged] = sql.exec<{ page: string }>(`SELECT page FROM ${STAGE} WHERE position = ?`, position);
    const page: StatePage = JSON.parse(staged?.page ?? "");
    for (const [key, value] of page.values) kv.put(key, value);
    for (const { name, schema, columns, rows } of page.tables) {
      if (!made.has(name)) sql.exec(schema);
      made.add(name);
      const insert = `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
      for (const row of rows) sql.exec(insert, ...row.map(fromCell));
    }
  }
  sql.exec(`DROP TABLE ${STAGE}`);
}

function listTables(sql: SqlStorage): Table[] {
  const found = sql.exec<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name <> '${STAGE}' ORDER BY name = 'words', name`,
  );
  return [...found].map(({ name, sql: schema }) => {
    const columns = [...sql.exec<{ name: string; pk: number }>(`PRAGMA table_info(${quoted(name)})`)];
    const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    return { name, schema, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
  });
}

function rowsAfter(sql: SqlStorage, { name, columns, key }: Table, after: readonly Cell[]) {
  const keys = key.map(quoted).join(", ");
  const where = after.length === 0 ? "" : `WHERE (${keys}) > (${after.map(() => "?").join(", ")})`;
  const query = `SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(name)} ${where} ORDER BY ${keys}`;
  return sql.exec(query, ...after.map(fromCell)).raw();
}

function keyOf({ columns, key }: Table, row: readonly Cell[] | undefined): Cell[] | undefined {
  return row && key.map((name) => row[columns.indexOf(name)] ?? null);
}

function toCell(value: SqlStorageValue): Cell {
  return value instanceof ArrayBuffer ? { base64: Buffer.from(value).toString("base64") } : value;
}

function fromCell(cell: Cell): SqlStorageValue {
  if (typeof cell !== "object" || cell === null) return cell;
  const bytes = new Uint8Array(Buffer.from(cell.base64, "base64"));
  return bytes.buffer;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
