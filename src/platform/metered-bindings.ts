import type { CountedUnits } from "../contract/capacity.ts";

/** Bindings that count what the platform bills for them. Each has the members that the service calls, and no others. */
type Count = (units: Partial<CountedUnits>) => void;

/** The wrappers below have the members that are called; their other members are never used. */
function asBinding<Binding>(wrapper: object): Binding {
  return wrapper as Binding;
}

class MeteredStatement {
  readonly statement: D1PreparedStatement;
  readonly #isWrite: boolean;
  readonly #count: Count;

  constructor(statement: D1PreparedStatement, isWrite: boolean, count: Count) {
    this.statement = statement;
    this.#isWrite = isWrite;
    this.#count = count;
  }

  bind(...values: unknown[]): MeteredStatement {
    return new MeteredStatement(this.statement.bind(...values), this.#isWrite, this.#count);
  }

  async all<Row>(): Promise<D1Result<Row>> {
    this.#count({ d1_calls: 1 });
    return countResult(await this.statement.all<Row>(), this.#count);
  }

  async run<Row>(): Promise<D1Result<Row>> {
    this.#count({ d1_calls: 1 });
    return countResult(await this.statement.run<Row>(), this.#count);
  }

  /**
   * The one form whose answer names no costs. Rows that a write returns have the columns of one table, so their objects
   * are the same rows; a read may join columns of one name and keeps its form.
   */
  async raw(): Promise<unknown[][]> {
    if (this.#isWrite) return (await this.all<object>()).results.map((row) => Object.values(row));
    const rows = await this.statement.raw();
    this.#count({ d1_calls: 1, d1_rows_read: rows.length });
    return rows;
  }
}

function countResult<Result extends D1Result<unknown>>(result: Result, count: Count): Result {
  count({ d1_rows_read: result.meta.rows_read, d1_rows_written: result.meta.rows_written });
  return result;
}

const WRITES = /^\s*(?:insert|update|delete|replace)\b/i;

export function meterDatabase(database: D1Database, count: Count): D1Database {
  return asBinding({
    prepare: (sql: string) => new MeteredStatement(database.prepare(sql), WRITES.test(sql), count),
    batch: async (statements: readonly MeteredStatement[]) => {
      count({ d1_calls: 1 });
      const results = await database.batch(statements.map(({ statement }) => statement));
      for (const result of results) countResult(result, count);
      return results;
    },
  });
}

export function meterStore(store: KVNamespace, count: Count): KVNamespace {
  const read = (): KVNamespace => {
    count({ kv_reads: 1 });
    return store;
  };
  const write = (): KVNamespace => {
    count({ kv_writes: 1 });
    return store;
  };
  return asBinding({
    get: (...args: Parameters<KVNamespace["get"]>) => read().get(...args),
    getWithMetadata: (...args: Parameters<KVNamespace["getWithMetadata"]>) => read().getWithMetadata(...args),
    put: (...args: Parameters<KVNamespace["put"]>) => write().put(...args),
    delete: (key: string) => write().delete(key),
  });
}

/** Each stub is used for one call. */
export function meterNamespace<Namespace extends DurableObjectNamespace>(
  namespace: Namespace,
  count: Count,
): Namespace {
  return asBinding({
    getByName: (...args: Parameters<DurableObjectNamespace["getByName"]>) => {
      count({ object_requests: 1 });
      return namespace.getByName(...args);
    },
  });
}

export function meterQueue<Binding extends { sendBatch(messages: Iterable<never>): Promise<unknown> }>(
  queue: Binding,
  count: Count,
): Binding {
  const sender = queue as unknown as Queue<unknown>;
  return asBinding({
    send: (...args: Parameters<Queue<unknown>["send"]>) => {
      count({ messages: 1 });
      return sender.send(...args);
    },
    sendBatch: (messages: Iterable<MessageSendRequest<unknown>>) => {
      const batch = [...messages];
      count({ messages: batch.length });
      return sender.sendBatch(batch);
    },
  });
}
