import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { webhooks } from "../../src/data/webhooks/table.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { CORE, V1 } from "../support/client.ts";
import { arrange, createEnv, DAY_MS, deliver, passTime, START, stored, useClock } from "../support/deliveries.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { insertPage } from "../support/monitors.ts";
import { hang, refuseConnection, useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const sink = useSink();
useClock();
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const show = async (account: Account, webhook: { id: string }) =>
  (await account.client.get(`${V1}/webhooks/${webhook.id}`)).body;

describe("a delivery", () => {
  it("posts the signed envelope once and records what was sent and answered", async () => {
    const { account, webhook, event, id } = await arrange({ secret: SECRET });
    sink.answer(webhook.url, new Response("thanks", { status: 202 }));
    const result = await deliver([id]);
    expect(result).toMatchObject({ explicitAcks: ["m0"], retryMessages: [] });

    const [request, ...others] = sink.received;
    expect(others).toEqual([]);
    expect(request?.method).toBe("POST");
    expect(request?.headers.get("webhook-id")).toBe(id);
    const signed = Object.fromEntries(request?.headers ?? []);
    expect(new Webhook(SECRET).verify(request?.body ?? "", signed)).toEqual({
      id: event.id,
      user_id: account.user_id,
      event: "monitor.down",
      data: event.data,
      created_at: new Date(event.created_at).toISOString(),
      status_page_id: null,
      sequence: event.created_at,
    });

    const { delivery, attempts } = await stored(id);
    expect(delivery).toMatchObject({ state: "delivered", attempt: 1, next_attempt_at: null });
    expect(attempts).toMatchObject([
      {
        attempt: 1,
        request: { url: "https://sink.test/***", signature: signed["webhook-signature"] },
        response_status: 202,
        response_body: "thanks",
        error: null,
      },
    ]);
  });

  it("is sent once however many messages name it", async () => {
    const { webhook, id } = await arrange();
    sink.answer(webhook.url, 200, 200, 200);
    await deliver([id, id, id]);
    await deliver([id]);
    passTime(DAY_MS);
    await deliver([id]);
    expect(sink.received).toHaveLength(1);
    expect((await stored(id)).attempts).toHaveLength(1);
  });

  it("follows the schedule under one webhook-id and then expires", async () => {
    const { webhook, id } = await arrange();
    const outside = createEnv();
    const schedule = settingsOf(outside.bindings).DELIVERY_RETRY_MS;
    sink.answer(webhook.url, ...Array<number>(schedule.length + 1).fill(503));
    for (const delay of schedule) {
      await deliver([id], outside.bindings);
      const next = (await stored(id)).delivery?.next_attempt_at ?? 0;
      const wait = next - Date.now();
      expect(wait / delay).toBeGreaterThanOrEqual(0.8);
      expect(wait / delay).toBeLessThanOrEqual(1.2);
      vi.setSystemTime(next - 1);
      await deliver([id], outside.bindings);
      vi.setSystemTime(next);
    }
    await deliver([id], outside.bindings);
    expect(sink.received).toHaveLength(schedule.length + 1);
    expect(new Set(sink.received.map((request) => request.headers.get("webhook-id")))).toEqual(new Set([id]));
    const { delivery, attempts } = await stored(id);
    expect(delivery).toMatchObject({ state: "expired", attempt: schedule.length + 1, next_attempt_at: null });
    expect(attempts).toHaveLength(schedule.length + 1);
    expect(outside.sent.every((message) => (message.delaySeconds ?? 0) <= 600)).toBe(true);
    expect(outside.sent.length).toBeGreaterThanOrEqual(3);
  });

  it("waits as long as a 429 asks", async () => {
    const { webhook, id } = await arrange();
    sink.answer(webhook.url, new Response(null, { status: 429, headers: { "retry-after": "120" } }));
    const outside = createEnv();
    await deliver([id], outside.bindings);
    expect((await stored(id)).delivery).toMatchObject({ state: "pending", next_attempt_at: START + 120_000 });
    expect(outside.sent).toEqual([{ body: { delivery_id: id }, delaySeconds: 120 }]);
  });

  it("does not follow a redirect and does not try again", async () => {
    const { webhook, id } = await arrange();
    sink.answer(webhook.url, Response.redirect("http://169.254.169.254/latest", 302));
    await deliver([id]);
    expect(sink.received).toHaveLength(1);
    expect((await stored(id)).delivery).toMatchObject({ state: "failed", next_attempt_at: null });
  });

  it("reads no more than 64 KiB of an answer and keeps 4 KiB", async () => {
    const { webhook, id } = await arrange();
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1024;
        if (pulled > 1024 * 1024) controller.close();
        else controller.enqueue(new Uint8Array(1024).fill(120));
      },
    });
    sink.answer(webhook.url, new Response(body));
    await deliver([id]);
    expect(pulled).toBeLessThan(80 * 1024);
    const { delivery, attempts } = await stored(id);
    expect(delivery?.state).toBe("delivered");
    expect(attempts[0]?.response_body).toBe("x".repeat(4096));
  });

  it.each([
    ["the endpoint hangs", hang, "no answer within 100 ms"],
    ["the connection is refused", refuseConnection, "the connection could not be made or was lost"],
    [
      "the answer breaks off",
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.error(new Error("reset by 203.0.113.7")),
          }),
        ),
      "the connection could not be made or was lost",
    ],
  ])("is tried again in plain words when %s", async (_name, answer, error) => {
    const { webhook, id } = await arrange();
    sink.answer(webhook.url, answer);
    await deliver([id]);
    const { delivery, attempts } = await stored(id);
    expect(delivery?.state).toBe("pending");
    expect(attempts).toMatchObject([{ error, response_status: null, response_body: null }]);
  });

  it("is refused for good when its address leads to a private network", async () => {
    const { id } = await arrange();
    const outside = createEnv({ EGRESS_ALLOW: "", DOH_RESOLVERS: "https://resolver.test/dns" });
    const resolved = { Status: 0, Answer: [{ type: 1, TTL: 60, data: "10.0.0.1" }] };
    for (const type of ["A", "AAAA"]) {
      sink.answer(`https://resolver.test/dns?name=sink.test&type=${type}`, Response.json(resolved));
    }
    await deliver([id], outside.bindings);
    expect(sink.received.map((request) => new URL(request.url).hostname)).not.toContain("sink.test");
    const { delivery, attempts } = await stored(id);
    expect(delivery).toMatchObject({ state: "failed", next_attempt_at: null });
    expect(attempts[0]?.error).toMatch(/^the address may not be reached: .*private/);
  });

  it("is skipped when its webhook was switched off meanwhile", async () => {
    const { account, webhook, id } = await arrange();
    await account.client.patch(`${V1}/webhooks/${webhook.id}/toggle`);
    await deliver([id]);
    expect(sink.received).toEqual([]);
    expect((await stored(id)).delivery).toMatchObject({ state: "skipped", next_attempt_at: null });
  });

  it("ends when its webhook is deleted", async () => {
    const { account, webhook, id } = await arrange();
    await account.client.delete(`${V1}/webhooks/${webhook.id}`);
    expect(await deliver([id])).toMatchObject({ explicitAcks: ["m0"] });
    expect(sink.received).toEqual([]);
    expect((await stored(id)).delivery).toBeUndefined();
  });

  it("fails readably when its configuration cannot be decrypted", async () => {
    const { id } = await arrange();
    await deliver([id], createEnv({ ROOT_SECRET: "another-root-secret-another-root-secret" }).bindings);
    const { delivery, attempts } = await stored(id);
    expect(delivery?.state).toBe("failed");
    expect(attempts[0]?.error).toBe("the stored address could not be used");
  });
});

describe("a delivery that the receiver accepted", () => {
  it("is recorded with any bytes of the answer", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, new Response(Uint8Array.from([0, 255, 0xed, 0xa0, 0x80, 34, 92, 97])));
    await deliver([id]);
    expect((await stored(id)).delivery?.state).toBe("delivered");
    const listed = await account.client.get(`${V1}/webhooks/${webhook.id}/deliveries`);
    expect(listed.body).toMatchObject([{ response_status: 200 }]);
  });
});

describe("a webhook", () => {
  it("stays on when a channel is gone that alert_channels names", async () => {
    const { account, webhook, id } = await arrange({
      provider: "slack",
      alert_channels: { "monitor.down": "#archived" },
    });
    sink.answer(webhook.url, 410);
    await deliver([id]);
    expect((await stored(id)).delivery?.state).toBe("failed");
    expect(await show(account, webhook)).toMatchObject({ is_active: true, disabled_reason: null });
  });

  it("is switched off by 410 Gone", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 410);
    await deliver([id]);
    expect((await stored(id)).delivery?.state).toBe("failed");
    expect(await show(account, webhook)).toMatchObject({
      is_active: false,
      disabled_reason: "the endpoint answered 410 Gone",
    });
    expect(await route(eventOf(account.user_id))).toEqual([]);
  });

  it("is switched off after five days of nothing but failures, and a toggle starts afresh", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 404, 404, 404, 404);
    await deliver([id]);
    expect(await show(account, webhook)).toMatchObject({
      is_active: true,
      failing_since: new Date(START).toISOString(),
    });
    const failAgain = async () => deliver(await route(eventOf(account.user_id)));
    passTime(5 * DAY_MS - 1);
    await failAgain();
    expect(await show(account, webhook)).toMatchObject({ is_active: true, disabled_reason: null });
    passTime(1);
    await failAgain();
    expect(await show(account, webhook)).toMatchObject({
      is_active: false,
      disabled_reason: "every delivery failed for too long",
    });
    const told = (await account.client.get(`${CORE}/notifications`)).body;
    expect(told).toMatchObject([
      { type: "webhook.disabled", target_id: webhook.id, is_read: false },
      { type: "delivery.given_up", target_id: webhook.id },
    ]);
    await account.client.patch(`${V1}/webhooks/${webhook.id}/toggle`);
    expect(await show(account, webhook)).toMatchObject({ is_active: true, disabled_reason: null, failing_since: null });
    await failAgain();
    expect(await show(account, webhook)).toMatchObject({ is_active: true });
  });

  it("stays on when a success comes between the failures", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 404, 200, 404);
    await deliver([id]);
    passTime(4 * DAY_MS);
    await deliver(await route(eventOf(account.user_id)));
    expect(await show(account, webhook)).toMatchObject({ failing_since: null });
    passTime(4 * DAY_MS);
    await deliver(await route(eventOf(account.user_id)));
    expect(await show(account, webhook)).toMatchObject({ is_active: true });
  });
});

describe("routing", () => {
  it("gives each webhook that listens one delivery, also when an event is routed twice", async () => {
    const account = await createAccount();
    const page = await insertPage(account.user_id);
    const other = await insertPage(account.user_id);
    const heard = [
      await createWebhook(account),
      await createWebhook(account, { status_page_id: page, events: ["monitor.down"] }),
    ];
    await createWebhook(account, { status_page_id: other });
    await createWebhook(account, { events: ["monitor.up"] });
    await createWebhook(await createAccount());
    const event = eventOf(account.user_id, { status_page_id: page });
    const ids = await route(event);
    expect(await route(event)).toEqual(ids);
    const rows = await Promise.all(ids.map(async (id) => (await stored(id)).delivery));
    expect(rows.map((row) => row?.webhook_id).sort()).toEqual(heard.map((webhook) => webhook.id).sort());
  });

  it("keeps the events of several owners apart in one go", async () => {
    const [one, two] = [await arrange(), await arrange()];
    const ids = await route(eventOf(one.account.user_id), eventOf(two.account.user_id));
    const rows = await Promise.all(ids.map(async (id) => (await stored(id)).delivery));
    expect(rows.map((row) => row?.webhook_id)).toEqual([one.webhook.id, two.webhook.id]);
  });
});

describe("webhook rows", () => {
  it("hold neither address nor secret in the clear", async () => {
    const { webhook, id } = await arrange({ secret: "canary-secret-5f1" });
    sink.answer(webhook.url, 200);
    await deliver([id]);
    const db = openDb(env.DB);
    const [row] = await db.select().from(webhooks).where(eq(webhooks.id, webhook.id));
    const path = new URL(webhook.url).pathname.slice(1);
    const dump = JSON.stringify([row, await stored(id)]);
    expect(dump).not.toContain(path);
    expect(dump).not.toContain("canary-secret-5f1");
  });
});
