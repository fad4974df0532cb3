import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ProbeResult } from "../../src/contract/check.ts";
import { httpProbe } from "../../src/probes/http.ts";
import { runProbe } from "../../src/probes/run.ts";
import { nodeIo } from "../support/node-io.ts";
import { SHOP_PASSWORD, type Shop, startShop } from "../support/servers/shop.ts";

const FORM = {
  name: "open the form",
  url: "/login-page",
  captures: [{ name: "csrf", from: "regex", path: 'name="csrf" value="([^"]+)"' }],
};
const LOG_IN = {
  name: "log in",
  method: "POST",
  url: "/login",
  body: '{"user": "ann", "password": "{{secret.SHOP_PASSWORD}}", "csrf": "{{csrf}}"}',
  json_assertions: [{ path: "csrf", operator: "eq", value: "{{csrf}}" }],
  captures: [
    { name: "number", from: "header", path: "X-Request-Number" },
    { name: "session", from: "cookie", path: "sid" },
  ],
};
const PLAIN = { name: "log in", method: "POST", url: "/login" };
const TOKEN = {
  name: "fetch a token",
  method: "POST",
  url: "/token",
  captures: [{ name: "token", from: "json", path: "$.access_token" }],
};
const ORDER = {
  name: "order",
  method: "POST",
  url: "/orders",
  headers: { Authorization: "Bearer {{token}}", "X-Number": "{{number}}" },
  body: '{"id": "{{uuid}}", "at": "{{now}}"}',
  expected_statuses: [201],
  expected_body: "{{uuid}}",
};
const FIND = { name: "find it again", url: "/orders?id={{uuid}}", expected_body: '"found":true' };
const LOG_OUT = { name: "log out", method: "POST", url: "/logout", expected_statuses: [204], always: true };
const JOURNEY = [FORM, LOG_IN, TOKEN, ORDER, FIND, LOG_OUT];

describe("a journey through a real shop", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop.stop());
  beforeEach(() => {
    shop.requests.length = 0;
    shop.sessions.clear();
  });

  const walk = (steps: object[], job: { secrets?: Record<string, string>; timeout_seconds?: number } = {}) =>
    runProbe(
      httpProbe,
      {
        target: `${shop.url}/`,
        fields: { steps },
        secrets: job.secrets ?? { SHOP_PASSWORD },
        timeout_seconds: job.timeout_seconds ?? 5,
        latency_threshold_ms: null,
      },
      nodeIo,
    );

  it("logs in, fetches a token, calls with it and logs out, and says what each step took", async () => {
    const result = await walk(JOURNEY);
    expect(result).toMatchObject({ outcome: "success", message: "6 steps passed" });
    expect(result.details.steps).toMatchObject([
      { name: "open the form", status: "passed", status_code: 200 },
      { name: "log in", status: "passed", status_code: 200 },
      { name: "fetch a token", status: "passed", status_code: 200 },
      { name: "order", status: "passed", status_code: 201 },
      { name: "find it again", status: "passed", status_code: 200 },
      { name: "log out", status: "passed", status_code: 204 },
    ]);
    const timings = (result.details.steps as { latency_ms: number }[]).map(({ latency_ms }) => latency_ms);
    expect(timings.every((ms) => ms >= 0)).toBe(true);
    expect(result.latency_ms).toBe(timings.reduce((sum, ms) => sum + ms, 0));
    // The form came by a redirect.
    expect(result.details.requests).toBe(7);
    expect(shop.sessions.size).toBe(0);
    const order = shop.requests.find(({ path }) => path === "/orders");
    expect(order?.headers).toMatchObject({ "content-type": "application/json", "x-number": "17" });
    expect(JSON.parse(order?.body ?? "")).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });

  it("sends the cookies of the run along, each to its path", async () => {
    await walk(JOURNEY);
    const cookieOf = (path: string) => shop.requests.find((each) => each.path.startsWith(path))?.headers.cookie;
    expect(cookieOf("/form")).toBe("landed=yes");
    expect(cookieOf("/token")).toMatch(/^(landed=yes; sid=\S+|sid=\S+; landed=yes)$/);
    expect(cookieOf("/orders")).toContain("seen=1");
    expect(cookieOf("/logout")).not.toContain("old=");
  });

  it("ends with the first step that fails, names it, and still cleans up", async () => {
    const wrong = { ...ORDER, headers: { Authorization: "Bearer wrong-token" } };
    const result = await walk([FORM, LOG_IN, TOKEN, wrong, FIND, LOG_OUT]);
    expect(result).toMatchObject({
      outcome: "failure",
      cause: "status",
      message: "step 4 'order': status 401, expected 201",
    });
    expect(result.details.steps).toMatchObject([
      { status: "passed" },
      { status: "passed" },
      { status: "passed" },
      { name: "order", status: "failed", status_code: 401 },
      { name: "find it again", status: "skipped" },
      { name: "log out", status: "passed" },
    ]);
    expect(shop.sessions.size).toBe(0);
  });

  it("names the first failure, not that of the clean-up, and a clean-up that fails alone", async () => {
    const wrong = { ...TOKEN, url: "/nothing" };
    expect((await walk([wrong, LOG_OUT])).message).toBe("step 1 'fetch a token': status 404, expected a 2xx");
    expect((await walk([{ name: "echo", url: "/echo" }, LOG_OUT])).message).toBe(
      "step 2 'log out': status 400, expected 204",
    );
  });

  it("skips a clean-up that needs what was never captured", async () => {
    const undo = { name: "undo", method: "DELETE", url: "/orders/{{token}}", always: true };
    const result = await walk([{ ...TOKEN, url: "/nothing" }, undo]);
    expect(result.details.steps).toMatchObject([{ status: "failed" }, { name: "undo", status: "skipped" }]);
    expect(shop.requests).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ["json", { name: "x", from: "json", path: "$.nothing" }, 'json "$.nothing"'],
    ["a json object", { name: "x", from: "json", path: "$.headers" }, 'json "$.headers"'],
    ["header", { name: "x", from: "header", path: "x-none" }, 'header "x-none"'],
    ["cookie", { name: "x", from: "cookie", path: "none" }, 'cookie "none"'],
    ["regex", { name: "x", from: "regex", path: "id=(\\d+)" }, 'regex "id=(\\\\d+)"'],
  ])("fails where a capture finds nothing: %s", async (_name, capture, found) => {
    const result = await walk([{ name: "read", url: "/echo", captures: [capture] }]);
    expect(result).toMatchObject({
      outcome: "failure",
      cause: "body",
      message: `step 1 'read': capture 'x' found nothing: ${found}`,
    });
  });

  it("gives up on a step that hangs, in the time of one step, and cleans up", async () => {
    const startedAt = Date.now();
    const result = await walk([FORM, LOG_IN, { name: "wait", url: "/hang" }, LOG_OUT], { timeout_seconds: 0.4 });
    expect(result).toMatchObject({ outcome: "failure", cause: "timeout" });
    // A busy machine notices a little later.
    expect(result.message).toMatch(/^step 3 'wait': timed out after (0\.[4-9]|1) s$/);
    expect(Date.now() - startedAt).toBeLessThan(4000);
    expect(shop.sessions.size).toBe(0);
  });

  it("gives up on an endless body that never holds what is expected", async () => {
    const result = await walk([{ name: "read", url: "/endless", expected_body: "y" }]);
    expect(result.message).toBe(`step 1 'read': body does not contain "y"`);
  });

  it("sends a bounded number of requests, with any redirects", async () => {
    const loop = { name: "loop", url: "/loop", always: true };
    const result = await walk([loop, { ...loop, name: "again" }, { ...loop, name: "and again" }]);
    expect(result.message).toBe("step 1 'loop': more than 10 redirects");
    expect(shop.requests).toHaveLength(20);
  });

  it("takes neither headers nor cookies to another host, and no body at all", async () => {
    const key = { "X-Key": "{{secret.SHOP_PASSWORD}}" };
    const set = { name: "set cookies", url: "/wide-cookie" };
    await walk([set, { name: "leave", url: "/elsewhere", headers: key, expected_statuses: [404] }]);
    const stolen = shop.requests.find(({ path }) => path === "/steal");
    expect(stolen?.headers).not.toHaveProperty("x-key");
    expect(stolen?.headers).not.toHaveProperty("cookie");
    shop.requests.length = 0;
    const body = '{"password": "{{secret.SHOP_PASSWORD}}"}';
    const result = await walk([{ name: "leave", method: "POST", url: "/elsewhere", body }]);
    expect(result.message).toBe("step 1 'leave': redirects the body of the request to another host");
    expect(shop.requests.map(({ path }) => path)).toEqual(["/elsewhere"]);
  });

  it("says nowhere in its result what a secret holds, in every form in which an answer repeats it", async () => {
    const repeated = { Authorization: "Bearer {{secret.SHOP_PASSWORD}}", "X-Key": "{{secret.SHORT}}" };
    const results: ProbeResult[] = await Promise.all([
      walk([{ ...PLAIN, body: '{"user": "bob", "password": "{{secret.SHOP_PASSWORD}}"}' }]),
      walk([{ name: "break", url: "/broken", headers: repeated }], { secrets: { SHOP_PASSWORD, SHORT: "q7z" } }),
      walk([{ name: "look", url: "/echo?key={{secret.SHOP_PASSWORD}}", expected_body: "{{secret.SHOP_PASSWORD}}!" }]),
    ]);
    for (const result of results) {
      expect(result.outcome).toBe("failure");
      expect(result.evidence?.excerpt).toContain("***");
      const told = JSON.stringify(result);
      expect(told).not.toContain("canary");
      expect(told).not.toContain("7f3a");
      expect(told).not.toContain("q7z");
    }
  });

  it("does not begin a step whose secret is gone, which is no failure of the target", async () => {
    const result = await walk([{ ...PLAIN, body: '{"password": "{{secret.GONE}}"}' }]);
    expect(result).toMatchObject({ outcome: "error", message: "step 1 'log in': secret.GONE does not exist" });
    expect(shop.requests).toHaveLength(0);
  });
});
