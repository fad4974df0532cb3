import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { StoredResult } from "../../src/contract/prober-object.ts";
import { readTally } from "../../src/domain/baseline.ts";
import { packChecks } from "../../src/domain/packed-results.ts";
import { ByteReader } from "../../src/lib/varint.ts";
import { newId } from "../../src/platform/ids.ts";
import { proberObject } from "../../src/platform/prober-objects.ts";

const HOUR = 3_600_000;
/** The second of six hours that are added up together, whenever the tests run. */
const SIX_HOURS_AT = Math.floor(Date.now() / (6 * HOUR)) * 6 * HOUR;
const T0 = SIX_HOURS_AT + HOUR;

function entry(monitor_id: string, checked_at: number, fields: Partial<StoredResult> = {}): StoredResult {
  return { monitor_id, checked_at, outcome: "success", latency_ms: 20, message: "HTTP 200", ...fields };
}

function aProber() {
  const shard = newId();
  const stub = env.PROBER.get(env.PROBER.idFromName(`${shard}/default`));
  return { prober: proberObject(env, shard, "default"), stub };
}

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, limit: 100 };

describe("the history of a shard", () => {
  it("gives back each monitor's results, newest first, within the time and number asked for", async () => {
    const { prober, stub } = aProber();
    const [a, b] = [newId(), newId()];
    const failed = { outcome: "failure", latency_ms: null, message: "connection refused" } as const;
    for (let n = 0; n < 5; n++) {
      const slot_at = T0 + n * 60_000;
      const entries = [entry(a, slot_at + 7), entry(b, slot_at + 9, n === 3 ? failed : { latency_ms: n })];
      await prober.record({ slot_at, attempt: 0, key: "g", entries });
    }
    await evictDurableObject(stub);
    expect(await prober.list({ monitor_id: b, ...everything, limit: 2 })).toEqual([
      entry(b, T0 + 240_009, { latency_ms: 4 }),
      entry(b, T0 + 180_009, failed),
    ]);
    expect(await prober.list({ monitor_id: a, from: T0 + 60_000, to: T0 + 180_000, limit: 100 })).toHaveLength(2);
    expect(await prober.list({ monitor_id: newId(), ...everything })).toEqual([]);
  });

  it("takes a time for that of the check, not of the slot that it was for", async () => {
    const { prober } = aProber();
    const id = newId();
    for (const [attempt, delay] of [7, 90_000].entries()) {
      await prober.record({ slot_at: T0, attempt, key: "g", entries: [entry(id, T0 + delay)] });
    }
    const within = async (from: number, to: number) =>
      (await prober.list({ monitor_id: id, from, to, limit: 10 })).map(({ checked_at }) => checked_at - T0);
    expect(await within(T0 + 7, T0 + 90_000)).toEqual([7]);
    expect(await within(T0 + 8, T0 + 90_001)).toEqual([90_000]);
    expect(await within(T0, T0 + 7)).toEqual([]);
  });

  it("keeps a message that comes twice once, and a repeat of its slot beside it", async () => {
    const { prober } = aProber();
    const id = newId();
    for (const attempt of [0, 0, 1]) {
      await prober.record({ slot_at: T0, attempt, key: "g", entries: [entry(id, T0 + attempt)] });
    }
    expect(await prober.list({ monitor_id: id, ...everything })).toHaveLength(2);
  });

  it("takes eight bytes a check, one row for a quarter of an hour, and one row written for each message", async () => {
    const { prober, stub } = aProber();
    const ids = Array.from({ length: 30 }, newId);
    const record = (slot_at: number) =>
      prober.record({ slot_at, attempt: 0, key: "g", entries: ids.map((id) => entry(id, slot_at + 5)) });
    for (let n = 0; n < 15; n++) await record(T0 + n * 60_000);
    await runInDurableObject(stub, async (_object, state) => {
      const stored = state.storage.sql.exec("SELECT sum(length(block)) AS bytes, count(*) AS rows FROM quarters").one();
      expect(stored.rows).toBe(1);
      expect(Number(stored.bytes) / 15 / 30).toBeLessThanOrEqual(8);
    });
    await record(T0 + 15 * 60_000);
    expect(await prober.list({ monitor_id: ids[29] ?? "", ...everything })).toHaveLength(16);
  });

  it("lists a quarter's messages of several groups and attempts by their slots, newest first", async () => {
    const { prober } = aProber();
    const id = newId();
    for (const [minute, attempt, key] of [
      [3, 0, "h"],
      [1, 0, "g"],
      [2, 1, "g"],
      [2, 0, "g"],
      [16, 0, "g"],
    ] as const) {
      const slot_at = T0 + minute * 60_000;
      await prober.record({ slot_at, attempt, key, entries: [entry(id, slot_at + attempt)] });
    }
    const times = async (limit: number) =>
      (await prober.list({ monitor_id: id, ...everything, limit })).map(({ checked_at }) => checked_at - T0);
    expect(await times(100)).toEqual([960_000, 180_000, 120_001, 120_000, 60_000]);
    expect(await times(2)).toEqual([960_000, 180_000]);
  });

  it("continues a quarter of long failures in a further row, and keeps a repeated message once there, too", async () => {
    const { prober, stub } = aProber();
    const ids = Array.from({ length: 30 }, newId);
    const failed = { outcome: "failure", message: "x".repeat(200), details: { body: "y".repeat(1900) } } as const;
    const record = (n: number) => {
      const slot_at = T0 + n * 60_000;
      return prober.record({ slot_at, attempt: 0, key: "g", entries: ids.map((id) => entry(id, slot_at, failed)) });
    };
    for (const n of [0, 1, 2, 3, 0, 3]) await record(n);
    const rows = await runInDurableObject(stub, async (_object, state) => [
      ...state.storage.sql.exec<{ part: number; bytes: number }>("SELECT part, length(block) AS bytes FROM quarters"),
    ]);
    expect(rows.map(({ part }) => part)).toEqual([0, 1]);
    expect(Math.max(...rows.map(({ bytes }) => bytes))).toBeLessThan(200_000);
    expect(await prober.list({ monitor_id: ids[0] ?? "", ...everything })).toHaveLength(4);
  });

  it("reads messages that the release before recorded, each in a row of its own, and adds them up", async () => {
    const { prober, stub } = aProber();
    const id = newId();
    await prober.record({ slot_at: T0, attempt: 0, key: "g", entries: [entry(id, T0 + 5)] });
    await runInDurableObject(stub, async (_object, { storage: { sql } }) => {
      const [word] = sql.exec<{ number: number }>("SELECT number FROM words WHERE kind = 'monitor'");
      const check = { member: word?.number ?? 0, outcome: "success", latency_ms: 40, delay_ms: 7 } as const;
      const block = packChecks([{ ...check, message: "HTTP 200", place: null, details: null }]);
      for (const slot_at of [T0 - 60_000, T0 + 60_000])
        sql.exec("INSERT INTO checks (slot_at, attempt, key, block) VALUES (?, 0, 'g', ?)", slot_at, block);
    });
    const old = (slot_at: number) => entry(id, slot_at + 7, { latency_ms: 40 });
    const all = [old(T0 + 60_000), entry(id, T0 + 5), old(T0 - 60_000)];
    expect(await prober.list({ monitor_id: id, ...everything })).toEqual(all);
    const [steps = []] = await prober.latencies([id], T0 - HOUR, HOUR);
    expect(steps.map(({ tally }) => readTally(new ByteReader(tally)).count)).toEqual([1, 2]);
  });

  it("takes eight bytes a check with details, although nothing stays in memory between two slots", async () => {
    const { prober, stub } = aProber();
    const ids = Array.from({ length: 30 }, newId);
    const details = { status_code: 200, redirects: 0 };
    for (let n = 0; n < 5; n++) {
      const slot_at = T0 + n * 60_000;
      const entries = ids.map((id) => entry(id, slot_at + 5, n < 4 ? { details } : { message: "HTTP 204", details }));
      await prober.record({ slot_at, attempt: 0, key: "g", entries });
      await evictDurableObject(stub);
    }
    const [stored] = await runInDurableObject(stub, async (_object, state) => [
      ...state.storage.sql.exec<{ bytes: number }>("SELECT sum(length(block)) AS bytes FROM quarters"),
    ]);
    expect(Number(stored?.bytes) / 5 / 30).toBeLessThanOrEqual(8);
    const found = await prober.list({ monitor_id: ids[29] ?? "", ...everything });
    expect(found.map((each) => [each.message, each.details])).toEqual([
      ["HTTP 204", undefined],
      ...new Array(3).fill(["HTTP 200", undefined]),
      ["HTTP 200", details],
    ]);
    expect((await prober.newest(ids[0] ?? ""))?.details).toEqual(details);
  });

  it("keeps details that are too long or too many for its directory where they change", async () => {
    const { prober } = aProber();
    const id = newId();
    const long = { banner: "x".repeat(400) };
    const all = [...Array.from({ length: 220 }, (_, n) => ({ players: n })), { players: 219 }, long, long];
    for (const [n, details] of all.entries()) {
      await prober.record({ slot_at: T0 + n, attempt: 0, key: "g", entries: [entry(id, T0 + n, { details })] });
    }
    const found = await prober.list({ monitor_id: id, ...everything, limit: 300 });
    expect(found.toReversed().map(({ details }) => details)).toEqual([
      ...all.slice(0, 220),
      undefined,
      long,
      undefined,
    ]);
  });

  it("adds the latencies of each hour up, the present one included, without failures and errors", async () => {
    const { prober } = aProber();
    const id = newId();
    for (const [n, outcome] of (["success", "slow", "failure", "error"] as const).entries()) {
      const slot_at = T0 - HOUR + n * 60_000;
      await prober.record({
        slot_at,
        attempt: 0,
        key: "g",
        entries: [entry(id, slot_at, { outcome, latency_ms: 100 })],
      });
    }
    const learned = async () => {
      const [steps = []] = await prober.latencies([id], 0, HOUR);
      return steps.map(({ at, tally }) => {
        const { count, sum } = readTally(new ByteReader(tally));
        return { at, count, sum };
      });
    };
    const over = { at: T0 - HOUR, count: 2, sum: 200 };
    expect(await learned()).toEqual([over]);
    await prober.record({ slot_at: T0, attempt: 0, key: "g", entries: [entry(id, T0)] });
    expect(await learned()).toEqual([over, { at: T0, count: 1, sum: 20 }]);
  });

  it("gives the latencies of several monitors at once, in the order asked for", async () => {
    const { prober } = aProber();
    const [one, other, unknown] = [newId(), newId(), newId()];
    for (const slot_at of [T0 - HOUR, T0]) {
      const entries = [entry(one, slot_at, { latency_ms: 10 }), entry(other, slot_at, { latency_ms: 30 })];
      await prober.record({ slot_at, attempt: 0, key: "g", entries });
    }
    for (const step of [HOUR / 4, HOUR, 6 * HOUR]) {
      const found = await prober.latencies([other, unknown, one], T0 - 6 * HOUR, step);
      const sums = found.map((steps) => steps.map(({ at, tally }) => [at, readTally(new ByteReader(tally)).sum]));
      expect(sums).toEqual([
        [[T0 - HOUR, 30], [T0, 30]],
        [],
        [[T0 - HOUR, 10], [T0, 10]],
      ]); // biome-ignore format: one line a monitor
    }
  });

  it("adds six hours up once they are over, for whom they are short enough", async () => {
    const { prober } = aProber();
    const id = newId();
    for (const slot_at of [SIX_HOURS_AT - 3 * HOUR, SIX_HOURS_AT - HOUR, SIX_HOURS_AT]) {
      await prober.record({ slot_at, attempt: 0, key: "g", entries: [entry(id, slot_at, { latency_ms: 10 })] });
    }
    const sums = async (step: number) => {
      const [steps = []] = await prober.latencies([id], SIX_HOURS_AT - 12 * HOUR, step);
      return steps.map(({ at, tally }) => [(at - SIX_HOURS_AT) / HOUR, readTally(new ByteReader(tally)).sum]);
    };
    const byTheHour = [[-3, 10], [-1, 10], [0, 10]]; // biome-ignore format: one line
    expect(await sums(HOUR)).toEqual(byTheHour);
    expect(await sums(6 * HOUR)).toEqual([[-6, 20], [0, 10]]); // biome-ignore format: one line
  });

  it("forgets what is older than any plan shows", async () => {
    const { prober } = aProber();
    const id = newId();
    await prober.record({ slot_at: T0 - 91 * 24 * HOUR, attempt: 0, key: "g", entries: [entry(id, T0)] });
    await prober.record({ slot_at: T0, attempt: 0, key: "g", entries: [entry(id, T0)] });
    expect(await prober.list({ monitor_id: id, ...everything })).toHaveLength(1);
  });
});

describe("the history of an agent", () => {
  const range = (monitor_id: string, from: number, to: number) => ({ monitor_id, from, to });

  it("keeps each check once, however often and in any order, one row for five minutes", async () => {
    const { prober, stub } = aProber();
    const [a, b] = [newId(), newId()];
    const times = Array.from({ length: 10 }, (_, n) => T0 + n * 60_000);
    const entries = times.flatMap((at) => [entry(a, at), entry(b, at, { latency_ms: 7 })]);
    expect((await prober.add(entries.slice(10), [])).added).toBe(10);
    await evictDurableObject(stub);
    expect((await prober.add([...entries, ...entries], [])).added).toBe(10);
    expect((await prober.list({ monitor_id: a, ...everything })).map(({ checked_at }) => checked_at)).toEqual(
      times.toReversed(),
    );
    const rows = await runInDurableObject(stub, (_object, state) =>
      [...state.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM checks")].map(({ n }) => n),
    );
    expect(rows).toEqual([2]);
  });

  it("gives what lies around, oldest first, and which of it came late", async () => {
    const { prober } = aProber();
    const [a, b] = [newId(), newId()];
    await prober.add([entry(a, T0), entry(b, T0), entry(a, T0 + 600_000)], []);
    const late = entry(a, T0 + 300_000, { is_late: true });
    const { around } = await prober.add([late], [range(a, T0, T0 + 600_000), range(b, T0 + 1, T0 + 600_000)]);
    expect(around).toEqual([[entry(a, T0), late], []]);
  });

  it("gives the newest check with the details that it repeats", async () => {
    const { prober } = aProber();
    const id = newId();
    expect(await prober.newest(id)).toBeNull();
    const details = { code: 200 };
    await prober.add([entry(id, T0, { details }), entry(id, T0 + 60_000, { details })], []);
    expect(await prober.newest(id)).toEqual(entry(id, T0 + 60_000, { details }));
  });

  it("is deleted when nothing was recorded for as long as anything is kept", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: T0 });
    const { prober, stub } = aProber();
    const id = newId();
    await prober.add([entry(id, T0 - HOUR)], []);
    await prober.add([entry(id, T0)], []);
    const days = async (count: number) => {
      vi.setSystemTime(T0 + count * 24 * HOUR);
      await runDurableObjectAlarm(stub);
      return (await prober.list({ monitor_id: id, ...everything })).length;
    };
    expect(await days(89)).toBe(2);
    expect(await days(91)).toBe(0);
    vi.useRealTimers();
  });
});
