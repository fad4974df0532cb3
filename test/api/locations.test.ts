import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitorLocations } from "../../src/data/locations/table.ts";
import { guards } from "../../src/data/write-guards/table.ts";
import { AGENTS, type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { ask } from "../support/interleaving.ts";
import { override } from "../support/override.ts";

const db = openDb(env.DB);
const MONITORS = `${V1}/monitors`;
const HTTPS = { name: "Shop", type: "https", target: "https://shop.example/" };

const at = ({ id }: { id: string }) => `agent:${id}`;

async function aLocation(account: Account, hostname: string, is_location = true): Promise<EnrolledAgent> {
  const agent = await enrollAgent(account, { hostname });
  const marked = await account.client.put(`${AGENTS}/${agent.id}`, { is_location });
  expect(marked).toMatchObject({ status: 200, body: { is_location } });
  return agent;
}

async function create(account: Account, body: object): Promise<{ id: string }> {
  const created = await account.client.post(MONITORS, { ...HTTPS, ...body });
  expect(created).toMatchObject({ status: 201 });
  return created.body;
}

const votersOf = async (monitorId: string) => {
  const rows = await db.select().from(monitorLocations).where(eq(monitorLocations.monitor_id, monitorId));
  return rows.map(({ agent_id }) => agent_id).sort();
};

describe("agents as locations", () => {
  it("are none until they are marked", async () => {
    const { client } = await createAccount();
    const plain = await client.post(AGENTS, { name: "Plain" });
    expect(plain).toMatchObject({ status: 201, body: { is_location: false } });
    expect(await client.post(AGENTS, { name: "Place", is_location: true })).toMatchObject({
      body: { is_location: true },
    });
    expect(await client.put(`${AGENTS}/${plain.body.id}`, { name: "Still plain" })).toMatchObject({
      body: { is_location: false },
    });
  });

  it("cannot be unmarked or deleted while a monitor names them, and the refusal names it", async () => {
    const account = await createAccount();
    const agent = await aLocation(account, "a");
    const monitor = await create(account, { name: "Checkout", locations: [at(agent)] });
    const refusal = {
      status: 409,
      body: {
        code: "in_use",
        error: expect.stringContaining('"Checkout"'),
        details: [{ path: `monitors.${monitor.id}`, message: "Checkout" }],
      },
    };
    expect(await account.client.put(`${AGENTS}/${agent.id}`, { is_location: false })).toMatchObject(refusal);
    expect(await account.client.delete(`${AGENTS}/${agent.id}`)).toMatchObject(refusal);
    expect(await account.client.put(`${MONITORS}/${monitor.id}`, { locations: [] })).toMatchObject({ status: 200 });
    expect(await account.client.put(`${AGENTS}/${agent.id}`, { is_location: false })).toMatchObject({ status: 200 });
    expect(await account.client.delete(`${AGENTS}/${agent.id}`)).toMatchObject({ status: 204 });
  });

  it("are refused to a monitor from which another request takes them between its read and its write", async () => {
    const account = await createAccount();
    const agent = await aLocation(account, "a");
    const monitor = await create(account, {});
    let isWriting = false;
    const prepare = (query: string) => {
      isWriting ||= query.includes("guards");
      return env.DB.prepare(query);
    };
    const batch = async (statements: D1PreparedStatement[]) => {
      if (isWriting) await account.client.put(`${AGENTS}/${agent.id}`, { is_location: false });
      return env.DB.batch(statements);
    };
    const status = await ask(
      { ...env, DB: override(env.DB, { prepare, batch }) },
      {
        token: account.token,
        method: "PUT",
        path: `${MONITORS}/${monitor.id}`,
        body: { locations: [at(agent)] },
      },
    );
    // The request that lost is tried once more, and finds that the agent is no location.
    expect(status).toBe(400);
    expect((await account.client.get(`${MONITORS}/${monitor.id}`)).body.locations).toEqual([]);
    expect(await votersOf(monitor.id)).toEqual([]);
    expect(await db.select().from(guards)).toEqual([]);
  });

  it("get the monitors that name them, and may report no others", async () => {
    const account = await createAccount();
    const [mine, other] = [await aLocation(account, "a"), await aLocation(account, "b")];
    const monitor = await create(account, { locations: [at(mine), "default"] });
    expect((await mine.client.get(`${AGENTS}/monitors`)).body).toMatchObject([
      { id: monitor.id, is_location: true, slot_phase_ms: expect.any(Number) },
    ]);
    expect((await other.client.get(`${AGENTS}/monitors`)).body).toEqual([]);
    const result = { status: "up", latency_ms: 5 };
    const path = `${MONITORS}/${monitor.id}/status`;
    expect((await mine.client.post(path, result)).status).toBe(200);
    expect((await other.client.post(path, result)).status).toBe(403);
  });
});

describe("locations of a monitor", () => {
  it("are its regions where it names nothing else", async () => {
    const account = await createAccount({ plan: "pro" });
    const monitor = await create(account, { regions: ["weur", "enam"] });
    expect(monitor).toMatchObject({ regions: ["weur", "enam"], locations: ["weur", "enam"] });
    const changed = await account.client.put(`${MONITORS}/${monitor.id}`, { locations: ["apac"] });
    expect(changed.body).toMatchObject({ regions: ["apac"], locations: ["apac"] });
    expect(await account.client.put(`${MONITORS}/${monitor.id}`, { locations: null })).toMatchObject({
      body: { regions: [], locations: [] },
    });
  });

  it("mix regions and agents, of which `regions` is the edge's part", async () => {
    const account = await createAccount({ plan: "pro" });
    const [a, b] = [await aLocation(account, "a"), await aLocation(account, "b")];
    const monitor = await create(account, { locations: ["weur", at(a)] });
    expect(monitor).toMatchObject({ regions: ["weur"], locations: ["weur", at(a)], agent_id: null });
    expect(await votersOf(monitor.id)).toEqual([a.id]);

    const path = `${MONITORS}/${monitor.id}`;
    const moved = await account.client.put(path, { regions: ["enam"] });
    expect(moved.body).toMatchObject({ regions: ["enam"], locations: ["enam", at(a)] });
    const echoed = await account.client.put(path, { ...moved.body, regions: ["apac"], name: "Shop 2" });
    expect(echoed).toMatchObject({ status: 200, body: { regions: ["apac"], locations: ["apac", at(a)] } });
    const replaced = await account.client.put(path, { locations: [at(b), "apac"] });
    expect(replaced.body).toMatchObject({ regions: ["apac"], locations: [at(b), "apac"] });
    expect(await votersOf(monitor.id)).toEqual([b.id]);
    expect((await account.client.get(path)).body.locations).toEqual([at(b), "apac"]);
  });

  it("confirm an outage of the edge from outside unless that is turned off", async () => {
    const account = await createAccount();
    const agent = await aLocation(account, "a");
    const monitor = await create(account, { locations: ["default", at(agent)] });
    expect(monitor).toMatchObject({ confirm_outside: null });
    for (const confirm_outside of [false, true, null]) {
      const changed = await account.client.put(`${MONITORS}/${monitor.id}`, { confirm_outside });
      expect(changed).toMatchObject({ status: 200, body: { confirm_outside } });
    }
  });

  it("are those of the original in a copy", async () => {
    const account = await createAccount({ plan: "pro" });
    const agent = await aLocation(account, "a");
    for (const locations of [["weur", at(agent)], ["enam"]]) {
      const monitor = await create(account, { locations });
      const copy = await account.client.post(`${MONITORS}/${monitor.id}/clone`, {});
      expect(copy).toMatchObject({ status: 201, body: { locations, regions: locations.slice(0, 1) } });
    }
  });

  it("of agents alone may have private targets, and are not checked by the edge", async () => {
    const account = await createAccount();
    const agent = await aLocation(account, "a");
    const target = "https://10.0.0.7/";
    expect(await create(account, { target, locations: [at(agent)] })).toMatchObject({
      is_internal: true,
      next_check_at: null,
    });
    const mixed = await account.client.post(MONITORS, { ...HTTPS, target, locations: [at(agent), "default"] });
    expect(mixed).toMatchObject({ status: 400, body: { error: expect.stringContaining("target") } });
  });

  it("refuse what cannot vote", async () => {
    const [account, stranger] = [await createAccount({ plan: "pro" }), await createAccount()];
    const marked = await aLocation(account, "a");
    const plain = await aLocation(account, "b", false);
    const foreign = await aLocation(stranger, "c");
    const many = Array.from({ length: 11 }, () => at({ id: crypto.randomUUID() }));
    const rows: [fields: object, path: string][] = [
      [{ locations: [at(plain)] }, "locations"],
      [{ locations: [at(foreign)] }, "locations"],
      [{ locations: [at({ id: crypto.randomUUID() })] }, "locations"],
      [{ locations: ["agent:7"] }, "locations"],
      [{ locations: ["mars"] }, "locations"],
      [{ locations: many }, "locations"],
      [{ locations: [at(marked), "default", "weur"] }, "locations"],
      [{ locations: [at(marked)], agent_id: plain.id }, "locations"],
      [{ type: "icmp", target: "10.0.0.1", locations: [at(marked), "weur"] }, "locations"],
      [{ type: "heartbeat", target: null, expected_interval: 60, locations: [at(marked)] }, "locations"],
      [{ locations: [at(marked), "weur"], region_policy: "at_least:3" }, "region_policy"],
    ];
    for (const [fields, path] of rows) {
      const refused = await account.client.post(MONITORS, { ...HTTPS, ...fields });
      expect([fields, refused.status, refused.body.error]).toEqual([fields, 400, expect.stringContaining(path)]);
    }
  });

  it("of types that only agents can run are agents, without agent_id", async () => {
    const account = await createAccount({ plan: "pro" });
    const agent = await aLocation(account, "a");
    expect(await create(account, { type: "icmp", target: "10.0.0.1", locations: [at(agent)] })).toMatchObject({
      agent_id: null,
      locations: [at(agent)],
    });
  });
});
