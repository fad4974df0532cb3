import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aDay, MINUTE } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

type Day = Awaited<ReturnType<typeof aDay>>;
const incidentsOf = async (day: Day) =>
  (await day.account.client.get(`${V1}/incidents?status_page_id=${day.status_page_id}`)).body;
const actionsTo = (day: Day) => day.textsTo("pager").map((body) => JSON.parse(body).event_action);

describe("a monitor that is deleted while it is down", () => {
  it("takes its incident with it: everybody who heard of it reads that it is over, and why", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "down", MINUTE);
    await day.passUntil(5 * MINUTE);
    expect((await day.account.client.delete(`${V1}/monitors/${shop}`)).status).toBe(204);
    await day.passUntil(20 * MINUTE);
    expect(await incidentsOf(day)).toMatchObject([
      {
        title: "Shop is down",
        status: "resolved",
        resolved_at: new Date(day.start + 5 * MINUTE).toISOString(),
        updates: [{ status: "resolved", message: "Shop is no longer monitored." }, { status: "investigating" }],
      },
    ]);
    expect(actionsTo(day)).toEqual(["trigger", "trigger", "resolve"]);
    expect((await day.heard("subscriber")).slice(1)).toEqual(["6 incident.resolved: Shop is down"]);
    expect((await day.heard("chat")).slice(1)).toEqual(["6 incident.resolved"]);
    expect((await day.heard("on call")).length).toBe(1);
  });

  it("is up in no later reading, and an incident that a person resolved before stays as it was", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "down", MINUTE);
    await day.passUntil(3 * MINUTE);
    const [incident] = await incidentsOf(day);
    await day.account.client.put(`${V1}/incidents/${incident.id}`, {
      status: "resolved",
      message: "We closed the shop.",
    });
    await day.account.client.delete(`${V1}/monitors/${shop}`);
    await day.passUntil(10 * MINUTE);
    expect((await incidentsOf(day))[0].updates[0].message).toBe("We closed the shop.");
    expect((await day.readings()).filter(({ what }) => what === "monitor.up")).toEqual([]);
  });
});

describe("monitors of one incident that are deleted at once", () => {
  async function eightDown() {
    const day = await aDay(sink);
    const ids: string[] = [];
    for (let n = 1; n <= 8; n++) ids.push(await day.addMonitor(`Shop${n}`));
    for (const id of ids) await day.change(id, "down", 5 * MINUTE);
    await day.passUntil(10 * MINUTE);
    return { day, ids };
  }
  const remove = ({ account }: Day, ids: readonly string[]) =>
    account.client.post(`${V1}/monitors/bulk`, { ids, action: "delete" });

  it("leave it with what is still down", async () => {
    const { day, ids } = await eightDown();
    expect((await remove(day, ids.slice(0, 7))).body).toMatchObject({ updated: 7 });
    expect(await incidentsOf(day)).toMatchObject([
      { title: "1 service is down", status: "investigating", monitor_ids: [ids[7]] },
    ]);
    await day.change(ids[7] ?? "", "up", 20 * MINUTE);
    await day.passUntil(25 * MINUTE);
    expect(await incidentsOf(day)).toMatchObject([{ status: "resolved" }]);
  });

  it("end it where none is left, in one message", async () => {
    const { day, ids } = await eightDown();
    const before = (await day.heard("chat")).length;
    await remove(day, ids);
    await day.passUntil(20 * MINUTE);
    const [bundle, ...others] = await incidentsOf(day);
    expect(others).toEqual([]);
    expect(bundle).toMatchObject({
      status: "resolved",
      updates: [{ message: "None of these services is down any more." }, { status: "investigating" }],
    });
    expect((await day.heard("chat")).slice(before)).toEqual(["11 incident.resolved"]);
    const opened = actionsTo(day).filter((action) => action === "trigger").length / 2;
    expect(actionsTo(day).filter((action) => action === "resolve").length).toBeGreaterThanOrEqual(opened);
  });
});

describe("the last two of one incident", () => {
  it("end it also when they are deleted at the same moment", async () => {
    const day = await aDay(sink);
    const ids: string[] = [];
    for (let n = 1; n <= 5; n++) ids.push(await day.addMonitor(`Shop${n}`));
    for (const id of ids) await day.change(id, "down", 5 * MINUTE);
    await day.passUntil(10 * MINUTE);
    for (const id of ids.slice(0, 3)) await day.change(id, "up", 15 * MINUTE);
    await day.passUntil(20 * MINUTE);
    const remove = async (id: string): Promise<number> => {
      const { status } = await day.account.client.delete(`${V1}/monitors/${id}`);
      return status === 409 ? remove(id) : status;
    };
    expect(await Promise.all(ids.slice(3).map(remove))).toEqual([204, 204]);
    expect(await incidentsOf(day)).toMatchObject([{ status: "resolved" }]);
  });
});

describe("an alert of an outage", () => {
  it("notifies the person on call of what was found", async () => {
    const day = await aDay(sink);
    const shop = await day.addMonitor("Shop");
    await day.change(shop, "down", MINUTE);
    await day.passUntil(5 * MINUTE);
    const [mail] = await day.mails();
    expect(mail?.subject).toBe("Alert: Shop is down");
    expect(mail?.text).toMatch(
      /^Shop is down\n\nSeverity: Major\nSince: .*\nStep: 1\n\nHTTP 503\n\nAcknowledge the incident/,
    );
  });

  it("sends them what people wrote of an incident of theirs, and alerts again when it is reopened", async () => {
    const day = await aDay(sink);
    const fields = { status_page_id: day.status_page_id, title: "Payments fail", is_public: true };
    const { body } = await day.account.client.post(`${V1}/incidents`, { ...fields, message: "Cards are *refused*." });
    await day.passUntil(2 * MINUTE);
    const paged = async () => (await day.mails()).filter(({ subject }) => subject === "Alert: Payments fail");
    expect((await paged()).map(({ text }) => text)).toEqual([expect.stringContaining("\n\nCards are refused.\n\nAck")]);
    const put = (change: object) => day.account.client.put(`${V1}/incidents/${body.id}`, change);
    await put({ status: "resolved", message: "Fixed." });
    await day.passUntil(5 * MINUTE);
    await put({ status: "investigating", message: "It is back." });
    await day.passUntil(8 * MINUTE);
    expect(actionsTo(day)).toEqual(["trigger", "resolve", "trigger"]);
    expect((await paged()).at(-1)?.text).toContain("\n\nIt is back.\n\nAcknowledge");
  });
});
