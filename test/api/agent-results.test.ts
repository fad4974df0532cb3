import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { runSlot } from "../../src/checks/runner.ts";
import { agentLatest, agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors, statusIntervals, transitions } from "../../src/data/monitors/table.ts";
import { MonitorObject } from "../../src/durable-objects/monitor.ts";
import { aStage, enrollAgent, listKept, readMonitor, type Stage, settle, submit } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { insertMonitor } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const db = openDb(env.DB);

let T0: number;
beforeEach(async () => {
  await db.delete(monitors);
  await db.delete(agents);
  T0 = Math.floor(Date.now() / MINUTE) * MINUTE;
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
});
afterEach(() => vi.useRealTimers());

const iso = (at: number) => new Date(at).toISOString();

describe("POST /monitors/{id}/status", () => {
  it("brings a monitor up and shows the result in its list of results", async () => {
    const stage = await aStage();
    const details = { code: 200 };
    const answer = await submit(stage, {
      status: "up",
      latency_ms: 12.4,
      message: "HTTP 200",
      checked_at: iso(T0),
      details,
    });
    expect(answer).toMatchObject({ status: 200, body: { accepted: 1, status: "up" } });
    expect(await readMonitor(stage)).toMatchObject({ status: "up", settled: true, retry_at: null });
    const results = await stage.account.client.get(`${V1}/monitors/${stage.monitor.id}/results`);
    expect(results.body).toEqual([
      {
        checked_at: iso(T0),
        kind: "check",
        status: "up",
        latency_ms: 12,
        message: "HTTP 200",
        region: "default",
        colo: null,
        details,
      },
    ]);
  });

  it("takes a bare status as a check made now", async () => {
    const stage = await aStage();
    expect((await submit(stage, { status: "degraded" })).body).toEqual({ accepted: 1, status: "up" });
    expect((await submit(stage, { status: "degraded", checked_at: iso(T0 + 1) })).body).toEqual({
      accepted: 1,
      status: "degraded",
    });
  });

  it("counts the same checked_at once, in one request and over several", async () => {
    const stage = await aStage();
    const failure = { status: "down", message: "refused", checked_at: iso(T0) };
    expect((await submit(stage, [failure, failure])).body).toEqual({ accepted: 1, status: "pending" });
    expect((await submit(stage, failure)).body).toEqual({ accepted: 0, status: "pending" });
    const second = { ...failure, checked_at: iso(T0 + 1) };
    expect((await submit(stage, second)).body).toEqual({ accepted: 1, status: "down" });
    await settle(stage);
    expect(await readMonitor(stage)).toMatchObject({ status: "down", status_since: T0, status_message: "refused" });
  });

  it("goes by when a check was made, not by the order of the list", async () => {
    const stage = await aStage({ recovery_threshold: 1 });
    const body = [
      { status: "up", checked_at: iso(T0) },
      { status: "down", checked_at: iso(T0 - 20_000) },
      { status: "down", checked_at: iso(T0 - 10_000) },
    ];
    await db
      .update(monitors)
      .set({ created_at: T0 - HOUR, status_since: T0 - HOUR })
      .where(eq(monitors.id, stage.monitor.id));
    expect((await submit(stage, body)).body).toEqual({ accepted: 3, status: "up" });
    await settle(stage);
    const moves = await db
      .select()
      .from(transitions)
      .where(eq(transitions.monitor_id, stage.monitor.id))
      .orderBy(transitions.seq);
    expect(moves.map(({ to_status }) => to_status)).toEqual(["down", "up"]);
  });

  it("counts late failures as an outage from the monitor's threshold on, in however many requests they come", async () => {
    const stage = await aStage({ failure_threshold: 3, recovery_threshold: 1, created_at: T0 - HOUR });
    const minutesAgo = (minutes: number, status: "up" | "down") => {
      const message = status === "down" ? `refused ${minutes} min ago` : "";
      return { status, message, checked_at: iso(T0 - minutes * MINUTE) };
    };
    const down = async () => {
      const rows = await db.select().from(statusIntervals).where(eq(statusIntervals.monitor_id, stage.monitor.id));
      const lasted = rows
        .filter(({ status }) => status === "down")
        .map(({ from_at, to_at }) => (to_at ?? T0) - from_at);
      return lasted.reduce((sum, ms) => sum + ms, 0) / MINUTE;
    };
    const outages = async () =>
      (await stage.account.client.get(`${V1}/monitors/${stage.monitor.id}/outages`)).body.map(
        ({ started_at, ended_at, cause }: Record<string, string>) => ({ started_at, ended_at, cause }),
      );
    const first = (["up", "down", "up", "up", "down", "down"] as const).map((status, n) => minutesAgo(30 - n, status));
    expect((await submit(stage, first)).body).toMatchObject({ accepted: 6 });
    expect([await down(), await outages()]).toEqual([0, []]);
    const second = (["down", "down", "up", "up"] as const).map((status, n) => minutesAgo(24 - n, status));
    for (const accepted of [4, 0]) {
      expect((await submit(stage, second)).body).toMatchObject({ accepted });
      const [started_at, ended_at] = [iso(T0 - 26 * MINUTE), iso(T0 - 22 * MINUTE)];
      expect(await outages()).toEqual([{ started_at, ended_at, cause: "refused 26 min ago" }]);
      expect(await down()).toBe(4);
    }
  });

  it("does not let a late answer overtake a newer one", async () => {
    const stage = await aStage({ failure_threshold: 1, created_at: T0 - HOUR });
    await submit(stage, { status: "up", checked_at: iso(T0) });
    expect((await submit(stage, { status: "down", checked_at: iso(T0 - 1) })).body).toEqual({
      accepted: 1,
      status: "up",
    });
  });

  it.each([
    ["5 minutes ahead", 5 * MINUTE, 200],
    ["more than 5 minutes ahead", 5 * MINUTE + 1, 400],
    ["24 hours old", -DAY, 200],
    ["more than 24 hours old", -DAY - 1, 400],
  ])("answers a check %s (%i ms) with %i", async (_name, offset, status) => {
    const stage = await aStage();
    expect((await submit(stage, { status: "up", checked_at: iso(T0 + offset) })).status).toBe(status);
    expect(await listKept(stage)).toHaveLength(status === 200 ? 1 : 0);
  });

  it.each([
    ["100 results", 100, 200],
    ["101 results", 101, 400],
    ["no result", 0, 400],
  ])("answers %s (%i) with %i", async (_name, count, status) => {
    const stage = await aStage();
    const body = Array.from({ length: count }, (_, n) => ({ status: "up", checked_at: iso(T0 - n * 1000) }));
    expect((await submit(stage, body)).status).toBe(status);
  });

  it.each([
    ["a status that is none", { status: "paused" }],
    ["a negative latency", { status: "up", latency_ms: -1 }],
    ["a time that is none", { status: "up", checked_at: "yesterday" }],
    ["details that are no object", { status: "up", details: [] }],
  ])("refuses %s and keeps nothing", async (_name, body) => {
    const stage = await aStage();
    expect((await submit(stage, body)).status).toBe(400);
    expect(await listKept(stage)).toEqual([]);
  });

  it("is 403 for a monitor of the same account that is not the agent's, and 404 for any other", async () => {
    const [stage, foreign] = [await aStage(), await aStage()];
    const sibling = await enrollAgent(stage.account);
    const unassigned = await insertMonitor(stage.account.user_id);
    const post = (id: string, agent = stage.agent) =>
      agent.client.post(`${V1}/monitors/${id}/status`, { status: "up" });
    expect((await post(stage.monitor.id, sibling)).status).toBe(403);
    expect((await post(unassigned.id)).status).toBe(403);
    expect((await post(foreign.monitor.id)).status).toBe(404);
    expect((await post(crypto.randomUUID())).status).toBe(404);
    expect((await post("x")).status).toBe(400);
    expect((await readMonitor(stage)).status).toBe("pending");
    expect((await readMonitor(foreign)).status).toBe("pending");
  });

  it("records what is measured of a paused monitor and changes nothing", async () => {
    const stage = await aStage({ paused: true, status: "paused" });
    expect((await submit(stage, { status: "down" })).body).toEqual({ accepted: 1, status: "paused" });
    expect((await submit(stage, { status: "down", checked_at: iso(T0 + 1) })).body.status).toBe("paused");
  });

  it("counts for a monitor that names regions, too, for an agent is one place", async () => {
    const stage = await aStage({ regions: ["weur", "enam"] });
    expect((await submit(stage, { status: "up" })).body.status).toBe("up");
  });

  it("asks for no repeat by the service's own checkers, which never touch the monitor", async () => {
    const stage = await aStage();
    await submit(stage, { status: "up", checked_at: iso(T0) });
    await submit(stage, { status: "down", checked_at: iso(T0 + 1) });
    expect((await readMonitor(stage)).retry_at).toBeNull();

    const { check_group_id, id } = await insertMonitor(stage.account.user_id, { agent_id: stage.agent.id });
    const outside = vi.spyOn(globalThis, "fetch");
    const recording = recordingEnv();
    await runSlot(
      jobScope(recording.env, "test"),
      {
        group_id: check_group_id,
        region: "default",
        slot_at: T0,
        attempt: 0,
      },
      async () => {},
    );
    expect(outside).not.toHaveBeenCalled();
    outside.mockRestore();
    const [row] = await db.select().from(monitors).where(eq(monitors.id, id));
    expect(row?.status).toBe("pending");
  });
});

describe("GET /monitors/{id}/results", () => {
  it("gives the newest first, within a range, a limit and a region", async () => {
    const stage = await aStage({ created_at: T0 - HOUR });
    const at = [0, 1, 2, 3].map((n) => T0 - n * MINUTE);
    await submit(
      stage,
      at.map((checked_at) => ({ status: "up", checked_at: iso(checked_at) })),
    );
    const list = async (query: string) => {
      const { body } = await stage.account.client.get(`${V1}/monitors/${stage.monitor.id}/results?${query}`);
      return body.map(({ checked_at }: { checked_at: string }) => (T0 - Date.parse(checked_at)) / MINUTE);
    };
    expect(await list("")).toEqual([0, 1, 2, 3]);
    expect(await list("limit=2")).toEqual([0, 1]);
    expect(await list(`from=${iso(T0 - 2 * MINUTE)}&to=${iso(T0)}`)).toEqual([1, 2]);
    expect(await list("region=weur")).toEqual([]);
    expect(await list("region=default")).toHaveLength(4);
  });
});

describe("an agent's success above latency_threshold_ms", () => {
  it("is a slow success: the monitor comes up with it and is degraded by the next one", async () => {
    const stage = await aStage({ latency_threshold_ms: 100 });
    const slow = (at: number) => ({ status: "up", latency_ms: 101, checked_at: iso(at) });
    expect((await submit(stage, slow(T0))).body).toMatchObject({ status: "up" });
    expect((await submit(stage, slow(T0 + 1))).body).toMatchObject({ status: "degraded" });
    expect((await submit(stage, { status: "up", latency_ms: 100, checked_at: iso(T0 + 2) })).body).toMatchObject({
      status: "up",
    });
  });
});

describe("results that come out of order", () => {
  const result = fc.record({
    status: fc.constantFrom("up", "up", "degraded", "down"),
    latency_ms: fc.constantFrom(10, 500),
  });
  const anyOrder = fc
    .array(result, { minLength: 2, maxLength: 7 })
    .chain((results) =>
      fc.tuple(fc.constant(results), fc.shuffledSubarray([...results.keys()], { minLength: results.length })),
    );
  const fields = { latency_threshold_ms: 100, failure_threshold: 2, recovery_threshold: 2 };
  const end = async (stage: Stage) => {
    const { status, status_since, state_seq } = await readMonitor(stage);
    return { status, status_since, state_seq };
  };

  it.each([
    "up",
    "down",
  ])("leave a monitor up when an older %s than the newest known one comes late", async (status) => {
    const stage = await aStage({ ...fields, failure_threshold: 1 });
    for (const at of [0, 1000, 2000]) {
      await submit(stage, { status: "up", latency_ms: 10, checked_at: iso(T0 + at) });
    }
    const late = { status, latency_ms: 500, checked_at: iso(T0 + 1700) };
    expect((await submit(stage, late)).body).toEqual({ accepted: 1, status: "up" });
    expect((await listKept(stage)).map(({ checked_at }) => checked_at - T0)).toEqual([2000, 1700, 1000, 0]);
  });

  it("end in one request as they would in order, and one by one as if the older ones had never come", async () => {
    await fc.assert(
      fc.asyncProperty(anyOrder, async ([results, order]) => {
        const sent = results.map((each, n) => ({ ...each, checked_at: iso(T0 + n * 1000) }));
        const permuted = order.flatMap((n) => sent[n] ?? []);
        const [ordered, atOnce] = [await aStage(fields), await aStage(fields)];
        await submit(ordered, sent);
        await submit(atOnce, permuted);
        expect(await end(atOnce)).toEqual(await end(ordered));

        const newest = permuted.filter((each, n) =>
          permuted.slice(0, n).every((one) => one.checked_at < each.checked_at),
        );
        const [oneByOne, newestAlone] = [await aStage(fields), await aStage(fields)];
        for (const each of permuted) await submit(oneByOne, each);
        for (const each of newest) await submit(newestAlone, each);
        expect(await end(oneByOne)).toEqual(await end(newestAlone));
        expect(await listKept(oneByOne)).toHaveLength(sent.length);
      }),
      { numRuns: 25 },
    );
  });
});

describe("POST /agents/results", () => {
  it("accepts results of several monitors and rejects each that cannot be accepted by its place", async () => {
    const stage = await aStage();
    const other = await aStage();
    const future = iso(T0 + 6 * MINUTE);
    const results = [
      { monitor_id: stage.monitor.id, status: "up", latency_ms: 5, checked_at: iso(T0) },
      { monitor_id: other.monitor.id, status: "down", checked_at: iso(T0) },
      { monitor_id: stage.monitor.id, status: "up", checked_at: future },
      { monitor_id: stage.monitor.id, status: "up", latency_ms: 6, checked_at: iso(T0 + 1) },
    ];
    const answer = await stage.agent.client.post(`${V1}/agents/results`, { results });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        accepted: 2,
        rejected: [
          { index: 1, error: "monitor_id is not assigned to this agent" },
          { index: 2, error: "checked_at is more than 5 minutes ahead of the service" },
        ],
      },
    });
    expect(await readMonitor(stage)).toMatchObject({ status: "up" });
    expect(await readMonitor(other)).toMatchObject({ status: "pending" });
    expect((await stage.agent.client.post(`${V1}/agents/results`, { results })).body.accepted).toBe(0);
  });

  it("keeps what one agent measured of a monitor when another one takes over", async () => {
    const stage = await aStage();
    await submit(stage, { status: "up", message: "by the first", checked_at: iso(T0) });
    const second = await enrollAgent(stage.account, { hostname: "db-2" });
    const monitor = `${V1}/monitors/${stage.monitor.id}`;
    await db.update(monitors).set({ agent_id: second.id }).where(eq(monitors.id, stage.monitor.id));
    await submit({ ...stage, agent: second }, { status: "up", message: "by the second", checked_at: iso(T0 + 1) });
    const { body } = await stage.account.client.get(`${monitor}/results`);
    expect(body.map(({ message }: { message: string }) => message)).toEqual(["by the second", "by the first"]);
    expect((await stage.account.client.get(monitor)).body).toMatchObject({ last_message: "by the second" });
    expect((await readMonitor(stage)).measured_by).toEqual([stage.agent.id, second.id]);
  });

  it("packs the newest result of each monitor into one row of the agent", async () => {
    const stage = await aStage();
    const other = await insertMonitor(stage.account.user_id, { agent_id: stage.agent.id, check_group_id: "" });
    const ids = [stage.monitor.id, other.id];
    const post = (results: unknown[]) => stage.agent.client.post(`${V1}/agents/results`, { results });
    await post(ids.map((monitor_id) => ({ monitor_id, status: "up", latency_ms: 7, checked_at: iso(T0 + 5) })));
    await post([
      { monitor_id: other.id, status: "up", latency_ms: 9, checked_at: iso(T0 + 6) },
      { monitor_id: stage.monitor.id, status: "up", latency_ms: 1, checked_at: iso(T0 + 4) },
    ]);
    const rows = await db.select().from(agentLatest).where(eq(agentLatest.agent_id, stage.agent.id));
    expect(rows).toHaveLength(1);
    const latest = new Map(rows[0]?.latest.map((packed) => [packed[0], packed.slice(1, 3)]));
    expect(latest).toEqual(
      new Map([
        [other.id, [T0 + 6, 9]],
        [stage.monitor.id, [T0 + 5, 7]],
      ]),
    );
    expect(rows[0]?.look_at).toBe(T0 + 4 * MINUTE);
  });

  it("rejects the results of a monitor whose object fails, and takes those of the others", async () => {
    const stage = await aStage();
    const other = await insertMonitor(stage.account.user_id, { agent_id: stage.agent.id, check_group_id: "" });
    const report = MonitorObject.prototype.report;
    vi.spyOn(MonitorObject.prototype, "report").mockImplementation(function (this: MonitorObject, ...args) {
      if (args[0] === other.id) throw new Error("broken");
      return report.apply(this, args);
    });
    const results = [other.id, stage.monitor.id].map((monitor_id) => ({ monitor_id, status: "up" }));
    const answer = await stage.agent.client.post(`${V1}/agents/results`, { results });
    vi.restoreAllMocks();
    expect(answer).toMatchObject({
      status: 200,
      body: { accepted: 1, rejected: [{ index: 0, error: "the monitor's state is not available" }] },
    });
    expect((await readMonitor(stage)).status).toBe("up");
  });

  it("refuses more than 500 results", async () => {
    const stage = await aStage();
    const result = { monitor_id: stage.monitor.id, status: "up" };
    expect(
      (await stage.agent.client.post(`${V1}/agents/results`, { results: Array.from({ length: 501 }, () => result) }))
        .status,
    ).toBe(400);
  });
});
