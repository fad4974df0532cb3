import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { listAttempts } from "../../src/data/deliveries/read.ts";
import { events } from "../../src/data/events/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { V1 } from "../support/client.ts";
import { countCalls } from "../support/count-calls.ts";
import { deliver } from "../support/deliveries.ts";
import { createAccount } from "../support/factories.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const sink = useSink();
const db = openDb(env.DB);
const at = (webhook: { id: string }, rest = "") => `${V1}/webhooks/${webhook.id}${rest}`;

beforeEach(() => {
  const taken = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  vi.spyOn(env.DELIVERIES, "sendBatch").mockResolvedValue(taken);
});

describe("POST /webhooks/{id}/test", () => {
  it.each([
    ["a success", 204, { delivered: true, status: 204, error: null }, "delivered"],
    ["a refusal", 403, { delivered: false, status: 403, error: "the endpoint answered 403" }, "failed"],
    ["a breakdown", 500, { delivered: false, status: 500, error: "the endpoint answered 500" }, "expired"],
  ])("makes one attempt and reports %s", async (_name, status, result, state) => {
    const account = await createAccount();
    const webhook = await createWebhook(account, { events: ["monitor.up"] });
    await account.client.patch(at(webhook, "/toggle"));
    sink.answer(webhook.url, status);
    const answer = await account.client.post(at(webhook, "/test"));
    expect(answer).toMatchObject({ status: 200, body: { ...result, duration_ms: expect.any(Number) } });
    const listed = await account.client.get(at(webhook, "/deliveries"));
    expect(listed.body).toEqual([
      {
        id: expect.any(String),
        delivery_id: sink.received[0]?.headers.get("webhook-id"),
        event: "test_event",
        about: { kind: "webhook", id: webhook.id, name: webhook.name },
        state,
        attempt: 1,
        request: expect.objectContaining({ method: "POST", url: "https://sink.test/***" }),
        response_status: status,
        response_body: "",
        duration_ms: answer.body.duration_ms,
        error: result.error,
        next_attempt_at: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect(JSON.parse(sink.received[0]?.body ?? "")).toMatchObject({ event: "test_event", user_id: account.user_id });
  });

  it("sends once under one Idempotency-Key and repeats the answer", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    sink.answer(webhook.url, 200);
    const headers = { "idempotency-key": "t" };
    const first = await account.client.request("POST", at(webhook, "/test"), undefined, headers);
    const second = await account.client.request("POST", at(webhook, "/test"), undefined, headers);
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(sink.received).toHaveLength(1);
  });
});

describe("deliveries", () => {
  it("are listed attempt by attempt, those of the newest first, counted up to 10,000", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    for (const status of [200, 400, 200]) {
      sink.answer(webhook.url, status);
      await deliver(await route(eventOf(account.user_id)));
    }
    const first = await account.client.get(at(webhook, "/deliveries?limit=2"));
    expect(first.headers.get("x-total-count")).toBe("3");
    const rest = await account.client.get(at(webhook, "/deliveries?limit=2&offset=2"));
    expect([...first.body, ...rest.body].map((attempt) => attempt.response_status)).toEqual([200, 400, 200]);

    const [sample] = await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhook.id));
    await env.DB.prepare(
      `INSERT INTO delivery_attempts (delivery_id, attempt, request, duration_ms, created_at)
        SELECT ?, 2 + value, '{}', 0, 0 FROM json_each(?)`,
    )
      .bind(sample?.id, JSON.stringify(Array.from({ length: 10_050 }, (_, n) => n)))
      .run();
    const many = await account.client.get(at(webhook, "/deliveries?limit=1"));
    expect(many.headers.get("x-total-count")).toBe("10000");
  });

  it("name what each is about, by one query for all of a part", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    sink.answer(webhook.url, 200);
    for (const name of ["monitor.down", "incident.created", "maintenance.started"]) {
      await deliver(await route(eventOf(account.user_id, { name })));
    }
    const listed = await account.client.get(at(webhook, "/deliveries"));
    expect(listed.body.map(({ about }: { about: unknown }) => about)).toMatchObject([
      { kind: "maintenance", name: "New disks" },
      { kind: "incident", name: "Checkout fails" },
      { kind: "monitor", name: "Shop" },
    ]);
    const { database, calls } = countCalls(env.DB);
    expect((await listAttempts(openDb(database), webhook.id, { limit: 50, offset: 0 })).rows).toHaveLength(3);
    expect(calls()).toBe(2);
    await db.delete(events).where(eq(events.owner_id, account.user_id));
    const forgotten = await account.client.get(at(webhook, "/deliveries"));
    expect(forgotten.body.map(({ about }: { about: unknown }) => about)).toEqual([null, null, null]);
  });

  it.each(["delivery_id", "id"])("go out again under the same webhook-id, named by %s", async (member) => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    sink.answer(webhook.url, 400, 200);
    const [id = ""] = await route(eventOf(account.user_id));
    await deliver([id]);
    const [attempt] = (await account.client.get(at(webhook, "/deliveries"))).body;
    const answer = await account.client.post(at(webhook, `/deliveries/${attempt[member]}/redeliver`));
    expect(answer).toMatchObject({ status: 201, body: { id, webhook_id: webhook.id, state: "pending", attempt: 1 } });
    expect(env.DELIVERIES.sendBatch).toHaveBeenCalledWith([{ body: { delivery_id: id } }]);
    await deliver([id]);
    expect(sink.received.map((request) => request.headers.get("webhook-id"))).toEqual([id, id]);
    const [row] = await db.select().from(deliveries).where(eq(deliveries.id, id));
    expect(row).toMatchObject({ state: "delivered", attempt: 2 });
  });

  it("are not sent again while they are being sent, by a webhook that is off, or from another webhook", async () => {
    const account = await createAccount();
    const [webhook, other] = [await createWebhook(account), await createWebhook(account)];
    const ids = await route(eventOf(account.user_id));
    const mine = eq(deliveries.webhook_id, webhook.id);
    const [row] = await db.select().from(deliveries).where(mine);
    const path = `/deliveries/${row?.id}/redeliver`;
    expect(ids).toContain(row?.id);
    expect((await account.client.post(at(other, path))).status).toBe(404);
    await db
      .update(deliveries)
      .set({ lease_until: Date.now() + 60_000 })
      .where(mine);
    expect((await account.client.post(at(webhook, path))).status).toBe(409);
    await db.update(deliveries).set({ lease_until: 0 }).where(mine);
    await account.client.patch(at(webhook, "/toggle"));
    expect((await account.client.post(at(webhook, path))).status).toBe(409);
    expect(env.DELIVERIES.sendBatch).not.toHaveBeenCalled();
  });
});
