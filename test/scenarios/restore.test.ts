import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { watchEpoch } from "../../src/checks/reconcile.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { insertEvent } from "../../src/data/events/write.ts";
import { incidents, incidentUpdates } from "../../src/data/incidents/table.ts";
import { mailOutbox } from "../../src/data/mail/table.ts";
import { listUnsynced } from "../../src/data/monitors/read.ts";
import { monitors, statusIntervals, transitions } from "../../src/data/monitors/table.ts";
import { deliveries, webhooks } from "../../src/data/webhooks/table.ts";
import { sweepDeliveries } from "../../src/delivery/sweep.ts";
import { restoredEpoch } from "../../src/domain/epoch.ts";
import { runMinute } from "../../src/jobs/minute.ts";
import { newId } from "../../src/platform/ids.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { alarmOf, beat, createHeartbeat, fireAlarm, moveClock, type Pushed, stubOf } from "../support/pushes.ts";
import { recordingEnv } from "../support/queues.ts";
import { backUp, deliver, eventsOf, loseObjects, push, restoreDatabase, tick, witness } from "../support/restores.ts";
import { eventOf } from "../support/webhooks.ts";

const HOUR = 3_600_000;
const db = openDb(env.DB);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => vi.useRealTimers());

const intervalsOf = (id: string) =>
  db
    .select({ status: statusIntervals.status, from_at: statusIntervals.from_at, to_at: statusIntervals.to_at })
    .from(statusIntervals)
    .where(eq(statusIntervals.monitor_id, id))
    .orderBy(asc(statusIntervals.from_at), asc(statusIntervals.seq));

async function expectGapless(id: string): Promise<void> {
  const intervals = await intervalsOf(id);
  for (const [n, interval] of intervals.entries()) expect(interval.to_at).toBe(intervals[n + 1]?.from_at ?? null);
}

const statusOf = async (id: string) => (await db.select().from(monitors).where(eq(monitors.id, id)))[0]?.status;

async function aHeartbeat(): Promise<Pushed> {
  const account = await createAccount();
  // Nothing may be overdue in the hours that the clock moves.
  const monitor = await createHeartbeat(account, { expected_interval: 86_400, failure_threshold: 1 });
  await deliver(monitor);
  return monitor;
}

describe("after D1 was restored to an older state", () => {
  it("shows the status of now, leaves the lost time as unknown and announces the next outage once", async () => {
    const monitor = await aHeartbeat();
    await push(monitor, "ok");
    await tick();
    const backup = await backUp();
    const knownUntil = Date.now();
    await tick();
    moveClock(HOUR);
    await push(monitor, "fail");
    await push(monitor, "ok");
    await tick();
    const recoveredAt = Date.now() - 60_000;
    expect(await eventsOf(monitor.id)).toEqual(["monitor.down", "monitor.up"]);

    await restoreDatabase(backup);
    await tick();
    await deliver(monitor);
    await tick();
    expect(await statusOf(monitor.id)).toBe("up");
    await expectGapless(monitor.id);
    const [pending, up, gap, present] = await intervalsOf(monitor.id);
    expect([pending?.status, up?.status, gap?.status, present?.status]).toEqual(["pending", "up", "unknown", "up"]);
    expect(gap).toEqual({ status: "unknown", from_at: knownUntil, to_at: recoveredAt });

    await push(monitor, "fail");
    expect(await eventsOf(monitor.id)).toEqual(["monitor.down"]);
    expect(await statusOf(monitor.id)).toBe("down");
    await expectGapless(monitor.id);
  });

  it("opens the incident of an outage that began in the lost time and lasts, once and without a message", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account, { auto_create_incident: true });
    const monitor = await createHeartbeat(account, {
      status_page_id,
      expected_interval: 86_400,
      failure_threshold: 1,
      recovery_threshold: 1,
    });
    await deliver(monitor);
    await push(monitor, "ok");
    await tick();
    const backup = await backUp();
    await tick();
    await push(monitor, "fail");
    const incidentsOf = () =>
      db.select().from(incidents).where(eq(incidents.origin_monitor_id, monitor.id)).orderBy(incidents.started_at);
    const [announced] = await incidentsOf();
    expect(announced).toMatchObject({ status: "investigating" });

    await restoreDatabase(backup);
    for (let n = 0; n < 2; n++) {
      await tick();
      await deliver(monitor);
    }
    expect(await statusOf(monitor.id)).toBe("down");
    expect(await incidentsOf()).toMatchObject([{ id: announced?.id, status: "investigating" }]);
    expect(
      await db
        .select()
        .from(incidentUpdates)
        .where(eq(incidentUpdates.incident_id, announced?.id ?? "")),
    ).toHaveLength(1);
    const sent = () => db.select({ name: events.name }).from(events).where(eq(events.monitor_id, monitor.id));
    expect(await sent()).toEqual([]);

    await push(monitor, "ok");
    expect(await incidentsOf()).toMatchObject([{ id: announced?.id, status: "resolved" }]);
    expect((await sent()).map(({ name }) => name).toSorted()).toEqual(["incident.resolved", "monitor.up"]);
  });

  it("opens the incident of a lost outage whose monitor is degraded by then, and ends it with the outage", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account, { auto_create_incident: true });
    const fields = { status_page_id, expected_interval: 86_400, failure_threshold: 1, recovery_threshold: 1 };
    const failing = await createHeartbeat(account, fields);
    const slow = await createHeartbeat(account, { ...fields, degraded_timeout_seconds: 30 });
    const child_ids = [failing.id, slow.id];
    const body = { name: "Shop", type: "composite", target: undefined, paused: false, status_page_id, child_ids };
    const shop: Pushed = await createMonitor(account.client, body);
    const settle = async () => {
      for (const each of [failing, slow, shop]) await deliver(each);
    };
    const say = async (monitor: Pushed, status: "ok" | "fail") => {
      await push(monitor, status);
      await deliver(shop);
    };
    const shown = async () => {
      const found = await db.select().from(incidents).where(eq(incidents.origin_monitor_id, shop.id));
      return [await statusOf(shop.id), ...found.map(({ id, status }) => ({ id, status }))];
    };
    await settle();
    await say(failing, "ok");
    await say(slow, "ok");
    moveClock(31_000);
    await fireAlarm(slow.id);
    await settle();
    await tick();
    const backup = await backUp();
    await tick();
    await say(failing, "fail");
    const [down, opened] = await shown();
    expect([down, opened]).toEqual(["down", { id: expect.any(String), status: "investigating" }]);
    await say(failing, "ok");
    expect(await shown()).toEqual(["degraded", opened]);

    await restoreDatabase(backup);
    for (let n = 0; n < 2; n++) {
      await tick();
      await settle();
    }
    expect(await shown()).toEqual(["degraded", opened]);
    await say(failing, "fail");
    expect(await shown()).toEqual(["down", opened]);
    await say(failing, "ok");
    await say(slow, "ok");
    expect(await shown()).toEqual(["up", { ...(opened as object), status: "resolved" }]);
  });

  it("ends an outage that was over before the restore", async () => {
    const monitor = await aHeartbeat();
    await push(monitor, "fail");
    await tick();
    const backup = await backUp();
    await tick();
    await push(monitor, "ok");
    await tick();

    await restoreDatabase(backup);
    await tick();
    await deliver(monitor);
    expect(await statusOf(monitor.id)).toBe("up");
    expect(await eventsOf(monitor.id)).toEqual(["monitor.down", "monitor.up"]);
    await expectGapless(monitor.id);
  });
});

/** Two pending deliveries of an account and a mail, the second delivery not due before an hour has passed. */
async function pendingMessages() {
  const account = await createAccount();
  const now = Date.now();
  const [webhook, due, later, mail] = [newId(), newId(), newId(), newId()];
  const times = { created_at: now, updated_at: now };
  const delivery = { webhook_id: webhook, event_id: newId(), event_name: "monitor.down", state: "pending", ...times };
  const owned = { owner_id: account.user_id, created_by: account.user_id, name: "Hook", provider: "generic" as const };
  await db.insert(webhooks).values({ id: webhook, ...owned, sealed: "", has_secret: false, ...times });
  await db.insert(deliveries).values([
    { id: due, ...delivery, state: "pending" as const, next_attempt_at: now, wake_at: now },
    { id: later, ...delivery, state: "pending" as const, next_attempt_at: now + 24 * HOUR, wake_at: now + 24 * HOUR },
  ]);
  await db.insert(mailOutbox).values({ id: mail, sealed: "", next_attempt_at: now, wake_at: now, ...times });
  return async () => [
    ...(await db
      .select()
      .from(deliveries)
      .where(eq(deliveries.webhook_id, webhook))
      .orderBy(deliveries.next_attempt_at)),
    ...(await db.select().from(mailOutbox).where(eq(mailOutbox.id, mail))),
  ];
}

const statesOf = (rows: { state: string }[]) => rows.map(({ state }) => state);

describe("a monitor that a restored D1 does not know", () => {
  it("accepts no push any more once its object has looked again", async () => {
    await tick();
    const backup = await backUp();
    await tick();
    const monitor = await aHeartbeat();
    await push(monitor, "ok");
    await restoreDatabase(backup);
    await tick();
    moveClock(HOUR + 60_000);
    await fireAlarm(monitor.id);
    expect((await beat(monitor)).status).toBe(401);
  });

  it("accepts pushes as before where D1 knows it, however often its object looks again", async () => {
    const monitor = await aHeartbeat();
    for (let n = 0; n < 3; n++) {
      moveClock(HOUR + 60_000);
      await fireAlarm(monitor.id);
      expect(await alarmOf(monitor.id)).toBeLessThanOrEqual(Date.now() + HOUR);
      expect((await beat(monitor)).status).toBe(200);
    }
  });
});

describe("messages that a restored D1 calls pending", () => {
  it("are not sent a second time where their time came before the restore", async () => {
    await tick();
    const read = await pendingMessages();
    const backup = await backUp();
    await tick();
    await db.update(deliveries).set({ state: "delivered" });
    await tick();
    moveClock(HOUR);
    await restoreDatabase(backup);
    expect(statesOf(await read())).toEqual(["pending", "pending", "pending"]);
    const recording = recordingEnv();
    await runMinute({ scheduledTime: Date.now(), cron: "* * * * *", noRetry() {} }, recording.env);
    expect(statesOf(await read())).toEqual(["skipped", "pending", "failed"]);
    await sweepDeliveries(jobScope(recording.env, "test"));
    expect(recording.deliveries).toEqual([]);
  });

  it.each([
    ["with its objects", async () => {}],
    ["without objects, in a new deployment", () => loseObjects(witness())],
  ])("are not sent a second time by a backup that was restored %s, nor are events processed again", async (_, lose) => {
    await tick();
    const read = await pendingMessages();
    const { user_id } = await createAccount();
    const waiting = [eventOf(user_id, { processed_at: null }), eventOf(user_id)];
    await runBatch(
      db,
      waiting.map((event) => insertEvent(db, event)),
    );
    await db
      .update(events)
      .set({ held_until: Date.now() + 1000 })
      .where(eq(events.id, waiting[1]?.id ?? ""));
    const neverMailed = newId();
    const long = Date.now() - HOUR;
    const times = { next_attempt_at: long, wake_at: long, created_at: long, updated_at: long };
    await db.insert(mailOutbox).values({ id: neverMailed, sealed: "", ...times });
    const backup = await backUp();
    moveClock(HOUR);
    await restoreDatabase(backup);
    await lose();
    await env.DB.prepare("UPDATE installation SET epoch = ?").bind(restoredEpoch(Date.now())).run();
    const recording = recordingEnv();
    const minute = () => runMinute({ scheduledTime: Date.now(), cron: "* * * * *", noRetry() {} }, recording.env);
    await minute();
    expect(statesOf(await read())).toEqual(["skipped", "pending", "failed"]);
    const rows = await db.select().from(events).where(eq(events.owner_id, user_id));
    expect(rows.map(({ processed_at, held_until }) => [processed_at !== null, held_until])).toEqual([
      [true, null],
      [true, null],
    ]);
    const [kept] = await db.select().from(mailOutbox).where(eq(mailOutbox.id, neverMailed));
    expect(kept?.state, "no service of before could send mail").toBe("pending");

    const fresh = eventOf(user_id, { processed_at: null });
    await runBatch(db, [insertEvent(db, fresh)]);
    moveClock(60_000);
    await minute();
    const [waits] = await db.select().from(events).where(eq(events.id, fresh.id));
    expect(waits?.processed_at).toBeNull();
  });

  it("stay pending where the objects were lost and D1 is the present one", async () => {
    await tick();
    const read = await pendingMessages();
    moveClock(HOUR);
    await loseObjects(witness());
    await tick();
    expect(statesOf(await read())).toEqual(["pending", "pending", "pending"]);
  });

  it("stay pending where they were made after the restore", async () => {
    await tick();
    const backup = await backUp();
    await tick();
    await tick();
    await restoreDatabase(backup);
    moveClock(HOUR);
    const read = await pendingMessages();
    await tick();
    expect(statesOf(await read())).toEqual(["pending", "pending", "pending"]);
  });
});

describe("after the objects were lost", () => {
  it("goes on with the status, the outage and the history of D1, and announces an open outage's end once", async () => {
    const monitor = await aHeartbeat();
    await push(monitor, "ok");
    await push(monitor, "fail");
    await tick();
    const before = await intervalsOf(monitor.id);

    await loseObjects(stubOf(monitor.id), witness());
    await tick();
    expect(await statusOf(monitor.id)).toBe("down");
    expect(await intervalsOf(monitor.id)).toEqual(before);

    await push(monitor, "ok");
    expect(await eventsOf(monitor.id)).toEqual(["monitor.down", "monitor.up"]);
    expect(await statusOf(monitor.id)).toBe("up");
    await expectGapless(monitor.id);
  });

  it("goes on even before the witness notices, when a push arrives", async () => {
    const monitor = await aHeartbeat();
    await push(monitor, "ok");
    await loseObjects(stubOf(monitor.id));
    await push(monitor, "fail");
    expect(await eventsOf(monitor.id)).toEqual(["monitor.down"]);
    const seqs = await db
      .select({ seq: transitions.seq })
      .from(transitions)
      .where(eq(transitions.monitor_id, monitor.id));
    expect(seqs.map(({ seq }) => seq).sort()).toEqual([1, 2]);
    await expectGapless(monitor.id);
  });
});

describe("a new epoch", () => {
  it("begins only where something went back, and syncs every monitor once", async () => {
    const monitor = await aHeartbeat();
    await tick();
    await tick();
    expect(await listUnsynced(db, Date.now(), 10_000)).not.toContain(monitor.id);
    await loseObjects(witness());
    moveClock(60_000);
    await watchEpoch(jobScope(recordingEnv().env, "test"));
    expect(await listUnsynced(db, Date.now(), 10_000)).toContain(monitor.id);
    await tick();
    expect(await listUnsynced(db, Date.now(), 10_000)).not.toContain(monitor.id);
  });

  it("finds its monitors by index", async () => {
    for (const operator of ["<", ">"]) {
      const plan = await env.DB.prepare(
        `EXPLAIN QUERY PLAN SELECT id FROM monitors WHERE synced_epoch ${operator}
          coalesce((SELECT epoch FROM installation), '') LIMIT 10`,
      ).all<{ detail: string }>();
      expect(plan.results[0]?.detail).toContain("monitors_synced_epoch");
    }
  });
});
