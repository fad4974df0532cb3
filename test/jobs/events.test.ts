import { createExecutionContext, createMessageBatch, getQueueResult, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { insertEvent } from "../../src/data/events/write.ts";
import { incidentMonitors, incidents, incidentUpdates } from "../../src/data/incidents/table.ts";
import { monitors, statusIntervals, transitions } from "../../src/data/monitors/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { deliveries, webhooks } from "../../src/data/webhooks/table.ts";
import { consumeEvent, sweepEvents } from "../../src/events/consume.ts";
import { newId } from "../../src/platform/ids.ts";
import { monitorObject } from "../../src/platform/monitor-objects.ts";
import { seal } from "../../src/platform/seal.ts";
import worker from "../../src/worker.ts";
import { exampleEvent } from "../support/events.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const db = openDb(env.DB);
const T0 = Date.now() - 3_600_000;

/** A monitor on a public page of an account with one webhook that hears everything. */
async function aStage(page: Partial<typeof statusPages.$inferInsert> = {}) {
  const { user_id } = await createAccount();
  const status_page_id = await insertPage(user_id, {
    auto_create_incident: true,
    auto_publish_incident: true,
    ...page,
  });
  const monitor = await insertMonitor(user_id, { status_page_id, created_at: T0 });
  const webhook_id = newId();
  await db.insert(webhooks).values({
    id: webhook_id,
    owner_id: user_id,
    created_by: user_id,
    name: "all",
    provider: "generic",
    sealed: await seal(env.ROOT_SECRET, webhook_id, { url: "http://sink.test/", secret: null }),
    created_at: T0,
    updated_at: T0,
  });
  return { user_id, status_page_id, monitor_id: monitor.id };
}

const outage = { seq: 2, started_at: T0 + 60_000 };
const up: MonitorTransition = {
  seq: 1,
  from: "pending",
  to: "up",
  at: T0 + 1_000,
  effective_at: T0 + 900,
  message: "HTTP 200",
  latency_ms: 12,
  region: "default",
  outage: null,
  event: null,
};
const down: MonitorTransition = {
  seq: 2,
  from: "up",
  to: "down",
  at: T0 + 80_000,
  effective_at: T0 + 60_000,
  message: "connection refused",
  latency_ms: null,
  region: "default",
  outage,
  event: "monitor.down",
};
const upAgain: MonitorTransition = {
  seq: 3,
  from: "down",
  to: "up",
  at: T0 + 200_000,
  effective_at: T0 + 180_000,
  message: "HTTP 200",
  latency_ms: 9,
  region: "default",
  outage,
  event: "monitor.up",
};

function consume(monitor_id: string, sent: MonitorTransition[], scope = jobScope(recordingEnv().env, "test")) {
  return consumeEvent(scope, { kind: "transitions", monitor_id, transitions: sent });
}

/** Everything that the consumer left behind for a monitor. */
async function traces(monitorId: string) {
  const found = await db.select().from(incidents).where(eq(incidents.origin_monitor_id, monitorId));
  const incidentId = found[0]?.id ?? "";
  return {
    transitions: await db.select().from(transitions).where(eq(transitions.monitor_id, monitorId)),
    intervals: await db.select().from(statusIntervals).where(eq(statusIntervals.monitor_id, monitorId)),
    incidents: found,
    updates: await db.select().from(incidentUpdates).where(eq(incidentUpdates.incident_id, incidentId)),
    affected: await db.select().from(incidentMonitors).where(eq(incidentMonitors.incident_id, incidentId)),
    events: await db.select().from(events).where(eq(events.monitor_id, monitorId)),
    deliveries: await db
      .select({ id: deliveries.id, event_name: deliveries.event_name, data: events.data })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.event_id))
      .where(eq(events.monitor_id, monitorId)),
    audit: await db
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.monitor_id, monitorId), eq(auditLog.actor_type, "system"))),
  };
}

describe("an outage of a muted monitor", () => {
  it("is recorded without an incident, and nobody is notified of it, nor of its end", async () => {
    const { monitor_id } = await aStage();
    const mute = (muted_until: number) => db.update(monitors).set({ muted_until }).where(eq(monitors.id, monitor_id));
    await consume(monitor_id, [up]);
    await mute(Date.now() + 60_000);
    await consume(monitor_id, [down]);
    const during = await traces(monitor_id);
    expect(during.events.map(({ name }) => name)).toEqual(["monitor.down"]);
    expect(during.events.every(({ processed_at }) => processed_at !== null)).toBe(true);
    expect(during.incidents).toEqual([]);
    expect(during.deliveries).toEqual([]);

    await mute(Date.now() - 1);
    await consume(monitor_id, [upAgain]);
    const after = await traces(monitor_id);
    expect(after.deliveries).toEqual([]);
  });
});

describe("an outage", () => {
  it("leaves one published incident, one event of each kind and one delivery for each of them", async () => {
    const { monitor_id, status_page_id } = await aStage();
    await consume(monitor_id, [up]);
    await consume(monitor_id, [down]);
    const during = await traces(monitor_id);
    expect(during.incidents).toMatchObject([
      {
        title: "Shop is down",
        status: "investigating",
        is_public: true,
        started_at: down.effective_at,
        status_page_id,
      },
    ]);
    expect(during.affected).toMatchObject([{ monitor_id }]);
    expect(during.deliveries.map(({ event_name }) => event_name).sort()).toEqual(["incident.created", "monitor.down"]);

    await consume(monitor_id, [upAgain]);
    const after = await traces(monitor_id);
    expect(after.incidents).toMatchObject([{ status: "resolved", resolved_at: upAgain.effective_at }]);
    expect(after.updates.map(({ status }) => status)).toEqual(["investigating", "resolved"]);
    expect(after.deliveries.map(({ event_name }) => event_name).sort()).toEqual([
      ...["incident.created", "incident.resolved", "monitor.down", "monitor.up"],
    ]);
    expect(after.audit.map(({ event_type }) => event_type).sort()).toEqual([
      ...["incident.created", "incident.resolved", "monitor.down", "monitor.status_changed", "monitor.up"],
    ]);
    const told = after.deliveries.find(({ event_name }) => event_name === "monitor.down");
    expect(told?.data).toMatchObject({
      monitor_id,
      monitor_name: "Shop",
      status: "down",
      message: "connection refused",
      region: "default",
    });
    for (const name of ["incident.created", "incident.resolved"]) {
      const { data } = after.deliveries.find(({ event_name }) => event_name === name) ?? {};
      expect(data).toMatchObject({ monitor_ids: [monitor_id], group_ids: [], impact: null });
    }
  });

  it("of an incident that is not published reaches the team alone", async () => {
    const { monitor_id } = await aStage({ auto_publish_incident: false });
    await consume(monitor_id, [up, down]);
    const { deliveries: sent, events: stored } = await traces(monitor_id);
    expect(sent.map(({ event_name }) => event_name)).toEqual(["monitor.down"]);
    expect(stored.find(({ name }) => name === "incident.created")).toMatchObject({ classification: "team_only" });
  });

  it("is dated back to the first failing check in the intervals, without gap or overlap", async () => {
    const { monitor_id } = await aStage();
    await consume(monitor_id, [up, down, upAgain]);
    const { intervals } = await traces(monitor_id);
    expect(intervals.map(({ status, from_at, to_at }) => [status, from_at, to_at])).toEqual([
      ["pending", T0, up.effective_at],
      ["up", up.effective_at, down.effective_at],
      ["down", down.effective_at, upAgain.effective_at],
      ["up", upAgain.effective_at, null],
    ]);
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, monitor_id));
    expect(monitor).toMatchObject({ status: "up", state_seq: 3, status_since: upAgain.effective_at });
  });

  it("doubles nothing when its messages come twice, together or at the same time", async () => {
    const { monitor_id } = await aStage();
    await consume(monitor_id, [up, down]);
    await Promise.all([
      consume(monitor_id, [up, down, upAgain]),
      consume(monitor_id, [down, upAgain]),
      consume(monitor_id, [up, down, upAgain]),
    ]);
    const once = await traces(monitor_id);
    await consume(monitor_id, [up, down, upAgain]);
    expect(await traces(monitor_id)).toEqual(once);
    expect(once.transitions).toHaveLength(3);
    expect(once.incidents).toHaveLength(1);
    expect(once.updates).toHaveLength(2);
    expect(once.deliveries).toHaveLength(4);
  });

  it("is committed whole or not at all when the database fails in between", async () => {
    const { monitor_id } = await aStage();
    await consume(monitor_id, [up]);
    const before = await traces(monitor_id);
    const broken = new Proxy(env.DB, {
      get: (target, name) => {
        if (name === "batch") return () => Promise.reject(new Error("D1_ERROR: storage is reset"));
        const member = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    await expect(consume(monitor_id, [down], jobScope(recordingEnv({ DB: broken }).env, "test"))).rejects.toThrow();
    expect(await traces(monitor_id)).toEqual(before);
    await consume(monitor_id, [down]);
    expect((await traces(monitor_id)).incidents).toHaveLength(1);
  });

  it("does not resolve twice what a person has resolved, and leaves a person's own incident alone", async () => {
    const { monitor_id } = await aStage();
    await consume(monitor_id, [up, down]);
    await db
      .update(incidents)
      .set({ status: "resolved", resolved_at: T0 })
      .where(eq(incidents.origin_monitor_id, monitor_id));
    await consume(monitor_id, [upAgain]);
    const after = await traces(monitor_id);
    expect(after.incidents).toMatchObject([{ status: "resolved", resolved_at: T0 }]);
    expect(after.events.map(({ name }) => name)).not.toContain("incident.resolved");
  });

  it.each<[string, Partial<typeof statusPages.$inferInsert>, { auto_create_incident: boolean | null }, number]>([
    ["the page says so", { auto_create_incident: true }, { auto_create_incident: null }, 1],
    ["the page does not", { auto_create_incident: false }, { auto_create_incident: null }, 0],
    ["the monitor says so against its page", { auto_create_incident: false }, { auto_create_incident: true }, 1],
    ["the monitor refuses against its page", { auto_create_incident: true }, { auto_create_incident: false }, 0],
    ["the page has incidents switched off", { incident_system_enabled: false }, { auto_create_incident: true }, 0],
  ])("makes an incident as decided when %s", async (_name, page, monitor, count) => {
    const { monitor_id } = await aStage(page);
    await db.update(monitors).set(monitor).where(eq(monitors.id, monitor_id));
    await consume(monitor_id, [up, down]);
    expect((await traces(monitor_id)).incidents).toHaveLength(count);
  });

  it("bumps the version of its page, so that readers rebuild it", async () => {
    const { monitor_id, status_page_id } = await aStage();
    const versionOf = async () =>
      (await db.select().from(statusPages).where(eq(statusPages.id, status_page_id)))[0]?.version;
    const before = await versionOf();
    await consume(monitor_id, [up]);
    expect(await versionOf()).toBeGreaterThan(before ?? 0);
  });
});

describe("stored events", () => {
  it("whose message was lost are found by the sweep after 30 seconds and announced once", async () => {
    const { user_id, status_page_id } = await aStage();
    const event = {
      owner_id: user_id,
      status_page_id,
      monitor_id: null,
      name: "deploy",
      classification: "public" as const,
    };
    const id = newId();
    const insertAt = (created_at: number, eventId: string) =>
      runBatch(db, [insertEvent(db, exampleEvent({ ...event, id: eventId, data: {}, created_at }))]);
    await insertAt(Date.now() - 31_000, id);
    await insertAt(Date.now(), newId());
    const { env: recording, events: sent } = recordingEnv();
    const scope = jobScope(recording, "test");
    await sweepEvents(scope);
    expect(sent).toEqual([{ body: { kind: "event", event_id: id } }]);
    await consumeEvent(scope, { kind: "event", event_id: id });
    await consumeEvent(scope, { kind: "event", event_id: id });
    expect(await db.select().from(deliveries).where(eq(deliveries.event_id, id))).toHaveLength(1);
    await sweepEvents(scope);
    expect(sent).toHaveLength(1);
  });
});

describe("the events queue", () => {
  it("is the last that is heard of a deleted monitor whose object did not learn of it", async () => {
    const { monitor_id } = await aStage();
    await monitorObject(env, monitor_id).sync(monitor_id, 1);
    const stub = env.MONITOR.get(env.MONITOR.idFromName(monitor_id));
    const readObject = () => runInDurableObject(stub, (_object, state) => state.storage.kv.get("monitor"));
    expect(await readObject()).toMatchObject({ monitor_id });
    await db.delete(monitors).where(eq(monitors.id, monitor_id));
    await consumeEvent(jobScope(recordingEnv().env, "test"), { kind: "transitions", monitor_id, transitions: [up] });
    expect(await readObject()).toBeUndefined();
    expect(await db.select().from(events).where(eq(events.monitor_id, monitor_id))).toEqual([]);
  });

  it("drops a poison message and still handles the others of its batch", async () => {
    const { monitor_id } = await aStage();
    const batch = createMessageBatch("events", [
      { id: "poison", timestamp: new Date(), attempts: 1, body: { nonsense: true } },
      { id: "gone", timestamp: new Date(), attempts: 1, body: { monitor_id: newId(), transitions: [up] } },
      { id: "good", timestamp: new Date(), attempts: 1, body: { kind: "transitions", monitor_id, transitions: [up] } },
    ]);
    const ctx = createExecutionContext();
    await worker.queue(batch, recordingEnv().env, ctx);
    const result = await getQueueResult(batch, ctx);
    expect([...result.explicitAcks].sort()).toEqual(["gone", "good", "poison"]);
    expect((await traces(monitor_id)).transitions).toHaveLength(1);
  });
});

describe("an outage during which its monitor moves to another page", () => {
  it("is resolved on the page that shows it", async () => {
    const { user_id, status_page_id, monitor_id } = await aStage();
    await consume(monitor_id, [up, down]);
    const elsewhere = await insertPage(user_id);
    await db.update(monitors).set({ status_page_id: elsewhere }).where(eq(monitors.id, monitor_id));
    const versionOf = async () =>
      (await db.select().from(statusPages).where(eq(statusPages.id, status_page_id)))[0]?.version ?? 0;
    const before = await versionOf();
    await consume(monitor_id, [upAgain]);
    expect((await traces(monitor_id)).incidents).toMatchObject([{ status_page_id, status: "resolved" }]);
    expect(await versionOf()).toBe(before + 1);
  });
});
