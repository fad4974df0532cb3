import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { describe, expect, inject, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { playQueues, transitionOf } from "../support/alerts.ts";
import { createAccount } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { emailOf } from "../support/members.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook } from "../support/webhooks.ts";

const sink = useSink();
const db = openDb(env.DB);
const T0 = Date.now();
/** A message lists fifty of them. */
const MONITORS = inject("effort") > 1 ? 200 : 80;

/** A page whose automatic incidents are published, with a chat, a generic receiver and mail. */
async function aStage(monitors = MONITORS) {
  const account = await createAccount();
  const status_page_id = await insertPage(account.user_id, { auto_create_incident: true, auto_publish_incident: true });
  const ids: string[] = [];
  for (let n = 0; n < monitors; n++) {
    const name = `Shop ${String(n).padStart(3, "0")}`;
    ids.push((await insertMonitor(account.user_id, { status_page_id, name, created_at: T0 - 1000 })).id);
  }
  const chat = await createWebhook(account, { provider: "slack" });
  const machine = await createWebhook(account);
  const pager = await createWebhook(account, { provider: "pagerduty", secret: "key" });
  const mail = await createWebhook(account, { provider: "email", url: "mailto:ops@mass.test" });
  sink.serve("https://sink.test/", () => new Response("ok"));
  const of = (webhook: { url: string }) => sink.received.filter(({ url }) => url === webhook.url);
  return { account, ids, chat, machine, pager, mail, of, ...playQueues(recordingEnv()) };
}

const textsOf = (requests: readonly { body: string }[]) => requests.map(({ body }) => String(JSON.parse(body).text));

describe(`${MONITORS} monitors that fail together`, () => {
  it("make one chat message and one mail that list them, while machines receive every event", async () => {
    const { account, ids, chat, machine, pager, of, report, drain } = await aStage();
    for (const [n, id] of ids.entries()) await report(id, transitionOf(1, T0 + 10 * n, "refused"));
    const until = await drain(T0 + 2_000);

    expect(until - T0).toBeLessThanOrEqual(16_000);
    // Machines receive the incident that lists all besides.
    expect([of(machine).length, of(pager).length]).toEqual([2 * MONITORS + 1, 2 * MONITORS]);
    const [text = "", ...others] = textsOf(of(chat));
    expect(others).toEqual([]);
    expect(text).toContain(`${MONITORS} monitors are down`);
    expect(text).toContain("Shop 000: refused");
    expect(text).toContain("Shop 049: refused");
    expect(text).toContain(`and ${MONITORS - 50} more`);
    for (const address of [emailOf(account), "ops@mass.test"]) {
      expect((await mailsTo(address)).map(({ subject }) => subject)).toEqual([`Alert: ${MONITORS} monitors are down`]);
    }
    const told = await db.select().from(notifications).where(eq(notifications.user_id, account.user_id));
    expect(told.map(({ title }) => title)).toEqual([`${MONITORS} monitors are down`]);
    const states = await db
      .select({ state: deliveries.state })
      .from(deliveries)
      .where(eq(deliveries.webhook_id, chat.id))
      .orderBy(asc(deliveries.state));
    expect(states.filter(({ state }) => state === "bundled")).toHaveLength(MONITORS - 1);
    expect(states.filter(({ state }) => state === "delivered")).toHaveLength(1);

    for (const [n, id] of ids.entries()) await report(id, transitionOf(2, T0 + 600_000 + 10 * n, "HTTP 200"));
    await drain(T0 + 602_000);
    expect(textsOf(of(chat)).slice(1)).toEqual([expect.stringContaining(`${MONITORS} monitors are up again`)]);
    expect((await mailsTo("ops@mass.test")).map(({ subject }) => subject).slice(1)).toEqual([
      `Resolved: ${MONITORS} monitors are up again`,
    ]);
  }, 300_000);

  it("over a minute make two chat messages", async () => {
    const { ids, chat, of, report, drain } = await aStage();
    let now = T0;
    // In seven turns, as checks are spread over the minute.
    const turn = Math.ceil(MONITORS / 7);
    for (let n = 0; n < MONITORS; n += turn) {
      now = T0 + (n / turn) * 8_500;
      for (const id of ids.slice(n, n + turn)) await report(id, transitionOf(1, now, "refused"));
      await drain(now, now + 8_499);
    }
    await drain(now);
    const titles = textsOf(of(chat)).map((text) => /\d+ monitors are down/.exec(text)?.[0]);
    expect(titles).toHaveLength(2);
    const listed = titles.map((title) => Number(title?.split(" ")[0]));
    expect(listed.reduce((sum, each) => sum + each, 0)).toBe(MONITORS);
  }, 120_000);
});

describe("a few monitors that fail together", () => {
  it("make a message each, within a few seconds", async () => {
    const { ids, chat, of, report, drain } = await aStage(10);
    for (const id of ids.slice(0, 4)) await report(id, transitionOf(1, T0));
    const until = await drain(T0);
    expect(until - T0).toBeLessThanOrEqual(4_000);
    expect(textsOf(of(chat)).filter((text) => text.includes("is down"))).toHaveLength(4);
  });

  it("wait for nothing on a page that has too few monitors for a mass failure", async () => {
    const { ids, chat, of, report, drain } = await aStage(4);
    for (const id of ids) await report(id, transitionOf(1, T0));
    expect(await drain(T0)).toBe(T0);
    expect(of(chat)).toHaveLength(4);
  });
});
