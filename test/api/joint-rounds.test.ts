import { runDurableObjectAlarm } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { sweepAgents } from "../../src/checks/agent-sweep.ts";
import { SOCKET_ANSWERS_HEADER, SOCKET_ASK, SOCKET_PING } from "../../src/contract/agent-object.ts";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { monitorLocations } from "../../src/data/locations/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { agentSlotOf } from "../../src/domain/check-schedule.ts";
import { type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const WAIT = 15 * SECOND;
const db = openDb(env.DB);

let T0: number;
beforeEach(async () => {
  await db.delete(monitors);
  await db.delete(agents);
  T0 = Math.floor(Date.now() / MINUTE) * MINUTE;
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
});
afterEach(() => vi.useRealTimers());

interface Joint {
  id: string;
  owner: Account;
  agents: EnrolledAgent[];
  /** Moves the clock so far into the next slot of the monitor. */
  next(seconds?: number): Promise<number>;
}

/** A monitor that three agents vote on. */
async function aJointMonitor(fields: Parameters<typeof insertMonitor>[1] = {}, edge: string[] = []): Promise<Joint> {
  const account = await createAccount();
  const voters = [];
  for (const n of [0, 1, 2]) voters.push(await enrollAgent(account, { hostname: `rack-${n}`, name: `Rack ${n}` }));
  await db.update(agents).set({ is_location: true });
  const { id } = await insertMonitor(account.user_id, {
    locations: [...edge, ...voters.map((agent) => `agent:${agent.id}`)],
    failure_threshold: 1,
    created_at: T0 - 60 * MINUTE,
    ...(edge.length === 0 && { check_group_id: "", shard_id: "" }),
    ...fields,
  });
  await db.insert(monitorLocations).values(voters.map((agent) => ({ agent_id: agent.id, monitor_id: id })));
  return {
    id,
    owner: account,
    agents: voters,
    next: async (seconds = 0) => {
      const [monitor] = await db.select().from(monitors).where(eq(monitors.id, id));
      if (!monitor) throw new Error("no monitor");
      const at = agentSlotOf(monitor, Date.now()) + MINUTE + seconds * SECOND;
      vi.setSystemTime(at);
      return at;
    },
  };
}

async function vote(joint: Joint, n: number, status: "up" | "down"): Promise<MonitorStatus> {
  const answer = await joint.agents[n]?.client.post(`${V1}/monitors/${joint.id}/status`, { status, message: status });
  expect(answer?.status).toBe(200);
  return answer?.body.status;
}

async function allUp(joint: Joint): Promise<void> {
  await joint.next();
  for (const n of joint.agents.keys()) await vote(joint, n, "up");
  expect(await statusOf(joint)).toBe("up");
}

/** Holds the connection of an agent, as its program does; null: as an older one did. */
async function connect(joint: Joint, n: number, program: { answers: boolean } | null): Promise<WebSocket> {
  const { webSocket } = await exports.default.fetch(`http://vigil.test${V1}/agents/commands/live`, {
    headers: {
      upgrade: "websocket",
      "x-agent-token": joint.agents[n]?.token ?? "",
      ...(program && { [SOCKET_ANSWERS_HEADER]: "1" }),
    },
  });
  if (!webSocket) throw new Error("not connected");
  webSocket.addEventListener("message", ({ data }) => {
    if (data === SOCKET_ASK && program?.answers) webSocket.send(SOCKET_PING);
  });
  webSocket.accept();
  return webSocket;
}

async function checkAtEdge({ id }: Joint, outcome: "success" | "failure") {
  const [monitor] = await db.select().from(monitors).where(eq(monitors.id, id));
  if (!monitor) throw new Error("no monitor");
  const [slot_at, message] = [agentSlotOf(monitor, Date.now()), "from the edge"];
  return env.MONITOR.getByName(id).report(id, monitor.config_version, [
    { region: "default", slot_at, attempt: 0, checked_at: Date.now(), outcome, latency_ms: 1, message },
  ]);
}

/** What the edge's own sweep says of a monitor that it has no recent result of. */
async function markStale({ id }: Joint): Promise<MonitorStatus | undefined> {
  const last_result_at = Date.now() - 10 * MINUTE;
  return (await env.MONITOR.getByName(id).markStale(id, 1, { last_result_at, reason: "no result" }))?.status;
}

/** As the object knows it. */
async function statusOf({ id }: Joint): Promise<MonitorStatus | undefined> {
  return (await env.MONITOR.getByName(id).sync(id, 0))?.status;
}

const passDeadline = (joint: Joint) => passTime(joint, WAIT);

async function passTime({ id }: Joint, ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  expect(await runDurableObjectAlarm(env.MONITOR.get(env.MONITOR.idFromName(id)))).toBe(true);
}

describe("agents that vote on a monitor", () => {
  it("bring it down by two of three at once, while the third is dead, and up again", async () => {
    const joint = await aJointMonitor();
    await allUp(joint);
    await joint.next();
    expect(await vote(joint, 0, "down")).toBe("up");
    expect(await vote(joint, 1, "down")).toBe("down");
    await vi.waitFor(async () => {
      const [event] = await db.select().from(events).where(eq(events.monitor_id, joint.id));
      const [a, b] = joint.agents.slice(0, 2).map((agent) => `agent:${agent.id}`);
      expect(event).toMatchObject({ name: "monitor.down", data: { locations_down: [a, b], locations_total: 3 } });
      expect(event?.data).toHaveProperty("location_names", { [`${a}`]: "Rack 0", [`${b}`]: "Rack 1" });
    }, PATIENCE);
    await joint.next();
    expect(await vote(joint, 0, "up")).toBe("down");
    expect(await vote(joint, 1, "up")).toBe("up");
  });

  it("do not bring it down by one, whose repetitions are no further votes", async () => {
    const joint = await aJointMonitor();
    await allUp(joint);
    await joint.next();
    for (const n of [1, 2]) expect(await vote(joint, n, "up")).toBe("up");
    for (const _ of [1, 2, 3]) {
      expect(await vote(joint, 0, "down")).toBe("up");
      vi.setSystemTime(Date.now() + SECOND);
    }
    // What the others found was not reported to the object, because the monitor was settled.
    await passDeadline(joint);
    expect(await statusOf(joint)).toBe("up");
  });

  it("bring it down without those that are missing once the round's time is over", async () => {
    const joint = await aJointMonitor({ region_policy: "all" });
    await allUp(joint);
    await joint.next();
    for (const n of [0, 1]) expect(await vote(joint, n, "down")).toBe("up");
    await passDeadline(joint);
    expect(await statusOf(joint)).toBe("down");
    expect(await vote(joint, 2, "up")).toBe("down");
  });

  it("do not wait a whole time-out for one that is known to be gone", async () => {
    const joint = await aJointMonitor({ region_policy: "all" });
    await allUp(joint);
    await joint.next();
    for (const n of [0, 1]) expect(await vote(joint, n, "up")).toBe("up");
    await joint.next();
    for (const n of [0, 1]) expect(await vote(joint, n, "down")).toBe("up");
    await passTime(joint, 3 * SECOND);
    expect(await statusOf(joint)).toBe("down");
  });

  it("do not wait for one that died since the slot before and is connected no more", async () => {
    const joint = await aJointMonitor({ region_policy: "all" });
    await allUp(joint);
    await joint.next();
    for (const n of [0, 1]) expect(await vote(joint, n, "down")).toBe("up");
    await passTime(joint, 3 * SECOND);
    expect(await statusOf(joint)).toBe("down");
  });

  it.each([
    ["answers: wait for its result", true, "up"],
    ["lost its power with the connection open: do not wait", false, "down"],
  ])("ask one of which nothing was heard, and where it %s", async (_case, answers, status) => {
    const joint = await aJointMonitor({ region_policy: "all" });
    await allUp(joint);
    await connect(joint, 2, { answers });
    await joint.next();
    for (const n of [0, 1]) expect(await vote(joint, n, "down")).toBe("up");
    await passTime(joint, 3 * SECOND);
    expect(await statusOf(joint)).toBe(status);
  });

  it("wait for one whose program is too old to be asked, as long as it is connected", async () => {
    const joint = await aJointMonitor({ region_policy: "all" });
    await allUp(joint);
    const socket = await connect(joint, 2, null);
    await joint.next();
    for (const n of [0, 1]) await vote(joint, n, "down");
    await passTime(joint, 3 * SECOND);
    expect(await statusOf(joint)).toBe("up");
    socket.close();
    await passTime(joint, 12 * SECOND);
    expect(await statusOf(joint)).toBe("down");
  });

  it("count a failure of each attempt once", async () => {
    const joint = await aJointMonitor({ failure_threshold: 2 });
    await allUp(joint);
    await joint.next();
    expect([await vote(joint, 0, "down"), await vote(joint, 1, "down")]).toEqual(["up", "up"]);
    vi.setSystemTime(Date.now() + 20 * SECOND);
    expect([await vote(joint, 0, "down"), await vote(joint, 1, "down")]).toEqual(["up", "down"]);
  });

  it("show that only Cloudflare cannot reach what they reach, and no outage, unless it is set so", async () => {
    for (const confirm_outside of [null, false]) {
      const joint = await aJointMonitor({ region_policy: "any", confirm_outside }, ["default"]);
      await joint.next();
      await checkAtEdge(joint, "success");
      for (const n of joint.agents.keys()) await vote(joint, n, "up");
      expect(await statusOf(joint)).toBe("up");
      await joint.next();
      for (const n of joint.agents.keys()) await vote(joint, n, "up");
      const found = await checkAtEdge(joint, "failure");
      if (confirm_outside === false) {
        expect(found).toMatchObject({ status: "down", message: "from the edge" });
        continue;
      }
      expect(found?.status).toBe("up");
      await passTime(joint, 3 * SECOND);
      const { id } = joint;
      expect(await env.MONITOR.getByName(id).sync(id, 0)).toMatchObject({
        status: "degraded",
        message: "unreachable from Cloudflare only: from the edge",
      });
    }
  });

  it("keep it from being unknown as long as one of them votes, though the edge stands still", async () => {
    const joint = await aJointMonitor({}, ["default"]);
    await joint.next();
    await checkAtEdge(joint, "success");
    for (const n of joint.agents.keys()) await vote(joint, n, "up");
    for (let minute = 0; minute < 5; minute++) {
      await joint.next();
      await vote(joint, 0, "up");
    }
    expect(await markStale(joint)).toBe("up");
    vi.setSystemTime(Date.now() + 4 * MINUTE);
    expect(await markStale(joint)).toBe("unknown");
  });

  it("do not change the present by what they found earlier", async () => {
    const joint = await aJointMonitor();
    await allUp(joint);
    const at = await joint.next();
    const late = { status: "down", checked_at: new Date(at - MINUTE).toISOString() };
    for (const agent of joint.agents) {
      expect(await agent.client.post(`${V1}/monitors/${joint.id}/status`, late)).toMatchObject({ status: 200 });
    }
    expect(await statusOf(joint)).toBe("up");
  });

  it("ask the edge beside them to repeat a check in which one of them failed", async () => {
    const joint = await aJointMonitor({}, ["default"]);
    await joint.next();
    await vote(joint, 0, "down");
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, joint.id));
    expect(monitor?.retry_at).toBe(Date.now() + 20 * SECOND);
  });

  it("leave it unknown when none of them ever reported", async () => {
    const joint = await aJointMonitor({ created_at: T0, status_since: T0 });
    expect(await statusOf(joint)).toBe("pending");
    vi.setSystemTime(T0 + 3 * MINUTE);
    expect(await statusOf(joint)).toBe("pending");
    vi.setSystemTime(T0 + 3 * MINUTE + 1);
    expect(await statusOf(joint)).toBe("unknown");
  });

  it("show what the last of them found, and check now when they are asked to", async () => {
    const joint = await aJointMonitor();
    await allUp(joint);
    const path = `${V1}/monitors/${joint.id}`;
    expect((await joint.owner.client.get(path)).body).toMatchObject({ last_message: "up", next_check_at: null });
    const asked = joint.owner.client.post(`${path}/check`);
    const [first] = joint.agents;
    const command = await vi.waitFor(async () => {
      const [found] = (await first?.client.get(`${V1}/agents/commands`))?.body ?? [];
      expect(found).toMatchObject({ type: "check_now", params: { monitor_id: joint.id } });
      return found;
    }, PATIENCE);
    for (const agent of joint.agents.slice(1)) {
      expect((await agent.client.get(`${V1}/agents/commands`)).body).toMatchObject([{ type: "check_now" }]);
    }
    vi.setSystemTime(Date.now() + SECOND);
    await vote(joint, 0, "up");
    await first?.client.post(`${V1}/agents/commands/${command.id}/ack`, { ok: true });
    expect(await asked).toMatchObject({ status: 200, body: { status: "up", message: "up" } });
  });

  it("are named in the list of results, which can be asked for one of them", async () => {
    const joint = await aJointMonitor();
    await allUp(joint);
    const names = joint.agents.map(({ id }) => `agent:${id}`);
    const listed = await joint.owner.client.get(`${V1}/monitors/${joint.id}/results`);
    expect(listed.body.map(({ region }: { region: string }) => region).sort()).toEqual(names.toSorted());
    const one = await joint.owner.client.get(`${V1}/monitors/${joint.id}/results?region=${names[1]}`);
    expect(one.body).toMatchObject([{ region: names[1], status: "up" }]);
  });

  it("leave it unknown when none of them reports any more, and not before", async () => {
    const joint = await aJointMonitor();
    await allUp(joint);
    const silence = async (minutes: number, reporting: number[]) => {
      for (let minute = 0; minute < minutes; minute++) {
        await joint.next(1);
        for (const n of reporting) await vote(joint, n, "up");
        vi.setSystemTime(Date.now() + 30 * SECOND);
        await sweepAgents(jobScope(env, "test"));
      }
    };
    await silence(6, [0]);
    expect(await statusOf(joint)).toBe("up");
    await silence(6, []);
    expect(await statusOf(joint)).toBe("unknown");
  });
});
