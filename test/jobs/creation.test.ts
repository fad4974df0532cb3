import { env } from "cloudflare:workers";
import { eq, inArray, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { planMinute } from "../../src/checks/planner.ts";
import { runSlot } from "../../src/checks/runner.ts";
import { MEMBERS_PER_MESSAGE, SHARD_SIZE } from "../../src/data/check-groups/read.ts";
import { openDb } from "../../src/data/db.ts";
import { checkGroups, monitors, plannedMinutes, shards } from "../../src/data/monitors/table.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { insertMonitor } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const db = openDb(env.DB);

beforeEach(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  await db.delete(monitors);
  await db.delete(shards);
  await db.delete(checkGroups);
  await db.delete(plannedMinutes);
});
afterEach(() => vi.useRealTimers());

/** Runs every message that the planner sends for a minute, each in an invocation of its own. */
async function runMinute(minuteAt: number): Promise<number> {
  vi.useFakeTimers({ toFake: ["Date"], now: minuteAt });
  const recording = recordingEnv();
  await planMinute(jobScope(recording.env, "test"), minuteAt);
  const queue = [...recording.checks, ...recording.slow];
  for (const { body } of queue) {
    vi.setSystemTime(body.slot_at);
    const sent = recordingEnv();
    const { database } = limitDatabase(env.DB);
    await runSlot(jobScope({ ...sent.env, DB: database }, "test"), body, async () => {});
    queue.push(...[...sent.checks, ...sent.slow].filter(({ body: next }) => next.skip !== undefined));
  }
  return queue.length;
}

describe("monitors that are created at the same time", () => {
  it("fill shards to their size and no further, and all 500 are checked within one interval", async () => {
    const { client, user_id } = await createAccount();
    const body = { name: "Shop", type: "http", target: "http://sink.test/", interval: 60 };
    const answers = await Promise.all(Array.from({ length: 500 }, () => client.post(`${V1}/monitors`, body)));
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);

    const sizes = await db.select({ size: shards.size }).from(shards);
    expect(sizes.map(({ size }) => size).sort((a, b) => b - a)).toEqual([...Array(8).fill(SHARD_SIZE), 20]);
    const groups = await db
      .select({ members: sql<number>`count(*)` })
      .from(monitors)
      .where(eq(monitors.owner_id, user_id))
      .groupBy(monitors.check_group_id);
    expect(Math.max(...groups.map(({ members }) => members))).toBeLessThanOrEqual(SHARD_SIZE);

    await runMinute(Math.ceil(Date.now() / MINUTE) * MINUTE);
    const rows = await db.select({ latest: checkGroups.latest }).from(checkGroups);
    const checked = new Set(rows.flatMap(({ latest }) => latest.map(([id]) => id)));
    const ids = answers.map(({ body: monitor }) => monitor.id);
    expect(ids.filter((id) => !checked.has(id))).toEqual([]);
  }, 120_000);

  it("leave no shard above its size when the last place is wanted twice, and a freed place is taken again", async () => {
    const { client } = await createAccount();
    const ids: string[] = [];
    for (let n = 0; n < SHARD_SIZE - 1; n++) ids.push((await createMonitor(client)).id);
    await Promise.all([createMonitor(client), createMonitor(client)]);
    const full = await db.select({ size: shards.size }).from(shards);
    expect(full.map(({ size }) => size).sort()).toEqual([1, SHARD_SIZE]);
    await client.delete(`${V1}/monitors/${ids[0]}`);
    await createMonitor(client);
    expect(await db.select().from(shards)).toHaveLength(2);
  });
});

describe("a check group", () => {
  it("that is above the size of a message is checked whole", async () => {
    const { user_id } = await createAccount();
    const created_at = Date.now() - 60 * MINUTE;
    const first = await insertMonitor(user_id, { created_at });
    const { check_group_id } = first;
    const ids = [first.id];
    for (let n = 0; n < MEMBERS_PER_MESSAGE + 9; n++) {
      const { id } = await insertMonitor(user_id, { created_at });
      ids.push(id);
    }
    await db
      .update(monitors)
      .set({ check_group_id })
      .where(inArray(monitors.id, ids.slice(0, MEMBERS_PER_MESSAGE + 5)));
    await runMinute(Math.ceil(Date.now() / MINUTE) * MINUTE);
    const statuses = await db.select({ status: monitors.status }).from(monitors);
    expect(statuses.filter(({ status }) => status !== "up")).toEqual([]);
  });

  it("that is missing is inserted again by the planner", async () => {
    const { user_id } = await createAccount();
    const { check_group_id } = await insertMonitor(user_id);
    const [before] = await db.select().from(checkGroups).where(eq(checkGroups.id, check_group_id));
    await db.delete(checkGroups);
    const { env: bindings } = recordingEnv();
    await planMinute(jobScope(bindings, "test"), Math.ceil(Date.now() / MINUTE) * MINUTE);
    expect(await db.select().from(checkGroups)).toEqual([before]);
  });

  it("is checked once a slot when it was emptied and filled again in the same minute", async () => {
    const minuteAt = Math.ceil(Date.now() / MINUTE) * MINUTE;
    vi.useFakeTimers({ toFake: ["Date"], now: minuteAt });
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { interval: 10, paused: false });
    const planned = recordingEnv();
    await planMinute(jobScope(planned.env, "test"), minuteAt);
    const slots = planned.slow.map(({ body }) => body.slot_at);
    await client.delete(`${V1}/monitors/${id}`);
    await createMonitor(client, { interval: 10, paused: false });
    const fetches = vi.spyOn(globalThis, "fetch");
    fetches.mockClear();
    const queue = [...planned.slow];
    for (const { body } of queue) {
      vi.setSystemTime(Math.max(body.slot_at, minuteAt));
      const sent = recordingEnv();
      await runSlot(jobScope(sent.env, "test"), body, async () => {});
      queue.push(...[...sent.checks, ...sent.slow].filter(({ body: next }) => next.monitor_id === undefined));
    }
    // A slot at the very instant at which the first answer came is the one that this answer belongs to.
    expect([slots.length - 1, slots.length]).toContain(fetches.mock.calls.length);
  });
});
