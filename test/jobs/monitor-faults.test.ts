import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { storeResults } from "../../src/checks/result-history.ts";
import { runSlot } from "../../src/checks/runner.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors, statusIntervals } from "../../src/data/monitors/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { handleChecks } from "../../src/jobs/checks.ts";
import { handleEvents } from "../../src/jobs/events.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { createAccount } from "../support/factories.ts";
import { sweepChecks } from "../support/minute.ts";
import { insertMonitor } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const db = openDb(env.DB);

beforeEach(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / MINUTE) * MINUTE });
});
afterEach(() => vi.useRealTimers());

async function read(id: string) {
  const [row] = await db.select().from(monitors).where(eq(monitors.id, id));
  if (!row) throw new Error("no such monitor");
  return row;
}

const throws = async () => {
  throw new Error("storage operation exceeded timeout");
};
const hangs = () => new Promise(() => {});

/** Bindings in which the object of one monitor throws, or hangs, at every call. */
function withBrokenObject(monitorId: string, fail: () => Promise<unknown> = throws): Env {
  const bindings: Env = recordingEnv().env;
  const getByName = (id: string) =>
    id === monitorId ? { report: fail, sync: fail, markStale: fail, confirm: fail } : bindings.MONITOR.getByName(id);
  const namespace: unknown = { getByName };
  return { ...bindings, MONITOR: namespace as Env["MONITOR"] };
}

/** Objects have a twentieth of a second to answer instead of 20 seconds. */
async function withShortDeadlines(run: () => Promise<void>): Promise<void> {
  const setTimer = globalThis.setTimeout;
  const shorten = (then: () => void, ms?: number) => setTimer(then, ms === 20_000 ? 50 : ms);
  const timer = vi.spyOn(globalThis, "setTimeout").mockImplementation(shorten as typeof setTimeout);
  await run().finally(() => timer.mockRestore());
}

/** Two monitors of two accounts in one check group; the first is the faulty one. */
async function twoInOneGroup(fields: Parameters<typeof insertMonitor>[1] = {}) {
  const created_at = Date.now() - 60 * MINUTE;
  const [owner, other] = [await createAccount(), await createAccount()];
  const healthy = await insertMonitor(other.user_id, { created_at });
  const { check_group_id } = healthy;
  const faulty = await insertMonitor(owner.user_id, { created_at, ...fields });
  await db.update(monitors).set({ check_group_id }).where(eq(monitors.id, faulty.id));
  return { owner, faulty: faulty.id, healthy: healthy.id, check_group_id };
}

async function runNext(bindings: Env, group_id: string) {
  vi.setSystemTime(Date.now() + MINUTE);
  const message = { group_id, region: "default", slot_at: Date.now(), attempt: 0 };
  await runSlot(jobScope(bindings, "test"), message, async () => {});
}

const intervalsOf = (id: string) =>
  db
    .select({ status: statusIntervals.status, from_at: statusIntervals.from_at, to_at: statusIntervals.to_at })
    .from(statusIntervals)
    .where(eq(statusIntervals.monitor_id, id))
    .orderBy(statusIntervals.from_at, statusIntervals.seq);

const noticesOf = (userId: string) => db.select().from(notifications).where(eq(notifications.user_id, userId));

describe("a monitor whose secrets cannot be decrypted", () => {
  it("is unknown for that reason, its owner is notified once, and the others of its group are checked", async () => {
    const { owner, faulty, healthy, check_group_id } = await twoInOneGroup({ sealed: "v1.AAAA.AAAA" });
    const { env: bindings } = recordingEnv();
    for (let slot = 0; slot < 3; slot++) await runNext(bindings, check_group_id);
    expect(await read(healthy)).toMatchObject({ status: "up" });
    expect(await read(faulty)).toMatchObject({
      status: "unknown",
      status_message: "the stored secrets of the monitor cannot be decrypted",
    });
    expect(await noticesOf(owner.user_id)).toMatchObject([{ type: "monitor.unchecked", target_id: faulty }]);
  });
});

describe("a monitor that the Workers Free plan cannot check", () => {
  it.each<[string, Parameters<typeof insertMonitor>[1], string]>([
    ["a TLS handshake", { type: "ssl", target: "shop.example" }, "this check computes a TLS handshake of its own"],
    ["any certificate", { options: { verify_ssl: false } }, "this check computes a TLS handshake of its own"],
    ["steps", { options: { steps: [{}] } }, "steps exceed the 50 requests of an invocation"],
  ])("because of %s is unknown for that reason; its owner is notified once", async (_name, fields, reason) => {
    const { owner, faulty, healthy, check_group_id } = await twoInOneGroup(fields);
    const { env: bindings } = recordingEnv({ PLAN: "free" });
    for (let slot = 0; slot < 2; slot++) await runNext(bindings, check_group_id);
    expect(await read(healthy)).toMatchObject({ status: "up" });
    expect(await read(faulty)).toMatchObject({ status: "unknown", status_message: expect.stringContaining(reason) });
    expect(await noticesOf(owner.user_id)).toMatchObject([{ type: "monitor.unchecked", target_id: faulty }]);
  });
});

describe("a monitor whose object throws", () => {
  it("is unknown once its last result is no longer valid, and costs the others of its group nothing", async () => {
    const { owner, faulty, healthy, check_group_id } = await twoInOneGroup();
    await runNext(recordingEnv().env, check_group_id);
    expect(await read(faulty)).toMatchObject({ status: "up" });
    // Unsettled, so that its object is called for every result.
    await db.update(monitors).set({ settled: false }).where(eq(monitors.id, faulty));

    const broken = withBrokenObject(faulty);
    await runNext(broken, check_group_id);
    expect(await read(faulty)).toMatchObject({ status: "up" });
    for (let slot = 0; slot < 5; slot++) await runNext(broken, check_group_id);
    expect(await read(healthy)).toMatchObject({ status: "up" });
    expect(await read(faulty)).toMatchObject({
      status: "unknown",
      status_message: "the monitor's state is not available",
    });
    expect(await noticesOf(owner.user_id)).toHaveLength(1);

    await runNext(recordingEnv().env, check_group_id);
    expect(await read(faulty)).toMatchObject({ status: "up" });
  });

  it("is the same as one whose object never answers, which the others of its message do not wait for", async () => {
    const { faulty, healthy, check_group_id } = await twoInOneGroup();
    await runNext(recordingEnv().env, check_group_id);
    await db.update(monitors).set({ settled: false }).where(eq(monitors.id, faulty));
    const stuck = withBrokenObject(faulty, hangs);
    await withShortDeadlines(async () => {
      for (let slot = 0; slot < 6; slot++) await runNext(stuck, check_group_id);
    });
    expect(await read(healthy)).toMatchObject({ status: "up" });
    expect(await read(faulty)).toMatchObject({
      status: "unknown",
      status_message: "the monitor's state is not available",
    });
    await runNext(recordingEnv().env, check_group_id);
    expect(await read(faulty)).toMatchObject({ status: "up" });
  });

  it("counts in reports as unknown from then until its object responds again", async () => {
    const { faulty, check_group_id } = await twoInOneGroup();
    await runNext(recordingEnv().env, check_group_id);
    await vi.waitFor(async () => expect((await intervalsOf(faulty)).at(-1)?.status).toBe("up"), PATIENCE);
    await db.update(monitors).set({ settled: false }).where(eq(monitors.id, faulty));
    const broken = withBrokenObject(faulty);
    while ((await read(faulty)).status === "up") await runNext(broken, check_group_id);
    const lostAt = (await read(faulty)).status_since;
    await runNext(broken, check_group_id);
    await runNext(recordingEnv().env, check_group_id);
    const foundAt = Date.now();
    expect(await read(faulty)).toMatchObject({ status: "up" });
    expect((await intervalsOf(faulty)).slice(-3)).toEqual([
      { status: "up", from_at: expect.any(Number), to_at: lostAt },
      { status: "unknown", from_at: lostAt, to_at: foundAt },
      { status: "up", from_at: foundAt, to_at: null },
    ]);
  });

  it("costs the sweep over unsynced monitors only its own sync", async () => {
    const { faulty, healthy } = await twoInOneGroup();
    await sweepChecks(withBrokenObject(faulty));
    expect(await read(faulty)).toMatchObject({ synced_version: 0 });
    expect(await read(healthy)).toMatchObject({ synced_version: 1 });
  });

  it("is shown as unknown with the others of its group when nothing is checked any more", async () => {
    const { faulty, healthy, check_group_id } = await twoInOneGroup();
    await runNext(recordingEnv().env, check_group_id);
    vi.setSystemTime(Date.now() + 4 * MINUTE);
    await sweepChecks(withBrokenObject(faulty));
    expect(await read(healthy)).toMatchObject({ status: "unknown", status_message: "no recent check result" });
    expect(await read(faulty)).toMatchObject({
      status: "unknown",
      status_message: "the monitor's state is not available",
    });
  });
});

describe("transitions of a monitor whose object never answers", () => {
  const up = { seq: 1, from: "pending", to: "up", message: "HTTP 200", latency_ms: 12, region: "default" };
  const transitionAt = (at: number) => ({ ...up, at, effective_at: at, outage: null, event: null });

  async function consume(ids: readonly string[], bindings: Env): Promise<string[]> {
    const body = (monitor_id: string) => ({ kind: "transitions", monitor_id, transitions: [transitionAt(Date.now())] });
    const batch = createMessageBatch(
      "events",
      ids.map((id) => ({ id, timestamp: new Date(), attempts: 1, body: body(id) })),
    );
    await withShortDeadlines(() => handleEvents(batch, bindings));
    const { retryMessages } = await getQueueResult(batch, createExecutionContext());
    return retryMessages.map(({ msgId }) => msgId);
  }

  it("are stored and repeated until it confirms, while the others of their batch are done", async () => {
    const { faulty, healthy } = await twoInOneGroup();
    expect(await consume([faulty, healthy], withBrokenObject(faulty, hangs))).toEqual([faulty]);
    for (const id of [faulty, healthy]) expect((await intervalsOf(id)).at(-1)?.status).toBe("up");
  });

  it("are confirmed where it is the composite of the monitor, or its monitor is deleted", async () => {
    const { faulty, healthy } = await twoInOneGroup();
    await db.update(monitors).set({ parent_monitor_id: faulty }).where(eq(monitors.id, healthy));
    expect(await consume([healthy], withBrokenObject(faulty, hangs))).toEqual([]);
    const gone = newId();
    expect(await consume([gone, healthy], withBrokenObject(gone, hangs))).toEqual([gone]);
  });
});

describe("results whose history object", () => {
  /** Bindings in which every history object fails its first call. */
  function withBrokenHistory(fail: () => Promise<unknown>) {
    const recording = recordingEnv();
    let calls = 0;
    const getByName = (name: string) => {
      calls += 1;
      return calls === 1 ? { record: fail } : env.PROBER.getByName(name);
    };
    const namespace: unknown = { getByName };
    return { ...recording, env: { ...recording.env, PROBER: namespace as Env["PROBER"] } };
  }

  async function handle(body: unknown, bindings: Env): Promise<void> {
    const batch = createMessageBatch("checks", [{ id: newId(), timestamp: new Date(), attempts: 1, body }]);
    await withShortDeadlines(() => handleChecks(batch, bindings, () => {}));
    const { retryMessages } = await getQueueResult(batch, createExecutionContext());
    expect(retryMessages).toEqual([]);
  }

  it("are found again where neither it nor the queue would take them, because their slot is not recorded before", async () => {
    const { healthy, check_group_id } = await twoInOneGroup();
    const { env: bindings } = recordingEnv();
    const slot = { group_id: check_group_id, region: "default", slot_at: Date.now(), attempt: 0 };
    const run = (changes: Partial<Env>) => {
      const scope = jobScope({ ...bindings, ...changes }, "test");
      const { region } = slot;
      return runSlot(scope, slot, (shard_id, block) => storeResults(scope, { shard_id, region, block }));
    };
    const silent: unknown = { getByName: () => ({ record: throws }) };
    const full: unknown = { send: throws, sendBatch: throws };
    await expect(run({ PROBER: silent as Env["PROBER"], CHECKS: full as Env["CHECKS"] })).rejects.toThrow();
    const { shard_id } = await read(healthy);
    const range = { from: 0, to: Date.now() + MINUTE, limit: 10, monitor_id: healthy };
    const history = () => env.PROBER.get(env.PROBER.idFromName(`${shard_id}/default`)).list(range);
    expect(await history()).toEqual([]);
    await run({});
    expect(await history()).toMatchObject([{ outcome: "success" }]);
  });

  it.each([
    ["throws", throws],
    ["never answers", hangs],
  ])("%s are recorded, shown and stored in the history by a later message, once", async (_, fail) => {
    const { faulty, healthy, check_group_id } = await twoInOneGroup();
    const { env: bindings, checks } = withBrokenHistory(fail);
    const slot = { group_id: check_group_id, region: "default", slot_at: Date.now(), attempt: 0 };
    await handle(slot, bindings);
    expect(await read(healthy)).toMatchObject({ status: "up" });
    const { shard_id } = await read(healthy);
    const range = { from: 0, to: Date.now() + MINUTE, limit: 10 };
    const historyOf = (id: string) =>
      env.PROBER.get(env.PROBER.idFromName(`${shard_id}/default`)).list({ ...range, monitor_id: id });
    expect(await historyOf(healthy)).toEqual([]);

    const [kept, ...others] = checks;
    expect(others).toEqual([]);
    for (let n = 0; n < 2; n++) await handle(kept?.body, bindings);
    // The slot is recorded, so its own message checks nothing again.
    await handle(slot, bindings);
    for (const id of [healthy, faulty]) {
      expect(await historyOf(id)).toMatchObject([{ outcome: "success", message: "HTTP 200", details: {} }]);
    }
  });
});
