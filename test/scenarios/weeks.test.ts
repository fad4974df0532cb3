import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { enrollAgent } from "../support/agents.ts";
import { aDay, type Day, MINUTE, transcriptOf } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { createSchedule, setPolicy } from "../support/on-call.ts";
import { useSink } from "../support/sink.ts";

/**
 * Nights and days as they happen, written as everybody reads of them: each line is a message, with the time on the
 * wall.
 */

const sink = useSink();
const BERLIN = "Europe/Berlin";
const HOUR = 60 * MINUTE;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const transcript = (day: Day, who: string) => transcriptOf(day, who, BERLIN);

describe("the night in which clocks go back", () => {
  it("sends each receiver one story: an outage through the change, a mute that ends in another, and a flapping service", async () => {
    const day = await aDay(sink, { start: Date.parse("2026-10-24T23:30:00Z"), page: { timezone: BERLIN } });
    const [shop, search, api] = [
      await day.addMonitor("Shop"),
      await day.addMonitor("Search"),
      await day.addMonitor("API"),
    ];
    await day.mute(search, 90 * MINUTE);
    await day.change(shop, "down", HOUR);
    await day.change(search, "down", HOUR + 10 * MINUTE);
    await day.change(shop, "up", HOUR + 45 * MINUTE);
    await day.change(search, "up", 2 * HOUR);
    for (let n = 0; n < 10; n++) await day.change(api, n % 2 === 0 ? "down" : "up", 3 * HOUR + n * 30_000);
    await day.passUntil(4 * HOUR);
    const before = ["Sun, 02:30 CEST", "Sun, 02:00 CET", "Sun, 02:15 CET", "Sun, 02:30 CET"];
    const later = (lines: readonly string[]) => lines.slice(before.length);
    const chat = await transcript(day, "chat");
    expect(chat.slice(0, before.length)).toEqual([
      `${before[0]} monitor.down`,
      `${before[1]} monitor.down`,
      `${before[2]} monitor.up`,
      `${before[3]} monitor.up`,
    ]);
    expect(later(chat).slice(-3)).toEqual([
      "Sun, 03:33 CET monitor.down",
      "Sun, 03:33 CET monitor.flapping",
      "Sun, 03:40 CET monitor.up",
    ]);
    const subscriber = await transcript(day, "subscriber");
    expect(subscriber.slice(0, before.length)).toEqual([
      `${before[0]} incident.created: Shop is down`,
      `${before[1]} incident.created: Search is down`,
      `${before[2]} incident.resolved: Shop is down`,
      `${before[3]} incident.resolved: Search is down`,
    ]);
    expect(later(subscriber).slice(-2)).toEqual([
      "Sun, 03:33 CET incident.created: API is down",
      "Sun, 03:40 CET incident.resolved: API is down",
    ]);
    const mail = await transcript(day, "mail");
    expect(mail.slice(0, before.length)).toEqual([
      `${before[0]} Alert: Shop is down`,
      `${before[1]} Alert: Search is down`,
      `${before[2]} Resolved: Shop is up again`,
      `${before[3]} Resolved: Search is up again`,
    ]);
    expect(later(mail).slice(-3)).toEqual([
      "Sun, 03:33 CET Alert: API is down",
      "Sun, 03:33 CET Warning: API is flapping",
      "Sun, 03:40 CET Resolved: API is up again",
    ]);
    expect((await transcript(day, "on call")).slice(0, 2)).toEqual(["Sun, 02:30 CEST paged", "Sun, 02:00 CET paged"]);
    const [, , shopIsBack, searchIsBack] = day.textsTo("chat");
    expect(shopIsBack).toContain("Down: 25 Oct 2026, 02:30 CEST to 02:15 CET · Lasted: 45 minutes");
    expect(searchIsBack).toContain("Down: 25 Oct 2026, 02:40 CEST to 02:30 CET · Lasted: 50 minutes");
  });
});

describe("the morning in which clocks go forward", () => {
  it("counts an outage by the time that passed, and six failures beside a maintenance are one message", async () => {
    const day = await aDay(sink, { start: Date.parse("2026-03-29T00:00:00Z"), page: { timezone: BERLIN } });
    const shop = await day.addMonitor("Shop");
    const many = [];
    for (let n = 1; n <= 6; n++) many.push(await day.addMonitor(`Store ${n}`));
    const disks = await day.addMonitor("Disks");
    await day.change(shop, "down", 30 * MINUTE);
    await day.change(shop, "up", 90 * MINUTE);
    await day.maintain([disks], HOUR);
    await day.change(disks, "down", 2 * HOUR);
    for (const [n, id] of many.entries()) await day.change(id, "down", 2 * HOUR + 5 * MINUTE + n * 100);
    await day.passUntil(2 * HOUR + 10 * MINUTE);
    for (const [n, id] of many.entries()) await day.change(id, "up", 2 * HOUR + 12 * MINUTE + n * 100);
    await day.change(disks, "up", 2 * HOUR + 20 * MINUTE);
    await day.passUntil(4 * HOUR);
    expect(await transcript(day, "chat")).toEqual([
      "Sun, 01:30 CET monitor.down",
      "Sun, 03:30 CEST monitor.up",
      "Sun, 04:05 CEST monitor.down",
      "Sun, 04:12 CEST monitor.up",
    ]);
    const [, shopIsBack, down, up] = day.textsTo("chat");
    expect(shopIsBack).toContain("Down: 29 Mar 2026, 01:30 CET to 03:30 CEST · Lasted: 1 hour");
    expect(down).toContain("6 monitors are down");
    expect(up).toContain("6 monitors are up again");
    expect(`${down}${up}`).not.toContain("Disks");
    expect(await transcript(day, "on call")).toEqual(["Sun, 01:30 CET paged", "Sun, 04:05 CEST paged"]);
    expect(await transcript(day, "mail")).toEqual([
      "Sun, 01:30 CET Alert: Shop is down",
      "Sun, 03:30 CEST Resolved: Shop is up again",
      "Sun, 03:31 CEST Maintenance started: Disks",
      "Sun, 04:05 CEST Alert: 6 alerts at once: Store 1 is down and 5 more",
      "Sun, 04:12 CEST Resolved: 6 monitors are up again",
      "Sun, 04:30 CEST Maintenance completed: Disks",
    ]);
    expect((await transcript(day, "subscriber")).length).toBe(4);
  });
});

describe("a night in which somebody leaves the team in the middle of a turn", () => {
  const NOBODY: readonly string[] = [];

  it("goes on with the next person, notifies the owner of the hole once, and sends nothing more to the one who left", async () => {
    const day = await aDay(sink, {
      start: Date.parse("2026-01-12T23:00:00Z"),
      page: { timezone: BERLIN },
      has_policy: false,
    });
    const shop = await day.addMonitor("Shop", { status: "up", status_since: day.start });
    const ben = await day.join("Ben");
    await day.join("Cleo", { mail: false });
    await day.join("Dan", { notify_team: { down: false, up: false, incident: false } });
    const { account, status_page_id: page } = day;
    const at = (hours: number) => new Date(day.start + hours * HOUR).toISOString();
    const nights = await createSchedule(
      { account, page },
      {
        name: "Nights",
        timezone: BERLIN,
        shifts: [
          { user_id: ben, start_at: at(-1), end_at: at(7) },
          { user_id: account.user_id, start_at: at(7), end_at: at(200) },
        ],
      },
    );
    await setPolicy({ account, page }, [
      { level: 1, wait_minutes: 60, contacts: [{ type: "schedule", value: nights.id, label: "Nights" }] },
      { level: 2, wait_minutes: 60, contacts: [{ type: "user", value: account.user_id, label: "Ada" }] },
    ]);
    expect(await day.seen()).toEqual(["All systems operational"]);
    await day.change(shop, "down", 30 * MINUTE);
    await day.passUntil(40 * MINUTE);
    expect(await day.seen()).toEqual(["Major outage", "Shop is down", "Shop is down: investigating"]);
    await day.passUntil(50 * MINUTE);
    const left = await day.leave("Ben");
    expect
      .soft(left.notices?.map(({ message }) => message))
      .toEqual(["nobody is on call by Nights from now until 13 Jan 2026, 07:00 CET"]);
    await day.passUntil(100 * MINUTE);
    await day.change(shop, "up", 105 * MINUTE);
    await day.passUntil(3 * HOUR);
    expect(await day.seen()).toEqual(["All systems operational"]);

    const read = {
      chat: await transcript(day, "chat"),
      pager: await transcript(day, "pager"),
      subscriber: await transcript(day, "subscriber"),
      "Ada's mail": await transcript(day, "mail"),
      "Ada's dashboard": await transcript(day, "dashboard"),
      "on call": await transcript(day, "on call"),
      "Ben's mail": await transcript(day, "Ben's mail"),
      "Ben's dashboard": await transcript(day, "Ben's dashboard"),
      "Cleo's mail": await transcript(day, "Cleo's mail"),
      "Cleo's dashboard": await transcript(day, "Cleo's dashboard"),
      "Dan's mail": await transcript(day, "Dan's mail"),
      "Dan's dashboard": await transcript(day, "Dan's dashboard"),
    };
    const raised = day.textsTo("pager").map((body) => JSON.parse(body));
    const keys = raised.filter(({ event_action }) => event_action === "trigger").map(({ dedup_key }) => dedup_key);
    expect(keys).toEqual([`${shop}/1`, `${shop}/1`]);
    expect(read).toEqual({
      chat: ["Tue, 00:30 CET monitor.down", "Tue, 01:45 CET monitor.up"],
      // Both names are of one alert there.
      pager: [
        "Tue, 00:30 CET monitor.down",
        "Tue, 00:30 CET incident.created",
        "Tue, 01:45 CET monitor.up",
        "Tue, 01:45 CET incident.resolved",
      ],
      subscriber: ["Tue, 00:30 CET incident.created: Shop is down", "Tue, 01:45 CET incident.resolved: Shop is down"],
      "Ada's mail": [
        "Tue, 00:10 CET Notice: Your on-call shift begins soon: Nights",
        "Tue, 00:30 CET Alert: Shop is down",
        "Tue, 00:51 CET Warning: Nobody on call: Nights",
        "Tue, 01:30 CET Nobody answered, now step 2: Shop is down",
        "Tue, 01:45 CET Resolved: Shop is up again",
      ],
      "Ada's dashboard": [
        "Tue, 00:10 CET Your on-call shift begins soon: Nights",
        "Tue, 00:30 CET Shop is down",
        "Tue, 00:51 CET Nobody on call: Nights",
        "Tue, 01:30 CET Nobody answered, now step 2: Shop is down",
        "Tue, 01:45 CET Shop is up again",
      ],
      // Ben, and then Ada.
      "on call": ["Tue, 00:30 CET paged", "Tue, 01:30 CET paged"],
      "Ben's mail": ["Tue, 00:30 CET Alert: Shop is down"],
      "Ben's dashboard": ["Tue, 00:30 CET Shop is down"],
      "Cleo's mail": NOBODY,
      "Cleo's dashboard": ["Tue, 00:30 CET Shop is down", "Tue, 01:45 CET Shop is up again"],
      "Dan's mail": NOBODY,
      "Dan's dashboard": NOBODY,
    });
  });
});

describe("an agent that is cut off for an hour, with monitors that it alone checks", () => {
  it("is one warning and one all-clear about the agent: nobody is notified that a service is down", async () => {
    const day = await aDay(sink, { start: Date.parse("2026-01-12T23:00:00Z"), page: { timezone: BERLIN } });
    const { account, status_page_id } = day;
    const agent = await enrollAgent(account, { hostname: "rack-4" }, `?status_page_id=${status_page_id}`);
    const disks = await day.addMonitor("Disks", { agent_id: agent.id, check_group_id: "" });
    const backups = await day.addMonitor("Backups", { agent_id: agent.id, check_group_id: "" });
    const report = async () => {
      const checked_at = new Date(Date.now()).toISOString();
      const results = [disks, backups].map((monitor_id) => ({ monitor_id, status: "up", latency_ms: 5, checked_at }));
      const answer = await agent.client.post(`${V1}/agents/results`, { results });
      expect(answer).toMatchObject({ status: 200, body: { accepted: 2 } });
    };
    await report();
    await day.passUntil(MINUTE);
    await report();
    expect(await day.seen()).toEqual(["All systems operational"]);
    await day.passUntil(30 * MINUTE);
    expect(await day.seen()).toEqual(["No data", "Disks is unknown", "Backups is unknown"]);
    await day.passUntil(61 * MINUTE);
    for (const minute of [61, 62, 63, 64]) {
      await day.passUntil(minute * MINUTE);
      await report();
    }
    await day.passUntil(65 * MINUTE);
    expect(await day.seen()).toEqual(["All systems operational"]);
    expect(await transcript(day, "chat")).toEqual(["Tue, 00:03 CET agent.offline", "Tue, 01:02 CET agent.online"]);
    expect
      .soft(await transcript(day, "mail"))
      .toEqual(["Tue, 00:03 CET Alert: Agent rack-4 is offline", "Tue, 01:02 CET Resolved: Agent rack-4 is online"]);
    expect
      .soft(await transcript(day, "dashboard"))
      .toEqual(["Tue, 00:03 CET Agent rack-4 is offline", "Tue, 01:02 CET Agent rack-4 is online"]);
    expect(await transcript(day, "subscriber")).toEqual([]);
    expect(await transcript(day, "on call")).toEqual([]);
    const [offline] = day.textsTo("chat");
    expect(offline).toContain("Silent for: 2 minutes");
  });
});

describe("a night of flapping, with two people on call", () => {
  it("is four alarms before it is known to flap, one incident after that, and each person's own story", async () => {
    const day = await aDay(sink, {
      start: Date.parse("2026-01-12T23:00:00Z"),
      page: { timezone: BERLIN },
      has_policy: false,
    });
    const api = await day.addMonitor("API");
    const [ben, cleo] = [await day.join("Ben"), await day.join("Cleo")];
    await setPolicy({ account: day.account, page: day.status_page_id }, [
      { level: 1, wait_minutes: 0, contacts: [{ type: "user", value: ben, label: "Ben" }] },
      { level: 2, wait_minutes: 10, contacts: [{ type: "user", value: cleo, label: "Cleo" }] },
    ]);
    for (let n = 0; n < 11; n++) await day.change(api, n % 2 === 0 ? "down" : "up", 30 * MINUTE + n * 40_000);
    await day.passUntil(40 * MINUTE);
    expect(await day.seen()).toEqual(["Major outage", "API is down", "API is down: investigating"]);
    await day.change(api, "up", 50 * MINUTE);
    await day.passUntil(70 * MINUTE);
    expect(await day.seen()).toEqual(["All systems operational"]);

    expect(await transcript(day, "subscriber")).toEqual([
      "Tue, 00:30 CET incident.created: API is down",
      "Tue, 00:30 CET incident.resolved: API is down",
      "Tue, 00:31 CET incident.created: API is down",
      "Tue, 00:32 CET incident.resolved: API is down",
      "Tue, 00:32 CET incident.created: API is down",
      "Tue, 00:33 CET incident.resolved: API is down",
      "Tue, 00:34 CET incident.created: API is down",
      "Tue, 00:50 CET incident.resolved: API is down",
    ]);
    const known = (await transcript(day, "chat")).slice(6);
    expect(known).toEqual([
      "Tue, 00:34 CET monitor.down",
      "Tue, 00:34 CET monitor.flapping",
      // Unbroken for a minute by now.
      "Tue, 00:37 CET monitor.down",
      "Tue, 00:50 CET monitor.up",
    ]);
    // Who is on call hears of the incident once, and of its end.
    expect((await transcript(day, "Ben's mail")).slice(6)).toEqual([
      "Tue, 00:34 CET Alert: API is down",
      "Tue, 00:34 CET Warning: API is flapping",
      "Tue, 00:50 CET Resolved: API is up again",
    ]);
    expect((await transcript(day, "Cleo's mail")).slice(6)).toEqual([
      "Tue, 00:34 CET Alert: API is down",
      "Tue, 00:34 CET Warning: API is flapping",
      "Tue, 00:37 CET Alert: API is down",
      // Knows of it as one of the team, and is asked for now.
      "Tue, 00:44 CET Nobody answered, now step 2: API is down",
      "Tue, 00:50 CET Resolved: API is up again",
    ]);
    const asked = (await day.mailsOf("Cleo")).filter(({ text }) => text.includes("You are on call"));
    expect(asked.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Nobody answered, now step 2: API is down\n[\s\S]*Acknowledge the incident to stop/),
    ]);
    expect(await transcript(day, "on call")).toHaveLength(5);
  });
});

describe("six services that fail while one of them is in maintenance", () => {
  it("is one alarm about the five, one about the sixth when its window ends, and an end of each that was read of", async () => {
    const day = await aDay(sink, { start: Date.parse("2026-01-12T23:00:00Z"), page: { timezone: BERLIN } });
    const names = ["Cart", "Checkout", "Images", "Login", "Search", "Stock"];
    const ids: string[] = [];
    for (const name of names) ids.push(await day.addMonitor(name));
    const [cart = "", checkout = "", ...others] = ids;
    await day.join("Ben");
    await day.passUntil(2 * MINUTE);
    await day.maintain([cart], 30 * MINUTE);
    await day.change(cart, "down", 5 * MINUTE);
    await day.passUntil(10 * MINUTE);
    for (const [n, id] of ids.slice(1).entries()) await day.change(id, "down", 12 * MINUTE + n * 300);
    await day.passUntil(20 * MINUTE);
    for (const [n, id] of others.entries()) await day.change(id, "up", 25 * MINUTE + n * 300);
    await day.passUntil(36 * MINUTE);
    expect((await day.seen()).slice(-2)).toEqual(["1 service is down: investigating", "Cart is down: investigating"]);
    await day.change(cart, "up", 40 * MINUTE);
    await day.change(checkout, "up", 45 * MINUTE);
    await day.passUntil(60 * MINUTE);
    expect(await day.seen()).toEqual(["All systems operational"]);

    expect(await transcript(day, "mail")).toEqual([
      "Tue, 00:03 CET Maintenance started: Disks",
      "Tue, 00:12 CET Alert: 5 alerts at once: Checkout is down and 4 more",
      "Tue, 00:25 CET Resolved: 4 monitors are up again",
      "Tue, 00:32 CET Maintenance completed: Disks",
      "Tue, 00:32 CET Alert: Cart is down",
      "Tue, 00:40 CET Resolved: Cart is up again",
      "Tue, 00:45 CET Resolved: Checkout is up again",
    ]);
    // Is not on call, and so reads of the five as a member of the team.
    expect((await transcript(day, "Ben's mail"))[1]).toBe("Tue, 00:12 CET Alert: 5 monitors are down");
    expect(await transcript(day, "on call")).toEqual(["Tue, 00:12 CET paged", "Tue, 00:32 CET paged"]);
    const [, five, four, , sixth, sixthEnd, last] = await day.mails();
    expect(five?.text).toContain("- Checkout is down: HTTP 503\n- Images is down: HTTP 503");
    expect(five?.text).not.toContain("Cart");
    expect(four?.text).toContain("Still down: Checkout");
    expect(sixth?.text).toContain("Since: 13 Jan 2026, 00:05 CET");
    expect(sixthEnd?.text).toContain("Down: 13 Jan 2026, 00:05 to 00:40 CET\nLasted: 35 minutes");
    expect(last?.text).toContain("Down: 13 Jan 2026, 00:12 to 00:45 CET");
  });
});
