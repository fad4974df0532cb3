import { env } from "cloudflare:workers";
import { AgentObject } from "../../src/durable-objects/agent.ts";
import { MonitorObject } from "../../src/durable-objects/monitor.ts";
import { ProberObject } from "../../src/durable-objects/prober.ts";
import type { Env } from "../../src/platform/env.ts";
import { override } from "./override.ts";

/** What Cloudflare bills an action for, as the runtime itself reports it. */
export interface Units {
  rows_read: number;
  rows_written: number;
  object_requests: number;
  object_rows_written: number;
  messages: number;
  kv_reads: number;
  kv_writes: number;
}

export const NO_UNITS: Units = {
  rows_read: 0,
  rows_written: 0,
  object_requests: 0,
  object_rows_written: 0,
  messages: 0,
  kv_reads: 0,
  kv_writes: 0,
};

/** What one settled check of a group may cost. */
export const settledCheck = (members: number): Units => ({
  ...NO_UNITS,
  // The monitor, and six rows however many monitors there are.
  rows_read: 1 + 6 / members,
  // A twentieth, and three rows for all of them: of the group, or of the agent that reports them.
  rows_written: 1 / 20 + 3 / members,
  object_requests: 1 / 20,
  object_rows_written: 1 / 20,
  messages: 1 / 20,
});

/** Runs an action with metered bindings; what objects do is counted while it runs. */
export async function meter(run: (metered: Env) => Promise<unknown>): Promise<Units> {
  const units = { ...NO_UNITS };
  const stopObjects = meterObjects(units);
  try {
    await run({
      ...env,
      DB: meterDatabase(env.DB, units),
      PAGES: meterCache(env.PAGES, units),
      CHECKS: meterQueue(units),
      CHECKS_SLOW: meterQueue(units),
      EVENTS: meterQueue(units),
      DELIVERIES: meterQueue(units),
      DELIVERIES_SLOW: meterQueue(units),
      SUBSCRIBERS: meterQueue(units),
      MAIL_OUTBOX: meterQueue(units),
      MINUTE: meterQueue(units),
    });
  } finally {
    stopObjects();
  }
  return units;
}

const WRITES = /^\s*(?:insert|update|delete|replace)\b/i;

function meterDatabase(database: D1Database, units: Units): D1Database {
  const count = <Result extends { meta: D1Meta }>(result: Result): Result => {
    units.rows_read += result.meta.rows_read;
    units.rows_written += result.meta.rows_written;
    return result;
  };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const meterStatement = (statement: D1PreparedStatement, isWrite: boolean): D1PreparedStatement => {
    const metered = override(statement, {
      bind: (...values: unknown[]) => meterStatement(statement.bind(...values), isWrite),
      all: async () => count(await statement.all()),
      run: async () => count(await statement.run()),
      // Only this form answers without its costs. A read is run once more for them; a write answers with the rows of one
      // table, whose objects have the same cells.
      raw: async () => {
        const result = count(await statement.all<object>());
        return isWrite ? result.results.map((row) => Object.values(row)) : statement.raw();
      },
    });
    originals.set(metered, statement);
    return metered;
  };
  return override(database, {
    prepare: (sql: string) => meterStatement(database.prepare(sql), WRITES.test(sql)),
    batch: async (statements: D1PreparedStatement[]) =>
      (await database.batch(statements.map((statement) => originals.get(statement) ?? statement))).map(count),
  });
}

function meterCache(cache: KVNamespace, units: Units): KVNamespace {
  const counted =
    (name: "kv_reads" | "kv_writes", member: unknown) =>
    (...args: unknown[]) => {
      units[name] += 1;
      return Reflect.apply(member as () => unknown, cache, args);
    };
  return override(cache, {
    get: counted("kv_reads", cache.get),
    getWithMetadata: counted("kv_reads", cache.getWithMetadata),
    put: counted("kv_writes", cache.put),
    delete: counted("kv_writes", cache.delete),
  });
}

function meterQueue<Body>(units: Units): Queue<Body> {
  const queue = {
    send: async () => {
      units.messages += 1;
    },
    sendBatch: async (batch: Iterable<unknown>) => {
      units.messages += [...batch].length;
    },
  };
  // Only what the product calls; a call of anything else fails the test.
  return queue as unknown as Queue<Body>;
}

/** Counts calls of the objects' verbs, and what their storage says of each write. */
function meterObjects(units: Units): () => void {
  const restore: (() => void)[] = [];
  for (const { prototype } of [MonitorObject, ProberObject, AgentObject]) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const verb = Reflect.get(Object.getOwnPropertyDescriptor(prototype, name) ?? {}, "value");
      if (name === "constructor" || typeof verb !== "function") continue;
      Reflect.set(prototype, name, async function (this: { ctx: DurableObjectState }, ...args: unknown[]) {
        units.object_requests += 1;
        const stop = meterStorage(this.ctx.storage, units);
        try {
          return await Reflect.apply(verb, this, args);
        } finally {
          stop();
        }
      });
      restore.push(() => void Reflect.set(prototype, name, verb));
    }
  }
  return () => {
    for (const undo of restore) undo();
  };
}

function meterStorage(storage: DurableObjectStorage, units: Units): () => void {
  const { sql, kv } = storage;
  const [exec, put, setAlarm] = [sql.exec, kv.put, storage.setAlarm];
  const cursors: { rowsWritten: number }[] = [];
  sql.exec = function (this: SqlStorage, ...args: Parameters<SqlStorage["exec"]>) {
    const cursor = Reflect.apply(exec, this, args);
    cursors.push(cursor);
    return cursor;
  } as SqlStorage["exec"];
  kv.put = function (this: unknown, ...args: unknown[]) {
    units.object_rows_written += 1;
    return Reflect.apply(put, this, args);
  } as typeof put;
  storage.setAlarm = function (this: unknown, ...args: unknown[]) {
    units.object_rows_written += 1;
    return Reflect.apply(setAlarm, this, args);
  } as typeof setAlarm;
  return () => {
    for (const cursor of cursors) units.object_rows_written += cursor.rowsWritten;
    Object.assign(sql, { exec });
    Object.assign(kv, { put });
    Object.assign(storage, { setAlarm });
  };
}
