import { describe, expect, it } from "vitest";
import { enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
import { useSink } from "../support/sink.ts";

const MONITOR = { name: "Closed", type: "http", target: "http://sink.test/" };

describe("a monitor that is expected to fail", () => {
  const sink = useSink();

  it("is up while its target fails, and down when it answers", async () => {
    const { client } = await createAccount();
    const rules = { invert: true, failure_threshold: 1, paused: false };
    const { id } = await createMonitor(client, { ...MONITOR, ...rules });
    sink.answer("http://sink.test/", () => new Response("", { status: 503 }));
    const failed = { status: "up", message: "failed as expected: HTTP 503 instead of a 2xx" };
    expect((await client.post(`${V1}/monitors/${id}/check`)).body).toMatchObject(failed);
    expect((await client.get(`${V1}/monitors/${id}`)).body).toMatchObject({ status: "up", invert: true });
    sink.serve("http://sink.test/", () => new Response("hello"));
    const answered = { status: "down", message: "answered although it is expected not to: HTTP 200" };
    expect((await client.post(`${V1}/monitors/${id}/check`)).body).toMatchObject(answered);
    expect((await client.get(`${V1}/monitors/${id}`)).body).toMatchObject({ status: "down" });
  });

  it("goes to agents that know of it alone", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const monitor = await createMonitor(account.client, {
      ...MONITOR,
      agent_id: agent.id,
      invert: true,
      paused: false,
    });
    const assigned = async () => (await agent.client.get(`${V1}/agents/monitors`)).body;
    expect(await assigned()).toMatchObject([{ id: monitor.id, options: { invert: true } }]);
    await agent.client.post(`${V1}/agents/handshake`, { capabilities: ["http", "steps"] });
    expect(await assigned()).toEqual([]);
    const renamed = await account.client.put(`${V1}/monitors/${monitor.id}`, { name: "Renamed" });
    expect(renamed).toMatchObject({
      status: 400,
      body: { error: "agent_id names an agent whose program is too old for invert: update it" },
    });
  });
});

describe("the rules of checks", () => {
  it("are those of types that are checked, with their defaults", async () => {
    const { client } = await createAccount();
    const checked = await createMonitor(client, { ...MONITOR, type: "tcp", target: "sink.test:22" });
    const heartbeat = await createMonitor(client, { name: "Beat", type: "heartbeat", invert: true });
    const shown = async (id: string) => (await client.get(`${V1}/monitors/${id}`)).body;
    const defaults = { invert: false, follow_retries: "steady", hours: null, interval_down: null };
    expect(await shown(checked.id)).toMatchObject(defaults);
    expect(await shown(heartbeat.id)).toMatchObject({ invert: null, follow_retries: null });
  });

  it.each([
    ["invert", "yes"],
    ["follow_retries", "sometimes"],
    ["hours", "always"],
    ["hours_timezone", "Mars"],
    ["interval_down", 30],
    ["redirects_max", 11],
    ["http_body_type", "xml"],
  ])("refuse %s: %j", async (field, value) => {
    const { client } = await createAccount();
    const { status, body } = await client.post(`${V1}/monitors`, { ...MONITOR, [field]: value });
    expect(status).toBe(400);
    expect(body.error).toContain(field);
  });
});
