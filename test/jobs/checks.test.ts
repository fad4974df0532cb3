import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, ne } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { createApp } from "../../src/app.ts";
import { planMinute } from "../../src/checks/planner.ts";
import { runSlot } from "../../src/checks/runner.ts";
import { MEMBERS_PER_MESSAGE } from "../../src/data/check-groups/read.ts";
import { openDb } from "../../src/data/db.ts";
import { checkGroups, monitors, plannedMinutes } from "../../src/data/monitors/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { checkGroupId, slotBefore, slotsWithin } from "../../src/domain/check-schedule.ts";
import { handleChecks } from "../../src/jobs/checks.ts";
import { proberObject } from "../../src/platform/prober-objects.ts";
import { createAccount } from "../support/factories.ts";
import { sweepChecks } from "../support/minute.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const db = openDb(env.DB);
const app = createApp();
const outside = vi.spyOn(globalThis, "fetch");

beforeEach(async () => {
  outside.mockReset().mockImplementation(async () => new Response("ok"));
  await db.delete(monitors);
  await db.delete(checkGroups);
  await db.delete(plannedMinutes);
  vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / MINUTE) * MINUTE });
});
afterEach(() => vi.useRealTimers());

async function aMonitor(fields: Parameters<typeof insertMonitor>[1] = {}) {
  const { user_id } = await createAccount();
  return insertMonitor(user_id, { created_at: Date.now() - 3_600_000, ...fields });
}

async function read(id: string) {
  const [row] = await db.select().from(monitors).where(eq(monitors.id, id));
  if (!row) throw new Error("no such monitor");
  return row;
}

/** Runs one scheduled slot of a monitor's group after moving the clock to it. */
async function runNext(
  monitor: { check_group_id: string },
  afterMs = MINUTE,
  attempt = 0,
  slot_at?: number,
  settings = {},
) {
  vi.setSystemTime(Date.now() + afterMs);
  const recording = recordingEnv(settings);
  const scope = jobScope(recording.env, "test");
  const message = { group_id: monitor.check_group_id, region: "default", slot_at: slot_at ?? Date.now(), attempt };
  await runSlot(scope, message, async () => {});
  return { ...recording, message };
}

describe("the planner", () => {
  it("sends nothing for monitors that are all paused, and is not late with one that is resumed", async () => {
    const { user_id } = await createAccount();
    const status_page_id = await insertPage(user_id);
    const monitor = await aMonitor({ owner_id: user_id, status_page_id, paused: true });
    const minute = Date.now();
    await db.update(checkGroups).set({ last_slot_at: minute - 60 * MINUTE });
    const plan = async (at: number) => {
      vi.setSystemTime(at);
      const { env: recording, checks } = recordingEnv();
      const stale = await planMinute(jobScope(recording, "test"), at);
      return { checks: checks.length, stale };
    };
    expect(await plan(minute)).toEqual({ checks: 0, stale: [] });
    expect(await plan(minute + MINUTE)).toEqual({ checks: 0, stale: [] });
    await db.update(monitors).set({ paused: false });
    expect(await plan(minute + 2 * MINUTE)).toEqual({ checks: 1, stale: [] });
    const [page] = await db.select().from(statusPages).where(eq(statusPages.id, status_page_id));
    expect(page?.checks_late_since).toBeNull();
    expect((await read(monitor.id)).paused).toBe(false);
  });

  it("sends every slot of a minute once, with the delay that puts it on time", async () => {
    const { check_group_id } = await aMonitor({ interval: 10 });
    const minute = Date.now();
    await db.update(checkGroups).set({ last_slot_at: minute - 1 });
    const { env: recording, checks } = recordingEnv();
    await planMinute(jobScope(recording, "test"), minute);
    expect(checks).toEqual(
      slotsWithin(check_group_id, 10_000, minute, minute + MINUTE).map((slot_at) => ({
        body: { kind: "check", group_id: check_group_id, region: "default", slot_at, attempt: 0 },
        delaySeconds: (slot_at - minute) / 1000,
      })),
    );
    expect(checks).toHaveLength(6);
  });

  it("sends the slots of the slow lane through a queue of their own, so that the lanes share no connection", async () => {
    const monitor = await aMonitor();
    const { shard_id } = await read(monitor.id);
    const slow = checkGroupId({ shard_id, interval: 60, regions: [], lane: "slow" });
    await db.insert(checkGroups).values({ id: slow, shard_id, interval: 60, regions: [], lane: "slow" });
    const minute = Date.now();
    await db.update(checkGroups).set({ last_slot_at: minute - 1 });
    const recording = recordingEnv();
    await planMinute(jobScope(recording.env, "test"), minute);
    expect(recording.checks.map(({ body }) => body.group_id)).toEqual([monitor.check_group_id]);
    expect(recording.slow.map(({ body }) => body.group_id)).toEqual([slow]);
  });

  it("plans a minute once, however often and concurrently its tick comes", async () => {
    await aMonitor();
    const minute = Date.now();
    await db.update(checkGroups).set({ last_slot_at: minute - 1 });
    const { env: recording, checks } = recordingEnv();
    const scope = jobScope(recording, "test");
    await Promise.all([planMinute(scope, minute), planMinute(scope, minute), planMinute(scope, minute)]);
    await planMinute(scope, minute);
    expect(checks).toHaveLength(1);
  });

  it("checks each group once after an hour without ticks, not once for each missed slot", async () => {
    const { check_group_id } = await aMonitor({ interval: 60 });
    const minute = Date.now();
    await db.insert(plannedMinutes).values({ minute_at: minute - 60 * MINUTE });
    await db.update(checkGroups).set({ last_slot_at: minute - 60 * MINUTE });
    const { env: recording, checks } = recordingEnv();
    await planMinute(jobScope(recording, "test"), minute);
    expect(checks.filter(({ delaySeconds }) => delaySeconds === 0).length).toBeGreaterThanOrEqual(1);
    expect(checks.length).toBeLessThanOrEqual(2);
    expect(new Set(checks.map(({ body }) => body.group_id))).toEqual(new Set([check_group_id]));
  });

  it("checks each group once when a minute is planned late, and goes on with the slots that are still to come", async () => {
    const { check_group_id } = await aMonitor({ interval: 10 });
    const minute = Date.now();
    const now = minute + 35_000;
    vi.setSystemTime(now);
    await db.insert(plannedMinutes).values({ minute_at: minute - MINUTE });
    const { env: recording, checks } = recordingEnv();
    await planMinute(jobScope(recording, "test"), minute);
    const slots = slotsWithin(check_group_id, 10_000, minute, minute + MINUTE);
    const past = slots.filter((slot) => slot < now).slice(-1);
    expect(checks.map(({ body }) => body.slot_at)).toEqual([...past, ...slots.filter((slot) => slot >= now)]);
  });

  it("sends a slot of an hourly monitor again when it was lost on its way", async () => {
    const { check_group_id } = await aMonitor({ interval: 3600 });
    const minute = Date.now();
    const lost = slotsWithin(check_group_id, 3_600_000, minute - 3_600_000, minute).at(-1) ?? 0;
    await db.update(checkGroups).set({ last_slot_at: lost - 3_600_000 });
    for (const [at, resent] of [
      [lost + 119_000, 0],
      [lost + 120_000, 1],
    ] as const) {
      await db.delete(plannedMinutes);
      await db.insert(plannedMinutes).values({ minute_at: at - MINUTE });
      const { env: recording, checks } = recordingEnv();
      await planMinute(jobScope(recording, "test"), at);
      expect(checks.filter(({ body }) => body.slot_at === lost)).toHaveLength(resent);
    }
  });
});

describe("the planner of 10,000 monitors at 60 s and 500 at 10 s", () => {
  it("sends every slot of ten minutes exactly once, on time, while ticks come late, doubled or at once", async () => {
    const start = Date.now();
    const groups = [
      ...Array.from({ length: 334 }, (_, n) => ({ id: `s${n}/60/any/normal`, interval: 60 })),
      ...Array.from({ length: 17 }, (_, n) => ({ id: `t${n}/10/any/normal`, interval: 10 })),
    ];
    for (let n = 0; n < groups.length; n += 10) {
      const rows = groups.slice(n, n + 10).map((group) => ({
        ...group,
        shard_id: "s",
        regions: [],
        lane: "normal" as const,
        last_slot_at: start - 1,
      }));
      await db.insert(checkGroups).values(rows);
    }
    await db.insert(plannedMinutes).values({ minute_at: start - MINUTE });
    const { env: recording, checks } = recordingEnv();
    const late: number[] = [];
    for (let minute = start; minute < start + 10 * MINUTE; minute += MINUTE) {
      const sent = checks.length;
      vi.setSystemTime(minute + ((minute / MINUTE) % 3) * 150);
      const scope = jobScope(recording, "test");
      await Promise.all([planMinute(scope, minute), planMinute(scope, minute)]);
      await planMinute(scope, minute);
      for (const { body, delaySeconds = 0 } of checks.slice(sent)) {
        late.push(Date.now() + delaySeconds * 1000 - body.slot_at);
      }
      await db.update(checkGroups).set({ last_slot_at: minute + MINUTE - 1 });
    }
    const expected = groups.flatMap(({ id, interval }) =>
      slotsWithin(id, interval * 1000, start, start + 10 * MINUTE).map((slot) => `${id} ${slot}`),
    );
    expect(checks.map(({ body }) => `${body.group_id} ${body.slot_at}`).sort()).toEqual(expected.sort());
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThanOrEqual(1_000);
  });
});

describe("a monitor in several regions", () => {
  it("is checked once for each region, and one failing region of three does not take it down", async () => {
    const regions = ["weur", "enam", "apac"] as const;
    const monitor = await aMonitor({ regions: [...regions], failure_threshold: 1 });
    const { shard_id } = await read(monitor.id);
    const check = async (region: string, slot_at: number, status: number) => {
      outside.mockImplementation(async () => new Response("", { status }));
      const body = { group_id: monitor.check_group_id, region, slot_at, attempt: 0 };
      const prober = proberObject(env, shard_id, region);
      await runSlot(jobScope(recordingEnv().env, "test"), body, (_shard, row) => prober.record(row));
    };
    vi.setSystemTime(Date.now() + MINUTE);
    for (const region of regions) await check(region, Date.now(), 200);
    expect(await read(monitor.id)).toMatchObject({ status: "up", settled: true });

    vi.setSystemTime(Date.now() + MINUTE);
    for (const [region, status] of [
      ["weur", 503],
      ["enam", 200],
      ["apac", 200],
    ] as const) {
      await check(region, Date.now(), status);
    }
    expect(await read(monitor.id)).toMatchObject({ status: "up" });

    vi.setSystemTime(Date.now() + MINUTE);
    for (const [region, status] of [
      ["weur", 503],
      ["enam", 503],
      ["apac", 200],
    ] as const) {
      await check(region, Date.now(), status);
    }
    expect(await read(monitor.id)).toMatchObject({ status: "down" });

    const everything = { monitor_id: monitor.id, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 10 };
    const outcomes = await Promise.all(
      regions.map(async (region) =>
        (await proberObject(env, shard_id, region).list(everything)).map(({ outcome }) => outcome),
      ),
    );
    expect(outcomes).toEqual([
      ["failure", "failure", "success"],
      ["failure", "success", "success"],
      ["success", "success", "success"],
    ]);
  });
});

describe("the runner", () => {
  it("brings a new monitor up and then leaves its object asleep while all is well", async () => {
    const monitor = await aMonitor();
    await runNext(monitor);
    const up = await read(monitor.id);
    expect(up).toMatchObject({ status: "up", settled: true, state_seq: 1, synced_version: 1 });
    for (let n = 0; n < 5; n++) await runNext(monitor);
    expect((await read(monitor.id)).state_revision).toBe(up.state_revision);
    const [group] = await db.select().from(checkGroups);
    expect(group?.last_slot_at).toBe(Date.now());
    expect(group?.latest).toEqual([[monitor.id, Date.now(), 0, "HTTP 200", "default", "success", Date.now()]]);
  });

  it("orders a quick repeat after a first failure and goes down when that fails, too", async () => {
    const monitor = await aMonitor({ failure_threshold: 2, retry_interval: 5 });
    await runNext(monitor);
    outside.mockImplementation(async () => new Response("no", { status: 503 }));
    const { checks, message } = await runNext(monitor);
    const repeat = { kind: "check", ...message, attempt: 1, monitor_id: monitor.id };
    expect(checks).toEqual([{ body: repeat, delaySeconds: 5 }]);
    expect(await read(monitor.id)).toMatchObject({ status: "up", settled: false, retry_at: Date.now() + 5_000 });
    const failedAt = Date.now();
    await runNext(monitor, 5_000, 1, message.slot_at);
    expect(await read(monitor.id)).toMatchObject({
      status: "down",
      status_since: failedAt,
      status_message: "HTTP 503 instead of a 2xx",
      retry_at: null,
    });
  });

  it("sends one target no burst after its queue stood still for an hour, and checks it at once", async () => {
    const monitor = await aMonitor();
    const now = Date.now();
    for (let minute = 60; minute >= 0; minute--) await runNext(monitor, 0, 0, now - minute * MINUTE - 1000);
    expect(outside).toHaveBeenCalledTimes(2);
    expect(await read(monitor.id)).toMatchObject({ status: "up" });
  });

  it.each([
    ["at the end of its time", 90_000, 1],
    ["after it", 90_001, 0],
  ])("runs a slot of a minute that begins %s or not at all", async (_name, late, requests) => {
    const monitor = await aMonitor();
    await runNext(monitor, 0, 0, Date.now() - late);
    expect(outside).toHaveBeenCalledTimes(requests);
  });

  it("repeats a failed check and makes one that was ordered, however long their queue stood", async () => {
    const monitor = await aMonitor();
    await runNext(monitor, 0, 1, Date.now() - 60 * MINUTE);
    const { env: recording } = recordingEnv();
    const ordered = {
      group_id: monitor.check_group_id,
      region: "default",
      slot_at: Date.now() - 60 * MINUTE,
      attempt: 0,
    };
    await runSlot(jobScope(recording, "test"), { ...ordered, monitor_id: monitor.id }, async () => {});
    expect(outside).toHaveBeenCalledTimes(2);
  });

  it("counts a message that is delivered twice once", async () => {
    const monitor = await aMonitor({ failure_threshold: 2 });
    outside.mockImplementation(async () => new Response("no", { status: 503 }));
    const { message } = await runNext(monitor);
    await runNext(monitor, 1_000, 0, message.slot_at);
    expect(await read(monitor.id)).toMatchObject({ status: "pending" });
  });

  it("checks nothing of a paused monitor", async () => {
    const monitor = await aMonitor({ paused: true });
    await runNext(monitor);
    expect(outside).not.toHaveBeenCalled();
  });

  it("never takes an error of its own for a failure of the target, but says unknown after a while", async () => {
    const monitor = await aMonitor({ failure_threshold: 1, target: "http://10.0.0.1/" });
    await runNext(monitor);
    expect(await read(monitor.id)).toMatchObject({ status: "unknown" });
    expect(outside).not.toHaveBeenCalled();
  });

  it("says at once that a type without a probe is unknown, and why", async () => {
    const monitor = await aMonitor({ type: "docker", target: "unix:///var/run/docker.sock" });
    await runNext(monitor);
    expect(await read(monitor.id)).toMatchObject({ status: "unknown", status_message: "docker cannot be checked yet" });
  });

  it("takes no failure for the target's while every canary fails, too", async () => {
    const monitor = await aMonitor({ failure_threshold: 1, target: "http://sink.test/shop" });
    await runNext(monitor);
    const down = (hosts: RegExp) =>
      outside.mockImplementation(async (url) => {
        if (hosts.test(String(url))) throw new TypeError("Network connection lost.");
        return new Response("ok");
      });
    const canaries = { CANARY_TARGETS: "http://sink.test/canary-1,http://sink.test/canary-2" };
    down(/shop|canary/);
    await runNext(monitor, MINUTE, 0, undefined, canaries);
    expect(await read(monitor.id)).toMatchObject({ status: "up" });
    down(/shop|canary-1/);
    await runNext(monitor, MINUTE, 0, undefined, canaries);
    expect(await read(monitor.id)).toMatchObject({ status: "down" });
  });

  it("takes an answer that Cloudflare's network made for no answer of a canary", async () => {
    const monitor = await aMonitor({ failure_threshold: 1, target: "http://sink.test/shop" });
    await runNext(monitor);
    outside.mockImplementation(
      async () => new Response("error code: 1016", { status: 530, headers: { server: "cloudflare" } }),
    );
    await runNext(monitor, MINUTE, 0, undefined, { CANARY_TARGETS: "http://sink.test/canary-3" });
    expect(await read(monitor.id)).toMatchObject({ status: "up" });
  });

  it("checks a target that timed out in the slow lane until it answers in time, without skipping a slot", async () => {
    const monitor = await aMonitor({ timeout_seconds: 1 });
    await runNext(monitor);
    outside.mockImplementation(async () => {
      throw new DOMException("timed out", "TimeoutError");
    });
    await runNext(monitor);
    const slow = (await read(monitor.id)).check_group_id;
    expect(slow).toMatch(/\/slow$/);
    const minute = Date.now();
    expect(slotsWithin(slow, MINUTE, minute, minute + MINUTE)).toEqual(
      slotsWithin(monitor.check_group_id, MINUTE, minute, minute + MINUTE),
    );
    outside.mockImplementation(async () => new Response("ok"));
    await runNext({ check_group_id: slow });
    expect((await read(monitor.id)).check_group_id).toBe(monitor.check_group_id);
  });

  it("repeats a check that timed out in the slow lane until the monitor is down, and goes on there at once", async () => {
    const monitor = await aMonitor({ timeout_seconds: 1, failure_threshold: 3, retry_interval: 5, interval: 10 });
    await runNext(monitor);
    outside.mockImplementation(async () => {
      throw new DOMException("timed out", "TimeoutError");
    });
    await db.insert(plannedMinutes).values({ minute_at: Date.now() + MINUTE });
    const { slow, checks, message } = await runNext(monitor);
    const moved = await read(monitor.id);
    const minute = Math.floor(Date.now() / MINUTE) * MINUTE;
    expect(checks).toEqual([]);
    expect(slow.map(({ body }) => body)).toEqual([
      ...slotsWithin(moved.check_group_id, 10_000, Date.now() + 1, minute + MINUTE).map((slot_at) => ({
        kind: "check",
        group_id: moved.check_group_id,
        region: "default",
        slot_at,
        attempt: 0,
      })),
      { ...message, kind: "check", group_id: moved.check_group_id, attempt: 1, monitor_id: monitor.id },
    ]);
    for (const attempt of [1, 2]) {
      vi.setSystemTime(Date.now() + 5_000);
      const repeat = { ...message, group_id: moved.check_group_id, attempt, monitor_id: monitor.id };
      await runSlot(jobScope(recordingEnv().env, "test"), repeat, async () => {});
    }
    expect(await read(monitor.id)).toMatchObject({ status: "down", status_since: message.slot_at });
  });

  it("repeats a check of a monitor that changed its group meanwhile", async () => {
    const monitor = await aMonitor({ failure_threshold: 2 });
    await runNext(monitor);
    outside.mockImplementation(async () => new Response("no", { status: 503 }));
    const { checks } = await runNext(monitor);
    const [repeat] = checks;
    if (!repeat) throw new Error("no repeat was ordered");
    const elsewhere = await aMonitor();
    await db.update(monitors).set({ check_group_id: elsewhere.check_group_id }).where(eq(monitors.id, monitor.id));
    await runSlot(jobScope(recordingEnv().env, "test"), repeat.body, async () => {});
    expect((await read(monitor.id)).status).toBe("down");
  });

  it("shows the last check of a monitor that has just changed its lane", async () => {
    const monitor = await aMonitor({ timeout_seconds: 1 });
    await runNext(monitor);
    outside.mockImplementation(async () => {
      throw new DOMException("timed out", "TimeoutError");
    });
    await runNext(monitor);
    const groups = await db.select().from(checkGroups);
    expect(groups.find(({ lane }) => lane === "normal")?.latest).toEqual([]);
    expect(groups.find(({ lane }) => lane === "slow")?.latest).toEqual([
      [monitor.id, Date.now(), null, "timed out", "default", "failure", Date.now()],
    ]);
  });

  it("holds up nobody with a new monitor, and plans it with the others from its first answer in time", async () => {
    const { token } = await createAccount();
    const { env: recording, checks, slow } = recordingEnv();
    await db.insert(plannedMinutes).values({ minute_at: Date.now() });
    vi.setSystemTime(Date.now() + 5_000);
    const body = { name: "Shop", type: "http", target: "http://sink.test/", interval: 10 };
    for (let n = 0; n < 2; n++) {
      const request = new Request("http://vigil.test/api/uptime/v1/monitors", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect((await app.fetch(request, recording, createExecutionContext())).status).toBe(201);
    }
    expect(checks).toEqual([]);
    expect(slow.map(({ delaySeconds }) => delaySeconds)).toEqual([0, 0]);
    const scope = jobScope(recording, "test");
    for (const { body: first } of slow) await runSlot(scope, first, async () => {});
    const [group, ...others] = [...new Set(checks.map(({ body: { group_id } }) => group_id))];
    expect(others).toEqual([]);
    const minute = Math.floor(Date.now() / MINUTE) * MINUTE;
    const slots = slotsWithin(group ?? "", 10_000, Date.now() + 1, minute + MINUTE);
    expect(checks.map(({ body: { slot_at } }) => slot_at)).toEqual(slots);
    const members = await db
      .select()
      .from(monitors)
      .where(eq(monitors.check_group_id, group ?? ""));
    expect(members).toHaveLength(2);
  });

  it("checks a new monitor at once while all others of its group hang", async () => {
    const { token } = await createAccount();
    const { env: recording, checks, slow } = recordingEnv();
    await db.insert(plannedMinutes).values({ minute_at: Date.now() });
    const create = async (path: string) => {
      const request = new Request("http://vigil.test/api/uptime/v1/monitors", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Shop", type: "http", target: `http://sink.test/${path}` }),
      });
      const response = await app.fetch(request, recording, createExecutionContext());
      return ((await response.json()) as { id: string }).id;
    };
    const release = Promise.withResolvers<void>();
    let hanging = 0;
    outside.mockImplementation(async (input) => {
      if (!String(input).endsWith("/hangs")) return new Response("ok");
      hanging += 1;
      await release.promise;
      return new Response("late", { status: 503 });
    });
    const others: string[] = [];
    for (let n = 0; n < 12; n++) others.push(await create("hangs"));
    const scope = jobScope(recording, "test");
    const { check_group_id } = await read(others[0] ?? "");
    const slot = { group_id: check_group_id, region: "default", slot_at: Date.now(), attempt: 0 };
    let isOver = false;
    const scheduled = runSlot(scope, slot, async () => {}).then(() => {
      isOver = true;
    });
    while (hanging < 6) await new Promise((resolve) => setTimeout(resolve, 1));

    slow.length = 0;
    const id = await create("new");
    expect((await read(id)).check_group_id).toBe(check_group_id);
    expect([checks.length, slow]).toMatchObject([0, [{ delaySeconds: 0, body: { monitor_id: id } }]]);
    const [first] = slow;
    if (!first) throw new Error("no first check was ordered");
    await runSlot(scope, first.body, async () => {});
    expect(await read(id)).toMatchObject({ status: "up" });
    expect([isOver, hanging]).toEqual([false, 6]);
    release.resolve();
    await scheduled;
  });

  it.each([
    ["checks-slow", "true", 1],
    ["checks-slow", undefined, 0],
    ["checks", "true", 0],
  ])("lets no batch of %s wait for a target that hangs, where queues are serial: %s", async (queue, serial, deferred) => {
    const monitor = await aMonitor();
    const release = Promise.withResolvers<void>();
    outside.mockImplementation(async () => {
      await release.promise;
      return new Response("ok");
    });
    const body = { group_id: monitor.check_group_id, region: "default", slot_at: Date.now(), attempt: 0 };
    const message = { id: "1", timestamp: new Date(), attempts: 1, body, ack: vi.fn(), retry: vi.fn() };
    const behind: Promise<unknown>[] = [];
    const bindings = { ...recordingEnv().env, SERIAL_QUEUES: serial };
    const batch = { queue, messages: [message] } as unknown as MessageBatch;
    const handled = handleChecks(batch, bindings, (work) => void behind.push(work));
    if (deferred === 0) setTimeout(release.resolve, 1_000);
    await handled;
    expect([behind.length, message.ack.mock.calls.length]).toEqual([deferred, 1]);
    release.resolve();
    await Promise.all(behind);
    expect(await read(monitor.id)).toMatchObject({ status: "up" });
  });

  it("keeps the newest result of every member, however many messages run at the same time", async () => {
    const { user_id } = await createAccount();
    const make = () => insertMonitor(user_id, { created_at: Date.now() - 3_600_000, interval: 3600 });
    const members = [await make(), await make(), await make()];
    const [first] = members;
    const { check_group_id } = await read(first?.id ?? "");
    await db.update(monitors).set({ check_group_id });
    const scope = jobScope(recordingEnv().env, "test");
    const slot = { group_id: check_group_id, region: "default", slot_at: Date.now(), attempt: 0 };
    const messages = members.map(({ id }) => ({ ...slot, monitor_id: id }));
    await Promise.all(messages.map((message) => runSlot(scope, message, async () => {})));
    const latest = async () =>
      (await db.select().from(checkGroups).where(eq(checkGroups.id, check_group_id)))[0]?.latest;
    expect((await latest())?.map(([id]) => id).sort()).toEqual(members.map(({ id }) => id).sort());

    await db.delete(monitors).where(eq(monitors.id, first?.id ?? ""));
    await runNext({ check_group_id });
    expect((await latest())?.map(([id]) => id).sort()).toEqual(
      members
        .slice(1)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it("checks a slot of a group that is too large for a message once, by two messages", async () => {
    const { user_id } = await createAccount();
    const make = () => insertMonitor(user_id, { created_at: Date.now() - 3_600_000, interval: 3600 });
    const members = await Promise.all(Array.from({ length: MEMBERS_PER_MESSAGE + 1 }, make));
    const check_group_id = members[0]?.check_group_id ?? "";
    await db.update(monitors).set({ check_group_id });
    await db.delete(checkGroups).where(ne(checkGroups.id, check_group_id));
    const minute = Date.now();
    const slot_at = slotBefore(check_group_id, 3_600_000, minute);
    const { message, checks: parts } = await runNext({ check_group_id }, 0, 0, slot_at);
    expect(parts.map(({ body }) => body)).toEqual([{ kind: "check", ...message, skip: MEMBERS_PER_MESSAGE }]);
    const { env: recording, checks } = recordingEnv();
    const scope = jobScope(recording, "test");
    for (const { body } of parts) await runSlot(scope, body, async () => {});
    const [group] = await db.select().from(checkGroups);
    expect(group?.last_slot_at).toBe(slot_at);
    expect(new Set(group?.latest.map(([id]) => id))).toEqual(new Set(members.map(({ id }) => id)));

    expect(outside).toHaveBeenCalledTimes(members.length);
    await runSlot(scope, message, async () => {});
    for (const at of [slot_at + 2 * MINUTE, slot_at + 3 * MINUTE]) await planMinute(scope, at);
    expect(outside).toHaveBeenCalledTimes(members.length);
    expect(checks).toEqual([]);
  });

  it("forgets the last result of who left such a group, and of nobody else", async () => {
    const { user_id } = await createAccount();
    const make = () => insertMonitor(user_id, { created_at: Date.now() - 3_600_000 });
    const members = await Promise.all(Array.from({ length: MEMBERS_PER_MESSAGE + 2 }, make));
    const [gone, ...others] = members.map(({ id }) => id);
    const check_group_id = members[0]?.check_group_id ?? "";
    await db.update(monitors).set({ check_group_id });
    const known = async () => {
      const [group] = await db.select().from(checkGroups).where(eq(checkGroups.id, check_group_id));
      return group?.latest.map(([id]) => id).toSorted();
    };
    const runAll = async () => {
      const { checks: parts } = await runNext({ check_group_id });
      expect(await known()).toEqual(expect.arrayContaining(others));
      for (const { body } of parts) await runSlot(jobScope(recordingEnv().env, "test"), body, async () => {});
    };
    const first = await runNext({ check_group_id });
    for (const { body } of first.checks) await runSlot(jobScope(recordingEnv().env, "test"), body, async () => {});
    expect(await known()).toHaveLength(members.length);
    await db.delete(monitors).where(eq(monitors.id, gone ?? ""));
    for (let n = 0; n < 5; n++) await runAll();
    expect(await known()).toEqual(others.toSorted());
  });

  it("deletes a group that nobody belongs to any more", async () => {
    const monitor = await aMonitor();
    await db.delete(monitors).where(eq(monitors.id, monitor.id));
    await runNext(monitor);
    expect(await db.select().from(checkGroups)).toEqual([]);
  });
});

describe("the sweep", () => {
  it("brings an object up to date whose notification of a change was lost", async () => {
    const monitor = await aMonitor();
    await runNext(monitor);
    await db.update(monitors).set({ paused: true, config_version: 2, updated_at: Date.now() - 31_000 });
    await sweepChecks(recordingEnv().env);
    expect(await read(monitor.id)).toMatchObject({ status: "paused", synced_version: 2 });
  });

  it("repeats a failed check whose quick repeat was lost", async () => {
    const monitor = await aMonitor({ retry_interval: 5 });
    await runNext(monitor);
    outside.mockImplementation(async () => new Response("no", { status: 503 }));
    await runNext(monitor);
    vi.setSystemTime(Date.now() + 36_000);
    const { env: recording, checks } = recordingEnv();
    await sweepChecks(recording);
    expect(checks).toMatchObject([{ body: { monitor_id: monitor.id, attempt: 0, slot_at: Date.now() } }]);
  });

  it("says unknown of monitors that were not checked for three intervals, and of nobody before", async () => {
    const monitor = await aMonitor({ interval: 120 });
    await runNext(monitor);
    for (const [afterMs, status] of [
      [360_000, "up"],
      [1, "unknown"],
    ] as const) {
      vi.setSystemTime(Date.now() + afterMs);
      await sweepChecks(recordingEnv().env);
      expect(await read(monitor.id)).toMatchObject({ status });
    }
  });
});
