import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { heldOutages, incidents } from "../../src/data/incidents/table.ts";
import { aDay, MINUTE } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { setPolicy, toUser } from "../support/on-call.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
const db = openDb(env.DB);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const incidentsOf = (id: string) => db.select().from(incidents).where(eq(incidents.origin_monitor_id, id));
const RECEIVERS = ["machine", "chat", "pager", "mail", "dashboard", "subscriber", "on call"];

describe("an outage of a muted monitor", () => {
  it("is announced to everybody when the mute ends and it is still down, and so is its end", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.mute(shop, 2 * MINUTE);
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE - 1);
    expect(await day.readings()).toEqual([]);
    expect(await incidentsOf(shop)).toEqual([]);

    await day.passUntil(3 * MINUTE);
    expect((await day.heard("machine")).toSorted()).toEqual(["2 incident.created", "2 monitor.down"]);
    expect(await day.heard("subscriber")).toEqual(["2 incident.created: Shop is down"]);
    expect(await day.heard("on call")).toEqual(["2 paged"]);
    expect(await day.heard("mail")).toContain("2 Alert: Shop is down");
    expect(await day.heard("dashboard")).toContain("2 Shop is down");
    expect(day.textsTo("chat")[0]).toContain("Shop is down");
    expect(day.textsTo("chat")[0]).toContain("Since: 5 Jan 2026, 09:01 UTC · Withheld until: 5 Jan 2026, 09:02 UTC");
    expect(day.textsTo("pager").map((body) => JSON.parse(body).event_action)).toContain("trigger");
    const [incident] = await incidentsOf(shop);
    expect(incident).toMatchObject({ status: "investigating", started_at: day.start + MINUTE });

    await day.change(shop, "up", 10 * MINUTE);
    await day.passUntil(12 * MINUTE);
    expect((await day.heard("machine")).slice(2).toSorted()).toEqual(["10 incident.resolved", "10 monitor.up"]);
    expect((await day.heard("subscriber")).slice(1)).toEqual(["10 incident.resolved: Shop is down"]);
    expect((await day.heard("mail")).at(-1)).toBe("10 Resolved: Shop is up again");
    expect(await incidentsOf(shop)).toMatchObject([{ status: "resolved", resolved_at: day.start + 10 * MINUTE }]);
  });

  it("is announced within a minute when the mute is ended early", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.mute(shop, 600 * MINUTE);
    await day.change(shop, "down", MINUTE);
    await day.passUntil(5 * MINUTE + 1);
    await day.mute(shop, 0);
    await day.passUntil(6 * MINUTE);
    expect((await day.heard("machine")).toSorted()).toEqual(["6 incident.created", "6 monitor.down"]);
  });

  it("that ends before the mute does sends nothing, neither an alarm nor an all-clear", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.mute(shop, 10 * MINUTE);
    await day.change(shop, "down", MINUTE);
    await day.change(shop, "up", 5 * MINUTE);
    await day.passUntil(20 * MINUTE);
    expect(await day.readings()).toEqual([]);
    expect(await incidentsOf(shop)).toEqual([]);
    expect(await db.select().from(heldOutages).where(eq(heldOutages.monitor_id, shop))).toEqual([]);
  });

  it("that ends after the mute and before anybody was notified sends nothing either", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.mute(shop, 10 * MINUTE + 1);
    await day.change(shop, "down", MINUTE);
    await day.change(shop, "up", 10 * MINUTE + 30_000);
    await day.passUntil(20 * MINUTE);
    expect(await day.readings()).toEqual([]);
  });

  it("that was announced before the mute still announces its end", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    await day.mute(shop, 60 * MINUTE);
    await day.change(shop, "up", 5 * MINUTE);
    await day.passUntil(90 * MINUTE);
    expect((await day.heard("machine")).map((line) => line.split(" ")[1])).toEqual(
      expect.arrayContaining(["monitor.down", "incident.created", "monitor.up", "incident.resolved"]),
    );
    expect((await day.heard("mail")).at(-1)).toBe("5 Resolved: Shop is up again");
    expect((await day.heard("subscriber")).at(-1)).toBe("5 incident.resolved: Shop is down");
  });

  it.each([
    ["until the mute is over", null, "31 paged"],
    ["until somebody ends the mute", 21, "22 paged"],
  ] as const)("that was announced before the mute calls nobody %s", async (_name, endedAt, called) => {
    const day = await aDay(sink, { has_policy: false });
    const [shop, search] = [await day.addMonitor("Shop"), await day.addMonitor("Search")];
    const { account, status_page_id: page } = day;
    const contacts = toUser(account.user_id);
    const steps = [1, 2].map((level) => ({ level, wait_minutes: 10, contacts }));
    await setPolicy({ account, page }, steps);
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    const mute = (muted_until: string | null) => account.client.put(`${V1}/monitors/${shop}`, { muted_until });
    expect((await mute(new Date(day.start + 31 * MINUTE).toISOString())).status).toBe(200);
    await day.passUntil(20 * MINUTE);
    expect(await day.heard("on call")).toEqual(["1 paged"]);
    // What else fails is called out as ever.
    await day.change(search, "down", 20 * MINUTE);
    await day.passUntil(21 * MINUTE);
    expect(await day.heard("on call")).toEqual(["1 paged", "20 paged"]);
    await day.change(search, "up", 21 * MINUTE);
    if (endedAt !== null) expect((await mute(null)).status).toBe(200);
    await day.passUntil(31.5 * MINUTE);
    expect((await day.heard("on call")).slice(2)).toEqual([called]);
  });

  it("that was announced before the mute and ends in it calls nobody again", async () => {
    const day = await aDay(sink, { has_policy: false });
    const shop = await day.addMonitor("Shop");
    const { account, status_page_id: page } = day;
    const contacts = toUser(account.user_id);
    await setPolicy(
      { account, page },
      [1, 2].map((level) => ({ level, wait_minutes: 10, contacts })),
    );
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    await day.mute(shop, 30 * MINUTE);
    await day.change(shop, "up", 15 * MINUTE);
    await day.passUntil(90 * MINUTE);
    expect(await day.heard("on call")).toEqual(["1 paged"]);
  });

  it.each([
    ["until a minute after the window", null, "32 paged"],
    ["until a little after somebody ends the window", 22, "26 paged"],
  ] as const)("that was announced before a maintenance window calls nobody %s", async (_name, endedAt, called) => {
    const day = await aDay(sink, { has_policy: false });
    const [shop, search] = [await day.addMonitor("Shop"), await day.addMonitor("Search")];
    const { account, status_page_id: page } = day;
    const contacts = toUser(account.user_id);
    await setPolicy(
      { account, page },
      [1, 2].map((level) => ({ level, wait_minutes: 10, contacts })),
    );
    await day.change(search, "down", 0);
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    const window = await day.maintain([shop], 29 * MINUTE);
    await day.passUntil(18 * MINUTE);
    // What else fails is called out as ever, and so are its further steps.
    expect(await day.heard("on call")).toEqual(["0 paged", "1 paged", "10 paged"]);
    await day.change(search, "up", 19 * MINUTE);
    await day.passUntil(22 * MINUTE);
    if (endedAt !== null) {
      const body = { status: "completed", message: "Done." };
      expect((await account.client.post(`${V1}/maintenance/${window}/updates`, body)).status).toBe(201);
    }
    await day.passUntil(32.5 * MINUTE);
    expect((await day.heard("on call")).slice(3)).toEqual([called]);
  });

  it("leaves other monitors alone", async () => {
    const day = await aDay(sink);
    const [shop, search] = [await day.addMonitor("Shop"), await day.addMonitor("Search")];
    await day.mute(shop, 60 * MINUTE);
    await day.change(shop, "down", MINUTE);
    await day.change(search, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    expect(await day.heard("subscriber")).toEqual(["1 incident.created: Search is down"]);
  });
});

describe("a slow answer of a muted monitor", () => {
  it("sends nothing, nor does its end after the mute", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.mute(shop, 5 * MINUTE);
    await day.change(shop, "degraded", MINUTE);
    await day.change(shop, "up", 10 * MINUTE);
    await day.passUntil(20 * MINUTE);
    expect(await day.readings()).toEqual([]);
  });

  it("that was announced before is ended by the recovery from an outage that was withheld", async () => {
    const day = await aDay(sink, { page: { notify_team: { degraded: true } } });
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "degraded", MINUTE);
    await day.mute(shop, 30 * MINUTE);
    await day.change(shop, "down", 2 * MINUTE);
    await day.change(shop, "up", 10 * MINUTE);
    await day.passUntil(40 * MINUTE);
    expect(await day.heard("machine")).toEqual(["1 monitor.degraded", "10 monitor.up"]);
    expect(await day.heard("mail")).toEqual(["1 Warning: Shop is degraded", "10 Resolved: Shop is up again"]);
    expect(await day.heard("subscriber")).toEqual([]);
  });
});

describe("alerts that a rule suppresses", () => {
  const suppress = { event_name: "monitor.down", actions: [{ type: "suppress_alerts_for", duration_seconds: 300 }] };

  it("of an outage that ends meanwhile are never sent", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.addRule(suppress);
    await day.change(shop, "down", MINUTE);
    await day.change(shop, "up", 4 * MINUTE);
    await day.passUntil(20 * MINUTE);
    expect(await day.readings()).toEqual([]);
    expect(await incidentsOf(shop)).toEqual([]);
  });

  it("of an outage that goes on are sent when the time is over, although the rule would fire again", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.addRule(suppress);
    await day.change(shop, "down", MINUTE);
    await day.passUntil(5 * MINUTE + 59_000);
    expect(await day.readings()).toEqual([]);
    await day.passUntil(7 * MINUTE);
    expect((await day.heard("machine")).toSorted()).toEqual(["6 incident.created", "6 monitor.down"]);
    expect(await day.heard("on call")).toEqual(["6 paged"]);
    await day.change(shop, "up", 9 * MINUTE);
    await day.passUntil(10 * MINUTE);
    expect((await day.heard("machine")).slice(2).toSorted()).toEqual(["9 incident.resolved", "9 monitor.up"]);
  });

  it("do not keep back the end of an outage that was announced before, nor what people announce", async () => {
    const day = await aDay(sink);
    const [shop, search] = [await day.addMonitor("Shop"), await day.addMonitor("Search")];
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    await day.addRule({ ...suppress, event_name: "deploy.started" });
    const { client } = day.account;
    await client.post(`/api/uptime/v1/status-pages/${day.status_page_id}/events/emit`, {
      event_name: "deploy.started",
      evaluate_rules: true,
    });
    await day.change(search, "down", 3 * MINUTE);
    await day.change(shop, "up", 4 * MINUTE);
    await day.change(search, "up", 5 * MINUTE);
    await client.post("/api/uptime/v1/incidents", {
      status_page_id: day.status_page_id,
      title: "Deploy failed",
      is_public: true,
    });
    await day.passUntil(20 * MINUTE);
    const heard = (await day.heard("machine")).map((line) => line.split(" ")[1]);
    expect(heard.toSorted()).toEqual([
      "deploy.started",
      "deploy.started",
      "incident.created",
      "incident.created",
      "incident.resolved",
      "monitor.down",
      "monitor.up",
    ]);
  });
});

describe("an alarm that a rule narrows to the team", () => {
  it("is followed by an all-clear to those alone who had the alarm", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    const team = await day.addWebhook("team", { is_team_only: true });
    const recoveries = await day.addWebhook("recoveries", { events: ["monitor.up"] });
    await day.addRule({ event_name: "monitor.down", classification: "team_only" });
    await day.change(shop, "down", MINUTE);
    await day.change(shop, "up", 5 * MINUTE);
    await day.passUntil(10 * MINUTE);
    const monitorEvents = async (who: string) =>
      (await day.heard(who)).filter((line) => line.includes("monitor.")).map((line) => line.split(" ")[1]);
    expect(await monitorEvents("machine")).toEqual([]);
    expect(await monitorEvents(team)).toEqual(["monitor.down", "monitor.up"]);
    expect(await monitorEvents(recoveries)).toEqual(["monitor.up"]);
  });
});

it("everybody is a receiver that these stories read", async () => {
  const day = await aDay(sink);
  const shop = await day.addMonitor("Shop");
  await day.change(shop, "down", MINUTE);
  await day.change(shop, "up", 3 * MINUTE);
  await day.passUntil(5 * MINUTE);
  const read = new Set((await day.readings()).map(({ who }) => who));
  expect([...read].toSorted()).toEqual(RECEIVERS.toSorted());
});
