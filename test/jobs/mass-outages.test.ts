import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq, inArray } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { EventMessage } from "../../src/contract/messages.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { incidents } from "../../src/data/incidents/table.ts";
import { monitors, statusIntervals, transitions } from "../../src/data/monitors/table.ts";
import { deliveries, webhooks } from "../../src/data/webhooks/table.ts";
import { handleEvents } from "../../src/jobs/events.ts";
import { newId } from "../../src/platform/ids.ts";
import { seal } from "../../src/platform/seal.ts";
import { countCalls } from "../support/count-calls.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { override } from "../support/override.ts";
import { recordingEnv } from "../support/queues.ts";

const BATCH_MAX = 6;
const AT = Date.now();
const BASE = { at: AT, effective_at: AT, latency_ms: null, region: "default", outage: { seq: 2, started_at: AT } };
const DOWN: MonitorTransition = {
  ...BASE,
  seq: 2,
  from: "up",
  to: "down",
  message: "connection refused",
  event: "monitor.down",
};
const UP: MonitorTransition = {
  ...BASE,
  seq: 3,
  from: "down",
  to: "up",
  message: "200",
  event: "monitor.up",
};

/** Monitors of a page that opens incidents, and a webhook that receives everything. */
async function arrange(count: number) {
  const { user_id } = await createAccount();
  const page_id = await insertPage(user_id, { auto_create_incident: true });
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await insertMonitor(user_id, { status_page_id: page_id })).id);
  const webhook_id = newId();
  await openDb(env.DB)
    .insert(webhooks)
    .values({
      id: webhook_id,
      owner_id: user_id,
      created_by: user_id,
      name: "all",
      provider: "generic",
      sealed: await seal(env.ROOT_SECRET, webhook_id, { url: "http://sink.test/", secret: null }),
      created_at: 0,
      updated_at: 0,
    });
  return { ids, webhook_id, alerts_of: { owner_id: user_id, status_page_id: page_id } };
}

interface Consumed {
  database?: D1Database;
  sent?: unknown[];
  attempts?: number;
}

/** One batch of messages, one of each monitor; gives which are retried. */
async function consume(
  bodies: EventMessage[],
  { database = env.DB, attempts = 1, sent }: Consumed = {},
): Promise<string[]> {
  const messages = bodies.map((body) => {
    return { id: "monitor_id" in body ? body.monitor_id : newId(), timestamp: new Date(), attempts, body };
  });
  const batch = createMessageBatch("events", messages);
  const recording = recordingEnv({ DB: database });
  await handleEvents(batch, recording.env);
  sent?.push(...recording.events.map(({ body }) => body));
  const { retryMessages } = await getQueueResult(batch, createExecutionContext());
  return retryMessages.map(({ msgId }) => msgId);
}

const goDown = (ids: readonly string[], how?: Consumed) =>
  consume(
    ids.map((monitor_id) => ({ kind: "transitions", monitor_id, transitions: [DOWN] })),
    how,
  );

/** How many transitions and incidents these monitors have, events of both, and deliveries. */
async function stored({ ids, webhook_id }: { ids: string[]; webhook_id: string }) {
  const db = openDb(env.DB);
  const found = await db.batch([
    db.select({ id: transitions.monitor_id }).from(transitions).where(inArray(transitions.monitor_id, ids)),
    db.select({ id: incidents.id }).from(incidents).where(inArray(incidents.origin_monitor_id, ids)),
    db.select({ id: events.id }).from(events).where(inArray(events.monitor_id, ids)),
    db.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.webhook_id, webhook_id)),
  ]);
  return found.map((rows) => rows.length);
}

const whole = (count: number) => [count, count, 2 * count, count];

describe("monitors that go down at once", () => {
  it.each([
    [BATCH_MAX, 2],
    [40, 0.5],
  ])("take few calls of the database in a batch of %i: at most %f each, with incident and alert", async (size, most) => {
    const arranged = await arrange(size);
    const { database, calls } = countCalls(env.DB);
    expect(await goDown(arranged.ids, { database })).toEqual([]);
    expect(await stored(arranged)).toEqual(whole(size));
    expect(calls() / size).toBeLessThanOrEqual(most);
  });

  it("are stored but for the one that the database refuses, whose message is retried", async () => {
    const arranged = await arrange(BATCH_MAX);
    const [refused = ""] = arranged.ids;
    await env.DB.prepare(
      `CREATE TRIGGER refuse BEFORE INSERT ON transitions WHEN NEW.monitor_id = '${refused}'
        BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    ).run();
    expect(await goDown(arranged.ids)).toEqual([refused]);
    expect(await stored(arranged)).toEqual(whole(BATCH_MAX - 1));
    await env.DB.exec("DROP TRIGGER refuse");
    expect(await goDown([refused], { attempts: 2 })).toEqual([]);
    expect(await stored(arranged)).toEqual(whole(BATCH_MAX));
  });

  it.each(["before", "after"])("are stored once where the connection is lost %s the commit", async (when) => {
    const arranged = await arrange(BATCH_MAX);
    const isWrite = new WeakSet<object>();
    const database = override(env.DB, {
      prepare(text: string) {
        const statement = env.DB.prepare(text);
        if (!/^insert into "transitions"/i.test(text)) return statement;
        return override(statement, {
          bind(...values: unknown[]) {
            const bound = statement.bind(...values);
            isWrite.add(bound);
            return bound;
          },
        });
      },
      async batch(statements: D1PreparedStatement[]) {
        const isLost = statements.some((statement) => isWrite.has(statement));
        if (!isLost || when === "after") {
          const results = await env.DB.batch(statements);
          if (!isLost) return results;
        }
        throw new Error("D1_ERROR: Network connection lost.");
      },
    });
    expect((await goDown(arranged.ids, { database })).toSorted()).toEqual(arranged.ids.toSorted());
    expect(await goDown(arranged.ids, { attempts: 2 })).toEqual([]);
    expect(await stored(arranged)).toEqual(whole(BATCH_MAX));
  });

  it("wake the release of their alerts once, and equal messages of a batch are handled once", async () => {
    const { ids, alerts_of } = await arrange(40);
    const sent: unknown[] = [];
    await goDown(ids.slice(0, BATCH_MAX), { sent });
    expect(sent.filter((body) => JSON.stringify(body).includes("alerts_of"))).toEqual([
      { kind: "held_alerts", alerts_of },
    ]);
    const callsOf = async (messages: number) => {
      const { database, calls } = countCalls(env.DB);
      expect(await consume(new Array(messages).fill({ alerts_of }), { database })).toEqual([]);
      return calls();
    };
    expect(await callsOf(6)).toBe(await callsOf(2));
  });

  it("keep the order of the transitions of each", async () => {
    const { ids } = await arrange(BATCH_MAX);
    const [both = "", repeated = ""] = ids;
    const of = (monitor_id: string, path: MonitorTransition[]) => ({
      kind: "transitions" as const,
      monitor_id,
      transitions: path,
    });
    await consume([
      of(both, [DOWN, UP]),
      of(repeated, [DOWN]),
      of(repeated, [DOWN, UP]),
      ...ids.slice(2).map((id) => of(id, [DOWN])),
    ]);
    const db = openDb(env.DB);
    for (const id of [both, repeated]) {
      const rows = await db
        .select({ seq: statusIntervals.seq, status: statusIntervals.status, to_at: statusIntervals.to_at })
        .from(statusIntervals)
        .where(and(eq(statusIntervals.monitor_id, id), inArray(statusIntervals.seq, [2, 3])))
        .orderBy(statusIntervals.seq);
      expect(rows).toEqual([
        { seq: 2, status: "down", to_at: AT },
        { seq: 3, status: "up", to_at: null },
      ]);
      const [opened] = await db.select().from(incidents).where(eq(incidents.origin_monitor_id, id));
      expect(opened).toMatchObject({ status: "resolved", resolved_at: AT });
    }
    const rows = await db.select({ status: monitors.status }).from(monitors).where(inArray(monitors.id, ids));
    expect(rows.map(({ status }) => status).toSorted()).toEqual(["down", "down", "down", "down", "up", "up"]);
  });
});
