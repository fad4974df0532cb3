import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { planMinute } from "../../src/checks/planner.ts";
import type { CountedUnits } from "../../src/contract/capacity.ts";
import { zeroUnits } from "../../src/domain/usage.ts";
import { sweepAlarms } from "../../src/events/alarms.ts";
import { reportUsage } from "../../src/platform/usage.ts";
import { CORE, createClientUnder } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const FREE = { PLAN: "free" };
const MINUTE_MS = 60_000;

// What other files spent in this isolate is reported before the days begin that are looked at.
beforeEach(async () => {
  atNoonOf("2027-02-01");
  await reportUsage(env);
});
afterEach(() => vi.useRealTimers());

/** A day of its own for each test, because the installation counts for all of them. */
function atNoonOf(date: string): number {
  const noon = Date.parse(`${date}T12:00:00Z`);
  vi.useFakeTimers({ toFake: ["Date"], now: noon });
  return noon;
}

const spend = (units: Partial<CountedUnits>, at: number) =>
  env.METER.getByName("meter").add({ ...zeroUnits(), ...units }, at);

describe("the budget of a day on the Workers Free plan", () => {
  it("is what operators see of what was spent since midnight, with what is left", async () => {
    const noon = atNoonOf("2027-03-01");
    const { token } = await createAccount({ operator: true });
    await spend({ messages: 9_999 }, noon - 13 * 3_600_000);
    await spend({ messages: 1_500, kv_writes: 90 }, noon - 3_600_000);
    const { body } = await createClientUnder(FREE, token).get(`${CORE}/uptime/capacity`);
    const { day_ends_at, check_every, resources } = body.free_plan;
    expect([day_ends_at, check_every]).toEqual(["2027-03-02T00:00:00.000Z", 1]);
    const of = (name: string) => resources.find((line: { name: string }) => line.name === name);
    expect(of("queue_operations").used).toBeGreaterThanOrEqual(4_500);
    expect(of("queue_operations").used).toBeLessThan(4_600);
    expect(of("queue_operations").left).toBe(9_000 - of("queue_operations").used);
    expect(of("kv_writes")).toMatchObject({ limit: 900, share: expect.closeTo(0.1, 1) });
    expect((await createClientUnder({}, token).get(`${CORE}/uptime/capacity`)).body.free_plan).toBeNull();
  });

  it("stands in the dashboard, in words and by resource", async () => {
    const noon = atNoonOf("2027-03-03");
    const { token } = await createAccount({ operator: true });
    await spend({ messages: 3_000 }, noon - 3_600_000);
    const { body } = await createClientUnder(FREE, token).get("/app/installation");
    expect(body).toContain("Today on the Workers Free plan");
    expect(body).toMatch(/Checks are thinned out: one of 1\d is made/);
    expect(body).toMatch(/Queue operations<\/th><td class="num">9,0\d\d<\/td><td class="num">0<\/td>/);
  });

  it("warns operators at 80 %, says at 100 % that checks are thinned out, and takes both back at midnight", async () => {
    const noon = atNoonOf("2027-03-05");
    const { user_id } = await createAccount({ operator: true });
    const sweep = (now: number) => sweepAlarms({ ...jobScope({ ...env, ...FREE }, "test"), now });
    const raised = async () => {
      const { results } = await env.DB.prepare("SELECT name, message FROM alarms ORDER BY name").all();
      return Object.fromEntries(results.map(({ name, message }) => [name, message]));
    };
    await spend({ messages: 2_000 }, noon);
    await sweep(noon);
    expect(await raised()).not.toHaveProperty("free_budget");
    await spend({ messages: 500 }, noon);
    await sweep(noon);
    expect(await raised()).toMatchObject({ free_budget: expect.stringMatching(/queue operations: 8\d %/) });
    expect(await raised()).not.toHaveProperty("checks_thinned");
    await spend({ messages: 550 }, noon);
    await sweep(noon);
    expect(await raised()).toMatchObject({ checks_thinned: expect.stringMatching(/one of \d+ is made/) });
    const { results } = await env.DB.prepare("SELECT title FROM notifications WHERE user_id = ? ORDER BY title")
      .bind(user_id)
      .all();
    expect(results.map(({ title }) => title)).toEqual(["Alarm: checks_thinned", "Alarm: free_budget"]);
    await sweep(noon + 13 * 3_600_000);
    expect(await raised()).not.toHaveProperty("free_budget");
    expect(await raised()).not.toHaveProperty("checks_thinned");
  });

  it("thins every group alike once it is spent, and calls nothing unknown because of it", async () => {
    const noon = atNoonOf("2027-03-07");
    const { user_id } = await createAccount();
    await insertMonitor(user_id, { interval: 60 });
    await insertMonitor(user_id, { interval: 300 });
    const plan = async (from: number, minutes: number) => {
      const sent = new Map<number, number>();
      let stale = 0;
      for (let n = 0; n < minutes; n++) {
        const at = from + n * MINUTE_MS;
        vi.setSystemTime(at);
        const recording = recordingEnv(FREE);
        stale += (await planMinute(jobScope(recording.env, "test", at), at)).length;
        for (const { body } of [...recording.checks, ...recording.slow]) {
          const interval = Number(body.group_id.split("/")[1]);
          sent.set(interval, (sent.get(interval) ?? 0) + 1);
          await env.DB.prepare("UPDATE check_groups SET last_slot_at = ? WHERE id = ?")
            .bind(body.slot_at, body.group_id)
            .run();
        }
      }
      return { every_minute: sent.get(60) ?? 0, every_five: sent.get(300) ?? 0, stale };
    };
    await plan(noon - 10 * MINUTE_MS, 10);
    const before = await plan(noon, 60);
    expect(before.every_minute).toBeGreaterThanOrEqual(60);
    expect(before.every_five).toBeGreaterThanOrEqual(12);
    await spend({ messages: 3_000 }, noon + 3_600_000);
    // At one o'clock one of twelve lasts the day.
    const after = await plan(noon + 3_600_000, 120);
    expect(after.every_minute).toBeLessThanOrEqual(before.every_minute / 4);
    expect(after.every_minute).toBeGreaterThanOrEqual(8);
    expect(after.every_five).toBeLessThanOrEqual(before.every_five / 4);
    expect(after.every_five).toBeGreaterThanOrEqual(1);
    expect(after.stale).toBe(0);
  });
});
