import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { enrollAgent } from "../support/agents.ts";
import { createClientUnder, V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
import { useSink } from "../support/sink.ts";

const SECRET = "canary-90ab-of-a-journey";
const STEPS = [
  {
    name: "log in",
    method: "POST",
    url: "/login",
    body: { password: "{{secret.KEY}}" },
    captures: [{ name: "token", from: "json", path: "$.token" }],
  },
  {
    name: "call",
    url: "/me",
    headers: { Authorization: "Bearer {{token}}" },
    json_assertions: [{ path: "ok", operator: "eq", value: true }],
  },
];
const MONITOR = { name: "Shop", type: "http", target: "http://sink.test/", steps: STEPS };

describe("a journey from the edge", () => {
  const sink = useSink();

  async function account() {
    const made = await createAccount();
    await made.client.post(`${V1}/secrets`, { name: "KEY", value: SECRET });
    return made;
  }

  it("is tried before it is saved, with secrets, cookies and captures", async () => {
    const { client } = await account();
    const headers = new Headers([
      ["set-cookie", "sid=1; HttpOnly"],
      ["set-cookie", "lang=de; Domain=sink.test"],
    ]);
    sink.answer("http://sink.test/login", () => new Response('{"token": "t-4711-77"}', { headers }));
    sink.answer("http://sink.test/me", () => new Response('{"ok": true}'));
    const { body } = await client.post(`${V1}/monitors/test`, MONITOR);
    expect(body).toMatchObject({ status: "up", message: "2 steps passed", details: { requests: 2 } });
    expect(body.details.steps).toMatchObject([
      { name: "log in", status: "passed" },
      { name: "call", status_code: 200 },
    ]);
    const [login, call] = sink.received;
    expect(login).toMatchObject({ method: "POST", body: JSON.stringify({ password: SECRET }) });
    expect(call?.headers.get("authorization")).toBe("Bearer t-4711-77");
    expect(call?.headers.get("cookie")).toBe("sid=1; lang=de");
  });

  it("counts as a round when it is checked, and keeps what each step took with its result", async () => {
    const { client } = await account();
    const { id } = await createMonitor(client, { ...MONITOR, paused: false });
    sink.serve("http://sink.test/login", () => new Response('{"token": "t-4711-77"}'));
    sink.serve("http://sink.test/me", () => new Response('{"ok": false}'));
    const { body } = await client.post(`${V1}/monitors/${id}/check`);
    expect(body).toMatchObject({ status: "down", message: "step 2 'call': ok of the body is not true, but false" });
    const { body: results } = await client.get(`${V1}/monitors/${id}/results`);
    expect(results[0].details.steps).toMatchObject([{ status: "passed" }, { name: "call", status: "failed" }]);
    const everything = [
      body,
      results,
      (await client.get(`${V1}/monitors/${id}`)).body,
      (await client.get(`${V1}/audit-logs`)).body,
    ];
    expect(JSON.stringify(everything)).not.toContain("canary-90ab");
    const stored = await env.DB.prepare("SELECT * FROM monitors WHERE id = ?").bind(id).first();
    expect(JSON.stringify(stored)).not.toContain("canary-90ab");
  });

  it("does not follow a redirect to a private address", async () => {
    const { client } = await account();
    sink.answer("http://sink.test/go", new Response(null, { status: 302, headers: { location: "http://10.0.0.1/" } }));
    const { body } = await client.post(`${V1}/monitors/test`, { ...MONITOR, steps: [{ name: "go", url: "/go" }] });
    expect(body).toMatchObject({
      status: "down",
      message: "step 1 'go': redirects to an address that may not be reached",
    });
    expect(sink.received).toHaveLength(1);
  });

  it("counts each of its requests against its host", async () => {
    const { token } = await account();
    const client = createClientUnder({ RATE_LIMITS: "check_host=3" }, token);
    sink.serve("http://sink.test/", () => new Response("ok"));
    const steps = ["a", "b"].map((name) => ({ name, url: `/${name}` }));
    expect((await client.post(`${V1}/monitors/test`, { ...MONITOR, steps })).status).toBe(200);
    expect((await client.post(`${V1}/monitors/test`, { ...MONITOR, steps })).status).toBe(429);
  });
});

describe("a journey of an agent", () => {
  it("comes with its secrets, to programs that run steps alone", async () => {
    const account = await createAccount();
    await account.client.post(`${V1}/secrets`, { name: "KEY", value: SECRET });
    const agent = await enrollAgent(account);
    const { id } = await createMonitor(account.client, { ...MONITOR, agent_id: agent.id, paused: false });
    const assigned = async () => (await agent.client.get(`${V1}/agents/monitors`)).body;
    expect(await assigned()).toMatchObject([
      { id, secrets: { KEY: SECRET }, options: { steps: [{ name: "log in" }, {}] } },
    ]);
    await agent.client.post(`${V1}/agents/handshake`, { capabilities: ["http"] });
    expect(await assigned()).toEqual([]);
    expect(await account.client.put(`${V1}/monitors/${id}`, { name: "Renamed" })).toMatchObject({
      status: 400,
      body: { error: "agent_id names an agent whose program is too old for steps: update it" },
    });
    await agent.client.post(`${V1}/agents/handshake`, { capabilities: ["http", "steps"] });
    expect(await assigned()).toMatchObject([{ id }]);
  });
});
