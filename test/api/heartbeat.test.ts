import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { findPlainHeartbeat } from "../../src/features/plain-heartbeats/routes.ts";
import { newId } from "../../src/platform/ids.ts";
import { mintPushToken } from "../../src/platform/push-tokens.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { createClient, V1, V2 } from "../support/client.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import { beat, createHeartbeat, holdClock, keptOf, moveClock, type Pushed } from "../support/pushes.ts";

const ROOT_SECRET = "test-root-secret-test-root-secret-test";
const anyone = createClient();

let account: Account;
let monitor: Pushed;
beforeEach(async () => {
  account = await createAccount();
  monitor = await createHeartbeat(account);
});
afterEach(() => {
  vi.useRealTimers();
});

const lastBeat = async () => (await keptOf(monitor.id))[0].beat;

/** The same service under other settings. */
async function fetchUnder(settings: Record<string, string>, path: string): Promise<Response> {
  const context = createExecutionContext();
  const answer = await createApp().fetch(new Request(`http://vigil.test${path}`), { ...env, ...settings }, context);
  await waitOnExecutionContext(context);
  return answer;
}

describe("a heartbeat", () => {
  it("is answered with what the monitor is now and when the next beat is due", async () => {
    holdClock();
    const { status, headers, body } = await beat(monitor);
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      monitor_id: monitor.id,
      status: "up",
      received_at: new Date().toISOString(),
      next_expected_at: new Date(Date.now() + 60_000).toISOString(),
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("is announced by its monitor: when the next one is due, as long as one is expected", async () => {
    holdClock();
    const { client } = account;
    const nightly = await createHeartbeat(account, { expected_interval: null, schedule: "@daily" });
    const path = `${V1}/monitors/${nightly.id}`;
    const nextOf = async () => [
      (await client.get(path)).body.next_expected_at,
      (await client.get(`${V1}/monitors`)).body.find(({ id }: { id: string }) => id === nightly.id).next_expected_at,
    ];
    expect(await nextOf()).toEqual([null, null]);
    const { body } = await beat(nightly);
    const midnight = new Date(Math.ceil((Date.now() + 1) / 86_400_000) * 86_400_000).toISOString();
    expect([body.next_expected_at, ...(await nextOf())]).toEqual([midnight, midnight, midnight]);
    await client.post(`${path}/pause`);
    expect(await nextOf()).toEqual([null, null]);
    const checked = await createMonitor(client, { type: "tcp", target: "shop.example:443" });
    expect(checked.next_expected_at).toBeNull();
  });

  it.each([
    "",
    V1,
  ])("is taken at %s/heartbeat with the token in a header or in the address, by POST, GET and HEAD", async (base) => {
    const address = `${base}/heartbeat/${monitor.id}`;
    const bearer = createClient(monitor.heartbeat_token);
    for (const method of ["POST", "GET", "HEAD"]) {
      expect((await bearer.request(method, address)).status).toBe(200);
      expect((await anyone.request(method, `${address}?token=${monitor.heartbeat_token}`)).status).toBe(200);
    }
    expect(await keptOf(monitor.id)).toHaveLength(6);
  });

  it("says what it says in the query, in JSON or as text", async () => {
    const said = { status: "fail", message: "disk full", duration_ms: 1200, exit_code: 2, run_id: "r-1" };
    const query = Object.entries(said).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    await createClient(monitor.heartbeat_token).get(`/heartbeat/${monitor.id}?${query.join("&")}`);
    expect(await lastBeat()).toEqual(said);
    await beat(monitor, { ...said, message: "still full" });
    expect(await lastBeat()).toEqual({ ...said, message: "still full" });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    await createClient(monitor.heartbeat_token).post(`/heartbeat/${monitor.id}?exit_code=0`, "all is well", headers);
    expect(await lastBeat()).toMatchObject({ status: "ok", message: "all is well", exit_code: 0 });
  });

  it("takes numbers as text, and a name without a value as nothing", async () => {
    const bearer = createClient(monitor.heartbeat_token);
    await bearer.get(`/heartbeat/${monitor.id}?exit_code=&duration_ms=`);
    expect(await lastBeat()).toMatchObject({ status: "ok", exit_code: null, duration_ms: null });
    await beat(monitor, { exit_code: "3", duration_ms: "12.5" });
    expect(await lastBeat()).toMatchObject({ exit_code: 3, duration_ms: 12.5 });
  });

  it("keeps what the query says where JSON says null", async () => {
    const bearer = createClient(monitor.heartbeat_token);
    await bearer.post(`/heartbeat/${monitor.id}?status=fail&message=no`, { status: null, message: null, exit_code: 1 });
    expect(await lastBeat()).toMatchObject({ status: "fail", message: "no", exit_code: 1 });
  });

  it("keeps the first 10,000 bytes of a message, cut between characters", async () => {
    await createClient(monitor.heartbeat_token).post(`/heartbeat/${monitor.id}`, `${"a".repeat(9_999)}é tail`, {
      "content-type": "text/plain",
    });
    expect((await lastBeat()).message).toBe("a".repeat(9_999));
  });

  it.each([
    ["an unknown status", { status: "great" }],
    ["a negative duration", { duration_ms: -1 }],
    ["a fraction of an exit code", { exit_code: 1.5 }],
    ["an exit code that is no number", { exit_code: true }],
    ["a duration that is a list", { duration_ms: [] }],
    ["a list", []],
    ["malformed JSON", "{"],
  ])("is refused for %s and not kept", async (_name, body) => {
    expect((await beat(monitor, body)).status).toBe(400);
    await expect(keptOf(monitor.id)).resolves.toEqual([]);
  });

  it("is refused with a body over 256 KiB", async () => {
    const headers = { "content-type": "text/plain" };
    const client = createClient(monitor.heartbeat_token);
    expect((await client.post(`/heartbeat/${monitor.id}`, "a".repeat(256 * 1024 + 1), headers)).status).toBe(413);
    expect((await client.post(`/heartbeat/${monitor.id}`, "a".repeat(256 * 1024), headers)).status).toBe(200);
  });

  it("is kept by a paused monitor and changes nothing", async () => {
    await account.client.post(`${V1}/monitors/${monitor.id}/pause`);
    expect((await beat(monitor, { status: "fail" })).body).toMatchObject({ status: "paused", next_expected_at: null });
    expect(await keptOf(monitor.id)).toHaveLength(1);
  });

  it("shows in the monitor's detail", async () => {
    await beat(monitor, { message: "done", duration_ms: 17 });
    const { body } = await account.client.get(`${V1}/monitors/${monitor.id}`);
    expect(body).toMatchObject({ status: "up", last_message: "done", last_latency_ms: 17 });
    expect(body.last_check).not.toBeNull();
  });
});

describe("a heartbeat token", () => {
  it("is shown with addresses that can be pasted to people who may edit, in the detail alone", async () => {
    const { body } = await account.client.get(`${V1}/monitors/${monitor.id}`);
    expect(body.heartbeat_token).toBe(monitor.heartbeat_token);
    for (const url of Object.values<string>(body.push_urls))
      expect((await exports.default.fetch(url)).status).toBe(200);
    const listed = await account.client.get(`${V1}/monitors`);
    expect(JSON.stringify(listed.body)).not.toContain(monitor.heartbeat_token);
  });

  it("of another monitor, another version, another secret, another kind, or none is 401, like an unknown monitor", async () => {
    const other: Pushed = await createHeartbeat(account);
    const api: Pushed = await createMonitor(account.client, { type: "api", target: undefined, paused: false });
    const stranger = { monitor_id: newId(), credential_version: 1, credential_key: 1 };
    const own = { monitor_id: monitor.id, credential_version: 1, credential_key: 1 };
    const tokens: Record<string, string> = {
      "of another monitor": other.heartbeat_token,
      "of a version to come": mintPushToken(ROOT_SECRET, "beat", { ...own, credential_version: 2 }),
      "of a version before": mintPushToken(ROOT_SECRET, "beat", { ...own, credential_version: 0 }),
      "under another secret": mintPushToken(ROOT_SECRET.toUpperCase(), "beat", own),
      "for metrics": mintPushToken(ROOT_SECRET, "metrics", own),
      "a push key": api.push_key,
      "a user's": account.token,
      "of nobody": mintPushToken(ROOT_SECRET, "beat", stranger),
      empty: "",
    };
    for (const [name, token] of Object.entries(tokens)) {
      const answer = await createClient(token).post(`/heartbeat/${monitor.id}`);
      expect([name, answer.status]).toEqual([name, 401]);
    }
    const unknown = createClient(mintPushToken(ROOT_SECRET, "beat", stranger));
    expect((await unknown.post(`/heartbeat/${stranger.monitor_id}`)).status).toBe(401);
    expect((await unknown.post("/heartbeat/no-id")).status).toBe(401);
    await expect(keptOf(monitor.id)).resolves.toEqual([]);
  });

  it("opens nothing else", async () => {
    const bearer = createClient(monitor.heartbeat_token);
    for (const path of [
      `${V1}/monitors`,
      `${V1}/monitors/${monitor.id}`,
      `${V1}/status-pages`,
      "/api/core/v1/user/api-tokens",
    ]) {
      expect((await bearer.get(path)).status).toBe(401);
    }
    for (const path of [`${V1}/api-monitoring/push`, `${V2}/api-monitoring/push`, `${V2}/game-server/push`]) {
      expect((await bearer.post(path, {})).status).toBe(401);
    }
  });

  it("can be replaced; the old one stops at once, also in the addresses of other services", async () => {
    const { status, body } = await account.client.post(`${V1}/monitors/${monitor.id}/regenerate-heartbeat-token`);
    expect(status).toBe(200);
    expect(body.heartbeat_token).not.toBe(monitor.heartbeat_token);
    expect((await beat(monitor)).status).toBe(401);
    expect((await anyone.get(`/ping/${monitor.heartbeat_token}`)).status).toBe(404);
    expect((await anyone.get(`/api/push/${monitor.heartbeat_token}`)).status).toBe(404);
    expect((await beat({ ...monitor, heartbeat_token: body.heartbeat_token })).status).toBe(200);
    const audit = await account.client.get(`${V1}/audit-logs?monitor_id=${monitor.id}`);
    expect(audit.body[0]).toMatchObject({ event_type: "monitor.credential_replaced" });
    expect(JSON.stringify(audit.body)).not.toContain(body.heartbeat_token);
  });

  it("cannot be replaced where there is none", async () => {
    const { id } = await createMonitor(account.client);
    expect((await account.client.post(`${V1}/monitors/${id}/regenerate-heartbeat-token`)).status).toBe(404);
  });
});

describe("more beats a minute than are allowed", () => {
  it("are 429 and say when there is room again", async () => {
    holdClock();
    const address = `/heartbeat/${monitor.id}?token=${monitor.heartbeat_token}`;
    const send = () => fetchUnder({ RATE_LIMITS: "push=2" }, address);
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
    moveClock(15_000);
    const refused = await send();
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("ratelimit-limit")]).toEqual([
      429,
      "45",
      "2",
    ]);
  });
});

describe("clients of Healthchecks", () => {
  const address = () => `/ping/${monitor.heartbeat_token}`;

  it.each([
    ["", "up"],
    ["/fail", "down"],
    ["/0", "up"],
    ["/1", "down"],
    ["/255", "down"],
    ["/start", "pending"],
    ["/log", "pending"],
  ])("are answered OK for %j by GET, HEAD and POST", async (signal, status) => {
    for (const method of ["GET", "HEAD", "POST"]) {
      const answer = await anyone.request(method, address() + signal);
      expect([answer.status, answer.headers.get("ping-body-limit")]).toEqual([200, "10000"]);
      if (method !== "HEAD") expect(answer.body).toBe("OK");
    }
    expect((await account.client.get(`${V1}/monitors/${monitor.id}`)).body.status).toBe(status);
  });

  it("name runs by UUID and send logs of any size", async () => {
    const rid = "0193F0A1-7F0E-7AAA-8000-000000000001";
    await anyone.get(`${address()}/start?rid=${rid}`);
    await anyone.post(`${address()}?rid=${rid}&create=1`, "x".repeat(1_000_000), { "content-type": "text/plain" });
    expect(await lastBeat()).toMatchObject({ run_id: rid.toLowerCase(), duration_ms: expect.any(Number) });
    expect((await lastBeat()).message).toHaveLength(10_000);
  });

  it.each([
    ["an unknown token", () => "/ping/hb_nonsense", 404, "not found"],
    ["an unknown signal", () => `${address()}/dance`, 404, "not found"],
    ["an exit code beyond 255", () => `${address()}/256`, 400, "invalid url format"],
    ["a run that is no UUID", () => `${address()}?rid=7`, 400, "invalid uuid format"],
  ])("are answered %s in their words", async (_name, path, status, text) => {
    const answer = await anyone.get(path());
    expect([answer.status, answer.body]).toEqual([status, text]);
  });
});

describe("clients of Uptime Kuma", () => {
  const address = () => `/api/push/${monitor.heartbeat_token}`;

  it.each([
    ["", "up", { message: null, duration_ms: null }],
    ["?status=up&msg=OK&ping=", "up", { message: "OK", duration_ms: null }],
    ["?status=up&msg=OK&ping=12.5", "up", { message: "OK", duration_ms: 12.5 }],
    ["?status=up&msg=OK&ping=12.5ms", "up", { message: "OK", duration_ms: 12.5 }],
    ["?status=up&msg=OK&ping=timeout", "up", { message: "OK", duration_ms: null }],
    ["?status=down&msg=no", "down", { message: "no", duration_ms: null }],
    ["?status=other", "down", { duration_ms: null }],
  ])("push %j", async (query, status, kept) => {
    for (const method of ["GET", "POST"]) {
      expect(await anyone.request(method, address() + query)).toMatchObject({ status: 200, body: { ok: true } });
    }
    expect(await lastBeat()).toMatchObject(kept);
    expect((await account.client.get(`${V1}/monitors/${monitor.id}`)).body.status).toBe(status);
  });

  it("are answered about an unknown token and a bad value as they expect it", async () => {
    expect(await anyone.get("/api/push/nonsense")).toMatchObject({
      status: 404,
      body: { ok: false, msg: "Monitor not found or not active." },
    });
    for (const ping of ["-1", "86400001"]) {
      expect(await anyone.get(`${address()}?ping=${ping}`)).toMatchObject({ status: 400, body: { ok: false } });
    }
  });
});

describe("a token in an address", () => {
  it("is in nothing that the service writes about the request", async () => {
    const lines: string[] = [];
    for (const method of ["log", "info", "warn", "error"] as const) {
      vi.spyOn(console, method).mockImplementation((...line) => void lines.push(JSON.stringify(line)));
    }
    for (const path of [
      `/heartbeat/${monitor.id}?token=${monitor.heartbeat_token}`,
      `/ping/${monitor.heartbeat_token}`,
      `/api/push/${monitor.heartbeat_token}`,
    ]) {
      expect((await fetchUnder({ LOG_LEVEL: "debug" }, path)).status).toBe(200);
    }
    vi.restoreAllMocks();
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join()).not.toContain(monitor.heartbeat_token);
  });
});

describe("a heartbeat that says nothing but its token, under the service's own address", () => {
  const own = { PUBLIC_URL: "http://vigil.test" };
  const under = (settings: Record<string, string>, base: string, token: string) =>
    fetchUnder({ ...own, ...settings }, `${base}/heartbeat/${monitor.id}?token=${token}`);

  /** Without what differs between any two answers. */
  async function seen(response: Response) {
    const { "x-request-id": id, ...headers } = Object.fromEntries(response.headers);
    const { request_id = id, ...body } = await response.json<Record<string, unknown>>();
    expect(request_id).toBe(id);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    return { status: response.status, headers, body };
  }

  it.each<[name: string, status: number, settings: Record<string, string>, version: number]>([
    ["taken", 200, {}, 1],
    ["counted against no limit", 200, { RATE_LIMITS: "push=off" }, 1],
    ["one too many", 429, { RATE_LIMITS: "push=1" }, 1],
    ["of a credential that was replaced", 401, {}, 0],
  ])("is answered as everywhere else: %s", async (_name, status, settings, credential_version) => {
    holdClock();
    await beat(monitor);
    const credential = { monitor_id: monitor.id, credential_version, credential_key: 1 };
    const token = mintPushToken(ROOT_SECRET, "beat", credential);
    const plain = await seen(await under(settings, "", token));
    expect(plain.status).toBe(status);
    expect(plain).toEqual(await seen(await under(settings, V1, token)));
  });

  it("has an id of its own, regardless of the rest of the answer", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => under({}, "", monitor.heartbeat_token)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(8);
  });

  it("brings a monitor up, and events and lists with it", async () => {
    const down = await fetchUnder(own, `/heartbeat/${monitor.id}?token=${monitor.heartbeat_token}&status=fail`);
    expect(await down.json()).toMatchObject({ status: "down" });
    expect(await (await under({}, "", monitor.heartbeat_token)).json()).toMatchObject({ status: "up" });
    expect((await account.client.get(`${V1}/monitors/${monitor.id}`)).body).toMatchObject({ status: "up" });
  });

  it.each<[name: string, isPlain: boolean, requestOf: () => [query: string, init?: RequestInit]]>([
    ["by GET", true, () => [`?token=${monitor.heartbeat_token}`]],
    ["by POST", true, () => [`?token=${monitor.heartbeat_token}`, { method: "POST" }]],
    ["by a header", true, () => ["", { headers: { authorization: `Bearer ${monitor.heartbeat_token}` } }]],
    ["with a message", false, () => [`?token=${monitor.heartbeat_token}`, { method: "POST", body: "done" }]],
    ["with a status", false, () => [`?token=${monitor.heartbeat_token}&status=fail`]],
    ["by HEAD", false, () => [`?token=${monitor.heartbeat_token}`, { method: "HEAD" }]],
    ["with another token", false, () => ["?token=hb_nonsense"]],
    ["without a token", false, () => [""]],
  ])("goes past the router only where it is that: %s", (_name, isPlain, requestOf) => {
    const [query, init] = requestOf();
    const request = new Request(`http://vigil.test/heartbeat/${monitor.id}${query}`, init);
    const settings = settingsOf({ ...env, ...own });
    expect(findPlainHeartbeat(request, settings)?.monitor_id).toBe(isPlain ? monitor.id : undefined);
    const elsewhere = new Request(request.url.replace("vigil.test", "other.test"), init);
    expect(findPlainHeartbeat(elsewhere, settings)).toBeUndefined();
  });
});
