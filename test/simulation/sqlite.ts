import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** One statement of SQL and what it gives, as D1 and the storage of objects both need it. */
export interface Executed {
  columns: string[];
  rows: unknown[][];
  changes: number;
}

const WRITES = /^\s*(?:insert|update|delete|replace|with)\b/i;

/** An SQLite database in memory whose statements are prepared once. */
export class Sqlite {
  readonly #database = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  readonly #countChanges: StatementSync;

  constructor() {
    this.#countChanges = this.#database.prepare("SELECT changes() AS changes");
  }

  /** Several statements without parameters. */
  script(sql: string): void {
    this.#database.exec(sql);
  }

  execute(sql: string, values: readonly unknown[]): Executed {
    const statement = this.#prepare(sql);
    const rows = statement.all(...values.map(toStored)) as unknown as unknown[][];
    const columns = statement.columns().map(({ name }) => name);
    return { columns, rows, changes: WRITES.test(sql) ? Number(this.#countChanges.get()?.changes ?? 0) : 0 };
  }

  /** All or nothing; inside of another transaction a part of it. */
  transaction<Result>(work: () => Result): Result {
    const isOuter = !this.#database.isTransaction;
    this.#database.exec(isOuter ? "BEGIN" : "SAVEPOINT part");
    try {
      const result = work();
      this.#database.exec(isOuter ? "COMMIT" : "RELEASE part");
      return result;
    } catch (error) {
      this.#database.exec(isOuter ? "ROLLBACK" : "ROLLBACK TO part; RELEASE part");
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** A row under the names of its columns; of two of one name the last one counts. */
export function toObject(columns: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((name, n) => [name, row[n]]));
}

function toStored(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value === undefined) throw new Error("D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'");
  return value as SQLInputValue;
}
