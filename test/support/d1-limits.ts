/** https://developers.cloudflare.com/d1/platform/limits/: of one invocation, and of one statement. */
const QUERIES_MAX = 1000;
const PARAMETERS_MAX = 100;

export interface LimitedDatabase {
  database: D1Database;
  /** Queries so far; each statement of a batch is one. */
  queries(): number;
}

/** A database that refuses what D1 refuses one invocation in production: parameter 101 and query 1,001. */
export function limitDatabase(database: D1Database): LimitedDatabase {
  let queries = 0;
  const count = (statements: number) => {
    queries += statements;
    if (queries > QUERIES_MAX) throw new Error(`D1_ERROR: too many queries in one invocation: ${queries}`);
  };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const limitStatement = (statement: D1PreparedStatement): D1PreparedStatement => {
    const limited = new Proxy(statement, {
      get: (target, name) => {
        if (name === "bind") {
          return (...values: unknown[]) => {
            if (values.length > PARAMETERS_MAX) throw new Error(`D1_ERROR: too many SQL variables: ${values.length}`);
            return limitStatement(target.bind(...values));
          };
        }
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...values: unknown[]) => {
          count(1);
          return Reflect.apply(member, target, values);
        };
      },
    });
    originals.set(limited, statement);
    return limited;
  };
  const limited = new Proxy(database, {
    get: (target, name) => {
      if (name === "prepare") return (sql: string) => limitStatement(target.prepare(sql));
      if (name === "batch") {
        return (statements: D1PreparedStatement[]) => {
          count(statements.length);
          return target.batch(statements.map((statement) => originals.get(statement) ?? statement));
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { database: limited, queries: () => queries };
}
