import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { computeUptimePercentage } from "../../src/domain/uptime.ts";
import { buildPayload } from "../../src/status-page/payload.ts";
import { createClient, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { insertIntervals } from "../support/pages.ts";

/** Thirty days over the end of daylight saving time, as each place that shows a percentage counts them. */

const db = openDb(env.DB);
const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-10T09:00:00Z");
/** The first instant in Berlin of the first of thirty days. */
const FROM = Date.parse("2026-10-11T22:00:00Z");
const iso = (at: number) => new Date(at).toISOString();

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

it("is the same percentage on page, badge, API and report for the same days", async () => {
  const account = await createAccount();
  const timezone = "Europe/Berlin";
  const status_page_id = await insertPage(account.user_id, { timezone });
  const created_at = FROM - 10 * 24 * HOUR;
  const { id } = await insertMonitor(account.user_id, { status_page_id, created_at, status: "up" });
  const changes = Date.parse("2026-10-25T00:00:00Z");
  await insertIntervals(id, [
    [created_at, "up"],
    // Over the first midnight, in the hour that comes twice, slow, unknown, and in maintenance.
    [FROM - HOUR, "down"],
    [FROM + HOUR, "up"],
    [changes, "down"],
    [changes + 1.5 * HOUR, "up"],
    [changes + 24 * HOUR, "degraded"],
    [changes + 26 * HOUR, "up"],
    [changes + 48 * HOUR, "unknown"],
    [changes + 60 * HOUR, "up"],
    [changes + 72 * HOUR, "down"],
    [changes + 75 * HOUR, "up"],
  ]);
  const window = { start_time: iso(changes + 72 * HOUR), end_time: iso(changes + 74 * HOUR) };
  await account.client.post(`${V1}/maintenance`, { status_page_id, title: "Disks", ...window });
  const range = new URLSearchParams({ from: iso(FROM), to: iso(NOW) });
  const [badge, days, report, payload] = await Promise.all([
    createClient().get(`/badge/${id}/uptime.json?period=30d`),
    account.client.get(`${V1}/monitors/${id}/uptime?days=30`),
    account.client.get(`${V1}/status-pages/${status_page_id}/sla?${range}`),
    buildPayload(db, status_page_id, NOW),
  ]);
  const secondsOf = (part: string) =>
    days.body.reduce((sum: number, day: Record<string, number>) => sum + (day[part] ?? 0), 0);
  const ofApi = {
    up: secondsOf("up_seconds"),
    degraded: secondsOf("degraded_seconds"),
    down: secondsOf("down_seconds"),
  };
  const bars = (payload?.monitors[0]?.tallies ?? []).slice(-30);
  const inBars = (n: number) => bars.reduce((sum, day) => sum + (day?.[n] ?? 0), 0);
  // 3.5 of 693 hours: an hour after the first midnight, one and a half as the clocks change, one after the maintenance.
  expect(report.body.overall).toMatchObject({ uptime_percentage: 99.494, downtime_seconds: 3.5 * 3600 });
  expect(computeUptimePercentage(ofApi)).toBe(99.494);
  expect(computeUptimePercentage({ up: inBars(0), degraded: inBars(1), down: inBars(2) })).toBe(99.494);
  expect(badge.body.message).toBe("99.49%");
});
