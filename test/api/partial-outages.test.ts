import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { monitorLocations } from "../../src/data/locations/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { agentSlotOf } from "../../src/domain/check-schedule.ts";
import { type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";

const MINUTE = 60_000;
const db = openDb(env.DB);

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / MINUTE) * MINUTE }));
afterEach(() => vi.useRealTimers());

/** A monitor of a page that three agents vote on. */
async function aJointMonitor() {
  const account = await createAccount();
  const page = await insertPage(account.user_id);
  const racks: EnrolledAgent[] = [];
  for (const n of [0, 1, 2]) racks.push(await enrollAgent(account, { hostname: `rack-${n}`, name: `Rack ${n}` }));
  await db.update(agents).set({ is_location: true });
  const { id } = await insertMonitor(account.user_id, {
    name: "Shop",
    status_page_id: page,
    locations: racks.map((agent) => `agent:${agent.id}`),
    failure_threshold: 1,
    created_at: Date.now() - 60 * MINUTE,
    check_group_id: "",
    shard_id: "",
  });
  await db.insert(monitorLocations).values(racks.map((agent) => ({ agent_id: agent.id, monitor_id: id })));
  return {
    id,
    page,
    client: account.client,
    racks,
    /** What each of them finds in the next slot. */
    round: async (found: ("up" | "down")[]) => {
      const [monitor] = await db.select().from(monitors).where(eq(monitors.id, id));
      if (!monitor) throw new Error("no monitor");
      vi.setSystemTime(agentSlotOf(monitor, Date.now()) + MINUTE);
      for (const [n, status] of found.entries()) {
        await racks[n]?.client.post(`${V1}/monitors/${id}/status`, { status, message: status });
      }
    },
    emitted: async () => db.select().from(events).where(eq(events.monitor_id, id)),
  };
}

describe("a partial outage", () => {
  it("notifies by a rule that counts the locations that fail, with their names", async () => {
    const { id, page, client, racks, round, emitted } = await aJointMonitor();
    const rule = (name: string, value: number) =>
      client.post(`${V1}/status-pages/${page}/events/rules`, {
        event_name: name,
        monitor_id: id,
        display_name: "Partial outage",
        cooldown_seconds: 3600,
        classification: "team_only",
        conditions: [{ metric: "locations_down", operator: "gte", value }],
      });
    expect(await rule("shop.one", 1)).toMatchObject({ status: 201 });
    expect(await rule("shop.two", 2)).toMatchObject({ status: 201 });
    await round(["up", "up", "up"]);
    await round(["up", "up", "down"]);
    await round(["up", "up", "down"]);
    await vi.waitFor(async () => {
      expect(await emitted()).toMatchObject([
        {
          name: "shop.one",
          data: {
            title: "Partial outage",
            message: "Partial outage: Shop, failing from 1 of 3 locations: Rack 2",
            locations_down: [`agent:${racks[2]?.id}`],
            locations_total: 3,
          },
        },
      ]);
    }, PATIENCE);
    expect((await client.get(`${V1}/monitors/${id}`)).body).toMatchObject({ status: "up" });
  });

  it("notifies nobody without such a rule", async () => {
    const { id, client, round, racks, emitted } = await aJointMonitor();
    await round(["up", "up", "up"]);
    await round(["down", "up", "up"]);
    await round(["down", "up", "up"]);
    const locations_down = [`agent:${racks[0]?.id}`];
    expect((await client.get(`${V1}/monitors/${id}`)).body).toMatchObject({ status: "up", locations_down });
    expect(await emitted()).toEqual([]);
  });

  it("is named by the event of a monitor that is slow from its other locations", async () => {
    const account = await createAccount({ plan: "pro" });
    const { id } = await insertMonitor(account.user_id, { regions: ["apac", "weur", "enam"], failure_threshold: 2 });
    const report = async (found: Record<string, "success" | "slow" | "failure">) => {
      vi.setSystemTime(Date.now() + MINUTE);
      const at = Date.now();
      const results = Object.entries(found).map(([region, outcome]) => {
        return { region, slot_at: at, attempt: 0, checked_at: at, latency_ms: 5, outcome, message: outcome };
      });
      await env.MONITOR.getByName(id).report(id, 1, results);
    };
    await report({ apac: "success", weur: "success", enam: "success" });
    await report({ apac: "failure", weur: "slow", enam: "slow" });
    await vi.waitFor(async () => {
      expect(await db.select().from(events).where(eq(events.monitor_id, id))).toMatchObject([
        { name: "monitor.degraded", data: { locations_down: ["apac"], locations_total: 3 } },
      ]);
    }, PATIENCE);
  });
});
