import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { Plan } from "../../src/contract/plan.ts";
import { sweepThrottled } from "../../src/delivery/budget.ts";
import { V1 } from "../support/client.ts";
import { createEnv, deliver, MINUTE_MS, passTime, START, stored, sweep, useClock } from "../support/deliveries.ts";
import { createAccount } from "../support/factories.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const sink = useSink();
useClock();
const LIMITS = { RATE_LIMITS: "all=off,deliveries=3" };

/** A webhook and so many events for it, a second apart, oldest first. */
async function flood(count: number, plan: Plan = "free") {
  const account = await createAccount({ plan });
  const webhook = await createWebhook(account);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(...(await route(eventOf(account.user_id, { created_at: START + n }))));
    passTime(10);
  }
  sink.answer(webhook.url, ...Array.from({ length: 200 }, () => 200));
  return { account, webhook, ids };
}

const sent = () => sink.received.map(({ headers }) => headers.get("webhook-id"));
async function nextMinute(settings: Record<string, unknown> = LIMITS) {
  passTime(MINUTE_MS);
  const woken = createEnv(settings);
  await sweepThrottled(jobScope(woken.bindings, "sweep"));
  const ids = woken.sent.map(({ body }) => ("delivery_id" in body ? body.delivery_id : ""));
  await deliver(ids, woken.bindings);
  return ids;
}

describe("deliveries above the budget of their owner", () => {
  it("wait and go out in the minutes that follow, the newest first", async () => {
    const { ids } = await flood(8);
    const { bindings } = createEnv(LIMITS);
    await deliver(ids, bindings);
    expect(sent().toSorted()).toEqual(ids.slice(0, 3).toSorted());
    expect((await stored(ids[3] ?? "")).delivery).toMatchObject({
      state: "pending",
      attempt: 0,
      next_attempt_at: START + MINUTE_MS,
    });
    expect(await nextMinute()).toEqual([ids[7], ids[6], ids[5]]);
    expect(await nextMinute()).toEqual([ids[4], ids[3]]);
    expect(sent().length).toBe(8);
    expect(new Set(sent()).size).toBe(8);
    expect(await nextMinute()).toEqual([]);
    expect((await stored(ids[3] ?? "")).attempts).toMatchObject([{ attempt: 1 }]);
  });

  it("let what is newer still go before them", async () => {
    const { account, ids } = await flood(5);
    await deliver(ids, createEnv(LIMITS).bindings);
    const late = [...(await route(eventOf(account.user_id))), ...(await route(eventOf(account.user_id)))];
    await deliver(late, createEnv(LIMITS).bindings);
    expect((await nextMinute()).toSorted()).toEqual([...late, ids[4]].toSorted());
  });

  it("are shown by the webhook as long as they wait", async () => {
    const { account, webhook, ids } = await flood(4);
    const show = async () => (await account.client.get(`${V1}/webhooks/${webhook.id}`)).body.throttled_since;
    expect(await show()).toBeNull();
    const at = Date.now();
    await deliver(ids, createEnv(LIMITS).bindings);
    expect(await show()).toBe(new Date(at).toISOString());
    expect((await account.client.get(`${V1}/webhooks`)).body).toMatchObject([
      { id: webhook.id, throttled_since: new Date(at).toISOString() },
    ]);
    await nextMinute();
    expect(await show()).toBeNull();
  });

  it("are those to one host, too, which is sent so many a minute", async () => {
    const limits = { RATE_LIMITS: "all=off,deliveries=100,delivery_host=3" };
    const { ids } = await flood(5);
    await deliver(ids, createEnv(limits).bindings);
    expect(sent().toSorted()).toEqual(ids.slice(0, 3).toSorted());
    expect((await stored(ids[4] ?? "")).delivery).toMatchObject({ state: "pending", attempt: 0 });
    expect(await nextMinute(limits)).toEqual(expect.arrayContaining(ids.slice(3)));
    expect(sent()).toEqual(expect.arrayContaining(ids));
  });

  it("are not woken minute by minute while they wait", async () => {
    const { ids } = await flood(6);
    await deliver(ids, createEnv(LIMITS).bindings);
    passTime(5 * MINUTE_MS);
    const woken = createEnv(LIMITS);
    await sweep(woken);
    expect(woken.sent.map(({ body }) => body)).not.toContainEqual({ delivery_id: ids[5] });
  });

  it("take no budget from other owners", async () => {
    const [busy, quiet] = [await flood(6), await flood(2)];
    await deliver([...busy.ids, ...quiet.ids], createEnv(LIMITS).bindings);
    expect(sent()).toEqual(expect.arrayContaining(quiet.ids));
  });

  it.each<[Plan, number]>([
    ["free", 60],
    ["starter", 300],
    ["pro", 1_000],
    ["business", 5_000],
  ])("on plan %s are those after %i in a minute", async (plan, max) => {
    const { account, ids } = await flood(3, plan);
    const bindings = createEnv({ RATE_LIMITS: "" }).bindings;
    await deliver(ids.slice(0, 1), bindings);
    await env.DB.prepare("UPDATE delivery_budgets SET taken = ? WHERE owner_id = ?")
      .bind(max - 1, account.user_id)
      .run();
    await deliver(ids.slice(1, 2), bindings);
    await deliver(ids.slice(2), bindings);
    expect(sent()).toEqual(ids.slice(0, 2));
  });

  it.each([
    ["of the operator's own service", "self_hosted", ""],
    ["of a service without limits", "free", "all=off"],
  ] as const)("do not exist on an account %s", async (_name, plan, RATE_LIMITS) => {
    const { account, ids } = await flood(70, plan);
    await deliver(ids, createEnv({ RATE_LIMITS }).bindings);
    expect(sent().length).toBe(70);
    const counted = env.DB.prepare("SELECT count(*) AS n FROM delivery_budgets WHERE owner_id = ?");
    expect(await counted.bind(account.user_id).first<number>("n")).toBe(0);
  });
});

describe("what deliveries keep of requests and answers", () => {
  it("ends with the bytes of the day, and says so; they are sent all the same", async () => {
    const account = await createAccount({ plan: "free" });
    const webhook = await createWebhook(account, { provider: "slack" });
    const answer = () => new Response("y".repeat(4_000), { status: 200 });
    sink.answer(webhook.url, ...Array.from({ length: 10 }, answer));
    const { bindings } = createEnv({ RATE_LIMITS: "all=off,delivery_bytes=10000" });
    const kept: boolean[] = [];
    for (let n = 0; n < 5; n++) {
      const ids = await route(eventOf(account.user_id, { created_at: START + n }));
      await deliver(ids, bindings);
      const [attempt] = (await stored(ids[0] ?? "")).attempts;
      kept.push(!JSON.stringify(attempt).includes("not kept"));
      expect(attempt).toMatchObject({ response_status: 200, error: null });
      passTime(10);
    }
    expect(sink.received).toHaveLength(5);
    expect(kept).toEqual([true, true, true, false, false]);
    passTime(24 * 60 * MINUTE_MS);
    const [id = ""] = await route(eventOf(account.user_id, { created_at: START + 9 }));
    await deliver([id], bindings);
    expect((await stored(id)).attempts).toMatchObject([{ response_body: "y".repeat(4_000) }]);
  });
});
