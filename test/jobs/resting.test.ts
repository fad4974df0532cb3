import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { runSlot } from "../../src/checks/runner.ts";
import { openDb } from "../../src/data/db.ts";
import { listMemberStates } from "../../src/data/monitors/read.ts";
import { checkGroups, monitors } from "../../src/data/monitors/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { outages } from "../../src/data/outages/table.ts";
import { slotBefore } from "../../src/domain/check-schedule.ts";
import { buildPayload } from "../../src/status-page/payload.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Monday. */
const MONDAY = Date.UTC(2026, 10, 23);
const db = openDb(env.DB);
const outside = vi.spyOn(globalThis, "fetch");

beforeEach(() => {
  outside.mockReset().mockImplementation(async () => new Response("ok"));
  vi.useFakeTimers({ toFake: ["Date"], now: MONDAY + 12 * HOUR });
});
afterEach(() => vi.useRealTimers());

async function aMonitor(options: Record<string, unknown>, fields = {}) {
  const { user_id } = await createAccount();
  const status_page_id = await insertPage(user_id);
  const monitor = await insertMonitor(user_id, { options, status_page_id, created_at: MONDAY, ...fields });
  return { ...monitor, user_id, status_page_id };
}
type Made = Awaited<ReturnType<typeof aMonitor>>;

async function checkAt({ check_group_id }: Made, at: number) {
  vi.setSystemTime(at);
  const message = { group_id: check_group_id, region: "default", slot_at: at, attempt: 0 };
  await runSlot(jobScope(recordingEnv().env, "test"), message, async () => {});
}

async function read({ id, check_group_id }: Made) {
  const [[row], [group]] = await db.batch([
    db.select().from(monitors).where(eq(monitors.id, id)),
    db.select().from(checkGroups).where(eq(checkGroups.id, check_group_id)),
  ]);
  if (!row || !group) throw new Error("no such monitor");
  return { row, latest: group.latest };
}

describe("a monitor with hours", () => {
  const HOURS = { hours: "Mon-Fri 08:00-18:00", hours_timezone: "Europe/Berlin" };

  it("is checked in them alone, is unknown since their end, and comes back with the next check", async () => {
    const monitor = await aMonitor(HOURS);
    await checkAt(monitor, MONDAY + 16 * HOUR + 59 * MINUTE);
    expect((await read(monitor)).row.status).toBe("up");
    for (const minutes of [0.5, 1.5, 300]) await checkAt(monitor, MONDAY + 17 * HOUR + minutes * MINUTE);
    expect(outside).toHaveBeenCalledTimes(1);
    const { row, latest } = await read(monitor);
    expect(row).toMatchObject({ status: "unknown", status_since: MONDAY + 17 * HOUR, state_seq: 2 });
    expect(row.status_message).toBe("outside of its hours: Mon-Fri 08:00-18:00, Europe/Berlin");
    expect(latest.map(([id, at]) => [id, at])).toEqual([[monitor.id, MONDAY + 16 * HOUR + 59 * MINUTE]]);
    const told = await db.select().from(notifications).where(eq(notifications.user_id, monitor.user_id));
    expect(told.filter(({ type }) => type === "monitor.unchecked")).toEqual([]);
    await checkAt(monitor, MONDAY + 31 * HOUR);
    expect((await read(monitor)).row).toMatchObject({ status: "up", status_since: MONDAY + 31 * HOUR });
  });

  it("says so on its page, which is no trouble", async () => {
    const monitor = await aMonitor(HOURS);
    await checkAt(monitor, MONDAY + 20 * HOUR);
    const payload = await buildPayload(db, monitor.status_page_id, MONDAY + 20 * HOUR);
    expect(payload?.monitors).toMatchObject([{ id: monitor.id, status: "pending", is_resting: true }]);
  });
});

describe("a composite", () => {
  it("takes a member outside of its hours for one that is paused, unless its outage is open", async () => {
    const { id: composite, user_id } = await aMonitor({}, { type: "composite", check_group_id: "" });
    const status_message = "outside of its hours: Mon 08:00-09:00, UTC";
    const member = { parent_monitor_id: composite, status: "unknown" as const };
    const [failing] = await Promise.all([
      insertMonitor(user_id, { ...member, status_message, name: "failing" }),
      insertMonitor(user_id, { ...member, status_message, name: "resting" }),
      insertMonitor(user_id, { ...member, status_message: "no recent check result" }),
      insertMonitor(user_id, { ...member, status: "up" }),
    ]);
    const opened = { monitor_id: failing.id, seq: 1, started_at: MONDAY, cause: "refused", in_maintenance: false };
    await db.insert(outages).values({ id: failing.id, ...opened });
    const states = (await listMemberStates(db, composite)).map(({ status }) => status);
    expect(states.toSorted()).toEqual(["paused", "unknown", "unknown", "up"]);
  });
});

describe("a monitor that is down", () => {
  it("is checked as seldom as interval_down says, and as usual after a success", async () => {
    const monitor = await aMonitor({ interval_down: 300 }, { failure_threshold: 1, recovery_threshold: 2 });
    outside.mockImplementation(async () => new Response("", { status: 500 }));
    const first = slotBefore(monitor.check_group_id, MINUTE, MONDAY + 12 * HOUR);
    await checkAt(monitor, first);
    expect((await read(monitor)).row.status).toBe("down");
    outside.mockClear();
    for (let n = 1; n <= 20; n++) await checkAt(monitor, first + n * MINUTE);
    expect(outside).toHaveBeenCalledTimes(4);
    expect((await read(monitor)).latest).toHaveLength(1);
    outside.mockReset().mockImplementation(async () => new Response("ok"));
    const checked: number[] = [];
    for (let n = 21; n <= 30 && (await read(monitor)).row.status === "down"; n++) {
      await checkAt(monitor, first + n * MINUTE);
      if (outside.mock.calls.length > checked.length) checked.push(n);
    }
    expect((await read(monitor)).row.status).toBe("up");
    expect(checked).toHaveLength(2);
    expect((checked[1] ?? 0) - (checked[0] ?? 0)).toBe(1);
  });
});
