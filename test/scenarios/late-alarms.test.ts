import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aDay, MINUTE } from "../support/alert-days.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

describe("an alarm that cannot be sent at once", () => {
  it("is not sent when its outage is over, nor is the end that its receiver knows nothing of", async () => {
    const day = await aDay(sink, { settings: { RATE_LIMITS: "all=off,deliveries=7" }, plan: "free" });
    const ids: string[] = [];
    for (const name of ["Shop", "Search", "Mail"]) ids.push(await day.addMonitor(name));
    for (const id of ids) await day.change(id, "down", 10_000);
    for (const id of ids) await day.change(id, "up", 20_000);
    await day.passUntil(20 * MINUTE);
    for (const who of ["chat", "pager"]) {
      const events = (await day.heard(who)).map((line) => line.split(" ")[1]);
      const count = (name: string) => events.filter((event) => event === name).length;
      expect(count("monitor.up")).toBe(count("monitor.down"));
      expect(count("incident.resolved")).toBe(count("incident.created"));
      expect(events.length).toBeLessThan(12);
    }
    // Machines get every event, in any order.
    expect(await day.heard("machine")).toHaveLength(12);
  });

  it("is not sent when the receiver is in reach again after the outage, nor is its end", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    sink.answer(day.urlOf("chat"), 503, 503, 503);
    await day.change(shop, "down", MINUTE);
    await day.change(shop, "up", 2 * MINUTE);
    await day.passUntil(60 * MINUTE);
    expect(await day.heard("chat")).toEqual([]);
  });

  it("is sent as long as the outage goes on", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    sink.answer(day.urlOf("chat"), 503, 503, 503);
    await day.change(shop, "down", MINUTE);
    await day.passUntil(60 * MINUTE);
    expect((await day.heard("chat")).map((line) => line.split(" ")[1]).toSorted()).toEqual(["monitor.down"]);
  });
});
