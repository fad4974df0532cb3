import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { Region } from "../../src/contract/monitor-values.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { maintenanceCoverage } from "../../src/data/maintenance/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import type { OutageRecord } from "../../src/data/outages/read.ts";
import { insertOutage } from "../../src/data/outages/write.ts";
import { composeAlert, NO_READER } from "../../src/domain/alert-messages.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { newId } from "../../src/platform/ids.ts";
import { monitorObject } from "../../src/platform/monitor-objects.ts";
import { aStage, submit } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { exampleEvent } from "../support/events.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";
import { recordingEnv } from "../support/queues.ts";

const db = openDb(env.DB);
const outside = vi.spyOn(globalThis, "fetch");
beforeEach(() => void outside.mockReset().mockImplementation(async () => new Response("ok")));

/** A monitor of a page that fails its first check and may go on from there. */
async function aBrokenShop(answer: () => Response) {
  const account = await createAccount();
  const status_page_id = await createPage(account, { auto_create_incident: true });
  const monitor = await createMonitor(account.client, {
    status_page_id,
    failure_threshold: 1,
    recovery_threshold: 1,
    http_headers: { "x-api-key": "swordfish" },
  });
  outside.mockImplementation(async () => answer());
  await account.client.post(`${V1}/monitors/${monitor.id}/resume`);
  const outagesOf = async (path = `monitors/${monitor.id}`) => (await account.client.get(`${V1}/${path}/outages`)).body;
  await vi.waitFor(async () => expect(await outagesOf()).toHaveLength(1), PATIENCE);
  return { account, monitor, status_page_id, outagesOf };
}

const unavailable = () =>
  new Response("<h1>Out\u0000 of order</h1>\n swordfish", { status: 503, statusText: "Service Unavailable" });

describe("GET /monitors/{id}/outages", () => {
  it("gives what the monitor was down for, with its cause, evidence and incident, while it lasts and after", async () => {
    const { account, monitor, status_page_id, outagesOf } = await aBrokenShop(unavailable);
    const [incident] = (await account.client.get(`${V1}/incidents?monitor_id=${monitor.id}`)).body;
    await account.client.post(`${V1}/incidents/${incident.id}/acknowledge`);
    const [open] = await outagesOf();
    expect(open).toEqual({
      id: expect.any(String),
      monitor_id: monitor.id,
      started_at: expect.any(String),
      ended_at: null,
      duration_seconds: expect.any(Number),
      cause: "HTTP 503 instead of a 2xx",
      regions: ["default"],
      incident_id: incident.id,
      acknowledged_at: expect.any(String),
      in_maintenance: false,
      evidence: { status_line: "HTTP 503 Service Unavailable", excerpt: "<h1>Out of order</h1> ***", addresses: [] },
    });
    expect(await outagesOf(`status-pages/${status_page_id}`)).toMatchObject([{ id: open.id }]);

    outside.mockImplementation(async () => new Response("ok"));
    await account.client.post(`${V1}/monitors/${monitor.id}/check`);
    await vi.waitFor(async () => expect((await outagesOf())[0]?.ended_at).not.toBeNull(), PATIENCE);
    const [ended] = await outagesOf();
    const lasted = Date.parse(ended.ended_at) - Date.parse(ended.started_at);
    expect(ended).toMatchObject({ id: open.id, started_at: open.started_at });
    expect(ended.duration_seconds).toBe(Math.round(lasted / 1000));
  });

  it("leads to what each location saw in full, of the failure and of the recovery", async () => {
    const { account, monitor } = await aBrokenShop(unavailable);
    const read = async () => (await account.client.get(`${V1}/monitors/${monitor.id}/evidence`)).body;
    expect(await read()).toEqual([
      {
        location: "default",
        location_name: "This service",
        found: "failure",
        checked_at: expect.any(String),
        message: "HTTP 503 instead of a 2xx",
        observation: expect.objectContaining({
          request: expect.objectContaining({ headers: expect.arrayContaining([["x-api-key", "***"]]) }),
          response: expect.objectContaining({ line: "HTTP 503 Service Unavailable" }),
          body: "<h1>Out of order</h1>\n ***",
        }),
      },
    ]);
    outside.mockImplementation(async () => new Response("welcome back"));
    await account.client.post(`${V1}/monitors/${monitor.id}/check`);
    expect(await read()).toMatchObject([
      { found: "failure" },
      { found: "success", observation: { body: "welcome back" } },
    ]);
    const shown = await account.client.get(`/app/monitors/${monitor.id}/evidence`);
    expect(shown.status).toBe(200);
  });

  it("keeps what an agent saw in full, and the path that it found later, for those who may read secrets", async () => {
    const stage = await aStage({ failure_threshold: 1 });
    const checked_at = new Date().toISOString();
    const observation = { response: { line: "HTTP 500", headers: [["server", "inner-7"]] }, body: "no route" };
    const failed = { status: "down", message: "HTTP 500", checked_at, observation };
    expect((await submit(stage, failed)).status).toBe(200);
    const path = { by: "ttl", hops: [{ ttl: 1, address: "10.0.0.1", latency_ms: 0.4 }] };
    expect((await submit(stage, { ...failed, observation: { ...observation, path } })).status).toBe(200);
    const address = `${V1}/monitors/${stage.monitor.id}/evidence`;
    const hops = [{ ttl: 1, address: "10.0.0.1", latency_ms: 0 }];
    expect((await stage.account.client.get(address)).body).toMatchObject([
      { found: "failure", observation: { body: "no route", path: { hops } } },
    ]);
  });

  it("keeps what an agent saw of the failure", async () => {
    const stage = await aStage({ failure_threshold: 1 });
    const evidence = { status_line: "HTTP 500", excerpt: "no route", addresses: ["10.0.0.7"] };
    expect((await submit(stage, { status: "down", message: "HTTP 500", evidence })).status).toBe(200);
    const read = async () => (await stage.account.client.get(`${V1}/monitors/${stage.monitor.id}/outages`)).body;
    await vi.waitFor(async () => expect(await read()).toMatchObject([{ cause: "HTTP 500", evidence }]), PATIENCE);
  });

  it("names all regions in which its first round failed, while the alert names those that decided", async () => {
    const account = await createAccount();
    const page = await createPage(account);
    const fields = { status_page_id: page, failure_threshold: 1, regions: ["weur", "enam", "apac"] as Region[] };
    const monitor = await insertMonitor(account.user_id, fields);
    const slot_at = Date.now();
    const failing = (region: string) => {
      const outcome = "failure" as const;
      return { region, slot_at, attempt: 0, checked_at: slot_at, outcome, latency_ms: null, message: "HTTP 500" };
    };
    const object = monitorObject(env, monitor.id);
    await object.report(monitor.id, 1, [failing("weur"), failing("enam")]);
    const read = async () => (await account.client.get(`${V1}/monitors/${monitor.id}/outages`)).body;
    await vi.waitFor(async () => expect(await read()).toMatchObject([{ regions: ["weur", "enam"] }]), PATIENCE);
    await object.report(monitor.id, 1, [failing("apac")]);
    await vi.waitFor(async () => expect(await read()).toMatchObject([{ regions: ["weur", "enam", "apac"] }]), PATIENCE);

    const [event] = await openDb(env.DB).select().from(events).where(eq(events.monitor_id, monitor.id));
    expect(event?.data).toMatchObject({ locations_down: ["weur", "enam"], locations_total: 3 });
    const { text, facts } = composeAlert(exampleEvent({ name: "monitor.down", data: event?.data }), NO_READER);
    expect(text).toBe("HTTP 500, failing from 2 of 3 locations: Western Europe, Eastern North America");
    expect(facts.map(({ label }) => label)).not.toContain("Region");
  });

  it("keeps them for an outage that is recorded later than they are known", async () => {
    const { user_id } = await createAccount();
    const monitor = await insertMonitor(user_id);
    const recording = recordingEnv();
    const regions_of = { monitor_id: monitor.id, seq: 1, regions: ["weur"] };
    await consumeEvent(jobScope(recording.env, "events"), { kind: "regions", regions_of });
    expect(recording.events).toEqual([{ body: { kind: "regions", regions_of }, delaySeconds: 10 }]);
    await consumeEvent(jobScope(recording.env, "events"), {
      kind: "regions",
      regions_of: { ...regions_of, monitor_id: newId() },
    });
    expect(recording.events).toHaveLength(1);
  });

  it("says when a maintenance window covered its beginning", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const monitor = await createMonitor(account.client, { status_page_id, failure_threshold: 1 });
    await account.client.post(`${V1}/maintenance`, {
      status_page_id,
      title: "Move",
      is_public: true,
      targets: [{ target_type: "monitor", target_id: monitor.id }],
      start_time: new Date(Date.now() - 60_000).toISOString(),
      end_time: new Date(Date.now() + 3_600_000).toISOString(),
    });
    outside.mockImplementation(async () => unavailable());
    await account.client.post(`${V1}/monitors/${monitor.id}/resume`);
    const read = async () => (await account.client.get(`${V1}/monitors/${monitor.id}/outages`)).body;
    await vi.waitFor(async () => expect(await read()).toMatchObject([{ in_maintenance: true }]), PATIENCE);
  });

  it("shows of one that an agent reported late what it shows of any other, and nobody is alarmed", async () => {
    const now = Date.now();
    const stage = await aStage({ failure_threshold: 2, recovery_threshold: 1, created_at: now - 4 * 3_600_000 });
    const { client } = stage.account;
    const status_page_id = await createPage(stage.account, { auto_create_incident: true });
    const onPage = { status_page_id, page_since: now - 4 * 3_600_000 };
    await db.update(monitors).set(onPage).where(eq(monitors.id, stage.monitor.id));
    const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
    const window = { maintenance_id: newId(), start_at: now - 60 * 60_000, end_at: now - 40 * 60_000 };
    await db
      .insert(maintenanceCoverage)
      .values({ ...window, status_page_id, is_public: true, covers_page: true, monitor_ids: [] });
    const evidence = { status_line: "HTTP 500", excerpt: "no route", addresses: ["10.0.0.7"] };
    const reportOf = (status: "up" | "down", minutes: number) => {
      const failure = status === "down" ? { message: `refused ${minutes}`, evidence } : {};
      return { status, checked_at: minutesAgo(minutes), ...failure };
    };
    const statuses = (first: number, all: string) =>
      [...all].map((each, n) => reportOf(each === "." ? "up" : "down", first - n));
    await submit(stage, [...statuses(58, "..xxx.."), ...statuses(30, "..xxx..")]);
    await submit(stage, statuses(24, "."));
    const read = async () => (await client.get(`${V1}/monitors/${stage.monitor.id}/outages`)).body;
    expect(await read()).toMatchObject([
      { started_at: minutesAgo(28), ended_at: minutesAgo(25), cause: "refused 28", evidence, in_maintenance: false },
      { started_at: minutesAgo(56), ended_at: minutesAgo(53), cause: "refused 56", evidence, in_maintenance: true },
    ]);
    const range = `from=${minutesAgo(120)}&to=${minutesAgo(10)}`;
    const { body: sla } = await client.get(`${V1}/status-pages/${status_page_id}/sla?${range}`);
    expect(sla.monitors).toMatchObject([{ downtime_seconds: 180 }]);
    expect((await client.get(`${V1}/incidents?status_page_id=${status_page_id}`)).body).toEqual([]);
    const told = await db.select({ name: events.name }).from(events).where(eq(events.monitor_id, stage.monitor.id));
    expect(told.map(({ name }) => name).filter((name) => name !== "monitor.up")).toEqual([]);
  });

  it("is for those alone who see the monitor", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const monitor = await createMonitor(account.client, { status_page_id });
    const { member: viewer } = await createMember(account, { role: "viewer" }, status_page_id);
    const outsider = await createAccount();
    for (const path of [
      `monitors/${monitor.id}/outages`,
      `monitors/${monitor.id}/events`,
      `status-pages/${status_page_id}/outages`,
    ]) {
      expect((await viewer.client.get(`${V1}/${path}`)).status).toBe(200);
      expect((await outsider.client.get(`${V1}/${path}`)).status).toBe(404);
    }
  });
});

describe("a list of outages", () => {
  const T0 = Date.parse("2026-03-01T00:00:00Z");
  const HOUR = 3_600_000;
  const iso = (hours: number) => new Date(T0 + hours * HOUR).toISOString();
  const db = openDb(env.DB);

  /** Outages of these hours, the last of which has not ended. */
  async function withOutages(account: Account, status_page_id: string, ...hours: [number, number | null][]) {
    const { id: monitor_id } = await createMonitor(account.client, { status_page_id });
    const rows = hours.map(
      ([from, to], seq): OutageRecord => ({
        id: newId(),
        monitor_id,
        seq,
        status_page_id,
        cause: `outage ${seq}`,
        regions: [],
        evidence: null,
        started_at: T0 + from * HOUR,
        ended_at: to === null ? null : T0 + to * HOUR,
        in_maintenance: false,
      }),
    );
    await runBatch(
      db,
      rows.map((row) => insertOutage(db, row)),
    );
    return monitor_id;
  }

  it("is narrowed to those that overlap a range, and given in pages, the latest first", async () => {
    const account = await createAccount();
    const page = await createPage(account);
    const id = await withOutages(account, page, [0, 1], [2, 3], [4, null]);
    const read = (query: string) => account.client.get(`${V1}/monitors/${id}/outages${query}`);
    const causes = async (query: string) => (await read(query)).body.map(({ cause }: { cause: string }) => cause);
    expect(await causes("")).toEqual(["outage 2", "outage 1", "outage 0"]);
    expect(await causes(`?from=${iso(1)}`)).toEqual(["outage 2", "outage 1"]);
    expect(await causes(`?to=${iso(2)}`)).toEqual(["outage 0"]);
    expect(await causes(`?from=${iso(2.5)}&to=${iso(2.6)}`)).toEqual(["outage 1"]);
    expect(await causes(`?from=${iso(9)}`)).toEqual(["outage 2"]);
    const second = await read("?limit=1&offset=1");
    expect(second.body).toMatchObject([{ cause: "outage 1", duration_seconds: 3600 }]);
    expect(second.headers.get("x-total-count")).toBe("3");
    expect(second.headers.get("link")).toContain('rel="next"');
    expect((await read("?from=yesterday")).status).toBe(400);
  });

  it("of a page leaves out monitors that have left it", async () => {
    const account = await createAccount();
    const [page, other] = [await createPage(account), await createPage(account)];
    const stays = await withOutages(account, page, [0, 1]);
    const leaves = await withOutages(account, page, [2, 3]);
    await account.client.put(`${V1}/monitors/${leaves}`, { status_page_id: other });
    const listOf = async (id: string) => (await account.client.get(`${V1}/status-pages/${id}/outages`)).body;
    expect(await listOf(page)).toMatchObject([{ monitor_id: stays }]);
    expect(await listOf(other)).toEqual([]);
  });
});

describe("GET /monitors/{id}/events", () => {
  it("gives every change of status, which the audit timeline of the monitor shows, too", async () => {
    const { account, monitor } = await aBrokenShop(unavailable);
    const { body, headers } = await account.client.get(`${V1}/monitors/${monitor.id}/events`);
    expect(body.map(({ to_status }: { to_status: string }) => to_status)).toEqual(["down", "pending"]);
    expect(body[0]).toEqual({
      id: expect.any(String),
      event: "monitor.down",
      from_status: "pending",
      to_status: "down",
      at: expect.any(String),
      message: "HTTP 503 instead of a 2xx",
      region: "default",
    });
    expect(body[1]).toMatchObject({ event: null, from_status: "paused", region: null });
    expect(headers.get("x-total-count")).toBe("2");
    const timeline = await account.client.get(`${V1}/audit/monitor/${monitor.id}/events?event_type=monitor.down`);
    expect(timeline.body).toMatchObject([
      {
        event_type: "monitor.down",
        actor: { type: "system" },
        monitor_id: monitor.id,
        summary: 'monitor "Shop" went down',
        data: { from_status: "pending", to_status: "down", message: "HTTP 503 instead of a 2xx", at: body[0].at },
        created_at: expect.any(String),
      },
    ]);
    expect(JSON.stringify(timeline.body)).not.toContain("order");
  });
});
