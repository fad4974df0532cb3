import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { aDay, findContradictions, MINUTE, SECOND } from "../support/alert-days.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
const db = openDb(env.DB);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

type Day = Awaited<ReturnType<typeof aDay>>;

const eventsTo = async (day: Day, who: string) =>
  (await day.heard(who)).filter((line) => line.includes("monitor.")).map((line) => line.replace("monitor.", ""));

const alertsOf = async (day: Day) => (await day.readings()).filter(({ what }) => !/maintenance/i.test(what));

/** down, up, down, … every so often. */
async function alternate(day: Day, id: string, { from, step, count }: { from: number; step: number; count: number }) {
  for (let n = 0; n < count; n++) await day.change(id, n % 2 === 0 ? "down" : "up", from + n * step);
}

const BURST = { from: MINUTE, step: 12 * SECOND, count: 7 };
/** What everybody hears of such a burst: it began at 1 min, and flaps with the change at 2.2 min. */
const HEARD = ["1 down", "1.2 up", "1.4 down", "1.6 up", "1.8 down", "2 up", "2.2 down", "2.2 flapping"];

describe("a mute that ends in a maintenance window", () => {
  it("leaves the outage to the window, at whose end it is announced", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.mute(shop, 5 * MINUTE);
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    await day.maintain([shop], 10 * MINUTE);
    await day.passUntil(11 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual([]);
    await day.passUntil(13 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual(["12 down"]);
    expect(await day.heard("subscriber")).toEqual(["12 incident.created: Shop is down"]);
    await day.change(shop, "up", 15 * MINUTE);
    await day.passUntil(16 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual(["12 down", "15 up"]);
  });

  it("after that leaves it to the mute", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.maintain([shop], 5 * MINUTE);
    await day.change(shop, "down", MINUTE);
    await day.mute(shop, 9 * MINUTE);
    await day.passUntil(9 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual([]);
    await day.passUntil(11 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual(["10 down"]);
  });
});

describe("a mute that begins while a monitor flaps", () => {
  it("still announces that it is up at last, and ends its incident", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await alternate(day, shop, BURST);
    await day.change(shop, "up", 2.4 * MINUTE);
    await day.mute(shop, 30 * MINUTE);
    await day.passUntil(40 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual([...HEARD, "8 up"]);
    expect((await day.heard("subscriber")).at(-1)).toBe("8 incident.resolved: Shop is down");
    expect((await day.heard("mail")).at(-1)).toBe("8 Resolved: Shop is up again");
    expect(await day.heard("on call")).toHaveLength(4);
  });

  it("withholds the outage in which it is then, which is announced at its end", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await alternate(day, shop, BURST);
    await day.change(shop, "up", 2.4 * MINUTE);
    await day.change(shop, "down", 2.6 * MINUTE);
    await day.mute(shop, 17.4 * MINUTE);
    await day.passUntil(19 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual(HEARD);
    await day.passUntil(21 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual([...HEARD, "20 down"]);
    await day.change(shop, "up", 25 * MINUTE);
    await day.passUntil(26 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual([...HEARD, "20 down", "25 up"]);
    expect((await day.heard("subscriber")).slice(6)).toEqual([
      "2.2 incident.created: Shop is down",
      "25 incident.resolved: Shop is down",
    ]);
  });

  it("hides what goes on in it, and the end of what was announced is told when it is stable", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await alternate(day, shop, BURST);
    await day.change(shop, "up", 2.4 * MINUTE);
    await day.mute(shop, 10 * MINUTE);
    await day.change(shop, "down", 3 * MINUTE);
    await day.change(shop, "up", 6 * MINUTE);
    await day.passUntil(20 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual([...HEARD, "11 up"]);
    expect((await day.heard("subscriber")).slice(6)).toEqual([
      "2.2 incident.created: Shop is down",
      "11 incident.resolved: Shop is down",
    ]);
  });
});

describe("a mute that ends while a monitor flaps", () => {
  it("announces the outage in which it is, and its end when it is stable", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    // For so long that a recovery was sent meanwhile.
    await alternate(day, shop, { from: MINUTE, step: 30 * SECOND, count: 36 });
    await day.passUntil(20.5 * MINUTE);
    expect((await eventsTo(day, "machine")).at(-1)).toBe("20 up");
    await day.mute(shop, 3 * MINUTE);
    await day.change(shop, "down", 21 * MINUTE);
    await day.passUntil(24.5 * MINUTE);
    await day.change(shop, "up", 25 * MINUTE);
    await day.passUntil(40 * MINUTE);
    expect((await eventsTo(day, "machine")).slice(-3)).toEqual(["20 up", "24 down", "30 up"]);
    expect((await day.heard("mail")).at(-1)).toBe("30 Resolved: Shop is up again");
  });
});

describe("a monitor that goes down and up again and again", () => {
  it("is one incident to subscribers, one page to whoever is on call, and closes what it opened in the pager", async () => {
    const day = await aDay(sink, {
      page: { auto_create_incident: false, alert_routing: { "monitor.down": "critical" } },
    });
    const shop = await day.addMonitor("Shop");
    await alternate(day, shop, { ...BURST, count: 30 });
    await day.passUntil(20 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual([...HEARD, "12 up"]);
    const open = new Set<string>();
    for (const body of day.textsTo("pager")) {
      const { event_action, dedup_key } = JSON.parse(body);
      if (event_action === "trigger") open.add(dedup_key);
      if (event_action === "resolve") open.delete(dedup_key);
    }
    expect([...open]).toEqual([]);
    expect(await day.heard("on call")).toEqual(["1 paged", "1.4 paged", "1.8 paged", "2.2 paged"]);
  });

  it("in a maintenance window is announced at its end as down, without flapping", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.maintain([shop], 10 * MINUTE);
    await alternate(day, shop, { ...BURST, count: 21 });
    await day.passUntil(9.9 * MINUTE);
    expect(await alertsOf(day)).toEqual([]);
    await day.passUntil(12 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual(["10 down"]);
    expect(await day.heard("subscriber")).toEqual(["10 incident.created: Shop is down"]);
  });

  it("before a maintenance window begins, and up in it, is told to be up when it is stable", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await alternate(day, shop, BURST);
    await day.maintain([shop], 30 * MINUTE);
    await day.change(shop, "up", 3 * MINUTE);
    await day.change(shop, "down", 4 * MINUTE);
    await day.change(shop, "up", 5 * MINUTE);
    await day.passUntil(60 * MINUTE);
    expect(await eventsTo(day, "machine")).toEqual([...HEARD, "10 up"]);
    expect((await day.heard("subscriber")).slice(6)).toEqual([
      "2.2 incident.created: Shop is down",
      "10 incident.resolved: Shop is down",
    ]);
  });
});

describe("a mass outage during maintenance", () => {
  it("is one message about those that are still down when the window ends", async () => {
    const day = await aDay(sink, { has_policy: false });
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push(await day.addMonitor(`Shop ${n}`));
    await day.maintain(ids, 10 * MINUTE);
    for (const id of ids) await day.change(id, "down", 2 * MINUTE);
    for (const id of ids.slice(0, 3)) await day.change(id, "up", 5 * MINUTE);
    await day.passUntil(9 * MINUTE);
    expect(await alertsOf(day)).toEqual([]);
    await day.passUntil(12 * MINUTE);
    expect((await day.heard("mail")).filter((line) => line.includes("down"))).toContain(
      "10.1 Alert: 7 monitors are down",
    );
    expect(await eventsTo(day, "machine")).toEqual(Array(7).fill("10 down"));
    for (const id of ids.slice(3)) await day.change(id, "up", 20 * MINUTE);
    await day.passUntil(22 * MINUTE);
    expect((await day.heard("mail")).at(-1)).toMatch(/^20.1 Resolved: 7 monitors are up again$/);
  });
});

describe("what a restore has lost", () => {
  it("is ended for everybody: its alarm was sent before", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    await db.$client.batch(
      ["events", "transitions", "outages"].map((table) =>
        db.$client.prepare(`DELETE FROM ${table} WHERE monitor_id = ?`).bind(shop),
      ),
    );
    await day.change(shop, "up", 5 * MINUTE);
    await day.passUntil(6 * MINUTE);
    expect((await day.heard("mail")).at(-1)).toBe("5 Resolved: Shop is up again");
    expect(day.textsTo("chat").some((text) => text.includes("Shop is up again"))).toBe(true);
  });
});

type Step =
  | { does: "change"; monitor: number; to: "up" | "down" | "degraded" }
  | { does: "burst"; monitor: number; count: number }
  | { does: "mute"; monitor: number; minutes: number }
  | { does: "maintain"; minutes: number }
  | { does: "suppress" }
  | { does: "narrow" };

const anyMonitor = fc.nat({ max: 1 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("change" as const),
      monitor: anyMonitor,
      to: fc.constantFrom("up", "down", "degraded"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("burst" as const),
      monitor: anyMonitor,
      count: fc.integer({ min: 5, max: 14 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant("mute" as const), monitor: anyMonitor, minutes: fc.nat({ max: 12 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("maintain" as const), minutes: fc.integer({ min: 2, max: 12 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("suppress" as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("narrow" as const) }) },
);
const anyHistory = fc.array(fc.tuple(fc.integer({ min: 5, max: 240 }), anyStep), { minLength: 12, maxLength: 22 });

/** Lives a history and gives what no receiver may meet. */
async function live(history: readonly (readonly [number, Step])[]): Promise<string[]> {
  const day = await aDay(sink, { page: { notify_team: { degraded: true } } });
  let isNarrowed = false;
  const names = ["Shop", "Search"];
  const ids: string[] = [];
  for (const name of names) ids.push(await day.addMonitor(name));
  await day.addRule({
    event_name: "deploy.started",
    actions: [{ type: "suppress_alerts_for", duration_seconds: 240 }],
  });
  const statuses = new Map(ids.map((id) => [id, "up"]));
  const turn = async (id: string, to: "up" | "down" | "degraded") => {
    const before = statuses.get(id);
    // The state machine reaches degraded from up alone.
    if (before === to || (to === "degraded" && before !== "up")) return;
    statuses.set(id, to);
    await day.change(id, to, at);
  };
  let at = 0;
  for (const [seconds, step] of history) {
    at += seconds * SECOND;
    await day.passUntil(at);
    if (step.does === "change") await turn(ids[step.monitor] ?? "", step.to);
    else if (step.does === "mute") await day.mute(ids[step.monitor] ?? "", step.minutes * MINUTE);
    else if (step.does === "maintain") await day.maintain(ids, step.minutes * MINUTE);
    else if (step.does === "suppress") await day.emit("deploy.started");
    else if (step.does === "narrow") {
      if (!isNarrowed) await day.addRule({ event_name: "monitor.down", classification: "team_only" });
      isNarrowed = true;
    } else {
      for (let n = 0; n < step.count; n++) {
        at += 15 * SECOND;
        await turn(ids[step.monitor] ?? "", statuses.get(ids[step.monitor] ?? "") === "down" ? "up" : "down");
      }
    }
  }
  await day.passUntil(at + 40 * MINUTE);
  const down = names.filter((_, n) => statuses.get(ids[n] ?? "") === "down");
  const degraded = names.filter((_, n) => statuses.get(ids[n] ?? "") === "degraded");
  const found = findContradictions(await day.readings(), {
    names: new Map(ids.map((id, n) => [id, names[n] ?? ""])),
    down,
  });
  return found.filter((line) => {
    const isOfOutsider = /^(?:machine|chat|pager), /.test(line);
    if (isNarrowed && isOfOutsider && line.endsWith("reads that it is up")) return false;
    return !degraded.some((name) => line.endsWith(`${name}: never read of the end`));
  });
}

describe("random histories of mutes, windows, suppressions, flapping and narrowed audiences", () => {
  it("give nobody an all-clear without an alarm, and leave nobody with an alarm that is over", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        expect(await live(history)).toEqual([]);
      }),
      { numRuns: 4 * inject("effort"), endOnFailure: true },
    );
  }, 900_000);
});
