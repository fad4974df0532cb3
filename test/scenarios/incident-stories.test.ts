import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { openDb, runBatch } from "../../src/data/db.ts";
import { escalations } from "../../src/data/escalations/table.ts";
import { events } from "../../src/data/events/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { subscriberMessages, subscribers } from "../../src/data/subscribers/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { V1 } from "../support/client.ts";
import { openIncident } from "../support/incidents.ts";
import { mailsTo } from "../support/mail.ts";
import { setPolicy, toUser } from "../support/on-call.ts";
import { createShop } from "../support/pages.ts";
import { PATIENCE } from "../support/patience.ts";
import { addSubscriber } from "../support/receivers.ts";
import { createWebhook } from "../support/webhooks.ts";

/** Each incident as the people read it who are subscribed to a page: from its beginning to its end, or not at all. */
const db = openDb(env.DB);
type Shop = Awaited<ReturnType<typeof createShop>>;

/** What somebody has read of a page once nothing is under way any more. */
async function readBy({ page }: Shop, address: string) {
  await vi.waitFor(async () => {
    const waiting = await db.select().from(events).where(eq(events.status_page_id, page.id));
    expect(waiting.filter(({ processed_at }) => processed_at === null)).toEqual([]);
    const messages = await db
      .select({ state: subscriberMessages.state })
      .from(subscriberMessages)
      .innerJoin(subscribers, eq(subscribers.id, subscriberMessages.subscriber_id))
      .where(eq(subscribers.status_page_id, page.id));
    expect(messages.filter(({ state }) => state === "pending")).toEqual([]);
  }, PATIENCE);
  const mails = await mailsTo(address);
  return mails.map(({ subject, text }) => ({ subject: subject.replace(": Northwind", ""), text }));
}

const subjectsOf = async (shop: Shop, address: string) => (await readBy(shop, address)).map(({ subject }) => subject);

function open(shop: Shop, fields: Record<string, unknown> = {}) {
  return openIncident(shop.account, {
    status_page_id: shop.page.id,
    title: "Checkout fails",
    monitor_ids: [shop.monitor.id],
    is_public: true,
    message: "We look into it.",
    ...fields,
  });
}

const hide = async ({ account, page }: Shop, is_public: boolean) =>
  expect((await account.client.put(`${V1}/status-pages/${page.id}`, { is_public })).status).toBe(200);

const say = async ({ account }: Shop, { id }: { id: string }, message: string, fields = {}) =>
  expect((await account.client.post(`${V1}/incidents/${id}/updates`, { message, ...fields })).status).toBe(201);

const end = (shop: Shop, incident: { id: string }) => say(shop, incident, "It is over.", { status: "resolved" });

const change = async ({ account }: Shop, { id }: { id: string }, fields: Record<string, unknown>) =>
  expect((await account.client.put(`${V1}/incidents/${id}`, fields)).status).toBe(200);

const unpublish = async ({ account }: Shop, { id }: { id: string }) =>
  expect((await account.client.post(`${V1}/incidents/${id}/unpublish`)).status).toBe(200);

/** Nothing is claimed to be repaired, and no link leads to what is not there. */
function expectWithdrawn(mail: { text: string } | undefined, incident: { id: string }) {
  expect(mail?.text).toContain("Incident withdrawn: Checkout fails\n\nSeverity: Minor\n");
  expect(mail?.text).toContain("This incident is no longer published on this page.");
  expect(mail?.text).not.toMatch(/Resolved|We look into it/);
  expect(mail?.text).not.toContain(`/incidents/${incident.id}`);
}

describe("the story of an incident", () => {
  it("has no end for those who could not read its beginning", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    await hide(shop, false);
    const incident = await open(shop);
    await readBy(shop, reader);
    await hide(shop, true);
    await end(shop, incident);
    expect(await subjectsOf(shop, reader)).toEqual([]);
  });

  it("begins with the first text that they can read, and has an end then", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    await hide(shop, false);
    const incident = await open(shop);
    await readBy(shop, reader);
    await hide(shop, true);
    await say(shop, incident, "A release is rolled back.");
    await readBy(shop, reader);
    await end(shop, incident);
    const mails = await readBy(shop, reader);
    expect(mails.map(({ subject }) => subject)).toEqual(["New incident", "Incident resolved"]);
    expect(mails[0]?.text).toContain("A release is rolled back.");
  });

  it("ends for those who read its beginning although the page is hidden by then, without what was written meanwhile", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop);
    await readBy(shop, reader);
    await hide(shop, false);
    await shop.account.client.put(`${V1}/incidents/${incident.id}`, { title: "Bob dropped the table" });
    await end(shop, incident);
    const mails = await readBy(shop, reader);
    expect(mails.map(({ subject }) => subject)).toEqual(["New incident", "Incident resolved"]);
    const last = mails[1]?.text ?? "";
    expect(last).toContain("Incident resolved: Checkout fails\n\nStatus: Resolved\n");
    expect(last).not.toMatch(/Bob|It is over|Affects|See the|Manage/);
    expect(last).toContain("/subscribers/unsubscribe?token=");
  });

  it("ends for a subscriber of one group or one service that it left meanwhile", async () => {
    const shop = await createShop();
    const { client } = shop.account;
    const { body: group } = await client.post(`${V1}/groups`, { name: "Shops", status_page_id: shop.page.id });
    await client.put(`${V1}/monitors/${shop.monitor.id}`, { group_id: group.id });
    const ofGroup = await addSubscriber(shop.account, shop.page.id, { group_ids: [group.id] });
    const ofService = await addSubscriber(shop.account, shop.page.id, { monitor_ids: [shop.monitor.id] });
    const incident = await open(shop);
    await readBy(shop, ofGroup);
    await runBatch(db, [db.update(monitors).set({ group_id: null }).where(eq(monitors.id, shop.monitor.id))]);
    expect((await client.put(`${V1}/incidents/${incident.id}`, { monitor_ids: [] })).status).toBe(200);
    await end(shop, incident);
    for (const reader of [ofGroup, ofService])
      expect(await subjectsOf(shop, reader)).toEqual(["New incident", "Incident resolved"]);
  });

  it("ends for those who subscribe while the page shows it, and is no news to those who come later", async () => {
    const shop = await createShop();
    const early = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop);
    await readBy(shop, early);
    const late = await addSubscriber(shop.account, shop.page.id);
    await end(shop, incident);
    expect(await subjectsOf(shop, late)).toEqual(["Incident resolved"]);
    const last = await addSubscriber(shop.account, shop.page.id);
    await say(shop, incident, "What we learned from it.");
    expect(await subjectsOf(shop, early)).toEqual(["New incident", "Incident resolved", "Incident updated"]);
    expect(await subjectsOf(shop, late)).toEqual(["Incident resolved", "Incident updated"]);
    expect(await subjectsOf(shop, last)).toEqual([]);
  });

  it("goes on for those who choose other services in the middle, and ends for nobody who left", async () => {
    const shop = await createShop();
    const stays = await addSubscriber(shop.account, shop.page.id);
    const leaves = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop);
    await readBy(shop, stays);
    const rows = await db.select().from(subscribers).where(eq(subscribers.status_page_id, shop.page.id));
    const [first, second] = rows.toSorted((a, b) => a.created_at - b.created_at || a.id.localeCompare(b.id));
    const elsewhere = ["0199c0de-0000-7000-8000-00000000000a"];
    await runBatch(db, [
      db
        .update(subscribers)
        .set({ monitor_ids: elsewhere })
        .where(eq(subscribers.id, first?.id ?? "")),
      db
        .update(subscribers)
        .set({ unsubscribed_at: Date.now() })
        .where(eq(subscribers.id, second?.id ?? "")),
    ]);
    await end(shop, incident);
    expect(await subjectsOf(shop, stays)).toEqual(["New incident", "Incident resolved"]);
    expect(await subjectsOf(shop, leaves)).toEqual(["New incident"]);
  });

  it("begins where it stands when it is published, once", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop, { is_public: false, message: "Is it the database?" });
    await say(shop, incident, "A release is rolled back.", { status: "identified" });
    await shop.account.client.put(`${V1}/incidents/${incident.id}`, { title: "Orders fail" });
    for (const _again of [1, 2]) await shop.account.client.post(`${V1}/incidents/${incident.id}/publish`);
    const [mail, ...others] = await readBy(shop, reader);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe("New incident");
    expect(mail?.text).toContain(
      "New incident: Orders fail\n\nStatus: Identified\nSeverity: Minor\nAffects: Web shop\n",
    );
    expect(mail?.text).toContain("\n\nA release is rolled back.\n");
    expect(mail?.text).not.toMatch(/published|database/);
  });

  it("is one message where it is over before it is published", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id, { confirmed_at: Date.now() - 60_000 });
    const incident = await open(shop, { is_public: false });
    await end(shop, incident);
    await shop.account.client.post(`${V1}/incidents/${incident.id}/publish`);
    const [mail, ...others] = await readBy(shop, reader);
    expect(others).toEqual([]);
    expect(mail?.text).toContain("New incident: Checkout fails\n\nStatus: Resolved\n");
    expect(mail?.text).toContain("It is over.");
  });

  it("ends as withdrawn where it is deleted while it is open, with its alert and its escalation", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    const pager = await createWebhook(shop.account, { provider: "pagerduty", secret: "key" });
    await setPolicy({ account: shop.account, page: shop.page.id }, [
      { level: 1, wait_minutes: 600, contacts: toUser(shop.account.user_id) },
    ]);
    const incident = await open(shop);
    await readBy(shop, reader);
    const escalating = async () =>
      (await db.select().from(escalations).where(eq(escalations.status_page_id, shop.page.id))).length;
    expect(await escalating()).toBe(1);
    expect((await shop.account.client.delete(`${V1}/incidents/${incident.id}`)).status).toBe(204);
    const mails = await readBy(shop, reader);
    expect(mails.map(({ subject }) => subject)).toEqual(["New incident", "Incident withdrawn"]);
    expectWithdrawn(mails[1], incident);
    expect(await escalating()).toBe(0);
    const sent = await db.select().from(deliveries).where(eq(deliveries.webhook_id, pager.id));
    expect(sent.map(({ event_name }) => event_name).sort()).toEqual(["incident.created", "incident.resolved"]);
  });

  it("ends as withdrawn where it is unpublished while it is open, once, and is said anew when it is published again", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop);
    await readBy(shop, reader);
    for (const _again of [1, 2]) await unpublish(shop, incident);
    const mails = await readBy(shop, reader);
    expect(mails.map(({ subject }) => subject)).toEqual(["New incident", "Incident withdrawn"]);
    expectWithdrawn(mails[1], incident);
    await shop.account.client.post(`${V1}/incidents/${incident.id}/publish`);
    await end(shop, incident);
    const subjects = ["New incident", "Incident withdrawn", "Incident updated", "Incident resolved"];
    expect(await subjectsOf(shop, reader)).toEqual(subjects);
  });

  it("ends as withdrawn where one request unpublishes and resolves it, and says nothing of what follows unpublished", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop);
    await readBy(shop, reader);
    await change(shop, incident, { is_public: false, status: "resolved" });
    await shop.account.client.delete(`${V1}/incidents/${incident.id}`);
    expect(await subjectsOf(shop, reader)).toEqual(["New incident", "Incident withdrawn"]);
  });

  it("goes on, and ends, where a person writes the sentence of a withdrawal", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop);
    await readBy(shop, reader);
    const update = { message: "This incident was withdrawn." };
    await shop.account.client.post(`${V1}/incidents/${incident.id}/updates`, update);
    await end(shop, incident);
    expect(await subjectsOf(shop, reader)).toEqual(["New incident", "Incident updated", "Incident resolved"]);
  });

  it("has no end for those who had not read it when it was unpublished", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    await hide(shop, false);
    const incident = await open(shop);
    await readBy(shop, reader);
    await hide(shop, true);
    await unpublish(shop, incident);
    expect(await subjectsOf(shop, reader)).toEqual([]);
  });

  it("is one message where one request publishes and resolves it, and its end for those who had read of it", async () => {
    const shop = await createShop();
    const early = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop);
    await readBy(shop, early);
    await unpublish(shop, incident);
    await readBy(shop, early);
    const other = await addSubscriber(shop.account, shop.page.id, { confirmed_at: Date.now() - 60_000 });
    await change(shop, incident, { is_public: true, status: "resolved", message: "It is over." });
    expect(await subjectsOf(shop, early)).toEqual(["New incident", "Incident withdrawn", "Incident resolved"]);
    const [mail, ...others] = await readBy(shop, other);
    expect(others).toEqual([]);
    expect(mail?.text).toContain("New incident: Checkout fails\n\nStatus: Resolved\n");
    expect(mail?.text).toContain("It is over.");
  });

  it("ends once where it is reopened on a hidden page and resolved when the page is shown again", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop);
    await readBy(shop, reader);
    await end(shop, incident);
    await readBy(shop, reader);
    await hide(shop, false);
    await say(shop, incident, "It is back.", { status: "investigating" });
    await readBy(shop, reader);
    await hide(shop, true);
    await end(shop, incident);
    expect(await subjectsOf(shop, reader)).toEqual(["New incident", "Incident resolved"]);
  });

  it("has no end where it is deleted after its end", async () => {
    const shop = await createShop();
    const reader = await addSubscriber(shop.account, shop.page.id);
    const incident = await open(shop);
    await readBy(shop, reader);
    await end(shop, incident);
    await shop.account.client.delete(`${V1}/incidents/${incident.id}`);
    expect(await subjectsOf(shop, reader)).toEqual(["New incident", "Incident resolved"]);
  });
});
