/** Has the members that drizzle calls, and no others. */
class CountedStatement {
  readonly statement: D1PreparedStatement;
  readonly #count: (queries: number) => void;

  constructor(statement: D1PreparedStatement, count: (queries: number) => void) {
    this.statement = statement;
    this.#count = count;
  }

  bind(...values: unknown[]): CountedStatement {
    return new CountedStatement(this.statement.bind(...values), this.#count);
  }

  all(): Promise<D1Result> {
    this.#count(1);
    return this.statement.all();
  }

  raw(): Promise<unknown[][]> {
    this.#count(1);
    return this.statement.raw();
  }

  run(): Promise<D1Result> {
    this.#count(1);
    return this.statement.run();
  }
}

/**
 * The same database, and how many queries it has run, a statement of a batch being one: D1 allows an invocation 1,000
 * (https://developers.cloudflare.com/d1/platform/limits/).
 */
export function countQueries(database: D1Database): { database: D1Database; queries(): number } {
  let queries = 0;
  const count = (more: number) => {
    queries += more;
  };
  const counted = {
    prepare: (sql: string) => new CountedStatement(database.prepare(sql), count),
    batch: (statements: readonly CountedStatement[]) => {
      count(statements.length);
      return database.batch(statements.map(({ statement }) => statement));
    },
  };
  return { database: counted as unknown as D1Database, queries: () => queries };
}
