import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { alarms } from "../../src/data/alarms/table.ts";
import { openDb } from "../../src/data/db.ts";
import { plannedMinutes } from "../../src/data/monitors/table.ts";
import { queueHealth } from "../../src/data/queue-health/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { sweepAlarms } from "../../src/events/alarms.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { sendHeartbeat } from "../../src/sweeps/dead-man.ts";
import { CORE } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { mailsTo } from "../support/mail.ts";
import { createAccountWithPassword, emailOf } from "../support/members.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, sinkUrl } from "../support/webhooks.ts";

const sink = useSink();
const db = openDb(env.DB);
const NOW = Date.parse("2026-11-22T12:00:00Z");
const HOUR = 3_600_000;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  await db.delete(alarms);
  await db.delete(queueHealth);
  await db.delete(plannedMinutes);
  return () => vi.useRealTimers();
});

/** Runs the part, and the consumer of the events that it stored. */
async function sweep(changes: Parameters<typeof recordingEnv>[0] = {}) {
  const recording = recordingEnv(changes);
  await sweepAlarms(jobScope(recording.env, "minute"));
  for (const { body } of recording.events) await consumeEvent(jobScope(recording.env, "events"), body as never);
}

const bury = (at: number) => db.insert(queueHealth).values({ queue: "events", dead_letters: 1, dead_letter_at: at });

describe("an alarm of the installation", () => {
  it("reaches operators in the product, by mail and by webhook, once when raised and once when over", async () => {
    const operator = await createAccount({ operator: true });
    const other = await createAccount();
    const hook = await createWebhook(operator, { is_team_only: true });
    await createWebhook(other, { is_team_only: true });
    await bury(NOW);
    await sweep();
    await sweep();
    vi.setSystemTime(NOW + HOUR);
    await sweep();
    await sweep();

    const notifications = (await operator.client.get(`${CORE}/notifications`)).body;
    const titles = ["Alarm cleared: dead_letters", "Alarm: dead_letters"];
    expect(notifications.map(({ title }: { title: string }) => title)).toEqual(titles);
    expect(notifications[0]).toMatchObject({
      type: "service.alarm",
      message: expect.stringContaining("queues: events"),
    });
    const mails = await mailsTo(emailOf(operator));
    expect(mails.map(({ subject }) => subject)).toEqual(titles.toReversed());
    expect(mails[0]?.text).toContain('section "dead_letters"');
    const sent = await db.select().from(deliveries).where(eq(deliveries.webhook_id, hook.id)).orderBy(sql`rowid`);
    expect(sent.map(({ event_name }) => event_name)).toEqual(["service.alarm_raised", "service.alarm_cleared"]);
    expect((await other.client.get(`${CORE}/notifications`)).body).toEqual([]);
    expect(await mailsTo(emailOf(other))).toEqual([]);
  });

  it("is listed in the overview and the dashboard while it is raised, for operators", async () => {
    const operator = await createAccount({ operator: true });
    const at = NOW + 5 * HOUR;
    vi.setSystemTime(at);
    await bury(at);
    await sweep();
    const { alarms: raised } = (await operator.client.get(`${CORE}/overview`)).body.service;
    expect(raised).toEqual([
      { name: "dead_letters", message: expect.stringContaining("events"), raised_at: new Date(at).toISOString() },
    ]);
  });
});

describe("the view of the installation", () => {
  it("shows alarms, cost and limits to operators and refuses everybody else", async () => {
    vi.useRealTimers();
    const [operator, other] = [await createAccountWithPassword(), await createAccountWithPassword()];
    await env.DB.prepare("UPDATE users SET operator = 1 WHERE email = ?").bind(operator.email).run();
    const open = async ({ email, password }: { email: string; password: string }) => {
      const browser = createBrowser();
      await browser.submit("/app/sign-in", { email, password });
      return { account: await browser.open("/app/account"), installation: await browser.open("/app/installation") };
    };
    const seen = await open(operator);
    expect(seen.account.text).toContain('href="/app/installation"');
    expect(seen.installation.status).toBe(200);
    for (const text of ["No alarm is raised", "Limits of the platform", "Database rows written"]) {
      expect(seen.installation.text).toContain(text);
    }
    const refused = await open(other);
    expect(refused.account.text).not.toContain('href="/app/installation"');
    expect(refused.installation.status).toBe(403);
  });
});

describe("the heartbeat to the outside", () => {
  const scopeOf = (url: string) => jobScope({ ...env, HEARTBEAT_URL: url } as never, "minute");

  it("is sent while the service works", async () => {
    const url = sinkUrl();
    sink.answer(url, 200);
    await sendHeartbeat(scopeOf(url));
    expect(sink.received.map((request) => [request.method, request.url])).toEqual([["GET", url]]);
    await sendHeartbeat(jobScope(env, "minute"));
    expect(sink.received).toHaveLength(1);
  });

  it("is withheld while a queue is late, so that its silence is the alarm", async () => {
    await db.insert(plannedMinutes).values([{ minute_at: NOW - HOUR }, { minute_at: NOW }]);
    await sendHeartbeat(scopeOf(sinkUrl()));
    expect(sink.received).toEqual([]);
  });

  it("fails its part when it is refused", async () => {
    const url = sinkUrl();
    sink.answer(url, 404);
    await expect(sendHeartbeat(scopeOf(url))).rejects.toThrow("status 404");
  });
});
