import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope, type Scope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { createClient, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { aTeam, auditOf, INCIDENTS, NOWHERE, namesOf, openIncident, toldOf, versionOf } from "../support/incidents.ts";
import { insertIncident } from "../support/pages.ts";
import { recordingEnv } from "../support/queues.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);
const STATUSES = ["investigating", "identified", "monitoring", "resolved"];

describe("POST /incidents", () => {
  it("makes an incident that nobody but the team sees, and announces it", async () => {
    const { account, status_page_id } = await aTeam();
    const version = await versionOf(status_page_id);
    const incident = await openIncident(account, { status_page_id, title: " Slow " });
    expect(incident).toEqual({
      id: incident.id,
      status_page_id,
      title: "Slow",
      description: null,
      severity: "minor",
      status: "investigating",
      impact: null,
      is_public: false,
      monitor_ids: [],
      group_ids: [],
      assigned_to_id: null,
      tags: "[]",
      created_automatically: false,
      started_at: incident.created_at,
      resolved_at: null,
      acknowledged_at: null,
      acknowledged_by: null,
      updates: [],
      created_by: account.user_id,
      created_at: incident.created_at,
      updated_at: incident.created_at,
    });
    expect(await toldOf(status_page_id)).toMatchObject([
      { name: "incident.created", data: { incident_id: incident.id, title: "Slow", is_public: false } },
    ]);
    expect(await versionOf(status_page_id)).toBeGreaterThan(version);
    expect(await auditOf(status_page_id)).toContain("incident.created");
  });

  it("takes every field, in the native and the string form", async () => {
    const { account, status_page_id, monitor_id, group_id } = await aTeam();
    const other = (await createMonitor(account.client, { status_page_id })).id;
    const fields = {
      title: "Outage",
      description: "It is *down*",
      severity: "critical",
      status: "identified",
      impact: "No orders",
      is_public: true,
      group_ids: [group_id],
      assigned_to_id: account.user_id,
      started_at: "2026-11-01T10:00:00.000Z",
    };
    const body = { ...fields, status_page_id, monitor_id: other, monitor_ids: [monitor_id, monitor_id] };
    const incident = await openIncident(account, { ...body, tags: '["db"]', message: "We look." });
    expect(incident).toMatchObject({ ...fields, tags: '["db"]' });
    expect(incident.monitor_ids.toSorted()).toEqual([monitor_id, other].toSorted());
    expect(incident.updates).toMatchObject([
      { status: "identified", message: "We look.", created_by: account.user_id },
    ]);
    expect(await openIncident(account, { status_page_id, tags: ["a", "b"] })).toMatchObject({ tags: '["a","b"]' });
  });

  it("dates a resolved one", async () => {
    const { account, status_page_id } = await aTeam();
    const incident = await openIncident(account, { status_page_id, status: "resolved" });
    expect(incident.resolved_at).toBe(incident.created_at);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["no title", { title: undefined }, "title is required"],
    ["an empty title", { title: "  " }, "title must not be empty"],
    ["a title of 201 characters", { title: "x".repeat(201) }, "title must have at most 200 characters"],
    ["no page", { status_page_id: undefined }, "status_page_id is required"],
    ["a malformed page", { status_page_id: "x" }, "status_page_id must be a UUID"],
    ["a page that is not there", { status_page_id: NOWHERE }, "status_page_id does not exist or is not visible to you"],
    ["another severity", { severity: "bad" }, "severity must be one of minor, major, critical"],
    ["another status", { status: "open" }, "status must be one of investigating, identified, monitoring, resolved"],
    [
      "a monitor that is not there",
      { monitor_ids: [NOWHERE] },
      "monitor_ids[0] does not exist or is not visible to you",
    ],
    ["one monitor that is not there", { monitor_id: NOWHERE }, "monitor_id does not exist or is not visible to you"],
    ["a group that is not there", { group_ids: [NOWHERE] }, "group_ids[0] does not exist or is not visible to you"],
    ["a stranger in charge", { assigned_to_id: NOWHERE }, "assigned_to_id must name a member of this status page"],
    ["tags that are no JSON", { tags: "a,b" }, "tags is not valid JSON"],
    ["a start to come", { started_at: "2999-01-01T00:00:00Z" }, "started_at must not lie in the future"],
    ["a long description", { description: "x".repeat(10_001) }, "description must have at most 10000 characters"],
  ])("refuses %s", async (_name, fields, error) => {
    const { client, status_page_id } = await aTeam();
    const answer = await client.post(INCIDENTS, { title: "T", status_page_id, ...fields });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)]);
    expect(await namesOf(status_page_id)).toEqual([]);
  });

  it("refuses what is on another page, naming its place", async () => {
    const { account, client, status_page_id, monitor_id, group_id } = await aTeam();
    const elsewhere = await createPage(account);
    const alone = (await createMonitor(client)).id;
    for (const [fields, path] of [
      [{ monitor_ids: [monitor_id] }, "monitor_ids[0]"],
      [{ monitor_id }, "monitor_id"],
      [{ group_ids: [group_id] }, "group_ids[0]"],
    ] as const) {
      const answer = await client.post(INCIDENTS, { title: "T", status_page_id: elsewhere, ...fields });
      expect([answer.status, answer.body.details[0].path]).toEqual([400, path]);
    }
    const answer = await client.post(INCIDENTS, { title: "T", status_page_id, monitor_ids: [monitor_id, alone] });
    expect([answer.status, answer.body.details[0].path]).toEqual([400, "monitor_ids[1]"]);
  });

  it("is a conflict while incidents are switched off on the page", async () => {
    const { client, status_page_id } = await aTeam();
    await db.update(statusPages).set({ incident_system_enabled: false }).where(eq(statusPages.id, status_page_id));
    expect(await client.post(INCIDENTS, { title: "T", status_page_id })).toMatchObject({
      status: 409,
      body: { error: "incidents are disabled on this status page" },
    });
  });

  it("makes one under one Idempotency-Key and announces it once", async () => {
    const { client, status_page_id } = await aTeam();
    const send = (title: string) => client.post(INCIDENTS, { title, status_page_id }, { "idempotency-key": "k" });
    const [first, second] = [await send("T"), await send("T")];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect((await send("U")).status).toBe(422);
    expect(await namesOf(status_page_id)).toEqual(["incident.created"]);
  });
});

describe("the status of an incident", () => {
  const moves = STATUSES.flatMap((from) => STATUSES.map((to) => ({ from, to }))).filter(({ from, to }) => from !== to);

  it.each(moves)("moves from $from to $to, in the timeline and in an event", async ({ from, to }) => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id, status: from });
    const { body } = await client.put(`${INCIDENTS}/${id}`, { status: to });
    expect(body).toMatchObject({ status: to, resolved_at: to === "resolved" ? body.updated_at : null });
    expect(body.updates).toMatchObject([{ status: to, message: `The status changed to ${to}.` }]);
    const told = to === "resolved" ? "incident.resolved" : "incident.updated";
    expect(await namesOf(status_page_id)).toEqual(["incident.created", told]);
  });

  it.each(STATUSES)("that is %s already stays so without a word", async (status) => {
    const { account, client, status_page_id } = await aTeam();
    const incident = await openIncident(account, { status_page_id, status });
    const { status: code, body } = await client.put(`${INCIDENTS}/${incident.id}`, { status });
    expect([code, body.resolved_at, body.updates]).toEqual([200, incident.resolved_at, []]);
    expect(await namesOf(status_page_id)).toEqual(["incident.created"]);
  });

  it("is announced once when two people resolve at the same time", async () => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id });
    const answers = await Promise.all(
      [1, 2, 3].map(() => client.post(`${INCIDENTS}/${id}/updates`, { status: "resolved", message: "Over." })),
    );
    const made = answers.filter(({ status }) => status === 201).length;
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const told = await namesOf(status_page_id);
    expect(told.filter((name) => name === "incident.resolved")).toHaveLength(1);
    expect(told).toHaveLength(1 + made);
  });

  it("cannot be reopened while the monitor has another automatic incident that is open", async () => {
    const { account, client, status_page_id, monitor_id } = await aTeam();
    const origin = (outage: number) => ({
      owner_id: account.user_id,
      status_page_id,
      origin_monitor_id: monitor_id,
      origin_outage_id: `${monitor_id}/${outage}`,
    });
    const over = await insertIncident({ ...origin(1), status: "resolved", resolved_at: Date.now() });
    const open = await insertIncident(origin(2));
    expect(await client.put(`${INCIDENTS}/${over}`, { status: "monitoring" })).toMatchObject({
      status: 409,
      body: { error: "the monitor already has another open incident" },
    });
    expect((await client.get(`${INCIDENTS}/${over}`)).body).toMatchObject({ status: "resolved", updates: [] });
    await client.put(`${INCIDENTS}/${open}`, { status: "resolved" });
    expect((await client.put(`${INCIDENTS}/${over}`, { status: "monitoring" })).body).toMatchObject({
      status: "monitoring",
      resolved_at: null,
      created_automatically: true,
    });
  });
});

describe("PUT /incidents/{id}", () => {
  it("keeps what is absent, clears what is null, and takes back what it gave", async () => {
    const { account, client, status_page_id, monitor_id, group_id } = await aTeam();
    const fields = { description: "d", impact: "i", tags: ["t"], assigned_to_id: account.user_id };
    const affected = { monitor_ids: [monitor_id], group_ids: [group_id] };
    const incident = await openIncident(account, { status_page_id, ...fields, ...affected });
    const path = `${INCIDENTS}/${incident.id}`;
    const same = (await client.put(path, incident)).body;
    expect({ ...same, updated_at: incident.updated_at }).toEqual(incident);
    expect((await client.put(path, { title: "New" })).body).toMatchObject({
      title: "New",
      description: "d",
      ...affected,
    });
    const nothing = { description: null, impact: null, tags: null, assigned_to_id: null };
    expect((await client.put(path, { ...nothing, monitor_ids: null, group_ids: null })).body).toMatchObject({
      title: "New",
      description: null,
      impact: null,
      tags: "[]",
      assigned_to_id: null,
      monitor_ids: [],
      group_ids: [],
    });
    expect(await namesOf(status_page_id)).toEqual(["incident.created"]);
  });
});

describe("publishing", () => {
  it("shows an incident once, hides it, and changes nothing twice", async () => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id });
    const act = async (verb: string) => (await client.post(`${INCIDENTS}/${id}/${verb}`)).body.is_public;
    expect([await act("publish"), await act("publish")]).toEqual([true, true]);
    expect(await namesOf(status_page_id)).toEqual(["incident.created", "incident.updated"]);
    expect([await act("unpublish"), await act("unpublish")]).toEqual([false, false]);
    expect(await namesOf(status_page_id)).toHaveLength(2);
    expect(await auditOf(status_page_id)).toEqual(
      expect.arrayContaining(["incident.published", "incident.unpublished"]),
    );
  });
});

describe("POST /incidents/{id}/acknowledge", () => {
  it("records the person who says so first", async () => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id });
    const first = await client.post(`${INCIDENTS}/${id}/acknowledge`);
    expect(first.body).toMatchObject({ acknowledged_by: account.user_id, acknowledged_at: expect.any(String) });
    expect((await client.post(`${INCIDENTS}/${id}/acknowledge`)).body).toEqual(first.body);
  });
});

describe("the timeline", () => {
  it("takes an update that was written about another status only where nobody says which", async () => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id, status: "resolved" });
    const path = `${INCIDENTS}/${id}/updates`;
    const stale = await client.post(path, {
      message: "Found.",
      status: "identified",
      expected_status: "investigating",
    });
    expect([stale.status, stale.body.error]).toEqual([
      409,
      "expected_status is investigating, and the status is resolved",
    ]);
    expect((await client.get(path)).body).toEqual([]);
    const known = await client.post(path, { message: "A note.", expected_status: "resolved" });
    expect([known.status, known.body.status]).toEqual([201, "resolved"]);
  });

  it("takes updates with and without a move, announces each, and lists them newest first", async () => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id });
    const path = `${INCIDENTS}/${id}/updates`;
    const first = await client.post(path, { message: " We look. ", notify_subscribers: false });
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: first.body.id,
        incident_id: id,
        status: "investigating",
        message: "We look.",
        created_by: account.user_id,
        created_at: first.body.created_at,
        updated_at: first.body.created_at,
      },
    ]);
    const second = await client.post(path, { message: "Over.", status: "resolved" });
    const third = await client.post(path, { message: "What it was.", status: "resolved" });
    expect((await client.get(path)).body).toEqual([third.body, second.body, first.body]);
    const page = await client.get(`${path}?limit=1&offset=1`);
    expect([page.body, page.headers.get("x-total-count")]).toEqual([[second.body], "3"]);
    const incident = (await client.get(`${INCIDENTS}/${id}`)).body;
    expect(incident).toMatchObject({ status: "resolved", resolved_at: second.body.created_at });
    expect(incident.updates).toEqual([third.body, second.body, first.body]);
    const told = (await toldOf(status_page_id)).slice(1);
    expect(told.map(({ name, data }) => [name, data.message, data.notify_subscribers])).toEqual([
      ["incident.updated", "We look.", false],
      ["incident.resolved", "Over.", true],
      ["incident.updated", "What it was.", true],
    ]);
  });

  it("is corrected and cut without telling anybody", async () => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id, message: "Tpyo" });
    const [{ id: update }] = (await client.get(`${INCIDENTS}/${id}/updates`)).body;
    const path = `${INCIDENTS}/${id}/updates/${update}`;
    expect((await client.put(path, { message: "Typo" })).body).toMatchObject({ message: "Typo" });
    expect((await client.put(path, {})).body).toMatchObject({ message: "Typo" });
    expect((await client.put(path, { message: " " })).status).toBe(400);
    const other = await openIncident(account, { status_page_id });
    expect((await client.put(`${INCIDENTS}/${other.id}/updates/${update}`, { message: "x" })).status).toBe(404);
    expect((await client.delete(`${INCIDENTS}/${other.id}/updates/${update}`)).status).toBe(404);
    expect((await client.delete(path)).status).toBe(204);
    expect((await client.delete(path)).status).toBe(404);
    expect((await client.get(`${INCIDENTS}/${id}/updates`)).body).toEqual([]);
    expect(await namesOf(status_page_id)).toEqual(["incident.created", "incident.created"]);
  });

  it.each([
    {},
    { message: "" },
    { message: "x".repeat(10_001) },
    { message: "m", status: "x" },
  ])("refuses %j", async (body) => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id });
    expect((await client.post(`${INCIDENTS}/${id}/updates`, body)).status).toBe(400);
  });

  it("takes an update once under one Idempotency-Key", async () => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id });
    const send = () => client.post(`${INCIDENTS}/${id}/updates`, { message: "m" }, { "idempotency-key": "u" });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(await namesOf(status_page_id)).toHaveLength(2);
  });
});

describe("lists", () => {
  it("give the last begun first, by page and status, with what belongs to each", async () => {
    const { account, client, status_page_id, monitor_id } = await aTeam();
    const at = (day: number) => `2026-11-0${day}T00:00:00.000Z`;
    const a = await openIncident(account, { status_page_id, title: "a", started_at: at(1), monitor_ids: [monitor_id] });
    const b = await openIncident(account, { status_page_id, title: "b", started_at: at(2), message: "m" });
    const c = await openIncident(account, { status_page_id: await createPage(account), started_at: at(3) });
    await client.put(`${INCIDENTS}/${a.id}`, { status: "resolved" });
    const ids = async (path: string) => (await client.get(path)).body.map(({ id }: { id: string }) => id);
    expect(await ids(INCIDENTS)).toEqual([c.id, b.id, a.id]);
    expect(await ids(`${INCIDENTS}?status_page_id=${status_page_id}`)).toEqual([b.id, a.id]);
    expect(await ids(`${V1}/status-pages/${status_page_id}/incidents?status=resolved`)).toEqual([a.id]);
    const page = await client.get(`${V1}/status-pages/${status_page_id}/incidents?limit=1`);
    expect([page.headers.get("x-total-count"), page.body]).toEqual(["2", [b]]);
    expect((await client.get(`${INCIDENTS}?status=open`)).status).toBe(400);
  });

  it("count how incidents were handled, month by month", async () => {
    const { account, client, status_page_id } = await aTeam();
    const now = Date.now();
    const started_at = now - 600_000;
    const own = { owner_id: account.user_id, status_page_id, started_at };
    await insertIncident({ ...own, status: "resolved", acknowledged_at: started_at + 60_000, resolved_at: now });
    await insertIncident({ ...own, severity: "minor" });
    const { body } = await client.get(`${V1}/status-pages/${status_page_id}/incidents/stats?months=2`);
    expect(body).toMatchObject({ total: 2, open: 1, mtta_seconds: 60, mttr_seconds: 600 });
    expect(body.by_severity.minor).toEqual({ total: 1, open: 1, mtta_seconds: null, mttr_seconds: null });
    expect(body.by_month).toHaveLength(2);
    expect(body.from).toMatch(/-01T00:00:00.000Z$/);
    for (const months of [0, 25]) {
      const path = `${V1}/status-pages/${status_page_id}/incidents/stats?months=${months}`;
      expect((await client.get(path)).status).toBe(400);
    }
  });
});

describe("incidents of another account", () => {
  it("look like none and stay as they are", async () => {
    const { account, status_page_id, monitor_id, group_id } = await aTeam();
    const incident = await openIncident(account, { status_page_id, message: "m" });
    const { client, ...stranger } = await createAccount();
    const own = await createPage({ client, ...stranger });
    const path = `${INCIDENTS}/${incident.id}`;
    const update = `${path}/updates/${incident.updates[0].id}`;
    const answers = [
      await client.get(path),
      await client.put(path, { title: "x" }),
      await client.delete(path),
      await client.post(`${path}/publish`),
      await client.post(`${path}/unpublish`),
      await client.post(`${path}/acknowledge`),
      await client.get(`${path}/updates`),
      await client.post(`${path}/updates`, { message: "x" }),
      await client.put(update, { message: "x" }),
      await client.delete(update),
      await client.get(`${V1}/status-pages/${status_page_id}/incidents`),
      await client.get(`${V1}/status-pages/${status_page_id}/incidents/stats`),
    ];
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    for (const body of [
      { status_page_id },
      { status_page_id: own, monitor_ids: [monitor_id] },
      { status_page_id: own, group_ids: [group_id] },
    ]) {
      expect((await client.post(INCIDENTS, { title: "x", ...body })).status).toBe(400);
    }
    expect((await client.get(`${INCIDENTS}?status_page_id=${status_page_id}`)).status).toBe(400);
    expect((await client.get(INCIDENTS)).body).toEqual([]);
    expect((await createClient().get(path)).status).toBe(401);
    expect((await account.client.get(path)).body).toEqual(incident);
  });
});

describe("deleting an incident", () => {
  it("takes its timeline along", async () => {
    const { account, client, status_page_id } = await aTeam();
    const { id } = await openIncident(account, { status_page_id, message: "m" });
    expect((await client.delete(`${INCIDENTS}/${id}`)).status).toBe(204);
    expect((await client.get(`${INCIDENTS}/${id}`)).status).toBe(404);
    expect(await auditOf(status_page_id)).toContain("incident.deleted");
  });
});

describe("webhooks", () => {
  it("hear of an incident once, however often its event is handled", async () => {
    const { account, status_page_id } = await aTeam();
    const hook = await createWebhook(account, { events: ["incident.created"] });
    await openIncident(account, { status_page_id, is_public: true });
    const [event] = await db.select().from(events).where(eq(events.status_page_id, status_page_id));
    const scope = jobScope(recordingEnv().env, "test");
    await consumeEvent(scope, { kind: "event", event_id: event?.id ?? "" });
    await consumeEvent(scope, { kind: "event", event_id: event?.id ?? "" });
    const heard = await db.select().from(deliveries).where(eq(deliveries.webhook_id, hook.id));
    expect(heard.map(({ event_name }) => event_name)).toEqual(["incident.created"]);
  });

  it("hear what an incident affects and where to read about it, of an unpublished one the team alone", async () => {
    const { account, client, status_page_id, monitor_id, group_id } = await aTeam();
    const everyone = await createWebhook(account, { events: ["incident.created", "incident.updated"] });
    const team = await createWebhook(account, { is_team_only: true });
    const scope = jobScope(recordingEnv({ PUBLIC_URL: "https://vigil.test" }).env, "test");
    const body = { status_page_id, monitor_ids: [monitor_id], group_ids: [group_id], impact: "Orders are lost" };
    const { id } = await openIncident(account, body);
    await consumeStored(scope, status_page_id);
    const affected = { monitor_ids: [monitor_id], group_ids: [group_id], impact: "Orders are lost" };
    expect(await toldOf(status_page_id)).toMatchObject([
      { name: "incident.created", data: { ...affected, url: `https://vigil.test/app/incidents/${id}` } },
    ]);
    expect(await heardBy(team.id)).toEqual(["incident.created"]);
    expect(await heardBy(everyone.id)).toEqual([]);

    await client.put(`${INCIDENTS}/${id}`, { is_public: true });
    await consumeStored(scope, status_page_id);
    const [page] = await db.select().from(statusPages).where(eq(statusPages.id, status_page_id));
    const url = `https://vigil.test/status/${page?.slug}/incidents/${id}`;
    expect((await toldOf(status_page_id)).at(-1)).toMatchObject({ data: { ...affected, url } });
    expect(await heardBy(everyone.id)).toEqual(["incident.updated"]);
  });
});

async function consumeStored(scope: Scope, pageId: string): Promise<void> {
  const stored = await db.select({ id: events.id }).from(events).where(eq(events.status_page_id, pageId));
  for (const { id } of stored) await consumeEvent(scope, { kind: "event", event_id: id });
}

async function heardBy(webhookId: string): Promise<string[]> {
  const rows = await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhookId));
  return rows.map(({ event_name }) => event_name);
}
