/** D1 takes any number of statements in a batch; so many keep the answer of one small. */
const STATEMENTS_MAX = 100;
const READ = /^\s*select\b/i;
/** The rows of a batch name their columns, and a join may have two of one name unless it gives one. */
const JOIN = /\bjoin\b/i;
const ONE_COLUMN = /^\s*select [^,()]+ from /i;

const canShare = (sql: string) => READ.test(sql) && (!JOIN.test(sql) || ONE_COLUMN.test(sql));

interface WaitingRead {
  statement: D1PreparedStatement;
  done(result: D1Result<unknown>): void;
  failed(error: unknown): void;
}

/** Has the members that drizzle calls, and no others. */
class SharedStatement {
  readonly statement: D1PreparedStatement;
  readonly isShared: boolean;
  readonly #read: (statement: D1PreparedStatement) => Promise<D1Result<unknown>>;

  constructor(
    statement: D1PreparedStatement,
    isShared: boolean,
    read: (statement: D1PreparedStatement) => Promise<D1Result<unknown>>,
  ) {
    this.statement = statement;
    this.isShared = isShared;
    this.#read = read;
  }

  bind(...values: unknown[]): SharedStatement {
    return new SharedStatement(this.statement.bind(...values), this.isShared, this.#read);
  }

  all(): Promise<D1Result<unknown>> {
    return this.isShared ? this.#read(this.statement) : this.statement.all();
  }

  async raw(): Promise<unknown[][]> {
    if (!this.isShared) return this.statement.raw();
    const { results } = await this.#read(this.statement);
    return results.map((row) => Object.values(row as object));
  }

  run(): Promise<D1Result<unknown>> {
    return this.statement.run();
  }
}

/**
 * The same database for work that runs side by side: reads that are asked for at the same moment travel together, so that a
 * hundred messages that read the same kinds of rows one after the other take as many round trips as one. Writes and joins go
 * alone.
 */
export function shareReads(database: D1Database): D1Database {
  let waiting: WaitingRead[] = [];

  const flush = () => {
    const reads = waiting;
    waiting = [];
    for (let from = 0; from < reads.length; from += STATEMENTS_MAX) {
      void readTogether(database, reads.slice(from, from + STATEMENTS_MAX));
    }
  };
  const read = (statement: D1PreparedStatement) =>
    new Promise<D1Result<unknown>>((done, failed) => {
      // What is ready now asks before the timer fires.
      if (waiting.length === 0) setTimeout(flush, 0);
      waiting.push({ statement, done, failed });
    });
  const shared = {
    prepare: (sql: string) => new SharedStatement(database.prepare(sql), canShare(sql), read),
    batch: (statements: readonly SharedStatement[]) =>
      statements.every(({ isShared }) => isShared)
        ? Promise.all(statements.map(({ statement }) => read(statement)))
        : database.batch(statements.map(({ statement }) => statement)),
  };
  return shared as unknown as D1Database;
}

/** A read that fails must not fail the others, so each is then repeated alone. */
async function readTogether(database: D1Database, reads: readonly WaitingRead[]): Promise<void> {
  try {
    const results = await database.batch(reads.map(({ statement }) => statement));
    for (const [place, { done, failed }] of reads.entries()) {
      const result = results[place];
      if (result) done(result);
      else failed(new Error("D1 returned too few results"));
    }
  } catch {
    for (const { statement, done, failed } of reads) statement.all().then(done, failed);
  }
}
