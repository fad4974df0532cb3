import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { networkOf, requireRate } from "../../src/access/rate-limit.ts";
import { jobScope } from "../../src/access/scope.ts";
import { ENDPOINTS } from "../../src/app.ts";
import { openDb } from "../../src/data/db.ts";
import { idempotencyKeys } from "../../src/data/idempotency/table.ts";
import { describeApi } from "../../src/http/openapi.ts";
import { DAY_MS } from "../../src/lib/durations.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { installationId } from "../../src/platform/installation.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { sweepExpired } from "../../src/sweeps/expired.ts";
import worker from "../../src/worker.ts";
import { CORE, createClient, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";

const TOKENS = `${CORE}/user/api-tokens`;
/** Tests are not counted unless they ask for it. */
const DEFAULT_LIMITS = { RATE_LIMITS: "" };

/** The worker with parts of its environment replaced. */
function workerWith(changes: Partial<Env> & Record<string, unknown>) {
  const bindings = { ...env, ...changes };
  return async (path: string, init: RequestInit<IncomingRequestCfProperties> = {}) => {
    const context = createExecutionContext();
    const response = await worker.fetch(
      new Request<unknown, IncomingRequestCfProperties>(`http://vigil.test${path}`, init),
      bindings,
      context,
    );
    await waitOnExecutionContext(context);
    return response;
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const json = { "content-type": "application/json" };

describe("rate limits", () => {
  it("stand in every answer that is counted", async () => {
    const { token } = await createAccount();
    const ask = workerWith(DEFAULT_LIMITS);
    const answer = await ask(TOKENS, { headers: bearer(token) });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("ratelimit-policy")).toBe('"api";q=600;w=60');
    expect(answer.headers.get("ratelimit-limit")).toBe("600");
    expect((await ask("/health")).headers.get("ratelimit-limit")).toBeNull();
  });

  it("stop one credential and no other, with the seconds to wait", async () => {
    const [busy, other] = [await createAccount(), await createAccount()];
    const ask = workerWith({ RATE_LIMITS: "api=3" });
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await ask(TOKENS, { headers: bearer(busy.token) })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await ask(TOKENS, { headers: bearer(busy.token) });
    expect(refused.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(await refused.json()).toMatchObject({ error: "too many requests", code: "rate_limited" });
    expect(refused.headers.get("ratelimit-limit")).toBe("3");
    expect((await ask(TOKENS, { headers: bearer(other.token) })).status).toBe(200);
  });

  it("count a view of the dashboard as one request, however much it reads", async () => {
    const { token } = await createAccount();
    const ask = workerWith({ RATE_LIMITS: "api=3" });
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await ask("/app/incidents", { headers: bearer(token) })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it("hold exactly for requests at once", async () => {
    const { token } = await createAccount();
    const ask = workerWith({ RATE_LIMITS: "api=5" });
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(TOKENS, { headers: bearer(token) })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  });

  it("let 20 tokens an hour be created", async () => {
    const { token } = await createAccount();
    const ask = workerWith(DEFAULT_LIMITS);
    const create = () =>
      ask(TOKENS, { method: "POST", headers: { ...bearer(token), ...json }, body: JSON.stringify({ name: "CI" }) });
    for (let n = 0; n < 20; n++) expect((await create()).status).toBe(201);
    const refused = await create();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3500);
  });

  it("let the platform count a busy minute where the number is the usual one", async () => {
    const { token } = await createAccount();
    const RATE_600 = { limit: async () => ({ success: false }) };
    const refused = await workerWith({ ...DEFAULT_LIMITS, RATE_600 })(TOKENS, { headers: bearer(token) });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  });

  it("count tests of webhooks apart from all other requests", async () => {
    const { token } = await createAccount();
    const ask = workerWith({ RATE_LIMITS: "all=off,webhook_test=1" });
    const headers = { authorization: `Bearer ${token}` };
    const test = () => ask(`${V1}/webhooks/${newId()}/test`, { method: "POST", headers });
    expect([(await test()).status, (await test()).status]).toEqual([404, 429]);
    expect((await ask(TOKENS, { headers })).status).toBe(200);
  });

  it("turn guessing credentials into 429 for the address that guesses", async () => {
    const ask = workerWith({ RATE_LIMITS: "bad_credential=2" });
    const guess = (ip: string) => ask(TOKENS, { headers: { ...bearer("x"), "cf-connecting-ip": ip } });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await guess("2001:db8:1:2::1")).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect((await guess("2001:db8:1:2:ffff::9")).status).toBe(429);
    expect((await guess("2001:db8:1:3::1")).status).toBe(401);
  });

  it("do not stand in the way when nothing can count", async () => {
    const { token } = await createAccount();
    const RATE_600 = {
      limit: () => {
        throw new Error("away");
      },
    };
    const ask = workerWith({ ...DEFAULT_LIMITS, RATE_600 });
    expect((await ask(TOKENS, { headers: bearer(token) })).status).toBe(200);
  });

  it("give the whole number again when the window is over", async () => {
    const { token } = await createAccount();
    const ask = workerWith({ RATE_LIMITS: "api=1" });
    const status = async () => (await ask(TOKENS, { headers: bearer(token) })).status;
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      expect([await status(), await status()]).toEqual([200, 429]);
      vi.setSystemTime(Date.now() + 59_999);
      expect(await status()).toBe(429);
      vi.setSystemTime(Date.now() + 1);
      expect([await status(), await status()]).toEqual([200, 429]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("shut sign-in when nothing can count its attempts", async () => {
    const LIMITER = {
      getByName: () => {
        throw new Error("away");
      },
    };
    const bindings = { ...env, ...DEFAULT_LIMITS, LIMITER } as unknown as Env;
    const settings = settingsOf(bindings);
    const asking = {
      env: bindings,
      settings,
      log: createLogger(settings),
      now: Date.now(),
      principal: { kind: "anonymous" as const },
      ip: "203.0.113.7",
    };
    await expect(requireRate(asking, "sign_in")).rejects.toMatchObject({ status: 429 });
    await expect(requireRate(asking, "subscribe")).resolves.toBeUndefined();
  });

  it.each(["api=0", "api=-1", "api=many", "apis=5", "api"])("are refused in the settings as %s", (RATE_LIMITS) => {
    expect(() => settingsOf({ ...env, RATE_LIMITS })).toThrow(/RATE_LIMITS/);
  });

  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:0DB8:0000:0001:a:b:c:d", "2001:db8:0:1::/64"],
    ["::1", "0:0:0:0::/64"],
  ])("count %s as %s", (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });
});

describe("every answer", () => {
  it("carries an id and the headers that keep it where it belongs", async () => {
    const { client } = await createAccount();
    for (const path of [TOKENS, "/health", "/nothing"]) {
      const { headers } = await client.get(path);
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get("strict-transport-security")).toContain("max-age=31536000");
    }
  });

  it("to HEAD is the answer to GET without its body", async () => {
    const { client } = await createAccount();
    const [head, get] = [await client.request("HEAD", TOKENS), await client.get(TOKENS)];
    expect([head.status, head.body]).toEqual([200, ""]);
    expect(head.headers.get("x-total-count")).toBe(get.headers.get("x-total-count"));
  });
});

describe("a request", () => {
  it("that the service sent itself is refused, and one of another installation is not", async () => {
    const client = createClient();
    const [own, other] = [installationId(env.ROOT_SECRET), installationId("the root secret of another installation")];
    expect((await client.request("GET", "/health", undefined, { "x-monitor-hop": other })).status).toBe(200);
    expect((await client.request("GET", "/nothing", undefined, { "x-monitor-hop": own })).status).toBe(403);
  });

  it.each([
    ["a parameter twice", "?limit=1&limit=2", "limit is given more than once"],
    ["NUL in its address", "?q=%00", "the address must not contain NUL"],
    ["an address beyond 16 KiB", `?q=${"x".repeat(16_384)}`, "the address is longer than 16384 characters"],
  ])("with %s is 400", async (_name, query, error) => {
    const { client } = await createAccount();
    expect(await client.get(TOKENS + query)).toMatchObject({ status: 400, body: { error } });
  });

  it("with 200 parameters that nobody knows is answered", async () => {
    const { client } = await createAccount();
    const query = Array.from({ length: 200 }, (_, n) => `q${n}=${n}`).join("&");
    expect((await client.get(`${TOKENS}?${query}`)).status).toBe(200);
  });

  it.each([
    ["NUL", '{"name":"a\\u0000b"}', "name must not contain NUL or half of a surrogate pair"],
    ["half a surrogate pair", '{"name":"\\ud800"}', "name must not contain NUL or half of a surrogate pair"],
    ["a number that no store keeps", '{"a":[{"b":1e309}]}', "a[0].b must not be beyond 9007199254740991"],
  ])("whose body has %s is 400 and says where", async (_name, body, error) => {
    const { client } = await createAccount();
    expect(await client.post(TOKENS, body)).toMatchObject({ status: 400, body: { error } });
  });
});

describe("a refusal of a value", () => {
  it("is about the form that the value has, where it may have several", async () => {
    const { client } = await createAccount();
    const { push_key } = await createMonitor(client, { type: "api", target: undefined, paused: false });
    const push = (body: unknown) => createClient(push_key).post(`${V1}/api-monitoring/push`, body);
    const errorOf = async (body: unknown) => (await push(body)).body.error;
    expect(await errorOf(Array.from({ length: 101 }, () => ({})))).toBe("the input must have at most 100 items");
    expect(await errorOf([])).toBe("the input must have at least 1 item");
    expect(await errorOf([{ latency_ms: "fast" }])).toBe("[0].latency_ms must be a number");
    expect(await errorOf({ latency_ms: "fast" })).toBe("latency_ms must be a number");
    expect(await errorOf(5)).toBe("the input has none of the forms that it may have");
  });

  it("names what a map must not have", async () => {
    const account = await createAccount();
    const path = `${V1}/status-pages/${await createPage(account)}/alerting`;
    const { status, body } = await account.client.patch(path, { alert_routing: { "monitor.sideways": "public" } });
    expect([status, body.error]).toEqual([400, "alert_routing must not have the name monitor.sideways"]);
  });
});

describe("Idempotency-Key", () => {
  it("is not spent by a request that was refused", async () => {
    const { client } = await createAccount();
    const headers = { "idempotency-key": "retry" };
    expect((await client.post(TOKENS, { name: "" }, headers)).status).toBe(400);
    expect((await client.post(TOKENS, { name: "CI" }, headers)).status).toBe(201);
  });

  it("asks the second of two equal requests at once to come back in a second", async () => {
    const { client } = await createAccount();
    const headers = { "idempotency-key": "twice" };
    const page = { name: "Shop", slug: `p-${newId()}` };
    const answers = await Promise.all([1, 2].map(() => client.post(`${V1}/status-pages`, page, headers)));
    const late = answers.find(({ status }) => status === 409);
    if (late)
      expect([late.body.error, late.headers.get("retry-after")]).toEqual([expect.stringContaining("same time"), "1"]);
    const again = await client.post(`${V1}/status-pages`, page, headers);
    expect([again.status, again.body.slug]).toEqual([201, page.slug]);
  });

  it.each(["", "x".repeat(256)])("of %j is 400", async (key) => {
    const { client } = await createAccount();
    expect((await client.post(TOKENS, { name: "CI" }, { "idempotency-key": key })).status).toBe(400);
  });

  it("is forgotten after a day, with all that was kept for it", async () => {
    const { client, user_id } = await createAccount();
    const headers = { "idempotency-key": newId() };
    const make = () => client.post(`${V1}/status-pages`, { name: "Northwind", slug: `p-${newId()}` }, headers);
    const count = () => openDb(env.DB).$count(idempotencyKeys, eq(idempotencyKeys.user_id, user_id));
    expect([(await make()).status, await count()]).toEqual([201, 1]);
    await sweepExpired(jobScope(env, "test", Date.now() + DAY_MS - 1000));
    expect(await count()).toBe(1);
    await sweepExpired(jobScope(env, "test", Date.now() + DAY_MS + 1000));
    expect([await count(), (await make()).status]).toEqual([0, 201]);
  });

  it("is each account's own", async () => {
    const [one, other] = [await createAccount(), await createAccount()];
    const headers = { "idempotency-key": "shared" };
    expect((await one.client.post(TOKENS, { name: "a" }, headers)).status).toBe(201);
    expect((await other.client.post(TOKENS, { name: "b" }, headers)).status).toBe(201);
  });
});

describe("the API reference", () => {
  it("is a document for programs, with the address of this service", async () => {
    const { body, headers } = await createClient().get("/openapi.json");
    expect(body).toMatchObject({
      openapi: "3.1.0",
      info: { version: "1.0.0" },
      servers: [{ url: "http://vigil.test" }],
    });
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  it("describes the endpoints of this version", async () => {
    const { body } = await createClient().get("/openapi.json");
    const { servers: _, ...description } = body as unknown as { servers: unknown };
    expect(description).toEqual(JSON.parse(JSON.stringify(describeApi(ENDPOINTS))));
  });

  it("is a page for people that takes nothing from elsewhere", async () => {
    const client = createClient();
    const page = await client.get("/docs");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; style-src 'self'");
    const addresses = [...page.body.matchAll(/(?:src|href)="([^"#]+)/g)].map(([, address]) => address ?? "");
    const own = [...new Set(addresses)].filter((address) => address !== "data:,");
    expect(own.filter((address) => !address.startsWith("/docs/"))).toEqual(["/openapi.json"]);
    for (const address of own) expect((await client.get(address)).status, address).toBe(200);
    expect((await client.get("/docs/reference.css")).headers.get("content-type")).toContain("text/css");
    for (const path of ["/docs/nothing", "/docs/openapi.json", "/docs/..%2Fopenapi", "/reference/index.html.txt"]) {
      expect((await client.get(path)).status, path).toBe(404);
    }
  });

  it("shows people every operation, with its parameters, its body and the objects that it names", async () => {
    const client = createClient();
    const { body } = await client.get("/openapi.json");
    const { paths, tags } = body as unknown as {
      paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
      tags: { name: string }[];
    };
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    for (const { name } of tags.filter((tag) => tag.name !== "Dashboard")) {
      const text = (await client.get(`/docs/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`)).body;
      for (const { operationId } of operations.filter((each) => each.tags.includes(name))) {
        expect(text, operationId).toContain(`<article id="${operationId}"`);
      }
      const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
      const named = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
      expect(named.filter((id) => !ids.has(id))).toEqual([]);
    }
    const monitors = (await client.get("/docs/monitors")).body;
    for (const text of ["failure_threshold", "10 to 86400", "goes on where a page ended", "https://shop.example/"]) {
      expect(monitors).toContain(text);
    }
  });
});

describe("null in place of an optional member", () => {
  it.each<
    [path: string, body: Record<string, unknown>, changed: Record<string, unknown>, defaults: Record<string, unknown>]
  >([
    [
      "incidents",
      { title: "Trouble" },
      { severity: "critical", is_public: true, description: "d", impact: "i", tags: ["a"] },
      { severity: "minor", is_public: false, description: null, impact: null, tags: "[]" },
    ],
    [
      "maintenance",
      { title: "Disks", start_time: "2100-01-01T00:00:00Z", end_time: "2100-01-01T01:00:00Z" },
      { is_public: false, description: "d", recurrence_type: "daily", recurrence_interval: 2 },
      { is_public: true, description: null, recurrence_type: "none", recurrence_interval: 1 },
    ],
    [
      "webhooks",
      { name: "Ops", url: "https://sink.test/ops" },
      { is_active: false, is_team_only: true, events: ["monitor.up"], alert_channels: { "monitor.up": "#ops" } },
      { provider: "generic", is_active: true, is_team_only: false, events: "[]", alert_channels: {} },
    ],
    [
      "monitors",
      { name: "Backup", type: "heartbeat" },
      { interval: 300, incident_severity: "critical", tags: ["a"], grace_seconds: 7 },
      { interval: 60, incident_severity: "major", tags: [], grace_seconds: 6 },
    ],
  ])("of %s gives it its default, when it is made and when it is changed", async (path, body, changed, defaults) => {
    const account = await createAccount();
    const { client } = account;
    const status_page_id = await createPage(account);
    const nulls = Object.fromEntries(Object.keys({ ...changed, ...defaults }).map((name) => [name, null]));
    const made = await client.post(`${V1}/${path}`, { ...body, status_page_id, ...nulls });
    expect(made).toMatchObject({ status: 201, body: defaults });
    const own = `${V1}/${path}/${made.body.id}`;
    expect((await client.put(own, changed)).status).toBe(200);
    expect(await client.put(own, nulls)).toMatchObject({ status: 200, body: defaults });
  });

  it("of an incident's or a template's status starts at the beginning, and moves nothing afterwards", async () => {
    const account = await createAccount();
    const { client } = account;
    const page = await createPage(account);
    const made = await client.post(`${V1}/incidents`, { title: "Trouble", status_page_id: page, status: null });
    expect(made).toMatchObject({ status: 201, body: { status: "investigating" } });
    const own = `${V1}/incidents/${made.body.id}`;
    await client.put(own, { status: "resolved" });
    const kept = await client.put(own, { status: null, started_at: null, message: null });
    expect(kept.body).toMatchObject({ status: "resolved", started_at: made.body.started_at });
    const told = await client.post(`${own}/updates`, { message: "x", status: null, notify_subscribers: null });
    expect(told).toMatchObject({ status: 201, body: { status: "resolved" } });

    const templates = `${V1}/status-pages/${page}/incident-templates`;
    const nulls = { severity: null, status: null, initial_update: null, is_public: null };
    const defaults = { severity: "minor", status: "investigating", initial_update: null, is_public: false };
    const template = await client.post(templates, { name: "n", title: "t", ...nulls });
    expect(template).toMatchObject({ status: 201, body: defaults });
    const changed = { severity: "major", status: "monitoring", initial_update: "u", is_public: true };
    expect((await client.put(`${templates}/${template.body.id}`, changed)).body).toMatchObject(changed);
    expect((await client.put(`${templates}/${template.body.id}`, nulls)).body).toMatchObject(defaults);
  });
});
