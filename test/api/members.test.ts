import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { MailText } from "../../src/contract/mail.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { mailOutbox } from "../../src/data/mail/table.ts";
import { pageInvitations, pageMembers } from "../../src/data/members/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { unseal } from "../../src/platform/seal.ts";
import { sweepExpired } from "../../src/sweeps/expired.ts";
import { CORE, createClient, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import {
  browserHeaders,
  createAccountWithPassword,
  createInvitation,
  createMember,
  emailOf,
  joinPage,
  mailTokenOf,
  PASSWORD,
  tokenOf,
} from "../support/members.ts";

const db = openDb(env.DB);
const DAY = 24 * 3_600_000;
const team = (pageId: string, rest = "") => `${V1}/status-pages/${pageId}/members${rest}`;
const ACCEPT = `${V1}/status-pages/members/accept`;
const freshEmail = () => `${newId()}@example.com`;

async function listTeam({ client }: Account, pageId: string) {
  return (await client.get(team(pageId))).body;
}

const auditOf = (targetId: string) => db.select().from(auditLog).where(eq(auditLog.target_id, targetId));
const expire = (invitationId: string) =>
  db
    .update(pageInvitations)
    .set({ expires_at: Date.now() - 1 })
    .where(eq(pageInvitations.id, invitationId));

describe("POST /status-pages/{id}/members", () => {
  it("invites by an address that is shown once, for seven days, and lists the pending seat", async () => {
    const owner = await createAccount();
    const page = await createPage(owner);
    const email = freshEmail();
    const answer = await owner.client.post(team(page), { email: ` ${email.toUpperCase()} `, role: "editor" });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      email,
      role: "editor",
      capabilities: [],
      status: "pending",
      expires_at: expect.any(String),
      accept_url: expect.stringMatching(/^http:\/\/vigil\.test\/app\/accept\?token=\w{43}$/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { expires_at, created_at, id } = answer.body;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * DAY);
    expect(await listTeam(owner, page)).toMatchObject([
      { id, user_id: null, email, role: "editor", status: "pending", invitation_id: id },
    ]);
    expect(await auditOf(id)).toMatchObject([
      { event_type: "member.invited", owner_id: owner.user_id, status_page_id: page },
    ]);
    const stored = JSON.stringify([await db.select().from(pageInvitations), await auditOf(id)]);
    expect(stored).not.toContain(tokenOf(answer.body));
  });

  it("sends a mail that only the operator's secret opens", async () => {
    const owner = await createAccount();
    const page = await createPage(owner, { name: "Shop\r\nBcc: everybody@example.com" });
    const email = freshEmail();
    const { body } = await owner.client.post(team(page), { email, role: "viewer" });
    const rows = await db.select().from(mailOutbox);
    const mails = await Promise.all(
      rows.map(async ({ id, sealed }) => MailText.parse(await unseal(env.ROOT_SECRET, id, sealed ?? ""))),
    );
    expect(mails.filter(({ to }) => to === email)).toEqual([
      {
        to: email,
        subject: 'Invitation to the status page "Shop Bcc: everybody@example.com"',
        text: expect.stringMatching(/\n\nhttp:\/\/vigil\.test\/app\/accept\?token=\w{43}\n\n/),
        html: expect.stringMatching(
          /<a href="http:\/\/vigil\.test\/app\/accept\?token=\w{43}"[^>]*>Accept the invitation</,
        ),
      },
    ]);
    const [text = ""] = mails.filter(({ to }) => to === email).map((mail) => mail.text);
    expect(text).toContain(
      `${emailOf(owner)} invited you to the status page "Shop Bcc: everybody@example.com" as a viewer.\n` +
        "You can see everything on the page, and change nothing.\n\nThis is the page: http://vigil.test/status/p-",
    );
    expect(text).toMatch(/open this link by \d+ \w+ \d{4}, \d\d:\d\d \(UTC\):\n/);
    expect(text).not.toContain(tokenOf(body));
    expect(JSON.stringify(rows)).not.toContain(await mailTokenOf(email));
  });

  it("refuses an address that is on the team already, or invited", async () => {
    const owner = await createAccount();
    const { id, member } = await createMember(owner);
    const { email, id: other } = await createInvitation(owner);
    const invite = (page: string, address: string) => owner.client.post(team(page), { email: address, role: "viewer" });
    expect(await invite(id, emailOf(member))).toMatchObject({ status: 409 });
    expect(await invite(id, emailOf(owner))).toMatchObject({ status: 409 });
    expect(await invite(other, email)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining("pending") },
    });
  });

  it("invites an address again whose invitation has expired", async () => {
    const owner = await createAccount();
    const { id, email, invitation_id } = await createInvitation(owner);
    await expire(invitation_id);
    expect(await listTeam(owner, id)).toEqual([]);
    expect(await owner.client.post(team(id), { email, role: "viewer" })).toMatchObject({ status: 201 });
    expect(await listTeam(owner, id)).toHaveLength(1);
  });

  it.each([
    ["no e-mail address", { email: "nobody" }, "email must be an e-mail address"],
    ["an unknown role", { role: "boss" }, "role must be one of admin, editor, viewer, custom"],
    ["the owner's role", { role: "owner" }, "role must be one of"],
    ["an unknown capability", { role: "custom", capabilities: ["page.delete"] }, "capabilities[0] must be one of"],
    ["capabilities beside a role", { role: "editor", capabilities: ["page.write"] }, "capabilities are for the role"],
    ["a password of 9 characters", { password: "x".repeat(9) }, "password must have at least 10 characters"],
    ["a password of 257 characters", { password: "x".repeat(257) }, "password must have at most 256 characters"],
    ["a password that everybody tries", { password: "Password1234" }, "password is too common"],
  ])("refuses %s", async (_name, fields, message) => {
    const owner = await createAccount();
    const body = { email: freshEmail(), role: "viewer", ...fields };
    const answer = await owner.client.post(team(await createPage(owner)), body);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(message) } });
  });

  it("lets the owner open an account for an address that has none", async () => {
    const owner = await createAccount();
    const page = await createPage(owner);
    const email = freshEmail();
    const invite = { email, role: "editor", name: "Ada", password: PASSWORD, confirmed: true };
    const answer = await owner.client.post(team(page), invite);
    expect(answer).toMatchObject({ status: 201, body: { status: "accepted", accept_url: null } });
    expect(await listTeam(owner, page)).toMatchObject([{ email, name: "Ada", status: "active" }]);
    const login = await createClient().post(`${CORE}/auth/login`, { email, password: PASSWORD });
    expect(login).toMatchObject({ status: 200, body: { email, name: "Ada" } });
  });

  it("changes nothing about an account that exists, regardless of what the owner says about it", async () => {
    const owner = await createAccount();
    const page = await createPage(owner);
    const { email, user_id } = await createAccountWithPassword();
    const invite = { email, role: "viewer", name: "Mallory", password: "another password", confirmed: true };
    expect(await owner.client.post(team(page), invite)).toMatchObject({ status: 201, body: { status: "pending" } });
    expect(await listTeam(owner, page)).toMatchObject([{ status: "pending", user_id: null }]);
    const signIn = (password: string) => createClient().post(`${CORE}/auth/login`, { email, password });
    expect((await signIn("another password")).status).toBe(401);
    expect(await signIn(PASSWORD)).toMatchObject({ status: 200, body: { id: user_id, name: "Test user" } });
  });

  it("opens no account for anybody but the owner", async () => {
    const owner = await createAccount();
    const { id, member } = await createMember(owner, { role: "admin" });
    const email = freshEmail();
    const invite = { email, role: "viewer", password: PASSWORD, confirmed: true };
    expect(await member.client.post(team(id), invite)).toMatchObject({ status: 201, body: { status: "pending" } });
    expect((await createClient().post(`${CORE}/auth/login`, { email, password: PASSWORD })).status).toBe(401);
  });

  it("shows the address that accepts only once, also to a repeat of the request", async () => {
    const owner = await createAccount();
    const page = await createPage(owner);
    const key = { "idempotency-key": newId() };
    const body = { email: freshEmail(), role: "viewer" };
    const first = await owner.client.post(team(page), body, key);
    const second = await owner.client.post(team(page), body, key);
    expect(second).toMatchObject({ status: 409, body: { error: expect.stringContaining(first.body.id) } });
  });
});

describe("seats", () => {
  it("are members and pending invitations, up to the plan of the owner", async () => {
    const owner = await createAccount({ plan: "starter" });
    const { id, member } = await createMember(owner, { role: "admin" });
    const invite = (by: Account) => by.client.post(team(id), { email: freshEmail(), role: "viewer" });
    expect((await invite(owner)).status).toBe(201);
    expect((await invite(member)).status).toBe(201);
    expect((await owner.client.get(`${V1}/status-pages/${id}/seats`)).body).toEqual({
      used: 3,
      limit: 3,
      members: 1,
      pending_invitations: 2,
    });
    for (const by of [owner, member]) {
      const refused = await invite(by);
      expect(refused).toMatchObject({ status: 403, body: { code: "plan_limit" } });
      expect(refused.body.error).toBe("the starter plan includes 3 seats per status page");
    }
    expect((await owner.client.get(`${CORE}/billing/status`)).body.seats).toEqual({ used: 3, limit: 3 });
  });

  it("hold when several are invited at once", async () => {
    const owner = await createAccount({ plan: "free" });
    const page = await createPage(owner);
    const invite = () => owner.client.post(team(page), { email: freshEmail(), role: "viewer" });
    const answers = await Promise.all([invite(), invite(), invite(), invite()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403]);
    expect(await listTeam(owner, page)).toHaveLength(1);
  });

  it("are free again when an invitation is cancelled, expires, or a member goes", async () => {
    const owner = await createAccount({ plan: "free" });
    const { id, member_id } = await createMember(owner);
    const invite = () => owner.client.post(team(id), { email: freshEmail(), role: "viewer" });
    expect((await invite()).status).toBe(403);
    expect((await owner.client.delete(team(id, `/${member_id}`))).status).toBe(204);
    const first = await invite();
    expect(first.status).toBe(201);
    expect((await owner.client.delete(team(id, `/invitations/${first.body.id}`))).status).toBe(204);
    const second = await invite();
    expect(second.status).toBe(201);
    await expire(second.body.id);
    expect((await invite()).status).toBe(201);
  });
});

describe("POST /status-pages/members/accept", () => {
  it("makes the invited person a member, with a notification for who invited them", async () => {
    const [owner, invited] = [await createAccount(), await createAccount()];
    const { id, token, invitation_id } = await createInvitation(owner, invited, { role: "editor" });
    const answer = await invited.client.post(ACCEPT, { token });
    expect(answer).toMatchObject({
      status: 200,
      body: { status_page_id: id, user_id: invited.user_id, role: "editor", status: "active", invitation_id },
    });
    expect(await listTeam(owner, id)).toMatchObject([
      { id: answer.body.id, email: emailOf(invited), status: "active" },
    ]);
    expect((await invited.client.get(`${V1}/status-pages/${id}`)).status).toBe(200);
    expect(await auditOf(answer.body.id)).toMatchObject([{ event_type: "member.joined", owner_id: owner.user_id }]);
    expect((await owner.client.get(`${CORE}/notifications`)).body).toMatchObject([
      { type: "member.joined", status_page_id: id, is_read: false },
    ]);
  });

  it("opens an account for a person who has none, and signs it in", async () => {
    const owner = await createAccount();
    const { id, mail_token: token, email } = await createInvitation(owner);
    const answer = await createClient().post(ACCEPT, { token, name: "Ada", password: PASSWORD });
    expect(answer).toMatchObject({ status: 200, body: { email, name: "Ada", status_page_id: id, status: "active" } });
    const headers = browserHeaders(answer.headers.get("set-cookie"));
    const mine = await createClient().request("GET", `${V1}/status-pages/member-of`, undefined, headers);
    expect(mine.body).toMatchObject([{ id, role: "viewer", capabilities: [] }]);
    expect((await createClient().post(`${CORE}/auth/login`, { email, password: PASSWORD })).status).toBe(200);
  });

  it("lets nobody else accept", async () => {
    const [owner, invited, other] = [await createAccount(), await createAccount(), await createAccount()];
    const { id, token, mail_token } = await createInvitation(owner, invited);
    const asMallory = { name: "Mallory", password: PASSWORD };
    for (const [each, status] of [
      [token, 403],
      [mail_token, 401],
    ] as const) {
      expect((await other.client.post(ACCEPT, { token: each })).status).toBe(403);
      expect((await createClient().post(ACCEPT, { token: each, ...asMallory })).status).toBe(status);
    }
    expect(await listTeam(owner, id)).toMatchObject([{ status: "pending" }]);
  });

  it("works once, also for two at once", async () => {
    const [owner, invited] = [await createAccount(), await createAccount()];
    const { id, token } = await createInvitation(owner, invited);
    const accept = () => invited.client.post(ACCEPT, { token });
    const answers = await Promise.all([accept(), accept()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await accept()).status).toBe(400);
    expect(await listTeam(owner, id)).toHaveLength(1);
  });

  it("opens one account when two accept at once without one", async () => {
    const owner = await createAccount();
    const { id, mail_token: token } = await createInvitation(owner);
    const accept = (name: string) => createClient().post(ACCEPT, { token, name, password: PASSWORD });
    const statuses = (await Promise.all([accept("Ada"), accept("Eve")])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await listTeam(owner, id)).toHaveLength(1);
  });

  it.each([
    ["was never issued", async () => "x".repeat(43)],
    [
      "has expired",
      async (owner: Account, invited: Account) => {
        const { token, invitation_id } = await createInvitation(owner, invited);
        await expire(invitation_id);
        return token;
      },
    ],
    [
      "was cancelled",
      async (owner: Account, invited: Account) => {
        const { id, token, invitation_id } = await createInvitation(owner, invited);
        await owner.client.delete(team(id, `/invitations/${invitation_id}`));
        return token;
      },
    ],
    [
      "is of a page that is gone",
      async (owner: Account, invited: Account) => {
        const { id, token } = await createInvitation(owner, invited);
        await owner.client.delete(`${V1}/status-pages/${id}`);
        return token;
      },
    ],
  ])("refuses a token that %s", async (_name, makeToken) => {
    const [owner, invited] = [await createAccount(), await createAccount()];
    const token = await makeToken(owner, invited);
    const answer = await invited.client.post(ACCEPT, { token });
    expect(answer).toMatchObject({ status: 400, body: { error: "token must belong to a pending invitation" } });
  });

  it.each([
    ["password", { name: "Ada" }],
    ["name", { password: PASSWORD }],
  ])("asks for a %s where an account has to be opened", async (field, body) => {
    const { mail_token: token } = await createInvitation(await createAccount());
    const answer = await createClient().post(ACCEPT, { token, ...body });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(`${field} is required`) } });
  });
});

describe("PUT and DELETE /status-pages/{id}/members/{member_id}", () => {
  it("change a role with the next request", async () => {
    const owner = await createAccount();
    const { id, member, member_id } = await createMember(owner, { role: "viewer" });
    const rename = () => member.client.put(`${V1}/status-pages/${id}`, { name: "Ours" });
    expect((await rename()).status).toBe(403);
    const changed = await owner.client.put(team(id, `/${member_id}`), { role: "custom", capabilities: ["page.write"] });
    expect(changed).toMatchObject({ status: 200, body: { role: "custom", capabilities: ["page.write"] } });
    expect((await rename()).status).toBe(200);
    expect(await auditOf(member_id)).toMatchObject([{ event_type: "member.updated", data: { was: "viewer" } }]);
  });

  it("keep what is absent, clear with null, and take a member as read with another role", async () => {
    const owner = await createAccount();
    const grant = { role: "custom" as const, capabilities: ["page.write" as const, "sla.write" as const] };
    const { id, member_id } = await createMember(owner, grant);
    const put = async (body: Record<string, unknown>) => {
      const { status, body: changed } = await owner.client.put(team(id, `/${member_id}`), body);
      return [status, changed.role, changed.capabilities];
    };
    const [read] = await listTeam(owner, id);
    expect(await put({})).toEqual([200, "custom", ["page.write", "sla.write"]]);
    expect(await put({ role: "custom" })).toEqual([200, "custom", ["page.write", "sla.write"]]);
    expect(await put({ capabilities: ["sla.write", "sla.write"] })).toEqual([200, "custom", ["sla.write"]]);
    expect(await put({ capabilities: null })).toEqual([200, "custom", []]);
    expect(await put(read)).toEqual([200, "custom", ["page.write", "sla.write"]]);
    expect(await put({ ...read, role: "viewer" })).toEqual([200, "viewer", []]);
    expect(await put({ capabilities: ["page.write"] })).toEqual([200, "viewer", []]);
    expect(await put({ role: "custom" })).toEqual([200, "custom", []]);
  });

  it("end access at once, to everything of the page", async () => {
    const owner = await createAccount();
    const { id, member, member_id } = await createMember(owner, { role: "admin" });
    const monitor = await createMonitor(owner.client, { status_page_id: id });
    const read = async () =>
      Promise.all(
        [`/status-pages/${id}`, `/monitors/${monitor.id}`, `/status-pages/${id}/members`].map(
          async (path) => (await member.client.get(V1 + path)).status,
        ),
      );
    expect(await read()).toEqual([200, 200, 200]);
    expect((await owner.client.delete(team(id, `/${member_id}`))).status).toBe(204);
    expect(await read()).toEqual([404, 404, 404]);
    expect((await member.client.get(`${V1}/monitors`)).body).toEqual([]);
  });

  it("let a member leave, but not change their own role", async () => {
    const owner = await createAccount();
    const { id, member, member_id } = await createMember(owner, { role: "viewer" });
    const admin = await createMember(owner, { role: "admin" }, id);
    expect((await admin.member.client.put(team(id, `/${admin.member_id}`), { role: "viewer" })).status).toBe(403);
    expect((await member.client.put(team(id, `/${member_id}`), { role: "admin" })).status).toBe(403);
    expect((await member.client.delete(team(id, `/${admin.member_id}`))).status).toBe(403);
    expect((await member.client.delete(team(id, `/${member_id}`))).status).toBe(204);
    expect((await member.client.get(`${V1}/status-pages/${id}`)).status).toBe(404);
  });

  it("never give or take more than the caller has", async () => {
    const owner = await createAccount();
    const custom = await createMember(owner, { role: "custom", capabilities: ["members.manage", "page.write"] });
    const { id } = custom;
    const { client } = custom.member;
    const admin = await createMember(owner, { role: "admin" }, id);
    const viewer = await createMember(owner, { role: "viewer" }, id);
    const to = (member: { member_id: string }, body: object) => client.put(team(id, `/${member.member_id}`), body);
    const grants: [object, number][] = [
      [{ role: "admin" }, 403],
      [{ role: "editor" }, 403],
      [{ role: "custom", capabilities: ["page.write", "secrets.read"] }, 403],
      [{ role: "custom", capabilities: ["page.write", "members.manage"] }, 200],
      [{ role: "viewer" }, 200],
    ];
    for (const [grant, status] of grants) {
      expect((await to(viewer, grant)).status).toBe(status);
      expect((await client.post(team(id), { email: freshEmail(), ...grant })).status).toBe(status === 200 ? 201 : 403);
    }
    expect((await to(admin, { role: "viewer" })).status).toBe(403);
    expect((await client.delete(team(id, `/${admin.member_id}`))).status).toBe(403);
  });

  it("find no member of another page", async () => {
    const owner = await createAccount();
    const [one, other] = [await createMember(owner), await createMember(owner)];
    expect((await owner.client.delete(team(one.id, `/${other.member_id}`))).status).toBe(404);
    expect((await owner.client.put(team(one.id, `/${other.member_id}`), { role: "admin" })).status).toBe(404);
  });
});

describe("DELETE /status-pages/{id}/members/invitations/{invitation_id}", () => {
  it("finds no invitation that is accepted or of another page", async () => {
    const [owner, invited] = [await createAccount(), await createAccount()];
    const accepted = await createInvitation(owner, invited);
    await invited.client.post(ACCEPT, { token: accepted.token });
    const pending = await createInvitation(owner);
    const cancel = (page: string, id: string) => owner.client.delete(team(page, `/invitations/${id}`));
    expect((await cancel(accepted.id, accepted.invitation_id)).status).toBe(404);
    expect((await cancel(accepted.id, pending.invitation_id)).status).toBe(404);
    expect((await cancel(pending.id, pending.invitation_id)).status).toBe(204);
    expect((await cancel(pending.id, pending.invitation_id)).status).toBe(404);
  });
});

describe("what a member sees", () => {
  it("is the shared page and all that is on it, beside what is their own", async () => {
    const owner = await createAccount();
    const { id, member } = await createMember(owner, { role: "viewer" });
    await createMonitor(owner.client, { name: "Private" });
    const shared = await createMonitor(owner.client, { name: "Shared", status_page_id: id });
    const own = await createMonitor(member.client, { name: "Own" });
    const idsAt = async (path: string) =>
      (await member.client.get(V1 + path)).body.map((each: { id: string }) => each.id).sort();
    expect(await idsAt("/monitors")).toEqual([shared.id, own.id].sort());
    expect(await idsAt("/status-pages")).toEqual([id]);
    expect(await idsAt("/status-pages/member-of")).toEqual([id]);
    const group = await owner.client.post(`${V1}/groups`, { name: "Shops", status_page_id: id });
    expect(await idsAt("/groups")).toEqual([group.body.id]);
    const webhook = { name: "Ops", url: "https://sink.test/services/secret-path", status_page_id: id };
    expect((await owner.client.post(`${V1}/webhooks`, webhook)).status).toBe(201);
    const listed = (await member.client.get(`${V1}/webhooks`)).body;
    expect(listed).toHaveLength(1);
    expect(JSON.stringify(listed)).not.toContain("secret-path");
    expect((await member.client.get(`${CORE}/overview`)).body).toMatchObject({
      monitors: { total: 2, by_status: { paused: 2 } },
      status_pages: { owned: 0, shared: 1 },
    });
  });

  it("belongs to the page's owner regardless of its maker, and counts on the owner's plan", async () => {
    const owner = await createAccount({ plan: "free" });
    const { id, member } = await createMember(owner, { role: "editor" });
    const body = { name: "Shop", type: "http", target: "http://sink.test/", paused: true, status_page_id: id };
    const made = await member.client.post(`${V1}/monitors`, body);
    expect(made.status).toBe(201);
    expect((await owner.client.get(`${V1}/monitors/${made.body.id}`)).status).toBe(200);
    const fast = await member.client.post(`${V1}/monitors`, { ...body, interval: 60 });
    expect(fast).toMatchObject({ status: 403, body: { code: "plan_limit" } });
    const rows = await db.select().from(auditLog).where(eq(auditLog.target_id, made.body.id));
    expect(rows).toMatchObject([{ owner_id: owner.user_id, actor_name: emailOf(member) }]);
  });

  it("stays theirs where they are a member of several pages of one owner", async () => {
    const owner = await createAccount();
    const { id, member } = await createMember(owner, { role: "viewer" });
    const second = await createPage(owner);
    await joinPage(member, second, { role: "editor" });
    const put = (page: string) => member.client.post(`${V1}/groups`, { name: "Shops", status_page_id: page });
    expect([(await put(id)).status, (await put(second)).status]).toEqual([403, 201]);
  });
});

it("removing a page removes its team", async () => {
  const owner = await createAccount();
  const { id, member_id } = await createMember(owner);
  await owner.client.delete(`${V1}/status-pages/${id}`);
  expect(await db.select().from(pageMembers).where(eq(pageMembers.id, member_id))).toEqual([]);
});

it("the minute's sweep forgets invitations a month after their time, and no others", async () => {
  const owner = await createAccount();
  const [old, fresh] = [await createInvitation(owner), await createInvitation(owner)];
  const expires_at = Date.now() - 30 * DAY - 1000;
  await db.update(pageInvitations).set({ expires_at }).where(eq(pageInvitations.id, old.invitation_id));
  await sweepExpired(jobScope(env, "test"));
  const find = (id: string) => db.select().from(pageInvitations).where(eq(pageInvitations.id, id));
  expect(await find(old.invitation_id)).toEqual([]);
  expect(await find(fresh.invitation_id)).toHaveLength(1);
});

describe("invitations of somebody who may less from now on", () => {
  it.each<[string, (owner: Account, member: string) => Promise<{ status: number }>]>([
    ["is removed", ({ client }, member) => client.delete(member)],
    ["gets a lesser role", ({ client }, member) => client.put(member, { role: "editor" })],
  ])("end when their sender %s", async (_name, act) => {
    const [owner, invited] = [await createAccount(), await createAccount()];
    const { id, member, member_id } = await createMember(owner, { role: "admin" });
    const sent = await member.client.post(team(id), { email: emailOf(invited), role: "admin" });
    const kept = await owner.client.post(team(id), { email: freshEmail(), role: "viewer" });
    expect((await act(owner, team(id, `/${member_id}`))).status).toBeLessThan(300);
    expect((await invited.client.post(ACCEPT, { token: tokenOf(sent.body) })).status).toBe(400);
    const pending = (await listTeam(owner, id)).filter(({ status }: { status: string }) => status === "pending");
    expect(pending.map((entry: { id: string }) => entry.id)).toEqual([kept.body.id]);
  });
});
