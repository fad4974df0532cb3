import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { statusChannels } from "../../src/data/chat-links/table.ts";
import { openDb } from "../../src/data/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { CORE, createClientUnder, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { mailsTo } from "../support/mail.ts";
import { createMember, emailOf, insertBrowser, insertPassword, joinPage, PASSWORD } from "../support/members.ts";
import { joinDuty } from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);

async function linkChannel(account: Account, { page, owner }: { page: string; owner: Account }): Promise<string> {
  const id = newId();
  const made = { id, owner_id: owner.user_id, status_page_id: page, created_by: account.user_id };
  const channel = { service: "telegram" as const, channel_id: newId(), name: "Ops", created_at: 0, updated_at: 0 };
  await db.insert(statusChannels).values({ ...made, ...channel });
  return id;
}

/** An admin who set up a channel of alerts, a chat and an agent with a secret, beside a channel of the owner. */
async function setUp(role: "admin" | "editor" = "admin") {
  const owner = await createAccount();
  const { id: page, member, member_id } = await createMember(owner, { role });
  const on = { status_page_id: page };
  const theirs = role === "admin" ? await createWebhook(member, { name: "Ops", ...on }) : null;
  const others = await createWebhook(owner, { name: "Owner's", ...on });
  const channel = await linkChannel(member, { page, owner });
  const agent = await enrollAgent(member, { hostname: "rack" }, `?status_page_id=${page}`);
  await createMonitor(owner.client, {
    ...on,
    agent_id: agent.id,
    target: "http://10.0.0.5/",
    paused: false,
    http_headers: { Authorization: "Bearer INNERSECRET" },
  });
  const path = `${V1}/status-pages/${page}/members/${member_id}`;
  return { owner, member, member_id, page, theirs, others, channel, agent, path };
}

const stateOf = async ({ client }: Account, webhook: { id: string } | null) =>
  (await client.get(`${V1}/webhooks/${webhook?.id}`)).body;
const countChannels = (id: string) => db.$count(statusChannels, eq(statusChannels.id, id));
const reads = async ({ client }: EnrolledAgent) => (await client.get(`${V1}/agents/monitors`)).status;

describe("a person who is responsible for open incidents", () => {
  it("is so no more once they leave, as the log says and the public timeline does not", async () => {
    const { owner, member, page, path } = await setUp("editor");
    const fields = { status_page_id: page, title: "Slow search", message: "We look into it.", is_public: true };
    const made = await Promise.all(
      [{}, { status: "resolved" }].map((more) =>
        owner.client.post(`${V1}/incidents`, { ...fields, ...more, assigned_to_id: member.user_id }),
      ),
    );
    const [open, over] = made.map(({ body }) => `${V1}/incidents/${body.id}`);
    expect((await owner.client.delete(path)).status).toBe(200);
    const { body } = await owner.client.get(open ?? "");
    expect(body).toMatchObject({ assigned_to_id: null, updates: [{ message: "We look into it." }] });
    // What is over says who did it.
    expect((await owner.client.get(over ?? "")).body.assigned_to_id).toBe(member.user_id);
    const log = await db.select().from(auditLog).where(eq(auditLog.target_id, body.id));
    expect(log.map(({ summary }) => summary)).toContain(
      `unassigned incident "Slow search": ${emailOf(member)} left the team`,
    );
  });
});

describe("a person on several pages of an owner", () => {
  const removal = (page: string, member_id: string) => `${V1}/status-pages/${page}/members/${member_id}?all_pages=true`;
  const memberIdOf = async ({ client }: Account, page: string) =>
    (await client.get(`${V1}/status-pages/${page}/members`)).body[0].id;

  it("is removed from all of them at once, within the queries that Workers Free has, and from no page of others", async () => {
    const [owner, person, stranger] = [await createAccount(), await createAccount(), await createAccount()];
    const pages: string[] = [];
    for (let n = 0; n < 6; n++) pages.push(await joinDuty(owner, person));
    const foreign = await joinDuty(stranger, person);
    const [page = ""] = pages;
    const { database } = limitDatabase(env.DB, 50);
    const client = createClientUnder({ PLAN: "free", DB: database }, owner.token);
    const { status, body } = await client.delete(removal(page, await memberIdOf(owner, page)));
    expect([status, body.notices.length]).toEqual([200, 18]);
    const messages = body.notices.map(({ message }: { message: string }) => message);
    expect(messages).toContain("Page: nobody is on call by Primary from now");
    for (const each of pages) {
      expect((await person.client.get(`${V1}/status-pages/${each}`)).status).toBe(404);
      const log = (await owner.client.get(`${V1}/audit-logs?status_page_id=${each}&event_type=member.removed`)).body;
      expect(log).toMatchObject([{ summary: `removed ${emailOf(person)} from all pages` }]);
    }
    expect((await person.client.get(`${V1}/status-pages/${foreign}`)).status).toBe(200);
    const subjects = (await mailsTo(emailOf(owner))).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.includes("Nobody on call"))).toHaveLength(6);
    expect(subjects.filter((subject) => subject.startsWith("What a member"))).toHaveLength(1);
  });

  it("is removed from all of them by their owner alone", async () => {
    const [owner, person, admin] = [await createAccount(), await createAccount(), await createAccount()];
    const page = await joinDuty(owner, person);
    const member_id = await memberIdOf(owner, page);
    await joinPage(admin, page, { role: "admin" });
    expect((await admin.client.delete(removal(page, member_id))).status).toBe(403);
    expect((await person.client.get(`${V1}/status-pages/${page}`)).status).toBe(200);
  });

  it("is removed in the dashboard, which says before where nobody would be on call", async () => {
    const [owner, person] = [await createAccount(), await createAccount()];
    const page = await joinDuty(owner, person);
    const browser = createBrowser(await insertBrowser(owner));
    expect((await browser.open(`/app/team?page=${page}`)).text).not.toContain("Remove from all my pages");
    await joinDuty(owner, person);
    expect((await browser.open(`/app/team?page=${page}`)).text).toContain("Remove from all my pages");
    const path = `/app/team/${page}/members/${await memberIdOf(owner, page)}/remove-everywhere`;
    const shown = await browser.open(path);
    expect([shown.status, shown.text.match(/nobody is on call by Primary from now/g)?.length]).toEqual([200, 2]);
    expect((await browser.submit(path, { confirmation: emailOf(person) })).status).toBe(303);
    expect((await owner.client.get(`${V1}/status-pages/${page}/members`)).body).toEqual([]);
  });
});

describe("what a member set up for a page", () => {
  it("ends with the membership, and the answer, the owner's mail and notifications name it", async () => {
    const { owner, page, path, theirs, others, channel, agent } = await setUp();
    const { status, body } = await owner.client.delete(path);
    expect(status).toBe(200);
    expect(body.notices).toEqual([
      { path: "webhooks", message: 'webhook "Ops" is switched off: switch it on if it leads to the team' },
      { path: "status_channels", message: "telegram Ops is unlinked: link it again if it is the team's" },
      {
        path: "agents",
        message: 'agent "rack" is cut off, and what it checks becomes unknown: enrol it again',
      },
    ]);
    expect(await stateOf(owner, theirs)).toMatchObject({
      is_active: false,
      disabled_reason: "whoever set it up left the team",
    });
    expect(await stateOf(owner, others)).toMatchObject({ is_active: true });
    expect([await countChannels(channel), await reads(agent)]).toEqual([0, 401]);
    const mail = (await mailsTo(emailOf(owner))).find(({ subject }) => subject.startsWith("What a member"));
    for (const { message } of body.notices) expect(mail?.text).toContain(message);
    const { body: notifications } = await owner.client.get(`${CORE}/notifications`);
    expect(notifications[0]).toMatchObject({ type: "member.set_up_ended", status_page_id: page });
  });

  it("goes on where the remover of the member keeps it, who answers for it from then on", async () => {
    const { owner, page, path, theirs, channel, agent } = await setUp();
    const admin = await createAccount();
    const admin_id = await joinPage(admin, page, { role: "admin" });
    const { status, body } = await admin.client.delete(`${path}?keep=true`);
    expect(status).toBe(200);
    expect(body.notices).toHaveLength(3);
    expect(body.notices[0]).toEqual({ path: "webhooks", message: "Ops goes on, and counts as set up by you" });
    expect(await stateOf(owner, theirs)).toMatchObject({ is_active: true });
    expect([await countChannels(channel), await reads(agent)]).toEqual([1, 200]);
    await owner.client.delete(`${V1}/status-pages/${page}/members/${admin_id}`);
    expect(await stateOf(owner, theirs)).toMatchObject({ is_active: false });
    expect([await countChannels(channel), await reads(agent)]).toEqual([0, 401]);
  });

  it("ends when the member leaves, who cannot keep it", async () => {
    const { member, owner, path, theirs, agent } = await setUp();
    expect((await member.client.delete(`${path}?keep=true`)).status).toBe(400);
    expect((await member.client.delete(path)).body.notices).toHaveLength(3);
    expect(await stateOf(owner, theirs)).toMatchObject({ is_active: false });
    expect(await reads(agent)).toBe(401);
  });

  it("ends when the member deletes the account, whose name nobody receives", async () => {
    const { member, owner, theirs, channel, agent } = await setUp();
    await insertPassword(member);
    const gone = await member.client.request("DELETE", `${CORE}/user`, { password: PASSWORD });
    expect(gone.status).toBe(204);
    expect(await stateOf(owner, theirs)).toMatchObject({ is_active: false });
    expect([await countChannels(channel), await reads(agent)]).toEqual([0, 401]);
    const mail = (await mailsTo(emailOf(owner))).find(({ subject }) => subject.startsWith("What a member"));
    expect(mail?.text).toContain("a member who deleted their account");
    expect(mail?.text).not.toContain(member.user_id);
  });

  it("loses its agents where the member may not read secrets any more, and nothing else", async () => {
    const { owner, path, theirs, channel, agent } = await setUp();
    const editor = await owner.client.put(path, { role: "editor" });
    expect(editor).toMatchObject({ status: 200, body: { role: "editor", notices: [] } });
    expect(await reads(agent)).toBe(200);
    const viewer = await owner.client.put(path, { role: "viewer" });
    expect(viewer).toMatchObject({ status: 200, body: { notices: [{ path: "agents" }] } });
    expect([await countChannels(channel), await reads(agent)]).toEqual([1, 401]);
    expect(await stateOf(owner, theirs)).toMatchObject({ is_active: true });
  });

  it("stays on pages that the member does not leave", async () => {
    const { owner, member, path, agent } = await setUp();
    const { id: other } = await createMember(owner);
    await joinPage(member, other, { role: "admin" });
    const elsewhere = await createWebhook(member, { name: "Elsewhere", status_page_id: other });
    const second = await enrollAgent(member, { hostname: "other" }, `?status_page_id=${other}`);
    await owner.client.delete(path);
    expect(await stateOf(owner, elsewhere)).toMatchObject({ is_active: true });
    expect([await reads(agent), await reads(second)]).toEqual([401, 200]);
  });

  it("is said in the dialog that removes the member, where it can be kept", async () => {
    const { owner, page, member, member_id, agent } = await setUp("editor");
    await insertPassword(owner);
    const browser = createBrowser();
    await browser.submit("/app/sign-in", { email: emailOf(owner), password: PASSWORD });
    const form = `/app/team/${page}/members/${member_id}/remove`;
    const { text } = await browser.open(form);
    expect(text).toContain("telegram Ops is unlinked, agent “rack” is cut off.");
    expect(text).toContain("Keep it running");
    const answer = await browser.submit(form, { confirmation: emailOf(member), keep: "on" });
    expect(answer.status).toBe(303);
    expect(await reads(agent)).toBe(200);
  });
});

describe("a person on call, and the dialog that", () => {
  const gap = "nobody is on call by Primary from now";
  async function prepare() {
    const [owner, person] = [await createAccount(), await createAccount()];
    const page = await joinDuty(owner, person);
    const [member] = (await owner.client.get(`${V1}/status-pages/${page}/members`)).body;
    return { owner, person, path: `/app/team/${page}/members/${member.id}` };
  }

  it.each([
    "remove",
    "remove-everywhere",
  ])("leads to %s says before where nobody would be on call, within the queries of Workers Free", async (verb) => {
    const { owner, person, path } = await prepare();
    const { database, queries } = limitDatabase(env.DB, 50);
    const visit = createVisitor({ PLAN: "free", DB: database });
    const headers = { ...(await insertBrowser(owner)), "content-type": "application/x-www-form-urlencoded" };
    expect((await visit(`${path}/${verb}`, headers)).text).toContain(gap);
    queries.length = 0;
    const body = new URLSearchParams({ confirmation: emailOf(person) });
    expect((await visit(`${path}/${verb}`, headers, { method: "POST", body })).status).toBe(303);
  });

  it("lets them leave says the same", async () => {
    const { person, path } = await prepare();
    expect((await createBrowser(await insertBrowser(person)).open(`${path}/remove`)).text).toContain(gap);
  });
});

describe("an agent that was cut off", () => {
  it("is enrolled again by somebody who may, and runs what it ran", async () => {
    const { owner, path, agent } = await setUp();
    await owner.client.delete(path);
    const again = await enrollAgent(owner, { hostname: "rack" }, `?agent_id=${agent.id}`);
    expect(again.id).toBe(agent.id);
    expect((await again.client.get(`${V1}/agents/monitors`)).body).toHaveLength(1);
  });
});
