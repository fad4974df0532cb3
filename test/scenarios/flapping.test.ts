import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { EventMessage } from "../../src/contract/messages.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { openDb } from "../../src/data/db.ts";
import { escalations } from "../../src/data/escalations/table.ts";
import { flappingMonitors } from "../../src/data/flapping/table.ts";
import { incidents, incidentUpdates } from "../../src/data/incidents/table.ts";
import { monitors, statusIntervals, transitions } from "../../src/data/monitors/table.ts";
import { outages } from "../../src/data/outages/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { sweepFlapping } from "../../src/events/flapping.ts";
import { V1 } from "../support/client.ts";
import { meter } from "../support/cost-meter.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { setPolicy, toUser } from "../support/on-call.ts";
import { recordingEnv, type Sent } from "../support/queues.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const START = Date.UTC(2026, 0, 1);
const DAMPED = { RATE_LIMITS: "all=off,flapping=6" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(START);
});
afterEach(() => void vi.useRealTimers());

/** A monitor on a page with automatic incidents, and a webhook that receives everything. */
async function aStage(settings: Record<string, unknown> = DAMPED, page: Parameters<typeof insertPage>[1] = {}) {
  const account = await createAccount();
  const status_page_id = await insertPage(account.user_id, { auto_create_incident: true, ...page });
  const monitor = await insertMonitor(account.user_id, { status_page_id, name: "Shop", created_at: START - MINUTE });
  const webhook = await createWebhook(account);
  let seq = 0;
  let status: MonitorStatus = "up";
  let outage: MonitorTransition["outage"] = null;
  const due: { at: number; body: EventMessage }[] = [];

  async function consume(message: EventMessage, changes: Record<string, unknown> = {}) {
    const { env: bindings, events } = recordingEnv({ ...settings, ...changes });
    await consumeEvent(jobScope(bindings, "test"), message);
    due.push(...events.map(({ body, delaySeconds = 0 }: Sent<EventMessage>) => dueIn(body, delaySeconds)));
  }
  const dueIn = (body: EventMessage, seconds: number) => ({ at: Date.now() + seconds * SECOND, body });

  /** Moves the clock; the queue delivers and the minute's sweep runs when their time comes. */
  async function passUntil(at: number) {
    while (true) {
      const minute = (Math.floor(Date.now() / MINUTE) + 1) * MINUTE;
      const next = Math.min(minute, ...due.map((each) => each.at));
      if (next > at) break;
      vi.setSystemTime(Math.max(next, Date.now()));
      const ready = due.filter((each) => each.at <= Date.now());
      for (const each of ready) {
        due.splice(due.indexOf(each), 1);
        await consume(each.body);
      }
      if (ready.length === 0) {
        const { env: bindings, events } = recordingEnv(settings);
        await sweepFlapping(jobScope(bindings, "sweep"));
        due.push(...events.map(({ body, delaySeconds = 0 }) => dueIn(body, delaySeconds)));
      }
    }
    vi.setSystemTime(at);
  }

  /** One change of the monitor, as its object sends it. */
  async function change(to: MonitorStatus, after: number): Promise<MonitorTransition> {
    await passUntil(START + after);
    const at = Date.now();
    seq += 1;
    if (to === "down") outage = { seq, started_at: at };
    const event = to === "paused" ? null : (`monitor.${to}` as MonitorTransition["event"]);
    const transition: MonitorTransition = {
      seq,
      from: status,
      to,
      at,
      effective_at: at,
      message: to,
      latency_ms: 1,
      region: "default",
      outage,
      event,
    };
    status = to;
    if (to === "up") outage = null;
    await db.update(monitors).set({ status: to }).where(eq(monitors.id, monitor.id));
    await consume({ kind: "transitions", monitor_id: monitor.id, transitions: [transition] });
    return transition;
  }

  /** down, up, down, … every so often from a time on. */
  async function alternate(count: number, step: number, from = 0) {
    for (let n = 0; n < count; n++) await change(n % 2 === 0 ? "down" : "up", from + n * step);
  }

  /** The deliveries about the monitor and when they were made, in seconds. */
  async function sent(): Promise<string[]> {
    const rows = await db
      .select()
      .from(deliveries)
      .where(eq(deliveries.webhook_id, webhook.id))
      .orderBy(asc(deliveries.created_at));
    return rows
      .filter(({ event_name }) => event_name.startsWith("monitor."))
      .map(({ event_name, created_at }) => `${event_name.slice(8)}@${(created_at - START) / SECOND}`);
  }
  const shown = async () => (await account.client.get(`${V1}/monitors/${monitor.id}`)).body.flapping;
  const row = async () =>
    (await db.select().from(flappingMonitors).where(eq(flappingMonitors.monitor_id, monitor.id)))[0];
  const incidentsOf = () =>
    db.select().from(incidents).where(eq(incidents.origin_monitor_id, monitor.id)).orderBy(asc(incidents.started_at));
  return {
    account,
    monitor,
    webhook,
    status_page_id,
    incidents: incidentsOf,
    change,
    alternate,
    passUntil,
    consume,
    sent,
    shown,
    row,
  };
}

const SIX = ["down@0", "up@10", "down@20", "up@30", "down@40", "up@50"];

describe("a monitor that changes more than six times within ten minutes", () => {
  it("is announced as flapping once, and then only its latest state when it is stable", async () => {
    const stage = await aStage();
    await stage.alternate(20, 10 * SECOND);
    expect(await stage.sent()).toEqual([...SIX, "down@60", "flapping@60"]);
    expect(await stage.shown()).toBe(true);
    // The last change was up, 190 seconds after the first.
    await stage.passUntil(START + 189 * SECOND + 5 * MINUTE);
    expect((await stage.sent()).length).toBe(8);
    await stage.passUntil(START + 12 * MINUTE);
    expect(await stage.sent()).toEqual([...SIX, "down@60", "flapping@60", "up@540"]);
    expect(await stage.shown()).toBe(false);
  });

  it("is announced at once when it is down for a minute", async () => {
    const stage = await aStage();
    await stage.alternate(7, 10 * SECOND);
    await stage.change("up", 70 * SECOND);
    await stage.change("down", 85 * SECOND);
    await stage.passUntil(START + 144 * SECOND);
    expect((await stage.sent()).length).toBe(8);
    await stage.passUntil(START + 145 * SECOND);
    expect((await stage.sent()).at(-1)).toBe("down@145");
    await stage.passUntil(START + 30 * MINUTE);
    expect((await stage.sent()).slice(8)).toEqual(["down@145"]);
  });

  it("is heard of after a quarter of an hour at the latest", async () => {
    const stage = await aStage();
    await stage.alternate(60, 30 * SECOND);
    const sent = await stage.sent();
    // The seventh change starts it at 180 s, the eighth is the first that waits.
    expect(sent.slice(0, 8)).toEqual([
      "down@0",
      "up@30",
      "down@60",
      "up@90",
      "down@120",
      "up@150",
      "down@180",
      "flapping@180",
    ]);
    expect(sent).toHaveLength(9);
    const [event, at] = sent[8]?.split("@") ?? [];
    expect(["up", "down"]).toContain(event);
    expect(Number(at)).toBeGreaterThanOrEqual(210 + 15 * 60);
    expect(Number(at)).toBeLessThanOrEqual(210 + 16 * 60);
  });

  it("keeps its statuses, history and intervals as without damping", async () => {
    const read = async (stage: Awaited<ReturnType<typeof aStage>>) => {
      const of = <Row extends object>(rows: Row[], ...names: (keyof Row)[]) =>
        rows.map((each) => names.map((name) => each[name]));
      const id = stage.monitor.id;
      return {
        transitions: of(await db.select().from(transitions).where(eq(transitions.monitor_id, id)), "seq", "to_status"),
        intervals: of(
          await db.select().from(statusIntervals).where(eq(statusIntervals.monitor_id, id)),
          ...(["status", "from_at", "to_at"] as const),
        ),
        outages: of(
          await db.select().from(outages).where(eq(outages.monitor_id, id)),
          ...(["seq", "started_at", "ended_at"] as const),
        ),
      };
    };
    const damped = await aStage();
    await damped.alternate(15, 10 * SECOND);
    vi.setSystemTime(START);
    const plain = await aStage({ RATE_LIMITS: "all=off" });
    await plain.alternate(15, 10 * SECOND);
    expect(await read(damped)).toEqual(await read(plain));
    expect((await plain.sent()).length).toBe(15);
    expect((await damped.sent()).length).toBe(8);
  });

  it("has one incident that stays open, says so once, and ends when it was stable for 5 minutes", async () => {
    const stage = await aStage(DAMPED, { auto_publish_incident: true });
    await stage.alternate(20, 10 * SECOND);
    const open = await stage.incidents();
    expect(open.map(({ status }) => status)).toEqual(["resolved", "resolved", "resolved", "investigating"]);
    const last = open.at(-1);
    const timeline = async () =>
      db
        .select({ status: incidentUpdates.status, message: incidentUpdates.message })
        .from(incidentUpdates)
        .where(eq(incidentUpdates.incident_id, last?.id ?? ""))
        .orderBy(asc(incidentUpdates.created_at), asc(incidentUpdates.id));
    const flaps = "Shop keeps failing and recovering. The incident stays open until it has been stable for 5 minutes.";
    const said = [
      { status: "investigating", message: "Shop is failing its checks." },
      { status: "investigating", message: flaps },
    ];
    expect(await timeline()).toEqual(expect.arrayContaining(said));
    await stage.passUntil(START + 189 * SECOND + 5 * MINUTE);
    expect(await timeline()).toHaveLength(2);
    await stage.passUntil(START + 12 * MINUTE);
    expect((await stage.incidents()).at(-1)).toMatchObject({ status: "resolved", resolved_at: START + 190 * SECOND });
    expect((await timeline()).at(-1)).toEqual({ status: "resolved", message: "Shop is up again and stable." });
  });

  it("keeps the incident of an outage that goes on, and ends it when that ends", async () => {
    const stage = await aStage();
    await stage.alternate(9, 10 * SECOND);
    await stage.passUntil(START + 20 * MINUTE);
    expect(await stage.shown()).toBe(false);
    const last = async () => (await stage.incidents()).at(-1);
    expect(await last()).toMatchObject({ status: "investigating", started_at: START + 60 * SECOND });
    await stage.change("up", 30 * MINUTE);
    expect(await last()).toMatchObject({ status: "resolved", resolved_at: START + 30 * MINUTE });
    expect((await stage.sent()).slice(8)).toEqual(["down@140", "up@1800"]);
  });

  it("ends its incident when it is paused while it is up", async () => {
    const stage = await aStage();
    await stage.alternate(8, 10 * SECOND);
    await stage.change("paused", 90 * SECOND);
    expect((await stage.incidents()).at(-1)).toMatchObject({ status: "resolved", resolved_at: START + 70 * SECOND });
  });

  it("wakes the users on call once, and leaves them alone when it is stable", async () => {
    const stage = await aStage(DAMPED, {
      auto_create_incident: false,
      alert_routing: { "monitor.down": "critical" },
    });
    const { account, status_page_id: page } = stage;
    await setPolicy({ account, page }, [{ level: 1, wait_minutes: 0, contacts: toUser(account.user_id) }]);
    await stage.alternate(12, 10 * SECOND);
    await stage.change("down", 130 * SECOND);
    await stage.passUntil(START + 4 * MINUTE);
    const started = async () => db.select().from(escalations).where(eq(escalations.status_page_id, page));
    // Three before it was known to flap, and one since.
    expect(await started()).toHaveLength(4);
    expect((await started()).filter(({ ended_at }) => ended_at === null)).toHaveLength(1);
    await stage.change("up", 5 * MINUTE);
    await stage.passUntil(START + 12 * MINUTE);
    expect(await started()).toHaveLength(4);
    expect((await started()).filter(({ ended_at }) => ended_at === null)).toEqual([]);
  });

  it("is forgotten when it is paused, and nothing of it is delivered later", async () => {
    const stage = await aStage();
    await stage.alternate(10, 10 * SECOND);
    await stage.change("paused", 100 * SECOND);
    await stage.passUntil(START + 30 * MINUTE);
    expect(await stage.sent()).toEqual([...SIX, "down@60", "flapping@60"]);
    expect(await stage.shown()).toBe(false);
    expect(await stage.row()).toBeUndefined();
  });

  it("gets each delivery once when messages are repeated", async () => {
    const stage = await aStage();
    await stage.alternate(7, 10 * SECOND);
    const up = await stage.change("up", 70 * SECOND);
    await stage.consume({ kind: "transitions", monitor_id: stage.monitor.id, transitions: [up] });
    for (let n = 0; n < 3; n++) await stage.consume({ kind: "flapping", flapping_monitor_id: stage.monitor.id });
    await stage.passUntil(START + 20 * MINUTE);
    for (let n = 0; n < 3; n++) await stage.consume({ kind: "flapping", flapping_monitor_id: stage.monitor.id });
    expect(await stage.sent()).toEqual([...SIX, "down@60", "flapping@60", "up@420"]);
  });

  it("leaves no row behind once it was steady for a while, and may flap again", async () => {
    const stage = await aStage();
    await stage.alternate(8, 10 * SECOND);
    await stage.passUntil(START + 20 * MINUTE);
    expect(await stage.row()).toBeUndefined();
    await stage.alternate(8, 10 * SECOND, 21 * MINUTE);
    expect((await stage.sent()).filter((each) => each.startsWith("flapping"))).toEqual([
      "flapping@60",
      "flapping@1320",
    ]);
  });

  it("does not count changes that a maintenance window withheld", async () => {
    const stage = await aStage();
    const window = await stage.account.client.post(`${V1}/maintenance`, {
      status_page_id: stage.status_page_id,
      title: "Move",
      targets: [{ target_type: "monitor", target_id: stage.monitor.id }],
      start_time: new Date(START - SECOND).toISOString(),
      end_time: new Date(START + 85 * SECOND).toISOString(),
    });
    expect(window.status).toBe(201);
    await stage.alternate(8, 10 * SECOND);
    await stage.change("down", 90 * SECOND);
    expect(await stage.sent()).toEqual(["down@90"]);
    expect(await stage.shown()).toBe(false);
  });

  it("is not damped where the operator switched it off", async () => {
    const stage = await aStage({ RATE_LIMITS: "flapping=off" });
    await stage.alternate(9, 10 * SECOND);
    expect(await stage.sent()).toEqual([...SIX, "down@60", "up@70", "down@80"]);
  });

  it("is released by switching it off", async () => {
    const settings = { ...DAMPED };
    const stage = await aStage(settings);
    await stage.alternate(9, 10 * SECOND);
    settings.RATE_LIMITS = "all=off";
    await stage.passUntil(START + 3 * MINUTE);
    expect((await stage.sent()).slice(8)).toEqual(["down@140"]);
    expect(await stage.shown()).toBe(false);
  });
});

describe("a steady monitor", () => {
  it("costs nothing in the sweep of the minute", async () => {
    const units = await meter((metered) => sweepFlapping(jobScope({ ...metered, ...DAMPED }, "sweep")));
    expect(units).toMatchObject({ rows_written: 0, messages: 0, object_requests: 0 });
    expect(units.rows_read).toBeLessThanOrEqual(1);
  });

  it("costs no row when it goes down and up now and then", async () => {
    const stage = await aStage();
    await stage.alternate(6, 2 * MINUTE);
    expect(await stage.row()).toBeUndefined();
    expect((await stage.sent()).length).toBe(6);
  });
});
