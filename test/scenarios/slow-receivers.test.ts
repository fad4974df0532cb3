import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { describe, expect, inject, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { deliveries, webhooks } from "../../src/data/webhooks/table.ts";
import { fanOut } from "../../src/delivery/fan-out.ts";
import { createEnv, deliver, stored } from "../support/deliveries.ts";
import { createAccount } from "../support/factories.ts";
import { hang, type Received, useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const sink = useSink();
const db = openDb(env.DB);
/** 1,000 beside 100 in the soak. */
const HEALTHY = 100 * inject("effort");
const HANGING = 10 * inject("effort");
const BATCH = 6;
const TIMEOUT_MS = 500;

const isAmong = (ids: readonly string[]) =>
  sql`${deliveries.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
const urlOf = (webhook: { url: string }) => webhook.url;
const slowSinceOf = async ({ id }: { id: string }) =>
  (await db.select().from(webhooks).where(eq(webhooks.id, id)))[0]?.slow_since ?? null;

/** Hands the messages of a queue to its consumer, batch after batch. */
async function consume(ids: readonly string[], bindings: ReturnType<typeof createEnv>["bindings"], queue?: string) {
  for (let from = 0; from < ids.length; from += BATCH) {
    await deliver(ids.slice(from, from + BATCH), bindings, [], queue);
  }
}

describe(`${HANGING} receivers that hang beside ${HEALTHY} healthy ones`, () => {
  it("delay none of them from their second event on", async () => {
    const account = await createAccount();
    const answered: string[] = [];
    const healthy: { url: string }[] = [];
    const hanging: { id: string; url: string }[] = [];
    for (let n = 0; n < HEALTHY + HANGING; n++) {
      const webhook = await createWebhook(account);
      if (n % Math.round((HEALTHY + HANGING) / HANGING) === 0 && hanging.length < HANGING) hanging.push(webhook);
      else healthy.push(webhook);
    }
    const record = ({ url }: Received) => {
      answered.push(url);
      return new Response("ok");
    };
    for (const url of healthy.map(urlOf)) sink.answer(url, record, record);
    for (const url of hanging.map(urlOf)) sink.answer(url, hang, hang);
    const outside = createEnv({ DELIVERY_TIMEOUT_MS: TIMEOUT_MS });
    await consume(await route(eventOf(account.user_id)), outside.bindings);
    expect(answered).toHaveLength(healthy.length);
    expect(await slowSinceOf(hanging[0] ?? { id: "" })).not.toBeNull();

    answered.length = 0;
    sink.received.length = 0;
    // Their next attempts.
    expect(outside.slowDeliveries.splice(0)).toHaveLength(HANGING);
    const ids = await route(eventOf(account.user_id));
    await consume(ids, outside.bindings);
    // The queue of the healthy ones contains no request to a receiver that hangs, so none of them can wait for one.
    expect(sink.received.map(urlOf).sort()).toEqual(healthy.map(urlOf).sort());
    expect(answered).toHaveLength(healthy.length);
    const states = Map.groupBy(await db.select().from(deliveries).where(isAmong(ids)), ({ state }) => state);
    expect(states.get("delivered")?.every(({ attempt }) => attempt === 1)).toBe(true);
    expect([states.get("delivered")?.length, states.get("pending")?.length]).toEqual([healthy.length, HANGING]);
    expect(outside.slowDeliveries).toHaveLength(HANGING);
  }, 600_000);
});

describe("a receiver that hung", () => {
  it("is attempted by the slow queue and returns once it answers in time", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    sink.answer(webhook.url, hang, (_request: Received) => new Response("ok"), 200);
    const outside = createEnv();
    const [first = ""] = await route(eventOf(account.user_id));
    await deliver([first], outside.bindings);
    expect(await slowSinceOf(webhook)).not.toBeNull();
    expect(outside.slowDeliveries.splice(0)).toMatchObject([{ body: { delivery_id: first } }]);

    const [second = ""] = await route(eventOf(account.user_id));
    await deliver([second], outside.bindings);
    expect((await stored(second)).delivery).toMatchObject({ state: "pending", attempt: 0 });
    expect(outside.slowDeliveries).toEqual([{ body: { delivery_id: second } }]);
    await deliver([second], outside.bindings, [], "deliveries-slow");
    expect((await stored(second)).delivery).toMatchObject({ state: "delivered", attempt: 1 });
    expect(await slowSinceOf(webhook)).toBeNull();

    const [third = ""] = await route(eventOf(account.user_id));
    await deliver([third], outside.bindings);
    expect((await stored(third)).delivery).toMatchObject({ state: "delivered" });
  });

  it("gets its next events by the slow queue alone", async () => {
    const account = await createAccount();
    const [slow, prompt] = [await createWebhook(account), await createWebhook(account)];
    sink.answer(slow.url, hang);
    sink.answer(prompt.url, 200);
    await deliver(await route(eventOf(account.user_id)));
    const outside = createEnv();
    const publication = await fanOut(jobScope(outside.bindings, "test"), [eventOf(account.user_id)], Date.now());
    await publication.wake();
    expect([outside.sent.length, outside.slowDeliveries.length]).toEqual([1, 1]);
  });

  it("returns at once when its address changes", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    sink.answer(webhook.url, hang);
    await deliver(await route(eventOf(account.user_id)));
    expect(await slowSinceOf(webhook)).not.toBeNull();
    const url = `${webhook.url}/new`;
    await account.client.put(`/api/uptime/v1/webhooks/${webhook.id}`, { url });
    expect(await slowSinceOf(webhook)).toBeNull();
  });
});
