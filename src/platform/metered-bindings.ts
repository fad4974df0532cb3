import type { CountedUnits } from "../contract/capacity.ts";
import { wrapDatabase } from "./wrapped-database.ts";

/** Bindings that count what the platform bills for them. Each has the members that the service calls, and no others. */
type Count = (units: Partial<CountedUnits>) => void;

/** The wrappers below have the members that are called; their other members are never used. */
function asBinding<Binding>(wrapper: object): Binding {
  return wrapper as Binding;
}

const WRITES = /^\s*(?:insert|update|delete|replace)\b/i;

export function meterDatabase(database: D1Database, count: Count): D1Database {
  const countResult = (result: D1Result): D1Result => {
    count({ d1_rows_read: result.meta.rows_read, d1_rows_written: result.meta.rows_written });
    return result;
  };
  return wrapDatabase(database, {
    async all({ statement }) {
      count({ d1_calls: 1 });
      return countResult(await statement.all());
    },
    async run({ statement }) {
      count({ d1_calls: 1 });
      return countResult(await statement.run());
    },
    /**
     * The one form whose answer names no costs. Rows that a write returns have the columns of one table, so their objects
     * are the same rows; a read may join columns of one name and keeps its form.
     */
    async raw({ statement, sql }) {
      count({ d1_calls: 1 });
      if (WRITES.test(sql)) {
        return countResult(await statement.all()).results.map((row) => Object.values(row as object));
      }
      const rows = await statement.raw();
      count({ d1_rows_read: rows.length });
      return rows;
    },
    async batch(statements) {
      count({ d1_calls: 1 });
      const results = await database.batch(statements.map(({ statement }) => statement));
      return results.map(countResult);
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
