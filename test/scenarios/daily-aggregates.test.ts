import { env } from "cloudflare:workers";
import { asc, eq, gte } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { jobScope, type Scope } from "../../src/access/scope.ts";
import { MONITOR_STATUSES, type MonitorStatus } from "../../src/contract/monitor-values.ts";
import { planBackfill } from "../../src/data/agent-results/backfill.ts";
import { dailyAggregates } from "../../src/data/daily-aggregates/table.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { monitors, statusIntervals } from "../../src/data/monitors/table.ts";
import { recordTransition } from "../../src/data/monitors/write.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { sweepCursors } from "../../src/data/sweep-cursors/table.ts";
import type { LateResult } from "../../src/domain/backfill.ts";
import { unpackDays } from "../../src/domain/daily-aggregates.ts";
import { computeStatusDurations } from "../../src/domain/uptime.ts";
import { listDaysUntil } from "../../src/lib/zoned-days.ts";
import { newId } from "../../src/platform/ids.ts";
import { buildPayload, DAYS_SHOWN } from "../../src/status-page/payload.ts";
import { sweepDailyAggregates } from "../../src/sweeps/daily-aggregates.ts";
import { V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { insertIntervals } from "../support/pages.ts";

const db = openDb(env.DB);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const depsAt = (at: number): Scope => ({ ...jobScope(env, "test"), now: at });

/** As many minutes as a round takes. */
async function aggregateAt(now: number) {
  await db.delete(sweepCursors);
  for (let due_at = 0; due_at <= now; ) {
    await sweepDailyAggregates(depsAt(now));
    const [round] = await db.select().from(sweepCursors).where(eq(sweepCursors.name, "roll-ups"));
    due_at = round?.position === "" ? round.due_at : 0;
  }
}

const monthsOf = (monitorId: string) =>
  db
    .select()
    .from(dailyAggregates)
    .where(eq(dailyAggregates.monitor_id, monitorId))
    .orderBy(asc(dailyAggregates.month));

/** Nobody else's monitors are looked at. */
beforeEach(async () => void (await db.delete(monitors)));

/** Near these, clocks change: in the north, in the south, at midnight, by half an hour, and during Ramadan. */
const MOMENTS = [
  "2026-11-21T20:53:10.123Z",
  "2026-04-30T00:30:00Z",
  "2027-03-01T04:59:59.999Z",
  "2025-01-01T00:00:00Z",
];
const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Asia/Beirut"],
  ...["Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Chatham", "Pacific/Kiritimati"],
];
const zone = fc.constantFrom(...ZONES);
const ago = fc.integer({ min: 1, max: 120 * DAY });

const timeline = fc.record({
  now: fc.constantFrom(...MOMENTS).map((text) => Date.parse(text)),
  zone,
  other: zone,
  changes: fc.array(fc.tuple(ago, fc.constantFrom(...MONITOR_STATUSES)), { minLength: 1, maxLength: 40 }),
  /** What an agent that was cut off measured, as time before now. */
  late: fc.array(fc.tuple(ago, fc.constantFrom("up" as const, "down" as const, "degraded" as const)), { maxLength: 6 }),
  /** How much of its last interval a transition takes away that nobody knew of. */
  retroactive: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe("the bars of a page", () => {
  it("say through daily aggregates what the intervals say, in any zone, before and after the past was put right", async () => {
    const { user_id } = await createAccount();
    const property = fc.asyncProperty(timeline, async ({ now, changes, late, ...drawn }) => {
      const stretches = changes.map(([before, status]): [number, MonitorStatus] => [now - before, status]);
      stretches.sort(([a], [b]) => a - b);
      const created_at = stretches[0]?.[0] ?? now;
      const status_page_id = await insertPage(user_id, { timezone: drawn.zone });
      const { id } = await insertMonitor(user_id, { status_page_id, created_at });
      await insertIntervals(id, stretches);
      await db.update(statusIntervals).set({ to_at: created_at }).where(eq(statusIntervals.seq, 0));

      const readsAsBefore = async (timezone: string) => {
        const intervals = await db
          .select()
          .from(statusIntervals)
          .where(eq(statusIntervals.monitor_id, id))
          .orderBy(asc(statusIntervals.from_at), asc(statusIntervals.seq));
        const rule = { maintenance: [], is_excluded: true, now };
        const tallies = computeStatusDurations(intervals, listDaysUntil(now, timezone, DAYS_SHOWN), rule).map(
          ({ up, degraded, down }) => (up + degraded + down === 0 ? null : [up, degraded, down]),
        );
        const payload = await buildPayload(db, status_page_id, now);
        expect(payload?.monitors[0]?.tallies).toEqual(tallies);
      };
      const readsAsAfterSweep = async (timezone: string) => {
        await readsAsBefore(timezone);
        await aggregateAt(now);
        await readsAsBefore(timezone);
      };

      await readsAsAfterSweep(drawn.zone);
      if (created_at < now - 4 * DAY) expect(await monthsOf(id)).not.toEqual([]);

      const measured = late.map(([before, status]) => ({ checked_at: now - before, status }));
      await putRight(id, measured, now);
      await readsAsAfterSweep(drawn.zone);

      const last = stretches.at(-1)?.[0] ?? now;
      const effective_at = Math.floor(last + (now - last) * drawn.retroactive);
      await runBatch(
        db,
        recordTransition(db, { monitor_id: id, transition: aTransition(stretches.length + 1, effective_at), now }),
      );
      await readsAsAfterSweep(drawn.zone);

      await db.update(statusPages).set({ timezone: drawn.other }).where(eq(statusPages.id, status_page_id));
      await readsAsAfterSweep(drawn.other);
      await db.delete(monitors).where(eq(monitors.id, id));
    });
    await fc.assert(property, { numRuns: 15 });
  }, 60_000);
});

function aTransition(seq: number, effective_at: number) {
  return {
    seq,
    from: "up" as const,
    to: "down" as const,
    at: effective_at,
    effective_at,
    message: "m",
    latency_ms: null,
    region: null,
    outage: null,
    event: null,
  };
}

async function putRight(monitor_id: string, measured: Omit<LateResult, "is_late" | "message">[], now: number) {
  const late = measured.toSorted((a, b) => a.checked_at - b.checked_at);
  const [from, to] = [late.at(0)?.checked_at, late.at(-1)?.checked_at];
  if (from === undefined || to === undefined) return;
  const measurements = late.map((result) => ({ ...result, message: "", is_late: true }));
  const thresholds = { failure_threshold: 1, recovery_threshold: 1, status_page_id: null };
  const request = { monitor_id, from, to, last: to, measurements, valid_for_ms: 5 * HOUR, until: now, ...thresholds };
  await runBatch(db, (await planBackfill(db, [request], { now, outageIdOf: () => newId(now) })).statements);
}

describe("daily aggregates", () => {
  /** Of an account on UTC, up since 70 days but for an hour of each day. */
  async function aFlappingMonitor(now: number) {
    const account = await createAccount();
    const midnight = Math.floor(now / DAY) * DAY;
    const { id } = await insertMonitor(account.user_id, { created_at: midnight - 70 * DAY });
    const stretches = Array.from({ length: 70 }, (_, n): [number, MonitorStatus][] => [
      [midnight - (70 - n) * DAY, "up"],
      [midnight - (70 - n) * DAY + 12 * HOUR, "down"],
      [midnight - (70 - n) * DAY + 13 * HOUR, "up"],
    ]);
    await insertIntervals(id, stretches.flat());
    return { account, id };
  }

  it("are of days that have been over for two days, one row a month", async () => {
    const now = Date.parse("2026-11-21T01:00:00Z");
    const { id } = await aFlappingMonitor(now);
    await aggregateAt(now);
    const day = [23 * HOUR, 0, HOUR];
    expect(await monthsOf(id)).toMatchObject([
      { month: "2026-09", timezone: "UTC", days: [[11], [19, ...day]] },
      { month: "2026-10", days: [[31, ...day]] },
      { month: "2026-11", days: [[18, ...day]], to_at: Date.parse("2026-11-19") },
    ]);
    await aggregateAt(now + DAY);
    expect((await monthsOf(id)).at(-1)).toMatchObject({ days: [[19, ...day]], to_at: Date.parse("2026-11-20") });
  });

  it("are looked for once an hour", async () => {
    const now = Date.now();
    const { id } = await aFlappingMonitor(now);
    await aggregateAt(now);
    await db.delete(dailyAggregates).where(eq(dailyAggregates.monitor_id, id));
    await sweepDailyAggregates(depsAt(now + HOUR - 1));
    expect(await monthsOf(id)).toEqual([]);
    await sweepDailyAggregates(depsAt(now + HOUR));
    expect(await monthsOf(id)).not.toEqual([]);
  });

  it("answer GET /monitors/{id}/uptime as the intervals do", async () => {
    const { account, id } = await aFlappingMonitor(Date.now());
    /** Without today, which grows. */
    const ask = async () => (await account.client.get(`${V1}/monitors/${id}/uptime?days=90`)).body.slice(0, -1);
    const before = await ask();
    await aggregateAt(Date.now());
    // Nothing but the daily aggregates knows of these days any more.
    await db.update(statusIntervals).set({ status: "unknown" }).where(eq(statusIntervals.seq, 10));
    expect(await ask()).toEqual(before);
    expect(before[85]).toMatchObject({ up_seconds: 82_800, down_seconds: 3600 });
  });

  it("that end before the days of a page are no beginning for them", async () => {
    const now = Date.parse("2026-11-21T01:00:00Z");
    const { user_id } = await createAccount();
    const status_page_id = await insertPage(user_id);
    const { id } = await insertMonitor(user_id, { status_page_id, created_at: now - 130 * DAY });
    await insertIntervals(id, [[now - 130 * DAY, "up"]]);
    await aggregateAt(now);
    const before = await buildPayload(db, status_page_id, now);
    await db.delete(dailyAggregates).where(gte(dailyAggregates.month, "2026-08"));
    expect((await monthsOf(id)).map(({ month }) => month)).toEqual(["2026-07"]);
    expect(await buildPayload(db, status_page_id, now)).toEqual(before);
  });

  it("go in the batch of a transition that began long ago", async () => {
    const now = Date.now();
    const { id } = await aFlappingMonitor(now);
    await aggregateAt(now);
    const effective_at = now - 20 * DAY;
    await runBatch(db, recordTransition(db, { monitor_id: id, transition: aTransition(500, effective_at), now }));
    expect((await monthsOf(id)).every(({ to_at }) => to_at <= effective_at)).toBe(true);
    expect(await monthsOf(id)).not.toEqual([]);
  });

  it("of before a correction are not stored after it", async () => {
    const now = Date.now();
    const { id } = await aFlappingMonitor(now);
    await db.delete(sweepCursors);
    const correct = () =>
      runBatch(db, recordTransition(db, { monitor_id: id, transition: aTransition(500, now - 20 * DAY), now }));
    // The correction comes between the sweep's reading and its writing.
    const batch = env.DB.batch.bind(env.DB);
    let isCorrected = false;
    const database = new Proxy(env.DB, {
      get(target, name) {
        if (name !== "batch") return Reflect.get(target, name).bind(target);
        return async (statements: D1PreparedStatement[]) => {
          const results = await batch(statements);
          if (!isCorrected && statements.length === 2) {
            isCorrected = true;
            await correct();
          }
          return results;
        };
      },
    });
    await sweepDailyAggregates({ ...depsAt(now), db: openDb(database) });
    expect(isCorrected).toBe(true);
    expect(await monthsOf(id)).toEqual([]);
  });

  it("of many days with many changes are made a part at a time", async () => {
    const now = Date.parse("2026-11-21T01:00:00Z");
    const { user_id } = await createAccount();
    const created_at = now - 10 * DAY;
    const { id } = await insertMonitor(user_id, { created_at });
    // Every 20 seconds for ten days: more than one minute takes on.
    await env.DB.prepare(
      `INSERT INTO status_intervals (monitor_id, seq, status, from_at, to_at)
        WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 43200)
        SELECT ?1, n, CASE n % 2 WHEN 0 THEN 'up' ELSE 'down' END, ?2 + n * 20000, ?2 + (n + 1) * 20000 FROM n`,
    )
      .bind(id, created_at)
      .run();
    await db.delete(sweepCursors);
    await sweepDailyAggregates(depsAt(now));
    const [first] = await monthsOf(id);
    expect(first?.to_at).toBeGreaterThan(created_at);
    expect(first?.to_at).toBeLessThan(now - 3 * DAY);
    for (let minute = 0; minute < 3; minute++) await sweepDailyAggregates(depsAt(now));
    const intervals = await db.select().from(statusIntervals).where(eq(statusIntervals.monitor_id, id));
    intervals.sort((a, b) => a.from_at - b.from_at);
    const [month] = await monthsOf(id);
    const [whole] = computeStatusDurations(intervals, [{ from_at: created_at, to_at: month?.to_at ?? 0 }], {
      maintenance: [],
      is_excluded: true,
      now,
    });
    const days = unpackDays(month?.days ?? []);
    const sums = [0, 1, 2].map((n) => days.reduce((sum, day) => sum + (day[n] ?? 0), 0));
    expect(sums).toEqual([whole?.up, whole?.degraded, whole?.down]);
    expect(month?.to_at).toBe(Date.parse("2026-11-19"));
  });
});
