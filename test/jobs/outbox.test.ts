import { env } from "cloudflare:workers";
import { eq, getTableColumns, getTableName } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope, type Scope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { mailOutbox } from "../../src/data/mail/table.ts";
import { subscriberMessages } from "../../src/data/subscribers/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { sweepMail } from "../../src/delivery/mail.ts";
import { sweepSubscribers } from "../../src/delivery/subscriber-messages.ts";
import { sweepDeliveries } from "../../src/delivery/sweep.ts";
import { sweepEvents } from "../../src/events/consume.ts";
import { createAccount } from "../support/factories.ts";
import { recordingEnv } from "../support/queues.ts";
import { insertSubscriber } from "../support/subscribers.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const db = openDb(env.DB);
const MINUTE = 60_000;
const SENDING = { MAIL_FROM: "vigil@example.com", MAIL_HTTP_URL: "https://mail.test/send" };

type Kind = "events" | "deliveries" | "subscriber messages" | "mail";
interface Outbox {
  table: typeof events | typeof deliveries | typeof subscriberMessages | typeof mailOutbox;
  sweep(scope: Scope): Promise<void>;
  /** One waiting row, as the template of the others. */
  template(): Promise<Record<string, unknown>>;
}

const now = Date.now() - MINUTE;
const times = { created_at: now, updated_at: now };
const leased = { ...times, state: "pending", attempt: 0, next_attempt_at: now, lease_until: 0, wake_at: now };

const OUTBOXES: Record<Kind, Outbox> = {
  events: {
    table: events,
    sweep: sweepEvents,
    template: async () => ({
      owner_id: "o",
      status_page_id: null,
      monitor_id: null,
      name: "deploy",
      classification: "public",
      data: "{}",
      created_at: now,
      processed_at: null,
      wake_at: now,
    }),
  },
  deliveries: {
    table: deliveries,
    sweep: sweepDeliveries,
    template: async () => {
      const webhook = await createWebhook(await createAccount());
      return { ...leased, webhook_id: webhook.id, event_id: "e", event_name: "monitor.down" };
    },
  },
  "subscriber messages": {
    table: subscriberMessages,
    sweep: sweepSubscribers,
    template: async () => {
      const subscriber_id = await insertSubscriber(await createAccount());
      return { ...leased, subscriber_id, kind: "news", news: "{}", error: null };
    },
  },
  mail: { table: mailOutbox, sweep: sweepMail, template: async () => ({ ...leased, sealed: "", error: null }) },
};

/** Fills the table with so many waiting rows by one statement. */
async function fill({ table, template }: Outbox, count: number): Promise<void> {
  await db.delete(table);
  const row: Record<string, unknown> = await template();
  const names = Object.keys(getTableColumns(table)).filter((name) => name !== "id" && row[name] !== undefined);
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO ${getTableName(table)} (id, ${names.join(", ")})
      SELECT printf('row-%06d', i), ${names.map(() => "?").join(", ")} FROM n`,
  )
    .bind(...names.map((name) => row[name] ?? null))
    .run();
}

/** The most parameters that one statement had (D1 binds 100), and the bindings that count them. */
function countParameters(changes: Record<string, unknown>) {
  const most = { parameters: 0, statements: 0 };
  const DB = new Proxy(env.DB, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "prepare") return typeof member === "function" ? member.bind(target) : member;
      return (query: string) => {
        most.statements += 1;
        const statement = target.prepare(query);
        return new Proxy(statement, {
          get(inner, key) {
            const method: unknown = Reflect.get(inner, key);
            if (key !== "bind") return typeof method === "function" ? method.bind(inner) : method;
            return (...values: unknown[]) => {
              most.parameters = Math.max(most.parameters, values.length);
              return inner.bind(...values);
            };
          },
        });
      };
    },
  });
  return { most, ...recordingEnv({ DB, ...changes }) };
}

const idsIn = (bodies: unknown[]) => [...JSON.stringify(bodies).matchAll(/row-\d{6}/g)].map(([id]) => id);

describe.each(Object.entries(OUTBOXES))("the outbox of %s", (_kind, outbox) => {
  it.each([100, 1_000, 100_000])("wakes each of %i waiting rows once, a bounded part a minute", async (count) => {
    await fill(outbox, count);
    const { env: bindings, most, ...queues } = countParameters(SENDING);
    const woken = new Set<string>();
    let minutes = 0;
    for (; woken.size < count && minutes < 10; minutes++) {
      const scope = { ...jobScope(bindings, "test"), now: Date.now() + minutes * 1000 };
      await outbox.sweep(scope);
      const bodies = [queues.events, queues.deliveries, queues.subscribers, queues.mail].flatMap((sent) =>
        sent.splice(0).map(({ body }) => body),
      );
      const ids = idsIn(bodies);
      expect(ids.length).toBeLessThanOrEqual(20_000);
      expect(Math.max(...bodies.map((body) => JSON.stringify(body).length))).toBeLessThan(128_000);
      for (const id of ids) {
        expect(woken.has(id)).toBe(false);
        woken.add(id);
      }
    }
    expect(woken.size).toBe(count);
    expect(minutes).toBe(Math.ceil(count / 20_000));
    expect(most.parameters).toBeLessThan(100);
    expect(most.statements / minutes).toBeLessThan(40);
  }, 60_000);

  it("sends fewer and fewer messages for rows that no consumer handles", async () => {
    await fill(outbox, 1);
    const { env: bindings, ...queues } = countParameters(SENDING);
    const messages = () => [queues.events, queues.deliveries, queues.subscribers, queues.mail].flat().length;
    const sent: number[] = [];
    for (let minute = 0; minute < 180; minute++) {
      await outbox.sweep({ ...jobScope(bindings, "test"), now: now + minute * MINUTE });
      if (messages() > sent.length) sent.push(minute);
    }
    const pauses = sent.slice(1).map((minute, n) => minute - (sent[n] ?? 0));
    expect(pauses[0]).toBeLessThanOrEqual(2);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(16);
    expect(sent.length).toBeLessThan(20);
  });

  it("finds what waits by its index, however many rows are done", async () => {
    const asked: string[] = [];
    const DB = new Proxy(env.DB, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name !== "prepare") return typeof member === "function" ? member.bind(target) : member;
        return (query: string) => {
          asked.push(query);
          return target.prepare(query);
        };
      },
    });
    await outbox.sweep(jobScope(recordingEnv({ DB, ...SENDING }).env, "test"));
    const wake = asked.find((query) => query.startsWith("update")) ?? "";
    const parameters = Array((wake.match(/\?/g) ?? []).length).fill(1);
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${wake}`)
      .bind(...parameters)
      .all<{ detail: string }>();
    const table = getTableName(outbox.table);
    const steps = plan.results.map(({ detail }) => detail);
    expect(steps).toContainEqual(expect.stringContaining(`${table}_to_wake`));
    expect(steps.filter((step) => step.startsWith(`SCAN ${table}`) && !step.includes("_to_wake"))).toEqual([]);
  });
});

describe("a delivery that was woken by the sweep", () => {
  it("waits for its retry time as before", async () => {
    const account = await createAccount();
    await createWebhook(account);
    const [id = ""] = await route(eventOf(account.user_id));
    const { env: bindings } = recordingEnv();
    await sweepDeliveries({ ...jobScope(bindings, "test"), now: Date.now() + MINUTE });
    const [row] = await db.select().from(deliveries).where(eq(deliveries.id, id));
    expect(row).toMatchObject({ state: "pending", attempt: 0 });
    expect(row?.next_attempt_at).toBeLessThanOrEqual(Date.now());
  });
});
