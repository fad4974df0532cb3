import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { AGENTS, type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";

const db = openDb(env.DB);
const CAPABILITIES = ["http", "https", "steps", "rules", "confirm"];

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => vi.useRealTimers());

interface Place {
  owner: Account;
  agent: EnrolledAgent;
  id: string;
}

/** A monitor that the edge checks, and an agent that it does not name. */
async function aPlace(
  monitor: Parameters<typeof insertMonitor>[1] = {},
  known: Partial<typeof agents.$inferInsert> = {},
): Promise<Place> {
  const owner = await createAccount();
  const agent = await enrollAgent(owner, { hostname: "rack-1", name: "Rack 1", capabilities: CAPABILITIES });
  await db
    .update(agents)
    .set({ is_location: true, ...known })
    .where(eq(agents.id, agent.id));
  const { id } = await insertMonitor(owner.user_id, { failure_threshold: 1, ...monitor });
  return { owner, agent, id };
}

async function failAtEdge({ id }: Pick<Place, "id">) {
  vi.setSystemTime(Date.now() + 60_000);
  const at = Date.now();
  const found = { region: "default", slot_at: at, attempt: 0, checked_at: at, latency_ms: null };
  const results = [{ ...found, outcome: "failure" as const, message: "connection refused" }];
  return (await env.MONITOR.getByName(id).report(id, 1, results))?.status;
}

async function orderOf({ agent }: Pick<Place, "agent">) {
  const { body } = await agent.client.get(`${AGENTS}/commands?wait=0`);
  return body.find(({ type }: { type: string }) => type === "confirm");
}

const statusOf = async ({ id }: Pick<Place, "id">) => (await env.MONITOR.getByName(id).sync(id, 0))?.status;

describe("an outage that the edge finds, where an agent of another network is at hand", () => {
  it("is degraded, and announced as that, where the agent reaches the target", async () => {
    const place = await aPlace();
    expect(await failAtEdge(place)).toBe("pending");
    const order = await orderOf(place);
    expect(order.params.assignment).toMatchObject({ id: place.id, timeout_seconds: 4 });
    const answer = { ok: true, result: { status: "up", latency_ms: 12, message: "HTTP 200" } };
    expect((await place.agent.client.post(`${AGENTS}/commands/${order.id}/ack`, answer)).status).toBe(200);
    expect(await statusOf(place)).toBe("degraded");
    await vi.waitFor(async () => {
      const found = await db.select().from(events).where(eq(events.monitor_id, place.id));
      expect(found).toMatchObject([
        { name: "monitor.degraded", data: { message: "unreachable from Cloudflare only: connection refused" } },
      ]);
    }, PATIENCE);
  });

  it.each([
    ["finds the same", { ok: true, result: { status: "down", message: "connection refused" } }],
    ["cannot check", { ok: false, error: "this agent's host does not allow it" }],
    ["says what nobody understands", { ok: true, result: "fine" }],
  ])("is an outage at once where the agent %s", async (_name, answer) => {
    const place = await aPlace();
    await failAtEdge(place);
    const order = await orderOf(place);
    await place.agent.client.post(`${AGENTS}/commands/${order.id}/ack`, answer);
    expect(await statusOf(place)).toBe("down");
  });

  it("hears an answer that was stored before the request failed, when the agent repeats it", async () => {
    const place = await aPlace();
    await failAtEdge(place);
    const order = await orderOf(place);
    const answer = { ok: true, result: { status: "up", message: "HTTP 200" } };
    await env.DB.prepare("UPDATE agent_commands SET acked_at = ?, ok = 1, result = ? WHERE id = ?")
      .bind(Date.now(), JSON.stringify(answer.result), order.id)
      .run();
    expect((await place.agent.client.post(`${AGENTS}/commands/${order.id}/ack`, answer)).status).toBe(200);
    expect(await statusOf(place)).toBe("degraded");
  });

  it("is an outage after five seconds where the agent does not answer, and no answer changes it then", async () => {
    const place = await aPlace();
    await failAtEdge(place);
    const order = await orderOf(place);
    vi.setSystemTime(Date.now() + 5000);
    expect(await runDurableObjectAlarm(env.MONITOR.get(env.MONITOR.idFromName(place.id)))).toBe(true);
    expect(await statusOf(place)).toBe("down");
    await place.agent.client.post(`${AGENTS}/commands/${order.id}/ack`, { ok: true, result: { status: "up" } });
    expect(await statusOf(place)).toBe("down");
  });

  it("shows the target to nobody who sees the agent alone", async () => {
    const place = await aPlace();
    await failAtEdge(place);
    const { body } = await place.owner.client.get(`${AGENTS}/${place.agent.id}/commands/${(await orderOf(place)).id}`);
    expect(body).toMatchObject({ type: "confirm", params: {} });
  });
});

describe("an outage is announced without asking", () => {
  it.each<[string, Parameters<typeof aPlace>[0], Parameters<typeof aPlace>[1]]>([
    ["no agent is marked as a location", {}, { is_location: false }],
    ["the agent is offline", {}, { status: "offline" }],
    ["the agent is in the edge's own network", {}, { network: { asn: 13_335, name: "Cloudflare", country: "DE" } }],
    ["the agent serves its own page alone", {}, { own_page_only: true }],
    ["its program does not know the order", {}, { capabilities: ["http", "https"] }],
    ["the monitor says so", { confirm_outside: false }, {}],
    ["the monitor sends secrets", { sealed: "sealed" }, {}],
    ["the target is expected to fail", { options: { invert: true } }, {}],
  ])("where %s", async (_name, monitor, agent) => {
    expect(await failAtEdge(await aPlace(monitor, agent))).toBe("down");
  });

  it("to the agents of others", async () => {
    const { agent } = await aPlace();
    const { user_id } = await createAccount();
    const monitor = await insertMonitor(user_id, { failure_threshold: 1 });
    expect(await failAtEdge(monitor)).toBe("down");
    expect(await orderOf({ agent })).toBeUndefined();
    expect((await agent.client.get(`${V1}/agents/monitors`)).body).toEqual([]);
  });
});
