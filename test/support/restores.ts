import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { jobScope } from "../../src/access/scope.ts";
import { reconcileUnsyncedMonitors, watchEpoch } from "../../src/checks/reconcile.ts";
import type { Outbox } from "../../src/durable-objects/transition-outbox.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { beat, moveClock, type Pushed, stubOf } from "./pushes.ts";
import { recordingEnv } from "./queues.ts";

/** A stub of its own for each use: one from an earlier file leads to objects that are gone. */
export const witness = () => env.WITNESS.get(env.WITNESS.idFromName("witness"));

/** The minute's tick of the witness, what it leads to, and everything that objects send meanwhile. */
export async function tick(): Promise<void> {
  moveClock(60_000);
  const recording = recordingEnv();
  const scope = jobScope(recording.env, "test");
  await watchEpoch(scope);
  await reconcileUnsyncedMonitors(scope);
}

/** What the object has not handed over reaches the consumer. */
export async function deliver({ id }: Pushed): Promise<void> {
  const outbox = await runInDurableObject(stubOf(id), (_object, state) => state.storage.kv.get<Outbox>("monitor"));
  if (!outbox || outbox.outbox.length === 0) return;
  await consumeEvent(jobScope(recordingEnv().env, "test"), {
    kind: "transitions",
    monitor_id: id,
    transitions: outbox.outbox,
  });
}

export async function push(monitor: Pushed, status: "ok" | "fail"): Promise<void> {
  moveClock(1000);
  await beat(monitor, { status });
  await deliver(monitor);
}

const TABLES = [
  ...["monitors", "transitions", "status_intervals", "installation", "events", "incidents", "outages"],
  ...["deliveries", "mail_outbox"],
];
type Rows = Record<string, unknown>[];

export async function backUp(): Promise<Map<string, Rows>> {
  const entries = TABLES.map(async (table) => {
    const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all();
    return [table, results] as const;
  });
  return new Map(await Promise.all(entries));
}

/** D1 as it was, the objects as they are. */
export async function restoreDatabase(backup: Map<string, Rows>): Promise<void> {
  const statements = [...backup].flatMap(([table, rows]) => [
    env.DB.prepare(`DELETE FROM ${table}`),
    ...rows.map((row) => {
      const names = Object.keys(row);
      const values = names.map((_, n) => `?${n + 1}`);
      return env.DB.prepare(`INSERT INTO ${table} (${names}) VALUES (${values})`).bind(...Object.values(row));
    }),
  ]);
  await env.DB.batch([env.DB.prepare("PRAGMA defer_foreign_keys = on"), ...statements]);
}

export async function loseObjects(...stubs: Parameters<typeof evictDurableObject>[0][]): Promise<void> {
  for (const stub of stubs) {
    await runInDurableObject(stub, (_object, state) => state.storage.deleteAll());
    await evictDurableObject(stub);
  }
}

/** The changes of status of this monitor that D1 holds an event of. */
export async function eventsOf(id: string): Promise<string[]> {
  const { results } = await env.DB.prepare("SELECT name FROM events WHERE monitor_id = ?1 ORDER BY created_at, id")
    .bind(id)
    .all<{ name: string }>();
  return results.map(({ name }) => name).filter((name) => name.startsWith("monitor."));
}
