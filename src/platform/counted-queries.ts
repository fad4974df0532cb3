import { wrapDatabase } from "./wrapped-database.ts";

/**
 * The same database, and how many queries it has run, a statement of a batch being one: D1 allows an invocation 1,000
 * (https://developers.cloudflare.com/d1/platform/limits/).
 */
export function countQueries(database: D1Database): { database: D1Database; queries(): number } {
  let queries = 0;
  const counted = wrapDatabase(database, {
    all({ statement }) {
      queries += 1;
      return statement.all();
    },
    raw({ statement }) {
      queries += 1;
      return statement.raw();
    },
    run({ statement }) {
      queries += 1;
      return statement.run();
    },
    batch(statements) {
      queries += statements.length;
      return database.batch(statements.map(({ statement }) => statement));
    },
  });
  return { database: counted, queries: () => queries };
}
