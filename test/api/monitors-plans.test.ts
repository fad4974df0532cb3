import { describe, expect, it } from "vitest";
import { MONITOR_TYPES, type MonitorType, REGIONS } from "../../src/contract/monitor-values.ts";
import type { Plan } from "../../src/contract/plan.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";

const BODY = { name: "x", type: "http", target: "http://sink.test/", paused: true };

interface Limits {
  interval: number;
  regions: number;
  monitors: number;
}
const LIMITS: [Plan, Limits][] = [
  ["free", { interval: 300, regions: 1, monitors: 5 }],
  ["starter", { interval: 60, regions: 3, monitors: 25 }],
  ["pro", { interval: 30, regions: 6, monitors: 100 }],
  ["business", { interval: 10, regions: 9, monitors: 1000 }],
  ["self_hosted", { interval: 10, regions: 9, monitors: Number.POSITIVE_INFINITY }],
];

const FREE: MonitorType[] = ["http", "https", "icmp", "ping", "tcp", "dns", "ssl", "heartbeat"];
const STARTER: MonitorType[] = [...FREE, "udp", "smtp", "pop3", "imap", "telnet", "domain", "api", "composite"];

describe("the plan", () => {
  it.each(LIMITS)("%s decides the shortest interval", async (plan, { interval }) => {
    const { client } = await createAccount({ plan });
    expect(await client.post(`${V1}/monitors`, { ...BODY, interval })).toMatchObject({
      status: 201,
      body: { interval },
    });
    const shorter = await client.post(`${V1}/monitors`, { ...BODY, interval: interval - 1 });
    if (interval === 10)
      expect(shorter).toMatchObject({ status: 400, body: { error: "interval must be at least 10" } });
    else expect(shorter).toMatchObject({ status: 403, body: { code: "plan_limit" } });
    expect((await client.get(`${V1}/monitors`)).body).toHaveLength(1);
  });

  it.each(LIMITS)("%s decides how many regions a monitor has", async (plan, { regions }) => {
    const { client } = await createAccount({ plan });
    const most = REGIONS.slice(0, regions);
    expect(await client.post(`${V1}/monitors`, { ...BODY, regions: most })).toMatchObject({
      status: 201,
      body: { regions: most },
    });
    const repeated = await client.post(`${V1}/monitors`, { ...BODY, regions: [...most, ...most] });
    expect(repeated.body).toMatchObject(regions * 2 > REGIONS.length ? { details: [{}] } : { regions: most });
    if (regions === REGIONS.length) return;
    const more = REGIONS.slice(0, regions + 1);
    expect(await client.post(`${V1}/monitors`, { ...BODY, regions: more })).toMatchObject({
      status: 403,
      body: { code: "plan_limit", error: `regions must have at most ${regions} items on the ${plan} plan` },
    });
  });

  it.each(LIMITS.slice(0, 2))("%s decides how many monitors there are", async (plan, { monitors }) => {
    const { client } = await createAccount({ plan });
    for (let n = 0; n < monitors; n++) await createMonitor(client);
    expect(await client.post(`${V1}/monitors`, BODY)).toMatchObject({
      status: 403,
      body: { code: "plan_limit", error: `the ${plan} plan includes at most ${monitors} monitors` },
    });
    const [first] = (await client.get(`${V1}/monitors`)).body;
    await client.delete(`${V1}/monitors/${first.id}`);
    expect((await client.post(`${V1}/monitors`, BODY)).status).toBe(201);
  });

  it("holds its number of monitors against requests at the same time", async () => {
    const { client } = await createAccount({ plan: "free" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.post(`${V1}/monitors`, BODY)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 403, 403, 403]);
    expect((await client.get(`${V1}/monitors`)).body).toHaveLength(5);
  });

  it.each<[Plan, readonly MonitorType[]]>([
    ["free", FREE],
    ["starter", STARTER],
    ["pro", MONITOR_TYPES],
    ["business", MONITOR_TYPES],
    ["self_hosted", MONITOR_TYPES],
  ])("%s decides the types, before the rest of the body is judged", async (plan, types) => {
    const { client } = await createAccount({ plan, beta: true });
    for (const type of MONITOR_TYPES) {
      const answer = await client.post(`${V1}/monitors`, { type, failure_threshold: 99 });
      expect([type, answer.status]).toEqual([type, types.includes(type) ? 400 : 403]);
      if (answer.status === 403) {
        expect(answer.body).toMatchObject({
          code: "plan_limit",
          error: `type ${type} is not included in the ${plan} plan`,
        });
      }
    }
  });

  it.each<[Plan, boolean | undefined, number, string | undefined]>([
    ["pro", undefined, 403, "beta_required"],
    ["pro", true, 201, undefined],
    ["business", false, 403, "beta_required"],
    ["business", true, 201, undefined],
    ["self_hosted", undefined, 201, undefined],
  ])("%s with beta %s answers a game server with %i", async (plan, beta, status, code) => {
    const { client } = await createAccount({ plan, beta });
    const body = { name: "x", type: "game_server", query_method: "push" };
    expect(await client.post(`${V1}/monitors`, body)).toMatchObject({ status, body: code ? { code } : {} });
  });

  it("gives a new monitor its smallest interval where that is larger than the default", async () => {
    const { client } = await createAccount({ plan: "free" });
    expect(await createMonitor(client)).toMatchObject({ interval: 300 });
  });

  it("limits changes too, before the rest of the body is judged", async () => {
    const { client } = await createAccount({ plan: "free" });
    const { id } = await createMonitor(client);
    for (const wish of [{ interval: 60 }, { regions: ["weur", "enam"] }, { type: "postgres" }]) {
      const answer = await client.put(`${V1}/monitors/${id}`, { ...wish, failure_threshold: 99 });
      expect(answer).toMatchObject({ status: 403, body: { code: "plan_limit" } });
    }
    expect((await client.put(`${V1}/monitors/${id}`, { interval: 5 })).status).toBe(400);
  });

  it("of the page's owner counts, and the owner has the monitor", async () => {
    const account = await createAccount({ plan: "free" });
    const status_page_id = await createPage(account);
    expect(await account.client.post(`${V1}/monitors`, { ...BODY, status_page_id, interval: 60 })).toMatchObject({
      status: 403,
    });
    expect(await createMonitor(account.client, { status_page_id })).toMatchObject({ status_page_id });
  });
});
