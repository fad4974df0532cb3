import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { createApp } from "../../src/app.ts";
import checker from "../../src/checker.ts";
import { runSlot } from "../../src/checks/runner.ts";
import { REGIONS, type Region } from "../../src/contract/monitor-values.ts";
import type { ResultBlock } from "../../src/contract/prober-object.ts";
import { REGION_PLACES } from "../../src/contract/regions.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { learnColo } from "../../src/platform/colo.ts";
import { CORE, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const db = openDb(env.DB);
const app = createApp();

beforeEach(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / MINUTE) * MINUTE });
});
afterEach(() => vi.useRealTimers());

/** The variables of a deployed checker: no secret, no storage. */
const CHECKER_VARS = { EGRESS_ALLOW: "sink.test", RATE_LIMITS: "all=off" };

/** A service binding to the checker Worker; `requests` are those that it received. */
function bindChecker(respond = (request: Request) => checker.fetch(request, CHECKER_VARS)) {
  const requests: unknown[] = [];
  const fetcher = {
    fetch: async (url: string, init: RequestInit) => {
      const request = new Request(url, init);
      requests.push(await request.clone().json());
      return respond(request);
    },
  };
  return { fetcher, requests };
}

async function runIn(region: string, group_id: string, bindings: object) {
  vi.setSystemTime(Date.now() + MINUTE);
  const blocks: ResultBlock[] = [];
  const scope = jobScope({ ...recordingEnv().env, ...bindings }, "test");
  await runSlot(
    scope,
    { group_id, region, slot_at: Date.now(), attempt: 0 },
    async (_shard, block) => void blocks.push(block),
  );
  return blocks;
}

async function twoMonitors(region: Region = "weur") {
  const { user_id } = await createAccount();
  const fields = { created_at: Date.now() - 60 * MINUTE, failure_threshold: 1, regions: [region] };
  const first = await insertMonitor(user_id, fields);
  const second = await insertMonitor(user_id, { ...fields, target: "http://sink.test/second" });
  await db.update(monitors).set({ check_group_id: first.check_group_id }).where(eq(monitors.id, second.id));
  return { ids: [first.id, second.id], group: first.check_group_id };
}

const statusOf = async (id: string) =>
  (await db.select({ status: monitors.status }).from(monitors).where(eq(monitors.id, id)))[0]?.status;

describe("a region with a checker Worker", () => {
  it("is checked by that Worker alone: one request carries every job of the message", async () => {
    const { ids, group } = await twoMonitors();
    const { fetcher, requests } = bindChecker();
    const [block] = await runIn("weur", group, { CHECKER_WEUR: fetcher });
    expect(requests).toHaveLength(1);
    expect(block?.entries.map(({ outcome }) => outcome)).toEqual(["success", "success"]);
    expect(await Promise.all(ids.map(statusOf))).toEqual(["up", "up"]);
  });

  it("counts for neither side while its checker does not respond", async () => {
    const { ids, group } = await twoMonitors();
    await runIn("weur", group, { CHECKER_WEUR: bindChecker().fetcher });
    const { fetcher } = bindChecker(async () => new Response("error code: 1101", { status: 500 }));
    const [block] = await runIn("weur", group, { CHECKER_WEUR: fetcher });
    expect(block?.entries.map(({ outcome, message }) => `${outcome}: ${message}`)).toEqual(
      Array(2).fill("error: the checker of region weur did not respond"),
    );
    expect(await Promise.all(ids.map(statusOf))).toEqual(["up", "up"]);
  });
});

describe("the place that a check of a region ran in", () => {
  const placed = (colo?: string) => async () => {
    const result = { outcome: "success", latency_ms: 1, message: "HTTP 200", details: {} };
    return Response.json({ outcomes: [1, 2].map(() => ({ checked_at: Date.now(), ...(colo && { colo }), result })) });
  };

  it("is the one that its checker names, and unknown where that is of an older release", async () => {
    const { group } = await twoMonitors();
    const [block] = await runIn("weur", group, { CHECKER_WEUR: bindChecker(placed("AMS")).fetcher });
    expect(block?.entries.map(({ colo }) => colo)).toEqual(["AMS", "AMS"]);
    const [older] = await runIn("weur", group, { CHECKER_WEUR: bindChecker(placed()).fetcher });
    expect(older?.entries.map(({ colo }) => colo)).toEqual([null, null]);
  });

  it("is named by the checker once an answer of Cloudflare's network named it", async () => {
    const { group } = await twoMonitors();
    learnColo(new Headers({ "cf-ray": "8f2d3c4b5a69-FRA" }));
    const [block] = await runIn("weur", group, { CHECKER_WEUR: bindChecker().fetcher });
    expect(block?.entries.map(({ colo }) => colo)).toEqual(["FRA", "FRA"]);
  });
});

describe("each region that monitors may name", () => {
  it.each(
    REGIONS,
  )("%s: has its checks made by its own checker, or by the service where none is bound", async (region) => {
    const { ids, group } = await twoMonitors(region);
    const checkers = REGIONS.map((each) => ({ binding: REGION_PLACES[each].binding, ...bindChecker() }));
    await runIn(region, group, Object.fromEntries(checkers.map(({ binding, fetcher }) => [binding, fetcher])));
    expect(checkers.filter(({ requests }) => requests.length > 0).map(({ binding }) => binding)).toEqual([
      REGION_PLACES[region].binding,
    ]);
    const [here] = await runIn(region, group, {});
    expect(here?.entries.map(({ outcome }) => outcome)).toEqual(["success", "success"]);
    expect(await Promise.all(ids.map(statusOf))).toEqual(["up", "up"]);
  });
});

describe("a region without a checker Worker", () => {
  it("is checked by the service itself", async () => {
    const { ids, group } = await twoMonitors();
    await runIn("weur", group, {});
    expect(await Promise.all(ids.map(statusOf))).toEqual(["up", "up"]);
  });
});

describe("a region that is not in REGIONS", () => {
  it("is refused with the list of those that are", async () => {
    const { token } = await createAccount();
    const send = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const request = new Request(`http://vigil.test${path}`, { ...init, headers });
      const bindings = { ...recordingEnv().env, REGIONS: "weur,apac" };
      const response = await app.fetch(request, bindings, createExecutionContext());
      return { status: response.status, body: await response.json() };
    };
    const monitor = { name: "Shop", type: "http", target: "http://sink.test/", regions: ["weur", "sam"] };
    const refused = await send(`${V1}/monitors`, { method: "POST", body: JSON.stringify(monitor) });
    expect(refused).toMatchObject({
      status: 400,
      body: { code: "region_unavailable", error: "regions must be among those that are available: weur, apac" },
    });
    expect((await send(`${CORE}/uptime/tier-info`)).body).toMatchObject({ features: { regions: ["weur", "apac"] } });
  });
});
