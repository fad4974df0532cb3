import { env } from "cloudflare:workers";
import { and, asc, eq, inArray } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { sweepAgents } from "../../src/checks/agent-sweep.ts";
import { agentLatest, agentReports, agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { monitors, statusIntervals } from "../../src/data/monitors/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import {
  AGENTS,
  aStage,
  type EnrolledAgent,
  enrollAgent,
  readMonitor,
  type Stage,
  settle,
  submit,
} from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { meter } from "../support/cost-meter.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { override } from "../support/override.ts";
import { recordingEnv } from "../support/queues.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
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

/** Moves the clock and lets the minute's sweep look at agents. */
async function sweepAt(at: number) {
  vi.setSystemTime(at);
  const recording = recordingEnv();
  await sweepAgents(jobScope(recording.env, "test"));
  return recording.events;
}

/** In minutes since the start, without gap or overlap: "up 0-3", "unknown 3-". */
async function history({ monitor }: Stage): Promise<string[]> {
  const rows = await db
    .select()
    .from(statusIntervals)
    .where(eq(statusIntervals.monitor_id, monitor.id))
    .orderBy(asc(statusIntervals.from_at), asc(statusIntervals.to_at));
  const minutes = (at: number | null | undefined) => (at ? (at - T0) / MINUTE : "");
  const lasting = rows.filter(({ from_at, to_at }) => from_at !== to_at);
  expect(lasting.slice(1).map(({ from_at }) => from_at)).toEqual(lasting.slice(0, -1).map(({ to_at }) => to_at));
  const firsts = lasting.filter(({ status }, n) => status !== lasting[n - 1]?.status);
  return firsts.map(({ status, from_at }, n) => `${status} ${minutes(from_at)}-${minutes(firsts[n + 1]?.from_at)}`);
}

function agentEvents(agent: EnrolledAgent, account: Account) {
  return db
    .select({ name: events.name, data: events.data })
    .from(events)
    .where(and(eq(events.owner_id, account.user_id), inArray(events.name, ["agent.online", "agent.offline"])))
    .orderBy(asc(events.created_at))
    .then((rows) => rows.filter(({ data }) => data.agent_id === agent.id).map(({ name }) => name));
}

describe("an agent that falls silent", () => {
  it("is offline after more than 90 seconds, said once, and its monitors are unknown, not down", async () => {
    const stage = await aStage();
    await submit(stage, { status: "up" });
    expect(await sweepAt(T0 + 90_000)).toEqual([]);
    expect((await readMonitor(stage)).status).toBe("up");

    const sent = await sweepAt(T0 + 90_001);
    expect(sent).toHaveLength(1);
    const [event] = await db.select().from(events).where(eq(events.owner_id, stage.account.user_id));
    expect(sent).toEqual([{ body: { kind: "event", event_id: event?.id } }]);
    expect(event).toMatchObject({
      name: "agent.offline",
      processed_at: null,
      data: { agent_id: stage.agent.id, status: "offline" },
    });
    expect(await readMonitor(stage)).toMatchObject({ status: "unknown", status_message: "the agent is offline" });
    const monitor = await stage.account.client.get(`${V1}/monitors/${stage.monitor.id}`);
    expect(monitor.body).toMatchObject({ status: "unknown", last_message: "the agent is offline" });
    const { body } = await stage.account.client.get(`${AGENTS}/${stage.agent.id}`);
    expect(body).toMatchObject({ status: "offline", last_seen_at: iso(T0) });

    expect(await sweepAt(T0 + 3 * MINUTE)).toEqual([]);
  });

  it("leaves no monitor pending that it never checked, nor one that was resumed meanwhile", async () => {
    const { account, agent, monitor } = await aStage({ created_at: T0, status_since: T0 });
    const { put, get } = account.client;
    const paused = await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" });
    for (const is of [true, false]) await put(`${V1}/monitors/${paused.id}`, { paused: is });
    const statuses = async () =>
      Promise.all([monitor.id, paused.id].map(async (id) => (await get(`${V1}/monitors/${id}`)).body.status));
    await sweepAt(T0 + 90_000);
    expect(await statuses()).toEqual(["pending", "pending"]);
    await sweepAt(T0 + 90_001);
    expect(await statuses()).toEqual(["unknown", "unknown"]);
    const { body } = await get(`${V1}/monitors/${monitor.id}`);
    expect(body).toMatchObject({ last_message: "the agent is offline", status_since: iso(T0 + 90_001) });
    expect(await db.$count(events, eq(events.monitor_id, monitor.id))).toBe(0);

    vi.setSystemTime(T0 + 2 * MINUTE);
    expect((await submit({ account, agent, monitor }, { status: "up" })).body.status).toBe("up");
  });

  it("is distinguished from one that is there: a monitor without a result in time is unknown for that reason", async () => {
    const stage = await aStage({ created_at: T0, status_since: T0 });
    for (const minutes of [1, 2, 3]) {
      vi.setSystemTime(T0 + minutes * MINUTE);
      await stage.agent.client.post(`${AGENTS}/handshake`, {});
      await db.update(agents).set({ last_seen_at: Date.now() }).where(eq(agents.id, stage.agent.id));
      await sweepAt(T0 + minutes * MINUTE);
      expect((await readMonitor(stage)).status).toBe("pending");
    }
    await db
      .update(agents)
      .set({ last_seen_at: T0 + 4 * MINUTE })
      .where(eq(agents.id, stage.agent.id));
    await sweepAt(T0 + 4 * MINUTE);
    const message = "no recent result from the agent";
    expect(await readMonitor(stage)).toMatchObject({ status: "unknown", status_message: message });
  });

  it("is shown as offline also before the sweep notices", async () => {
    const stage = await aStage();
    const { get } = stage.account.client;
    for (const [at, status] of [
      [T0 + 90_000, "online"],
      [T0 + 90_001, "offline"],
    ] as const) {
      vi.setSystemTime(at);
      expect((await get(`${AGENTS}/${stage.agent.id}`)).body.status).toBe(status);
      expect((await get(AGENTS)).body).toMatchObject([{ status }]);
    }
  });

  it("is said to be offline once, however many sweeps notice at the same time", async () => {
    const stage = await aStage();
    vi.setSystemTime(T0 + 2 * MINUTE);
    const recording = recordingEnv();
    const scope = jobScope(recording.env, "test");
    await Promise.all([sweepAgents(scope), sweepAgents(scope), sweepAgents(scope)]);
    expect(recording.events).toHaveLength(1);
    expect(await agentEvents(stage.agent, stage.account)).toEqual(["agent.offline"]);
  });

  it("is back with its next call, said once, and its monitors with their next result", async () => {
    const stage = await aStage();
    await submit(stage, { status: "up" });
    await sweepAt(T0 + 2 * MINUTE);
    vi.setSystemTime(T0 + 3 * MINUTE);
    await Promise.all([1, 2, 3].map(() => stage.agent.client.post(`${AGENTS}/handshake`, {})));
    expect(await agentEvents(stage.agent, stage.account)).toEqual(["agent.offline", "agent.online"]);
    expect((await readMonitor(stage)).status).toBe("unknown");
    expect((await submit(stage, { status: "up" })).body.status).toBe("up");
    expect(await sweepAt(T0 + 4 * MINUTE)).toEqual([]);
  });

  it("about one monitor leaves that one unknown after three intervals", async () => {
    const stage = await aStage();
    await submit(stage, { status: "up" });
    for (const [at, status] of [
      [T0 + 180_000, "up"],
      [T0 + 180_001, "unknown"],
    ] as const) {
      vi.setSystemTime(at);
      await stage.agent.client.post(`${AGENTS}/handshake`, {});
      await db.update(agents).set({ last_seen_at: at }).where(eq(agents.id, stage.agent.id));
      await sweepAt(at);
      expect((await readMonitor(stage)).status).toBe(status);
    }
    expect(await agentEvents(stage.agent, stage.account)).toEqual([]);
  });

  it("does not end an outage: it goes on when the agent is back", async () => {
    const stage = await aStage({ failure_threshold: 1 });
    await submit(stage, { status: "down" });
    await sweepAt(T0 + 2 * MINUTE);
    expect((await readMonitor(stage)).status).toBe("unknown");
    vi.setSystemTime(T0 + 3 * MINUTE);
    await submit(stage, { status: "down" });
    await settle(stage);
    const told = await db.select().from(events).where(eq(events.monitor_id, stage.monitor.id));
    expect(told.map(({ name }) => name)).toEqual(["monitor.down"]);
  });
});

describe("an agent that was cut off", () => {
  /** Up for two minutes, then silent until minute 20; unknown since the sweep of minute 4. */
  async function cutOff(): Promise<Stage> {
    const stage = await aStage({ failure_threshold: 1, recovery_threshold: 1 });
    for (const n of [0, 1, 2]) {
      vi.setSystemTime(T0 + n * MINUTE);
      await submit(stage, { status: "up" });
    }
    await sweepAt(T0 + 4 * MINUTE);
    await settle(stage);
    expect(await history(stage)).toEqual(["up 0-4", "unknown 4-"]);
    vi.setSystemTime(T0 + 20 * MINUTE);
    return stage;
  }
  const measured = (minutes: number[], status = "up") =>
    minutes.map((n) => ({ status, checked_at: iso(T0 + n * MINUTE) }));

  it("fills the unknown stretch with what it measured, and fires nothing", async () => {
    const stage = await cutOff();
    const answer = await submit(stage, [
      ...measured([3, 4, 5, 6]),
      ...measured([7, 8, 9], "down"),
      ...measured([10, 11, 12]),
    ]);
    expect(answer.body).toEqual({ accepted: 10, status: "unknown" });
    expect(await history(stage)).toEqual(["up 0-7", "down 7-10", "up 10-13.5", "unknown 13.5-"]);
    expect(await readMonitor(stage)).toMatchObject({ status: "unknown", state_seq: 2 });
    expect(await db.$count(events, eq(events.monitor_id, stage.monitor.id))).toBe(0);
  });

  it("comes to the same history in small pieces, in any order, sent twice", async () => {
    const stage = await cutOff();
    for (const part of [
      [10, 11, 12],
      [3, 4],
      [5, 6],
      [10, 11, 12],
    ])
      await submit(stage, measured(part));
    await submit(stage, measured([7, 8, 9], "down"));
    expect(await history(stage)).toEqual(["up 0-7", "down 7-10", "up 10-13.5", "unknown 13.5-"]);
  });

  it("loses nothing when it sends several parts at once", async () => {
    const stage = await cutOff();
    const parts = [
      [4, 5],
      [6, 7],
      [8, 9],
      [10, 11],
    ];
    await Promise.all(parts.map((part) => submit(stage, measured(part))));
    expect(await history(stage)).toEqual(["up 0-12.5", "unknown 12.5-"]);
  });

  it("brings the present back in the same request, and the next change still ends the stretch", async () => {
    const stage = await cutOff();
    const answer = await submit(stage, measured([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]));
    expect(answer.body).toEqual({ accepted: 16, status: "up" });
    await settle(stage);
    expect(await history(stage)).toEqual(["up 0-4", "unknown 4-5", "up 5-"]);
  });

  it("changes nothing that somebody vouched for", async () => {
    const stage = await cutOff();
    await submit(stage, measured([0.5, 1.5], "down"));
    expect(await history(stage)).toEqual(["up 0-4", "unknown 4-"]);
  });
});

describe("the sweep", () => {
  it("forgets results when the owner's plan lets go of them, and reports after a day", async () => {
    const account = await createAccount({ plan: "free" });
    const agent = await enrollAgent(account);
    const monitor = await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" });
    const stage = { account, agent, monitor };
    await submit(stage, { status: "up" });
    await agent.client.post(`${AGENTS}/metrics`, { cpu_percent: 1 });
    const left = async () => [
      (await account.client.get(`${V1}/monitors/${monitor.id}/results`)).body.length,
      await db.$count(agentReports, eq(agentReports.agent_id, agent.id)),
    ];
    await sweepAt(T0 + DAY);
    expect(await left()).toEqual([1, 1]);
    await sweepAt(T0 + DAY + 1);
    expect(await left()).toEqual([1, 0]);
    await sweepAt(T0 + 7 * DAY - 1);
    expect(await left()).toEqual([1, 0]);
    await sweepAt(T0 + 7 * DAY + 1);
    expect(await left()).toEqual([0, 0]);
  });

  it("reads one row of each healthy agent, and writes none", async () => {
    const costOfSweep = () => meter((metered) => sweepAgents(jobScope(metered, "test")));
    const account = await createAccount();
    const addAgents = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const agent = await enrollAgent(account, { hostname: `host-${n}` });
        const monitor = await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" });
        await submit({ account, agent, monitor }, { status: "up" });
      }
    };
    await addAgents(1);
    vi.setSystemTime(T0 + MINUTE);
    const one = await costOfSweep();
    expect(one.rows_written).toBe(0);
    await addAgents(29);
    expect(await costOfSweep()).toEqual({ ...one, rows_read: one.rows_read + 29 });
  });

  it("looks again at an agent whose monitors were paused or deleted only when a new result has become old", async () => {
    const stage = await aStage();
    await submit(stage, { status: "up" });
    const lookAt = async () => {
      const [row] = await db.select().from(agentLatest).where(eq(agentLatest.agent_id, stage.agent.id));
      return row?.look_at;
    };
    expect(await lookAt()).toBe(T0 + 3 * MINUTE);
    await db.update(monitors).set({ paused: true, status: "paused" }).where(eq(monitors.id, stage.monitor.id));
    await db
      .update(agents)
      .set({ last_seen_at: T0 + DAY })
      .where(eq(agents.id, stage.agent.id));
    await sweepAt(T0 + 4 * MINUTE);
    expect(await lookAt()).toBeNull();
  });

  it("marks a monitor that another agent took over and never measured", async () => {
    const stage = await aStage();
    await submit(stage, { status: "up" });
    await settle(stage);
    const second = await enrollAgent(stage.account, { hostname: "db-2" });
    const moved = await stage.account.client.put(`${V1}/monitors/${stage.monitor.id}`, { agent_id: second.id });
    expect(moved).toMatchObject({ status: 200, body: { status: "up" } });
    await db.update(agents).set({ last_seen_at: T0 + DAY });
    await sweepAt(T0 + 3 * MINUTE);
    expect((await readMonitor(stage)).status).toBe("up");
    await sweepAt(T0 + 4 * MINUTE);
    expect(await readMonitor(stage)).toMatchObject({
      status: "unknown",
      status_message: "no recent result from the agent",
    });
  });

  it("shows a monitor as unknown whose object fails, and marks the others of its agent", async () => {
    const stage = await aStage();
    const other = await insertMonitor(stage.account.user_id, { agent_id: stage.agent.id, check_group_id: "" });
    await submit(stage, { status: "up" });
    await submit({ ...stage, monitor: other }, { status: "up" });
    vi.setSystemTime(T0 + 5 * MINUTE);
    await db.update(agents).set({ last_seen_at: T0 + 5 * MINUTE });
    const fail = () => Promise.reject(new Error("storage operation exceeded timeout"));
    const bindings = recordingEnv().env;
    const namespace = override(bindings.MONITOR, {
      getByName: (id: string) => (id === other.id ? { markStale: fail } : bindings.MONITOR.getByName(id)),
    });
    await sweepAgents(jobScope({ ...bindings, MONITOR: namespace }, "test"));
    expect((await readMonitor(stage)).status).toBe("unknown");
    expect(await readMonitor({ ...stage, monitor: other })).toMatchObject({
      status: "unknown",
      status_message: "the monitor's state is not available",
    });
    const notices = await db.select().from(notifications).where(eq(notifications.user_id, stage.account.user_id));
    expect(notices).toMatchObject([{ type: "monitor.unchecked", target_id: other.id }]);
  });
});
