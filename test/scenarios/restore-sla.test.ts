import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SlaFigures } from "../../src/contract/sla.ts";
import { createAccount } from "../support/factories.ts";
import { createPage, PAGES } from "../support/pages.ts";
import { createHeartbeat, moveClock, stubOf } from "../support/pushes.ts";
import { backUp, deliver, eventsOf, loseObjects, push, restoreDatabase, tick, witness } from "../support/restores.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(Date.now() / SECOND) * SECOND });
});
afterEach(() => vi.useRealTimers());

/** A monitor that is up, on a page of its own whose target allows any downtime, so that the budget is the time counted. */
async function aMeasuredMonitor() {
  const account = await createAccount();
  const page = await createPage(account);
  const target = { targets: [{ monitor_id: null, target_percentage: 0 }] };
  await account.client.put(`${PAGES}/${page.id}/sla-targets`, target);
  const fields = { expected_interval: 86_400, failure_threshold: 1, status_page_id: page.id };
  const monitor = await createHeartbeat(account, fields);
  await deliver(monitor);
  await push(monitor, "ok");
  const from_at = Date.now();
  /** Of the time since then, in seconds. */
  const measure = async () => {
    const range = `from=${new Date(from_at).toISOString()}&to=${new Date(Date.now()).toISOString()}`;
    const { body } = await account.client.get(`${PAGES}/${page.id}/sla?${range}`);
    const figures: SlaFigures = body.monitors[0];
    const { downtime_seconds, error_budget_seconds: known, outages, uptime_percentage } = figures;
    return { known, unknown: (Date.now() - from_at) / SECOND - known, downtime_seconds, outages, uptime_percentage };
  };
  return { monitor, from_at, measure };
}

type Measured = Awaited<ReturnType<typeof aMeasuredMonitor>>;

/** The monitor is down for so long; gives the instants at which it went down and came back. */
async function outage({ monitor }: Measured, ms: number) {
  await push(monitor, "fail");
  const down_at = Date.now();
  moveClock(ms - SECOND);
  await push(monitor, "ok");
  return { down_at, up_at: Date.now() };
}

/** What D1 knows ends with the last tick of the service before it. */
async function backUpDatabase() {
  await tick();
  return { backup: await backUp(), known_until: Date.now() };
}

const seconds = (from_at: number, to_at: number) => (to_at - from_at) / SECOND;
const percentage = (downtime: number, known: number) => Math.floor((100_000 * (known - downtime)) / known) / 1000;

async function expectFigures({ measure }: Measured, wanted: { downtime: number; unknown: number; outages: number }) {
  const { known, ...figures } = await measure();
  expect(figures).toEqual({
    unknown: wanted.unknown,
    downtime_seconds: wanted.downtime,
    outages: wanted.outages,
    uptime_percentage: percentage(wanted.downtime, known),
  });
}

describe("SLA figures after D1 was restored to yesterday under living objects", () => {
  it("keep the outage that D1 knew, do not know the lost day, and count the next outage once", async () => {
    const measured = await aMeasuredMonitor();
    const { monitor } = measured;
    moveClock(HOUR);
    const before = await outage(measured, 10 * MINUTE);
    moveClock(HOUR);
    const { backup, known_until } = await backUpDatabase();
    await tick();
    moveClock(11 * HOUR);
    const lost = await outage(measured, HOUR);
    moveClock(11 * HOUR);
    await push(monitor, "ok");
    await restoreDatabase(backup);
    await tick();
    await deliver(monitor);
    await tick();
    expect((await eventsOf(monitor.id)).sort()).toEqual(["monitor.down", "monitor.up"]);

    moveClock(HOUR);
    const after = await outage(measured, 30 * MINUTE);
    moveClock(HOUR);
    await tick();
    expect((await eventsOf(monitor.id)).sort()).toEqual([
      ...["monitor.down", "monitor.down"],
      ...["monitor.up", "monitor.up"],
    ]);
    await expectFigures(measured, {
      downtime: seconds(before.down_at, before.up_at) + seconds(after.down_at, after.up_at),
      unknown: seconds(known_until, lost.up_at),
      outages: 2,
    });
  });

  it("end an outage whose end was lost with what D1 knew of it, and announce its end once", async () => {
    const measured = await aMeasuredMonitor();
    const { monitor } = measured;
    moveClock(HOUR);
    await push(monitor, "fail");
    const down_at = Date.now();
    moveClock(20 * MINUTE);
    const { backup, known_until } = await backUpDatabase();
    await tick();
    moveClock(12 * HOUR);
    await push(monitor, "ok");
    const up_at = Date.now();
    moveClock(10 * HOUR);
    await restoreDatabase(backup);
    await tick();
    await deliver(monitor);
    await tick();
    expect(await eventsOf(monitor.id)).toEqual(["monitor.down", "monitor.up"]);
    const figures = { downtime: seconds(down_at, known_until), unknown: seconds(known_until, up_at), outages: 1 };
    await expectFigures(measured, figures);
  });

  it("count an outage that D1 knew and that lasts without a break", async () => {
    const measured = await aMeasuredMonitor();
    const { monitor } = measured;
    moveClock(HOUR);
    await push(monitor, "fail");
    const down_at = Date.now();
    const { backup } = await backUpDatabase();
    await tick();
    moveClock(20 * HOUR);
    await restoreDatabase(backup);
    await tick();
    await deliver(monitor);
    moveClock(HOUR);
    await push(monitor, "ok");
    expect(await eventsOf(monitor.id)).toEqual(["monitor.down", "monitor.up"]);
    await expectFigures(measured, { downtime: seconds(down_at, Date.now()), unknown: 0, outages: 1 });
  });

  it("count an outage from its beginning that began in the lost day and lasts, without announcing it again", async () => {
    const measured = await aMeasuredMonitor();
    const { monitor } = measured;
    moveClock(HOUR);
    const { backup, known_until } = await backUpDatabase();
    await tick();
    moveClock(10 * HOUR);
    await push(monitor, "fail");
    const down_at = Date.now();
    expect(await eventsOf(monitor.id)).toEqual(["monitor.down"]);
    moveClock(10 * HOUR);
    await restoreDatabase(backup);
    await tick();
    await deliver(monitor);
    await tick();
    await push(monitor, "ok");
    // Its beginning was announced in the lost day.
    expect(await eventsOf(monitor.id)).toEqual(["monitor.up"]);
    const figures = { downtime: seconds(down_at, Date.now()), unknown: seconds(known_until, down_at), outages: 1 };
    await expectFigures(measured, figures);
  });
});

describe("SLA figures after the objects were lost under a living D1", () => {
  it("stay as they were, and count the outage that was open to its end", async () => {
    const measured = await aMeasuredMonitor();
    const { monitor } = measured;
    moveClock(HOUR);
    const first = await outage(measured, 10 * MINUTE);
    moveClock(HOUR);
    await push(monitor, "fail");
    const down_at = Date.now();
    await tick();
    moveClock(HOUR);
    const before = await measured.measure();
    await loseObjects(stubOf(monitor.id), witness());
    expect(await measured.measure()).toEqual(before);
    await tick();
    await deliver(monitor);
    await tick();
    await push(monitor, "ok");
    const up_at = Date.now();
    moveClock(HOUR);
    expect((await eventsOf(monitor.id)).sort()).toEqual([
      ...["monitor.down", "monitor.down"],
      ...["monitor.up", "monitor.up"],
    ]);
    const downtime = seconds(first.down_at, first.up_at) + seconds(down_at, up_at);
    await expectFigures(measured, { downtime, unknown: 0, outages: 2 });
  });

  it("count the next outage of a monitor that was up, once and whole", async () => {
    const measured = await aMeasuredMonitor();
    const { monitor } = measured;
    await tick();
    moveClock(HOUR);
    await loseObjects(stubOf(monitor.id), witness());
    await tick();
    await deliver(monitor);
    moveClock(HOUR);
    const { down_at, up_at } = await outage(measured, 45 * MINUTE);
    await tick();
    expect(await eventsOf(monitor.id)).toEqual(["monitor.down", "monitor.up"]);
    await expectFigures(measured, { downtime: seconds(down_at, up_at), unknown: 0, outages: 1 });
  });
});
