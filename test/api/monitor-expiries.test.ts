import { describe, expect, inject, it } from "vitest";
import { type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";

const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();

async function submit(agent: EnrolledAgent, monitorId: string, details: Record<string, unknown>) {
  const checked_at = new Date().toISOString();
  const body = { status: "up", latency_ms: 5, checked_at, details };
  expect(await agent.client.post(`${V1}/monitors/${monitorId}/status`, body)).toMatchObject({ status: 200 });
}

describe("what a monitor watches", () => {
  it.each([
    ["ssl", "shop.example:443", "certificate_expires_at", "valid_to"],
    ["domain", "shop.example", "domain_expires_at", "expires_at"],
  ])("expires when the newest %s check says so, until the target changes", async (type, target, field, detail) => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const monitor = await createMonitor(account.client, { type, target, agent_id: agent.id, paused: false });
    expect(monitor).toMatchObject({ certificate_expires_at: null, domain_expires_at: null });
    const read = async () => (await account.client.get(`${V1}/monitors/${monitor.id}`)).body;

    const [first, renewed] = [inDays(3), inDays(90)];
    await submit(agent, monitor.id, { [detail]: first });
    expect(await read()).toMatchObject({ certificate_expires_at: null, domain_expires_at: null, [field]: first });
    await submit(agent, monitor.id, { [detail]: renewed });
    await submit(agent, monitor.id, {});
    expect(await read()).toMatchObject({ [field]: renewed });

    await account.client.put(`${V1}/monitors/${monitor.id}`, { target: `other.${target}` });
    expect(await read()).toMatchObject({ [field]: null });
  });
});

describe("an https monitor", () => {
  it("knows when the certificate of its target expires, which a list finds it by", async () => {
    const { client } = await createAccount();
    const target = `https://localhost:${inject("tls").good}/x`;
    const settings = { type: "https", target, verify_ssl: false };
    const { body: tried } = await client.post(`${V1}/monitors/test`, { name: "Shop", ...settings });
    const expires_at = tried.details.certificate_expires_at;
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now() + 80 * DAY);

    const { id } = await createMonitor(client, { ...settings, paused: false });
    expect((await client.post(`${V1}/monitors/${id}/check`)).body).toMatchObject({ status: "up" });
    expect((await client.get(`${V1}/monitors/${id}`)).body).toMatchObject({ certificate_expires_at: expires_at });
    const before = encodeURIComponent(inDays(100));
    const { body: found } = await client.get(`${V1}/monitors?certificate_expires_before=${before}`);
    expect(found).toMatchObject([{ id }]);

    await client.put(`${V1}/monitors/${id}`, { target: "https://localhost:1/", paused: true });
    expect((await client.get(`${V1}/monitors/${id}`)).body).toMatchObject({ certificate_expires_at: null });
  });
});

describe("muted_until of a monitor", () => {
  it("is at most 30 days ahead, and null ends it", async () => {
    const { client } = await createAccount();
    const until = inDays(29);
    const { id, muted_until } = await createMonitor(client, { muted_until: until });
    expect(muted_until).toBe(until);
    expect(await client.put(`${V1}/monitors/${id}`, { muted_until: inDays(31) })).toMatchObject({
      status: 400,
      body: { error: "muted_until must be at most 30 days ahead" },
    });
    expect((await client.put(`${V1}/monitors/${id}`, { name: "Store" })).body).toMatchObject({ muted_until: until });
    expect((await client.put(`${V1}/monitors/${id}`, { muted_until: null })).body).toMatchObject({ muted_until: null });
  });
});
