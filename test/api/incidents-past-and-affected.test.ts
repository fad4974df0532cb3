import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { CORE, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { INCIDENTS } from "../support/incidents.ts";
import { mailsTo } from "../support/mail.ts";
import { emailOf, joinPage } from "../support/members.ts";
import { createShop, createVisitor } from "../support/pages.ts";
import { insertSubscriber } from "../support/subscribers.ts";

const HOUR = 3_600_000;
const iso = (offset: number) => new Date(Date.now() + offset).toISOString();
const visit = createVisitor({ PAGE_MEMO_MS: "0" });

describe("a past incident", () => {
  it("keeps its real times", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const [started_at, resolved_at] = [iso(-5 * HOUR), iso(-3 * HOUR)];
    const past = { status_page_id, title: "Slow", status: "resolved", started_at, resolved_at };
    const { status, body } = await account.client.post(INCIDENTS, past);
    expect(status).toBe(201);
    expect(body).toMatchObject({ started_at, resolved_at });
    const shown = await account.client.get(`${INCIDENTS}/${body.id}`);
    expect(shown.body).toMatchObject({ started_at, resolved_at });
    // What was read goes back unchanged, in every status that it gets.
    expect((await account.client.put(`${INCIDENTS}/${body.id}`, shown.body)).body).toMatchObject({ resolved_at });
    const reopened = await account.client.put(`${INCIDENTS}/${body.id}`, { ...shown.body, status: "monitoring" });
    expect(reopened.body).toMatchObject({ status: "monitoring", resolved_at: null });
  });

  it("is written without telling anybody where it is a record only", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const past = { status_page_id, title: "Slow", status: "resolved", started_at: iso(-HOUR), is_public: true };
    const eventsOfPage = () =>
      openDb(env.DB).select({ name: events.name }).from(events).where(eq(events.status_page_id, status_page_id));
    expect((await account.client.post(INCIDENTS, { ...past, announce: false })).status).toBe(201);
    expect(await eventsOfPage()).toEqual([]);
    expect((await account.client.post(INCIDENTS, { ...past, announce: true })).status).toBe(201);
    expect(await eventsOfPage()).toEqual([{ name: "incident.created" }]);
  });

  it.each([
    ["an end before the start", { status: "resolved", started_at: iso(-HOUR), resolved_at: iso(-2 * HOUR) }],
    ["an end to come", { status: "resolved", resolved_at: iso(HOUR) }],
    ["an end without status resolved", { started_at: iso(-2 * HOUR), resolved_at: iso(-HOUR) }],
    ["a start to come", { started_at: iso(HOUR) }],
    ["silence about what is still open", { announce: false }],
  ])("is refused with %s", async (_name, fields) => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const answer = await account.client.post(INCIDENTS, { status_page_id, title: "Slow", ...fields });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^(?:resolved_at|started_at|announce) /) },
    });
  });
});

describe("the assignee of an incident", () => {
  it("is notified in the dashboard and by mail, once, and not of what they did themselves", async () => {
    const [owner, member] = await Promise.all([createAccount(), createAccount()]);
    const status_page_id = await createPage(owner);
    await joinPage(member, status_page_id, { role: "editor" });
    const notices = async () =>
      (await member.client.get(`${CORE}/notifications`)).body.filter(
        ({ type }: { type: string }) => type === "incident.assigned",
      );
    const assigned = { status_page_id, title: "Slow", assigned_to_id: member.user_id };
    const { body } = await owner.client.post(INCIDENTS, assigned);
    expect(await notices()).toMatchObject([{ target_id: body.id, message: expect.stringContaining('"Slow"') }]);
    expect(await mailsTo(emailOf(member))).toMatchObject([{ subject: "An incident was assigned to you" }]);
    await owner.client.put(`${INCIDENTS}/${body.id}`, { title: "Slower", assigned_to_id: member.user_id });
    expect(await notices()).toHaveLength(1);
    await owner.client.put(`${INCIDENTS}/${body.id}`, { assigned_to_id: null });
    await member.client.put(`${INCIDENTS}/${body.id}`, { assigned_to_id: member.user_id });
    expect(await notices()).toHaveLength(1);
    await owner.client.put(`${INCIDENTS}/${body.id}`, { assigned_to_id: null });
    await owner.client.put(`${INCIDENTS}/${body.id}`, { assigned_to_id: member.user_id });
    expect(await notices()).toHaveLength(2);
  });
});

describe("an incident that is over and whose assignee left the page", () => {
  it("takes back what it gave, and nobody who is not on the page otherwise", async () => {
    const [owner, member, other] = await Promise.all([createAccount(), createAccount(), createAccount()]);
    const status_page_id = await createPage(owner);
    const memberId = await joinPage(member, status_page_id, { role: "editor" });
    const assigned = { status_page_id, title: "Slow", assigned_to_id: member.user_id };
    const opened = await owner.client.post(INCIDENTS, assigned);
    const { body } = await owner.client.put(`${INCIDENTS}/${opened.body.id}`, { status: "resolved" });
    await owner.client.delete(`${V1}/status-pages/${status_page_id}/members/${memberId}`);
    const changed = await owner.client.put(`${INCIDENTS}/${body.id}`, { ...body, title: "Slower" });
    expect([changed.status, changed.body.title, changed.body.assigned_to_id]).toEqual([200, "Slower", member.user_id]);
    expect((await owner.client.put(`${INCIDENTS}/${body.id}`, { assigned_to_id: other.user_id })).status).toBe(400);
    await owner.client.put(`${INCIDENTS}/${body.id}`, { assigned_to_id: null });
    expect((await owner.client.put(`${INCIDENTS}/${body.id}`, assigned)).status).toBe(400);
  });
});

describe("what an incident affects", () => {
  it("is shown as the monitors of its groups and as composites in place of their members", async () => {
    const shop = await createShop();
    const { client } = shop.account;
    const status_page_id = shop.page.id;
    const group = await client.post(`${V1}/groups`, { name: "Edge", status_page_id });
    const placed = await createMonitor(client, {
      name: "Placed",
      status_page_id,
      group_id: group.body.id,
      paused: false,
    });
    const child = await createMonitor(client, { name: "Hidden child", status_page_id, paused: false });
    const body = { name: "Whole", type: "composite", status_page_id, child_ids: [child.id] };
    const composite = (await client.post(`${V1}/monitors`, body)).body;
    const incident = { status_page_id, title: "Slow", is_public: true };
    await client.post(INCIDENTS, { ...incident, group_ids: [group.body.id] });
    await client.post(INCIDENTS, { ...incident, title: "Child slow", monitor_ids: [child.id] });
    const targets = [{ target_type: "monitor", target_id: child.id }];
    const window = { status_page_id, title: "Disks", start_time: iso(HOUR), end_time: iso(2 * HOUR), targets };
    await client.post(`${V1}/maintenance`, window);

    const summary = JSON.parse((await visit(`${shop.path}/api/v2/summary.json`)).text);
    const componentsOf = (title: string) =>
      [...summary.incidents, ...summary.scheduled_maintenances]
        .find(({ name }: { name: string }) => name === title)
        .components.map(({ id }: { id: string }) => id);
    expect(componentsOf("Slow")).toEqual([placed.id]);
    expect(componentsOf("Child slow")).toEqual([composite.id]);
    expect(componentsOf("Disks")).toEqual([composite.id]);
    expect(JSON.stringify(summary)).not.toContain("Hidden child");
  });

  it("reaches the subscribers of a composite when it is a member", async () => {
    const shop = await createShop();
    const { client } = shop.account;
    const status_page_id = shop.page.id;
    const child = await createMonitor(client, { name: "Child", status_page_id });
    const body = { name: "Whole", type: "composite", status_page_id, child_ids: [child.id] };
    const composite = (await client.post(`${V1}/monitors`, body)).body;
    const subscriber = await insertSubscriber(shop.account, { status_page_id, monitor_ids: [composite.id] });
    const times = { start_time: iso(HOUR), end_time: iso(2 * HOUR) };
    const targets = [{ target_type: "monitor", target_id: child.id }];
    await client.post(`${V1}/maintenance`, { status_page_id, title: "Disks", ...times, targets });
    const { results } = await env.DB.prepare("SELECT news FROM subscriber_messages WHERE subscriber_id = ?")
      .bind(subscriber)
      .all<{ news: string }>();
    expect(results).toHaveLength(1);
    expect(results[0]?.news).toContain("Whole");
  });
});
