import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { reconcileUnscheduledMonitors } from "../../src/checks/reconcile.ts";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { openDb } from "../../src/data/db.ts";
import { listSubjects } from "../../src/data/escalations/read.ts";
import { escalations } from "../../src/data/escalations/table.ts";
import { events } from "../../src/data/events/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import type { Transition } from "../../src/domain/monitor-state.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { createClient, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { setPolicy, toUser } from "../support/on-call.ts";
import { beat, createHeartbeat, holdClock, moveClock, type Pushed, stubOf } from "../support/pushes.ts";

const db = openDb(env.DB);
const scope = jobScope(env, "test");

let account: Account;
let status_page_id: string;
beforeEach(async () => {
  holdClock();
  account = await createAccount();
  status_page_id = await createPage(account, { auto_create_incident: true, auto_publish_incident: true });
});
afterEach(() => {
  vi.useRealTimers();
});

const member = (name = "Member"): Promise<Pushed> => createHeartbeat(account, { name, status_page_id });
const compositeOf = (members: Pushed[], settings: Record<string, unknown> = {}) =>
  createMonitor(account.client, {
    name: "Shop",
    type: "composite",
    target: undefined,
    paused: false,
    status_page_id,
    child_ids: members.map(({ id }) => id),
    ...settings,
  });
const rowOf = async (id: string) => (await db.select().from(monitors).where(eq(monitors.id, id)))[0];
const eventsOf = async (id: string) =>
  (await db.select().from(events).where(eq(events.monitor_id, id))).sort((a, b) => a.created_at - b.created_at);

/** Lets the consumer take everything that an object has not been confirmed, as the queue would. */
async function settle(...ids: string[]): Promise<void> {
  for (const id of ids) {
    const transitions = await runInDurableObject(
      stubOf(id),
      (_object, state) => state.storage.kv.get<{ outbox: Transition[] }>("monitor")?.outbox,
    );
    if (transitions?.length) await consumeEvent(scope, { kind: "transitions", monitor_id: id, transitions });
  }
}

const moveTo = (target_status_page_id: string, monitor_ids: string[]) =>
  account.client.post(`${V1}/status-pages/${status_page_id}/monitors/migrate`, { target_status_page_id, monitor_ids });

async function tell(pushed: Pushed, status: "ok" | "fail"): Promise<void> {
  moveClock(1_000);
  await beat(pushed, { status });
  await settle(pushed.id);
}

describe("a composite that stays down while another member fails", () => {
  it("says how many are down by now, in its row and to who is called out later", async () => {
    const [a, b] = [await member(), await member()];
    const { id } = await compositeOf([a, b]);
    for (const pushed of [a, b]) await tell(pushed, "ok");
    const steps = [{ level: 1, wait_minutes: 0, contacts: toUser(account.user_id) }];
    await setPolicy({ account, page: status_page_id }, steps);
    await tell(a, "fail");
    await settle(id);
    expect(await rowOf(id)).toMatchObject({ status: "down", status_message: "1 of 2 members down" });
    await tell(b, "fail");
    await settle(id);
    expect(await rowOf(id)).toMatchObject({ status: "down", status_message: "2 of 2 members down" });
    const rows = await db.select().from(escalations).where(eq(escalations.status_page_id, status_page_id));
    const texts = await Promise.all(rows.map(async (row) => (await listSubjects(db, row.id))[0]?.text));
    expect(texts).toEqual(["2 of 2 members down"]);
  });
});

describe("composite_policy", () => {
  const change = (id: string, composite_policy: unknown) =>
    account.client.put(`${V1}/monitors/${id}`, { composite_policy });

  it("lets a cluster of three be degraded with one member down, and down with two", async () => {
    const members = [await member(), await member(), await member()] as const;
    const [a, b, c] = members;
    const { id } = await compositeOf([...members], { composite_policy: "at_least:2" });
    const path: (string | null | undefined)[] = [];
    for (const [pushed, status] of [
      [a, "ok"],
      [b, "ok"],
      [c, "ok"],
      [a, "fail"],
      [b, "fail"],
      [b, "ok"],
      [a, "ok"],
    ] as const) {
      await tell(pushed, status);
      await settle(id);
      const row = await rowOf(id);
      path.push(`${row?.status}: ${row?.status_message}`);
    }
    expect(path.slice(2)).toEqual([
      "up: 3 of 3 members up",
      "degraded: 1 of 3 members down",
      "down: 2 of 3 members down",
      "degraded: 1 of 3 members down",
      "up: 3 of 3 members up",
    ]);
    const names = (await eventsOf(id)).map(({ name }) => name).filter((name) => name.startsWith("monitor."));
    expect(names).toEqual(["monitor.degraded", "monitor.down", "monitor.degraded", "monitor.up"]);
  });

  it("takes effect when it changes, and rewrites no past", async () => {
    const [a, b] = [await member(), await member()];
    const { id } = await compositeOf([a, b], { composite_policy: "all" });
    await tell(a, "ok");
    await tell(b, "ok");
    await tell(a, "fail");
    await settle(id);
    expect((await rowOf(id))?.status).toBe("degraded");
    moveClock(60_000);
    expect(await change(id, "worst")).toMatchObject({
      status: 200,
      body: { status: "down", composite_policy: "worst" },
    });
    expect((await rowOf(id))?.status_since).toBe(Date.now());
    moveClock(60_000);
    expect(await change(id, "all")).toMatchObject({ status: 200, body: { status: "degraded" } });
    expect((await rowOf(id))?.status_since).toBe(Date.now());
  });

  it("rewrites no past of a composite whose object was stored before there were policies", async () => {
    const [a, b] = [await member(), await member()];
    const { id } = await compositeOf([a, b]);
    await tell(b, "ok");
    await tell(a, "fail");
    await settle(id);
    await runInDurableObject(stubOf(id), (_object, state) => {
      const stored = state.storage.kv.get<object>("monitor");
      state.storage.kv.put("monitor", { ...stored, composite: { paused: false } });
    });
    await evictDurableObject(stubOf(id));
    moveClock(60_000);
    expect(await change(id, "all")).toMatchObject({ status: 200, body: { status: "degraded" } });
    expect((await rowOf(id))?.status_since).toBe(Date.now());
  });

  it("is worst where none is given, null clears it, and other types have none", async () => {
    const { id } = await compositeOf([await member()], { composite_policy: "percent:50" });
    const read = async () => (await account.client.get(`${V1}/monitors/${id}`)).body;
    expect(await read()).toMatchObject({ composite_policy: "percent:50" });
    expect(await change(id, null)).toMatchObject({ status: 200, body: { composite_policy: "worst" } });
    const other = await createMonitor(account.client, {});
    expect(other).toMatchObject({ composite_policy: null });
  });

  it.each([
    "some",
    "at_least:0",
    "at_least:51",
    "percent:0",
    "percent:101",
    "all:2",
    2,
  ])("refuses %s", async (policy) => {
    const { id } = await compositeOf([await member()]);
    expect(await change(id, policy)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("composite_policy") },
    });
  });

  it("says where it asks for more members than there are", async () => {
    const { notices } = await compositeOf([await member()], { composite_policy: "at_least:2" });
    expect(notices).toContainEqual({
      path: "composite_policy",
      message: "asks for 2 members to be down, but the composite has 1: it is down when all are",
    });
  });
});

describe("a composite", () => {
  it("follows its members: down with any, up with all, each change announced once and by itself", async () => {
    const [a, b] = [await member(), await member()];
    const { id } = await compositeOf([a, b]);
    const path: (MonitorStatus | undefined)[] = [(await rowOf(id))?.status];
    for (const [pushed, status] of [
      [a, "ok"],
      [b, "ok"],
      [a, "fail"],
      [b, "fail"],
      [a, "ok"],
      [b, "ok"],
    ] as const) {
      await tell(pushed, status);
      await settle(id);
      path.push((await rowOf(id))?.status);
    }
    expect(path).toEqual(["pending", "up", "up", "down", "down", "down", "up"]);
    expect(
      (await eventsOf(id))
        .filter(({ name }) => name.startsWith("monitor."))
        .map(({ name, classification }) => [name, classification]),
    ).toEqual([
      ["monitor.down", "public"],
      ["monitor.up", "public"],
    ]);
    expect(new Set((await eventsOf(a.id)).map(({ classification }) => classification))).toEqual(new Set(["team_only"]));
  });

  it("opens the incident itself and leaves its members' names out of the public page", async () => {
    const hidden = await member("Hidden database");
    const { id } = await compositeOf([hidden]);
    await tell(hidden, "fail");
    await settle(id);
    const [page] = await db.select().from(statusPages).where(eq(statusPages.id, status_page_id));
    const { body } = await account.client.get(`/status/${page?.slug}/summary.json`);
    expect(JSON.stringify(body)).toContain("Shop is down");
    expect(JSON.stringify(body)).not.toContain("Hidden database");
    const html = (await account.client.get(`/status/${page?.slug}`)).body;
    expect(html).toContain("Shop");
    expect(html).not.toContain("Hidden database");
  });

  it("is right again when members are paused, deleted, moved away, added or taken out", async () => {
    const [good, bad] = [await member(), await member()];
    const { id } = await compositeOf([good, bad]);
    await tell(good, "ok");
    await tell(bad, "fail");
    await settle(id);
    expect((await rowOf(id))?.status).toBe("down");

    await account.client.post(`${V1}/monitors/${bad.id}/pause`);
    await settle(bad.id, id);
    expect((await rowOf(id))?.status).toBe("up");

    await account.client.post(`${V1}/monitors/${bad.id}/resume`);
    await tell(bad, "fail");
    await settle(id);
    expect((await rowOf(id))?.status).toBe("down");
    await account.client.put(`${V1}/monitors/${id}`, { child_ids: [good.id] });
    expect((await rowOf(id))?.status).toBe("up");

    await account.client.put(`${V1}/monitors/${id}`, { child_ids: [good.id, bad.id] });
    expect((await rowOf(id))?.status).toBe("down");
    await account.client.put(`${V1}/monitors/${bad.id}`, { status_page_id: null });
    expect((await rowOf(id))?.status).toBe("up");

    await account.client.delete(`${V1}/monitors/${good.id}`);
    expect((await rowOf(id))?.status).toBe("pending");
  });

  it("is in maintenance, to readers and in the SLA, only while each failing member is", async () => {
    const [a, b] = [await member(), await member()];
    const { id } = await compositeOf([a, b]);
    const window = {
      status_page_id,
      title: "Disks",
      targets: [{ target_type: "monitor", target_id: a.id }],
      start_time: new Date(Date.now() - 60_000).toISOString(),
      end_time: new Date(Date.now() + 3_600_000).toISOString(),
    };
    expect((await account.client.post(`${V1}/maintenance`, window)).status).toBe(201);
    const slug = (await account.client.get(`${V1}/status-pages/${status_page_id}`)).body.slug;
    const shown = async () => {
      const { body } = await createClient().get(`/status/${slug}/summary.json`);
      const [{ status, in_maintenance }] = body.monitors;
      return { status, in_maintenance, affected: body.maintenance[0].monitor_ids };
    };
    await tell(b, "ok");
    await tell(a, "fail");
    await settle(id);
    expect(await shown()).toEqual({ status: "down", in_maintenance: true, affected: [id] });
    moveClock(10_000);
    await tell(b, "fail");
    await settle(id);
    expect(await shown()).toEqual({ status: "down", in_maintenance: false, affected: [id] });
    const { body } = await account.client.get(`${V1}/status-pages/${status_page_id}/sla?period=7d`);
    const own = body.monitors.find((each: { monitor_id: string }) => each.monitor_id === id);
    expect(own).toMatchObject({ maintenance_seconds: 11, downtime_seconds: 0 });
  });

  it("can be paused itself, and is what its members are when it goes on", async () => {
    const only = await member();
    const { id } = await compositeOf([only]);
    await tell(only, "fail");
    expect((await account.client.post(`${V1}/monitors/${id}/pause`)).body.status).toBe("paused");
    await tell(only, "ok");
    expect((await rowOf(id))?.status).toBe("paused");
    expect((await account.client.post(`${V1}/monitors/${id}/resume`)).body.status).toBe("up");
  });

  it("of fifty members is settled by one event", async () => {
    const rows = await Promise.all(
      Array.from({ length: 49 }, () => insertMonitor(account.user_id, { status_page_id, status: "up" })),
    );
    const last = await member();
    const { id } = await createMonitor(account.client, {
      name: "Shop",
      type: "composite",
      target: undefined,
      paused: false,
      status_page_id,
      child_ids: [...rows.map((row) => row.id), last.id],
    });
    await tell(last, "fail");
    await settle(id);
    expect(await rowOf(id)).toMatchObject({ status: "down", status_message: "1 of 50 members down" });
  });

  it("is corrected within five minutes when no event of a member reached it", async () => {
    const only = await member();
    const { id } = await compositeOf([only]);
    await db.update(monitors).set({ status: "down", status_since: Date.now() }).where(eq(monitors.id, only.id));
    for (let minute = 0; minute < 5; minute++) {
      await reconcileUnscheduledMonitors(scope, minute * 60_000);
    }
    expect((await rowOf(id))?.status).toBe("down");
  });
});

describe("a composite whose family moves to another page", () => {
  const shown = async (pageId: string) => {
    const [page] = await db.select().from(statusPages).where(eq(statusPages.id, pageId));
    const { body } = await account.client.get(`/status/${page?.slug}/summary.json`);
    return body.monitors.map(({ name, status }: { name: string; status: string }) => `${name} is ${status}`).sort();
  };

  it("counts a member that went alone no more, from the answer on", async () => {
    const [well, ill] = [await member("Well"), await member("Ill")];
    await tell(well, "ok");
    await tell(ill, "fail");
    const shop = await compositeOf([well, ill]);
    expect(await rowOf(shop.id)).toMatchObject({ status: "down" });
    expect(await shown(status_page_id)).toEqual(["Shop is down"]);
    const elsewhere = await createPage(account);
    expect((await moveTo(elsewhere, [ill.id])).body).toMatchObject({ moved: 1, detached_children: [ill.id] });
    expect(await rowOf(shop.id)).toMatchObject({ status: "up" });
    expect(await shown(status_page_id)).toEqual(["Shop is up"]);
    expect(await shown(elsewhere)).toEqual(["Ill is down"]);
    await tell(ill, "ok");
    await tell(ill, "fail");
    await settle(ill.id);
    expect(await rowOf(shop.id)).toMatchObject({ status: "up" });
  });

  it("is right at once where it came to, although it has yet to hear of its members", async () => {
    const child = await member("Child");
    await tell(child, "ok");
    const shop = await compositeOf([child]);
    moveClock(1_000);
    await beat(child, { status: "fail" });
    const elsewhere = await createPage(account);
    expect((await moveTo(elsewhere, [shop.id])).body).toMatchObject({ moved: 2, detached_children: [] });
    expect(await rowOf(shop.id)).toMatchObject({ status: "down", status_page_id: elsewhere });
    expect([await shown(status_page_id), await shown(elsewhere)]).toEqual([[], ["Shop is down"]]);
  });
});
