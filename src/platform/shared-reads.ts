import { wrapDatabase } from "./wrapped-database.ts";

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
  return wrapDatabase(database, {
    all: ({ statement, sql }) => (canShare(sql) ? read(statement) : statement.all()),
    async raw({ statement, sql }) {
      if (!canShare(sql)) return statement.raw();
      const { results } = await read(statement);
      return results.map((row) => Object.values(row as object));
    },
    run: ({ statement }) => statement.run(),
    batch: (statements) =>
      statements.every(({ sql }) => canShare(sql))
        ? Promise.all(statements.map(({ statement }) => read(statement)))
        : database.batch(statements.map(({ statement }) => statement)),
  });
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
