import { override } from "./override.ts";

/** D1 that counts round trips: a batch is one, regardless of its content. */
export function countCalls(database: D1Database): { database: D1Database; calls(): number } {
  let calls = 0;
  const originals = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const counted =
      (run: (...args: never[]) => unknown) =>
      (...args: unknown[]) => {
        calls += 1;
        return Reflect.apply(run, statement, args);
      };
    const wrapped = override(statement, {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      first: counted(statement.first),
      all: counted(statement.all),
      run: counted(statement.run),
      raw: counted(statement.raw),
    });
    originals.set(wrapped, statement);
    return wrapped;
  };
  const counting = override(database, {
    prepare: (sql: string) => wrap(database.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) => {
      calls += 1;
      return database.batch(statements.flatMap((each) => originals.get(each) ?? []));
    },
  });
  return { database: counting, calls: () => calls };
}
