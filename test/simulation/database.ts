import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Faults } from "./faults.ts";
import type { Isolate } from "./isolate.ts";
import type { Random } from "./random.ts";
import { type Executed, Sqlite, toObject } from "./sqlite.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
/** https://developers.cloudflare.com/d1/platform/limits/ */
const PARAMETERS_MAX = 100;

/** The rows of D1, which outlive every isolate. */
export class Database {
  readonly sqlite = new Sqlite();

  constructor() {
    const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith(".sql"));
    for (const file of files.sort()) this.sqlite.script(readFileSync(join(MIGRATIONS, file), "utf8"));
  }

  /** Rows as the judge reads them: at once, and without a fault. */
  read(sql: string, ...values: unknown[]): Record<string, unknown>[] {
    const { columns, rows } = this.sqlite.execute(sql, values);
    return rows.map((row) => toObject(columns, row));
  }
}

export interface DatabaseParts {
  database: Database;
  isolate: Isolate;
  faults: Faults;
  random: Random;
}

interface Prepared {
  sql: string;
  values: readonly unknown[];
}

/** The binding of one isolate. */
export function databaseBinding(parts: DatabaseParts) {
  return {
    prepare: (sql: string) => new SimulatedStatement(parts, { sql, values: [] }),
    batch: async (statements: readonly SimulatedStatement[]) => {
      const results = await transact(
        parts,
        statements.map(({ prepared }) => prepared),
      );
      return results.map(toResult);
    },
  };
}

class SimulatedStatement {
  readonly prepared: Prepared;
  readonly #parts: DatabaseParts;

  constructor(parts: DatabaseParts, prepared: Prepared) {
    this.#parts = parts;
    this.prepared = prepared;
  }

  bind(...values: unknown[]): SimulatedStatement {
    if (values.length > PARAMETERS_MAX) throw new Error(`D1_ERROR: too many SQL variables: ${values.length}`);
    return new SimulatedStatement(this.#parts, { sql: this.prepared.sql, values });
  }

  async all() {
    return toResult(await this.#execute());
  }

  async run() {
    return toResult(await this.#execute());
  }

  async raw(): Promise<unknown[][]> {
    return (await this.#execute()).rows.map(toCells);
  }

  async first(): Promise<unknown> {
    return (await this.all()).results[0] ?? null;
  }

  async #execute(): Promise<Executed> {
    const [executed] = await transact(this.#parts, [this.prepared]);
    if (!executed) throw new Error("a statement gave nothing");
    return executed;
  }
}

async function transact(
  { database, isolate, faults, random }: DatabaseParts,
  statements: readonly Prepared[],
): Promise<Executed[]> {
  const called = () => statements.map(({ sql }) => sql).join("; ");
  const extra = faults.happens("database is slow", called) ? random.between(1_000, 15_000) : 0;
  return isolate.call(called, [random.between(1, 8) + extra, random.between(0, 4)], () => {
    if (faults.happens("database fails before", called)) throw new Error("D1_ERROR: Network connection lost.");
    const results = execute(database, statements);
    if (faults.happens("database fails after", called)) throw new Error("D1_ERROR: Network connection lost.");
    return results;
  });
}

function execute({ sqlite }: Database, statements: readonly Prepared[]): Executed[] {
  const run = () => statements.map(({ sql, values }) => sqlite.execute(sql, values));
  try {
    return statements.length === 1 ? run() : sqlite.transaction(run);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const kind = message.includes("constraint failed") ? "SQLITE_CONSTRAINT" : "SQLITE_ERROR";
    throw new Error(`D1_ERROR: ${message}: ${kind}`, { cause: error });
  }
}

function toResult({ columns, rows, changes }: Executed) {
  return {
    success: true,
    results: rows.map((row) => toObject(columns, toCells(row))),
    meta: { changes, rows_read: rows.length, rows_written: changes, duration: 0, size_after: 0, last_row_id: 0 },
  };
}

/** D1 gives bytes as arrays of numbers. */
function toCells(row: readonly unknown[]): unknown[] {
  return row.map((cell) => (cell instanceof Uint8Array ? [...cell] : cell));
}
