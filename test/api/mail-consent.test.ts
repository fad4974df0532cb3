import { env, exports } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { Plan } from "../../src/contract/plan.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { escalationNotifications, escalations } from "../../src/data/escalations/table.ts";
import { mailBudgets } from "../../src/data/mail-budgets/table.ts";
import { fanOut } from "../../src/delivery/fan-out.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, createClientUnder, V1 } from "../support/client.ts";
import { createContact } from "../support/contacts.ts";
import { exampleEvent } from "../support/events.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { joinPage } from "../support/members.ts";
import { setPolicy, useVirtualClock } from "../support/on-call.ts";
import { useSink } from "../support/sink.ts";
import { useSubscriberQueue } from "../support/subscribers.ts";
import { createWebhook } from "../support/webhooks.ts";

const sink = useSink();
const queue = useSubscriberQueue();
const SETTINGS = {
  EGRESS_ALLOW: "sink.test",
  PUBLIC_URL: "http://vigil.test",
  RATE_LIMITS: "all=off,mails=100,subscriber_mails=10000,contact_host=10,deliveries=100",
};
const clock = useVirtualClock("2026-03-02T02:00:00Z", SETTINGS);
const db = openDb(env.DB);
const DAY_MS = 86_400_000;
const DAY_MINUTES = 24 * 60;
const freshMail = () => `stranger-${newId()}@example.com`;
const UNANSWERED = expect.stringContaining("has not agreed to mail from you");

/** The account as one of an installation with these limits. */
async function anAccount(plan?: Plan): Promise<Account> {
  const account = await createAccount({ plan });
  return { ...account, client: createClientUnder(SETTINGS, account.token) };
}

const mailWebhook = (account: Account, address: string) =>
  createWebhook(account, { provider: "email", url: `mailto:${address}` });
const test = async (account: Account, { id }: { id: string }) =>
  (await account.client.post(`${V1}/webhooks/${id}/test`)).body;
const subjectsTo = async (address: string) => (await mailsTo(address)).map(({ subject }) => subject);

/** The path of the link by which a reader answers. */
async function linkTo(address: string): Promise<string> {
  const text = (await mailsTo(address)).at(-1)?.text ?? "";
  return new URL(/http\S+\/mail-consent\/\S+/.exec(text)?.[0] ?? `no link in ${text}`).pathname;
}

async function visit(path: string, form?: Record<string, string>) {
  const body = form && new URLSearchParams(form);
  const response = await exports.default.fetch(`http://vigil.test${path}`, { method: body ? "POST" : "GET", body });
  return { status: response.status, text: await response.text() };
}
const agree = async (address: string) => visit(await linkTo(address), { agree: "1" });

async function notificationsOf(page: string) {
  return db
    .select({ type: escalationNotifications.contact_type, error: escalationNotifications.error })
    .from(escalationNotifications)
    .innerJoin(escalations, eq(escalations.id, escalationNotifications.escalation_id))
    .where(eq(escalations.status_page_id, page));
}

async function openIncident(account: Account, page: string): Promise<void> {
  const incident = { status_page_id: page, title: "WIN A PRIZE at http://evil.example" };
  expect((await account.client.post(`${V1}/incidents`, incident)).status).toBe(201);
  await clock.settle();
}

describe("somebody outside of the team", () => {
  it("gets nothing by a webhook but one question, which quotes nobody, until they agree", async () => {
    const account = await anAccount("free");
    const address = freshMail();
    const webhook = await mailWebhook(account, address);
    expect(webhook.notices).toEqual([{ path: "url", message: UNANSWERED }]);
    const [question, ...others] = await mailsTo(address);
    expect(others).toEqual([]);
    expect(question?.text).toContain(`${account.user_id}@example.com wants alerts to be sent to you`);
    expect(await test(account, webhook)).toMatchObject({ delivered: false, error: UNANSWERED });
    expect(await subjectsTo(address)).toHaveLength(1);

    const path = await linkTo(address);
    expect(await visit(path)).toMatchObject({
      status: 200,
      text: expect.stringContaining("Do you want these alerts?"),
    });
    expect(await test(account, webhook)).toMatchObject({ delivered: false });
    expect((await agree(address)).text).toContain("Alerts are sent to you");
    expect(await test(account, webhook)).toMatchObject({ delivered: true, error: null });
    expect(await subjectsTo(address)).toHaveLength(2);
    expect((await account.client.get(`${V1}/webhooks/${webhook.id}`)).body).not.toHaveProperty("notices");
  });

  it("stops mail for good with one click in the mail program, and is not asked again", async () => {
    const account = await anAccount("free");
    const address = freshMail();
    const webhook = await mailWebhook(account, address);
    await agree(address);
    await test(account, webhook);
    const [, alert] = await mailsTo(address);
    expect(alert?.headers?.["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    const link = new URL(alert?.headers?.["List-Unsubscribe"]?.slice(1, -1) ?? "").pathname;
    expect((await visit(link, { "List-Unsubscribe": "One-Click" })).text).toContain("No more alerts are sent to you");
    expect(await test(account, webhook)).toMatchObject({ delivered: false, error: expect.stringContaining("no mail") });
    await clock.pass(2 * DAY_MINUTES);
    const saved = await account.client.put(`${V1}/webhooks/${webhook.id}`, { name: "Again" });
    expect(saved.body.notices).toEqual([{ path: "url", message: expect.stringContaining("wants no mail from you") }]);
    expect(await subjectsTo(address)).toHaveLength(2);
    await visit(link, { agree: "1" });
    expect(await test(account, webhook)).toMatchObject({ delivered: true });
  });

  it("cannot be answered for by the owner, to whom no record of a delivery shows the link", async () => {
    const account = await anAccount("free");
    const address = freshMail();
    const webhook = await mailWebhook(account, address);
    await agree(address);
    await test(account, webhook);
    const { body } = await account.client.get(`${V1}/webhooks/${webhook.id}/deliveries`);
    expect(JSON.stringify(body)).toContain("/mail-consent/***");
    expect(JSON.stringify(body)).not.toMatch(/mail-consent\/[0-9a-f]/);
    const forged = (await linkTo(address)).slice(0, -1);
    expect((await visit(`${forged}_`, { agree: "1" })).status).toBe(410);
  });

  it("is notified by no step of an escalation until they agree, and the next step goes on", async () => {
    const account = await anAccount("free");
    const page = await createPage(account);
    const address = freshMail();
    const policy = await setPolicy({ account, page }, [
      { level: 1, wait_minutes: 0, contacts: [{ type: "email", value: address }] },
    ]);
    expect(policy.notices).toEqual([{ path: "steps[0].contacts[0].value", message: UNANSWERED }]);
    await openIncident(account, page);
    expect(await notificationsOf(page)).toContainEqual({ type: "email", error: UNANSWERED });
    expect(await subjectsTo(address)).toHaveLength(1);
    await agree(address);
    await openIncident(account, page);
    expect((await subjectsTo(address)).some((subject) => subject.includes("WIN A PRIZE"))).toBe(true);
  });

  it("is asked once a day, however often something is saved", async () => {
    const account = await anAccount("free");
    const address = freshMail();
    const webhook = await mailWebhook(account, address);
    for (let n = 0; n < 3; n++) await account.client.put(`${V1}/webhooks/${webhook.id}`, { name: `Mail ${n}` });
    await test(account, webhook);
    expect(await subjectsTo(address)).toHaveLength(1);
    await clock.pass(DAY_MINUTES);
    await test(account, webhook);
    expect(await subjectsTo(address)).toHaveLength(2);
  });

  it("gets mail without a question on the plan of an operator's own installation, and stops it all the same", async () => {
    const account = await anAccount();
    const address = freshMail();
    const webhook = await mailWebhook(account, address);
    expect(webhook).not.toHaveProperty("notices");
    expect(await test(account, webhook)).toMatchObject({ delivered: true });
    await visit(await linkTo(address), {});
    expect(await test(account, webhook)).toMatchObject({ delivered: false, error: expect.stringContaining("no mail") });
  });
});

describe("somebody of the team", () => {
  it("is asked nothing while they are a member, and is a stranger again afterwards", async () => {
    const [owner, member] = [await anAccount("starter"), await anAccount()];
    const page = await createPage(owner);
    const id = await joinPage(member, page, { role: "viewer" });
    const address = `${member.user_id}@example.com`;
    const webhook = await mailWebhook(owner, address);
    expect(webhook).not.toHaveProperty("notices");
    expect(await test(owner, webhook)).toMatchObject({ delivered: true });
    expect((await owner.client.delete(`${V1}/status-pages/${page}/members/${id}`)).status).toBe(204);
    expect(await test(owner, webhook)).toMatchObject({ delivered: false, error: UNANSWERED });
  });

  it("has agreed with the code of a contact, which ends with the contact", async () => {
    const account = await anAccount("free");
    const { id, value, code } = await createContact(account);
    await account.client.post(`${V1}/notify-contacts/${id}/verify`, { code });
    const webhook = await mailWebhook(account, value);
    expect(webhook).not.toHaveProperty("notices");
    await account.client.delete(`${V1}/notify-contacts/${id}`);
    expect(await test(account, webhook)).toMatchObject({ delivered: false, error: UNANSWERED });
  });
});

describe("what an account may mail", () => {
  it("ends with the day's budget of its plan, which tier-info shows", async () => {
    const account = await anAccount("free");
    const page = await createPage(account);
    const endpoints = Array.from({ length: 4 }, freshMail);
    const client = createClientUnder({ ...SETTINGS, RATE_LIMITS: "all=off,mails=3" }, account.token);
    const invited = await client.post(`${V1}/subscribers`, { status_page_id: page, endpoints });
    expect(invited.body).toMatchObject({
      invited: 3,
      refused: [{ endpoint: endpoints[3], error: expect.stringContaining("no more mail") }],
    });
    const tier = await account.client.get(`${CORE}/uptime/tier-info`);
    expect(tier.body).toMatchObject({ limits: { mails: 100, subscriber_mails: 10_000 }, usage: { mails: 4 } });
    await clock.pass(DAY_MINUTES);
    const next = await client.post(`${V1}/subscribers`, { status_page_id: page, endpoints: [freshMail()] });
    expect(next.body).toMatchObject({ invited: 1, refused: [] });
  });

  it("leaves a webhook's mail waiting beyond it, and says why", async () => {
    const account = await anAccount("free");
    const address = freshMail();
    const webhook = await mailWebhook(account, address);
    await agree(address);
    await db.update(mailBudgets).set({ mails: 100 }).where(eq(mailBudgets.owner_id, account.user_id));
    expect(await test(account, webhook)).toMatchObject({ delivered: false, error: expect.stringContaining("today") });
    await clock.pass(DAY_MINUTES);
    expect(await test(account, webhook)).toMatchObject({ delivered: true });
  });

  it("counts invited subscribers who have not answered as those of the page", async () => {
    const account = await anAccount("free");
    const page = await createPage(account);
    const client = createClientUnder({ ...SETTINGS, RATE_LIMITS: "all=off,page_subscribers=3" }, account.token);
    const invite = (count: number) =>
      client.post(`${V1}/subscribers`, { status_page_id: page, endpoints: Array.from({ length: count }, freshMail) });
    expect((await invite(2)).body).toMatchObject({ invited: 2 });
    expect(await invite(2)).toMatchObject({ status: 403, body: { code: "page_full" } });
    expect((await invite(1)).body).toMatchObject({ invited: 1 });
    expect((await invite(1)).status).toBe(403);
  });

  it("bounds news to subscribers, too", async () => {
    const account = await anAccount("free");
    const page = await createPage(account, { is_public: true });
    const client = account.client;
    const endpoint = freshMail();
    await client.post(`${V1}/subscribers`, { status_page_id: page, endpoints: [endpoint] });
    await queue.drain();
    const confirm =
      /http\S+\/subscribers\/confirm\?token=\S+/.exec((await mailsTo(endpoint))[0]?.text ?? "")?.[0] ?? "";
    const { pathname, search } = new URL(confirm);
    expect(await visit(`${pathname}${search}`, {})).toMatchObject({ status: 200 });
    const budget = { owner_id: account.user_id, day_at: Math.floor(Date.now() / DAY_MS) * DAY_MS, mails: 0 };
    const used = { ...budget, subscriber_mails: 9_999 };
    await db.insert(mailBudgets).values(used).onConflictDoUpdate({ target: mailBudgets.owner_id, set: used });
    const before = (await subjectsTo(endpoint)).length;
    const incident = { owner_id: account.user_id, status_page_id: page, name: "incident.created" } as const;
    const events = [newId(), newId()].map((id) => exampleEvent({ ...incident, id, created_at: clock.now }));
    const { statements, wake } = await fanOut(jobScope(env, "test"), events, clock.now);
    await runBatch(db, statements);
    await wake();
    await queue.drain(SETTINGS);
    expect((await subjectsTo(endpoint)).length - before).toBe(1);
  });
});

describe("a host that contacts of an escalation name", () => {
  const contactsOn = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ type: "webhook", value: `https://sink.test/hooks/${n}` }));
  const requests = () => sink.received.filter(({ url }) => url.startsWith("https://sink.test/hooks/"));

  it("is sent one request for each incident and step, which the policy and the timeline say", async () => {
    const account = await anAccount("free");
    const page = await createPage(account);
    sink.serve("https://sink.test/hooks", () => new Response());
    const policy = await setPolicy({ account, page }, [{ level: 1, wait_minutes: 0, contacts: contactsOn(20) }]);
    expect(policy.notices).toHaveLength(19);
    expect(policy.notices[0]).toEqual({
      path: "steps[0].contacts[1].value",
      message: expect.stringContaining("on the host of an earlier contact of the step"),
    });
    await openIncident(account, page);
    expect(requests().map(({ url }) => url)).toEqual(["https://sink.test/hooks/0"]);
    const told = await notificationsOf(page);
    expect(told.filter(({ error }) => error?.includes("on the host of an earlier contact"))).toHaveLength(19);
  });

  it("does not hold up the next step when that one request fails", async () => {
    const account = await anAccount("free");
    const page = await createPage(account);
    sink.serve("https://sink.test/hooks", () => new Response(null, { status: 500 }));
    await setPolicy({ account, page }, [
      { level: 1, wait_minutes: 0, contacts: contactsOn(3) },
      { level: 2, wait_minutes: 60, contacts: [{ type: "user", value: account.user_id }] },
    ]);
    await openIncident(account, page);
    expect(await notificationsOf(page)).toContainEqual({ type: "user", error: null });
  });

  it("is sent one for each contact on the plan of an operator's own installation", async () => {
    const account = await anAccount();
    const page = await createPage(account);
    sink.serve("https://sink.test/hooks", () => new Response());
    const policy = await setPolicy({ account, page }, [{ level: 1, wait_minutes: 0, contacts: contactsOn(3) }]);
    expect(policy).not.toHaveProperty("notices");
    await openIncident(account, page);
    expect(requests()).toHaveLength(3);
  });

  it("is sent so many a minute, which count among the deliveries of the owner", async () => {
    const account = await anAccount("free");
    const page = await createPage(account);
    sink.serve("https://sink.test/hooks", () => new Response());
    await setPolicy({ account, page }, [{ level: 1, wait_minutes: 0, contacts: contactsOn(1) }]);
    for (let n = 0; n < 12; n++) await openIncident(account, page);
    expect(requests()).toHaveLength(10);
    expect(await notificationsOf(page)).toContainEqual({
      type: "webhook",
      error: expect.stringContaining("too many requests to this host"),
    });
    const budget = env.DB.prepare("SELECT taken FROM delivery_budgets WHERE owner_id = ?").bind(account.user_id);
    expect(await budget.first<number>("taken")).toBe(10);
  });
});
