import { describe, expect, it, vi } from "vitest";
import { V1 } from "../support/client.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { joinPage } from "../support/members.ts";

const outside = vi.spyOn(globalThis, "fetch");
const body = { name: "Shop", type: "http", target: "http://sink.test/", interval: 60 };

describe("POST /monitors/{id}/test", () => {
  const secret = { ...body, http_headers: "X-Key: secret-value", paused: true };

  it("checks the monitor as it would be, with the stored secrets, and saves nothing", async () => {
    const { client } = await createAccount();
    const { body: monitor } = await client.post(`${V1}/monitors`, secret);
    outside.mockClear();
    outside.mockImplementation(async () => new Response("ok"));
    const change = { target: "http://sink.test/health", http_headers: "X-Key: ***" };
    const answer = await client.post(`${V1}/monitors/${monitor.id}/test`, change);
    expect(answer).toMatchObject({ status: 200, body: { status: "up", regions: [{ status: "up" }] } });
    const [url, init] = outside.mock.lastCall ?? [];
    expect([String(url), new Headers(init?.headers).get("x-key")]).toEqual(["http://sink.test/health", "secret-value"]);
    const { body: after } = await client.get(`${V1}/monitors/${monitor.id}`);
    expect(after).toMatchObject({ target: "http://sink.test/", updated_at: monitor.updated_at });
    const { body: results } = await client.get(`${V1}/monitors/${monitor.id}/results`);
    expect(results).toEqual([]);
  });

  it("sends no secret where a member without secrets.read would divert it, and tests for nobody else", async () => {
    const owner = await createAccount();
    const page = await createPage(owner, {});
    const { body: monitor } = await owner.client.post(`${V1}/monitors`, { ...secret, status_page_id: page });
    const editor = await createAccount();
    await joinPage(editor, page, { role: "custom", capabilities: ["monitors.write"] });
    const viewer = await createAccount();
    await joinPage(viewer, page, { role: "viewer" });
    outside.mockClear();
    const path = `${V1}/monitors/${monitor.id}/test`;
    expect((await editor.client.post(path, { target: "http://sink.test/mine" })).status).toBe(403);
    expect((await viewer.client.post(path, {})).status).toBe(403);
    expect((await (await createAccount()).client.post(path, {})).status).toBe(404);
    expect(outside).not.toHaveBeenCalled();
  });
});

describe("POST /monitors/test", () => {
  it("checks from each of the regions", async () => {
    const { client } = await createAccount();
    outside.mockClear();
    outside.mockImplementation(async () => new Response("ok"));
    const answer = await client.post(`${V1}/monitors/test`, { ...body, regions: ["weur", "enam"] });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: "up", region: "weur", regions: [{ region: "weur", status: "up" }, { region: "enam" }] },
    });
    expect(outside).toHaveBeenCalledTimes(2);
  });

  it("checks what the body describes and saves nothing", async () => {
    const { client } = await createAccount();
    outside.mockImplementation(async () => new Response("no", { status: 503 }));
    const answer = await client.post(`${V1}/monitors/test`, { ...body, http_headers: "X-Key: secret-value" });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: "down", message: "HTTP 503 instead of a 2xx", region: "default", details: { status_code: 503 } },
    });
    expect(new Headers(outside.mock.lastCall?.[1]?.headers).get("x-key")).toBe("secret-value");
    expect(JSON.stringify(answer.body)).not.toContain("secret-value");
    expect((await client.get(`${V1}/monitors`)).body).toEqual([]);
  });

  it("says that a target which may not be reached is unknown or refused, without reaching it", async () => {
    const { client } = await createAccount();
    outside.mockClear();
    expect((await client.post(`${V1}/monitors/test`, { ...body, target: "http://169.254.169.254/" })).status).toBe(400);
    expect(outside).not.toHaveBeenCalled();
  });

  it("is open to an account whose plan has no room for another monitor, for the types of its plan", async () => {
    const { client } = await createAccount({ plan: "free" });
    outside.mockImplementation(async () => new Response("ok"));
    const free = { ...body, interval: 300 };
    for (let n = 0; n < 5; n++)
      expect((await client.post(`${V1}/monitors`, { ...free, name: `${n}` })).status).toBe(201);
    expect((await client.post(`${V1}/monitors`, free)).status).toBe(403);
    expect(await client.post(`${V1}/monitors/test`, free)).toMatchObject({ status: 200, body: { status: "up" } });
    const redis = { ...free, type: "redis", target: "127.0.0.1:6379" };
    expect(await client.post(`${V1}/monitors/test`, redis)).toMatchObject({
      status: 403,
      body: { code: "plan_limit" },
    });
  });

  it.each([
    ["a type that nobody checks from here", { name: "Beat", type: "heartbeat", expected_interval: 60 }],
    ["a body that could not be saved", { ...body, failure_threshold: 21 }],
  ])("refuses %s", async (_name, refused) => {
    const { client } = await createAccount();
    expect((await client.post(`${V1}/monitors/test`, refused)).status).toBe(400);
  });
});
