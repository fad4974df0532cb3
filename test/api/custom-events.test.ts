import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1, V2 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { PATIENCE } from "../support/patience.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);

async function setUp() {
  const account = await createAccount();
  const page_id = await createPage(account);
  return { account, client: account.client, page_id, path: `${V1}/status-pages/${page_id}/events` };
}

describe("POST /status-pages/{id}/events/emit", () => {
  it("stores the event with its payload as text, under both versions", async () => {
    const { client, page_id, path } = await setUp();
    const monitor_id = (await createMonitor(client, { status_page_id: page_id })).id;
    const body = {
      event_name: "deploy.finished",
      classification: "team_only",
      title: "Deployed",
      description: "v2",
      monitor_id,
      payload: { commit: "abc" },
    };
    const full = await client.post(`${path}/emit`, body);
    expect([full.status, full.body]).toEqual([
      201,
      {
        ...body,
        id: full.body.id,
        status_page_id: page_id,
        payload: '{"commit":"abc"}',
        agent_id: null,
        rule_id: null,
        created_at: full.body.created_at,
        updated_at: full.body.created_at,
      },
    ]);
    const bare = await client.post(`${path.replace(V1, V2)}/emit`, { event_name: "bare", payload: "[1]" });
    expect(bare.body).toMatchObject({
      classification: "public",
      title: "bare",
      description: null,
      monitor_id: null,
      payload: "[1]",
    });
    expect((await client.get(`${path}/log`)).body).toEqual([bare.body, full.body]);
  });

  it.each([null, "", "null"])("stores no payload for %j", async (payload) => {
    const { client, path } = await setUp();
    expect((await client.post(`${path}/emit`, { event_name: "bare", payload })).body.payload).toBeNull();
  });

  it("sends the event to webhooks that want it", async () => {
    const sent: { event: string; data: Record<string, unknown> }[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_input, init) => {
      sent.push(JSON.parse(String(init?.body)));
      return new Response("ok");
    });
    const { account, client, page_id, path } = await setUp();
    await createWebhook(account, { status_page_id: page_id, events: ["deploy.finished"] });
    await client.post(`${path}/emit`, { event_name: "other" });
    await client.post(`${path}/emit`, { event_name: "deploy.finished", title: "Deployed", payload: { commit: "abc" } });
    await vi.waitFor(() => expect(sent).toHaveLength(1), PATIENCE);
    expect(sent).toMatchObject([
      { event: "deploy.finished", data: { title: "Deployed", message: "Deployed", payload: { commit: "abc" } } },
    ]);
  });

  it.each([
    ["no name", { event_name: undefined }],
    ["a name of the service", { event_name: "monitor.down" }],
    ["the name of webhook tests", { event_name: "test_event" }],
    ["another classification", { classification: "secret" }],
    ["a payload that is no JSON", { payload: "{" }],
    ["a payload of 17 kB", { payload: "x".repeat(17_000) }],
    ["a payload nested 33 levels deep", { payload: "[".repeat(33) + "]".repeat(33) }],
    ["a monitor that does not exist", { monitor_id: newId() }],
  ])("refuses %s and stores nothing", async (_name, fields) => {
    const { client, page_id, path } = await setUp();
    expect((await client.post(`${path}/emit`, { event_name: "a.b", ...fields })).status).toBe(400);
    expect((await client.get(`${path}/log`)).body).toEqual([]);
    expect(await db.select().from(events).where(eq(events.status_page_id, page_id))).toEqual([]);
  });

  it("refuses a monitor of another page", async () => {
    const { client, path } = await setUp();
    const monitor_id = (await createMonitor(client)).id;
    expect(await client.post(`${path}/emit`, { event_name: "a.b", monitor_id })).toMatchObject({
      status: 400,
      body: { details: [{ path: "monitor_id" }] },
    });
  });

  it("emits once however often a request with one key arrives", async () => {
    const { client, page_id, path } = await setUp();
    const headers = { "idempotency-key": newId() };
    const first = await client.post(`${path}/emit`, { event_name: "a.b" }, headers);
    const second = await client.post(`${path}/emit`, { event_name: "a.b" }, headers);
    expect(second.body).toEqual(first.body);
    const stored = and(eq(events.status_page_id, page_id), eq(events.name, "a.b"));
    expect(await db.select().from(events).where(stored)).toHaveLength(1);
  });
});

describe("GET /status-pages/{id}/events/log", () => {
  it("filters by name, classification, monitor and time", async () => {
    const { client, page_id, path } = await setUp();
    const monitor_id = (await createMonitor(client, { status_page_id: page_id })).id;
    for (const fields of [
      { event_name: "a", classification: "critical" },
      { event_name: "b", monitor_id },
      { event_name: "c", classification: "team_only" },
    ]) {
      await client.post(`${path}/emit`, fields);
    }
    const namesBy = async (query: string) =>
      (await client.get(`${path}/log?${query}`)).body.map(({ event_name }: { event_name: string }) => event_name);
    const soon = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    expect(await namesBy("")).toEqual(["c", "b", "a"]);
    expect(await namesBy("event_name=a,c")).toEqual(["c", "a"]);
    expect(await namesBy("classification=critical,public")).toEqual(["b", "a"]);
    expect(await namesBy(`monitor_id=${monitor_id}`)).toEqual(["b"]);
    expect(await namesBy(`from=${soon}`)).toEqual([]);
    expect(await namesBy(`to=${soon}`)).toEqual(["c", "b", "a"]);
    const part = await client.get(`${path}/log?limit=1&offset=1`);
    expect([part.headers.get("x-total-count"), part.body[0].event_name]).toEqual(["3", "b"]);
  });

  it.each([
    ["an unknown classification", "classification=public,secret"],
    ["a rule that does not exist", `rule_id=${newId()}`],
    ["a monitor that does not exist", `monitor_id=${newId()}`],
    ["a time without a zone", "from=2026-01-01T00:00:00"],
  ])("refuses %s", async (_name, query) => {
    const { client, path } = await setUp();
    expect((await client.get(`${path}/log?${query}`)).status).toBe(400);
  });
});
