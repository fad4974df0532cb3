import { deserialize, serialize } from "node:v8";
import { type Executed, Sqlite, toObject } from "./sqlite.ts";

const VALUES = "_cf_KV";
/** As the runtime refuses it. */
const SEVERAL_STATEMENTS = /;\s*\S/;

/** What an object keeps when it leaves memory: its tables, its values and its alarm. */
export class ObjectStorage {
  #sqlite = new Sqlite();
  /** When the alarm fires; null for never. */
  alarmAt: number | null = null;
  /** Called with every change of the alarm. */
  onAlarm: () => void = () => {};

  constructor() {
    this.#createValues();
  }

  /** The storage as the object sees it through its context. */
  readonly binding = {
    sql: { exec: (sql: string, ...values: unknown[]) => this.#exec(sql, values) },
    kv: {
      get: (key: string) => this.#get(key),
      put: (key: string, value: unknown) => this.#put(key, value),
      delete: (key: string) => this.#run(`DELETE FROM ${VALUES} WHERE key = ?`, [key]).changes > 0,
      list: (range: Range = {}) => this.#list(range),
    },
    transactionSync: <Result>(work: () => Result): Result => this.#sqlite.transaction(work),
    getAlarm: async () => this.alarmAt,
    setAlarm: async (at: number | Date) => this.setAlarm(Number(at)),
    deleteAlarm: async () => this.setAlarm(null),
    deleteAll: async () => this.#deleteAll(),
  };

  setAlarm(at: number | null): void {
    this.alarmAt = at;
    this.onAlarm();
  }

  #run(sql: string, values: readonly unknown[]): Executed {
    return this.#sqlite.execute(sql, values);
  }

  #exec(sql: string, values: readonly unknown[]): Cursor {
    if (values.length > 0 || !SEVERAL_STATEMENTS.test(sql)) return new Cursor(this.#run(sql, values));
    this.#sqlite.script(sql);
    return new Cursor({ columns: [], rows: [], changes: 0 });
  }

  #get(key: string): unknown {
    const [value] = this.#run(`SELECT value FROM ${VALUES} WHERE key = ?`, [key]).rows[0] ?? [];
    return value === undefined ? undefined : deserialize(value as Uint8Array);
  }

  #put(key: string, value: unknown): void {
    this.#run(`INSERT OR REPLACE INTO ${VALUES} (key, value) VALUES (?, ?)`, [key, serialize(value)]);
  }

  #list({ prefix = "", start = "", end }: Range): [string, unknown][] {
    const { rows } = this.#run(`SELECT key, value FROM ${VALUES} WHERE key >= ? ORDER BY key`, [start]);
    const isWithin = (key: string) => key.startsWith(prefix) && (end === undefined || key < end);
    return rows.flatMap(([key, value]) =>
      isWithin(key as string) ? [[key as string, deserialize(value as Uint8Array)]] : [],
    );
  }

  #deleteAll(): void {
    this.#sqlite.close();
    this.#sqlite = new Sqlite();
    this.#createValues();
  }

  #createValues(): void {
    this.#sqlite.script(`CREATE TABLE ${VALUES} (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID`);
  }
}

interface Range {
  prefix?: string;
  start?: string;
  end?: string;
}

class Cursor {
  readonly columnNames: string[];
  readonly rowsWritten: number;
  readonly #rows: IterableIterator<unknown[]>;

  constructor({ columns, rows, changes }: Executed) {
    this.columnNames = columns;
    this.rowsWritten = changes;
    this.#rows = rows.values();
  }

  next(): IteratorResult<Record<string, unknown>> {
    const { value, done } = this.#rows.next();
    return done ? { done: true, value: undefined } : { value: toObject(this.columnNames, toCells(value)) };
  }

  [Symbol.iterator]() {
    return this;
  }

  toArray(): Record<string, unknown>[] {
    return [...this];
  }

  one(): Record<string, unknown> {
    const rows = this.toArray();
    if (rows.length !== 1 || !rows[0]) throw new Error(`expected one row, found ${rows.length}`);
    return rows[0];
  }

  *raw(): Generator<unknown[]> {
    for (const row of this.#rows) yield toCells(row);
  }
}

/** Objects get bytes as buffers. */
function toCells(row: readonly unknown[]): unknown[] {
  return row.map((cell) => (cell instanceof Uint8Array ? new Uint8Array(cell).buffer : cell));
}
