import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { chatMessages, deliveryAttempts } from "../../src/data/webhooks/table.ts";
import { notifierOf } from "../../src/notifiers/registry.ts";
import { newId } from "../../src/platform/ids.ts";
import { linkChat } from "../support/chats.ts";
import { V1 } from "../support/client.ts";
import { createEnv, deliver, passTime, stored, useClock } from "../support/deliveries.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import {
  fakeDiscord,
  fakeDiscordBot,
  fakeGoogleChat,
  fakeMattermost,
  fakeNtfy,
  fakePagerDuty,
  fakeSlack,
  fakeTeams,
  fakeTelegram,
} from "../support/providers.ts";
import { FAKE_SERVICES } from "../support/service-fakes.ts";
import { type Received, useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const sink = useSink();
useClock();

/** The sink of one test, which the fake of a service answers. */
function serve(fake: (request: Received) => Response, path = ""): string {
  const base = `https://sink.test/${newId()}`;
  sink.serve(base, fake);
  return `${base}${path}`;
}

const inRoot = (fake: (request: Received) => Response) => (request: Received) =>
  fake({ ...request, url: request.url.replace(/(sink\.test)\/[0-9a-f-]{36}/, "$1") });

const bodies = () => sink.received.map(({ body }) => JSON.parse(body));

async function send(account: Account, event: Parameters<typeof eventOf>[1]) {
  const ids = await route(eventOf(account.user_id, event));
  await deliver(ids, createEnv({ DELIVERY_TIMEOUT_MS: 5000 }).bindings);
  return ids[0] ?? "";
}

describe("a delivery by a provider", () => {
  it.each<[string, () => Record<string, unknown>]>([
    ["slack", () => ({ url: serve(fakeSlack) })],
    ["discord", () => ({ url: serve(fakeDiscord) })],
    ["service", () => ({ url: serve(fakeDiscord) })],
    ["telegram", () => ({ url: serve(inRoot(fakeTelegram), "/bot1:x/sendMessage"), secret: "-100" })],
    ["teams", () => ({ url: serve(fakeTeams) })],
    ["pagerduty", () => ({ url: serve(fakePagerDuty), secret: "routing-key-1" })],
    ["mattermost", () => ({ url: serve(fakeMattermost) })],
    ["google_chat", () => ({ url: serve(fakeGoogleChat) })],
    ["ntfy", () => ({ url: serve(inRoot(fakeNtfy), "/ops"), secret: "tk_secret" })],
  ])("of %s is accepted by the service and recorded without its credentials", async (provider, fields) => {
    const account = await createAccount();
    const body = fields();
    const webhook = await createWebhook(account, { provider, ...body });
    const id = await send(account, {});
    const { delivery, attempts } = await stored(id);
    expect([delivery?.state, attempts[0]?.error]).toEqual(["delivered", null]);
    const listed = await account.client.get(`${V1}/webhooks/${webhook.id}/deliveries`);
    expect(listed.body[0].request.url).toBe("https://sink.test/***");
    if (provider !== "telegram" && body.secret) expect(JSON.stringify(listed.body)).not.toContain(body.secret);
    const test = await account.client.post(`${V1}/webhooks/${webhook.id}/test`);
    expect(test.body).toMatchObject({ delivered: true, error: null });
    const { headers, body: sent } = sink.received.at(-1) ?? { headers: new Headers(), body: "" };
    expect(`${headers.get("title") ?? ""} ${sent}`).toContain("Test message for Ops");
  });

  it("of telegram_bot goes by the operator's bot", async () => {
    const account = await createAccount();
    sink.serve("https://sink.test/telegram", (request) =>
      fakeTelegram({ ...request, url: request.url.replace("/telegram", "") }),
    );
    await linkChat(account, "telegram", "-7");
    await createWebhook(account, { provider: "telegram_bot", url: "telegram:chat:-7" });
    expect((await stored(await send(account, {}))).delivery?.state).toBe("delivered");
    expect(sink.received[0]?.url).toBe("https://sink.test/telegram/bot42:bot/sendMessage");
  });

  it("of discord goes by the operator's bot where the address names a channel", async () => {
    const account = await createAccount();
    sink.serve("https://sink.test/discord", fakeDiscordBot);
    await linkChat(account, "discord", "7");
    await createWebhook(account, { provider: "discord", url: "discord:channel:7" });
    expect((await stored(await send(account, {}))).delivery?.state).toBe("delivered");
    expect(sink.received[0]?.url).toBe("https://sink.test/discord/channels/7/messages");
  });

  it("of email lands in the outbox once, however often it is attempted", async () => {
    const account = await createAccount();
    const address = `${newId()}@example.com`;
    const webhook = await createWebhook(account, { provider: "email", url: `mailto:${address}` });
    const id = await send(account, {});
    expect((await stored(id)).delivery?.state).toBe("delivered");
    await account.client.post(`${V1}/webhooks/${webhook.id}/deliveries/${id}/redeliver`);
    await deliver([id]);
    expect(await mailsTo(address)).toMatchObject([
      {
        subject: "Alert: Shop is down",
        text: expect.stringContaining("HTTP 500"),
        html: expect.stringContaining("Shop is down"),
        headers: { References: expect.stringMatching(/^<[\w.]+@alerts\.vigil>$/) },
      },
    ]);
  });

  it("is skipped where the event means nothing to the service", async () => {
    const account = await createAccount();
    await createWebhook(account, { provider: "pagerduty", url: serve(fakePagerDuty), secret: "k" });
    const { delivery, attempts } = await stored(await send(account, { name: "maintenance.started" }));
    expect([delivery?.state, attempts, sink.received]).toEqual(["skipped", [], []]);
  });

  it("stops after the fifth attempt in a chat", async () => {
    const account = await createAccount();
    await createWebhook(account, { provider: "slack", url: serve(() => new Response(null, { status: 503 })) });
    const [id = ""] = await route(eventOf(account.user_id));
    for (let attempt = 0; attempt < 7; attempt++) {
      await deliver([id]);
      passTime(86_400_000);
    }
    expect(sink.received).toHaveLength(5);
    expect((await stored(id)).delivery).toMatchObject({ state: "expired", attempt: 5 });
  });
});

describe("a delivery by a provider with fields of its own", () => {
  // The address of SNS follows from its topic.
  const others = FAKE_SERVICES.filter(({ provider }) => provider !== "aws_sns");

  it.each(
    others.map((service) => [service.provider, service] as const),
  )("of %s is accepted, and neither its record nor an answer has its secrets", async (provider, {
    url,
    config,
    fake,
  }) => {
    const account = await createAccount();
    const { pathname, search } = new URL(url);
    const address = `${serve(inRoot(fake), pathname)}${search}`;
    const webhook = await createWebhook(account, { provider, url: address, config });
    const { delivery, attempts } = await stored(await send(account, {}));
    expect([delivery?.state, attempts[0]?.error]).toEqual(["delivered", null]);
    const test = await account.client.post(`${V1}/webhooks/${webhook.id}/test`);
    expect(test.body).toMatchObject({ delivered: true });
    const listed = await account.client.get(`${V1}/webhooks/${webhook.id}/deliveries`);
    const secrets = notifierOf(provider).fields.flatMap(({ name, is_secret }) => (is_secret ? [config[name]] : []));
    for (const secret of secrets.filter((text) => typeof text === "string")) {
      expect(JSON.stringify([webhook, listed.body, test.body])).not.toContain(secret);
    }
  });

  it("is tried again where the answer says later in its body", async () => {
    const account = await createAccount();
    let isBusy = true;
    const url = serve(() => {
      const answer = Response.json({ errcode: isBusy ? 45009 : 0 });
      isBusy = false;
      return answer;
    });
    await createWebhook(account, { provider: "wecom", url });
    const id = await send(account, {});
    const { delivery, attempts } = await stored(id);
    expect([delivery?.state, attempts[0]?.error]).toEqual(["pending", "the service answered code 45009"]);
    passTime(61_000);
    await deliver([id]);
    expect((await stored(id)).delivery?.state).toBe("delivered");
  });

  it("of GitHub has one issue for an outage, which its end closes", async () => {
    const account = await createAccount();
    const { fake, config } = FAKE_SERVICES.find(({ provider }) => provider === "github_issues") ?? {};
    if (!fake) throw new Error("no fake");
    await createWebhook(account, { provider: "github_issues", url: serve(inRoot(fake)), config });
    await send(account, {});
    await send(account, { name: "monitor.up" });
    expect(sink.received.map(({ method }) => method)).toEqual(["POST", "PATCH"]);
    expect(bodies()[1]).toMatchObject({ state: "closed" });
  });
});

describe("a thread of a Slack app", () => {
  const slack = () => {
    const { fake, config } = FAKE_SERVICES.find(({ provider }) => provider === "slack_app") ?? {};
    if (!fake) throw new Error("no fake");
    return { fake: inRoot(fake), config };
  };
  const methods = () => sink.received.map(({ url }) => url.split("/").at(-1));

  it("is one message for an outage, which stands for it to the end, and a reply for each step", async () => {
    const account = await createAccount();
    const { fake, config } = slack();
    await createWebhook(account, { provider: "slack_app", url: serve(fake, "/api"), config });
    await send(account, {});
    await send(account, { name: "monitor.reminder" });
    const last = await send(account, { name: "monitor.up" });
    expect((await stored(last)).delivery?.state).toBe("delivered");
    const step = ["chat.update", "chat.postMessage"];
    expect(methods()).toEqual(["chat.postMessage", ...step, ...step]);
    const sent = bodies();
    expect(sent.map(({ ts, thread_ts }) => ts ?? thread_ts)).toEqual([
      undefined,
      ...Array(4).fill("1503435956.000247"),
    ]);
  });

  it("begins anew where its message was deleted", async () => {
    const account = await createAccount();
    const { fake, config } = slack();
    let isDeleted = false;
    const answer = (request: Received) =>
      isDeleted && request.url.endsWith("chat.update")
        ? Response.json({ ok: false, error: "message_not_found" })
        : fake(request);
    await createWebhook(account, { provider: "slack_app", url: serve(answer, "/api"), config });
    await send(account, {});
    isDeleted = true;
    const id = await send(account, { name: "monitor.up" });
    expect((await stored(id)).delivery?.state).toBe("delivered");
    expect(methods()).toEqual(["chat.postMessage", "chat.update", "chat.postMessage"]);
    expect(bodies()[2]).not.toHaveProperty("thread_ts");
  });

  it("waits as long as Slack asks, and says why Slack refuses", async () => {
    const account = await createAccount();
    const answers = [
      new Response(null, { status: 429, headers: { "retry-after": "120" } }),
      Response.json({ ok: false, error: "not_in_channel" }),
    ];
    const { config } = slack();
    const url = serve(() => answers.shift() ?? new Response(null, { status: 500 }));
    await createWebhook(account, { provider: "slack_app", url, config });
    const id = await send(account, {});
    passTime(60_000);
    await deliver([id]);
    expect(sink.received).toHaveLength(1);
    passTime(61_000);
    await deliver([id]);
    const { delivery, attempts } = await stored(id);
    expect([delivery?.state, attempts[1]?.error]).toEqual([
      "failed",
      "Slack answered not_in_channel: the app was not invited to the channel",
    ]);
  });
});

describe("messages about one incident", () => {
  const update = (incident_id: string, fields: Record<string, unknown>) => ({
    name: "incident.updated",
    data: { incident_id, status: "identified", ...fields },
  });

  it.each([
    ["discord", fakeDiscord, "", "PATCH", "/messages/1199?"],
    ["telegram", inRoot(fakeTelegram), "/bot1:x/sendMessage", "POST", "/editMessageText"],
  ] as const)("edit the one of %s while its status is the same", async (provider, fake, path, method, address) => {
    const account = await createAccount();
    await createWebhook(account, {
      provider,
      url: serve(fake, path),
      ...(provider === "telegram" && { secret: "-1" }),
    });
    const incident_id = newId();
    await send(account, update(incident_id, { message: "First." }));
    await send(account, update(incident_id, { message: "Second." }));
    await send(account, { ...update(incident_id, { status: "resolved" }), name: "incident.resolved" });
    expect(sink.received.map((request) => request.method)).toEqual(["POST", method, "POST"]);
    expect(`${sink.received[1]?.url}?`).toContain(address);
    expect(JSON.stringify(bodies()[1])).toContain("Second.");
    expect(sink.received[2]?.url).toBe(sink.received[0]?.url);
  });

  it("send a new one where the first was deleted in the chat", async () => {
    const account = await createAccount();
    const gone = (request: Received) =>
      request.method === "PATCH" ? new Response(null, { status: 404 }) : fakeDiscord(request);
    const webhook = await createWebhook(account, { provider: "discord", url: serve(gone) });
    const incident_id = newId();
    await send(account, update(incident_id, { message: "First." }));
    const id = await send(account, update(incident_id, { message: "Second." }));
    expect(sink.received.map((request) => request.method)).toEqual(["POST", "PATCH", "POST"]);
    expect((await stored(id)).delivery?.state).toBe("delivered");
    const db = openDb(env.DB);
    const kept = await db.select().from(chatMessages).where(eq(chatMessages.webhook_id, webhook.id));
    expect(kept).toMatchObject([{ thread_id: incident_id, state: "incident identified", message_id: "1199" }]);
  });
});

describe("an attempt of a generic webhook", () => {
  it("stores no copy of the event, and shows the body that was sent", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    sink.answer(webhook.url, 500, 200);
    const [id = ""] = await route(eventOf(account.user_id));
    await deliver([id]);
    passTime(60_000);
    await deliver([id]);
    const rows = await openDb(env.DB).select().from(deliveryAttempts).where(eq(deliveryAttempts.delivery_id, id));
    expect(rows.map(({ request }) => Object.keys(request))).toEqual(Array(2).fill(["url", "signature"]));
    const { body } = await account.client.get(`${V1}/webhooks/${webhook.id}/deliveries`);
    const shown = body.map(({ request }: { request: { body: string; headers: object } }) => [
      request.headers,
      request.body,
    ]);
    expect(shown.toReversed()).toEqual(
      sink.received.map(({ headers, body: sent }) => {
        // The hop header is the egress guard's.
        const { "x-monitor-hop": _, ...own } = Object.fromEntries(headers);
        return [own, sent];
      }),
    );
  });
});
