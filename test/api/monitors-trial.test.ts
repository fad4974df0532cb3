import { describe, expect, it, vi } from "vitest";
import { V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";

const outside = vi.spyOn(globalThis, "fetch");
const body = { name: "Shop", type: "http", target: "http://sink.test/", interval: 60 };

describe("POST /monitors/test", () => {
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
