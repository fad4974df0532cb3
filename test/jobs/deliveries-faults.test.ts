import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { mailOutbox } from "../../src/data/mail/table.ts";
import { WAKE_GRACE_MS } from "../../src/data/outbox/rows.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { handleDeliveries } from "../../src/jobs/deliveries.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, V1 } from "../support/client.ts";
import { countCalls } from "../support/count-calls.ts";
import {
  arrange,
  createEnv,
  DAY_MS,
  deliver,
  MINUTE_MS,
  passTime,
  stored,
  sweep,
  useClock,
} from "../support/deliveries.ts";
import { createAccount } from "../support/factories.ts";
import { PATIENCE } from "../support/patience.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const sink = useSink();
useClock();

/** The database with some of its methods replaced. */
function override(methods: Partial<D1Database>): D1Database {
  return new Proxy(env.DB, {
    get(target, name) {
      const member: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

type Batch = (statements: D1PreparedStatement[]) => Promise<D1Result[]>;

/** The database with something done around each of its transactions. */
function around(wrap: (run: Batch) => Batch): D1Database {
  // D1 declares what a batch gives by a type parameter that nothing binds.
  const batch = wrap((statements) => env.DB.batch(statements)) as D1Database["batch"];
  return override({ batch });
}

const lost = () => new Error("D1_ERROR: Network connection lost.");

/** Its nth transaction fails before or after it has committed. */
function faulty(when: "before" | "after", nth: number): D1Database {
  let calls = 0;
  return around((run) => async (statements) => {
    const isFaulty = ++calls === nth;
    if (isFaulty && when === "before") throw lost();
    const results = await run(statements);
    if (isFaulty) throw lost();
    return results;
  });
}

/** It reads no table of this name; its transactions succeed. */
function withoutTable(name: string): D1Database {
  return override({
    prepare(text) {
      if (text.includes(`from "${name}"`)) throw lost();
      return env.DB.prepare(text);
    },
  });
}

describe("a batch of messages", () => {
  it("claims, reads and records with few calls of the database, however many messages to edit it looks for", async () => {
    const { account, webhook, id } = await arrange({ provider: "discord" });
    const ids = [id, ...(await route(...Array.from({ length: 5 }, () => eventOf(account.user_id))))];
    sink.serve(webhook.url, () => new Response(null, { status: 200 }));
    const { database, calls } = countCalls(env.DB);
    await deliver(ids, createEnv({ DB: database }).bindings);
    for (const each of ids) expect((await stored(each)).delivery?.state).toBe("delivered");
    expect(sink.received).toHaveLength(ids.length);
    expect(calls()).toBeLessThanOrEqual(4);
  });

  it("drops poison and serves the rest", async () => {
    const { webhook, id } = await arrange();
    sink.answer(webhook.url, 200);
    const result = await deliver([id], createEnv().bindings, [null, { delivery_id: 7 }, { delivery_id: newId() }]);
    expect(result).toMatchObject({ explicitAcks: expect.arrayContaining(["m0", "m1", "m2", "m3"]), retryMessages: [] });
    expect((await stored(id)).delivery?.state).toBe("delivered");
  });

  it("lets a slow endpoint hold up nobody else", async () => {
    const account = await createAccount();
    const slow = await createWebhook(account);
    const fast = await Promise.all(Array.from({ length: 5 }, () => createWebhook(account)));
    const ids = await route(eventOf(account.user_id));
    let arrived = 0;
    const everyFastOneArrived = new Promise<void>((resolve) => {
      for (const webhook of fast) {
        sink.answer(webhook.url, () => {
          if (++arrived === fast.length) resolve();
          return new Response();
        });
      }
    });
    sink.answer(slow.url, async () => {
      await everyFastOneArrived;
      return new Response();
    });
    await deliver(ids, createEnv({ DELIVERY_TIMEOUT_MS: 10_000 }).bindings);
    const states = await Promise.all(ids.map(async (id) => (await stored(id)).delivery?.state));
    expect(states).toEqual(Array(6).fill("delivered"));
  });
});

describe("a batch whose receivers answer at different times", () => {
  it("ends before the last of them does, whose attempt is recorded all the same", async () => {
    const account = await createAccount();
    const [late, prompt] = [await createWebhook(account), await createWebhook(account)];
    const answer = Promise.withResolvers<Response>();
    sink.answer(late.url, () => answer.promise);
    sink.answer(prompt.url, 200);
    const ids = await route(eventOf(account.user_id));
    const messages = ids.map((delivery_id, n) => ({
      id: `m${n}`,
      timestamp: new Date(),
      attempts: 1,
      body: { delivery_id },
    }));
    const later: Promise<unknown>[] = [];
    const { bindings } = createEnv({ DELIVERY_TIMEOUT_MS: 60_000 });
    await handleDeliveries(createMessageBatch("deliveries", messages), bindings, (work) => void later.push(work));
    await vi.waitFor(async () => {
      expect((await stored(ids[1] ?? "")).delivery).toMatchObject({ state: "delivered" });
    }, PATIENCE);
    expect((await stored(ids[0] ?? "")).delivery).toMatchObject({ state: "pending", attempt: 1 });
    answer.resolve(new Response());
    await Promise.all(later);
    expect((await stored(ids[0] ?? "")).delivery).toMatchObject({ state: "delivered" });
  });

  it("records the others when a webhook is deleted meanwhile", async () => {
    const account = await createAccount();
    const [gone, kept] = [await createWebhook(account), await createWebhook(account)];
    sink.answer(gone.url, async () => {
      await account.client.delete(`${V1}/webhooks/${gone.id}`);
      return new Response();
    });
    sink.answer(kept.url, 200);
    const ids = await route(eventOf(account.user_id));
    expect((await deliver(ids)).retryMessages).toEqual([]);
    expect((await stored(ids[1] ?? "")).delivery).toMatchObject({ state: "delivered" });
    expect((await stored(ids[0] ?? "")).delivery).toBeUndefined();
  });
});

describe("when the database fails", () => {
  it("to record one attempt, those of its batch are recorded and it is repeated under its webhook-id", async () => {
    const account = await createAccount();
    const webhooks = await Promise.all([createWebhook(account), createWebhook(account), createWebhook(account)]);
    for (const { url } of webhooks) sink.answer(url, 200, 200);
    const ids = await route(eventOf(account.user_id));
    const [bad = "", ...others] = ids;
    await env.DB.prepare(`CREATE TRIGGER refused BEFORE INSERT ON delivery_attempts WHEN NEW.delivery_id = '${bad}'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`).run();
    try {
      expect((await deliver(ids)).retryMessages).toHaveLength(ids.length);
    } finally {
      await env.DB.prepare("DROP TRIGGER refused").run();
    }
    const states = await Promise.all(ids.map(async (id) => (await stored(id)).delivery?.state));
    expect(states).toEqual(["pending", "delivered", "delivered"]);
    passTime(MINUTE_MS);
    await deliver(ids);
    expect((await stored(bad)).delivery).toMatchObject({ state: "delivered", attempt: 2 });
    const sent = sink.received.map(({ headers }) => headers.get("webhook-id"));
    expect(sent.toSorted()).toEqual([bad, bad, ...others].toSorted());
  });

  it.each([
    "before",
    "after",
  ] as const)("%s the claim commits, nothing is sent, the message comes back and the sweep finds it", async (when) => {
    const { webhook, id } = await arrange();
    sink.answer(webhook.url, 200);
    const result = await deliver([id], createEnv({ DB: faulty(when, 1) }).bindings);
    expect(result.retryMessages).toMatchObject([{ msgId: "m0" }]);
    expect(sink.received).toEqual([]);
    passTime(MINUTE_MS);
    const outside = createEnv();
    await sweep(outside);
    expect(outside.sent).toContainEqual({ body: { delivery_id: id } });
    await deliver([id]);
    expect((await stored(id)).delivery?.state).toBe("delivered");
    expect(sink.received).toHaveLength(1);
  });

  it.each(["before", "after"] as const)("%s the record commits, it is recorded once and sent once", async (when) => {
    const { webhook, id } = await arrange();
    sink.answer(webhook.url, 500);
    await deliver([id], createEnv({ DB: faulty(when, 2) }).bindings);
    const { delivery, attempts } = await stored(id);
    expect(delivery).toMatchObject({ state: "pending", attempt: 1, lease_until: 0 });
    expect(attempts).toHaveLength(1);
    expect(sink.received).toHaveLength(1);
  });

  it.each([
    "before",
    "after",
  ] as const)("%s the record commits, the owner is told once that the webhook is off", async (when) => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 410);
    const mails = async () => (await openDb(env.DB).select().from(mailOutbox)).length;
    const before = await mails();
    await deliver([id], createEnv({ DB: faulty(when, 2) }).bindings);
    expect((await account.client.get(`${CORE}/notifications`)).body).toHaveLength(1);
    expect(await mails()).toBe(before + 1);
  });

  it("to name the message that an alert edits, nothing is sent and the delivery is due again", async () => {
    const { webhook, id } = await arrange({ provider: "discord" });
    sink.answer(`${webhook.url}?wait=true`, 204);
    const result = await deliver([id], createEnv({ DB: withoutTable("chat_messages") }).bindings);
    expect(result.retryMessages).toHaveLength(1);
    expect((await stored(id)).delivery).toMatchObject({ state: "pending" });
    passTime(MINUTE_MS);
    await deliver([id]);
    expect((await stored(id)).delivery).toMatchObject({ state: "delivered" });
  });

  it("between sending and recording, the repeat carries the same webhook-id", async () => {
    const { webhook, id } = await arrange();
    sink.answer(webhook.url, 200, 200);
    const dead = around((run) => async (statements) => {
      if (sink.received.length > 0) throw lost();
      return run(statements);
    });
    expect((await deliver([id], createEnv({ DB: dead }).bindings)).retryMessages).toHaveLength(1);
    await deliver([id]);
    expect(sink.received).toHaveLength(1);
    passTime(MINUTE_MS);
    await deliver([id]);
    expect(sink.received.map((request) => request.headers.get("webhook-id"))).toEqual([id, id]);
    expect((await stored(id)).delivery).toMatchObject({ state: "delivered", attempt: 2 });
  });
});

describe("an attempt that outlives its claim", () => {
  it("is recorded, but does not undo what a later attempt achieved", async () => {
    const { webhook, id } = await arrange();
    const late = async () => {
      passTime(MINUTE_MS);
      await deliver([id]);
      return new Response(null, { status: 500 });
    };
    sink.answer(webhook.url, late, 200);
    await deliver([id], createEnv({ DELIVERY_TIMEOUT_MS: 10_000 }).bindings);
    const { delivery, attempts } = await stored(id);
    expect(delivery).toMatchObject({ state: "delivered", attempt: 2, next_attempt_at: null });
    expect(attempts.map((attempt) => attempt.response_status)).toEqual([500, 200]);
  });
});

describe("the minute sweep", () => {
  it("wakes what is due and was not woken, and nothing else", async () => {
    const { account, id } = await arrange();
    passTime(WAKE_GRACE_MS);
    const [fresh = ""] = await route(eventOf(account.user_id));
    const [later = ""] = await route(eventOf(account.user_id));
    const db = openDb(env.DB);
    const now = Date.now();
    await db
      .update(deliveries)
      .set({ next_attempt_at: now + 1, wake_at: now + 1 })
      .where(eq(deliveries.id, later));
    const outside = createEnv();
    await sweep(outside);
    const mine = outside.sent
      .map((message) => message.body.delivery_id)
      .filter((each) => [id, fresh, later].includes(each));
    expect(mine).toEqual([id]);
  });

  it("forgets deliveries and attempts after 30 days", async () => {
    const { webhook, id } = await arrange();
    sink.answer(webhook.url, 200);
    await deliver([id]);
    passTime(30 * DAY_MS);
    await sweep();
    expect((await stored(id)).attempts).toHaveLength(1);
    passTime(1);
    await sweep();
    expect(await stored(id)).toEqual({ delivery: undefined, attempts: [] });
  });

  it("survives a queue that takes nothing", async () => {
    const { webhook, id } = await arrange();
    const broken = async () => {
      throw new Error("queue is down");
    };
    const outside = createEnv({ DELIVERIES: { send: broken, sendBatch: broken } });
    passTime(WAKE_GRACE_MS);
    await sweep(outside);
    sink.answer(webhook.url, 500);
    expect(await deliver([id], outside.bindings)).toMatchObject({ explicitAcks: ["m0"] });
    expect((await stored(id)).delivery?.state).toBe("pending");
  });
});

describe("the cost of attempts that are delivered", () => {
  it.each([
    [1, { read: 33, written: 4 }],
    [6, { read: 173, written: 24 }],
  ])("is two transactions for a batch of %i, whose rows are counted", async (count, rows) => {
    const account = await createAccount();
    for (let n = 0; n < count; n++) sink.answer((await createWebhook(account)).url, 200);
    const ids = await route(eventOf(account.user_id));
    const counted = { read: 0, written: 0, trips: 0 };
    const database = around((run) => async (statements) => {
      const results = await run(statements);
      counted.trips += 1;
      for (const { meta } of results) {
        counted.read += meta.rows_read;
        counted.written += meta.rows_written;
      }
      return results;
    });
    await deliver(ids, createEnv({ DB: database }).bindings);
    expect(sink.received).toHaveLength(count);
    expect(counted).toEqual({ ...rows, trips: 2 });
  });
});
