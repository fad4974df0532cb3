import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { findReachableNetworks } from "../../src/data/reachable-networks/read.ts";
import { CORE, createClientUnder, V1 } from "../support/client.ts";
import { emptyTables } from "../support/database.ts";
import { type Account, createAccount } from "../support/factories.ts";

const URL = `${CORE}/reachable-networks`;
const HERE = { ONLY_HERE: "true", EGRESS_ALLOW: "" };
const NETWORKS = ["192.168.1.0/24", "localhost"];

let operator: Account;
beforeEach(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  await emptyTables();
  operator = await createAccount({ operator: true });
});

const here = () => createClientUnder(HERE, operator.token);
const elsewhere = () => createClientUnder({ EGRESS_ALLOW: "" }, operator.token);
const watch = (client: ReturnType<typeof here>, target: string) =>
  client.post(`${V1}/monitors`, { name: "NAS", type: "tcp", target });

describe("networks that an operator allows", () => {
  it("are reached at once, by checks and by alerts, and no more once they are removed", async () => {
    expect((await watch(here(), "192.168.1.10:22")).status).toBe(400);
    expect(await here().put(URL, { networks: NETWORKS })).toMatchObject({
      status: 200,
      body: { networks: NETWORKS, set_by_environment: [], in_force: true },
    });
    expect((await watch(here(), "192.168.1.10:22")).status).toBe(201);
    expect((await watch(here(), "localhost:22")).status).toBe(201);
    expect((await watch(here(), "192.168.2.10:22")).status).toBe(400);
    const hook = { name: "Home", url: "http://192.168.1.20/hook", events: ["monitor.down"], secret: "s".repeat(32) };
    expect((await here().post(`${V1}/webhooks`, hook)).status).toBe(201);
    const { body } = await here().get(`${V1}/audit/logs?event_type=reachable_networks.changed`);
    expect(JSON.stringify(body)).toContain("192.168.1.0/24");
    expect((await here().put(URL, { networks: [] })).body).toMatchObject({ networks: [] });
    expect((await watch(here(), "192.168.1.10:23")).status).toBe(400);
  });

  it("hold no more once somebody else has an account, and can then only be removed", async () => {
    await here().put(URL, { networks: NETWORKS });
    await createAccount();
    expect((await watch(here(), "192.168.1.10:22")).status).toBe(400);
    expect((await here().get(URL)).body).toMatchObject({ networks: NETWORKS, in_force: false });
    expect((await here().put(URL, { networks: [...NETWORKS, "10.0.0.0/8"] })).status).toBe(409);
    expect((await here().put(URL, { networks: ["localhost"] })).body).toMatchObject({ networks: ["localhost"] });
  });

  it("neither hold nor can be added where the service is reached from elsewhere, as on Cloudflare", async () => {
    await here().put(URL, { networks: NETWORKS });
    expect((await watch(elsewhere(), "192.168.1.10:22")).status).toBe(400);
    expect((await elsewhere().get(URL)).body).toMatchObject({ in_force: false });
    expect((await elsewhere().put(URL, { networks: [...NETWORKS, "10.0.0.0/8"] })).status).toBe(409);
  });

  it("are for operators alone", async () => {
    const other = await createAccount();
    const client = createClientUnder(HERE, other.token);
    expect((await client.get(URL)).status).toBe(403);
    expect((await client.put(URL, { networks: [] })).status).toBe(403);
  });

  it.each([
    "169.254.169.254",
    "0.0.0.0/0",
    "metadata.google.internal",
    "8.8.8.8",
    "shop.example",
  ])("are never %s", async (network) => {
    expect((await here().put(URL, { networks: [network] })).status).toBe(400);
    expect(await findReachableNetworks(openDb(env.DB))).toEqual({ networks: [], has_one_account: true });
  });

  it("never serve what visitors of a status page subscribe", async () => {
    await here().put(URL, { networks: NETWORKS });
    const page = (await here().post(`${V1}/status-pages`, { name: "Home", slug: "home", is_public: true })).body;
    const sent = { channel: "webhook", endpoint: "https://192.168.1.20/hook" };
    const answer = await here().post(`/status/${page.slug}/subscribers`, sent);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("private address") } });
  });
});
