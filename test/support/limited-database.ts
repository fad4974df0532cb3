import { override } from "./override.ts";

/** What Cloudflare enforces and the local runtime does not: https://developers.cloudflare.com/d1/platform/limits/ */
const QUERIES_MAX = 1_000;
const PARAMETERS_MAX = 100;
const STATEMENT_BYTES_MAX = 100_000;
const VALUE_BYTES_MAX = 2_000_000;

export interface Query {
  sql: string;
  parameters: unknown[];
}

/**
 * D1 within one invocation of a Worker: query 1,001 throws, a statement of a batch counting as one, and so do parameter
 * 101 of a statement, a statement above 100 kB and a value above 2 MB. `queries` holds what was run.
 */
export function limitDatabase(
  database: D1Database,
  queriesMax = QUERIES_MAX,
): { database: D1Database; queries: Query[] } {
  const queries: Query[] = [];
  const originals = new WeakMap<object, { statement: D1PreparedStatement; query: Query }>();
  const count = (...asked: Query[]) => {
    queries.push(...asked);
    if (queries.length > queriesMax) throw new Error(`D1: more than ${queriesMax} queries in one invocation`);
  };
  const wrap = (statement: D1PreparedStatement, query: Query): D1PreparedStatement => {
    const counted =
      (run: (...args: never[]) => unknown) =>
      (...args: unknown[]) => {
        count(query);
        return Reflect.apply(run, statement, args);
      };
    const limited = override(statement, {
      bind: (...parameters: unknown[]) => {
        requireBindable(query.sql, parameters);
        return wrap(statement.bind(...parameters), { ...query, parameters });
      },
      first: counted(statement.first),
      all: counted(statement.all),
      run: counted(statement.run),
      raw: counted(statement.raw),
    });
    originals.set(limited, { statement, query });
    return limited;
  };
  const limited = override(database, {
    prepare: (sql: string) => wrap(database.prepare(sql), { sql, parameters: [] }),
    batch: (statements: D1PreparedStatement[]) => {
      const batch = statements.map((each) => originals.get(each));
      count(...batch.flatMap((each) => each?.query ?? []));
      return database.batch(batch.flatMap((each) => each?.statement ?? []));
    },
  });
  return { database: limited, queries };
}

function requireBindable(sql: string, parameters: readonly unknown[]): void {
  if (parameters.length > PARAMETERS_MAX) {
    throw new Error(`D1: ${parameters.length} parameters, the limit is ${PARAMETERS_MAX}: ${sql}`);
  }
  if (bytesOf(sql) > STATEMENT_BYTES_MAX) throw new Error(`D1: statement above ${STATEMENT_BYTES_MAX} bytes`);
  const large = parameters.find((value) => typeof value === "string" && bytesOf(value) > VALUE_BYTES_MAX);
  if (large !== undefined) throw new Error(`D1: value above ${VALUE_BYTES_MAX} bytes: ${sql}`);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
