import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { openDb } from "../../src/data/db.ts";
import { webhookReminders } from "../../src/data/reminders/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { sweepReminders } from "../../src/delivery/reminders.ts";
import { playQueues, transitionOf } from "../support/alerts.ts";
import { V1 } from "../support/client.ts";
import { meter } from "../support/cost-meter.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";
import { recordStatements } from "../support/statements.ts";
import { createWebhook } from "../support/webhooks.ts";

const sink = useSink();
const db = openDb(env.DB);
const MINUTE = 60_000;
const T0 = Date.now();

interface Staged {
  monitors?: number;
  incidents?: boolean;
  settings?: { PUBLIC_URL?: string };
}

/** A page with monitors; its clock passes with `pass`, and what queues contain then is sent. */
async function aStage({ monitors = 1, incidents = false, settings = {} }: Staged = {}) {
  const account = await createAccount();
  const status_page_id = await insertPage(account.user_id, { auto_create_incident: incidents });
  const ids: string[] = [];
  for (let n = 0; n < monitors; n++) {
    ids.push((await insertMonitor(account.user_id, { status_page_id, name: `Shop ${n}`, created_at: T0 - 1000 })).id);
  }
  sink.serve("https://sink.test/", () => new Response("ok"));
  const recording = recordingEnv(settings);
  const { report, drain } = playQueues(recording);
  let now = T0;
  /** Runs the sweep each minute. */
  const pass = async (minutes: number) => {
    for (let n = 0; n < minutes; n++) {
      now += MINUTE;
      await sweepReminders({ ...jobScope(recording.env, "test"), now });
      await drain(now, now);
    }
  };
  const change = async (seq: number, subjects = ids, found: Partial<MonitorTransition> = {}) => {
    for (const id of subjects) await report(id, { ...transitionOf(seq, now), ...found });
    await drain(now, now + 30_000);
  };
  return { account, status_page_id, ids, pass, change, at: () => now };
}

const eventsOf = (webhook: { url: string }) =>
  sink.received.filter(({ url }) => url === webhook.url).map(({ body }) => JSON.parse(body));
const namesOf = (webhook: { url: string }) => eventsOf(webhook).map(({ event }) => event);
const textsOf = (webhook: { url: string }) => eventsOf(webhook).map(({ text }) => text as string);

const remindingWebhook = (account: Account, fields: Record<string, unknown> = {}) =>
  createWebhook(account, { remind_every_minutes: 10, ...fields });

describe("a webhook that is reminded", () => {
  it("gets the address of what each location saw, as with the alert, unless no check found the outage", async () => {
    const settings = { PUBLIC_URL: "https://vigil.test" };
    const evidenceOf = async (found: Partial<MonitorTransition>) => {
      const { account, pass, change } = await aStage({ settings });
      const webhook = await remindingWebhook(account);
      await change(1, undefined, found);
      await pass(10);
      return eventsOf(webhook).map(({ data }) => data.evidence_url);
    };
    const [alert, reminder] = await evidenceOf({});
    expect(reminder).toMatch(/^https:\/\/vigil\.test\/app\/monitors\/.+\/evidence\?since=\d+$/);
    expect(reminder).toBe(alert);
    expect(await evidenceOf({ region: null })).toEqual([null, null]);
  });

  it("gets the outage again every so many minutes until the monitor recovers, and no other webhook does", async () => {
    const { account, ids, pass, change } = await aStage();
    const often = await remindingWebhook(account, { events: ["monitor.down", "monitor.up"] });
    const seldom = await remindingWebhook(account, { remind_every_minutes: 30 });
    const never = await createWebhook(account);
    const elsewhere = await remindingWebhook(account, { events: ["incident.created"] });
    await change(1);
    await pass(9);
    expect(namesOf(often)).toEqual(["monitor.down"]);
    await pass(1);
    const [, reminder] = eventsOf(often);
    expect(reminder).toMatchObject({
      event: "monitor.reminder",
      data: { monitor_id: ids[0], status: "down", is_reminder: true, duration_seconds: 600, message: "HTTP 500" },
    });
    await pass(22);
    expect(namesOf(often)).toEqual(["monitor.down", ...Array(3).fill("monitor.reminder")]);
    expect(namesOf(seldom)).toEqual(["monitor.down", "monitor.reminder"]);
    await change(2);
    await pass(25);
    expect(namesOf(often).slice(4)).toEqual(["monitor.up"]);
    expect([namesOf(never), namesOf(elsewhere)]).toEqual([["monitor.down", "monitor.up"], []]);
    await change(3);
    await pass(10);
    expect(namesOf(often).slice(5)).toEqual(["monitor.down", "monitor.reminder"]);
  });

  it("gets each reminder once, however often and late the sweep runs", async () => {
    const { account, pass, change, at } = await aStage();
    const webhook = await remindingWebhook(account);
    await change(1);
    await pass(10);
    const again = () => sweepReminders({ ...jobScope(recordingEnv().env, "test"), now: at() });
    await Promise.all([again(), again()]);
    await db.delete(webhookReminders);
    await again();
    const sent = () => db.select().from(deliveries).where(reminderOf(webhook.id));
    expect(await sent()).toHaveLength(1);
    // While the service stood still several fell due; the outage goes on, so that one is enough.
    await sweepReminders({ ...jobScope(recordingEnv().env, "test"), now: at() + 47 * MINUTE });
    expect(await sent()).toHaveLength(2);
  });

  it("gets none once the incident is acknowledged, nor while the monitor is paused, muted or in maintenance", async () => {
    const { account, ids, status_page_id, pass, change, at } = await aStage({ monitors: 4, incidents: true });
    const [answered = "", paused = "", muted = "", maintained = ""] = ids;
    const webhook = await remindingWebhook(account, { events: ["monitor.down"] });
    await change(1);
    const { client } = account;
    const [incident] = (await client.get(`${V1}/incidents?monitor_id=${answered}`)).body;
    expect((await client.post(`${V1}/incidents/${incident.id}/acknowledge`)).status).toBe(200);
    await env.DB.prepare("UPDATE monitors SET status = 'paused', paused = 1 WHERE id = ?").bind(paused).run();
    await env.DB.prepare("UPDATE monitors SET muted_until = ? WHERE id = ?")
      .bind(at() + 60 * MINUTE, muted)
      .run();
    const window = await client.post(`${V1}/maintenance`, {
      status_page_id,
      title: "Disks",
      targets: [{ target_type: "monitor", target_id: maintained }],
      start_time: new Date(at() - MINUTE).toISOString(),
      end_time: new Date(at() + 60 * MINUTE).toISOString(),
    });
    expect(window.status).toBe(201);
    await pass(21);
    expect(namesOf(webhook)).toEqual(Array(4).fill("monitor.down"));
  });

  it("gets a new chat message or mail that says for how long, and one for many monitors", async () => {
    const { account, ids, pass, change } = await aStage({ monitors: 6 });
    const chat = await remindingWebhook(account, { provider: "slack", events: ["monitor.down"] });
    const address = `ops-${account.user_id}@mass.test`;
    await remindingWebhook(account, { provider: "email", url: `mailto:${address}`, events: ["monitor.down"] });
    await change(1, ids.slice(0, 1));
    await pass(10);
    const [, text = ""] = textsOf(chat);
    expect(text).toContain("Shop 0 is still down");
    expect(text).toContain("Down for: 10 min");
    const subjects = async () => (await mailsTo(address)).map(({ subject }) => subject);
    expect(await subjects()).toEqual(["Alert: Shop 0 is down", "Alert: Shop 0 is still down"]);

    await change(1, ids.slice(1));
    await pass(1);
    const before = textsOf(chat).length;
    await pass(10);
    const [many = "", ...others] = textsOf(chat).slice(before);
    expect(others).toEqual([]);
    expect(many).toContain("6 monitors are still down");
    expect(many).toContain("Shop 5: HTTP 500");
    expect((await subjects()).at(-1)).toBe("Alert: 6 monitors are still down");
  });
});

describe("reminders", () => {
  it("cost one row read where no webhook wants any, and find those that are due by indexes", async () => {
    await env.DB.prepare("UPDATE webhooks SET remind_every_minutes = NULL").run();
    const units = await meter((bindings) => sweepReminders(jobScope(bindings, "test")));
    expect(units.rows_read).toBeLessThanOrEqual(1);
    const { account } = await aStage();
    await remindingWebhook(account);
    const { DB, record } = recordStatements();
    await sweepReminders(jobScope({ ...recordingEnv().env, DB }, "test"));
    for (const statement of record.statements) {
      const bound = [...statement.matchAll(/\?/g)].map(() => 1);
      const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .bind(...bound)
        .all<{ detail: string }>();
      const scans = results.filter(({ detail }) => detail.startsWith("SCAN ") && !detail.includes("USING"));
      expect(scans).toEqual([]);
    }
  });

  it("are a whole number of minutes, a day at most, off by default and off again by null", async () => {
    const account = await createAccount();
    const { id, remind_every_minutes } = await createWebhook(account);
    expect(remind_every_minutes).toBeNull();
    const put = async (value: unknown) =>
      await account.client.put(`${V1}/webhooks/${id}`, { remind_every_minutes: value });
    for (const value of [0, -5, 1.5, 1441, "5"]) {
      expect(await put(value), String(value)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining("remind_every_minutes") },
      });
    }
    expect((await put(1440)).body.remind_every_minutes).toBe(1440);
    expect((await account.client.put(`${V1}/webhooks/${id}`, { name: "Renamed" })).body.remind_every_minutes).toBe(
      1440,
    );
    expect((await put(null)).body.remind_every_minutes).toBeNull();
  });
});

const reminderOf = (webhook_id: string) =>
  and(eq(deliveries.webhook_id, webhook_id), eq(deliveries.event_name, "monitor.reminder"));
