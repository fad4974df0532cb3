import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { CheckResult, MonitorSnapshot } from "../../src/contract/monitor-object.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { monitorObject } from "../../src/platform/monitor-objects.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";

const db = openDb(env.DB);
const stubOf = (id: string) => env.MONITOR.get(env.MONITOR.idFromName(id));

/** Transitions that the object still keeps for its consumer. */
const outboxOf = (id: string) =>
  runInDurableObject(stubOf(id), (_object, state) => state.storage.kv.get<{ outbox: unknown[] }>("monitor")?.outbox);

async function aMonitor(fields: Parameters<typeof insertMonitor>[1] = {}) {
  const { user_id } = await createAccount();
  return insertMonitor(user_id, { created_at: Date.now() - 3_600_000, ...fields });
}

let slot = Date.now() - 600_000;
function result(outcome: CheckResult["outcome"], fields: Partial<CheckResult> = {}): CheckResult {
  slot += 60_000;
  const checked_at = Math.min(slot, Date.now());
  return {
    region: "default",
    slot_at: slot,
    attempt: 0,
    checked_at,
    outcome,
    latency_ms: 5,
    message: outcome,
    ...fields,
  };
}

beforeEach(() => {
  slot = Date.now() - 170_000 - 60_000;
});

describe("the object of a monitor", () => {
  it("answers nothing for a monitor that does not exist and keeps no storage for it", async () => {
    const stub = stubOf("nobody");
    expect(await monitorObject(env, "nobody").report("nobody", 1, [result("success")])).toBeNull();
    await runInDurableObject(stub, async (_object, state) => {
      expect([...state.storage.kv.list()]).toEqual([]);
      expect(await state.storage.getAlarm()).toBeNull();
    });
  });

  it("goes up with the first success and says nothing of it to people", async () => {
    const { id } = await aMonitor();
    const answer = await monitorObject(env, id).report(id, 1, [result("success")]);
    expect(answer).toMatchObject({ status: "up", seq: 1, settled: true, retry: null });
    expect(await outboxOf(id)).toEqual([expect.objectContaining({ seq: 1, from: "pending", to: "up", event: null })]);
  });

  it("asks for a quick repeat after a first failure and goes down when it fails again", async () => {
    const { id } = await aMonitor({ interval: 60, retry_interval: 5 });
    const object = monitorObject(env, id);
    await object.report(id, 1, [result("success")]);
    const first = result("failure");
    const before = Date.now();
    const doubtful = await object.report(id, 1, [first]);
    expect(doubtful).toMatchObject({ status: "up", settled: false, retry: { slot_at: first.slot_at, attempt: 1 } });
    expect(doubtful?.retry?.at).toBeGreaterThanOrEqual(before + 5_000);

    const repeat = { ...first, attempt: 1, checked_at: first.checked_at + 5 };
    const down = await object.report(id, 1, [repeat]);
    expect(down).toMatchObject({ status: "down", seq: 2, status_since: first.checked_at, retry: null });
  });

  it("gives the same answer to a repeated result and changes nothing", async () => {
    const { id } = await aMonitor({ failure_threshold: 1 });
    const object = monitorObject(env, id);
    const failure = result("failure");
    const once = await object.report(id, 1, [failure]);
    expect(await object.report(id, 1, [failure])).toEqual(once);
    expect(once).toMatchObject({ status: "down", seq: 1 });
  });

  it("continues after it was evicted between any two results", async () => {
    const { id } = await aMonitor({ failure_threshold: 3 });
    const object = monitorObject(env, id);
    const answers: (MonitorSnapshot | null)[] = [];
    for (const outcome of ["success", "failure", "failure", "failure"] as const) {
      answers.push(await object.report(id, 1, [result(outcome)]));
      await evictDurableObject(stubOf(id));
    }
    expect(answers.map((answer) => answer?.status)).toEqual(["up", "up", "up", "down"]);
  });

  it("writes nothing for further failures while down, and goes on after it was evicted between them", async () => {
    const { id } = await aMonitor({ failure_threshold: 1, recovery_threshold: 2 });
    const object = monitorObject(env, id);
    const stored = () => runInDurableObject(stubOf(id), (_object, { storage }) => storage.kv.get("monitor"));
    const down = await object.report(id, 1, [result("failure")]);
    expect(down?.status).toBe("down");
    const before = await stored();
    for (let n = 0; n < 2; n++) expect(await object.report(id, 1, [result("failure")])).toEqual(down);
    expect(await stored()).toEqual(before);
    await evictDurableObject(stubOf(id));
    slot -= 60_000;
    expect(await object.report(id, 1, [result("failure")])).toEqual(down);
    slot = Date.now() - 60_000;
    await object.report(id, 1, [result("success")]);
    await evictDurableObject(stubOf(id));
    expect(await object.report(id, 1, [result("success")])).toMatchObject({ status: "up", seq: (down?.seq ?? 0) + 1 });
  });

  it("drops a result of a check that ran under an older configuration", async () => {
    const { id } = await aMonitor({ failure_threshold: 1 });
    const object = monitorObject(env, id);
    await object.report(id, 1, [result("success")]);
    await db.update(monitors).set({ target: "http://127.0.0.1:10/", config_version: 2 }).where(eq(monitors.id, id));
    await object.sync(id, 2);
    expect(await object.report(id, 1, [result("failure")])).toMatchObject({ status: "up", config_version: 2 });
    expect(await object.report(id, 2, [result("failure")])).toMatchObject({ status: "down" });
  });

  it("learns a newer configuration by itself when a result brings its version", async () => {
    const { id } = await aMonitor({ failure_threshold: 5 });
    const object = monitorObject(env, id);
    await object.report(id, 1, [result("success")]);
    await db.update(monitors).set({ failure_threshold: 1, config_version: 2 }).where(eq(monitors.id, id));
    expect(await object.report(id, 2, [result("failure")])).toMatchObject({ status: "down", config_version: 2 });
  });

  it("pauses and resumes with its row", async () => {
    const { id } = await aMonitor({ failure_threshold: 1 });
    const object = monitorObject(env, id);
    await object.report(id, 1, [result("success")]);
    await db.update(monitors).set({ paused: true, config_version: 2 }).where(eq(monitors.id, id));
    expect(await object.sync(id, 2)).toMatchObject({ status: "paused" });
    expect(await object.report(id, 2, [result("failure")])).toMatchObject({ status: "paused" });
    await db.update(monitors).set({ paused: false, config_version: 3 }).where(eq(monitors.id, id));
    expect(await object.sync(id, 3)).toMatchObject({ status: "pending" });
  });

  it("forgets everything when its monitor is deleted", async () => {
    const { id } = await aMonitor();
    const object = monitorObject(env, id);
    await object.report(id, 1, [result("success")]);
    await db.delete(monitors).where(eq(monitors.id, id));
    expect(await object.sync(id, 2)).toBeNull();
    await runInDurableObject(stubOf(id), async (_object, state) => {
      expect([...state.storage.kv.list()]).toEqual([]);
      expect(await state.storage.getAlarm()).toBeNull();
    });
  });

  it("keeps a transition and an alarm until it is confirmed", async () => {
    const { id } = await aMonitor();
    const object = monitorObject(env, id);
    await object.report(id, 1, [result("success")]);
    for (let n = 0; n < 3; n++) {
      expect(await runDurableObjectAlarm(stubOf(id))).toBe(true);
      expect(await outboxOf(id)).toHaveLength(1);
    }
    await object.confirm(1);
    expect(await outboxOf(id)).toEqual([]);
    expect(await runDurableObjectAlarm(stubOf(id))).toBe(true);
    expect(await runDurableObjectAlarm(stubOf(id))).toBe(false);
  });

  it("becomes unknown when no result came for too long, and silently up again with the next one", async () => {
    const { id } = await aMonitor();
    const object = monitorObject(env, id);
    const last = result("success");
    await object.report(id, 1, [last]);
    const report = { last_result_at: last.checked_at, reason: "no check ran for too long" };
    expect(await object.markStale(id, 1, report)).toMatchObject({ status: "unknown", settled: false });
    expect(await object.report(id, 1, [result("success", { checked_at: Date.now() })])).toMatchObject({ status: "up" });
  });
});
