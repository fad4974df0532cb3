interface WrappedStatement {
  statement: D1PreparedStatement;
  sql: string;
}

/** How a wrapper runs the statements of its database, by the methods that drizzle and the service call. */
interface Runs {
  all(wrapped: WrappedStatement): Promise<D1Result>;
  raw(wrapped: WrappedStatement): Promise<unknown[][]>;
  run(wrapped: WrappedStatement): Promise<D1Result>;
  batch(wrapped: readonly WrappedStatement[]): Promise<D1Result[]>;
}

/** Has the members that are called, and no others. */
class Statement implements WrappedStatement {
  readonly statement: D1PreparedStatement;
  readonly sql: string;
  readonly #runs: Runs;

  constructor(statement: D1PreparedStatement, sql: string, runs: Runs) {
    this.statement = statement;
    this.sql = sql;
    this.#runs = runs;
  }

  bind(...values: unknown[]): Statement {
    return new Statement(this.statement.bind(...values), this.sql, this.#runs);
  }

  all(): Promise<D1Result> {
    return this.#runs.all(this);
  }

  raw(): Promise<unknown[][]> {
    return this.#runs.raw(this);
  }

  run(): Promise<D1Result> {
    return this.#runs.run(this);
  }
}

/** The same database, whose statements run as `runs` says. */
export function wrapDatabase(database: D1Database, runs: Runs): D1Database {
  const wrapped = {
    prepare: (sql: string) => new Statement(database.prepare(sql), sql, runs),
    batch: (statements: readonly Statement[]) => runs.batch(statements),
  };
  // The other members are never used.
  return wrapped as unknown as D1Database;
}
