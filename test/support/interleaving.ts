import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import type fc from "fast-check";
import { createApp } from "../../src/app.ts";
import type { Env } from "../../src/platform/env.ts";
import { override } from "./override.ts";

/** Hears that a monitor's object has finished a call, before its caller does. */
type OnCall = (verb: string) => Promise<void>;
const nobody: OnCall = async () => {};

/**
 * Bindings that wait for their turn before every query, and before and after every call of an object, so that a
 * scheduler decides in which order the steps of several requests and messages are taken.
 */
export function interleave<Bindings extends Env>(s: fc.Scheduler, bindings: Bindings, onCall = nobody): Bindings {
  return {
    ...bindings,
    DB: interleaveDatabase(s, bindings.DB),
    MONITOR: interleaveObjects(s, bindings.MONITOR, "monitor", onCall),
    PROBER: interleaveObjects(s, bindings.PROBER, "prober", nobody),
  };
}

/** Alone from its turn to its end: D1 takes one query after the other anyway. */
async function inTurn<Result>(s: fc.Scheduler, label: string, run: () => Promise<Result>): Promise<Result> {
  let outcome: Promise<Result> | undefined;
  // Its result is the caller's, and none of the scheduler's business or of its report's.
  const step = async () => {
    outcome = run();
    await outcome.catch(() => {});
  };
  await s.scheduleSequence([{ builder: step, label }]).task;
  if (!outcome) throw new Error("a step was left out");
  return outcome;
}

function interleaveDatabase(s: fc.Scheduler, database: D1Database): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const waiting = override(statement, {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all: () => inTurn(s, "query", () => statement.all()),
      run: () => inTurn(s, "query", () => statement.run()),
      raw: () => inTurn(s, "query", () => statement.raw()),
    });
    originals.set(waiting, statement);
    return waiting;
  };
  return override(database, {
    prepare: (sql: string) => wrap(database.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) =>
      inTurn(s, "batch", () => database.batch(statements.map((each) => originals.get(each) ?? each))),
  });
}

/** Objects take calls while others wait, so a call is not alone: its way there and its way back have turns. */
function interleaveObjects(
  s: fc.Scheduler,
  namespace: DurableObjectNamespace,
  label: string,
  onCall: OnCall,
): DurableObjectNamespace {
  return override(namespace, {
    getByName: (objectName: string) => {
      const stub = namespace.getByName(objectName);
      return new Proxy(stub, {
        get(_target, name) {
          const verb: unknown = Reflect.get(stub, name);
          if (typeof name !== "string" || typeof verb !== "function" || name === "then") return verb;
          return async (...args: unknown[]) => {
            await s.schedule(Promise.resolve(), `${label}.${name}`);
            const answer = await Reflect.apply(verb, stub, args);
            await onCall(name);
            await s.schedule(Promise.resolve(), `${label}.${name} answers`);
            return answer;
          };
        },
      });
    },
  });
}

export interface Asked {
  token: string;
  method: string;
  path: string;
  body?: unknown;
}

/** One request from its arrival to the end of what it deferred; gives the status of its answer. */
const app = createApp();

export async function ask(bindings: Env, { token, method, path, body }: Asked): Promise<number> {
  const ctx = createExecutionContext();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = new Request(`http://vigil.test${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await app.fetch(sent, bindings, ctx);
  await response.text();
  await waitOnExecutionContext(ctx);
  return response.status;
}
