import { env } from "cloudflare:workers";
import { and, eq, lte } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { onCallSchedules } from "../../src/data/on-call/table.ts";
import { passwords } from "../../src/data/sessions/table.ts";
import { users } from "../../src/data/users/table.ts";
import { sweepDeletedAccounts } from "../../src/features/account/purge.ts";
import { hashPassword } from "../../src/platform/password.ts";
import { codeOf } from "../support/authenticator.ts";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { readTables } from "../support/database.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { openIncident } from "../support/incidents.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { mailsTo } from "../support/mail.ts";
import {
  createAccountWithPassword,
  createMember,
  emailOf,
  insertBrowser,
  joinPage,
  PASSWORD,
} from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";
import { joinDuty } from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";
import { createProtectedAccount } from "../support/two-factor.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);
const USER = `${CORE}/user`;

/** Deferred work is done when it answers. */
async function remove({ token }: Account, body: Record<string, unknown>) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const answer = await createVisitor()(USER, headers, { method: "DELETE", body: JSON.stringify(body) });
  return answer.status;
}

/** An account that owns one of much, and is a member of a page of somebody else. */
async function createRichAccount() {
  const account = await createAccountWithPassword();
  const { client } = account;
  const page = await createPage(account);
  const monitor = await createMonitor(client, { status_page_id: page, http_headers: "X-Key: its secret" });
  const heartbeat = await createMonitor(client, { type: "heartbeat", target: undefined, paused: false });
  const webhook = await createWebhook(account, { status_page_id: page, secret: "signed with this" });
  const agent = (await client.post(`${V1}/agents`, { name: "Rack" })).body;
  const group = (await client.post(`${V1}/groups`, { name: "Shops", status_page_id: page })).body;
  const template = await client.post(`${V1}/status-pages/${page}/incident-templates`, { name: "Slow", title: "Slow" });
  const other = await createAccount();
  const otherPage = await createPage(other);
  await joinPage(account, otherPage, { role: "admin" });
  const otherGroup = (await client.post(`${V1}/groups`, { name: "Theirs", status_page_id: otherPage })).body;
  return { ...account, page, monitor, heartbeat, webhook, agent, group, template, other, otherPage, otherGroup };
}

describe("GET /user/export", () => {
  it("holds everything that the account owns, secrets included, and nothing that others share with it", async () => {
    const owner = await createRichAccount();
    await createMember(owner, { role: "viewer" }, owner.page);
    const answer = await owner.client.get(`${USER}/export`);
    expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
      200,
      'attachment; filename="account.json"',
    ]);
    const { body } = answer;
    expect(body).toMatchObject({ version: 1, account: { id: owner.user_id, email: owner.email }, truncated: [] });
    const ids = (name: string) => body[name].map(({ id }: { id: string }) => id);
    expect(ids("status_pages")).toEqual([owner.page]);
    expect(ids("monitors").sort()).toEqual([owner.monitor.id, owner.heartbeat.id].sort());
    expect(body.monitors.find(({ id }: { id: string }) => id === owner.monitor.id).http_headers).toContain(
      "its secret",
    );
    expect([ids("webhooks"), ids("agents"), ids("groups")]).toEqual([
      [owner.webhook.id],
      [owner.agent.id],
      [owner.group.id],
    ]);
    expect(body.incident_templates).toMatchObject([{ id: owner.template.body.id, status_page_id: owner.page }]);
    expect(body.members).toMatchObject([{ role: "viewer", status_page_id: owner.page }]);
    expect(JSON.stringify(body)).not.toContain(owner.otherPage);
    for (const secret of ["signed with this", owner.token, "scrypt"]) expect(answer.body).not.toContain(secret);
  });
});

describe("DELETE /user", () => {
  it("refuses a wrong password, an account without one, and a missing or wrong code", async () => {
    expect(await remove(await createAccountWithPassword(), { password: "guessed" })).toBe(400);
    expect(await remove(await createAccount(), { password: PASSWORD })).toBe(409);
    const account = await createProtectedAccount();
    expect(await remove(account, { password: PASSWORD })).toBe(400);
    expect(await remove(account, { password: PASSWORD, code: "000000" })).toBe(400);
    expect((await account.client.get(`${CORE}/auth/me`)).status).toBe(200);
    expect(await remove(account, { password: PASSWORD, code: codeOf(account.secret, 1) })).toBe(204);
    expect((await account.client.get(`${CORE}/auth/me`)).status).toBe(401);
  });

  it("leaves nothing of the account, its pages, monitors, credentials and name", async () => {
    const owner = await createRichAccount();
    const { slug } = (await owner.client.get(`${V1}/status-pages/${owner.page}`)).body;
    await owner.client.post(`${V1}/incidents`, { status_page_id: owner.page, title: "Trouble", status: "identified" });
    expect((await createVisitor()(`/status/${slug}`)).status).toBe(200);
    expect(await remove(owner, { password: PASSWORD })).toBe(204);

    expect((await owner.client.get(`${V1}/monitors`)).status).toBe(401);
    const login = await createClient().post(`${CORE}/auth/login`, { email: owner.email, password: PASSWORD });
    expect(login.status).toBe(401);
    expect((await createVisitor()(`/status/${slug}`)).status).toBe(404);
    const beat = `/heartbeat/${owner.heartbeat.id}?token=${owner.heartbeat.heartbeat_token}`;
    expect((await createClient().post(beat)).status).toBe(401);
    expect((await owner.other.client.get(`${V1}/status-pages/${owner.otherPage}/members`)).body).toEqual([]);
    const { body } = await owner.other.client.get(`${V1}/audit-logs?event_type=group.created`);
    expect(body).toMatchObject([{ target_id: owner.otherGroup.id, actor: { name: "deleted account" }, ip: null }]);

    const stored = await readTables();
    const { deleted_monitors: _tombstones, ...rest } = stored;
    for (const trace of [owner.email, owner.page, owner.monitor.id, owner.webhook.id, owner.agent.id]) {
      expect(JSON.stringify(rest)).not.toContain(trace);
    }
    expect(await db.$count(users, eq(users.id, owner.user_id))).toBe(0);
    expect((await mailsTo(owner.email)).at(-1)).toMatchObject({ subject: "Your account was deleted" });
  });

  it("removes many monitors in portions, the first at once and the others by the sweep", async () => {
    const owner = await createAccountWithPassword();
    for (let n = 0; n < 120; n++) await insertMonitor(owner.user_id);
    const bystander = await createAccount();
    const { id: kept } = await insertMonitor(bystander.user_id);
    expect(await remove(owner, { password: PASSWORD })).toBe(204);
    const left = () => db.$count(monitors, eq(monitors.owner_id, owner.user_id));
    expect(await left()).toBe(70);
    for (const expected of [20, 0]) {
      await sweepDeletedAccounts(jobScope(env, "test"));
      expect(await left()).toBe(expected);
    }
    expect(await db.$count(users, eq(users.id, owner.user_id))).toBe(0);
    expect(await db.$count(monitors, eq(monitors.id, kept))).toBe(1);
  });

  it("costs as many queries with six teams as with one, whose owner learns of each gap", async () => {
    const leave = async (teams: number) => {
      const [owner, person] = [await createAccount(), await createAccountWithPassword()];
      for (let n = 0; n < teams; n++) await joinDuty(owner, person);
      const { database, queries } = limitDatabase(env.DB);
      const client = createClientUnder({ DB: database }, person.token);
      expect((await client.request("DELETE", USER, { password: PASSWORD })).status).toBe(204);
      const subjects = (await mailsTo(emailOf(owner))).map(({ subject }) => subject);
      expect(subjects.filter((subject) => subject.includes("Nobody on call"))).toHaveLength(teams);
      expect(subjects.filter((subject) => subject.startsWith("What a member"))).toHaveLength(1);
      return queries.length;
    };
    expect(await leave(6)).toBe(await leave(1));
  });

  it.each([
    "an API token",
    "a session",
  ])("takes no more than the queries that Workers Free has, by %s with two factors: owners learn at once what ended, and of gaps on call in the next minute, and the person is responsible for nothing any more", async (credential) => {
    const [owner, account] = [await createAccount(), await createProtectedAccount()];
    for (let n = 0; n < 6; n++) await joinDuty(owner, account);
    const teams = (await owner.client.get(`${V1}/status-pages`)).body as { id: string }[];
    const fields = { status_page_id: teams[0]?.id, assigned_to_id: account.user_id };
    const incident = await openIncident(owner, fields);
    const own = await createPage(account);
    await createMonitor(account.client, { status_page_id: own });
    const free = jobScope({ ...env, PLAN: "free" } as never, "test").settings;
    await db
      .update(passwords)
      .set({ hash: hashPassword(free, PASSWORD) })
      .where(eq(passwords.user_id, account.user_id));
    await db.update(onCallSchedules).set({ next_review_at: Date.now() + 3_600_000 });
    const { database } = limitDatabase(env.DB, 50);
    const client = createClientUnder({ PLAN: "free", DB: database }, account.token);
    const headers = credential === "a session" ? await insertBrowser(account) : {};
    const body = { password: PASSWORD, code: codeOf(account.secret, 1) };
    expect((await client.request("DELETE", USER, body, headers)).status).toBe(204);
    const subjects = (await mailsTo(emailOf(owner))).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.startsWith("What a member"))).toHaveLength(1);
    expect((await owner.client.get(`${V1}/incidents/${incident.id}`)).body.assigned_to_id).toBe(null);
    expect((await account.client.get(`${CORE}/auth/me`)).status).toBe(401);
    const due = and(eq(onCallSchedules.owner_id, owner.user_id), lte(onCallSchedules.next_review_at, Date.now()));
    expect(await db.$count(onCallSchedules, due)).toBe(6);
    await sweepDeletedAccounts(jobScope(env, "test"));
    expect(await db.$count(monitors, eq(monitors.owner_id, account.user_id))).toBe(0);
  });

  it("frees the address for a new account", async () => {
    const owner = await createAccountWithPassword();
    expect(await remove(owner, { password: PASSWORD })).toBe(204);
    expect(await db.$count(users, eq(users.email, emailOf(owner)))).toBe(0);
  });
});
