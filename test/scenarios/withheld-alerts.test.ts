import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitorDependencies } from "../../src/data/dependencies/table.ts";
import { aDay, findContradictions, MINUTE, SECOND } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
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

  it("hides what goes on in it, and the end of what was announced is announced when it is stable", async () => {
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
  it("is one incident to subscribers, one page to the person on call, and closes what it opened in the pager", async () => {
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

  it("before a maintenance window begins, and up in it, is announced as up when it is stable", async () => {
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

describe("a monitor that is down when its flapping is over", () => {
  it("ends in the pager the alert that its outage opened there", async () => {
    const day = await aDay(sink, { page: { auto_create_incident: false } });
    const shop = await day.addMonitor("Shop");
    await alternate(day, shop, { ...BURST, count: 11 });
    await day.passUntil(9 * MINUTE);
    await day.change(shop, "up", 10 * MINUTE);
    await day.passUntil(11 * MINUTE);
    const alerts = new Map<string, string>();
    for (const body of day.textsTo("pager")) {
      const { event_action, dedup_key } = JSON.parse(body);
      alerts.set(dedup_key, event_action);
    }
    expect(new Set(alerts.values())).toEqual(new Set(["resolve"]));
  });
});

/** So few deliveries a minute that most of them wait. */
const limited = (deliveries: number) => {
  return { plan: "business", settings: { RATE_LIMITS: `all=off,flapping=6,deliveries=${deliveries}` } } as const;
};

describe("deliveries above their limit", () => {
  it("of an outage that ended before its alarm was sent are none, for chat and pager", async () => {
    const day = await aDay(sink, { ...limited(2), page: { auto_create_incident: false } });
    const shop = await day.addMonitor("Shop");
    const search = await day.addMonitor("Search");
    await day.change(search, "down", SECOND);
    await day.change(shop, "down", 10 * SECOND);
    await day.change(shop, "up", 20 * SECOND);
    await day.passUntil(30 * MINUTE);
    const ofShop = (await day.readings()).filter(({ monitor_id }) => monitor_id === shop);
    expect(ofShop.map(({ who, what }) => `${who} ${what}`).toSorted()).toEqual([
      "machine monitor.down",
      "machine monitor.up",
    ]);
  });

  it("end in a chat what it received about flapping, and not what waited until it was over", async () => {
    const day = await aDay(sink, { ...limited(2), page: { auto_create_incident: false } });
    const shop = await day.addMonitor("Shop");
    await alternate(day, shop, { ...BURST, count: 12 });
    await day.passUntil(60 * MINUTE);
    const [names] = [(await eventsTo(day, "chat")).map((line) => line.split(" ")[1] ?? "")];
    expect(names.length).toBeGreaterThan(0);
    expect(names.at(-1)).toBe("up");
    for (const [n, name] of names.entries()) if (name === "up") expect(names[n - 1]).toMatch(/down|flapping/);
  });

  it("about an incident of people that is over are none, unless an update was read", async () => {
    const day = await aDay(sink, limited(1));
    const { client } = day.account;
    const incident = { status_page_id: day.status_page_id, title: "Slow search", is_public: true };
    const { body } = await client.post(`${V1}/incidents`, incident);
    await client.put(`${V1}/incidents/${body.id}`, { status: "resolved" });
    await day.passUntil(60 * MINUTE);
    expect((await day.heard("chat")).filter((line) => line.includes("resolved"))).toEqual([]);
  });

  it("end an incident of people for those who read an update of it", async () => {
    const day = await aDay(sink);
    const refused = Array.from({ length: 3 }, () => 503);
    sink.answer(day.urlOf("chat"), ...refused);
    const { client } = day.account;
    const incident = { status_page_id: day.status_page_id, title: "Slow search", is_public: true };
    const { body } = await client.post(`${V1}/incidents`, incident);
    await day.passUntil(1.5 * MINUTE);
    await client.post(`${V1}/incidents/${body.id}/updates`, { status: "identified", message: "A full disk." });
    await day.passUntil(1.9 * MINUTE);
    await client.put(`${V1}/incidents/${body.id}`, { status: "resolved" });
    await day.passUntil(60 * MINUTE);
    const read = (await day.heard("chat")).map((line) => line.split(" ")[1]);
    expect(read).toEqual(["incident.updated", "incident.resolved"]);
  });
});

describe("a chat that is out of reach while many services fail", () => {
  it("reads of those that are still down, and later of the end of these alone", async () => {
    const day = await aDay(sink, { has_policy: false, page: { auto_create_incident: false } });
    const isBack = () => Date.now() > day.start + 100 * SECOND;
    const answer = () => new Response("", { status: isBack() ? 200 : 503 });
    sink.answer(day.urlOf("chat"), ...Array.from({ length: 20 }, () => answer));
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await day.addMonitor(`Shop ${n}`));
    for (const id of ids) await day.change(id, "down", 10 * SECOND);
    for (const id of ids.slice(0, 2)) await day.change(id, "up", 70 * SECOND);
    await day.passUntil(100 * SECOND);
    const refused = day.textsTo("chat").length;
    expect(refused).toBeGreaterThan(1);
    await day.passUntil(30 * MINUTE);
    const [alarm = "", ...more] = day.textsTo("chat").slice(refused);
    expect(more).toEqual([]);
    expect(alarm).toContain("4 monitors are down");
    for (const n of [0, 1]) expect(alarm).not.toContain(`Shop ${n}`);
    for (const n of [2, 3, 4, 5]) expect(alarm).toContain(`Shop ${n}`);
    for (const id of ids.slice(2)) await day.change(id, "up", 40 * MINUTE);
    await day.passUntil(60 * MINUTE);
    const ends = day.textsTo("chat").slice(refused + 1);
    expect(ends.map((text) => /Shop \d is up again/.exec(text)?.[0]).toSorted()).toEqual(
      [2, 3, 4, 5].map((n) => `Shop ${n} is up again`),
    );
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

describe("a monitor that is still down when its maintenance window is over", () => {
  it.each([
    ["by its schedule", null, 10],
    ["because somebody ends it", 6, 6],
  ] as const)("is said to be down after the window is said to be over, %s", async (_name, endedAt, at) => {
    const day = await aDay(sink);
    await day.join("Ben");
    const shop = await day.addMonitor("Shop");
    const window = await day.maintain([shop], 10 * MINUTE);
    await day.change(shop, "down", 3 * MINUTE);
    if (endedAt !== null) {
      await day.passUntil(endedAt * MINUTE);
      const body = { status: "completed", message: "Done." };
      expect((await day.account.client.post(`${V1}/maintenance/${window}/updates`, body)).status).toBe(201);
      await day.settleEvents();
    }
    await day.passUntil(12 * MINUTE);
    const last = async (who: string) => (await day.heard(who)).slice(-2);
    expect(await last("Ben's mail")).toEqual([`${at} Maintenance completed: Disks`, `${at} Alert: Shop is down`]);
    expect(await last("Ben's dashboard")).toEqual([`${at} Maintenance completed: Disks`, `${at} Shop is down`]);
    const called = (await day.mails()).find(({ text }) => text.includes("You are on call"));
    const until = `Withheld until: 5 Jan 2026, 09:${String(at).padStart(2, "0")} UTC`;
    expect(called?.text).toContain(until);
    expect((await day.mailsOf("Ben")).at(-1)?.text).toContain(until);
  });
});

describe("a member of the team", () => {
  it("who joins or turns alerts on after an outage began reads nothing of its end", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.join("Ben");
    await day.choose("Ben", { notify_team: { down: false, up: false, incident: false } });
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    await day.choose("Ben", { notify_team: { down: true, up: true } });
    await day.join("Ida");
    await day.change(shop, "up", 5 * MINUTE);
    await day.passUntil(6 * MINUTE);
    expect(await day.heard("mail")).toEqual(["1 Alert: Shop is down", "5 Resolved: Shop is up again"]);
    for (const who of ["Ben", "Ida"]) {
      expect([...(await day.heard(`${who}'s mail`)), ...(await day.heard(`${who}'s dashboard`))]).toEqual([]);
    }
    await day.change(shop, "down", 10 * MINUTE);
    await day.change(shop, "up", 12 * MINUTE);
    await day.passUntil(13 * MINUTE);
    for (const who of ["Ben", "Ida"]) {
      expect(await day.heard(`${who}'s mail`)).toEqual(["10 Alert: Shop is down", "12 Resolved: Shop is up again"]);
    }
  });

  it("reads that a slow service is up again only where slowness is announced", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "degraded", MINUTE);
    await day.change(shop, "up", 2 * MINUTE);
    await day.passUntil(3 * MINUTE);
    expect([...(await day.heard("mail")), ...(await day.heard("dashboard"))]).toEqual([]);
    expect(await eventsTo(day, "chat")).toEqual(["1 degraded", "2 up"]);
    await day.change(shop, "degraded", 5 * MINUTE);
    await day.change(shop, "down", 6 * MINUTE);
    await day.change(shop, "up", 7 * MINUTE);
    await day.passUntil(8 * MINUTE);
    expect(await day.heard("mail")).toEqual(["6 Alert: Shop is down", "7 Resolved: Shop is up again"]);
  });

  it("reads of the end of what an escalation notified them of", async () => {
    const day = await aDay(sink, { page: { alert_routing: { "monitor.degraded": "critical" } } });
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "degraded", MINUTE);
    await day.change(shop, "up", 2 * MINUTE);
    await day.passUntil(3 * MINUTE);
    expect(await day.heard("mail")).toEqual(["1 Alert: Shop is degraded", "2 Resolved: Shop is up again"]);
  });
});

type Step =
  | { does: "change"; monitor: number; to: "up" | "down" | "degraded" }
  | { does: "burst"; monitor: number; count: number }
  | { does: "mute"; monitor: number; minutes: number }
  | { does: "maintain"; minutes: number }
  | { does: "suppress" }
  | { does: "narrow" }
  | { does: "join" }
  | { does: "restore"; monitor: number };

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
  { weight: 1, arbitrary: fc.record({ does: fc.constant("join" as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("restore" as const), monitor: anyMonitor }) },
);
const anyHistory = fc.record({
  steps: fc.array(fc.tuple(fc.integer({ min: 5, max: 240 }), anyStep), { minLength: 12, maxLength: 22 }),
  /** Of the owner, in a minute; null: none. */
  deliveries_max: fc.constantFrom(null, 2, 5),
  /** The second monitor depends on the first. */
  is_dependent: fc.boolean(),
  /** Of what the page notifies its team. */
  notify_team: fc.record({ degraded: fc.boolean(), incident: fc.boolean() }),
});
type History = typeof anyHistory extends fc.Arbitrary<infer Value> ? Value : never;

/** What the restored database has lost of a monitor; its object and its receivers have not. */
const LOST = [
  `events WHERE monitor_id = ?
    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id AND state = 'pending')`,
  "transitions WHERE monitor_id = ?",
  "outages WHERE monitor_id = ?",
];

/** Lives a history and gives what no receiver may meet. */
async function live({ steps, deliveries_max, is_dependent, notify_team }: History): Promise<string[]> {
  const limits = deliveries_max === null ? "" : `,deliveries=${deliveries_max}`;
  const day = await aDay(sink, {
    page: { notify_team },
    plan: "business",
    settings: { RATE_LIMITS: `all=off,flapping=6${limits}` },
  });
  /** Read before a restore. */
  const earlier: Awaited<ReturnType<typeof day.readings>> = [];
  let isNarrowed = false;
  let joined = 0;
  const restored = new Set<string>();
  const names = ["Shop", "Search"];
  const ids: string[] = [];
  for (const name of names) ids.push(await day.addMonitor(name));
  const [parent_id = "", monitor_id = ""] = ids;
  if (is_dependent) await db.insert(monitorDependencies).values({ monitor_id, parent_id });
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
  for (const [seconds, step] of steps) {
    at += seconds * SECOND;
    await day.passUntil(at);
    if (step.does === "change") await turn(ids[step.monitor] ?? "", step.to);
    else if (step.does === "mute") await day.mute(ids[step.monitor] ?? "", step.minutes * MINUTE);
    else if (step.does === "maintain") await day.maintain(ids, step.minutes * MINUTE);
    else if (step.does === "suppress") await day.emit("deploy.started");
    else if (step.does === "join") await day.join(`Person ${joined++}`);
    else if (step.does === "narrow") {
      if (!isNarrowed) await day.addRule({ event_name: "monitor.down", classification: "team_only" });
      isNarrowed = true;
    } else if (step.does === "restore") {
      // A backup that is restored has all that waits: what is lost had been sent.
      at += 16 * MINUTE;
      await day.passUntil(at);
      earlier.push(...(await day.readings()));
      const lose = (condition: string) => db.$client.prepare(`DELETE FROM ${condition}`).bind(ids[step.monitor]);
      await db.$client.batch(LOST.map(lose));
      restored.add(names[step.monitor] ?? "");
    } else {
      for (let n = 0; n < step.count; n++) {
        at += 15 * SECOND;
        await turn(ids[step.monitor] ?? "", statuses.get(ids[step.monitor] ?? "") === "down" ? "up" : "down");
      }
    }
  }
  await day.passUntil(at + 40 * MINUTE);
  const isDown = (id: string | undefined) => statuses.get(id ?? "") === "down";
  // Whether people know of an outage that may be held depends on which of both was first.
  const isHeld = (name: string) => is_dependent && name === names[1] && isDown(parent_id);
  const down = names.filter((_, n) => isDown(ids[n]));
  const degraded = names.filter((_, n) => statuses.get(ids[n] ?? "") === "degraded");
  const read = new Map([...earlier, ...(await day.readings())].map((each) => [JSON.stringify(each), each]));
  const isSorted = ({ who }: { who: string }) => who === "machine";
  const placeOf = (each: (typeof earlier)[number]) => (isSorted(each) ? (each.sequence ?? each.at) : each.at);
  const of = { names: new Map(ids.map((id, n) => [id, names[n] ?? ""])), down };
  const people = [...read.values()].filter(({ who }) => who !== "pager");
  const found = [
    ...findContradictions(
      people.toSorted((one, other) => placeOf(one) - placeOf(other)),
      of,
    ),
    ...findPagerFaults(day.textsTo("pager"), { names: of.names, down, degraded, isNarrowed, restored }),
  ];
  return found.filter((line) => {
    const isOfOutsider = /^(?:machine|chat|pager), /.test(line);
    if (isNarrowed && isOfOutsider && line.endsWith("reads that it is up")) return false;
    if (names.some((name) => isHeld(name) && line.includes(name) && /reads that it is up|is not open$/.test(line))) {
      return false;
    }
    return !degraded.some((name) => line.endsWith(`${name}: never read of the end`));
  });
}

interface PagerTruth {
  names: ReadonlyMap<string, string>;
  down: readonly string[];
  degraded: readonly string[];
  /** It gets no message about some outages. */
  isNarrowed: boolean;
  /** Which alert an outage went on with while it flapped is lost with the database. */
  restored: ReadonlySet<string>;
}

/** A pager knows the alert of each outage by its key, regardless of the order of the messages. */
function findPagerFaults(
  bodies: readonly string[],
  { names, down, degraded, isNarrowed, restored }: PagerTruth,
): string[] {
  const alerts = new Map<string, boolean>();
  const faults: string[] = [];
  const nameOf = (key: string) => names.get(key.split("/")[0] ?? "") ?? key;
  for (const body of bodies) {
    const { event_action, dedup_key: key } = JSON.parse(body);
    // With the end of an outage that of the slowness before it is sent: either of them was opened.
    const [slowness = "", isOfOutage] = key.split("/");
    const isUnopened = !alerts.has(key) && alerts.get(slowness) !== true;
    if (event_action === "resolve" && isOfOutage && isUnopened) faults.push(`pager: ${nameOf(key)} ends unopened`);
    if (event_action !== "acknowledge") alerts.set(key, event_action === "trigger");
  }
  const openNames = [...alerts].flatMap(([key, isOpen]) => (isOpen ? [nameOf(key)] : []));
  const isMonitor = (name: string) => [...names.values()].includes(name);
  for (const name of openNames.filter(isMonitor))
    if (![...down, ...degraded].includes(name)) faults.push(`pager: ${name} never ends`);
  for (const name of new Set(openNames)) {
    if (openNames.filter((each) => each === name).length > 1) faults.push(`pager: ${name} is open twice`);
  }
  if (!isNarrowed) for (const name of down) if (!openNames.includes(name)) faults.push(`pager: ${name} is not open`);
  return faults.filter((fault) => ![...restored].some((name) => fault.includes(`: ${name} `)));
}

describe("random histories of mutes, windows, suppressions, dependencies, flapping, limits, narrowed audiences and restores", () => {
  it("give nobody an all-clear without an alarm, and leave nobody with an alarm that is over", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        expect(await live(history)).toEqual([]);
      }),
      { numRuns: 4 * inject("effort"), endOnFailure: true },
    );
  }, 900_000);
});
