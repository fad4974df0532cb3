import { env, exports } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { subscriberMessages, subscribers } from "../../src/data/subscribers/table.ts";
import { fanOut } from "../../src/delivery/fan-out.ts";
import { sweepSubscribers } from "../../src/delivery/subscriber-messages.ts";
import { newId } from "../../src/platform/ids.ts";
import { createClient, createClientUnder, V1 } from "../support/client.ts";
import { exampleEvent } from "../support/events.ts";
import { createAccount } from "../support/factories.ts";
import { mailsTo as listMailsTo } from "../support/mail.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createPage, createShop, HOUR } from "../support/pages.ts";
import { useSink } from "../support/sink.ts";
import { useSubscriberQueue } from "../support/subscribers.ts";
import { sinkUrl } from "../support/webhooks.ts";

const DAY = 24 * HOUR;
const db = openDb(env.DB);
const sink = useSink();
const queue = useSubscriberQueue();
/** The sweep leaves to the queue what is younger than this. */
const GRACE = 10_000;
const freshMail = () => `reader-${newId()}@example.com`;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => void vi.useRealTimers());

const ask = (path: string, body: Record<string, unknown>) => createClient().post(`${path}/subscribers`, body);
async function sweep() {
  vi.setSystemTime(Date.now() + GRACE);
  await sweepSubscribers(jobScope(env, "test"));
  await queue.drain();
}

async function mailsTo(address: string) {
  await queue.drain();
  return listMailsTo(address);
}

/** The path behind a link in a text. */
function linkIn(text: string, verb: string): string {
  const found = new RegExp(`http://vigil\\.test(/status/\\S+/subscribers/${verb}\\?token=[\\w.-]+)`).exec(text);
  return found?.[1] ?? `no ${verb} link in ${text}`;
}

async function visit(path: string, init: RequestInit = {}) {
  const response = await exports.default.fetch(`http://vigil.test${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const press = (path: string, body = "List-Unsubscribe=One-Click") =>
  visit(path, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body });

async function subscribe(shop: Awaited<ReturnType<typeof createShop>>, body: Record<string, unknown> = {}) {
  const endpoint = freshMail();
  expect((await ask(shop.path, { channel: "email", endpoint, ...body })).status).toBe(202);
  const [mail] = await mailsTo(endpoint);
  expect((await press(linkIn(mail?.text ?? "", "confirm"))).status).toBe(200);
  return endpoint;
}

/** An event of the shop's page, sent to its subscribers. */
async function tell(
  shop: { account: { user_id: string }; page: { id: string } },
  event: Parameters<typeof exampleEvent>[0] = {},
) {
  const stored = exampleEvent({
    id: newId(),
    owner_id: shop.account.user_id,
    status_page_id: shop.page.id,
    created_at: Date.now(),
    name: "incident.created",
    ...event,
  });
  const { statements, wake } = await fanOut(jobScope(env, "test"), [stored], Date.now());
  await runBatch(db, statements);
  await wake();
  return stored;
}

const listed = async ({ account, page }: Awaited<ReturnType<typeof createShop>>) =>
  (await account.client.get(`${V1}/subscribers?status_page_id=${page.id}`)).body;

describe("subscribing by e-mail", () => {
  it("takes a confirmation by a button, once", async () => {
    const shop = await createShop({ name: "Northwind" });
    const endpoint = freshMail();
    const { status, body } = await ask(shop.path, { channel: "email", endpoint: endpoint.toUpperCase() });
    expect([status, body]).toEqual([202, { message: expect.any(String) }]);
    expect(await listed(shop)).toMatchObject([{ confirmed_at: null, endpoint_masked: "r***@example.com" }]);

    const [mail, more] = await mailsTo(endpoint);
    expect(more).toBeUndefined();
    expect(mail).toMatchObject({ subject: "Confirm your subscription to Northwind", headers: {} });
    const link = linkIn(mail?.text ?? "", "confirm");
    expect(mail?.html).toContain(link);
    expect(await visit(link)).toMatchObject({ status: 200, text: expect.stringContaining('method="post"') });
    expect((await listed(shop))[0].confirmed_at).toBe(null);
    expect((await press(link)).status).toBe(200);
    expect((await listed(shop))[0].confirmed_at).toMatch(/Z$/);
    expect((await press(link)).status).toBe(404);
  });

  it("stores the address nowhere in plain sight", async () => {
    const shop = await createShop();
    const endpoint = await subscribe(shop);
    const tables = JSON.stringify([
      await db.select().from(subscribers),
      await db.select().from(subscriberMessages),
      await db.select().from(auditLog),
    ]);
    expect(tables).not.toContain(endpoint);
    expect(JSON.stringify(await listed(shop))).not.toContain(endpoint);
  });

  it("is confirmed within a day, or not at all", async () => {
    const shop = await createShop();
    const [a, b] = [freshMail(), freshMail()];
    await ask(shop.path, { channel: "email", endpoint: a });
    await ask(shop.path, { channel: "email", endpoint: b });
    const [first, second] = [(await mailsTo(a))[0]?.text ?? "", (await mailsTo(b))[0]?.text ?? ""];
    vi.setSystemTime(Date.now() + DAY - 60_000);
    expect((await press(linkIn(first, "confirm"))).status).toBe(200);
    vi.setSystemTime(Date.now() + 120_000);
    expect((await press(linkIn(second, "confirm"))).status).toBe(404);
  });

  it("sends 5 mails a day to an address at most, however it is written and from any page, and always answers the same", async () => {
    const [one, two] = [await createShop(), await createShop()];
    const endpoint = freshMail();
    const answers = new Set<string>();
    const counted = createClientUnder({ RATE_LIMITS: "all=off,recipient_mail=5" });
    const written = [endpoint, endpoint.toUpperCase(), endpoint.replace("@", "+more@")];
    for (let n = 0; n < 100; n++) {
      const sent = { channel: "email", endpoint: written[n % 3] };
      const { status, body } = await counted.post(`${n % 2 ? one.path : two.path}/subscribers`, sent);
      answers.add(JSON.stringify([status, body]));
    }
    expect(answers.size).toBe(1);
    const mails = await Promise.all([endpoint, written[2] ?? ""].map(mailsTo));
    expect(mails.flat().length).toBe(5);
  });

  it("answers subscribers that they are subscribed, and changes nothing of it", async () => {
    const shop = await createShop();
    const endpoint = await subscribe(shop, { events: ["incident"] });
    const answer = await ask(shop.path, { channel: "email", endpoint, events: ["maintenance"] });
    expect(answer).toMatchObject({ status: 202 });
    expect((await mailsTo(endpoint)).at(-1)?.subject).toMatch(/^You are already subscribed to /);
    expect(await listed(shop)).toMatchObject([{ events: ["incident"], confirmed_at: expect.any(String) }]);
  });

  it("forgets after 7 days what nobody confirmed", async () => {
    const shop = await createShop();
    await ask(shop.path, { channel: "email", endpoint: freshMail() });
    vi.setSystemTime(Date.now() + 7 * DAY - GRACE);
    await sweep();
    expect(await listed(shop)).toHaveLength(1);
    vi.setSystemTime(Date.now() + 1);
    await sweep();
    expect(await listed(shop)).toEqual([]);
  });

  it.each([
    ["no address", { channel: "email", endpoint: "nobody" }],
    ["a foreign channel", { channel: "fax", endpoint: "1" }],
    ["plain http", { channel: "webhook", endpoint: "http://sink.test/x" }],
    ["a private address", { channel: "slack", endpoint: "https://10.0.0.1/x" }],
    ["a monitor that is not there", { channel: "email", endpoint: "a@example.com", monitor_ids: [newId()] }],
    ["a group that is not there", { channel: "email", endpoint: "a@example.com", group_ids: [newId()] }],
    ["another event", { channel: "email", endpoint: "a@example.com", events: ["flip"] }],
    ["an injected header", { channel: "email", endpoint: "a@example.com\r\nBcc: b@example.com" }],
  ])("refuses %s", async (_name, body) => {
    const { path } = await createShop();
    expect((await ask(path, body)).status).toBe(400);
  });

  it("is 404 where there is no public page", async () => {
    const { path } = await createShop({ is_public: false });
    const body = { channel: "email", endpoint: "a@example.com" };
    expect([(await ask(path, body)).status, (await ask("/status/no-such-page", body)).status]).toEqual([404, 404]);
  });
});

/** Than any subscription here. */
const LATER = "2100-01-01T00:00:00.000Z";

describe("what subscribers hear", () => {
  it("is written for people, with a way out by one click", async () => {
    const shop = await createShop({ name: "North\nwind" });
    const endpoint = await subscribe(shop);
    await tell(shop, { data: { title: "<b>Checkout</b> & more" } });
    const mail = (await mailsTo(endpoint)).at(-1);
    expect(mail?.subject).toBe("New incident: North wind");
    expect(mail?.text).toContain(
      "New incident: <b>Checkout</b> & more\n\nStatus: Investigating\nSeverity: Major\nPosted: ",
    );
    expect(mail?.html).toContain("&lt;b&gt;Checkout&lt;/b&gt; &amp; more");
    expect(mail?.html).not.toMatch(/<b>|<img|<script|src=/);
    const leave = linkIn(mail?.text ?? "", "unsubscribe");
    expect(mail?.headers).toEqual({
      "List-Unsubscribe": `<http://vigil.test${leave}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
    expect(await visit(leave)).toMatchObject({ status: 200, text: expect.stringContaining("Unsubscribe") });
    expect((await listed(shop))[0].unsubscribed_at).toBe(null);
    expect((await press(leave)).status).toBe(200);
    expect((await press(leave)).status).toBe(200);
    expect((await listed(shop))[0].unsubscribed_at).toMatch(/Z$/);
    const before = (await mailsTo(endpoint)).length;
    await tell(shop);
    expect((await mailsTo(endpoint)).length).toBe(before);
    expect((await db.select().from(subscribers).where(eq(subscribers.status_page_id, shop.page.id)))[0]?.sealed).toBe(
      null,
    );
  });

  it.each<[string, Parameters<typeof exampleEvent>[0], boolean]>([
    ["a published incident", {}, true],
    ["what is said about it", { name: "incident.updated" }, true],
    ["the end of what began before they came", { name: "incident.resolved" }, true],
    ["the end of what they never heard of", { name: "incident.resolved", data: { started_at: LATER } }, false],
    ["maintenance", { name: "maintenance.started" }, true],
    ["an incident that is not published", { data: { is_public: false } }, false],
    ["what was marked as not for them", { data: { notify_subscribers: false } }, false],
    ["the flip of a monitor", { name: "monitor.down" }, false],
    ["an event of people's own", { name: "deploy", classification: "public" }, false],
  ])("%s: %s", async (_name, event, isTold) => {
    const shop = await createShop();
    const endpoint = await subscribe(shop);
    await tell(shop, event);
    expect((await mailsTo(endpoint)).length).toBe(isTold ? 2 : 1);
  });

  it("is what they chose", async () => {
    const shop = await createShop();
    const other = await insertMonitor(shop.account.user_id, { status_page_id: shop.page.id, name: "Other" });
    await shop.account.client.put(`${V1}/status-pages/${shop.page.id}`, { description: "new" });
    const all = await subscribe(shop);
    const chosen = await subscribe(shop, { monitor_ids: [other.id] });
    const planned = await subscribe(shop, { events: ["maintenance"] });
    const heard = async () => {
      await queue.drain();
      return Promise.all([all, chosen, planned].map(async (to) => (await listMailsTo(to)).length - 1));
    };
    await tell(shop, { data: { monitor_id: shop.monitor.id } });
    expect(await heard()).toEqual([1, 0, 0]);
    await tell(shop, { data: { monitor_id: other.id } });
    expect(await heard()).toEqual([2, 1, 0]);
    await tell(shop, { name: "maintenance.started" });
    expect(await heard()).toEqual([3, 2, 1]);
  });

  it("is nothing while the page is hidden", async () => {
    const shop = await createShop();
    const endpoint = await subscribe(shop);
    const show = (is_public: boolean) => shop.account.client.put(`${V1}/status-pages/${shop.page.id}`, { is_public });
    await show(false);
    await tell(shop);
    expect((await mailsTo(endpoint)).length).toBe(1);
    await show(true);
    await tell(shop);
    expect((await mailsTo(endpoint)).length).toBe(2);
  });

  it("is notified once, however often the event comes", async () => {
    const shop = await createShop();
    const endpoint = await subscribe(shop);
    const event = await tell(shop);
    await tell(shop, event);
    expect((await mailsTo(endpoint)).length).toBe(2);
  });

  it("stays on its page", async () => {
    const [shop, other] = [await createShop(), await createShop()];
    const endpoint = await subscribe(shop);
    await tell(other);
    expect((await mailsTo(endpoint)).length).toBe(1);
  });
});

describe("other channels", () => {
  const HOSTILE = "@everyone <!channel> [x](http://evil.test) `a`";

  it.each([
    "webhook",
    "slack",
    "discord",
  ] as const)("confirm and tell by %s, with nothing that runs", async (channel) => {
    const shop = await createShop();
    const endpoint = sinkUrl();
    await ask(shop.path, { channel, endpoint });
    sink.answer(endpoint, 200);
    await sweep();
    const asked = sink.received.at(-1)?.body ?? "";
    expect((await press(linkIn(asked, "confirm"))).status).toBe(200);

    await tell(shop, { data: { title: HOSTILE } });
    sink.answer(endpoint, 500, 200);
    await sweep();
    vi.setSystemTime(Date.now() + HOUR);
    await sweep();
    const told = sink.received.filter(({ url }) => url === endpoint).slice(1);
    expect(told).toHaveLength(2);
    expect(told[0]?.headers.get("webhook-id")).toBe(told[1]?.headers.get("webhook-id"));
    const body = JSON.parse(told[1]?.body ?? "");
    if (channel === "slack") expect(body.text).toContain("&lt;!channel&gt;");
    if (channel === "discord") {
      expect(body.allowed_mentions).toEqual({ parse: [] });
      expect(body.content).toContain("\\@everyone \\<!channel\\> \\[x\\]\\(http://evil.test\\) \\`a\\`");
    }
    if (channel === "webhook") {
      expect(body).toMatchObject({ event: "incident.created", title: HOSTILE, status: "investigating" });
      expect(body.unsubscribe_url).toContain("/subscribers/unsubscribe?token=");
    }
    expect((await listed(shop))[0].endpoint_masked).toBe("https://sink.test/***");
  });
});

describe("the subscription of an address that is not there", () => {
  it.each([
    ["only failed for five days", [500, 500]],
    ["is gone", [410]],
  ])("ends when the address %s", async (_name, answers) => {
    const shop = await createShop();
    const endpoint = sinkUrl();
    await ask(shop.path, { channel: "webhook", endpoint });
    sink.answer(endpoint, 200);
    await sweep();
    await press(linkIn(sink.received.at(-1)?.body ?? "", "confirm"));
    sink.answer(endpoint, ...answers);
    await tell(shop);
    await sweep();
    if (answers.length > 1) {
      expect((await listed(shop))[0].unsubscribed_at).toBeNull();
      vi.setSystemTime(Date.now() + 5 * DAY);
      await sweep();
    }
    expect((await listed(shop))[0].unsubscribed_at).toEqual(expect.any(String));
    const [row] = await db.select().from(subscribers).where(eq(subscribers.status_page_id, shop.page.id));
    expect([row?.sealed, row?.failing_since]).toEqual([null, null]);
  });
});

describe("the form", () => {
  it("stands on the page and needs no script", async () => {
    const shop = await createShop({ name: "A <script>alert(1)</script>" });
    expect((await visit(shop.path)).text).toMatch(new RegExp(`<a [^>]*href="${shop.path}/subscribe"`));
    const { status, text, headers } = await visit(`${shop.path}/subscribe`);
    expect(status).toBe(200);
    expect(text).toContain("Web shop");
    expect(text).not.toMatch(/<script(?! src="\/assets\/)/);
    expect(headers.get("content-security-policy")).toContain("form-action 'self'");
    const endpoint = freshMail();
    const form = new URLSearchParams({ channel: "email", endpoint, monitor_ids: shop.monitor.id, events: "incident" });
    expect(await press(`${shop.path}/subscribe`, String(form))).toMatchObject({ status: 202 });
    expect(await mailsTo(endpoint)).toHaveLength(1);
    expect(await listed(shop)).toMatchObject([{ monitor_ids: [shop.monitor.id], events: ["incident"] }]);
  });

  it("says what is wrong, on the form", async () => {
    const { path } = await createShop();
    const answer = await press(`${path}/subscribe`, "channel=email&endpoint=%3Cimg%20src%3Dx%3E");
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining("must be an e-mail address") });
    expect(answer.text).not.toContain("<img src=x");
    const json = await visit(`${path}/subscribe`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(json.status).toBe(415);
    expect((await press("/status/no-such-page/subscribe", "")).status).toBe(404);
  });

  it("lets subscribers change what they hear, by their link", async () => {
    const shop = await createShop();
    const endpoint = await subscribe(shop);
    await tell(shop);
    const manage = linkIn((await mailsTo(endpoint)).at(-1)?.text ?? "", "manage");
    expect(await visit(manage)).toMatchObject({ status: 200, text: expect.stringContaining("r***@example.com") });
    const form = `events=maintenance&monitor_ids=${shop.monitor.id}`;
    expect(await press(manage, form)).toMatchObject({ status: 200, text: expect.stringContaining("saved") });
    expect(await listed(shop)).toMatchObject([{ events: ["maintenance"], monitor_ids: [shop.monitor.id] }]);
    expect((await press(manage, `monitor_ids=${newId()}`)).status).toBe(400);
    expect((await press(manage, "monitor_ids=x")).status).toBe(400);

    const none = await press(manage, `monitor_ids=${shop.monitor.id}`);
    expect(none).toMatchObject({ status: 400, text: expect.stringContaining("Choose at least one topic") });
    expect(await listed(shop)).toMatchObject([{ events: ["maintenance"] }]);
  });

  it("keeps what was typed when the address is not valid, with the problem beside it", async () => {
    const shop = await createShop();
    const form = new URLSearchParams({ channel: "webhook", endpoint: "not an address", events: "maintenance" });
    form.append("monitor_ids", shop.monitor.id);
    const { status, text } = await press(`${shop.path}/subscribe`, String(form));
    expect(status).toBe(400);
    expect(text).toMatch(/name="channel" value="webhook" checked/);
    expect(text).toMatch(/value="not an address"[^>]*aria-describedby="[^"]*endpoint-problem"[^>]*aria-invalid="true"/);
    expect(text).toContain('id="endpoint-problem"');
    expect(text).toContain(`value="${shop.monitor.id}" checked`);
    expect(text).not.toMatch(/value="incident" checked/);
  });

  it("keeps the groups that subscribers chose when they change the rest", async () => {
    const shop = await createShop();
    const group = await shop.account.client.post(`${V1}/groups`, { name: "Shops", status_page_id: shop.page.id });
    const group_id: string = group.body.id;
    await shop.account.client.put(`${V1}/monitors/${shop.monitor.id}`, { group_id });
    const endpoint = await subscribe(shop, { group_ids: [group_id] });
    await tell(shop, { data: { monitor_id: shop.monitor.id } });
    const manage = linkIn((await mailsTo(endpoint)).at(-1)?.text ?? "", "manage");
    const form = (await visit(manage)).text;
    const ticked = [...form.matchAll(/name="(\w+)" value="([^"]+)" checked/g)].map(
      ([, name, value]) => `${name}=${value}`,
    );
    expect(ticked).toEqual(["events=incident", "events=maintenance", `group_ids=${group_id}`]);
    expect((await press(manage, ticked.slice(1).join("&"))).status).toBe(200);
    expect(await listed(shop)).toMatchObject([{ events: ["maintenance"], monitor_ids: [], group_ids: [group_id] }]);
  });

  it.each([
    ["has another address", (slug: string) => ({ slug: `${slug.slice(0, 40)}-new` })],
    ["is hidden", () => ({ is_public: false })],
  ])("lets subscribers leave by an old link while the page %s", async (_name, change) => {
    const shop = await createShop();
    const endpoint = await subscribe(shop);
    await tell(shop);
    const leave = linkIn((await mailsTo(endpoint)).at(-1)?.text ?? "", "unsubscribe");
    const page = `${V1}/status-pages/${shop.page.id}`;
    expect((await shop.account.client.put(page, change(shop.page.slug))).status).toBe(200);
    const asked = await visit(leave);
    expect(asked).toMatchObject({ status: 200, text: expect.stringContaining('<form class="card" method="post"') });
    expect(asked.text).not.toContain(shop.page.name);
    expect((await listed(shop))[0].unsubscribed_at).toBe(null);
    expect((await press(leave)).status).toBe(200);
    expect((await listed(shop))[0].unsubscribed_at).toMatch(/Z$/);
    expect((await press(leave.replace(/.$/, (last) => (last === "A" ? "B" : "A")))).status).toBe(404);
  });

  it("opens for no other link", async () => {
    const [shop, other] = [await createShop(), await createShop()];
    const endpoint = await subscribe(shop);
    await tell(shop);
    const manage = linkIn((await mailsTo(endpoint)).at(-1)?.text ?? "", "manage");
    const forged = manage.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const elsewhere = manage.replace(shop.page.slug, other.page.slug);
    const confirm = manage.replace("/manage?", "/confirm?");
    for (const link of [
      forged,
      elsewhere,
      confirm,
      `${shop.path}/subscribers/manage`,
      `${shop.path}/subscribers/manage?token=x`,
    ]) {
      expect([link, (await visit(link)).status, (await press(link)).status]).toEqual([link, 404, 404]);
    }
  });
});

describe("GET /subscribers and DELETE /subscribers/{id}", () => {
  it("are for those who may see and run the page", async () => {
    const shop = await createShop();
    await subscribe(shop);
    const [subscriber] = await listed(shop);
    const { client: outsider } = await createAccount();
    expect((await outsider.get(`${V1}/subscribers?status_page_id=${shop.page.id}`)).status).toBe(400);
    expect((await outsider.delete(`${V1}/subscribers/${subscriber.id}`)).status).toBe(404);
    expect((await shop.account.client.get(`${V1}/subscribers`)).body).toEqual([subscriber]);
    expect((await outsider.get(`${V1}/subscribers`)).body).toEqual([]);
    expect((await shop.account.client.delete(`${V1}/subscribers/${subscriber.id}`)).status).toBe(204);
    expect(await listed(shop)).toEqual([]);
    const rows = await db
      .select()
      .from(auditLog)
      .where(eq(auditLog.target_id, subscriber.id))
      .orderBy(auditLog.created_at, auditLog.id);
    expect(rows.map(({ event_type, actor_type, summary }) => [event_type, actor_type, summary])).toEqual([
      ["subscriber.requested", "system", "asked to subscribe email r***@example.com"],
      ["subscriber.confirmed", "system", "subscribed email r***@example.com"],
      ["subscriber.deleted", "token", "deleted email subscriber r***@example.com"],
    ]);
  });

  it("go with the page", async () => {
    const shop = await createShop();
    await subscribe(shop);
    await shop.account.client.delete(`${V1}/status-pages/${shop.page.id}`);
    expect(await db.select().from(subscribers).where(eq(subscribers.status_page_id, shop.page.id))).toEqual([]);
    expect((await createPage(shop.account)).id).toEqual(expect.any(String));
  });
});
