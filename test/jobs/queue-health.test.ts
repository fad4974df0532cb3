import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { QUEUES } from "../../src/contract/queues.ts";
import { openDb } from "../../src/data/db.ts";
import { plannedMinutes } from "../../src/data/monitors/table.ts";
import { queueHealth } from "../../src/data/queue-health/table.ts";
import { handleDeadLetters } from "../../src/jobs/dead-letters.ts";
import { newId } from "../../src/platform/ids.ts";
import { sendMarkers } from "../../src/sweeps/queue-health.ts";
import worker from "../../src/worker.ts";
import { CORE, createClient } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const AT = Date.parse("2026-03-01T10:00:00Z");
const db = openDb(env.DB);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: AT });
  await db.delete(queueHealth);
  await db.delete(plannedMinutes);
});
afterEach(() => vi.useRealTimers());

/** Hands messages to the consumer of a queue, as a deployment with a name of its own does. */
async function deliver(queue: string, ...bodies: unknown[]): Promise<void> {
  const messages = bodies.map((body, n) => ({ id: String(n), timestamp: new Date(), attempts: 1, body, ack() {} }));
  // Consumers use no other member of a batch.
  const batch = { queue: `vigil-${queue}`, messages } as unknown as MessageBatch;
  await worker.queue(batch, env, createExecutionContext());
}

/** A tick whose markers arrive everywhere but where they are stalled. */
async function tickWithout(stalled: readonly string[], at: number): Promise<void> {
  vi.setSystemTime(at);
  await db.insert(plannedMinutes).values({ minute_at: at });
  for (const queue of QUEUES.filter((each) => !stalled.includes(each))) await deliver(queue, { marker_sent_at: at });
}

const health = async () => (await createClient().get("/health")).body;

describe("markers", () => {
  it("are sent through every queue, also while one of them refuses messages", async () => {
    const sent: string[] = [];
    const record = (name: string) => ({
      sendBatch: async (messages: { body: unknown }[]) => {
        expect(messages).toEqual([{ body: { marker_sent_at: AT } }]);
        sent.push(name);
      },
    });
    const refuse = { sendBatch: () => Promise.reject(new Error("queue is down")) };
    const names = ["CHECKS", "CHECKS_SLOW", "DELIVERIES", "DELIVERIES_SLOW", "SUBSCRIBERS", "MAIL_OUTBOX", "MINUTE"];
    const queues = Object.fromEntries(names.map((name) => [name, record(name)]));
    await sendMarkers(jobScope({ ...env, EVENTS: refuse, ...queues } as never, "test", AT), AT);
    expect(sent.sort()).toEqual(names.sort());
  });

  it("are recorded by the consumer of their queue, the newest one in any order of arrival", async () => {
    await deliver("checks-slow", { marker_sent_at: AT });
    await deliver("checks-slow", { marker_sent_at: AT - MINUTE });
    expect(await db.select().from(queueHealth)).toEqual([
      { queue: "checks-slow", marker_sent_at: AT, dead_letters: 0, dead_letter_at: null },
    ]);
  });
});

describe("GET /health", () => {
  it("is degraded until the clock has ticked, and names the age of every queue's marker afterwards", async () => {
    expect(await health()).toMatchObject({ status: "degraded", scheduler: { last_tick_age_s: null } });
    await tickWithout([], AT);
    vi.setSystemTime(AT + 20_000);
    const { status, checks, scheduler, queues } = await health();
    expect({ status, checks }).toEqual({ status: "ok", checks: { database: "ok", cache: "ok", queue: "ok" } });
    expect(scheduler).toEqual({ last_tick_age_s: 20 });
    expect(queues).toEqual(Object.fromEntries(QUEUES.map((queue) => [queue, { last_marker_age_s: 20 }])));
  });

  it("is degraded once the markers of one queue stopped arriving for more than three minutes", async () => {
    await tickWithout([], AT);
    for (let minute = 1; minute <= 3; minute++) await tickWithout(["deliveries"], AT + minute * MINUTE);
    expect(await health()).toMatchObject({ status: "ok", checks: { queue: "ok" } });
    await tickWithout(["deliveries"], AT + 4 * MINUTE);
    expect(await health()).toMatchObject({
      status: "degraded",
      checks: { database: "ok", cache: "ok", queue: "error" },
      queues: { deliveries: { last_marker_age_s: 240 }, events: { last_marker_age_s: 0 } },
    });
    await tickWithout([], AT + 5 * MINUTE);
    expect(await health()).toMatchObject({ status: "ok", checks: { queue: "ok" } });
  });
});

describe("a dead letter", () => {
  const results = (slot_at: number) => ({
    shard_id: newId(),
    region: "default",
    block: { slot_at, attempt: 0, key: "k", entries: [] },
  });

  it("that holds results is sent once more later, for a day, and none of anything else", async () => {
    const { env: recording, checks } = recordingEnv();
    const day = 24 * 60 * MINUTE;
    const bodies = [results(AT - day + 1), results(AT - day), { event_id: "a" }];
    const messages = bodies.map((body, n) => ({ id: String(n), timestamp: new Date(), attempts: 1, body, ack() {} }));
    await handleDeadLetters({ queue: "checks-dlq", messages } as unknown as MessageBatch, recording);
    expect(checks).toEqual([{ body: { kind: "results", ...bodies[0] }, delaySeconds: 600 }]);
  });
});

describe("the state of the installation", () => {
  it("counts dead letters and messages that cannot be parsed, for operators alone", async () => {
    const [operator, other] = [await createAccount({ operator: true }), await createAccount()];
    await tickWithout(["mail"], AT);
    await tickWithout(["mail"], AT + 4 * MINUTE);
    await deliver("events-dlq", { event_id: "a" }, { event_id: "b" });
    await deliver("checks", "nonsense");
    const { body } = await operator.client.get(`${CORE}/overview`);
    expect(body.service).toEqual({
      late_queues: ["mail"],
      dead_letters: 3,
      last_dead_letter_at: new Date(AT + 4 * MINUTE).toISOString(),
      database_bytes: expect.any(Number),
      database_used_percent: 0,
      is_database_nearly_full: false,
      alarms: [],
      root_keys: null,
      settings: { public_url: "", sends_mail: false, canaries: 0, sends_heartbeat: false },
    });
    expect(body.service.database_bytes).toBeGreaterThan(100_000);
    expect((await other.client.get(`${CORE}/overview`)).body.service).toBeNull();
  });
});
