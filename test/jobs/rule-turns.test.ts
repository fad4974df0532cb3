import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq, isNotNull } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { EventMessage } from "../../src/contract/messages.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { openDb } from "../../src/data/db.ts";
import { eventLog, eventRules } from "../../src/data/event-rules/table.ts";
import { incidents } from "../../src/data/incidents/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { WAKE_GRACE_MS } from "../../src/data/outbox/rows.ts";
import { sweepEvents } from "../../src/events/consume.ts";
import { handleEvents } from "../../src/jobs/events.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { recordingEnv } from "../support/queues.ts";
import { createWebhook } from "../support/webhooks.ts";

/** As many as the smallest plan has. */
const RULES = 50;
const QUERIES_PER_TURN = 500;
const AT = Date.now() - 60_000;
const DOWN: MonitorTransition = {
  seq: 2,
  from: "up",
  to: "down",
  at: AT,
  effective_at: AT,
  message: "HTTP 503",
  latency_ms: 9,
  region: "default",
  outage: { seq: 2, started_at: AT },
  event: "monitor.down",
};
const db = openDb(env.DB);

/** A page whose rules all do what a rule can do when its monitor goes down. */
async function arrange() {
  const account = await createAccount();
  const page_id = await createPage(account);
  const page = `${V1}/status-pages/${page_id}`;
  const { id: monitor_id } = await createMonitor(account.client, { status_page_id: page_id, name: "Shop" });
  const { id: webhook_id } = await createWebhook(account, { status_page_id: page_id });
  const template = { name: "Down", title: "{{monitor}} is down", severity: "major", initial_update: "It failed." };
  const { body } = await account.client.post(`${page}/incident-templates`, template);
  const rule = {
    event_name: "monitor.down",
    incident_template_id: body.id,
    conditions: [{ metric: "status_code", operator: "eq", value: 503 }],
    actions: [
      { type: "trigger_runbook", webhook_id },
      { type: "suppress_alerts_for", duration_seconds: 60 },
    ],
  };
  for (let n = 0; n < RULES; n++)
    expect(await account.client.post(`${page}/events/rules`, rule)).toMatchObject({ status: 201 });
  return { account, page_id, monitor_id };
}

/** One invocation; gives what it sends to itself, whether a message is retried, and how many queries it takes. */
async function consume(...bodies: EventMessage[]) {
  const { database, queries } = limitDatabase(env.DB);
  const recording = recordingEnv({ DB: database });
  const batch = createMessageBatch(
    "events",
    bodies.map((body) => ({ id: newId(), timestamp: new Date(), attempts: 1, body })),
  );
  await handleEvents(batch, recording.env);
  const { retryMessages } = await getQueueResult(batch, createExecutionContext());
  const sent = recording.events.map(({ body }) => body);
  const [later, again] = [
    sent.filter((body) => body.kind === "rules"),
    sent.filter((body) => body.kind === "transitions"),
  ];
  return { later, again, isRetried: retryMessages.length > 0, queries: queries.length };
}

/** Other tests of the file leave rules that wait, too. */
function isAboutRules(body: EventMessage, later: readonly EventMessage[]): boolean {
  return later.some((lost) => JSON.stringify(lost) === JSON.stringify(body));
}

/** How often rules fired, the incidents that they opened (an outage has one), and how many rules fired once. */
async function firedOn(page_id: string) {
  const ofPage = and(eq(eventLog.status_page_id, page_id), isNotNull(eventLog.rule_id));
  const log = await db.select().from(eventLog).where(ofPage);
  const opened = await db.select().from(incidents).where(eq(incidents.status_page_id, page_id));
  const rules = await db.select().from(eventRules).where(eq(eventRules.status_page_id, page_id));
  return [log.length, opened.length, rules.filter(({ fire_count }) => fire_count === 1).length];
}

describe("a change of status on which all rules of a page fire", { timeout: 60_000 }, () => {
  it("is stored at once, and every rule fires once, in turns that D1 allows an invocation", async () => {
    const { page_id, monitor_id } = await arrange();
    const first = await consume({ kind: "transitions", monitor_id, transitions: [DOWN] });
    const [row] = await db.select().from(monitors).where(eq(monitors.id, monitor_id));
    expect([row?.status, first.isRetried]).toEqual(["down", false]);
    const turns = [first];
    for (let [next] = first.later; next; [next] = turns.at(-1)?.later ?? []) turns.push(await consume(next));
    expect(Math.max(...turns.map(({ queries }) => queries))).toBeLessThanOrEqual(QUERIES_PER_TURN);
    expect(turns.length).toBeGreaterThan(1);
    expect(await firedOn(page_id)).toEqual([RULES, 1, RULES]);
    for (const turn of first.later) expect(await consume(turn)).toMatchObject({ later: [], isRetried: false });
    expect(await firedOn(page_id)).toEqual([RULES, 1, RULES]);
  });

  it("has the rules that had no room fire also where the message about them died, once", async () => {
    const { page_id, monitor_id } = await arrange();
    const { later } = await consume({ kind: "transitions", monitor_id, transitions: [DOWN] });
    expect(later).toHaveLength(1);
    const [fired] = await firedOn(page_id);
    expect(fired).toBeLessThan(RULES);
    const swept = async (after: number) => {
      const recording = recordingEnv();
      await sweepEvents(jobScope(recording.env, "test", Date.now() + after));
      return recording.events.map(({ body }) => body).filter((body) => isAboutRules(body, later));
    };
    expect(await swept(0), "a message under way").toEqual([]);
    for (let [next] = await swept(WAKE_GRACE_MS + 1_000); next; [next] = (await consume(next)).later);
    expect(await firedOn(page_id)).toEqual([RULES, 1, RULES]);
    expect(await swept(3_600_000), "all have fired").toEqual([]);
  });

  it("comes again at once where the turns of others leave it no room", async () => {
    const { account, page_id, monitor_id } = await arrange();
    const messages: EventMessage[] = [{ kind: "transitions", monitor_id, transitions: [DOWN] }];
    for (let n = 0; n < 5; n++) {
      const { id } = await createMonitor(account.client, { status_page_id: page_id });
      messages.push({ kind: "transitions", monitor_id: id, transitions: [DOWN] });
    }
    const { again, isRetried } = await consume(...messages);
    const down = await db
      .select({ id: monitors.id })
      .from(monitors)
      .where(and(eq(monitors.status_page_id, page_id), eq(monitors.status, "down")));
    const unstored = messages.filter(
      (sent) => !("monitor_id" in sent && down.some(({ id }) => id === sent.monitor_id)),
    );
    expect([isRetried, down.length, unstored.length]).toEqual([false, expect.any(Number), again.length]);
    expect(again.length).toBeGreaterThan(0);
    expect(again).toEqual(expect.arrayContaining(unstored));
  });

  it("fires nothing by a message about an event on which no rules wait", async () => {
    expect(await consume({ kind: "rules", rules_on: newId() })).toMatchObject({ later: [], isRetried: false });
  });
});
