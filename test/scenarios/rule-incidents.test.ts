import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { ruleIncidents } from "../../src/data/event-rules/table.ts";
import { incidents } from "../../src/data/incidents/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { enrollAgent } from "../support/agents.ts";
import { aDay, MINUTE, SECOND } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { useSink } from "../support/sink.ts";

/** Incidents that rules open for outages, as everybody reads of them. */

const sink = useSink();
const db = openDb(env.DB);
type Day = Awaited<ReturnType<typeof aDay>>;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

async function addTemplate({ account, status_page_id }: Day, fields: Record<string, unknown> = {}): Promise<string> {
  const answer = await account.client.post(`${V1}/status-pages/${status_page_id}/incident-templates`, {
    name: "Down",
    title: "Trouble with {{monitor}}",
    severity: "critical",
    is_public: true,
    initial_update: "We look at {{monitor}} since {{time}}.",
    ...fields,
  });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

async function addRule(day: Day, fields: Record<string, unknown> = {}, template: Record<string, unknown> = {}) {
  return day.addRule({ event_name: "monitor.down", incident_template_id: await addTemplate(day, template), ...fields });
}

const incidentsOf = async ({ account, status_page_id }: Day) =>
  (await account.client.get(`${V1}/incidents?status_page_id=${status_page_id}`)).body;
const messagesOf = (incident: { updates: { message: string }[] }) => incident.updates.map(({ message }) => message);
const incidentEvents = async (day: Day, who: string) =>
  (await day.heard(who)).filter((line) => line.includes("incident."));

describe("an incident that a rule opens for an outage", () => {
  it("takes the place of the plain automatic one for everybody, and ends with the outage", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await addRule(day);
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    const [incident, ...others] = await incidentsOf(day);
    expect(others).toEqual([]);
    expect(incident).toMatchObject({
      title: "Trouble with Shop",
      severity: "critical",
      status: "investigating",
      is_public: true,
      created_automatically: true,
      monitor_ids: [shop],
      started_at: new Date(day.start + MINUTE).toISOString(),
    });
    expect(messagesOf(incident)).toEqual(["We look at Shop since 5 Jan 2026, 09:01 UTC."]);
    expect((await day.heard("machine")).toSorted()).toEqual(["1 incident.created", "1 monitor.down"]);
    expect(await day.heard("subscriber")).toEqual(["1 incident.created: Trouble with Shop"]);
    expect(await day.heard("on call")).toEqual(["1 paged"]);
    expect(day.textsTo("chat")).toHaveLength(1);
    expect(day.textsTo("chat")[0]).toContain("Shop is down");
    // A person on call reads of it by what people prepared for it, and not once more as one of the team.
    expect(await day.heard("mail")).toEqual(["1 Alert: Trouble with Shop"]);
    expect((await day.account.client.get(`${V1}/monitors/${shop}/outages`)).body).toMatchObject([
      { incident_id: incident.id },
    ]);

    await day.change(shop, "up", 10 * MINUTE);
    await day.passUntil(12 * MINUTE);
    const [ended, ...more] = await incidentsOf(day);
    expect(more).toEqual([]);
    expect(ended).toMatchObject({ status: "resolved", resolved_at: new Date(day.start + 10 * MINUTE).toISOString() });
    expect(messagesOf(ended)[0]).toBe("Shop is up again.");
    expect((await day.heard("subscriber")).slice(1)).toEqual(["10 incident.resolved: Trouble with Shop"]);
    expect((await day.heard("machine")).slice(2).toSorted()).toEqual(["10 incident.resolved", "10 monitor.up"]);
    expect(day.textsTo("chat")).toHaveLength(2);
    expect((await day.heard("mail")).at(-1)).toBe("10 Resolved: Shop is up again");
  });

  it("ends with the outage where the page opens none by itself", async () => {
    const day = await aDay(sink, { page: { auto_create_incident: false } });
    const shop = await day.addMonitor("Shop");
    await addRule(day, {}, { initial_update: undefined });
    await day.change(shop, "down", MINUTE);
    await day.change(shop, "up", 5 * MINUTE);
    await day.change(shop, "down", 30 * MINUTE);
    await day.passUntil(31 * MINUTE);
    const [second, first, ...others] = await incidentsOf(day);
    expect(others).toEqual([]);
    expect([first.status, second.status]).toEqual(["resolved", "investigating"]);
    expect(messagesOf(first)).toEqual(["Shop is up again.", "Shop is failing its checks."]);
  });

  it("is one, that of the first rule, where several open one", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await addRule(day, { monitor_id: shop });
    await addRule(day, {}, { title: "Another", is_public: false });
    await day.change(shop, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    expect(await incidentsOf(day)).toMatchObject([{ title: "Trouble with Shop" }]);
    expect(await day.heard("on call")).toEqual(["1 paged"]);
  });

  it("is opened when a mute ends, and by the plain one where the rule's conditions do not hold", async () => {
    const day = await aDay(sink);
    const [shop, search] = [await day.addMonitor("Shop"), await day.addMonitor("Search")];
    await addRule(day, { monitor_id: shop });
    await day.mute(shop, 5 * MINUTE);
    await day.change(shop, "down", MINUTE);
    await day.change(search, "down", 2 * MINUTE);
    await day.passUntil(6 * MINUTE);
    const opened = await incidentEvents(day, "subscriber");
    expect(opened).toEqual(["2 incident.created: Search is down", "5 incident.created: Trouble with Shop"]);
    await day.change(shop, "up", 8 * MINUTE);
    await day.passUntil(10 * MINUTE);
    expect((await incidentEvents(day, "subscriber")).slice(2)).toEqual(["8 incident.resolved: Trouble with Shop"]);
  });

  it("stays open while the monitor flaps, and no other one opens", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await addRule(day);
    let at = MINUTE;
    for (let n = 0; n < 14; n++) {
      await day.change(shop, n % 2 === 0 ? "down" : "up", at);
      at += 20 * SECOND;
    }
    await day.passUntil(40 * MINUTE);
    const all = await incidentsOf(day);
    expect(all.every(({ status }: { status: string }) => status === "resolved")).toBe(true);
    // Three ended with their outages before the monitor counted as flapping.
    expect(all.length).toBe(4);
    const [last, ...earlier] = messagesOf(all[0]);
    expect(last).toBe("Shop is up again and stable.");
    expect(earlier.toSorted()).toEqual([
      "Shop keeps failing and recovering. The incident stays open until it has been stable for 5 minutes.",
      expect.stringContaining("We look at Shop"),
    ]);
  });

  it("names nothing to the public that is hidden behind a composite", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    const checkout = await day.addMonitor("Checkout", { type: "composite" });
    await db.update(monitors).set({ parent_monitor_id: checkout }).where(eq(monitors.id, shop));
    await addRule(day, {}, { initial_update: undefined });
    await day.change(shop, "down", MINUTE);
    await day.change(shop, "up", 5 * MINUTE);
    await day.passUntil(6 * MINUTE);
    const [incident] = await incidentsOf(day);
    expect(incident).toMatchObject({ title: "Trouble with Checkout", status: "resolved" });
    expect(messagesOf(incident)).toEqual(["The service is up again.", "Checkout is failing its checks."]);
  });
});

/** As the team reads its timeline, newest first. */
const PRIVATE = { is_public: false, title: "Trouble", initial_update: "We look at it." };

describe("an incident that a rule opens for anything else", () => {
  it("ends when the slow monitor is up again, is one meanwhile, and says by which rule", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await addRule(day, { event_name: "monitor.degraded", display_name: "Slow shop" }, PRIVATE);
    await day.change(shop, "degraded", MINUTE);
    await day.passUntil(20 * MINUTE);
    const [open, ...more] = await incidentsOf(day);
    expect(more).toEqual([]);
    expect(open).toMatchObject({ status: "investigating", title: "Trouble" });
    expect(messagesOf(open)).toEqual(["We look at it.\n\nOpened by the rule “Slow shop”."]);
    await db
      .update(monitors)
      .set({ status: "up", status_since: day.start + 21 * MINUTE })
      .where(eq(monitors.id, shop));
    await day.change(shop, "up", 21 * MINUTE);
    await day.passUntil(23 * MINUTE);
    const [ended] = await incidentsOf(day);
    expect(ended).toMatchObject({ status: "resolved", resolved_at: new Date(day.start + 21 * MINUTE).toISOString() });
    expect(messagesOf(ended)[0]).toBe("Shop is up again.");
  });

  it("ends when the silent agent is back, and names no agent to customers", async () => {
    const day = await aDay(sink);
    const agent = await enrollAgent(day.account, { hostname: "db-1" }, `?status_page_id=${day.status_page_id}`);
    const seen = (fields: Partial<typeof agents.$inferInsert>) =>
      db
        .update(agents)
        .set({ status_page_id: day.status_page_id, ...fields })
        .where(eq(agents.id, agent.id));
    await seen({ status: "online", last_seen_at: day.start });
    await addRule(day, { event_name: "agent.offline" }, { title: "Host trouble", initial_update: "We look at it." });
    await addRule(day, { event_name: "agent.offline", display_name: "Hosts" }, PRIVATE);
    await day.passUntil(5 * MINUTE);
    expect((await incidentsOf(day)).map(({ status }: { status: string }) => status)).toEqual([
      "investigating",
      "investigating",
    ]);
    await seen({ status: "online", last_seen_at: day.start + 8 * MINUTE });
    await day.passUntil(9 * MINUTE);
    const all: { is_public: boolean; status: string; updates: { message: string }[] }[] = await incidentsOf(day);
    expect(all.map(({ status }) => status)).toEqual(["resolved", "resolved"]);
    const told = all.toSorted((one) => (one.is_public ? -1 : 1)).map((each) => messagesOf(each));
    expect(told).toEqual([
      ["Back to normal.", "We look at it."],
      ["The agent db-1 is online again.", "We look at it.\n\nOpened by the rule “Hosts”."],
    ]);
    expect(await incidentEvents(day, "subscriber")).toEqual([
      expect.stringContaining("incident.created: Host trouble"),
      expect.stringContaining("incident.resolved: Host trouble"),
    ]);
  });

  it("ends when its values were good for the cooldown, and not before", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    const slow = { event_name: "shop.slow", display_name: "Slow answers", cooldown_seconds: 300 };
    const conditions = [{ metric: "latency_ms", operator: "gt", value: 800 }];
    await addRule(day, { ...slow, conditions, monitor_id: shop }, PRIVATE);
    await day.measure(shop, 900, MINUTE);
    await day.measure(shop, 900, 2 * MINUTE);
    await day.measure(shop, 100, 3 * MINUTE);
    await day.measure(shop, 950, 7 * MINUTE);
    await day.measure(shop, 100, 8 * MINUTE);
    await day.passUntil(12 * MINUTE);
    const [open, ...more] = await incidentsOf(day);
    expect([open.status, more]).toEqual(["investigating", []]);
    await day.passUntil(14 * MINUTE);
    const [ended] = await incidentsOf(day);
    expect(ended).toMatchObject({ status: "resolved", resolved_at: new Date(day.start + 13 * MINUTE).toISOString() });
    expect(messagesOf(ended)[0]).toBe("The conditions of the rule “Slow answers” have not held for 5 min.");
  });

  it("ends when no values come any more, and says that nobody knows how they are", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    const slow = { event_name: "shop.slow", display_name: "Slow answers", cooldown_seconds: 1800 };
    const conditions = [{ metric: "latency_ms", operator: "gt", value: 800 }];
    await addRule(day, { ...slow, conditions, monitor_id: shop }, PRIVATE);
    await addRule(day, { ...slow, conditions, event_name: "shop.slow.told" }, { initial_update: "We look at it." });
    for (let minute = 1; minute <= 60; minute++) await day.measure(shop, 900, minute * MINUTE);
    // An hour that conditions look back, half an hour of cooldown, and what is noted every few minutes.
    await day.passUntil(150 * MINUTE);
    const statuses = async () => (await incidentsOf(day)).map(({ status }: { status: string }) => status);
    expect(await statuses()).toEqual(["investigating", "investigating"]);
    await day.passUntil(156 * MINUTE);
    expect(await statuses()).toEqual(["resolved", "resolved"]);
    const all: { is_public: boolean; updates: { message: string }[] }[] = await incidentsOf(day);
    const told = all.toSorted((one) => (one.is_public ? -1 : 1)).map((each) => messagesOf(each)[0]);
    expect(told).toEqual([
      "No new measurements have come in for 1 hour 30 minutes, so that this incident is closed.",
      "No values for the rule “Slow answers” have arrived for 1 hour 30 minutes: whether its conditions still hold is not known.",
    ]);
  });

  it("ends within a day where values stopped before anything was noted of them", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    const conditions = [{ metric: "latency_ms", operator: "gt", value: 800 }];
    await addRule(day, { event_name: "shop.slow", display_name: "Slow", conditions }, PRIVATE);
    await day.measure(shop, 900, MINUTE);
    await db.update(ruleIncidents).set({ heard_at: null, silence_ms: null });
    const [{ id }] = await incidentsOf(day);
    const began = (started_at: number) => db.update(incidents).set({ started_at }).where(eq(incidents.id, id));
    await began(day.start - 23 * 60 * MINUTE);
    await day.passUntil(2 * MINUTE);
    expect((await incidentsOf(day))[0].status).toBe("investigating");
    await began(day.start - 24 * 60 * MINUTE - 5 * MINUTE);
    await day.passUntil(3 * MINUTE);
    expect((await incidentsOf(day))[0].status).toBe("resolved");
  });

  it("ends with the rule that watched its values", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    const conditions = [{ metric: "latency_ms", operator: "gt", value: 800 }];
    const id = await addRule(day, { event_name: "shop.slow", display_name: "Slow", conditions }, PRIVATE);
    await day.measure(shop, 900, MINUTE);
    await day.account.client.delete(`${V1}/status-pages/${day.status_page_id}/events/rules/${id}`);
    await day.passUntil(3 * MINUTE);
    const [ended] = await incidentsOf(day);
    expect(ended.status).toBe("resolved");
    expect(messagesOf(ended)[0]).toBe("The rule “Slow” is switched off or deleted.");
  });

  it("says that it stays open where its cause has no end", async () => {
    const day = await aDay(sink);
    await addRule(day, { event_name: "deploy.failed", display_name: "Deploys" }, PRIVATE);
    await day.emit("deploy.failed");
    await day.passUntil(5 * MINUTE);
    const [open] = await incidentsOf(day);
    expect(open.status).toBe("investigating");
    expect(messagesOf(open)).toEqual([
      "We look at it.\n\nOpened by the rule “Deploys”. It stays open until somebody resolves it.",
    ]);
  });
});
