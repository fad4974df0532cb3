import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { createClientUnder, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";

const FREE = { PLAN: "free" };
const FULL = { status: 403, body: { code: "plan_limit" } };

/** The room is the installation's, so that each test begins with none taken. */
beforeEach(async () => {
  await env.DB.prepare("DELETE FROM monitors").run();
});

async function operatorOnFreePlan() {
  const { token } = await createAccount();
  const client = createClientUnder(FREE, token);
  const create = (body: object) =>
    client.post(`${V1}/monitors`, { name: "Site", type: "http", target: "http://127.0.0.1:9/", ...body });
  return { client, create };
}

describe("an installation on the Workers Free plan", () => {
  it("checks every five minutes unless configured otherwise", async () => {
    const { create } = await operatorOnFreePlan();
    expect(await create({})).toMatchObject({ status: 201, body: { interval: 300 } });
  });

  it("has room for ten checks a minute, of all accounts together, and says what fits", async () => {
    const [one, other] = [await operatorOnFreePlan(), await operatorOnFreePlan()];
    for (let n = 0; n < 9; n++) expect((await one.create({ interval: 60 })).status).toBe(201);
    expect((await other.create({ interval: 60 })).status).toBe(201);
    const refused = await other.create({ interval: 300 });
    expect(refused).toMatchObject(FULL);
    expect(refused.body.error).toMatch(/50 monitors every 5 minutes or 10 every minute/);
    expect((await other.create({ type: "heartbeat", target: undefined })).status).toBe(201);
  });

  it("lets a monitor be changed where it stands, and not beyond the room that is left", async () => {
    const { client, create } = await operatorOnFreePlan();
    for (let n = 0; n < 9; n++) await create({ interval: 60 });
    const { body: last } = await create({ interval: 300 });
    const put = (body: object) => client.put(`${V1}/monitors/${last.id}`, body);
    expect((await put({ name: "Renamed" })).status).toBe(200);
    expect((await put({ interval: 60 })).status).toBe(200);
    expect(await put({ interval: 90 })).toMatchObject(FULL);
    expect((await create({ interval: 300 })).body.error).toMatch(/10 checks a minute/);
  });

  it("has room for fifty monitors, of which heartbeats share ten a minute", async () => {
    const { create } = await operatorOnFreePlan();
    const beat = (expected_interval: number) => create({ type: "heartbeat", target: undefined, expected_interval });
    for (let n = 0; n < 10; n++) expect((await beat(60)).status).toBe(201);
    expect((await beat(3600)).body.error).toMatch(/10 heartbeats a minute/);
    for (let n = 0; n < 40; n++) expect((await create({})).status).toBe(201);
    expect((await create({ interval: 3600 })).body.error).toBe("the Workers Free plan has room for 50 monitors");
  });

  it.each([
    ["an interval between", { interval: 120 }, /interval must be 60 or a multiple of 300/],
    ["a TLS handshake of its own", { type: "ssl", target: "example.com" }, /10 ms of CPU/],
    ["steps", { steps: [{ name: "One", url: "http://127.0.0.1:9/" }] }, /50 requests/],
  ])("refuses %s", async (_name, body, reason) => {
    const { create } = await operatorOnFreePlan();
    const refused = await create(body);
    expect(refused).toMatchObject(FULL);
    expect(refused.body.error).toMatch(reason);
  });

  it("takes what no message and no CPU of its own is spent on", async () => {
    const { create } = await operatorOnFreePlan();
    const taken = await create({ type: "postgres", target: "127.0.0.1:5432", tls_mode: "off", interval: 300 });
    expect(taken.status).toBe(201);
  });

  it("fills shards of ten, so that one message is within the requests of an invocation", async () => {
    const { create } = await operatorOnFreePlan();
    for (let n = 0; n < 21; n++) await create({});
    const { results } = await env.DB.prepare("SELECT size FROM shards WHERE size > 0 ORDER BY size DESC").all();
    expect(results.map(({ size }) => size).slice(0, 2)).toEqual([10, 10]);
    expect(results.every(({ size }) => Number(size) <= 60)).toBe(true);
  });
});
