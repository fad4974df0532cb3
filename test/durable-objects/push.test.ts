import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { projectSnapshot } from "../../src/checks/projection.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { deletedMonitors, monitors, statusIntervals } from "../../src/data/monitors/table.ts";
import { markUnreachable } from "../../src/data/monitors/unreachable.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { UNITS_PER_HEARTBEAT } from "../../src/domain/bill.ts";
import type { MonitorObject } from "../../src/durable-objects/monitor.ts";
import { monitorObject } from "../../src/platform/monitor-objects.ts";
import { V1 } from "../support/client.ts";
import { meter } from "../support/cost-meter.ts";
import { countCalls } from "../support/count-calls.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { tick } from "../support/minute.ts";
import { insertPage } from "../support/monitors.ts";
import { createVisitor } from "../support/pages.ts";
import {
  alarmOf,
  beat,
  createHeartbeat,
  fireAlarm,
  holdClock,
  keptOf,
  moveClock,
  type Pushed,
  stubOf,
} from "../support/pushes.ts";

/** A beat is due after 60 s and may be 6 s late. */
const IN_TIME_MS = 66_000;

let account: Account;
let monitor: Pushed;
beforeEach(async () => {
  holdClock();
  account = await createAccount();
  monitor = await createHeartbeat(account);
});
afterEach(() => {
  vi.useRealTimers();
});

const statusOf = async (id: string) => (await monitorObject(env, id).sync(id, 0))?.status;
const sinceOf = async (id: string) => (await monitorObject(env, id).sync(id, 0))?.status_since;

describe("the deadline of a heartbeat", () => {
  it("is not passed at its very last millisecond, and is one after it", async () => {
    const { body } = await beat(monitor);
    const due = Date.parse(body.next_expected_at);
    expect(due).toBe(Date.now() + 60_000);
    moveClock(IN_TIME_MS);
    await fireAlarm(monitor.id);
    expect(await statusOf(monitor.id)).toBe("up");
    moveClock(1);
    await fireAlarm(monitor.id);
    expect(await statusOf(monitor.id)).toBe("down");
    expect(await sinceOf(monitor.id)).toBe(due);
  });

  it.each([
    ["the last millisecond in time", 0, ["up"]],
    ["a millisecond too late", 1, ["up", "down", "up"]],
  ])("judges a beat that races the alarm by when it arrived: %s", async (_name, late, path) => {
    await beat(monitor);
    moveClock(IN_TIME_MS + late);
    await Promise.all([beat(monitor), fireAlarm(monitor.id)]);
    expect(await statusOf(monitor.id)).toBe("up");
    const seqs = await runInDurableObject(stubOf(monitor.id), (_object, state) => state.storage.kv.get("monitor"));
    expect(seqs).toMatchObject({ state: { seq: path.length } });
  });

  it("was our fault when we notice it more than 30 s late: unknown, and a whole interval anew", async () => {
    await beat(monitor);
    moveClock(IN_TIME_MS + 30_001);
    await fireAlarm(monitor.id);
    expect(await statusOf(monitor.id)).toBe("unknown");
    moveClock(IN_TIME_MS);
    await fireAlarm(monitor.id);
    expect(await statusOf(monitor.id)).toBe("unknown");
    moveClock(1);
    await fireAlarm(monitor.id);
    expect(await statusOf(monitor.id)).toBe("down");
  });

  it("counts as missed when we notice it 30 s late", async () => {
    await beat(monitor);
    moveClock(IN_TIME_MS + 30_000);
    await fireAlarm(monitor.id);
    expect(await statusOf(monitor.id)).toBe("down");
  });

  it("never passes for a monitor that never had a beat, nor for a paused one", async () => {
    moveClock(10 * IN_TIME_MS);
    await fireAlarm(monitor.id);
    expect(await statusOf(monitor.id)).toBe("pending");
    await beat(monitor);
    await account.client.post(`${V1}/monitors/${monitor.id}/pause`);
    moveClock(IN_TIME_MS + 1);
    await fireAlarm(monitor.id);
    expect(await statusOf(monitor.id)).toBe("paused");
  });

  it("begins anew when the monitor is resumed", async () => {
    await beat(monitor);
    await account.client.post(`${V1}/monitors/${monitor.id}/pause`);
    moveClock(10 * IN_TIME_MS);
    await account.client.post(`${V1}/monitors/${monitor.id}/resume`);
    moveClock(IN_TIME_MS);
    expect(await statusOf(monitor.id)).toBe("pending");
    moveClock(1);
    expect(await statusOf(monitor.id)).toBe("down");
  });

  it("needs as many misses as the threshold says, and the outage began when the first beat was due", async () => {
    const patient: Pushed = await createHeartbeat(account, { failure_threshold: 3 });
    const { body } = await beat(patient);
    const due = Date.parse(body.next_expected_at);
    for (const status of ["up", "up", "down"]) {
      moveClock(60_000);
      // The first is missed when its grace is over, the others an interval later each.
      if (Date.now() < due + 6_001) vi.setSystemTime(due + 6_001);
      await fireAlarm(patient.id);
      expect(await statusOf(patient.id)).toBe(status);
    }
    expect(await sinceOf(patient.id)).toBe(due);
  });

  it("is degraded before it is down where degraded_timeout_seconds says so", async () => {
    const touchy: Pushed = await createHeartbeat(account, { degraded_timeout_seconds: 30 });
    await beat(touchy);
    moveClock(30_000);
    expect(await statusOf(touchy.id)).toBe("up");
    moveClock(1);
    expect(await statusOf(touchy.id)).toBe("degraded");
    moveClock(IN_TIME_MS - 30_000);
    expect(await statusOf(touchy.id)).toBe("down");
  });

  it("of a schedule is its next time, and the time after", async () => {
    vi.setSystemTime(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 1_000);
    const nightly: Pushed = await createHeartbeat(account, { expected_interval: null, schedule: "0 * * * *" });
    const { body } = await beat(nightly);
    expect(Date.parse(body.next_expected_at)).toBe(Date.now() - 1_000 + 3_600_000);
    vi.setSystemTime(Date.parse(body.next_expected_at) + 6_000);
    expect(await statusOf(nightly.id)).toBe("up");
    moveClock(1);
    expect(await statusOf(nightly.id)).toBe("down");
  });

  it("is reconciled by the sweep of one of five minutes after its alarm was lost", async () => {
    await beat(monitor);
    await runInDurableObject(stubOf(monitor.id), (_object, state) => state.storage.deleteAlarm());
    moveClock(IN_TIME_MS + 1);
    for (let minute = 0; minute < 5; minute++) await tick(Date.now() + minute * 60_000);
    const [row] = await openDb(env.DB).select().from(monitors).where(eq(monitors.id, monitor.id));
    expect(row?.status).toBe("down");
  });
});

describe("a heartbeat that was deleted", () => {
  const waiting = async () =>
    (await openDb(env.DB).select().from(deletedMonitors)).filter(({ monitor_id }) => monitor_id === monitor.id).length;
  const unreachable = () => {
    throw new Error("away");
  };

  it("takes nothing more, and leaves nothing to announce", async () => {
    await account.client.delete(`${V1}/monitors/${monitor.id}`);
    expect([(await beat(monitor)).status, await waiting()]).toEqual([401, 0]);
  });

  it("takes nothing more from the next minute on where its object could not be reached", async () => {
    await beat(monitor);
    const MONITOR = { getByName: () => ({ sync: unreachable }) };
    const headers = { authorization: `Bearer ${account.token}` };
    const ask = createVisitor({ MONITOR } as never);
    expect((await ask(`${V1}/monitors/${monitor.id}`, headers, { method: "DELETE" })).status).toBe(204);
    expect([(await beat(monitor)).status, await waiting()]).toEqual([200, 1]);
    await tick(Date.now(), { MONITOR } as never);
    expect([(await beat(monitor)).status, await waiting()]).toEqual([200, 1]);
    await tick(Date.now());
    expect([(await beat(monitor)).status, await waiting()]).toEqual([401, 0]);
    expect(await alarmOf(monitor.id)).toBeNull();
    await evictDurableObject(stubOf(monitor.id));
    expect((await beat(monitor)).status).toBe(401);
  });

  it("does not come back by a call that read it before it went", async () => {
    const read = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await runInDurableObject(stubOf(monitor.id), async (instance) => {
      const object = instance as MonitorObject;
      Reflect.set(object, "env", { ...env, DB: { prepare: (sql: string) => lateAnswer(env.DB.prepare(sql)) } });
      const early = object.sync(monitor.id, 98);
      await read.promise;
      Reflect.set(object, "env", env);
      await env.DB.prepare("DELETE FROM monitors WHERE id = ?").bind(monitor.id).run();
      expect(await object.sync(monitor.id, 99)).toBeNull();
      answered.resolve();
      expect(await early).toBeNull();
    });
    expect((await beat(monitor)).status).toBe(401);

    function lateAnswer(statement: D1PreparedStatement): object {
      const raw = async () => {
        const rows = await statement.raw();
        read.resolve();
        await answered.promise;
        return rows;
      };
      return { bind: (...values: unknown[]) => lateAnswer(statement.bind(...values)), raw };
    }
  });
});

describe("a run of a job", () => {
  it("that started and did not end within the grace is a failure", async () => {
    await beat(monitor);
    await beat(monitor, { status: "start", run_id: "a" });
    moveClock(6_000);
    expect(await statusOf(monitor.id)).toBe("up");
    moveClock(1);
    expect(await statusOf(monitor.id)).toBe("down");
  });

  it("that ended says how long it took", async () => {
    await beat(monitor, { status: "start", run_id: "a" });
    moveClock(4_000);
    await beat(monitor, { run_id: "a" });
    moveClock(6_000);
    expect(await statusOf(monitor.id)).toBe("up");
    expect((await keptOf(monitor.id))[0]).toMatchObject({ beat: { status: "ok", duration_ms: 4_000 } });
  });

  it("that ended too late says how long it took, too", async () => {
    await beat(monitor, { status: "start", run_id: "a" });
    moveClock(20_000);
    expect(await statusOf(monitor.id)).toBe("down");
    await beat(monitor, { run_id: "a" });
    expect(await statusOf(monitor.id)).toBe("up");
    expect((await keptOf(monitor.id))[0]).toMatchObject({ beat: { duration_ms: 20_000 } });
  });

  it("is remembered by an object that was evicted in between", async () => {
    await beat(monitor);
    await beat(monitor, { status: "start", run_id: "a" });
    await evictDurableObject(stubOf(monitor.id));
    moveClock(4_000);
    await beat(monitor, { run_id: "a" });
    expect((await keptOf(monitor.id))[0]).toMatchObject({ beat: { duration_ms: 4_000 } });
  });
});

describe("the object of a heartbeat", () => {
  it("keeps every one of 64 beats at once", async () => {
    const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => beat(monitor, { message: `beat ${n}` })));
    expect(answers.map(({ status }) => status)).toEqual(Array(64).fill(200));
    const messages = (await keptOf(monitor.id)).map((entry) => entry.beat.message);
    expect(new Set(messages).size).toBe(64);
  });

  it("knows its newest beat after it was evicted", async () => {
    for (let n = 0; n < 5; n++) {
      await beat(monitor);
      moveClock(60_000);
      await evictDurableObject(stubOf(monitor.id));
    }
    moveClock(6_000);
    await fireAlarm(monitor.id);
    expect(await statusOf(monitor.id)).toBe("up");
    moveClock(1);
    expect(await statusOf(monitor.id)).toBe("down");
  });

  it("keeps the newest thousand pushes and finds its place in them again", { timeout: 30_000 }, async () => {
    const object = monitorObject(env, monitor.id);
    const said = { status: "ok", duration_ms: null, exit_code: null, run_id: null } as const;
    const push = (n: number) =>
      object.push(monitor.id, {
        kind: "heartbeat",
        credential_version: 1,
        credential_key: 1,
        per_minute: null,
        beat: { ...said, message: String(n) },
      });
    // Calls of one stub arrive in their order.
    await Promise.all(Array.from({ length: 1_010 }, (_, n) => push(n)));
    await evictDurableObject(stubOf(monitor.id));
    await push(1_010);
    const kept = await object.pushes(monitor.id, { limit: 2_000, range: null });
    expect(kept.entries.map(({ beat }) => Number(beat?.message))).toEqual(
      Array.from({ length: 1_000 }, (_, n) => 1_010 - n),
    );
  });

  it("goes down with a failing beat and up with the next good one", async () => {
    const paths = [{ status: "fail", message: "disk full" }, {}, { exit_code: 3 }, { exit_code: 0 }];
    const statuses = [];
    for (const body of paths) {
      statuses.push((await beat(monitor, body)).body.status);
      moveClock(1_000);
    }
    expect(statuses).toEqual(["down", "up", "down", "up"]);
  });

  it("takes as many a minute as are allowed, also across an eviction, and says when there is room again", async () => {
    const object = monitorObject(env, monitor.id);
    const said = { status: "ok", message: null, duration_ms: null, exit_code: null, run_id: null } as const;
    const push = () =>
      object.push(monitor.id, {
        kind: "heartbeat",
        credential_version: 1,
        credential_key: 1,
        per_minute: 3,
        beat: said,
      });
    for (let n = 0; n < 3; n++) {
      expect(await push()).toMatchObject({ outcome: "taken" });
      moveClock(10_000);
    }
    await evictDurableObject(stubOf(monitor.id));
    expect(await push()).toEqual({ outcome: "rate_limited", retry_after_ms: 30_000 });
    moveClock(29_999);
    expect(await push()).toMatchObject({ outcome: "rate_limited" });
    moveClock(1);
    expect(await push()).toMatchObject({ outcome: "taken" });
    expect(await keptOf(monitor.id)).toHaveLength(4);
  });

  it("ends outages so many times in ten minutes, and is taken as a failure at any time", async () => {
    const object = monitorObject(env, monitor.id);
    const push = (status: "ok" | "fail") =>
      object.push(monitor.id, {
        kind: "heartbeat",
        credential_version: 1,
        credential_key: 1,
        per_minute: null,
        recoveries: { limit: 3, window_ms: 600_000 },
        beat: { status, message: null, duration_ms: null, exit_code: null, run_id: null },
      });
    const alternate = async (times: number) => {
      const outcomes: string[] = [];
      for (let n = 0; n < times; n++) {
        moveClock(1_000);
        expect(await push("fail")).toMatchObject({ outcome: "taken", status: "down" });
        moveClock(1_000);
        const answer = await push("ok");
        outcomes.push(typeof answer === "string" ? "repeated" : answer.outcome);
      }
      return outcomes;
    };
    expect(await push("ok")).toMatchObject({ outcome: "taken", status: "up" });
    expect(await alternate(5)).toEqual(["taken", "taken", "taken", "rate_limited", "rate_limited"]);
    const { seq } = (await object.sync(monitor.id, 0)) ?? {};
    await evictDurableObject(stubOf(monitor.id));
    const refused = await push("ok");
    expect(refused).toMatchObject({ outcome: "rate_limited", retry_after_ms: expect.any(Number) });
    expect(await object.sync(monitor.id, 0)).toMatchObject({ seq, status: "down" });
    moveClock(600_000);
    expect(await push("ok")).toMatchObject({ outcome: "taken", status: "up" });
    expect(await alternate(3)).toEqual(["taken", "taken", "rate_limited"]);
  });

  it("forgets everything when its monitor is deleted", async () => {
    await beat(monitor);
    await account.client.delete(`${V1}/monitors/${monitor.id}`);
    expect((await beat(monitor)).status).toBe(401);
    await runInDurableObject(stubOf(monitor.id), (_object, state) => {
      expect([...state.storage.kv.list()]).toEqual([]);
    });
    expect(await alarmOf(monitor.id)).toBeNull();
  });
});

describe("an unchanged beat", () => {
  it("costs one object request and one of its rows, and leaves the alarm and the database alone", async () => {
    for (let n = 0; n < 2; n++) {
      await beat(monitor);
      moveClock(1_000);
    }
    const alarm = await alarmOf(monitor.id);
    const said = { status: "ok", message: null, duration_ms: null, exit_code: null, run_id: null } as const;
    const units = await meter((metered) =>
      monitorObject(metered, monitor.id).push(monitor.id, {
        kind: "heartbeat",
        credential_version: 1,
        credential_key: 1,
        per_minute: 60,
        beat: said,
      }),
    );
    expect(units).toMatchObject({ object_requests: 1, object_rows_written: 1, messages: 0 });
    expect(await alarmOf(monitor.id)).toBe(alarm);
    const row = () => openDb(env.DB).select().from(monitors).where(eq(monitors.id, monitor.id));
    const before = await row();
    expect((await beat(monitor)).body.status).toBe("up");
    expect(await row()).toEqual(before);
  });
});

/** Beats of a regular sender, with the alarms that come due between them, as the platform bills both. */
async function meterBeats(pushed: Pushed, { every, count }: { every: number; count: number }) {
  const send = async () => {
    const until = moveClock(0) + every;
    const alarm = await alarmOf(pushed.id);
    if (alarm !== null && alarm < until) {
      moveClock(alarm - Date.now());
      await fireAlarm(pushed.id);
    }
    moveClock(until - Date.now());
    expect((await beat(pushed)).body.status).toBe("up");
  };
  await beat(pushed);
  // As the consumer of its first status does.
  await monitorObject(env, pushed.id).confirm(1);
  await send();
  return meter(async () => {
    for (let n = 0; n < count; n++) await send();
  });
}

describe("a regular heartbeat", () => {
  const BILLED = { requests: UNITS_PER_HEARTBEAT.objectRequests, rows: UNITS_PER_HEARTBEAT.objectRowsWritten };

  it.each([
    ["as often as it is due", { every: 60_000 }, {}, BILLED],
    [
      "of which one in three may be missed",
      { every: 60_000 },
      { failure_threshold: 3 },
      { requests: 1, rows: 1 + 1 / 3 },
    ],
    ["six times as often as it is due", { every: 10_000 }, {}, { requests: 1, rows: 1 + 1 / 6 }],
    ["once an hour", { every: 3_600_000 }, { expected_interval: 3600, grace_seconds: 300 }, { requests: 2, rows: 4.5 }],
  ])("that comes %s wakes its object for little more than itself", async (_name, { every }, fields, limits) => {
    const pushed: Pushed = await createHeartbeat(account, fields);
    const count = 58;
    const units = await meterBeats(pushed, { every, count });
    // Once an hour the object reads its monitor again and closes the hour's aggregates.
    const hours = Math.ceil((count * every) / 3_600_000) + 1;
    const hourly = every < 3_600_000 ? 6 * hours : 0;
    expect(units.object_requests).toBeLessThanOrEqual(limits.requests * count + hours);
    expect(units.object_rows_written).toBeLessThanOrEqual(Math.ceil(limits.rows * count) + hourly);
  });

  it.each([1, 3])("is missed exactly as before where %i may not come", async (failure_threshold) => {
    const pushed: Pushed = await createHeartbeat(account, { failure_threshold });
    await meterBeats(pushed, { every: 60_000, count: 5 });
    const due = Date.now() + 60_000;
    moveClock(IN_TIME_MS + (failure_threshold - 1) * 60_000);
    await fireAlarm(pushed.id);
    expect(await statusOf(pushed.id)).toBe("up");
    moveClock(1);
    // The alarm is set for this moment: nobody asked the object meanwhile.
    expect(await alarmOf(pushed.id)).toBe(Date.now());
    await fireAlarm(pushed.id);
    expect(await statusOf(pushed.id)).toBe("down");
    expect(await sinceOf(pushed.id)).toBe(due);
  });
});

describe("a beat that changes the status", () => {
  const shown = async () => {
    const [row] = await openDb(env.DB).select().from(monitors).where(eq(monitors.id, monitor.id));
    return row;
  };
  const versionOf = async (page: string) => {
    const [row] = await openDb(env.DB).select().from(statusPages).where(eq(statusPages.id, page));
    return row?.version ?? 0;
  };

  it("is shown by the monitor and its page by one call of the database, and a further one writes nothing", async () => {
    const page = await insertPage(account.user_id);
    await openDb(env.DB).update(monitors).set({ status_page_id: page }).where(eq(monitors.id, monitor.id));
    await beat(monitor);
    const version = await versionOf(page);
    const fail = async () => {
      const { database, calls } = countCalls(env.DB);
      const path = `/heartbeat/${monitor.id}?token=${monitor.heartbeat_token}&status=fail`;
      expect((await createVisitor({ DB: database })(path)).status).toBe(200);
      return calls();
    };
    expect(await fail()).toBe(1);
    const down = await shown();
    expect(down).toMatchObject({ status: "down" });
    expect(await versionOf(page)).toBeGreaterThan(version);
    expect(await fail()).toBeLessThanOrEqual(1);
    expect(await shown()).toMatchObject({ status: "down", state_revision: down?.state_revision });
  });

  it("ends the time in which the object did not respond", async () => {
    await beat(monitor);
    const db = openDb(env.DB);
    await runBatch(db, markUnreachable(db, [monitor.id], { reason: "no answer", now: moveClock(1_000) }));
    expect(await shown()).toMatchObject({ status: "unknown" });
    const loaded = await monitorObject(env, monitor.id).sync(monitor.id, 0);
    if (!loaded) throw new Error("the monitor is gone");
    moveClock(1_000);
    await projectSnapshot(jobScope(env, "test"), monitor.id, loaded);
    expect(await shown()).toMatchObject({ status: "up", status_message: loaded.message });
    const intervals = await db
      .select({ status: statusIntervals.status, to_at: statusIntervals.to_at })
      .from(statusIntervals)
      .where(eq(statusIntervals.monitor_id, monitor.id))
      .orderBy(statusIntervals.from_at);
    expect(intervals.map(({ status }) => status).slice(-2)).toEqual(["unknown", "up"]);
    expect(intervals.at(-1)?.to_at).toBeNull();
  });
});
