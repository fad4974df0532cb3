import { env } from "cloudflare:workers";
import { override } from "./override.ts";

/** The database, with the SQL of everything that is asked of it and the number of round trips that this takes. */
export function recordStatements() {
  const record = { statements: [] as string[], trips: 0 };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const counted = (statement: D1PreparedStatement): D1PreparedStatement => {
    const trip =
      <Args extends unknown[], Result>(run: (...args: Args) => Result) =>
      (...args: Args) => {
        record.trips += 1;
        return run(...args);
      };
    const metered = override(statement, {
      bind: (...values: unknown[]) => counted(statement.bind(...values)),
      all: trip(() => statement.all()),
      run: trip(() => statement.run()),
      raw: trip(() => statement.raw()),
    });
    originals.set(metered, statement);
    return metered;
  };
  const DB = override(env.DB, {
    prepare: (text: string) => {
      record.statements.push(text);
      return counted(env.DB.prepare(text));
    },
    batch: (statements: D1PreparedStatement[]) => {
      record.trips += 1;
      return env.DB.batch(statements.map((statement) => originals.get(statement) ?? statement));
    },
  });
  return { DB, record };
}
