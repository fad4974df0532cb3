import { CommandFailure } from "../failure.ts";
import { columnsOf, type StoredColumn } from "./create-table.ts";
import { createTables, recordOfRow, requireBounded, type Tables } from "./tables.ts";

/**
 * The tables of a SQLite database that is in memory as a whole, for browsers, which have no SQLite. Only tables are read, and
 * nothing of the schema is run. https://www.sqlite.org/fileformat2.html
 */

const PAGE = { interior: 5, leaf: 13 } as const;
const ENCODINGS = ["utf-8", "utf-8", "utf-16le", "utf-16be"];

interface Database {
  bytes: Uint8Array;
  view: DataView;
  pageSize: number;
  /** Of a page, what its cells may use. */
  usable: number;
  text: TextDecoder;
}

interface StoredTable {
  root: number;
  columns: readonly StoredColumn[];
}

type Value = string | number | null | Uint8Array;

export function readSqlite<Result>(bytes: Uint8Array, tool: string, convert: (tables: Tables) => Result): Result {
  try {
    return convert(tablesOf(openDatabase(bytes)));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`the file is no database of ${tool}: ${error instanceof Error ? error.message : error}`);
  }
}

function openDatabase(bytes: Uint8Array): Database {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 512) throw new Error("it is too short");
  const declared = view.getUint16(16);
  const pageSize = declared === 1 ? 65_536 : declared;
  const usable = pageSize - view.getUint8(20);
  const encoding = ENCODINGS[view.getUint32(56)];
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0 || usable < 480 || encoding === undefined)
    throw new Error("its head is malformed");
  return { bytes, view, pageSize, usable, text: new TextDecoder(encoding) };
}

function tablesOf(database: Database): Tables {
  const stored = new Map<string, StoredTable>();
  for (const { values } of rowsOf(database, 1, "its schema")) {
    const [type, name, , root, sql] = values;
    // A virtual table has no root.
    if (type === "table" && typeof root === "number" && root > 0)
      stored.set(String(name), { root, columns: columnsOf(String(sql)) });
  }
  return createTables({
    names: () => stored.keys(),
    load(table) {
      const found = stored.get(table);
      if (!found) return [];
      const columns = found.columns.filter(({ generated }) => generated === null);
      return [...rowsOf(database, found.root, table)].map((row) => {
        return recordOfRow(namedValues(row, found.columns), { table, columns });
      });
    },
    count(table) {
      const found = stored.get(table);
      let count = 0;
      if (found) for (const { cells } of leavesOf(database, found.root)) count += cells;
      return count;
    },
  });
}

const malformed = () => new Error("it is malformed");

interface Row {
  id: number;
  values: Value[];
}

function namedValues({ id, values }: Row, columns: readonly StoredColumn[]): Record<string, Value> {
  let n = 0;
  const named = columns.map(({ name, isRowId, generated }) => {
    const value = generated === "virtual" ? null : (values[n++] ?? null);
    return [name, isRowId ? id : value] as const;
  });
  return Object.fromEntries(named);
}

interface Leaf {
  /** Where the head of the page begins. */
  head: number;
  start: number;
  cells: number;
}

/** The pages of a table that hold its rows, in their order. A page that leads back is none of a database. */
function* leavesOf({ view, bytes, pageSize }: Database, root: number, seen = new Set<number>()): Generator<Leaf> {
  const open = [root];
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    const start = (page - 1) * pageSize;
    if (page < 1 || start + pageSize > bytes.length || seen.has(page)) throw malformed();
    seen.add(page);
    const head = page === 1 ? 100 : start;
    const kind = view.getUint8(head);
    const cells = view.getUint16(head + 3);
    if (kind === PAGE.leaf) yield { head, start, cells };
    else if (kind === PAGE.interior) {
      const children = Array.from({ length: cells }, (_, n) => {
        return view.getUint32(start + view.getUint16(head + 12 + 2 * n));
      });
      open.push(view.getUint32(head + 8), ...children.reverse());
    } else throw new Error("it has a table that is kept in another way");
  }
}

function* rowsOf(database: Database, root: number, table: string): Generator<Row> {
  const { view } = database;
  let [rows, bytes] = [0, 0];
  for (const { head, start, cells } of leavesOf(database, root)) {
    rows += cells;
    requireBounded(table, { rows, bytes });
    for (let n = 0; n < cells; n++) {
      const cell = new Cursor(view, start + view.getUint16(head + 8 + 2 * n));
      const size = cell.varint();
      if (size < 0) throw malformed();
      bytes += size;
      requireBounded(table, { rows, bytes });
      const id = cell.varint();
      yield { id, values: valuesOf(database, payloadOf(database, cell.at, size)) };
    }
  }
}

/** What does not fit on the page of a row goes on in a chain of pages. */
function payloadOf({ view, bytes, pageSize, usable }: Database, at: number, size: number): Uint8Array {
  const most = usable - 35;
  if (size <= most) return bytes.subarray(at, at + size);
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((size - least) % (usable - 4));
  const local = fitting <= most ? fitting : least;
  const payload = new Uint8Array(size);
  payload.set(bytes.subarray(at, at + local));
  let filled = local;
  for (let page = view.getUint32(at + local); filled < size; ) {
    const start = (page - 1) * pageSize;
    const part = bytes.subarray(start + 4, start + 4 + Math.min(usable - 4, size - filled));
    if (page < 1 || part.length === 0) throw malformed();
    payload.set(part, filled);
    filled += part.length;
    page = view.getUint32(start);
  }
  return payload;
}

function valuesOf({ text }: Database, payload: Uint8Array): Value[] {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const head = new Cursor(view, 0);
  const body = new Cursor(view, head.varint());
  const end = body.at;
  const values: Value[] = [];
  while (head.at < end) values.push(fieldOf(head.varint(), body, text));
  return values;
}

function fieldOf(type: number, body: Cursor, text: TextDecoder): Value {
  if (type === 0) return null;
  if (type === 7) return body.float();
  if (type === 8 || type === 9) return type - 8;
  if (type < 7) return body.integer([1, 2, 3, 4, 6, 8][type - 1] ?? 0);
  if (type < 12) throw malformed();
  const bytes = body.take(Math.floor((type - 12) / 2));
  return type % 2 === 1 ? text.decode(bytes) : bytes;
}

class Cursor {
  readonly #view: DataView;
  at: number;

  constructor(view: DataView, at: number) {
    this.#view = view;
    this.at = at;
  }

  varint(): number {
    let value = 0n;
    for (let n = 0; n < 9; n++) {
      const byte = this.#view.getUint8(this.at++);
      if (n === 8) value = (value << 8n) | BigInt(byte);
      else value = (value << 7n) | BigInt(byte & 0x7f);
      if (byte < 0x80) break;
    }
    return Number(BigInt.asIntN(64, value));
  }

  integer(length: number): number {
    let value = 0n;
    for (let n = 0; n < length; n++) value = (value << 8n) | BigInt(this.#view.getUint8(this.at++));
    return Number(BigInt.asIntN(8 * length, value));
  }

  float(): number {
    this.at += 8;
    return this.#view.getFloat64(this.at - 8);
  }

  take(length: number): Uint8Array {
    const { buffer, byteOffset, byteLength } = this.#view;
    if (this.at + length > byteLength) throw malformed();
    this.at += length;
    return new Uint8Array(buffer, byteOffset + this.at - length, length);
  }
}
