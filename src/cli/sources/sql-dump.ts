import { CommandFailure } from "../failure.ts";
import { columnsOf, type StoredColumn, unquoted } from "./create-table.ts";
import { createTables, recordOfRow, requireBounded, type Tables } from "./tables.ts";

/**
 * The tables of a dump as text: of mariadb-dump and mysqldump, and of pg_dump with COPY or INSERT. No statement is run: what
 * creates tables and fills them is read, everything else is skipped.
 */

type Value = string | number | null;

interface StoredTable {
  columns: readonly StoredColumn[];
  /** Where its rows stand, in their order. */
  parts: Part[];
  count: number;
}

interface Part {
  at: number;
  isCopy: boolean;
  /** The columns that it fills; all, where it names none. */
  names: readonly string[];
}

const POSTGRES = /^--\n-- PostgreSQL database/;
const HEADS = [/^(?:\/\*M?!\d+[^\n]*\n)?-- (?:MariaDB|MySQL) dump/, POSTGRES];
const BLANK = /(?:\s+|--[^\n]*|#[^\n]*|\/\*(?!\/)[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y;
const NAME = /(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|\w+)(?:\.(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|\w+))?/y;
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w.])/iy;
const HEXADECIMAL = /0x[0-9a-f]*|x'[0-9a-f]*'|'\\x[0-9a-f]*'/iy;
/** What stands before a text and says nothing of it here. */
const INTRODUCER = /_[a-z]\w*\s+|E(?=')/iy;
/** What can neither end a statement nor begin what hides its end. */
const PLAIN = /[^\s'"`;#/-]+/y;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  0: "\0",
  Z: "\x1a",
};

export function isSqlDump(text: string): boolean {
  return HEADS.some((head) => head.test(startOf(text)));
}

const startOf = (text: string) => text.slice(0, 400).trimStart().replaceAll("\r\n", "\n");

/** `file` is its name, for what is said against it. */
export function readSqlDump<Result>(
  text: string,
  { file, tool, convert }: { file: string; tool: string; convert: (tables: Tables) => Result },
): Result {
  try {
    if (!isSqlDump(text)) throw new Error("it is neither SQLite nor a dump of a database");
    return convert(tablesOf(text));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${file} is no database of ${tool}: ${error instanceof Error ? error.message : error}`);
  }
}

function tablesOf(text: string): Tables {
  const reader = new DumpReader(text);
  const stored = reader.readTables();
  return createTables({
    names: () => stored.keys(),
    load(name) {
      const table = stored.get(name);
      if (!table) return [];
      requireBounded(name, { rows: table.count, bytes: 0 });
      return table.parts.flatMap((part) => {
        return reader.rowsOf(table, part).map((row) => {
          return recordOfRow(row, {
            table: name,
            columns: table.columns.filter((column) => Object.hasOwn(row, column.name)),
          });
        });
      });
    },
    count: (name) => stored.get(name)?.count ?? 0,
  });
}

class DumpReader {
  readonly #text: string;
  /** Whether a backslash begins an escape in a text. */
  readonly #hasEscapes: boolean;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#hasEscapes = !POSTGRES.test(startOf(text));
  }

  readTables(): Map<string, StoredTable> {
    const tables = new Map<string, StoredTable>();
    for (this.#blank(); this.#at < this.#text.length; this.#blank()) {
      const from = this.#at;
      const words = this.#text.slice(from, from + 40).toUpperCase();
      if (/^CREATE\s+(?:UNLOGGED\s+)?TABLE\b/.test(words)) {
        const { name, sql } = this.#definition();
        tables.set(name, { columns: columnsOf(sql), parts: [], count: 0 });
      } else if (/^(?:INSERT|REPLACE)\s/.test(words)) this.#insert(tables);
      else if (/^COPY\s/.test(words)) this.#copy(tables);
      else this.#skipStatement();
    }
    return tables;
  }

  rowsOf({ columns }: StoredTable, { at, isCopy, names }: Part): Record<string, Value>[] {
    this.#at = at;
    const rows: Record<string, Value>[] = [];
    const shown = names.length > 0 ? names : columns.filter(({ generated }) => !generated).map(({ name }) => name);
    const keep = (values: readonly Value[]) => {
      if (values.length !== shown.length) throw this.#malformed();
      rows.push(Object.fromEntries(shown.map((name, n) => [name, values[n] ?? null])));
    };
    if (isCopy) {
      const isBoolean = shown.map((name) => columns.find((column) => column.name === name)?.type === "BOOLEAN");
      for (let line = this.#line(); line !== "\\."; line = this.#line()) {
        keep(line.split("\t").map((field, n) => copied(field, isBoolean[n] === true)));
      }
    } else this.#tuples(keep);
    return rows;
  }

  #definition(): { name: string; sql: string } {
    const from = this.#at;
    this.#skipStatement();
    const sql = this.#text.slice(from, this.#at);
    const [, named = ""] = /TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([^\s(]+)/i.exec(sql) ?? [];
    return { name: lastPart(named), sql };
  }

  #insert(tables: ReadonlyMap<string, StoredTable>): void {
    this.#match(/(?:INSERT|REPLACE)\s+(?:IGNORE\s+)?(?:INTO\s+)?/iy);
    const table = this.#tableOf(tables);
    const names = this.#names();
    this.#blank();
    this.#match(/(?:OVERRIDING\s+SYSTEM\s+VALUE\s+)?VALUES?/iy);
    table.parts.push({ at: this.#at, isCopy: false, names });
    this.#tuples(() => table.count++);
  }

  #copy(tables: ReadonlyMap<string, StoredTable>): void {
    this.#match(/COPY\s+/iy);
    const table = this.#tableOf(tables);
    const names = this.#names();
    this.#blank();
    this.#match(/FROM\s+stdin;[^\n]*\n/iy);
    table.parts.push({ at: this.#at, isCopy: true, names });
    while (this.#line() !== "\\.") table.count++;
  }

  #tableOf(tables: ReadonlyMap<string, StoredTable>): StoredTable {
    const name = lastPart(this.#match(NAME));
    const table = tables.get(name);
    if (!table) throw new Error(`it fills ${name.slice(0, 60)} without a line that creates it`);
    return table;
  }

  #names(): string[] {
    const names: string[] = [];
    this.#blank();
    if (this.#text[this.#at] !== "(") return names;
    do {
      this.#at++;
      this.#blank();
      names.push(lastPart(this.#match(NAME)));
      this.#blank();
    } while (this.#text[this.#at] === ",");
    this.#expect(")");
    return names;
  }

  /** `(1,'a'),(2,'b');` */
  #tuples(take: (values: readonly Value[]) => void): void {
    for (;;) {
      this.#blank();
      this.#expect("(");
      const values: Value[] = [];
      for (;;) {
        this.#blank();
        values.push(this.#value());
        this.#blank();
        if (this.#text[this.#at] !== ",") break;
        this.#at++;
      }
      this.#expect(")");
      take(values);
      this.#blank();
      if (this.#text[this.#at] !== ",") break;
      this.#at++;
    }
    this.#skipStatement();
  }

  #value(): Value {
    const binary = this.#found(HEXADECIMAL);
    if (binary !== undefined) return binary;
    this.#found(INTRODUCER);
    if (this.#text[this.#at] === "'") return this.#quoted();
    const number = this.#found(NUMBER);
    if (number !== undefined)
      return Number.isSafeInteger(Number(number)) || /[.e]/i.test(number) ? Number(number) : number;
    const word = this.#match(/NULL|TRUE|FALSE/iy).toUpperCase();
    return word === "NULL" ? null : Number(word === "TRUE");
  }

  #quoted(): string {
    let [value, from] = ["", this.#at + 1];
    for (let at = from; at < this.#text.length; at++) {
      const sign = this.#text[at];
      if (sign === "\\" && this.#hasEscapes) {
        const next = this.#text[at + 1] ?? "";
        value += this.#text.slice(from, at) + (ESCAPES[next] ?? next);
        from = ++at + 1;
      } else if (sign === "'" && this.#text[at + 1] === "'") {
        value += this.#text.slice(from, ++at);
        from = at + 1;
      } else if (sign === "'") {
        this.#at = at + 1;
        return value + this.#text.slice(from, at);
      }
    }
    throw this.#malformed();
  }

  #skipStatement(): void {
    while (this.#at < this.#text.length) {
      this.#blank();
      this.#found(PLAIN);
      const sign = this.#text[this.#at];
      if (sign === "'") this.#quoted();
      else if (sign === '"' || sign === "`") this.#match(NAME);
      else if (sign !== undefined && !/\s/.test(sign)) this.#at++;
      if (sign === ";") return;
    }
  }

  #line(): string {
    const end = this.#text.indexOf("\n", this.#at);
    if (end < 0) throw this.#malformed();
    const line = this.#text.slice(this.#at, end).replace(/\r$/, "");
    this.#at = end + 1;
    return line;
  }

  #blank(): void {
    this.#found(BLANK);
  }

  #expect(sign: string): void {
    if (this.#text[this.#at] !== sign) throw this.#malformed();
    this.#at++;
  }

  #found(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #match(pattern: RegExp): string {
    const found = this.#found(pattern);
    if (found === undefined) throw this.#malformed();
    return found;
  }

  #malformed(): Error {
    return new Error(`it cannot be read at line ${this.#text.slice(0, this.#at).split("\n").length}`);
  }
}

/** Of `public.api_check` the table. */
function lastPart(name: string): string {
  return unquoted(/(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|\w+)$/.exec(name)?.[0] ?? name);
}

/** A field of COPY. https://www.postgresql.org/docs/current/sql-copy.html */
function copied(field: string, isBoolean: boolean): Value {
  if (field === "\\N") return null;
  if (isBoolean) return Number(field === "t");
  return field.replace(/\\(.)/gs, (_, sign: string) => ESCAPES[sign] ?? sign);
}
