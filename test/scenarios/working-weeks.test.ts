import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { seal } from "../../src/platform/seal.ts";
import { enrollAgent } from "../support/agents.ts";
import { aDay, MINUTE } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { createMonitor } from "../support/factories.ts";
import { setPolicy } from "../support/on-call.ts";
import { alarmOf, beat, createHeartbeat, fireAlarm } from "../support/pushes.ts";
import { useSink } from "../support/sink.ts";
import { insertSubscriber } from "../support/subscribers.ts";

/**
 * What happens in the weeks of a team, written as everybody reads of it: each line is a message, with the minutes since
 * the start of the story.
 */

const sink = useSink();
/** A midnight to come, because alarms of objects follow the clock of the machine, too. */
const START = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

type Day = Awaited<ReturnType<typeof aDay>>;

const iso = (minutes: number) => new Date(START + minutes * MINUTE).toISOString();

async function plan(day: Day, title: string, { from, to, ids }: { from: number; to: number; ids: string[] }) {
  const answer = await day.account.client.post(`${V1}/maintenance`, {
    status_page_id: day.status_page_id,
    title,
    start_time: iso(from),
    end_time: iso(to),
    targets: ids.map((target_id) => ({ target_type: "monitor", target_id })),
  });
  expect(answer.status).toBe(201);
  return `${V1}/maintenance/${answer.body.id}`;
}

describe("maintenance that takes longer, and maintenance that is called off while it runs", () => {
  it("is announced as it changes, and wakes who is on call for what was down before it", async () => {
    const day = await aDay(sink, { start: START, has_policy: false });
    const [db, web] = [await day.addMonitor("Database"), await day.addMonitor("Web", { status: "up" })];
    const cleo = await day.join("Cleo");
    await setPolicy({ account: day.account, page: day.status_page_id }, [
      { level: 1, wait_minutes: 0, contacts: [{ type: "user", value: day.account.user_id, label: "Ada" }] },
      { level: 2, wait_minutes: 10, contacts: [{ type: "user", value: cleo, label: "Cleo" }] },
    ]);
    const disks = await plan(day, "New disks", { from: 30, to: 60, ids: [db] });
    const kernel = await plan(day, "Kernel", { from: 100, to: 130, ids: [web] });
    await day.change(db, "down", 35 * MINUTE);
    await day.passUntil(50 * MINUTE);
    await day.account.client.put(disks, { end_time: iso(90) });
    await day.passUntil(70 * MINUTE);
    expect(await day.seen()).toEqual([
      "Maintenance in progress",
      "Database is down",
      "New disks: in_progress",
      "Kernel: scheduled",
    ]);
    await day.change(db, "up", 80 * MINUTE);
    await day.change(web, "down", 95 * MINUTE);
    await day.passUntil(110 * MINUTE);
    await day.account.client.delete(kernel);
    await day.change(web, "up", 125 * MINUTE);
    await day.passUntil(130 * MINUTE);
    expect(await day.seen()).toEqual(["All systems operational"]);

    expect(await day.heard("chat")).toEqual([
      "30 maintenance.started",
      "51 maintenance.rescheduled",
      "90 maintenance.completed",
      "95 monitor.down",
      "100 maintenance.started",
      "111 maintenance.completed",
      "125 monitor.up",
    ]);
    expect((await day.heard("Cleo's mail")).filter((line) => line.includes("Web") || line.includes("disks"))).toEqual([
      "30 Maintenance started: New disks",
      "51 Maintenance rescheduled: New disks",
      "90 Maintenance completed: New disks",
      "95 Alert: Web is down",
      // The window that opened at 100 rests the escalation until after it was called off at 110.
      "115 Nobody answered, now step 2: Web is down",
      "125 Resolved: Web is up again",
    ]);
    expect(await day.heard("subscriber")).toEqual([
      "0 maintenance.scheduled: New disks",
      "0 maintenance.scheduled: Kernel",
      "30 maintenance.started: New disks",
      "50 maintenance.rescheduled: New disks",
      "90 maintenance.completed: New disks",
      "95 incident.created: Web is down",
      "100 maintenance.started: Kernel",
      "110 maintenance.cancelled: Kernel",
      "125 incident.resolved: Web is down",
    ]);
    const times = day.textsTo("chat").map((text) => / (\d\d:\d\d to \d\d:\d\d) /.exec(text)?.[1]);
    expect(times.slice(0, 3)).toEqual(["00:30 to 01:00", "00:30 to 01:30", "00:30 to 01:30"]);
  });
});

interface Result {
  monitor_id: string;
  status: string;
  message: string;
  latency_ms: number;
  checked_at: string;
}

describe("an agent that is cut off while one of its monitors is down", () => {
  it("is one outage until a fresh check succeeds, and what it reports late, in any order, wakes nobody and is counted", async () => {
    const day = await aDay(sink, { start: START });
    const agent = await enrollAgent(day.account, { hostname: "rack-4" }, `?status_page_id=${day.status_page_id}`);
    const checked = { agent_id: agent.id, status_page_id: day.status_page_id, paused: false, interval: 60 };
    const disks = await createMonitor(day.account.client, { name: "Disks", ...checked });
    const tape = await createMonitor(day.account.client, { name: "Tape", ...checked });
    const resultsAt = (minute: number, down: readonly { id: string }[]): Result[] =>
      [disks, tape].map((monitor) => ({
        monitor_id: monitor.id,
        status: down.includes(monitor) ? "down" : "up",
        message: down.includes(monitor) ? "HTTP 503" : "HTTP 200",
        latency_ms: 5,
        checked_at: iso(minute),
      }));
    const report = async (results: Result[]) => {
      const answer = await agent.client.post(`${V1}/agents/results`, { results });
      expect(answer.status).toBe(200);
      await day.settle(disks.id, tape.id);
    };
    for (let minute = 1; minute < 10; minute++) {
      await day.passUntil(minute * MINUTE);
      await report(resultsAt(minute, minute < 4 ? [] : [tape]));
    }
    await day.passUntil(15 * MINUTE);
    await day.settle(disks.id, tape.id);
    expect((await day.seen()).slice(1)).toEqual(["Disks is unknown", "Tape is unknown", "Tape is down: investigating"]);
    await day.passUntil(100 * MINUTE);
    const late: Result[] = [];
    for (let minute = 10; minute < 100; minute++) {
      const isDown = { disks: minute > 60 && minute < 70, tape: minute < 40 };
      late.push(...resultsAt(minute, [...(isDown.disks ? [disks] : []), ...(isDown.tape ? [tape] : [])]));
    }
    // It has room for so many at once, so that an outage may come in parts.
    const parts = [0, 50, 100, 150].map((n) => late.slice(n, n + 50));
    for (const part of [...parts.slice(-1), ...parts, ...parts]) await report(part);
    for (let minute = 100; minute < 103; minute++) {
      await day.passUntil(minute * MINUTE);
      await report(resultsAt(minute, []));
    }
    expect(await day.seen()).toEqual(["All systems operational"]);

    expect(await day.heard("chat")).toEqual([
      "6 monitor.down",
      "11 agent.offline",
      "100 monitor.up",
      "101 agent.online",
    ]);
    expect(await day.heard("mail")).toEqual([
      "6 Alert: Tape is down",
      "11 Alert: Agent rack-4 is offline",
      "100 Resolved: Tape is up again",
      "101 Resolved: Agent rack-4 is online",
    ]);
    expect(await day.heard("subscriber")).toEqual([
      "6 incident.created: Tape is down",
      "100 incident.resolved: Tape is down",
    ]);
    const outagesOf = async ({ id }: { id: string }) => {
      const range = `from=${iso(0)}&to=${new Date(Date.now()).toISOString()}`;
      const { body } = await day.account.client.get(`${V1}/monitors/${id}/outages?${range}`);
      return body.map((outage: Record<string, string>) => [outage.started_at, outage.ended_at, outage.cause]);
    };
    expect(await outagesOf(tape)).toEqual([[iso(4), iso(97), "HTTP 503"]]);
    expect(await outagesOf(disks)).toEqual([[iso(61), iso(70), "HTTP 503"]]);
    // What was measured late counts as it was.
    const { body: sla } = await day.account.client.get(`${V1}/status-pages/${day.status_page_id}/sla?period=7d`);
    const seconds = new Map(
      sla.monitors.map((each: { monitor_id: string; downtime_seconds: number }) => [
        each.monitor_id,
        each.downtime_seconds,
      ]),
    );
    expect([seconds.get(tape.id), seconds.get(disks.id)]).toEqual([36 * 60, 9 * 60]);
  });
});

describe("a job that runs every hour", () => {
  it("is an alarm when it is late and when it fails, with its own words, and none while it is paused", async () => {
    const day = await aDay(sink, { start: START });
    const { account, status_page_id } = day;
    const job = await createHeartbeat(account, {
      name: "Backup",
      status_page_id,
      expected_interval: 3600,
      grace_seconds: 600,
    });
    const until = async (minute: number) => {
      for (let at = await alarmOf(job.id); at !== null && at <= START + minute * MINUTE; at = await alarmOf(job.id)) {
        await day.passUntil(Math.max(at, Date.now()) - START);
        await fireAlarm(job.id);
        await day.settle(job.id);
      }
      await day.passUntil(minute * MINUTE);
    };
    const send = async (minute: number, body: Record<string, unknown>) => {
      await until(minute);
      expect((await beat(job, body)).status).toBe(200);
      await day.settle(job.id);
    };
    await send(5, { status: "ok", message: "12 GB" });
    await send(85, { status: "ok", message: "done late" });
    await send(100, { status: "fail", message: "exit status 1: disk full" });
    await send(110, { status: "ok", message: "12 GB" });
    const paused = await account.client.put(`${V1}/monitors/${job.id}`, { paused: true });
    expect(paused.body).toMatchObject({ status: "paused", next_expected_at: null });
    await until(300);
    const resumed = await account.client.put(`${V1}/monitors/${job.id}`, { paused: false });
    expect(resumed.body).toMatchObject({ status: "pending", next_expected_at: iso(360) });
    await send(355, { status: "ok", message: "12 GB" });
    await until(360);

    expect(await day.heard("chat")).toEqual(["75 monitor.down", "85 monitor.up", "100 monitor.down", "110 monitor.up"]);
    expect(day.textsTo("chat").map((text) => JSON.parse(text).text.split("\n").slice(0, 2))).toEqual([
      ["🔴 Backup is down", "no heartbeat received in time"],
      ["🟢 Backup is up again", "done late"],
      ["🔴 Backup is down", "exit status 1: disk full"],
      ["🟢 Backup is up again", "12 GB"],
    ]);
    expect(await day.seen()).toEqual(["All systems operational"]);
  });
});

describe("a composite whose members are in maintenance one after the other", () => {
  it("is announced when a member outside of the window makes it fail", async () => {
    const day = await aDay(sink, { start: START });
    const { account, status_page_id } = day;
    const member = (name: string) => createHeartbeat(account, { name, status_page_id, expected_interval: 86_400 });
    const [a, b] = [await member("Node A"), await member("Node B")];
    const settings = { name: "Shop", type: "composite", target: undefined, paused: false, status_page_id };
    const shop = await createMonitor(account.client, { ...settings, child_ids: [a.id, b.id] });
    const send = async (minute: number, pushed: typeof a, status: "ok" | "fail") => {
      await day.passUntil(minute * MINUTE);
      await beat(pushed, { status });
      await day.settle(pushed.id, shop.id);
    };
    await send(1, a, "ok");
    await send(2, b, "ok");
    await plan(day, "Kernel of node A", { from: 10, to: 40, ids: [a.id] });
    await send(15, a, "fail");
    expect(await day.seen()).toEqual(["Maintenance in progress", "Shop is down", "Kernel of node A: in_progress"]);
    await send(25, b, "fail");
    await send(30, b, "ok");
    for (let minute = 31; minute < 50; minute++) {
      await day.passUntil(minute * MINUTE);
      await day.settle(shop.id);
    }
    await send(50, a, "ok");
    await day.passUntil(55 * MINUTE);
    expect(await day.seen()).toEqual(["All systems operational"]);

    expect(await day.heard("chat")).toEqual([
      "10 maintenance.started",
      "26 monitor.down",
      "40 maintenance.completed",
      "50 monitor.up",
    ]);
    expect(await day.heard("subscriber")).toEqual([
      "2 maintenance.scheduled: Kernel of node A",
      "10 maintenance.started: Kernel of node A",
      "26 incident.created: Shop is down",
      "40 maintenance.completed: Kernel of node A",
      "50 incident.resolved: Shop is down",
    ]);
  });
});

describe("subscribers of one bad morning", () => {
  it("read of the services that they chose, from when they confirmed until they leave, and of what people write", async () => {
    const day = await aDay(sink, { start: START });
    const { account, status_page_id } = day;
    const [shop, search] = [await day.addMonitor("Shop"), await day.addMonitor("Search")];
    const add = async (fields: Parameters<typeof insertSubscriber>[1]) => {
      const id = newId();
      const address = { endpoint: `reader-${id}@example.com`, base_url: "https://vigil.test" };
      const sealed = await seal(env.ROOT_SECRET, id, address);
      await insertSubscriber(account, { id, status_page_id, sealed, ...fields });
      return id;
    };
    const readers = {
      chose: await add({ monitor_ids: [shop] }),
      leaves: await add({}),
      confirms: await add({ confirmed_at: null }),
    };
    const set = (column: "unsubscribed_at" | "confirmed_at", id: string) =>
      env.DB.prepare(`UPDATE subscribers SET ${column} = ? WHERE id = ?`).bind(Date.now(), id).run();
    await day.change(shop, "down", 10 * MINUTE);
    await day.passUntil(12 * MINUTE);
    await set("unsubscribed_at", readers.leaves);
    await day.change(search, "down", 20 * MINUTE);
    await day.passUntil(22 * MINUTE);
    await set("confirmed_at", readers.confirms);
    const written = await account.client.post(`${V1}/incidents`, {
      status_page_id,
      title: "Payments are slow",
      severity: "minor",
      is_public: true,
      monitor_ids: [shop],
    });
    expect(written.status).toBe(201);
    await day.passUntil(30 * MINUTE);
    expect(await day.seen()).toEqual([
      "Major outage",
      "Shop is down",
      "Search is down",
      "Payments are slow: investigating",
      "Search is down: investigating",
      "Shop is down: investigating",
    ]);
    await day.change(shop, "up", 35 * MINUTE);
    await day.passUntil(36 * MINUTE);
    const end = { status: "resolved", message: "It is over." };
    expect((await account.client.post(`${V1}/incidents/${written.body.id}/updates`, end)).status).toBe(201);
    await day.change(search, "up", 40 * MINUTE);
    await day.passUntil(45 * MINUTE);
    expect(await day.seen()).toEqual(["All systems operational"]);

    const read = async (id: string) => {
      const rows = await env.DB.prepare(
        `SELECT news ->> 'event' || ': ' || (news ->> 'title') AS line FROM subscriber_messages
          WHERE subscriber_id = ? ORDER BY rowid`,
      )
        .bind(id)
        .all<{ line: string }>();
      return rows.results.map(({ line }) => line);
    };
    expect(await read(readers.chose)).toEqual([
      "incident.created: Shop is down",
      "incident.created: Payments are slow",
      "incident.resolved: Shop is down",
      "incident.resolved: Payments are slow",
    ]);
    expect(await read(readers.leaves)).toEqual(["incident.created: Shop is down"]);
    // Who subscribes on a page that shows an incident waits for its end.
    expect(await read(readers.confirms)).toEqual([
      "incident.created: Payments are slow",
      "incident.resolved: Shop is down",
      "incident.resolved: Payments are slow",
      "incident.resolved: Search is down",
    ]);
  });
});

describe("a rule that calls a runbook and holds the alarm while that works", () => {
  it("fires when a mute is over and not in it, once in its cooldown, and the alarm says how long it was held", async () => {
    const day = await aDay(sink, { start: START });
    const shop = await day.addMonitor("Shop");
    await day.addWebhook("runbook", { events: ["deploy.failed"] });
    const { body: webhooks } = await day.account.client.get(`${V1}/webhooks`);
    const runbook = webhooks.find(({ events }: { events: string[] }) => events.includes("deploy.failed"));
    await day.addRule({
      event_name: "monitor.down",
      monitor_id: shop,
      actions: [
        { type: "trigger_runbook", webhook_id: runbook.id },
        { type: "suppress_alerts_for", duration_seconds: 600 },
      ],
      cooldown_seconds: 1800,
    });
    await day.mute(shop, 20 * MINUTE);
    await day.change(shop, "down", 10 * MINUTE);
    await day.change(shop, "up", 40 * MINUTE);
    await day.change(shop, "down", 45 * MINUTE);
    await day.change(shop, "up", 50 * MINUTE);
    await day.change(shop, "down", 75 * MINUTE);
    await day.change(shop, "up", 80 * MINUTE);
    await day.passUntil(90 * MINUTE);
    expect(await day.heard("runbook")).toEqual(["20 monitor.down", "75 monitor.down"]);
    const alarms = ["30 down", "40 up", "45 down", "50 up"];
    expect(await day.heard("chat")).toEqual(alarms.map((line) => line.replace(" ", " monitor.")));
    expect(day.textsTo("chat")[0]).toMatch(/Withheld until: .* 00:30/);
    expect(await day.heard("on call")).toEqual(["30 paged", "45 paged"]);
  });
});
