import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { packGroups, slowGroupSize } from "../../src/checks/packing.ts";
import { openDb } from "../../src/data/db.ts";
import { checkGroups, monitors, shards } from "../../src/data/monitors/table.ts";
import { sweepCursors } from "../../src/data/sweep-cursors/table.ts";
import { checkGroupId, inLane, inShard, shardOf, slotBefore } from "../../src/domain/check-schedule.ts";
import { newId } from "../../src/platform/ids.ts";
import { runScheduled } from "../support/checks.ts";
import { meter } from "../support/cost-meter.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const V1 = "/api/uptime/v1";
const db = openDb(env.DB);
const hanging = new Set<string>();
const outside = vi.spyOn(globalThis, "fetch");

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / MINUTE) * MINUTE });
  hanging.clear();
  outside.mockReset().mockImplementation(async (input) => {
    if (hanging.has(String(input instanceof Request ? input.url : input))) throw new DOMException("", "TimeoutError");
    return new Response("ok");
  });
  for (const table of [checkGroups, shards, sweepCursors]) await db.delete(table);
});
afterEach(() => vi.useRealTimers());

async function aShard({ user_id }: Account, members: number, { interval = 60, shard_id = newId() } = {}) {
  const group = checkGroupId({ shard_id, interval, regions: [], lane: "normal" });
  await db.insert(shards).values({ id: shard_id, interval, regions: "", size: members });
  const ids: string[] = [];
  for (let n = 0; n < members; n++) {
    const fields = { shard_id, interval, target: `http://sink.test/${group}/${n}`, created_at: Date.now() - 600_000 };
    const { id, check_group_id } = await insertMonitor(user_id, fields);
    await db.delete(checkGroups).where(eq(checkGroups.id, check_group_id));
    ids.push(id);
  }
  await db.update(monitors).set({ check_group_id: group }).where(eq(monitors.shard_id, shard_id));
  await db.insert(checkGroups).values({ id: group, shard_id, interval, regions: [], lane: "normal" });
  return { shard_id, group, ids };
}

const targetOf = (group: string, n: number) => `http://sink.test/${group}/${n}`;
const rowsOf = (ids: readonly string[]) =>
  db
    .select()
    .from(monitors)
    .where(inArray(monitors.id, [...ids]));
const sizes = async () => (await db.select().from(shards)).map(({ size }) => size).toSorted((a, b) => a - b);
const groupIds = async () => (await db.select().from(checkGroups)).map(({ id }) => id);

async function check(...groups: string[]): Promise<void> {
  vi.setSystemTime(Date.now() + MINUTE);
  for (const group of groups) await runScheduled({ ...env, ...recordingEnv().env }, group, Date.now());
}

/** As after an hour, or as between two hours; gives the checks that it enqueued. */
async function pack({ isHour = true } = {}) {
  await db.delete(sweepCursors);
  const due_at = Date.now() + MINUTE;
  if (!isHour) await db.insert(sweepCursors).values({ name: "sparse shards", position: "", due_at });
  const recording = recordingEnv();
  await packGroups(jobScope(recording.env, "test"));
  return [...recording.checks, ...recording.slow].map(({ body }) => body);
}

async function resultsOf({ client }: Account, id: string): Promise<string[]> {
  const { body } = await client.get(`${V1}/monitors/${id}/results`);
  return body.map(({ status }: { status: string }) => status);
}

describe("sparse shards", () => {
  it("become one, in which every monitor keeps its last check and its history", async () => {
    const account = await createAccount();
    const [large, small] = [await aShard(account, 4), await aShard(account, 3)];
    await check(large.group, small.group);
    await pack();
    expect(await sizes()).toEqual([0, 7]);
    expect(await groupIds()).toEqual([large.group]);
    const moved = await rowsOf(small.ids);
    expect(new Set(moved.map(({ shard_id }) => shard_id))).toEqual(new Set([large.shard_id]));
    expect(moved.every(({ other_shards }) => small.shard_id in other_shards)).toBe(true);
    const [first = ""] = small.ids;
    const { body } = await account.client.get(`${V1}/monitors/${first}`);
    expect(body.last_check).toBe(new Date().toISOString());
    await check(large.group);
    expect(await resultsOf(account, first)).toEqual(["up", "up"]);
    const latency = await account.client.get(`${V1}/monitors/${first}/latency?period=24h`);
    const counts = latency.body.points.map(({ checks }: { checks: number }) => checks);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(2);
  });

  it("stay as they are where none would become free, or their interval differs", async () => {
    const account = await createAccount();
    const before = [await aShard(account, 31), await aShard(account, 30), await aShard(account, 2, { interval: 300 })];
    expect(await pack()).toEqual([]);
    expect(await sizes()).toEqual([2, 30, 31]);
    expect((await groupIds()).toSorted()).toEqual(before.map(({ group }) => group).toSorted());
  });

  it.each([
    ["later, by a check in that of the old one", true],
    ["earlier, by none", false],
  ])("delay no check where the new group's slot is %s", async (_case, isLater) => {
    const account = await createAccount();
    const nextOf = (group: string) => slotBefore(group, MINUTE, Date.now()) + MINUTE;
    const slotOf = (shard_id: string) => nextOf(checkGroupId({ shard_id, interval: 60, regions: [], lane: "normal" }));
    const found = [newId()];
    while (found.length < 2) found.push(...[newId()].filter((id) => slotOf(id) !== slotOf(found[0] ?? "")));
    const [first, last] = found.toSorted((a, b) => slotOf(a) - slotOf(b));
    const large = await aShard(account, 3, { shard_id: isLater ? last : first });
    const small = await aShard(account, 2, { shard_id: isLater ? first : last });
    const expected = small.ids.map((monitor_id) => ({
      kind: "check",
      group_id: large.group,
      region: "default",
      slot_at: nextOf(small.group),
      attempt: 0,
      monitor_id,
    }));
    const byId = (a: { monitor_id?: string }, b: { monitor_id?: string }) =>
      String(a.monitor_id).localeCompare(String(b.monitor_id));
    expect((await pack()).toSorted(byId)).toEqual(isLater ? expected.toSorted(byId) : []);
  });

  it("take along those that hang or are paused, which go on in the new shard", async () => {
    const account = await createAccount();
    const [large, small] = [await aShard(account, 3), await aShard(account, 2)];
    const [hung = "", paused = ""] = small.ids;
    hanging.add(targetOf(small.group, 0));
    await check(small.group);
    await db.update(monitors).set({ paused: true }).where(eq(monitors.id, paused));
    await pack();
    const [row] = await rowsOf([hung]);
    expect(row).toMatchObject({ shard_id: large.shard_id, check_group_id: inLane(small.group, "slow") });
    hanging.clear();
    await check(inLane(small.group, "slow"));
    const after = await rowsOf(small.ids);
    expect(after.map(({ check_group_id }) => check_group_id)).toEqual([large.group, large.group]);
    expect(await resultsOf(account, hung)).toEqual(["up", "down"]);
  });
});

describe("targets that hang", () => {
  it("in several shards are checked by one message, and go back to their own shard with an answer in time", async () => {
    const account = await createAccount();
    const found = [];
    for (let n = 0; n < 3; n++) found.push(await aShard(account, 2));
    for (const { group } of found) hanging.add(targetOf(group, 0));
    await check(...found.map(({ group }) => group));
    const ids = found.map(({ ids: [first = ""] }) => first);
    await pack({ isHour: false });
    const pooled = await rowsOf(ids);
    const [pool = "", ...others] = new Set(pooled.map(({ check_group_id }) => check_group_id));
    expect([pool, others]).toEqual([expect.stringMatching(/\/slow$/), []]);
    expect(pooled.map(({ shard_id }) => shard_id).toSorted()).toEqual(found.map((each) => each.shard_id).toSorted());
    expect((await groupIds()).filter((id) => id.endsWith("/slow"))).toEqual([pool]);

    await check(pool);
    const noted = (await rowsOf(ids)).filter(({ other_shards }) => shardOf(pool) in other_shards);
    expect(noted).toHaveLength(2);
    const others2 = found.filter(({ shard_id }) => shard_id !== shardOf(pool));
    for (const {
      ids: [first = ""],
    } of others2)
      expect(await resultsOf(account, first)).toEqual(["down", "down"]);
    hanging.clear();
    await check(pool);
    for (const row of await rowsOf(ids)) {
      expect(row.check_group_id).toBe(inLane(inShard(pool, row.shard_id), "normal"));
    }
    expect((await groupIds()).filter((id) => id.endsWith("/normal"))).toHaveLength(3);
    for (const {
      ids: [first = ""],
    } of others2) {
      expect(await resultsOf(account, first)).toEqual(["up", "down", "down"]);
    }
  });

  it("cost their message a call of each object and one written row while they are down, and nothing else", async () => {
    const account = await createAccount();
    const found = [await aShard(account, 1), await aShard(account, 1), await aShard(account, 1)];
    for (const { group } of found) hanging.add(targetOf(group, 0));
    const slow = found.map(({ group }) => inLane(group, "slow"));
    await check(...found.map(({ group }) => group));
    for (let n = 0; n < 2; n++) await check(...slow);
    await pack({ isHour: false });
    const rows = await rowsOf(found.flatMap(({ ids }) => ids));
    const [pool = ""] = rows.map(({ check_group_id }) => check_group_id);
    expect(rows.map(({ status, check_group_id }) => [status, check_group_id])).toEqual(Array(3).fill(["down", pool]));
    await check(pool);
    await insertMonitor(account.user_id, { check_group_id: "~" });
    vi.setSystemTime(Date.now() + MINUTE);
    const units = await meter((metered) => runScheduled(metered, pool, Date.now()));
    expect(units).toEqual({
      // The three and what follows them in the index, and their group: to read it and to change it.
      rows_read: 6,
      rows_written: 1,
      // The objects of the three, and that of the history, which alone stores anything.
      object_requests: 4,
      object_rows_written: 1,
      messages: 0,
      kv_reads: 0,
      kv_writes: 0,
    });
  });

  it("are never more than the connections of a message can wait for within the interval", () => {
    expect([10, 20, 30, 60, 300].map(slowGroupSize)).toEqual([6, 12, 18, 30, 30]);
  });
});
