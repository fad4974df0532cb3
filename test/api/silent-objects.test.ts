import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import worker from "../../src/worker.ts";
import { createClientUnder, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createShop, createVisitor } from "../support/pages.ts";

const db = openDb(env.DB);

/** A namespace whose objects take every call and never answer. */
const hangs = () => new Promise(() => {});
const silent = { getByName: () => new Proxy({}, { get: () => hangs }) } as never;
const SILENT = { MONITOR: silent, PROBER: silent };

/** Requests wait a twentieth of a second for an object instead of 5 seconds. */
beforeEach(() => {
  const setTimer = globalThis.setTimeout;
  const shorten = (then: () => void, ms?: number) =>
    setTimer(then, ms !== undefined && ms > 4900 && ms <= 5000 ? 50 : ms);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(shorten as typeof setTimeout);
});
afterEach(() => vi.restoreAllMocks());

describe("while the object of a monitor never answers", () => {
  it("a change is answered once it is stored, and left to the sweep", async () => {
    const { token, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id, { synced_version: 1 });
    const client = createClientUnder(SILENT, token);
    const changed = await client.put(`${V1}/monitors/${id}`, { name: "Shop of another name" });
    expect(changed).toMatchObject({ status: 200, body: { name: "Shop of another name" } });
    const [row] = await db.select().from(monitors).where(eq(monitors.id, id));
    expect(row).toMatchObject({ name: "Shop of another name", config_version: 2, synced_version: 1 });
  });

  it("a new monitor that is pushed to is answered with its credential", async () => {
    const { token } = await createAccount();
    const body = { name: "Backup", type: "heartbeat", interval: 3600 };
    const created = await createClientUnder(SILENT, token).post(`${V1}/monitors`, body);
    expect(created).toMatchObject({ status: 201, body: { heartbeat_token: expect.stringMatching(/^hb_/) } });
  });

  it.each([
    ["results of checks", "http", "results"],
    ["latency of checks", "http", "latency"],
    ["results of pushes", "heartbeat", "results"],
    ["latency of pushes", "heartbeat", "latency"],
  ])("%s are unavailable", async (_, type, kind) => {
    const { client, token } = await createAccount();
    const target = type === "http" ? { target: "https://shop.example/" } : {};
    const { body } = await client.post(`${V1}/monitors`, { name: "Shop", type, interval: 300, ...target });
    const answer = await createClientUnder(SILENT, token).get(`${V1}/monitors/${body.id}/${kind}`);
    expect(answer).toMatchObject({
      status: 503,
      body: { error: "the data of the monitor is not reachable now", code: "unavailable" },
    });
    expect(answer.headers.get("retry-after")).toBe("5");
  });

  it.each([
    ["by its own address", (id: string, token: string) => `/heartbeat/${id}?token=${token}`],
    ["by its short address", (_id: string, token: string) => `/ping/${token}`],
  ])("a heartbeat %s is answered within five seconds, and is to be sent again", async (_name, addressOf) => {
    const { client } = await createAccount();
    const { body } = await client.post(`${V1}/monitors`, { name: "Backup", type: "heartbeat", interval: 3600 });
    const answer = await createClientUnder(SILENT).get(addressOf(body.id, body.heartbeat_token));
    expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
  });

  it("pushed metrics are unavailable", async () => {
    const { client, token } = await createAccount();
    const { body } = await client.post(`${V1}/monitors`, { name: "Shop", type: "api" });
    const answer = await createClientUnder(SILENT, token).get(`${V1}/api-monitoring/monitors/${body.id}/metrics`);
    expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
  });
});

describe("while the database never answers", () => {
  it("a heartbeat that changes a status is taken and answered within five seconds", async () => {
    const { client } = await createAccount();
    const { body } = await client.post(`${V1}/monitors`, { name: "Backup", type: "heartbeat", interval: 3600 });
    const DB = new Proxy(env.DB, { get: (database, name) => (name === "batch" ? hangs : Reflect.get(database, name)) });
    const request = new Request<unknown, IncomingRequestCfProperties>(`http://vigil.test/ping/${body.heartbeat_token}`);
    // Nobody waits for what is deferred.
    const answer = await worker.fetch(request, { ...env, DB }, createExecutionContext());
    expect(answer.status).toBe(200);
    expect((await client.get(`${V1}/monitors/${body.id}/results`)).body).toHaveLength(1);
  });
});

describe("while an object that limits attempts never answers", () => {
  it("a password is refused, because its attempts cannot be counted", async () => {
    const { client } = await createAccount();
    const { body } = await client.get("/api/core/v1/auth/me");
    const credentials = { email: body.email, password: "not the password" };
    const answer = await createClientUnder({ LIMITER: silent, RATE_LIMITS: "" }).post(
      "/api/core/v1/auth/login",
      credentials,
    );
    expect(answer.status).toBe(429);
  });
});

describe("while the object of a status page never answers", () => {
  it("the page is shown, read from the database", async () => {
    const { path } = await createShop();
    const shown = await createVisitor({ PAGE: silent })(path);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain("Web shop");
  });
});
