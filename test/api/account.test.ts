import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { tick } from "../support/minute.ts";

describe("API tokens", () => {
  it("shows a new token once and lists it without its secret", async () => {
    const { client } = await createAccount();
    const created = await client.post(`${CORE}/user/api-tokens`, { name: " deploy ", expires_in_days: 30 });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: "deploy", token: expect.stringMatching(/^sk_svc_[0-9A-Za-z]{49}$/) });
    expect(Date.parse(created.body.expires_at) - Date.parse(created.body.created_at)).toBe(30 * 86_400_000);

    const listed = await client.get(`${CORE}/user/api-tokens`);
    expect(listed.status).toBe(200);
    expect(listed.headers.get("x-total-count")).toBe("2");
    expect(JSON.stringify(listed.body)).not.toContain(created.body.token);
    expect(listed.body[0]).toEqual({ ...created.body, token: undefined });
  });

  it("authenticates with a new token at once and refuses it at once after it was revoked", async () => {
    const { client } = await createAccount();
    const { body } = await client.post(`${CORE}/user/api-tokens`, { name: "short-lived" });
    const other = createClient(body.token);
    expect((await other.get(`${CORE}/user/api-tokens`)).status).toBe(200);
    expect((await client.delete(`${CORE}/user/api-tokens/${body.id}`)).status).toBe(204);
    expect((await other.get(`${CORE}/user/api-tokens`)).status).toBe(401);
    expect((await client.delete(`${CORE}/user/api-tokens/${body.id}`)).status).toBe(404);
  });

  it("refuses an expired token", async () => {
    const { client } = await createAccount({ expires_at: Date.now() - 1 });
    expect((await client.get(`${CORE}/user/api-tokens`)).status).toBe(401);
  });

  it.each([
    ["no name", {}, "name is required"],
    ["an empty name", { name: "  " }, "name must not be empty"],
    [
      "a lifetime that is not offered",
      { name: "x", expires_in_days: 31 },
      "expires_in_days must be one of 30, 90, 180, 365",
    ],
    ["a list", [], "the input must be an object"],
  ])("refuses %s and creates nothing", async (_name, body, error) => {
    const { client } = await createAccount();
    const answer = await client.post(`${CORE}/user/api-tokens`, body);
    expect(answer).toMatchObject({ status: 400, body: { error, request_id: answer.headers.get("x-request-id") } });
    expect((await client.get(`${CORE}/user/api-tokens`)).body).toHaveLength(1);
  });

  it("never shows a secret twice under one Idempotency-Key", async () => {
    const { client } = await createAccount();
    const headers = { "idempotency-key": "one" };
    const first = await client.post(`${CORE}/user/api-tokens`, { name: "once" }, headers);
    const second = await client.post(`${CORE}/user/api-tokens`, { name: "once" }, headers);
    expect([first.status, second.status]).toEqual([201, 409]);
    expect(second.body.error).toContain(first.body.id);
    expect((await client.post(`${CORE}/user/api-tokens`, { name: "other" }, headers)).status).toBe(422);
    expect((await client.get(`${CORE}/user/api-tokens`)).body).toHaveLength(2);
  });

  it("are limited by how many are made: what is refused, or repeated, counts for nothing", async () => {
    const { token } = await createAccount();
    const client = createClientUnder({ RATE_LIMITS: "token_creation=2" }, token);
    const create = (body: unknown, key: string) =>
      client.post(`${CORE}/user/api-tokens`, body, { "idempotency-key": key });
    for (const days of [0, 31, "30"])
      expect((await create({ name: "x", expires_in_days: days }, "a")).status).toBe(400);
    const made = [await create({ name: "x" }, "b"), await create({ name: "x" }, "b"), await create({ name: "x" }, "c")];
    expect(made.map(({ status }) => status)).toEqual([201, 409, 201]);
    expect((await create({ name: "x" }, "d")).status).toBe(429);
  });

  it("hides another account's tokens", async () => {
    const [owner, outsider] = [await createAccount(), await createAccount()];
    const { body } = await owner.client.post(`${CORE}/user/api-tokens`, { name: "mine" });
    expect((await outsider.client.delete(`${CORE}/user/api-tokens/${body.id}`)).status).toBe(404);
    expect((await owner.client.get(`${CORE}/user/api-tokens`)).body).toHaveLength(2);
  });
});

describe("requests", () => {
  it.each([
    ["malformed JSON", "{", {}, 400],
    ["a body that is not JSON", "a=b", { "content-type": "text/plain" }, 415],
    ["a body over 1 MiB", `"${"x".repeat(1024 * 1024)}"`, {}, 413],
    ["JSON nested 10,000 levels deep", `${"[".repeat(10_000)}${"]".repeat(10_000)}`, {}, 400],
    ["an empty body", "", {}, 400],
  ])("are refused with %s", async (_name, body, headers, status) => {
    const { client } = await createAccount();
    expect((await client.request("POST", `${CORE}/user/api-tokens`, body, headers)).status).toBe(status);
  });

  it("without or with a bad credential are 401", async () => {
    for (const token of [undefined, "sk_svc_nonsense", "x"]) {
      const answer = await createClient(token).get(`${CORE}/user/api-tokens`);
      expect(answer.status).toBe(401);
    }
  });

  it("with a method that the address does not know are 405 with Allow", async () => {
    const answer = await createClient().request("PATCH", `${CORE}/user/api-tokens`);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST, HEAD"]);
  });

  it("to an unknown address are 404", async () => {
    expect((await createClient().get("/nothing")).status).toBe(404);
  });
});

describe("GET /health", () => {
  it("is public and says that the parts are well", async () => {
    await tick(Math.floor(Date.now() / 60_000) * 60_000);
    const answer = await createClient().get("/health");
    expect(answer).toMatchObject({
      status: 200,
      body: { status: "ok", checks: { database: "ok", cache: "ok", queue: "ok" } },
    });
    expect((await createClient().get(`${CORE}/health`)).status).toBe(200);
  });

  it("says which version of the Worker answered", async () => {
    const { headers } = await createClient().get("/health");
    expect(headers.get("x-worker-version")).toBe(env.WORKER_VERSION.id);
  });
});

describe("the plan", () => {
  it("is shown with its usage", async () => {
    const account = await createAccount({ plan: "free" });
    await createMonitor(account.client, { interval: 300 });
    await createPage(account);
    const usage = { monitors: 1, status_pages: 1 };
    expect((await account.client.get(`${CORE}/billing/status`)).body).toEqual({
      plan: "free",
      status: "active",
      seats: { used: 0, limit: 1 },
      usage,
      renews_at: null,
    });
    expect((await account.client.get(`${CORE}/uptime/tier-info`)).body).toMatchObject({
      tier: "free",
      limits: {
        monitors: 5,
        min_interval: 300,
        regions_per_monitor: 1,
        status_pages: 1,
        seats_per_page: 1,
        raw_results_days: 7,
        history_days: 90,
      },
      usage,
      features: {
        monitor_types: ["http", "https", "icmp", "ping", "tcp", "dns", "ssl", "heartbeat"],
        beta: false,
        regions: ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"],
      },
    });
  });

  it("names every limit that holds, and what is used of it", async () => {
    const account = await createAccount({ plan: "free" });
    const client = createClientUnder({ RATE_LIMITS: "webhooks=7" }, account.token);
    const page = await createPage(account);
    await client.post(`${V1}/agents`, { name: "One" });
    await client.post(`${V1}/incidents`, { title: "Slow", status_page_id: page });
    const { limits, usage } = (await client.get(`${CORE}/uptime/tier-info`)).body;
    expect(limits).toMatchObject({
      agents: 5,
      webhooks: 7,
      open_incidents: 50,
      timeline_updates: 500,
      incident_templates: 50,
      planned_maintenance: 50,
      page_subscribers: 250,
      stored_text: 10_000_000,
      written_rows: 20_000,
      agent_rows: 10_000,
      audit_bytes: 5_000_000,
      deliveries: 60,
      delivery_bytes: 1_000_000,
    });
    expect(usage).toMatchObject({ agents: 1, webhooks: 0, open_incidents: 1, agent_rows: 0 });
    for (const used of [usage.stored_text, usage.written_rows, usage.audit_bytes]) expect(used).toBeGreaterThan(0);
  });

  it("has no limits for accounts of a self-hosted service", async () => {
    const { client } = await createAccount();
    const { body } = await client.get(`${CORE}/uptime/tier-info`);
    expect(body).toMatchObject({
      tier: "self_hosted",
      limits: { monitors: null, status_pages: null },
      features: { beta: true },
    });
  });
});
