import { env } from "cloudflare:workers";
import { eq, like, notInArray } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { deliveries, deliveryAttempts, webhooks } from "../../src/data/webhooks/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, sinkUrl } from "../support/webhooks.ts";

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const sink = useSink();
const db = openDb(env.DB);
const at = (webhook: { id: string }, rest = "") => `${V1}/webhooks/${webhook.id}${rest}`;

const auditOf = (webhookId: string) =>
  db.select().from(auditLog).where(eq(auditLog.target_id, webhookId)).orderBy(auditLog.created_at, auditLog.id);

async function listIds({ client }: Account): Promise<string[]> {
  return (await client.get(`${V1}/webhooks`)).body.map((webhook: { id: string }) => webhook.id);
}

describe("generate_secret", () => {
  it("generates a secret where none is given, shows it once and signs with it", async () => {
    const account = await createAccount();
    const body = { name: "Signed", url: sinkUrl(), generate_secret: true };
    const key = { "idempotency-key": newId() };
    const made = await account.client.post(`${V1}/webhooks`, body, key);
    expect([made.status, made.body]).toMatchObject([201, { has_secret: true, secret: expect.stringMatching(SECRET) }]);
    expect((await account.client.post(`${V1}/webhooks`, body, key)).status).toBe(409);
    const shown = (await account.client.get(at(made.body))).body;
    expect([shown.has_secret, "secret" in shown]).toEqual([true, false]);
    const kept = await account.client.put(at(made.body), { generate_secret: true });
    expect([kept.status, "secret" in kept.body]).toEqual([200, false]);
    const given = await account.client.post(`${V1}/webhooks`, { ...body, secret: "of the receiver" });
    expect([given.status, "secret" in given.body]).toEqual([201, false]);
  });

  it("gives one to a webhook without, and none to a provider that does not sign", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    const changed = await account.client.put(at(webhook), { generate_secret: true });
    expect(changed.body).toMatchObject({ has_secret: true, secret: expect.stringMatching(SECRET) });
    const slack = { name: "Chat", provider: "slack", url: "https://hooks.slack.com/services/x", generate_secret: true };
    expect((await account.client.post(`${V1}/webhooks`, slack)).status).toBe(400);
  });
});

describe("POST /webhooks", () => {
  it("creates a webhook for all events and never shows its secret", async () => {
    const account = await createAccount();
    const url = sinkUrl();
    const answer = await account.client.post(`${V1}/webhooks`, { name: " Ops ", url, secret: "canary-7d1" });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      name: "Ops",
      url,
      provider: "generic",
      has_secret: true,
      config: {},
      events: "[]",
      status_page_id: null,
      monitor_ids: [],
      group_ids: [],
      tags: [],
      is_active: true,
      is_team_only: false,
      alert_channels: {},
      remind_every_minutes: null,
      message_title: null,
      message_text: null,
      external_key: null,
      disabled_reason: null,
      failing_since: null,
      throttled_since: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await account.client.get(at(answer.body))).body).toEqual(answer.body);
    const audit = await auditOf(answer.body.id);
    expect(audit).toMatchObject([{ event_type: "webhook.created", owner_id: account.user_id }]);
    const everything = JSON.stringify([answer.body, audit, (await account.client.get(`${V1}/webhooks`)).body]);
    expect(everything).not.toContain("canary-7d1");
  });

  it.each([
    ["native JSON", ["monitor.down", "deploy.done"], '["monitor.down","deploy.done"]'],
    ["JSON in a string", '["monitor.down"]', '["monitor.down"]'],
    ["an empty string", "", "[]"],
    ["null", null, "[]"],
  ])("takes events as %s", async (_name, events, shown) => {
    const account = await createAccount();
    expect((await createWebhook(account, { events })).events).toBe(shown);
  });

  it.each([
    ["no name", { name: undefined }, "name is required"],
    ["no url", { url: undefined }, "url is required"],
    ["an event without a name", { events: [""] }, "events[0] must not be empty"],
    ["an event name over 100 characters", { events: ["x".repeat(101)] }, "events[0] must have at most 100 characters"],
    ["a misspelt event", { events: ["monitor.dwon"] }, "events[0] is not the name of an event"],
    ["an alert channel of a misspelt event", { alert_channels: { "incident.made": "#ops" } }, "alert_channels"],
    ["events that are not JSON", { events: "monitor.down" }, "events is not valid JSON"],
    ["events that are not a list", { events: "{}" }, "events must be an array"],
    ["an unknown provider", { provider: "pager" }, "provider must be one of"],
    ["an address of a provider that is none", { provider: "slack", url: "slack" }, "url must be an https address"],
    ["a private address of a provider", { provider: "the service", url: "https://10.0.0.1/x" }, "url cannot be used:"],
    ["a provider without its secret", { provider: "pagerduty" }, "secret must be the routing key"],
    ["a whsec_ secret that is not base64", { secret: "whsec_?" }, "secret must be base64 after whsec_"],
    ["text instead of an address", { url: "example" }, "url must be an https address"],
    ["plain http", { url: "http://example.com/in" }, "url cannot be used: it must be an https address"],
    ["another scheme", { url: "ftp://example.com/in" }, "url cannot be used: only http and https can be reached"],
    ["credentials in the address", { url: "https://u:p@example.com" }, "url cannot be used: it must not contain"],
    ["a private address", { url: "https://10.0.0.1/in" }, "url cannot be used:"],
    ["the metadata address", { url: "https://169.254.169.254/latest" }, "url cannot be used:"],
    ["loopback in IPv6", { url: "https://[::1]/in" }, "url cannot be used:"],
    ["a private address as a number", { url: "https://167772161/in" }, "url cannot be used:"],
    ["an internal name", { url: "https://db.internal/in" }, "url cannot be used:"],
    [
      "a page that does not exist",
      { status_page_id: newId() },
      "status_page_id does not exist or is not visible to you",
    ],
  ])("refuses %s and creates nothing", async (_name, body, error) => {
    const account = await createAccount();
    const answer = await account.client.post(`${V1}/webhooks`, { name: "Ops", url: sinkUrl(), ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.error.startsWith(error)).toBe(true);
    expect(await listIds(account)).toEqual([]);
    expect(sink.received).toEqual([]);
  });

  it("takes plain http to a host that the operator allows", async () => {
    expect((await createWebhook(await createAccount(), { url: "http://sink.test/plain" })).url).toBe(
      "http://sink.test/plain",
    );
  });

  it("makes one webhook of a repeated Idempotency-Key and presents it again", async () => {
    const account = await createAccount();
    const body = { name: "Once", url: sinkUrl(), secret: "s" };
    const headers = { "idempotency-key": "k" };
    const first = await account.client.post(`${V1}/webhooks`, body, headers);
    const second = await account.client.post(`${V1}/webhooks`, body, headers);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect((await account.client.post(`${V1}/webhooks`, { ...body, name: "Other" }, headers)).status).toBe(422);
    expect(await listIds(account)).toEqual([first.body.id]);
  });

  it("scopes a webhook to a page of the caller, and to no other", async () => {
    const [account, outsider] = [await createAccount(), await createAccount()];
    const page = await insertPage(account.user_id);
    expect((await createWebhook(account, { status_page_id: page })).status_page_id).toBe(page);
    const body = { name: "Spy", url: sinkUrl(), status_page_id: page };
    expect((await outsider.client.post(`${V1}/webhooks`, body)).status).toBe(400);
    expect(await listIds(outsider)).toEqual([]);
  });
});

describe("GET /webhooks", () => {
  it("lists the caller's webhooks page by page, newest first", async () => {
    const account = await createAccount();
    await createWebhook(await createAccount());
    const made = [];
    for (let n = 0; n < 3; n++) made.unshift((await createWebhook(account)).id);
    expect(await listIds(account)).toEqual(made);
    const page = await account.client.get(`${V1}/webhooks?limit=1&offset=1`);
    expect(page.body.map((webhook: { id: string }) => webhook.id)).toEqual([made[1]]);
    expect(page.headers.get("x-total-count")).toBe("3");
    expect(page.headers.get("link")).toContain('rel="next"');
  });
});

describe("filters of GET /webhooks", () => {
  it("take a provider by each of its names, and a page", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const { id } = await createWebhook(account, { provider: "service", status_page_id });
    await createWebhook(account);
    const idsOf = async (query: string) =>
      (await account.client.get(`${V1}/webhooks?${query}`)).body.map((webhook: { id: string }) => webhook.id);
    for (const provider of ["discord", "service", "the%20service,slack"]) {
      expect(await idsOf(`provider=${provider}`)).toEqual([id]);
    }
    expect(await idsOf(`status_page_id=${status_page_id}`)).toEqual([id]);
    const unknown = await account.client.get(`${V1}/webhooks?status_page_id=${newId()}`);
    expect(unknown).toMatchObject({ status: 400, body: { error: expect.stringContaining("status_page_id") } });
  });
});

describe("PUT /webhooks/{id}", () => {
  it("takes an empty text as the filter of all events", async () => {
    const account = await createAccount();
    const { id } = await createWebhook(account, { events: ["monitor.up"] });
    expect((await account.client.put(`${V1}/webhooks/${id}`, { events: "" })).body.events).toBe("[]");
  });

  it("refuses a channel whose address may not be reached", async () => {
    const account = await createAccount();
    const { id } = await createWebhook(account, { provider: "teams" });
    const alert_channels = { "monitor.down": "https://10.0.0.1/hook" };
    const answer = await account.client.put(`${V1}/webhooks/${id}`, { alert_channels });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("alert_channels.monitor.down") },
    });
  });

  it("takes back what GET gave and changes nothing", async () => {
    const { client, ...account } = await createAccount();
    const webhook = await createWebhook({ client, ...account }, { secret: "s", events: ["monitor.up"] });
    const answer = await client.put(at(webhook), webhook);
    expect(answer).toMatchObject({ status: 200, body: { ...webhook, updated_at: expect.any(String) } });
  });

  it("keeps what is absent and clears what is null", async () => {
    const account = await createAccount();
    const page = await insertPage(account.user_id);
    const webhook = await createWebhook(account, {
      status_page_id: page,
      events: ["monitor.up"],
      alert_channels: { "monitor.up": "#up" },
    });
    const renamed = await account.client.put(at(webhook), { name: "New", is_team_only: true });
    expect(renamed.body).toEqual({
      ...webhook,
      name: "New",
      is_team_only: true,
      updated_at: expect.any(String),
    });
    const cleared = await account.client.put(at(webhook), { status_page_id: null, events: null, alert_channels: null });
    expect(cleared.body).toMatchObject({ name: "New", status_page_id: null, events: "[]", alert_channels: {} });
  });

  it.each([
    ["an absent secret", {}, true],
    ["***", { secret: "***" }, true],
    ["null", { secret: null }, false],
  ])("with %s keeps or clears the secret", async (_name, body, isKept) => {
    const account = await createAccount();
    const webhook = await createWebhook(account, { secret: "first" });
    expect((await account.client.put(at(webhook), body)).body.has_secret).toBe(isKept);
    sink.answer(webhook.url, 200);
    await account.client.post(at(webhook, "/test"));
    const signature = sink.received[0]?.headers.get("webhook-signature") ?? null;
    expect(signature !== null).toBe(isKept);
    expect(signature?.split(" ") ?? []).toHaveLength(isKept ? 1 : 0);
  });

  it("signs with the former and the new secret for a day", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account, { secret: "first" });
    await account.client.put(at(webhook), { secret: "second" });
    sink.answer(webhook.url, 200, 200);
    await account.client.post(at(webhook, "/test"));
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 86_400_001);
    await account.client.post(at(webhook, "/test"));
    vi.useRealTimers();
    const signatures = sink.received.map((request) => request.headers.get("webhook-signature")?.split(" ").length);
    expect(signatures).toEqual([2, 1]);
  });

  it("refuses an address that may not be reached and keeps the old one", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    expect((await account.client.put(at(webhook), { url: "https://10.0.0.1/" })).status).toBe(400);
    expect((await account.client.get(at(webhook))).body.url).toBe(webhook.url);
  });
});

describe("PATCH /webhooks/{id}", () => {
  it.each([
    ["toggle", "is_active", "webhook.toggled"],
    ["team-only", "is_team_only", "webhook.team_only_toggled"],
  ])("/%s turns %s over and back", async (verb, field, event) => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    const once = await account.client.patch(at(webhook, `/${verb}`));
    expect(once).toMatchObject({ status: 200, body: { [field]: !webhook[field] } });
    expect((await account.client.patch(at(webhook, `/${verb}`))).body[field]).toBe(webhook[field]);
    expect((await auditOf(webhook.id)).map((row) => row.event_type)).toEqual(["webhook.created", event, event]);
  });

  it.each([
    ["toggle", "is_active"],
    ["team-only", "is_team_only"],
  ])("/%s ten times at once ends where it began, and eleven times does not", async (verb, field) => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    const toggle = () => account.client.patch(at(webhook, `/${verb}`));
    const answers = await Promise.all(Array.from({ length: 10 }, toggle));
    expect(answers.map(({ status }) => status)).toEqual(new Array(10).fill(200));
    expect((await account.client.get(at(webhook))).body[field]).toBe(webhook[field]);
    expect((await toggle()).body[field]).toBe(!webhook[field]);
  });
});

describe("DELETE /webhooks/{id}", () => {
  it("removes the webhook with its deliveries", async () => {
    const account = await createAccount();
    const webhook = await createWebhook(account);
    sink.answer(webhook.url, 200);
    await account.client.post(at(webhook, "/test"));
    expect((await account.client.delete(at(webhook))).status).toBe(204);
    expect((await account.client.get(at(webhook))).status).toBe(404);
    expect(await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhook.id))).toEqual([]);
    expect(
      await db
        .select()
        .from(deliveryAttempts)
        .where(notInArray(deliveryAttempts.delivery_id, db.select({ id: deliveries.id }).from(deliveries))),
    ).toEqual([]);
  });
});

describe("another account", () => {
  it("finds none of it and changes nothing", async () => {
    const [owner, outsider] = [await createAccount(), await createAccount()];
    const page = await insertPage(owner.user_id);
    for (const scope of [{}, { status_page_id: page }]) {
      const webhook = await createWebhook(owner, scope);
      const delivery = `/deliveries/${newId()}/redeliver`;
      const calls: [string, string, unknown?][] = [
        ["GET", ""],
        ["PUT", "", { name: "taken" }],
        ["DELETE", ""],
        ["POST", "/test"],
        ["PATCH", "/toggle"],
        ["PATCH", "/team-only"],
        ["GET", "/deliveries"],
        ["POST", delivery],
      ];
      for (const [method, rest, body] of calls) {
        const answer = await outsider.client.request(method, at(webhook, rest), body);
        const nothing = await outsider.client.request(method, at({ id: newId() }, rest), body);
        expect([method, rest, answer.status, answer.body.error]).toEqual([method, rest, 404, nothing.body.error]);
      }
      expect((await owner.client.get(at(webhook))).body).toEqual(webhook);
    }
    expect(sink.received).toEqual([]);
  });
});

describe("audit rows and stored rows", () => {
  it("hold neither the address nor the secret of a webhook", async () => {
    const account = await createAccount();
    const url = "https://sink.test/canary-address-91";
    const webhook = await createWebhook(account, { url, secret: "canary-secret-91" });
    sink.answer(url, 200);
    await account.client.put(at(webhook), { secret: "canary-secret-92" });
    await account.client.post(at(webhook, "/test"));
    const dump = JSON.stringify([
      await db.select().from(auditLog).where(eq(auditLog.owner_id, account.user_id)),
      await db.select().from(webhooks).where(eq(webhooks.id, webhook.id)),
      await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhook.id)),
      await db
        .select()
        .from(deliveries)
        .innerJoin(deliveryAttempts, eq(deliveryAttempts.delivery_id, deliveries.id))
        .where(eq(deliveries.webhook_id, webhook.id)),
      await db.select().from(auditLog).where(like(auditLog.data, "%canary%")),
    ]);
    expect(dump).toContain("webhook.tested");
    expect(dump).not.toContain("canary");
  });
});

describe("the limits of a webhook", () => {
  it("are monitors, groups and tags of its owner, kept when an update leaves them out and ended by null", async () => {
    const account = await createAccount();
    const page = await createPage(account);
    const group = (await account.client.post(`${V1}/groups`, { name: "Shop", status_page_id: page })).body.id;
    const monitor = await insertMonitor(account.user_id);
    const limits = { monitor_ids: [monitor.id], group_ids: [group], tags: [" eu ", "eu"] };
    const webhook = await createWebhook(account, limits);
    expect(webhook).toMatchObject({ monitor_ids: [monitor.id], group_ids: [group], tags: ["eu"] });
    const renamed = await account.client.put(at(webhook), { name: "Shop", tags: [] });
    expect(renamed.body).toMatchObject({ monitor_ids: [monitor.id], group_ids: [group], tags: [] });
    const all = await account.client.put(at(webhook), { monitor_ids: null, group_ids: null });
    expect(all.body).toMatchObject({ monitor_ids: [], group_ids: [], tags: [] });
  });

  it("name nothing of anybody else", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const theirs = await insertMonitor(other.user_id);
    for (const body of [{ monitor_ids: [theirs.id] }, { group_ids: [newId()] }]) {
      const answer = await account.client.post(`${V1}/webhooks`, { name: "Ops", url: sinkUrl(), ...body });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining("_ids[0] does not exist")]);
    }
  });

  it("say what they name in vain once it was deleted", async () => {
    const account = await createAccount();
    const [kept, gone] = [await insertMonitor(account.user_id), await insertMonitor(account.user_id)];
    const webhook = await createWebhook(account, { monitor_ids: [kept.id, gone.id] });
    expect(webhook.notices).toBeUndefined();
    expect((await account.client.delete(`${V1}/monitors/${gone.id}`)).status).toBe(204);
    const shown = await account.client.get(at(webhook));
    expect(shown.body.notices).toEqual([{ path: "monitor_ids[1]", message: "names what was deleted" }]);
  });
});
