import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { escalations } from "../../src/data/escalations/table.ts";
import { aDay, findContradictions, MINUTE } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
const db = openDb(env.DB);
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

type Day = Awaited<ReturnType<typeof aDay>>;
const incidentsOf = async (day: Day) =>
  (await day.account.client.get(`${V1}/incidents?status_page_id=${day.status_page_id}`)).body;
const toPager = (day: Day) =>
  day.textsTo("pager").map((text) => {
    const { event_action, dedup_key } = JSON.parse(text);
    return `${event_action} ${dedup_key.includes("/") ? "outage" : "monitor"}`;
  });
/** Every alert that was opened there and is not resolved. */
function openInPager(day: Day): string[] {
  const open = new Set<string>();
  for (const { event_action, dedup_key } of day.textsTo("pager").map((text) => JSON.parse(text))) {
    if (event_action === "trigger") open.add(dedup_key);
    if (event_action === "resolve") open.delete(dedup_key);
  }
  return [...open];
}

describe("a monitor that is paused while it is down", () => {
  it("ends its outage: everybody who was told reads that it is paused, and nobody that it is up", async () => {
    const day = await aDay(sink);
    const picky = await day.addWebhook("picky", { events: ["monitor.down", "monitor.up"] });
    const late = await day.addWebhook("late", { events: ["incident.created", "incident.resolved"] });
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "down", MINUTE);
    await day.passUntil(5 * MINUTE);
    await day.change(shop, "paused", 6 * MINUTE);
    await day.passUntil(30 * MINUTE);
    expect(await incidentsOf(day)).toMatchObject([
      {
        status: "resolved",
        resolved_at: new Date(day.start + 6 * MINUTE).toISOString(),
        updates: [{ message: "Shop is paused: monitoring stopped while it was down." }, { status: "investigating" }],
      },
    ]);
    const [outage, ...others] = (await day.account.client.get(`${V1}/monitors/${shop}/outages`)).body;
    expect([outage.duration_seconds, others]).toEqual([300, []]);
    expect(await day.heard("chat")).toEqual(["1 monitor.down", "6 monitor.paused"]);
    expect(await day.heard(picky)).toEqual(["1 monitor.down", "6 monitor.paused"]);
    expect(await day.heard(late)).toEqual(["1 incident.created", "6 incident.resolved"]);
    expect(await day.heard("subscriber")).toEqual([
      "1 incident.created: Shop is down",
      "6 incident.resolved: Shop is down",
    ]);
    expect(openInPager(day)).toEqual([]);
    expect((await day.heard("mail")).slice(1)).toEqual(["6 Notice: Shop is paused"]);
    expect((await day.heard("on call")).length).toBe(1);
    const text = day.textsTo("chat").at(-1) ?? "";
    expect(text).toContain("Shop is paused");
    expect(text).toContain("When it is resumed and still fails, it alerts again");
    expect(text).not.toMatch(/up again/);
    expect(findContradictions(await day.readings(), { names: new Map([[shop, "Shop"]]), down: [] })).toEqual([]);
  });

  it("alerts anew where it still fails when it is resumed, and says nothing where it does not", async () => {
    const day = await aDay(sink);
    const [shop, forum] = [await day.addMonitor("Shop"), await day.addMonitor("Forum")];
    for (const id of [shop, forum]) await day.change(id, "down", MINUTE);
    for (const id of [shop, forum]) await day.change(id, "paused", 6 * MINUTE);
    await day.change(shop, "down", 10 * MINUTE);
    await day.passUntil(20 * MINUTE);
    const heard = (await day.readings()).filter(({ who }) => who === "machine" || who === "chat");
    expect(heard.filter(({ at }) => at > day.start + 7 * MINUTE).map(({ who, what }) => `${who} ${what}`)).toEqual([
      "chat monitor.down",
      "machine monitor.down",
      "machine incident.created",
    ]);
    expect((await incidentsOf(day)).map(({ status }: { status: string }) => status)).toEqual([
      "investigating",
      "resolved",
      "resolved",
    ]);
  });

  it("tells nobody of it to whom the outage was withheld", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.mute(shop, 60 * MINUTE);
    await day.change(shop, "down", MINUTE);
    await day.change(shop, "paused", 6 * MINUTE);
    await day.passUntil(90 * MINUTE);
    expect((await day.readings()).map(({ who, what }) => `${who} ${what}`)).toEqual([]);
  });

  it("closes the alert of a page without incidents, too", async () => {
    const day = await aDay(sink, {
      page: { auto_create_incident: false, alert_routing: { "monitor.down": "critical" } },
    });
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "down", MINUTE);
    await day.change(shop, "paused", 6 * MINUTE);
    await day.passUntil(30 * MINUTE);
    expect(toPager(day)).toEqual(["trigger outage", "resolve outage", "resolve monitor"]);
    const [escalation] = await db.select().from(escalations).where(eq(escalations.status_page_id, day.status_page_id));
    expect(escalation?.state?.status).toBe("resolved");
  });

  it("is one message about all of them, where several are paused at once", async () => {
    const day = await aDay(sink);
    const ids: string[] = [];
    for (let n = 1; n <= 8; n++) ids.push(await day.addMonitor(`Shop${n}`));
    for (const id of ids) await day.change(id, "down", 5 * MINUTE);
    await day.passUntil(10 * MINUTE);
    const before = day.textsTo("chat").length;
    for (const id of ids) await day.change(id, "paused", 12 * MINUTE);
    await day.passUntil(30 * MINUTE);
    const texts = day.textsTo("chat").slice(before);
    expect(texts.filter((text) => text.includes("8 monitors are paused"))).toHaveLength(1);
    expect(texts.join("\n")).not.toMatch(/up again/);
    expect((await day.news()).slice(-1)).toEqual([{ direction: "unwatched", total: 8, still_down: 0 }]);
    const [bundle] = await incidentsOf(day);
    expect(bundle.updates[0].message).toBe("None of these services is down any more.");
    expect(openInPager(day)).toEqual([]);
  });
});

describe("a monitor that is slow and then down", () => {
  it("leaves no alert open in the pager when it is up again", async () => {
    const day = await aDay(sink, { page: { auto_create_incident: false } });
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "degraded", MINUTE);
    await day.change(shop, "down", 5 * MINUTE);
    await day.passUntil(8 * MINUTE);
    expect(openInPager(day)).toEqual([`${shop}/2`]);
    await day.change(shop, "up", 10 * MINUTE);
    await day.passUntil(20 * MINUTE);
    expect(openInPager(day)).toEqual([]);
  });

  it("does not either where only slowness and recovery are sent there", async () => {
    const day = await aDay(sink, { page: { auto_create_incident: false } });
    const events = ["monitor.degraded", "monitor.up"];
    await day.addWebhook("pager", { provider: "pagerduty", secret: "key", events });
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "degraded", MINUTE);
    await day.change(shop, "down", 5 * MINUTE);
    await day.change(shop, "up", 10 * MINUTE);
    await day.passUntil(20 * MINUTE);
    expect(toPager(day)[0]).toBe("trigger monitor");
    expect(openInPager(day)).toEqual([]);
  });
});
