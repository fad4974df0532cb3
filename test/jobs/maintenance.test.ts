import { env } from "cloudflare:workers";
import { and, eq, isNull } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { jobScope, type Scope } from "../../src/access/scope.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { heldOutages, incidents } from "../../src/data/incidents/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { consumeEvent, sweepEvents } from "../../src/events/consume.ts";
import { sweepMaintenance } from "../../src/events/maintenance.ts";
import { sweepSuppressions } from "../../src/events/suppression.ts";
import { V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { namesOf, toldOf, versionOf } from "../support/incidents.ts";
import { tick } from "../support/minute.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";
import { insertSubscriber } from "../support/subscribers.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Math.floor(Date.now() / 1000) * 1000;
const iso = (at: number) => new Date(at).toISOString();

/** The sweep as it runs at that moment, in this isolate or beside another one. */
const depsAt = (at: number): Scope => ({ ...jobScope(recordingEnv().env, "test"), now: at });

/** As the queue would: what a window withheld waits until its end is said. */
async function sayEnds(at: number): Promise<void> {
  const waiting = await db
    .select({ id: events.id })
    .from(events)
    .where(and(isNull(events.processed_at), eq(events.name, "maintenance.completed")));
  for (const { id } of waiting) await consumeEvent(depsAt(at), { kind: "event", event_id: id });
}

async function sweepAt(at: number) {
  await sweepMaintenance(depsAt(at));
  await sayEnds(at);
  await sweepSuppressions(depsAt(at));
}

async function aStage(window: Record<string, unknown> = {}, isTarget = true) {
  const account = await createAccount();
  const status_page_id = await insertPage(account.user_id, { auto_create_incident: true, auto_publish_incident: true });
  const { body: group } = await account.client.post(`${V1}/groups`, { name: "G", status_page_id });
  const monitor = await insertMonitor(account.user_id, { status_page_id, created_at: NOW - DAY, group_id: group.id });
  const hook = await createWebhook(account);
  const targets = isTarget ? [{ target_type: "monitor", target_id: monitor.id }] : [];
  const plan = { status_page_id, title: "Disks", targets, start_time: iso(NOW), end_time: iso(NOW + HOUR), ...window };
  const { body } = await account.client.post(`${V1}/maintenance`, plan);
  return { account, status_page_id, monitor_id: monitor.id, group_id: group.id, window_id: body.id, hook_id: hook.id };
}

const heardBy = async (hookId: string) =>
  (await db.select().from(deliveries).where(eq(deliveries.webhook_id, hookId)).orderBy(deliveries.created_at)).map(
    ({ event_name }) => event_name,
  );
const heardOfOutagesBy = async (hookId: string) =>
  (await heardBy(hookId)).filter((name) => !name.startsWith("maintenance."));

function change(seq: number, to: "down" | "up" | "degraded", at: number, outage: number | null): MonitorTransition {
  return {
    seq,
    from: to === "up" ? "down" : "up",
    to,
    at,
    effective_at: at,
    message: "m",
    latency_ms: 1,
    region: "r",
    outage: outage === null ? null : { seq: outage, started_at: at },
    event: `monitor.${to}`,
  };
}

/** As the object reports it and the runner projects it. */
async function report(monitorId: string, transition: MonitorTransition) {
  await consumeEvent(depsAt(transition.at), { kind: "transitions", monitor_id: monitorId, transitions: [transition] });
}

describe("the edges of a window", () => {
  it("are announced at their very moment and once each, however often and beside whom the sweep runs", async () => {
    const start = NOW + MINUTE;
    const end = start + HOUR;
    const { status_page_id } = await aStage({ start_time: iso(start), end_time: iso(end) });
    const version = await versionOf(status_page_id);
    await sweepAt(start - 1);
    expect(await namesOf(status_page_id)).toEqual([]);
    await Promise.all([sweepAt(start), sweepAt(start), sweepAt(start + 1)]);
    expect(await namesOf(status_page_id)).toEqual(["maintenance.started"]);
    expect(await versionOf(status_page_id)).toBeGreaterThan(version);
    await sweepAt(end - 1);
    expect(await namesOf(status_page_id)).toEqual(["maintenance.started"]);
    await Promise.all([sweepAt(end), sweepAt(end)]);
    await sweepAt(end + HOUR);
    const log = await env.DB.prepare(
      "SELECT event_type, actor_type FROM audit_log WHERE status_page_id = ? AND actor_type = 'system' ORDER BY created_at",
    )
      .bind(status_page_id)
      .all();
    expect(log.results).toEqual([
      { event_type: "maintenance.started", actor_type: "system" },
      { event_type: "maintenance.completed", actor_type: "system" },
    ]);
    expect(await toldOf(status_page_id)).toMatchObject([
      { name: "maintenance.started", data: { status: "in_progress", start: iso(start), end: iso(end) } },
      { name: "maintenance.completed", data: { status: "completed", start: iso(start), end: iso(end) } },
    ]);
  });

  it("are announced by the tick of their minute, to subscribers too, even where that tick comes a little early", async () => {
    const start = Math.ceil(NOW / MINUTE) * MINUTE + MINUTE;
    const stage = await aStage({ start_time: iso(start), end_time: iso(start + MINUTE) });
    const { account, status_page_id } = stage;
    await insertSubscriber(account, { status_page_id, events: ["maintenance"] });
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const tell = async (minute: number) => {
        vi.setSystemTime(minute - 1);
        const recording = await tick(minute);
        const stored = await db.select().from(events).where(eq(events.status_page_id, status_page_id));
        const sent = stored.filter(({ id }) =>
          recording.events.some(({ body }) => body.kind === "event" && body.event_id === id),
        );
        for (const { id } of sent) await consumeEvent(jobScope(recording.env, "test"), { kind: "event", event_id: id });
        const heard = sent.filter(({ id }) =>
          recording.subscribers.some(({ body }) => body.kind === "event" && body.event_id === id),
        );
        return { sent: sent.map(({ name }) => name), heard: heard.map(({ name }) => name) };
      };
      expect(await tell(start - MINUTE)).toEqual({ sent: [], heard: [] });
      expect(await tell(start)).toEqual({ sent: ["maintenance.started"], heard: ["maintenance.started"] });
      expect(await tell(start + MINUTE)).toEqual({ sent: ["maintenance.completed"], heard: ["maintenance.completed"] });
    } finally {
      vi.useRealTimers();
    }
  });

  it("are announced in their order where nobody swept in between, and reach the webhooks", async () => {
    const { status_page_id, hook_id } = await aStage();
    const scope = depsAt(NOW + 2 * HOUR);
    await sweepMaintenance(scope);
    const told = await db.select().from(events).where(eq(events.status_page_id, status_page_id)).orderBy(events.name);
    for (const { id } of [...told, ...told]) await consumeEvent(scope, { kind: "event", event_id: id });
    expect((await heardBy(hook_id)).toSorted()).toEqual(["maintenance.completed", "maintenance.started"]);
  });

  it("reach webhooks with what the window affects, those of a private one the team alone", async () => {
    const { status_page_id, monitor_id, hook_id, account } = await aStage({ is_public: false });
    const team = await createWebhook(account, { is_team_only: true });
    await sweepAt(NOW);
    const told = await db.select().from(events).where(eq(events.status_page_id, status_page_id));
    for (const { id } of told) await consumeEvent(depsAt(NOW), { kind: "event", event_id: id });
    expect(await toldOf(status_page_id)).toMatchObject([
      { data: { monitor_ids: [monitor_id], group_ids: [], impact: "maintenance", url: null } },
    ]);
    expect([await heardBy(hook_id), await heardBy(team.id)]).toEqual([[], ["maintenance.started"]]);
  });

  it("recur, each occurrence with its own pair", async () => {
    const { status_page_id } = await aStage({ recurrence_type: "daily" });
    for (const at of [0, HOUR, DAY, DAY + HOUR]) await sweepAt(NOW + at);
    expect(await namesOf(status_page_id)).toHaveLength(4);
    await sweepAt(NOW + 2 * DAY);
    expect((await toldOf(status_page_id)).at(-1)).toMatchObject({ data: { start: iso(NOW + 2 * DAY) } });
  });

  it("follow a change that was made while the window was open, without telling its beginning again", async () => {
    const { account, status_page_id, window_id } = await aStage();
    await sweepAt(NOW);
    await account.client.put(`${V1}/maintenance/${window_id}`, { end_time: iso(NOW + 2 * HOUR) });
    await sweepAt(NOW + HOUR);
    const before = ["maintenance.started", "maintenance.rescheduled"];
    expect(await namesOf(status_page_id)).toEqual(before);
    await sweepAt(NOW + 2 * HOUR);
    expect(await namesOf(status_page_id)).toEqual([...before, "maintenance.completed"]);
    const rows = env.DB.prepare("SELECT end_at FROM maintenance_occurrences WHERE maintenance_id = ?").bind(window_id);
    expect((await rows.all()).results).toEqual([{ end_at: NOW + 2 * HOUR }]);
  });

  it("are not announced for what was cancelled", async () => {
    const { account, status_page_id, window_id } = await aStage({
      start_time: iso(NOW + HOUR),
      end_time: iso(NOW + 2 * HOUR),
    });
    await account.client.post(`${V1}/maintenance/${window_id}/occurrences/${iso(NOW + HOUR)}/cancel`);
    await sweepAt(NOW + DAY);
    expect(await namesOf(status_page_id)).toEqual([]);
  });
});

describe("a change of the page's zone", () => {
  it("moves what its windows follow, as far as clocks differ", async () => {
    const { account, status_page_id, window_id } = await aStage({
      start_time: "2025-07-01T10:00:00Z",
      end_time: "2025-07-01T10:30:00Z",
      recurrence_type: "daily",
    });
    for (const timezone of ["Europe/Berlin", "America/New_York", "Australia/Sydney", "UTC"]) {
      await account.client.put(`${V1}/status-pages/${status_page_id}`, { timezone });
      const { body } = await account.client.get(`${V1}/maintenance/${window_id}`);
      const row = env.DB.prepare("SELECT occurrence_start_at FROM maintenance WHERE id = ?").bind(window_id);
      expect(iso((await row.first<number>("occurrence_start_at")) ?? 0)).toBe(body.next_occurrence.start);
    }
  });
});

describe("an outage inside a window", () => {
  it("is recorded, notifies nobody and opens no incident; neither does its recovery", async () => {
    const { monitor_id, status_page_id, window_id, hook_id } = await aStage();
    await sweepAt(NOW);
    await report(monitor_id, change(1, "down", NOW + MINUTE, 1));
    await report(monitor_id, change(2, "up", NOW + 2 * MINUTE, 1));
    await sweepAt(NOW + HOUR);
    expect(await heardOfOutagesBy(hook_id)).toEqual([]);
    expect(await db.select().from(incidents).where(eq(incidents.origin_monitor_id, monitor_id))).toEqual([]);
    const kept = (await toldOf(status_page_id)).filter(({ name }) => name.startsWith("monitor."));
    expect(kept.map(({ name, data }) => [name, data.suppressed_by])).toEqual([
      ["monitor.down", window_id],
      ["monitor.up", window_id],
    ]);
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, monitor_id));
    expect(monitor).toMatchObject({ status: "up", state_seq: 2 });
    expect(await db.select().from(heldOutages).where(eq(heldOutages.monitor_id, monitor_id))).toEqual([]);
  });

  it("that is not over when the window ends alerts then, once, with its incident, and its recovery is announced", async () => {
    const { monitor_id, status_page_id, hook_id } = await aStage();
    await report(monitor_id, change(1, "down", NOW + MINUTE, 1));
    await sweepAt(NOW + HOUR - 1);
    expect(await heardOfOutagesBy(hook_id)).toEqual([]);
    await Promise.all([sweepAt(NOW + HOUR), sweepAt(NOW + HOUR)]);
    await sweepAt(NOW + HOUR + MINUTE);
    expect((await heardOfOutagesBy(hook_id)).toSorted()).toEqual(["incident.created", "monitor.down"]);
    const [incident] = await db.select().from(incidents).where(eq(incidents.origin_monitor_id, monitor_id));
    expect(incident).toMatchObject({ status: "investigating", started_at: NOW + MINUTE });
    const down = (await toldOf(status_page_id)).find(({ name }) => name === "monitor.down");
    expect(down?.data).not.toHaveProperty("suppressed_by");
    await report(monitor_id, change(2, "up", NOW + HOUR + 2 * MINUTE, 1));
    expect((await heardOfOutagesBy(hook_id)).toSorted()).toEqual([
      ...["incident.created", "incident.resolved", "monitor.down", "monitor.up"],
    ]);
  });

  it("that is over before anybody noticed the end of the window stays untold", async () => {
    const { monitor_id, hook_id } = await aStage();
    await report(monitor_id, change(1, "down", NOW + MINUTE, 1));
    await report(monitor_id, change(2, "up", NOW + HOUR + 1000, 1));
    await sweepAt(NOW + HOUR + MINUTE);
    expect(await heardOfOutagesBy(hook_id)).toEqual([]);
  });

  it.each<[string, (stage: Awaited<ReturnType<typeof aStage>>) => Promise<unknown>]>([
    ["deleted", ({ account, window_id }) => account.client.delete(`${V1}/maintenance/${window_id}`)],
    [
      "aimed elsewhere",
      async ({ account, window_id, status_page_id }) => {
        const { body: other } = await account.client.post(`${V1}/groups`, { name: "Other", status_page_id });
        const targets = [{ target_type: "group", target_id: other.id }];
        return account.client.put(`${V1}/maintenance/${window_id}`, { targets });
      },
    ],
    ["ended early", ({ account, window_id }) => account.client.post(`${V1}/maintenance/${window_id}/complete`)],
  ])("alerts as well when the window is %s", async (_name, act) => {
    const stage = await aStage();
    await report(stage.monitor_id, change(1, "down", NOW, 1));
    expect((await act(stage)) as object).toMatchObject({ status: expect.any(Number) });
    await sweepAt(NOW + MINUTE * 5);
    expect(await heardOfOutagesBy(stage.hook_id)).toContain("monitor.down");
  });

  it("stays silent for as long as another window covers it", async () => {
    const stage = await aStage();
    const targets = [{ target_type: "group", target_id: stage.group_id }];
    const times = { start_time: iso(NOW), end_time: iso(NOW + 2 * HOUR) };
    const { status_page_id } = stage;
    await stage.account.client.post(`${V1}/maintenance`, { status_page_id, title: "B", targets, ...times });
    await report(stage.monitor_id, change(1, "down", NOW + MINUTE, 1));
    await sweepAt(NOW + HOUR);
    expect(await heardOfOutagesBy(stage.hook_id)).toEqual([]);
    await sweepAt(NOW + 2 * HOUR);
    expect(await heardOfOutagesBy(stage.hook_id)).toContain("monitor.down");
  });

  it("that began before it is announced when it is over", async () => {
    const { monitor_id, hook_id } = await aStage();
    await report(monitor_id, change(1, "down", NOW - 1, 1));
    await report(monitor_id, change(2, "up", NOW + MINUTE, 1));
    expect((await heardOfOutagesBy(hook_id)).toSorted()).toEqual([
      ...["incident.created", "incident.resolved", "monitor.down", "monitor.up"],
    ]);
  });

  it("doubles nothing when its messages come again", async () => {
    const { monitor_id, hook_id } = await aStage();
    const down = change(1, "down", NOW + MINUTE, 1);
    await Promise.all([report(monitor_id, down), report(monitor_id, down)]);
    await sweepAt(NOW + HOUR);
    await report(monitor_id, down);
    await sweepAt(NOW + HOUR + MINUTE);
    await sweepEvents(depsAt(NOW + HOUR + MINUTE));
    expect((await heardOfOutagesBy(hook_id)).toSorted()).toEqual(["incident.created", "monitor.down"]);
  });
});

describe("an alert is held back", () => {
  it.each<[string, Record<string, unknown>, number, boolean]>([
    ["1 ms before the window", {}, NOW - 1, true],
    ["at its start", {}, NOW, false],
    ["1 ms before its end", {}, NOW + HOUR - 1, false],
    ["at its end", {}, NOW + HOUR, true],
    ["in one that is not public", { is_public: false }, NOW, false],
    ["in one without targets, which covers the whole page", { targets: [] }, NOW, false],
  ])("%s?", async (_name, window, at, isTold) => {
    const { monitor_id, hook_id } = await aStage(window);
    await report(monitor_id, change(1, "down", at, 1));
    expect((await heardBy(hook_id)).includes("monitor.down")).toBe(isTold);
  });

  it("of a composite as long as every member that is down is in maintenance", async () => {
    const { account, monitor_id, status_page_id, hook_id } = await aStage();
    const composite = await insertMonitor(account.user_id, {
      status_page_id,
      created_at: NOW - DAY,
      type: "composite",
    });
    const other = await insertMonitor(account.user_id, { status_page_id, created_at: NOW - DAY });
    const set = async (id: string, change: Partial<typeof monitors.$inferInsert>) =>
      db.update(monitors).set(change).where(eq(monitors.id, id));
    await set(monitor_id, { parent_monitor_id: composite.id, status: "down" });
    await set(other.id, { parent_monitor_id: composite.id, status: "up" });
    await report(composite.id, change(1, "down", NOW + 1, 1));
    expect(await heardOfOutagesBy(hook_id)).toEqual([]);
    await set(other.id, { status: "down" });
    await report(composite.id, change(2, "up", NOW + 2, 1));
    await report(composite.id, change(3, "down", NOW + 3, 3));
    expect(await heardOfOutagesBy(hook_id)).toContain("monitor.down");
  });

  it("for a slow answer, too", async () => {
    const { monitor_id, hook_id } = await aStage();
    await report(monitor_id, change(1, "degraded", NOW + 1, null));
    expect(await heardOfOutagesBy(hook_id)).toEqual([]);
  });
});
