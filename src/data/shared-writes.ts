import type { BatchItem } from "drizzle-orm/batch";

type Statement = BatchItem<"sqlite">;

/** Runs statements as one transaction; gives what each returns. */
export type Commit = (statements: readonly Statement[]) => Promise<unknown[]>;

/** A longer transaction holds up what else waits for the database, and saves no more. */
const STATEMENTS_MAX = 300;

interface WaitingWrite {
  statements: readonly Statement[];
  done(results: unknown[]): void;
  failed(error: unknown): void;
}

/**
 * The same for work that runs side by side: what is committed at the same moment becomes one transaction. Where the
 * database refuses it, each is committed alone, so that one that fails costs no other. Where it is unclear whether the
 * database has it (`isUnclear`), all fail: a repeat has to read first what is stored.
 */
export function shareCommits(commit: Commit, isUnclear: (error: unknown) => boolean): Commit {
  let waiting: WaitingWrite[] = [];

  const flush = () => {
    const writes = waiting;
    waiting = [];
    for (const some of transactionsOf(writes)) void commitTogether(some);
  };
  const commitTogether = async (writes: readonly WaitingWrite[]) => {
    try {
      const results = await commit(writes.flatMap(({ statements }) => statements));
      let from = 0;
      for (const { statements, done } of writes) {
        done(results.slice(from, from + statements.length));
        from += statements.length;
      }
    } catch (error) {
      for (const { statements, done, failed } of writes) {
        if (writes.length === 1 || isUnclear(error)) failed(error);
        else commit(statements).then(done, failed);
      }
    }
  };
  return (statements) =>
    new Promise((done, failed) => {
      // What is ready now commits before the timer fires.
      if (waiting.length === 0) setTimeout(flush, 0);
      waiting.push({ statements, done, failed });
    });
}

function transactionsOf(writes: readonly WaitingWrite[]): WaitingWrite[][] {
  const transactions: WaitingWrite[][] = [];
  let size = 0;
  for (const write of writes) {
    const last = transactions.at(-1);
    if (last && size + write.statements.length <= STATEMENTS_MAX) {
      last.push(write);
      size += write.statements.length;
    } else {
      transactions.push([write]);
      size = write.statements.length;
    }
  }
  return transactions;
}
