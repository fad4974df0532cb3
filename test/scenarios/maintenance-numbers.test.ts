import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { sweepMaintenance } from "../../src/events/maintenance.ts";
import { buildPayload } from "../../src/status-page/payload.ts";
import { sweepDailyAggregates } from "../../src/sweeps/daily-aggregates.ts";
import { createClient, V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { insertIntervals } from "../support/pages.ts";
import { recordingEnv } from "../support/queues.ts";

/** Every number that a person sees of a night of planned work, on page, badge, API and report. */

const db = openDb(env.DB);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Math.floor(Date.now() / 1000) * 1000;
const visitor = createClient();
const iso = (at: number) => new Date(at).toISOString();
const depsAt = (now: number) => ({ ...jobScope(recordingEnv().env, "test"), now });

/** A monitor that was up for four days but for three hours of yesterday's noon, two of which were planned. */
async function createStage(window: Record<string, unknown> = {}) {
  const account = await createAccount();
  const status_page_id = await insertPage(account.user_id);
  const monitor = await insertMonitor(account.user_id, { status_page_id, created_at: NOW - 4 * DAY, status: "up" });
  const down_at = NOW - 10 * HOUR;
  await insertIntervals(monitor.id, [
    [NOW - 4 * DAY, "up"],
    [down_at, "down"],
    [down_at + 3 * HOUR, "up"],
  ]);
  const plan = {
    status_page_id,
    title: "Disks",
    start_time: iso(down_at),
    end_time: iso(down_at + 2 * HOUR),
    ...window,
  };
  const { body } = await account.client.post(`${V1}/maintenance`, plan);
  return { account, status_page_id, monitor_id: monitor.id, window_id: body.id };
}

type Stage = Awaited<ReturnType<typeof createStage>>;
const client = ({ account }: { account: Account }) => account.client;

/** Seconds up, down and in maintenance of the last days, as each place that shows them counts them. */
async function readEverywhere(stage: Stage) {
  const { status_page_id: page, monitor_id } = stage;
  const period = `from=${iso(NOW - 4 * DAY)}&to=${iso(NOW)}`;
  const [uptime, report, payload] = await Promise.all([
    client(stage).get(`${V1}/monitors/${monitor_id}/uptime?days=6`),
    client(stage).get(`${V1}/status-pages/${page}/sla?${period}`),
    buildPayload(db, page, NOW),
  ]);
  const days: { down_seconds: number; maintenance_seconds: number }[] = uptime.body;
  const bars = payload?.monitors[0]?.tallies ?? [];
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return {
    uptime: {
      down: sum(days.map((day) => day.down_seconds)),
      maintenance: sum(days.map((day) => day.maintenance_seconds)),
    },
    page: {
      down: sum(bars.map((day) => (day?.[2] ?? 0) / 1000)),
      maintenance: sum(bars.map((day) => (day?.[3] ?? 0) / 1000)),
    },
    report: { down: report.body.overall.downtime_seconds, maintenance: report.body.overall.maintenance_seconds },
  };
}

const everywhere = (down: number, maintenance: number) => {
  const each = { down: down * 3600, maintenance: maintenance * 3600 };
  return { uptime: each, page: each, report: each };
};

describe("time in maintenance", () => {
  it("is neither up nor down on the page, in the API and in the report alike", async () => {
    const stage = await createStage();
    expect(await readEverywhere(stage)).toEqual(everywhere(1, 2));
    const { body: badge } = await visitor.get(`/badge/${stage.monitor_id}/uptime.json?period=24h`);
    // One hour of the 22 that count.
    expect(badge.message).toBe("95.45%");
  });

  it("counts like any other where the page's policy says so", async () => {
    const stage = await createStage();
    const rules = { name: "Strict", target_percentage: 99, exclude_maintenance: false };
    const { body: policy } = await client(stage).post(`${V1}/sla-policies`, rules);
    await client(stage).put(`${V1}/status-pages/${stage.status_page_id}/sla-policy`, { policy_id: policy.id });
    const read = await readEverywhere(stage);
    expect(read).toEqual({ ...everywhere(3, 0), report: { down: 3 * 3600, maintenance: 2 * 3600 } });
  });

  it("is not shown to visitors where the window is private, and counts for nothing there", async () => {
    const stage = await createStage({ is_public: false });
    const read = await readEverywhere(stage);
    expect(read).toEqual({ ...everywhere(1, 2), page: { down: 3600, maintenance: 0 } });
  });

  it("stays what it was when the window, its targets or its group are changed or deleted afterwards", async () => {
    const stage = await createStage();
    await client(stage).delete(`${V1}/maintenance/${stage.window_id}`);
    expect(await readEverywhere(stage)).toEqual(everywhere(1, 2));
  });

  it("covers with a window for the whole page what the page had at the time", async () => {
    const stage = await createStage();
    const later = await insertMonitor(stage.account.user_id, { created_at: NOW - 4 * DAY, status: "up" });
    await insertIntervals(later.id, [[NOW - 10 * HOUR, "down"]]);
    const moved = await client(stage).put(`${V1}/monitors/${later.id}`, { status_page_id: stage.status_page_id });
    expect(moved.status).toBe(200);
    const { body: days } = await client(stage).get(`${V1}/monitors/${later.id}/uptime?days=6`);
    expect(days.map((day: { maintenance_seconds: number }) => day.maintenance_seconds)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it("is the same from daily aggregates, also where it is recorded after they were made", async () => {
    const account = await createAccount();
    const status_page_id = await insertPage(account.user_id);
    const created_at = NOW - 30 * DAY;
    const monitor = await insertMonitor(account.user_id, { status_page_id, created_at, status: "up" });
    const down_at = NOW - 10 * DAY;
    await insertIntervals(monitor.id, [
      [created_at, "up"],
      [down_at, "down"],
      [down_at + 3 * HOUR, "up"],
    ]);
    for (let minute = 0; minute < 5; minute++) await sweepDailyAggregates(depsAt(NOW + minute * HOUR));
    const tallies = async () =>
      ((await buildPayload(db, status_page_id, NOW))?.monitors[0]?.tallies ?? []).filter(
        (day) => (day?.[2] ?? 0) + (day?.[3] ?? 0) > 0,
      );
    const sums = async () => {
      const days = await tallies();
      return [2, 3].map((n) => days.reduce((sum, day) => sum + (day?.[n] ?? 0), 0) / HOUR);
    };
    expect(await sums()).toEqual([3, 0]);
    const plan = { status_page_id, title: "Disks", start_time: iso(down_at), end_time: iso(down_at + 2 * HOUR) };
    await account.client.post(`${V1}/maintenance`, plan);
    expect(await sums()).toEqual([1, 2]);
    for (let minute = 0; minute < 5; minute++) await sweepDailyAggregates(depsAt(NOW + (minute + 6) * HOUR));
    expect(await sums()).toEqual([1, 2]);
  });

  it("is shown while it lasts, as it grows", async () => {
    const account = await createAccount();
    const status_page_id = await insertPage(account.user_id);
    const monitor = await insertMonitor(account.user_id, { status_page_id, created_at: NOW - DAY, status: "down" });
    await insertIntervals(monitor.id, [[NOW - 30 * 60_000, "down"]]);
    const plan = { status_page_id, title: "Disks", start_time: iso(NOW - HOUR), end_time: iso(NOW + HOUR) };
    await account.client.post(`${V1}/maintenance`, plan);
    await sweepMaintenance(depsAt(NOW));
    const payload = await buildPayload(db, status_page_id, NOW);
    expect(payload?.monitors[0]).toMatchObject({ counts_as: "maintenance" });
    const today = payload?.monitors[0]?.tallies.reduce((sum, day) => sum + (day?.[2] ?? 0), 0);
    expect(today).toBe(0);
  });
});
