import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aDay, MINUTE } from "../support/alert-days.ts";
import { useSink } from "../support/sink.ts";

/** Nights and days as they happen, told as everybody reads of them: each line is a message, with the time on the wall. */

const sink = useSink();
const BERLIN = "Europe/Berlin";
const HOUR = 60 * MINUTE;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

type Day = Awaited<ReturnType<typeof aDay>>;

const wall = (at: number) =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: BERLIN,
    timeZoneName: "short",
  }).format(at);

/** What a receiver reads, in order. */
async function transcript(day: Day, who: string): Promise<string[]> {
  const own = (await day.readings()).filter((each) => each.who === who);
  return own.map(({ at, what }) => `${wall(at)} ${what}`);
}

describe("the night in which clocks go back", () => {
  it("tells each receiver one story: an outage through the change, a mute that ends in another, and a flapping service", async () => {
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
