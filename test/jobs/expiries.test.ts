import { env } from "cloudflare:workers";
import { and, asc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { updateExpiries } from "../../src/data/monitors/write.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { sweepExpiries } from "../../src/events/expiries.ts";
import { playQueues } from "../support/alerts.ts";
import { createAccount } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { emailOf } from "../support/members.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook } from "../support/webhooks.ts";

const sink = useSink();
const db = openDb(env.DB);
const DAY = 86_400_000;
const T0 = Date.now();
const END = T0 + 40 * DAY;

async function aMonitor(fields: Parameters<typeof insertMonitor>[1] = {}) {
  const account = await createAccount();
  const status_page_id = await insertPage(account.user_id);
  const { id } = await insertMonitor(account.user_id, { type: "ssl", status_page_id, ...fields });
  await runBatch(db, [updateExpiries(db, id, { certificate_expires_at: END })]);
  return { account, id };
}

/** The minute's sweep at an instant, and everything that follows. */
async function sweepAt(at: number): Promise<void> {
  const recording = recordingEnv();
  await sweepExpiries({ ...jobScope(recording.env, "test"), now: at });
  await playQueues(recording).drain(at);
}

const daysOf = async (monitorId: string) => {
  const rows = await db.select().from(events).where(eq(events.monitor_id, monitorId)).orderBy(asc(events.created_at));
  return rows.map(({ name, data }) => [name, data.days_left]);
};
const daysBefore = (days: number) => END - days * DAY;

describe("a certificate that is about to expire", () => {
  it("is announced 30, 14, 7 and 1 days before, once each, to the team and to webhooks", async () => {
    const { account, id } = await aMonitor();
    const webhook = await createWebhook(account, { events: ["monitor.certificate_expiring"] });
    sink.serve(webhook.url, () => new Response("ok"));
    for (const days of [31, 30, 29, 14, 13.5, 7, 6, 1, 0.5, 0, -1]) {
      await sweepAt(daysBefore(days));
      await sweepAt(daysBefore(days) + 1);
    }
    const name = "monitor.certificate_expiring";
    expect(await daysOf(id)).toEqual([30, 14, 7, 1].map((days) => [name, days]));
    const sent = await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhook.id));
    expect(sent.map(({ state }) => state)).toEqual(Array(4).fill("delivered"));
    expect((await mailsTo(emailOf(account))).map(({ subject }) => subject)).toEqual([
      "Warning: The certificate of Shop expires in 30 days",
      "Warning: The certificate of Shop expires in 14 days",
      "Warning: The certificate of Shop expires in 7 days",
      "Alert: The certificate of Shop expires in 1 day",
    ]);
    const [row] = await db.select().from(monitors).where(eq(monitors.id, id));
    expect(row?.expiry_notice_at).toBeNull();
  });

  it("is one message to who chose no events where its own monitor becomes degraded of it, and all to others", async () => {
    const { account, id } = await aMonitor({ status: "up", status_since: T0 });
    const hooks = {
      slack: await createWebhook(account, { provider: "slack" }),
      chosen: await createWebhook(account, { provider: "slack", events: ["monitor.certificate_expiring"] }),
      program: await createWebhook(account, {}),
    };
    sink.serve("https://sink.test/", () => new Response("ok"));
    await sweepAt(daysBefore(30));
    await sweepAt(daysBefore(14));
    await db
      .update(monitors)
      .set({ status: "degraded", status_since: daysBefore(14) })
      .where(eq(monitors.id, id));
    await sweepAt(daysBefore(7));
    const sentTo = async (webhook: { id: string }) =>
      (await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhook.id))).length;
    expect([await sentTo(hooks.slack), await sentTo(hooks.chosen), await sentTo(hooks.program)]).toEqual([2, 3, 3]);
  });

  it("is said by the mark alone where its monitor is of another type, or says nothing", async () => {
    const https = await aMonitor({ type: "https", status: "up", status_since: T0 });
    const down = await aMonitor({ status: "down", status_since: T0 });
    const slacks = [
      await createWebhook(https.account, { provider: "slack" }),
      await createWebhook(down.account, { provider: "slack" }),
    ];
    sink.serve("https://sink.test/", () => new Response("ok"));
    await sweepAt(daysBefore(14));
    for (const { id } of slacks) expect(await db.$count(deliveries, eq(deliveries.webhook_id, id))).toBe(1);
  });

  it("is announced anew after it was renewed, and at once when it is found late", async () => {
    const { id } = await aMonitor();
    await sweepAt(daysBefore(14));
    await runBatch(db, [updateExpiries(db, id, { certificate_expires_at: END + 90 * DAY })]);
    await sweepAt(daysBefore(7));
    await sweepAt(END + 85 * DAY);
    const name = "monitor.certificate_expiring";
    expect(await daysOf(id)).toEqual([
      [name, 14],
      [name, 5],
    ]);
  });

  it("stays silent while its monitor is paused, and waits for the end of a mute", async () => {
    const paused = await aMonitor({ paused: true });
    const muted = await aMonitor({ muted_until: daysBefore(28) });
    for (const days of [30, 29, 28]) await sweepAt(daysBefore(days));
    expect(await daysOf(paused.id)).toEqual([]);
    expect(await daysOf(muted.id)).toEqual([["monitor.certificate_expiring", 28]]);
  });
});

describe("a domain that is about to expire", () => {
  it("is announced under its own name", async () => {
    const account = await createAccount();
    const { id } = await insertMonitor(account.user_id, { type: "domain" });
    await runBatch(db, [updateExpiries(db, id, { domain_expires_at: END })]);
    await sweepAt(daysBefore(7));
    const [event] = await db
      .select()
      .from(events)
      .where(and(eq(events.monitor_id, id)));
    expect(event).toMatchObject({
      name: "monitor.domain_expiring",
      data: { monitor_name: "Shop", days_left: 7, expires_at: new Date(END).toISOString() },
    });
  });
});
