import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { createClient, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { mailsTo } from "../support/mail.ts";
import {
  browserHeaders,
  createAccountWithPassword,
  createInvitation,
  emailOf,
  insertBrowser,
  joinPage,
  mailTokenOf,
  PASSWORD,
  tokenOf,
  transferTokenOf,
} from "../support/members.ts";
import { createWebhook } from "../support/webhooks.ts";

const MINUTE = 60_000;

async function setUp(receiverFields = {}) {
  const [owner, receiver] = await Promise.all([createAccount(), createAccount(receiverFields)]);
  const page = await createPage(owner);
  await joinPage(receiver, page, { role: "editor" });
  const offer = async (user_id = receiver.user_id, headers?: Record<string, string>) =>
    owner.client.request(
      "POST",
      `${V1}/status-pages/${page}/transfer`,
      { user_id },
      headers ?? (await insertBrowser(owner)),
    );
  const accept = (account: Account, token: string) =>
    account.client.post(`${V1}/status-pages/transfers/accept`, { token });
  return { owner, receiver, page, offer, accept, token: () => transferTokenOf(emailOf(receiver)) };
}

describe("POST /status-pages/:id/transfer", () => {
  it("hands the page with everything on it over, once the receiver accepts with the mailed token", async () => {
    const { owner, receiver, page, offer, accept, token } = await setUp();
    const group = await owner.client.post(`${V1}/groups`, { name: "Shops", status_page_id: page });
    const monitor = await createMonitor(owner.client, { status_page_id: page, group_id: group.body.id });
    const webhook = await createWebhook(owner, { status_page_id: page });
    const agent = await owner.client.post(`${V1}/agents`, { name: "Rack", status_page_id: page });
    const run = await createMonitor(owner.client, {
      status_page_id: page,
      agent_id: agent.body.id,
      target: "http://10.0.0.5/",
      paused: false,
    });
    const incident = await owner.client.post(`${V1}/incidents`, { status_page_id: page, title: "Slow" });
    const offered = await offer();
    expect(offered).toMatchObject({ status: 201, body: { status_page_id: page, user_id: receiver.user_id } });
    expect(JSON.stringify(offered.body)).not.toContain(await token());

    const accepted = await accept(receiver, await token());
    expect(accepted).toMatchObject({ status: 200, body: { id: page, detached_monitor_ids: [run.id] } });
    for (const path of [`monitors/${monitor.id}`, `webhooks/${webhook.id}`, `incidents/${incident.body.id}`]) {
      expect((await receiver.client.get(`${V1}/${path}`)).status).toBe(200);
    }
    for (const table of ["status_pages", "monitors", "monitor_groups", "webhooks", "incidents"]) {
      const mark = table === "status_pages" ? "id" : "status_page_id";
      const { results } = await env.DB.prepare(`SELECT DISTINCT owner_id FROM ${table} WHERE ${mark} = ?`)
        .bind(page)
        .all();
      expect([table, results]).toEqual([table, [{ owner_id: receiver.user_id }]]);
    }
    const members = await receiver.client.get(`${V1}/status-pages/${page}/members`);
    expect(members.body).toMatchObject([{ user_id: owner.user_id, role: "admin" }]);
    expect((await owner.client.put(`${V1}/status-pages/${page}`, { description: "Still" })).status).toBe(200);
    expect((await owner.client.delete(`${V1}/status-pages/${page}`)).status).toBe(403);
    // The agent stays behind, and what it ran waits.
    expect((await owner.client.get(`${V1}/agents/${agent.body.id}`)).body.status_page_id).toBeNull();
    expect((await receiver.client.get(`${V1}/monitors/${run.id}`)).body).toMatchObject({
      agent_id: null,
      paused: true,
    });
    expect((await receiver.client.post(`${V1}/monitors/${run.id}/resume`)).status).toBe(400);
    await receiver.client.put(`${V1}/monitors/${run.id}`, { target: "http://sink.test/" });
    const resumed = await receiver.client.post(`${V1}/monitors/${run.id}/resume`);
    expect(resumed).toMatchObject({ status: 200, body: { paused: false, next_check_at: expect.any(String) } });
    expect((await accept(receiver, await token())).status).toBe(400);
  });

  it("is for the owner's own session whose password was given within 15 minutes", async () => {
    const { owner, receiver, page, offer } = await setUp();
    const path = `${V1}/status-pages/${page}/transfer`;
    const refused = { status: 403, body: { code: "password_required" } };
    expect(await owner.client.post(path, { user_id: receiver.user_id })).toMatchObject(refused);
    const old = await insertBrowser(owner, Date.now() - 16 * MINUTE);
    expect(await offer(receiver.user_id, old)).toMatchObject(refused);
    expect(await offer(receiver.user_id, await insertBrowser(owner, null))).toMatchObject(refused);
    const admin = await createAccount();
    await joinPage(admin, page, { role: "admin" });
    expect(await offer(admin.user_id, await insertBrowser(admin))).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    });
    expect(await offer(newId())).toMatchObject({ status: 400 });
    expect(await offer((await createAccount()).user_id)).toMatchObject({ status: 400 });
    expect(await offer(owner.user_id)).toMatchObject({ status: 400 });
  });

  it("leaves agents that vote on its monitors behind, and pauses what they alone checked", async () => {
    const { owner, receiver, page, offer, accept, token } = await setUp();
    const agent = await owner.client.post(`${V1}/agents`, { name: "Rack", is_location: true });
    const voter = `agent:${agent.body.id}`;
    const shared = { status_page_id: page, paused: false };
    const mixed = await createMonitor(owner.client, { ...shared, locations: ["default", voter] });
    const alone = await createMonitor(owner.client, { ...shared, locations: [voter] });
    await offer();
    expect(await accept(receiver, await token())).toMatchObject({ body: { detached_monitor_ids: [alone.id] } });
    const stateOf = async ({ id }: { id: string }) => (await receiver.client.get(`${V1}/monitors/${id}`)).body;
    expect(await stateOf(mixed)).toMatchObject({ locations: [], paused: false });
    expect(await stateOf(alone)).toMatchObject({ locations: [], paused: true });
    expect((await owner.client.delete(`${V1}/agents/${agent.body.id}`)).status).toBe(204);
  });

  it("works after a sign-in, and after a change of the password", async () => {
    const owner = await createAccountWithPassword();
    const receiver = await createAccount();
    const page = await createPage(owner);
    await joinPage(receiver, page, { role: "viewer" });
    const signedIn = await createClient().post("/api/core/v1/auth/login", { email: owner.email, password: PASSWORD });
    const headers = browserHeaders(signedIn.headers.get("set-cookie"));
    const transfer = () =>
      owner.client.request("POST", `${V1}/status-pages/${page}/transfer`, { user_id: receiver.user_id }, headers);
    expect((await transfer()).status).toBe(201);
    await env.DB.prepare("UPDATE sessions SET password_at = 0 WHERE user_id = ?").bind(owner.user_id).run();
    expect((await transfer()).status).toBe(403);
    const change = { current_password: PASSWORD, new_password: `${PASSWORD} 2` };
    await owner.client.request("POST", "/api/core/v1/auth/password", change, headers);
    expect((await transfer()).status).toBe(201);
  });

  it("ends with a newer offer, with its time, and for anybody but the receiver", async () => {
    const { page, receiver, offer, accept, token } = await setUp();
    await offer();
    const first = await token();
    await offer();
    expect((await accept(receiver, first)).status).toBe(400);
    const second = await token();
    expect((await accept(await createAccount(), second)).status).toBe(403);
    await env.DB.prepare("UPDATE page_transfers SET expires_at = 1 WHERE status_page_id = ?").bind(page).run();
    expect((await accept(receiver, second)).status).toBe(400);
  });

  it("ends when the receiver leaves the last page of the owner that they were on, and not before", async () => {
    const { owner, receiver, page, offer, accept, token } = await setUp();
    const other = await createPage(owner);
    const elsewhere = await joinPage(receiver, other, { role: "viewer" });
    await offer();
    const { body: members } = await owner.client.get(`${V1}/status-pages/${page}/members`);
    expect((await owner.client.delete(`${V1}/status-pages/${page}/members/${members[0].id}`)).status).toBe(204);
    expect((await owner.client.delete(`${V1}/status-pages/${other}/members/${elsewhere}`)).status).toBe(204);
    expect((await accept(receiver, await token())).status).toBe(400);
    expect((await receiver.client.get(`${V1}/status-pages/${page}`)).status).toBe(404);
    const left = await env.DB.prepare("SELECT id FROM page_transfers WHERE status_page_id = ?").bind(page).all();
    expect(left.results).toEqual([]);
    // Invited again, they are offered nothing by the mail of then.
    await joinPage(receiver, page, { role: "admin" });
    expect((await accept(receiver, await token())).status).toBe(400);
  });

  it("is judged again where the membership ended by another way than its removal", async () => {
    const { receiver, page, offer, accept, token } = await setUp();
    await offer();
    await env.DB.prepare("DELETE FROM page_members WHERE user_id = ?").bind(receiver.user_id).run();
    expect((await accept(receiver, await token())).status).toBe(400);
    expect((await receiver.client.get(`${V1}/status-pages/${page}`)).status).toBe(404);
  });

  it("judges the plan and the keys of the receiver when they accept", async () => {
    const { owner, page, receiver, offer, accept, token } = await setUp({ plan: "free" });
    const monitor = await createMonitor(owner.client, { status_page_id: page, interval: 60, external_key: "shop" });
    await offer();
    const refused = await accept(receiver, await token());
    expect(refused).toMatchObject({
      status: 403,
      body: { code: "plan_limit", error: expect.stringContaining("interval") },
    });
    await owner.client.put(`${V1}/monitors/${monitor.id}`, { interval: 300 });
    const own = await createMonitor(receiver.client, { interval: 300, external_key: "shop" });
    expect(await accept(receiver, await token())).toMatchObject({ status: 409 });
    await receiver.client.put(`${V1}/monitors/${own.id}`, { external_key: null });
    const other = await createPage(receiver);
    expect(await accept(receiver, await token())).toMatchObject({ status: 403, body: { code: "plan_limit" } });
    await receiver.client.delete(`${V1}/status-pages/${other}`);
    expect(await accept(receiver, await token())).toMatchObject({ status: 200 });
  });

  it("is accepted in a browser, too", async () => {
    const { owner, page, receiver, offer, token } = await setUp();
    await offer();
    const address = `/app/transfer?token=${await token()}`;
    const anonymous = await createClient().get(address);
    expect([anonymous.status, anonymous.headers.get("location")]).toEqual([
      303,
      `/app/sign-in?next=${encodeURIComponent(address)}`,
    ]);
    const ask = async (method: string, account: Account) =>
      account.client.request(method, address, undefined, await insertBrowser(account));
    expect((await ask("GET", await createAccount())).status).toBe(403);
    const shown = await ask("GET", receiver);
    expect(shown.body).toContain(emailOf(owner));
    expect((await ask("POST", receiver)).status).toBe(303);
    expect((await receiver.client.delete(`${V1}/status-pages/${page}`)).status).toBe(204);
    expect((await ask("GET", receiver)).status).toBe(410);
  });
});

describe("POST /status-pages/transfers/decline", () => {
  it("ends the offer for its receiver alone, notifies the owner, and changes nothing else", async () => {
    const { owner, receiver, page, offer, accept, token } = await setUp();
    await offer();
    const body = { token: await token() };
    const decline = (account: Account, headers = {}) =>
      account.client.post(`${V1}/status-pages/transfers/decline`, body, headers);
    expect(await decline(await createAccount())).toMatchObject({ status: 403 });
    const key = { "idempotency-key": newId() };
    expect((await decline(receiver, key)).status).toBe(204);
    expect((await decline(receiver, key)).status).toBe(204);
    expect((await decline(receiver)).status).toBe(400);
    expect((await accept(receiver, body.token)).status).toBe(400);
    const { body: told } = await owner.client.get(`/api/core/v1/notifications`);
    expect(told).toMatchObject([{ type: "page.transfer_declined", status_page_id: page }]);
    const members = await owner.client.get(`${V1}/status-pages/${page}/members`);
    expect(members.body).toMatchObject([{ user_id: receiver.user_id, role: "editor" }]);
    expect((await owner.client.put(`${V1}/status-pages/${page}`, { description: "Still mine" })).status).toBe(200);
    expect((await offer()).status).toBe(201);
  });

  it("is a button beside the one that accepts", async () => {
    const { owner, receiver, offer, token } = await setUp();
    await offer();
    const address = `/app/transfer?token=${await token()}`;
    const browser = createBrowser({ cookie: (await insertBrowser(receiver)).cookie ?? "" });
    const decline = address.replace("?", "/decline?");
    expect((await browser.open(address)).text).toContain(`formaction="${decline}"`);
    const other = createBrowser({ cookie: (await insertBrowser(await createAccount())).cookie ?? "" });
    expect((await other.submit(decline)).status).toBe(403);
    expect((await createBrowser().submit(decline)).status).toBe(303);
    const { status, text } = await browser.submit(decline);
    expect([status, text.includes("You declined the page")]).toEqual([200, true]);
    expect((await browser.open(address)).status).toBe(410);
    const { text: notifications } = await createBrowser({
      cookie: (await insertBrowser(owner)).cookie ?? "",
    }).open("/app/notifications");
    expect(notifications).toContain(`${emailOf(receiver)} declined`);
  });
});

describe("POST /status-pages/:id/transfer/withdraw", () => {
  it("ends the open offer for the owner alone, and the link with it", async () => {
    const { owner, receiver, page, offer, accept, token } = await setUp();
    const admin = await createAccount();
    await joinPage(admin, page, { role: "admin" });
    await offer();
    const mailed = await token();
    const withdraw = (account: Account, headers = {}) =>
      account.client.post(`${V1}/status-pages/${page}/transfer/withdraw`, undefined, headers);
    expect([(await withdraw(admin)).status, (await withdraw(await createAccount())).status]).toEqual([403, 404]);
    const key = { "idempotency-key": newId() };
    expect((await withdraw(owner, key)).status).toBe(204);
    expect((await withdraw(owner, key)).status).toBe(204);
    expect((await withdraw(owner)).status).toBe(404);
    expect((await accept(receiver, mailed)).status).toBe(400);
    expect((await owner.client.get(`${V1}/status-pages/${page}`)).status).toBe(200);
    expect((await offer()).status).toBe(201);
  });

  it("is no offer any more once its time is over", async () => {
    const { owner, page, offer } = await setUp();
    await offer();
    await env.DB.prepare("UPDATE page_transfers SET expires_at = 1 WHERE status_page_id = ?").bind(page).run();
    expect((await owner.client.post(`${V1}/status-pages/${page}/transfer/withdraw`)).status).toBe(404);
  });

  it("is a button beside the open offer", async () => {
    const { owner, page, offer, accept, receiver, token } = await setUp();
    const browser = createBrowser({ cookie: (await insertBrowser(owner, null)).cookie ?? "" });
    const action = `/app/pages/${page}/transfer/withdraw`;
    expect((await browser.open(`/app/pages/${page}`)).text).not.toContain(action);
    await offer();
    expect((await browser.open(`/app/pages/${page}`)).text).toContain(`action="${action}"`);
    expect((await browser.submit(action)).status).toBe(303);
    expect((await browser.open(`/app/pages/${page}`)).text).not.toContain("Offered to");
    expect((await accept(receiver, await token())).status).toBe(400);
  });
});

describe("the form that hands a page over", () => {
  async function open(account: Account, passwordAt?: number | null) {
    const { cookie = "" } = await insertBrowser(account, passwordAt);
    return createBrowser({ cookie });
  }

  it("offers it to a member, who accepts by the mail", async () => {
    const { owner, receiver, page, accept, token } = await setUp();
    const browser = await open(owner);
    const path = `/app/pages/${page}/transfer`;
    expect((await browser.open(`/app/pages/${page}`)).text).toContain(`href="${path}"`);
    const { text } = await browser.open(path);
    expect(text).toContain(`<option value="${receiver.user_id}"`);
    expect(text).not.toContain(`value="${owner.user_id}"`);
    const refused = await browser.submit(path, { user_id: newId() });
    expect([refused.status, refused.text.includes("user_id-problem")]).toEqual([400, true]);
    const sent = await browser.submit(path, { user_id: receiver.user_id });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, `/app/pages/${page}`]);
    expect(await accept(receiver, await token())).toMatchObject({ status: 200, body: { id: page } });
    expect((await browser.open(path)).status).toBe(403);
  });

  it.each([
    ["was given a while ago", () => Date.now() - 16 * MINUTE],
    ["was never given", () => null],
  ])("asks for the password that %s, and comes back", async (_name, passwordAt) => {
    const { owner, receiver, page } = await setUp();
    const browser = await open(owner, passwordAt());
    const path = `/app/pages/${page}/transfer`;
    const shown = await browser.open(path);
    expect([shown.status, shown.text.includes("Sign out and sign in again")]).toEqual([200, true]);
    const refused = await browser.submit(path, { user_id: receiver.user_id });
    expect([refused.status, refused.text.includes("Sign in again")]).toEqual([403, true]);
    expect(await mailsTo(emailOf(receiver))).toEqual([]);
    expect((await browser.submit("/app/sign-out", { next: path })).headers.get("location")).toBe(path);
  });

  it("asks to invite the receiver where the page has no other member", async () => {
    const owner = await createAccount();
    const page = await createPage(owner);
    const { status, text } = await (await open(owner)).open(`/app/pages/${page}/transfer`);
    expect([status, text.includes(`href="/app/team/${page}/invite"`)]).toEqual([200, true]);
  });

  it("is preceded by the offer that is open, for the owner alone and until it ends", async () => {
    const { owner, receiver, page, offer, token } = await setUp();
    const admin = await createAccount();
    await joinPage(admin, page, { role: "admin" });
    const offered = new RegExp(`Offered to <strong[^>]*>[^<]*${emailOf(receiver)}`);
    const isShownTo = async (account: Account) => {
      const { status, text } = await (await open(account)).open(`/app/pages/${page}`);
      expect(status).toBe(200);
      return offered.test(text);
    };
    expect(await isShownTo(owner)).toBe(false);
    const { body } = await offer();
    expect(await isShownTo(owner)).toBe(true);
    expect((await (await open(owner)).open(`/app/pages/${page}`)).text).toContain(`datetime="${body.expires_at}"`);
    expect([await isShownTo(admin), await isShownTo(receiver)]).toEqual([false, false]);
    await receiver.client.post(`${V1}/status-pages/transfers/decline`, { token: await token() });
    expect(await isShownTo(owner)).toBe(false);
    await offer();
    await env.DB.prepare("UPDATE page_transfers SET expires_at = 1 WHERE status_page_id = ?").bind(page).run();
    expect(await isShownTo(owner)).toBe(false);
  });

  it("is the owner's alone", async () => {
    const { receiver, page } = await setUp();
    const admin = await createAccount();
    await joinPage(admin, page, { role: "admin" });
    const browser = await open(admin);
    const path = `/app/pages/${page}/transfer`;
    expect((await browser.open(`/app/pages/${page}`)).text).not.toContain(path);
    const answers = [await browser.open(path), await browser.submit(path, { user_id: receiver.user_id })];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect((await (await open(await createAccount())).open(path)).status).toBe(404);
  });
});

describe("POST /status-pages/:id/members/:member_id/resend", () => {
  it("mails the invitation again with new tokens, which end the old ones", async () => {
    const owner = await createAccount();
    const invited = await createAccount();
    const { id, invitation_id, email, token, mail_token } = await createInvitation(owner, invited);
    await env.DB.prepare("UPDATE page_invitations SET expires_at = 1 WHERE id = ?").bind(invitation_id).run();
    const path = `${V1}/status-pages/${id}/members/${invitation_id}/resend`;
    const again = await owner.client.post(path);
    expect(again).toMatchObject({ status: 200, body: { id: invitation_id, email, status: "pending" } });
    expect(await mailsTo(email)).toHaveLength(2);
    expect([tokenOf(again.body), await mailTokenOf(email)]).not.toEqual([token, mail_token]);
    const accept = (given: string) => invited.client.post(`${V1}/status-pages/members/accept`, { token: given });
    expect((await accept(token)).status).toBe(400);
    expect((await accept(mail_token)).status).toBe(400);
    expect((await accept(tokenOf(again.body))).status).toBe(200);
    expect((await owner.client.post(path)).status).toBe(404);
  });
});
