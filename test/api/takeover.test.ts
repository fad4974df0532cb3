import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { accountLinks } from "../../src/data/account-links/table.ts";
import { installTokens } from "../../src/data/agents/table.ts";
import { chatLinkTokens } from "../../src/data/chat-links/table.ts";
import { openDb } from "../../src/data/db.ts";
import { passwords, sessions } from "../../src/data/sessions/table.ts";
import { users } from "../../src/data/users/table.ts";
import { sha256Hex } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, createClient, V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { mailsTo } from "../support/mail.ts";
import {
  browserHeaders,
  createAccountWithPassword,
  createInvitation,
  createMember,
  emailOf,
  mailTokenOf,
  openUnderForeignAddress,
  PASSWORD,
  resetLinkOf,
  STOLEN,
  tokenOf,
} from "../support/members.ts";
import { createVisitor } from "../support/pages.ts";

const db = openDb(env.DB);
const ACCEPT = `${V1}/status-pages/members/accept`;
const FRESH = "a fresh password";

/** What was deferred is done when it answers. */
const visit = createVisitor();
const signIn = (email: string, password: string, headers = {}) =>
  createClient().post(`${CORE}/auth/login`, { email, password }, headers);

describe("an account opened under somebody else's address", () => {
  it("is unverified and keeps nothing once the real owner resets the password", async () => {
    const { victim, stolen, cookie } = await openUnderForeignAddress();
    expect((await stolen.get(`${CORE}/auth/me`)).body).toMatchObject({ email: victim, email_verified_at: null });
    const answer = await createBrowser().submit(await resetLinkOf(victim), { password: FRESH });
    expect(answer.status).toBe(303);
    expect((await stolen.get(`${CORE}/auth/me`)).status).toBe(401);
    expect((await createClient().request("GET", `${CORE}/auth/me`, undefined, cookie)).status).toBe(401);
    expect([(await signIn(victim, STOLEN)).status, (await signIn(victim, FRESH)).status]).toEqual([401, 200]);
    expect((await signIn(victim, FRESH)).body).toMatchObject({ email_verified_at: expect.any(String) });
  });

  it("ends the attacker's credentials at the first reset even where it asks to keep the tokens", async () => {
    const { victim, stolen } = await openUnderForeignAddress();
    const token = (await resetLinkOf(victim)).split("token=")[1];
    const body = { token, password: FRESH, end_tokens: false };
    expect((await createClient().post(`${CORE}/auth/password/reset`, body)).status).toBe(204);
    expect((await stolen.get(`${CORE}/auth/me`)).status).toBe(401);
  });

  it("joins nothing else by the answer's token, and ends at the token that only the mail carried", async () => {
    const { victim, stolen } = await openUnderForeignAddress();
    const owner = await createAccount();
    const secret = await createPage(owner, { is_public: false });
    const invited = await owner.client.post(`${V1}/status-pages/${secret}/members`, { email: victim, role: "editor" });
    const refused = await stolen.post(ACCEPT, { token: tokenOf(invited.body) });
    expect(refused).toMatchObject({ status: 403, body: { code: "mail_token_required" } });
    expect((await stolen.get(`${V1}/status-pages/${secret}`)).status).toBe(404);
    const joined = await createClient().post(ACCEPT, { token: await mailTokenOf(victim), password: FRESH });
    expect(joined).toMatchObject({ status: 200, body: { email: victim, status_page_id: secret } });
    expect((await stolen.get(`${CORE}/auth/me`)).status).toBe(401);
    expect([(await signIn(victim, STOLEN)).status, (await signIn(victim, FRESH)).status]).toEqual([401, 200]);
  });

  it("has no better plan than the owner who vouches for it", async () => {
    const { stolen, victim } = await openUnderForeignAddress({ plan: "free" });
    expect((await stolen.get(`${CORE}/auth/me`)).body.plan).toBe("free");
    await createBrowser().submit(await resetLinkOf(victim), { password: FRESH });
    expect((await signIn(victim, FRESH)).body.plan).toBe("self_hosted");
  });

  it("sends no mail about its sign-ins to an address whose owner never agreed", async () => {
    const { victim } = await openUnderForeignAddress();
    await signIn(victim, STOLEN, { "user-agent": "another browser" });
    expect(await mailsTo(victim)).toEqual([]);
  });
});

describe("the two tokens of an invitation", () => {
  it("serve a verified user with the address alike", async () => {
    for (const kind of ["token", "mail_token"] as const) {
      const [owner, invited] = [await createAccount(), await createAccount()];
      const invitation = await createInvitation(owner, invited);
      expect((await invited.client.post(ACCEPT, { token: invitation[kind] })).status).toBe(200);
    }
  });

  it("open an account by the mail's alone, which is verified then", async () => {
    const { token, mail_token, email } = await createInvitation(await createAccount());
    expect(token).not.toBe(mail_token);
    const body = { name: "Ada", password: PASSWORD };
    const refused = await createClient().post(ACCEPT, { token, ...body });
    expect(refused).toMatchObject({ status: 403, body: { code: "mail_token_required" } });
    expect(await db.$count(users, eq(users.email, email))).toBe(0);
    const refusedPage = await createBrowser().submit(`/app/accept?token=${token}`, body);
    expect([refusedPage.status, refusedPage.text]).toEqual([
      403,
      expect.stringContaining("Open the link in your mail"),
    ]);
    expect((await createClient().post(ACCEPT, { token: mail_token, ...body })).status).toBe(200);
    expect((await signIn(email, PASSWORD)).body.email_verified_at).toEqual(expect.any(String));
  });
});

describe("a used reset link", () => {
  it("never works again, also after the operator removed the password", async () => {
    const account = await createAccount();
    const link = await resetLinkOf(emailOf(account));
    expect((await createBrowser().submit(link, { password: FRESH })).status).toBe(303);
    await db.delete(passwords).where(eq(passwords.user_id, account.user_id));
    expect((await createBrowser().submit(link, { password: STOLEN })).status).toBe(410);
    expect((await signIn(emailOf(account), STOLEN)).status).toBe(401);
  });

  it("takes every other link of the account along", async () => {
    const { email } = await createAccountWithPassword();
    const [first, second] = [await resetLinkOf(email), await resetLinkOf(email)];
    expect((await createBrowser().submit(second, { password: FRESH })).status).toBe(303);
    expect((await createBrowser().submit(first, { password: STOLEN })).status).toBe(410);
  });
});

describe("a password reset", () => {
  it.each([
    [undefined, 401],
    [true, 401],
    [false, 200],
  ])("with end_tokens %s leaves API tokens with %i", async (end_tokens, status) => {
    const { email, client } = await createAccountWithPassword();
    const token = (await resetLinkOf(email)).split("token=")[1];
    const body = { token, password: FRESH, end_tokens };
    expect((await createClient().post(`${CORE}/auth/password/reset`, body)).status).toBe(204);
    expect((await client.get(`${CORE}/auth/me`)).status).toBe(status);
  });
});

describe("sessions", () => {
  const browserOf = async (email: string, agent: string) =>
    browserHeaders((await signIn(email, PASSWORD, { "user-agent": agent })).headers.get("set-cookie"));

  it("are listed for their user alone, and one ends by its id", async () => {
    const { email, client } = await createAccountWithPassword();
    const [phone, laptop] = [await browserOf(email, "Phone"), await browserOf(email, "Laptop")];
    const see = (headers: Record<string, string>) =>
      createClient().request("GET", `${CORE}/auth/sessions`, undefined, headers);
    const { body } = await see(laptop);
    expect(body).toMatchObject([
      { user_agent: "Laptop", is_current: true },
      { user_agent: "Phone", is_current: false },
    ]);
    const outsider = await createAccount();
    expect((await outsider.client.get(`${CORE}/auth/sessions`)).body).toEqual([]);
    expect((await outsider.client.delete(`${CORE}/auth/sessions/${body[1].id}`)).status).toBe(404);
    expect((await client.delete(`${CORE}/auth/sessions/${body[1].id}`)).status).toBe(204);
    expect([(await see(phone)).status, (await see(laptop)).status]).toEqual([401, 200]);
  });

  it("and tokens of every kind all end at once", async () => {
    const account = await createAccountWithPassword();
    const { email, client } = account;
    const browser = await browserOf(email, "Phone");
    const page = await createPage(account);
    const { token } = (await client.post(`${CORE}/user/metrics-token`)).body;
    const calendar = new URL((await client.post(`${CORE}/user/on-call-calendar`)).body.url).pathname;
    await client.get(`${V1}/agents/token`);
    await client.post(`${V1}/status-pages/${page}/telegram/token`);
    const linked = () => db.$count(chatLinkTokens, eq(chatLinkTokens.created_by, account.user_id));
    const installing = () => db.$count(installTokens, eq(installTokens.created_by, account.user_id));
    expect([await linked(), await installing()]).toEqual([1, 1]);
    expect((await createClient().request("POST", `${CORE}/auth/revoke-all`, undefined, browser)).status).toBe(204);
    expect((await client.get(`${CORE}/auth/me`)).status).toBe(401);
    expect((await createClient().request("GET", `${CORE}/auth/me`, undefined, browser)).status).toBe(401);
    expect([(await createClient(token).get("/metrics")).status, (await visit(calendar)).status]).toEqual([401, 404]);
    expect([await linked(), await installing()]).toEqual([0, 0]);
  });

  it("of a browser that is new mail the account, and of a known one do not", async () => {
    const { email } = await createAccountWithPassword();
    const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    for (const agent of [firefox, firefox, "Laptop"]) await browserOf(email, agent);
    const subjects = (await mailsTo(email)).map(({ subject, text }) => [subject, /Browser: (.*)/.exec(text)?.[1]]);
    expect(subjects).toEqual([
      ["New sign-in to your account", "Firefox on Linux"],
      ["New sign-in to your account", "Laptop"],
    ]);
  });
});

it("a new API token mails the account", async () => {
  const account = await createAccount();
  await account.client.post(`${CORE}/user/api-tokens`, { name: "CI\nBcc: x" });
  expect(await mailsTo(emailOf(account))).toMatchObject([
    { subject: "New API token for your account", text: expect.stringContaining('"CI Bcc: x"') },
  ]);
});

describe("a change of the password", () => {
  it("ends API tokens where that is asked for", async () => {
    const { client } = await createAccountWithPassword();
    const body = { current_password: PASSWORD, new_password: FRESH, end_tokens: true };
    expect((await client.post(`${CORE}/auth/password`, body)).status).toBe(204);
    expect((await client.get(`${CORE}/auth/me`)).status).toBe(401);
  });
});

describe("a sign-in link of the operator", () => {
  async function linkFor({ user_id }: Account, expires_at = Date.now() + 3_600_000): Promise<string> {
    const token = newId().replaceAll("-", "");
    const made = { id: newId(), user_id, kind: "sign_in" as const, created_at: 0, updated_at: 0 };
    await db.insert(accountLinks).values({ ...made, token_hash: sha256Hex(token), expires_at });
    return `/app/sign-in/link?token=${token}`;
  }

  it("signs in once, and the session may set a first password", async () => {
    const account = await createAccount();
    const link = await linkFor(account);
    const browser = createBrowser();
    expect((await browser.open(link)).text).toContain(emailOf(account));
    const answer = await browser.submit(link, {});
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/app/welcome"]);
    expect((await browser.open("/app/welcome")).text).toContain('<h1 dir="auto">Create your password</h1>');
    expect((await createBrowser().submit(link, {})).status).toBe(410);
    const session = browserHeaders(answer.headers.get("set-cookie"));
    const body = { new_password: FRESH };
    expect((await createClient().request("POST", `${CORE}/auth/password`, body, session)).status).toBe(204);
    // Who has just set up an account is not warned of having done so.
    expect((await mailsTo(emailOf(account))).map(({ subject }) => subject)).toEqual(["New sign-in to your account"]);
    expect((await signIn(emailOf(account), FRESH)).status).toBe(200);
  });

  it("mails the operator of the first run of no new browser, and of every later one", async () => {
    const account = await createAccount({ operator: true });
    const [first, second] = [await linkFor(account), await linkFor(account)];
    expect((await createBrowser().submit(first, {})).status).toBe(303);
    expect(await mailsTo(emailOf(account))).toEqual([]);
    const headers = { "user-agent": "Laptop" };
    expect((await createBrowser(headers).submit(second, {})).status).toBe(303);
    const subjects = async () => (await mailsTo(emailOf(account))).map(({ subject }) => subject);
    expect(await subjects()).toEqual(["New sign-in to your account"]);
    await db.delete(sessions).where(eq(sessions.user_id, account.user_id));
    await db.insert(passwords).values({ user_id: account.user_id, hash: "x", created_at: 0, updated_at: 0 });
    expect((await createBrowser({ "user-agent": "Phone" }).submit(await linkFor(account), {})).status).toBe(303);
    expect(await subjects()).toHaveLength(2);
  });

  it.each([
    ["is expired", (account: Account) => linkFor(account, Date.now())],
    [
      "is of a password reset",
      async (account: Account) => (await resetLinkOf(emailOf(account))).replace("reset", "sign-in/link"),
    ],
    ["has no token", async () => "/app/sign-in/link"],
  ])("does nothing when it %s", async (_name, make) => {
    const link = await make(await createAccount());
    const answer = await createBrowser().submit(link, {});
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([410, null]);
  });
});

describe("guesses of one account's password", () => {
  it("are counted for the account, from however many addresses they come, and audited", async () => {
    const { email, user_id, client } = await createAccountWithPassword();
    const counted = createVisitor({ RATE_LIMITS: "account_sign_in=3,all=off" });
    const guess = async (n: number, password = "a wrong guess") => {
      const headers = { "content-type": "application/json", "cf-connecting-ip": `192.0.2.${n}` };
      const body = JSON.stringify({ email, password });
      return (await counted(`${CORE}/auth/login`, headers, { method: "POST", body })).status;
    };
    expect([await guess(1), await guess(2), await guess(3), await guess(4), await guess(5, PASSWORD)]).toEqual([
      401, 401, 401, 429, 429,
    ]);
    const { body } = await client.get(`${V1}/audit-logs?event_type=session.refused`);
    expect(body).toHaveLength(3);
    expect(body[0]).toMatchObject({ target_id: user_id, ip: "192.0.2.3", actor: { type: "system" } });
  });

  describe("by a stranger who uses all of them up", () => {
    const limits = { RATE_LIMITS: "account_sign_in=6,network_sign_in=3,all=off" };
    const attempt = async (email: string, from: { ip: string; password?: string; cookie?: string | undefined }) => {
      const headers = {
        "content-type": "application/json",
        "cf-connecting-ip": from.ip,
        ...(from.cookie ? { cookie: from.cookie } : {}),
      };
      const body = JSON.stringify({ email, password: from.password ?? "a wrong guess" });
      return createVisitor(limits)(`${CORE}/auth/login`, headers, { method: "POST", body });
    };
    const guess = async (email: string, ip: string) => (await attempt(email, { ip })).status;
    const browserOf = ({ headers }: { headers: Headers }) => headers.getSetCookie().at(1)?.split(";")[0];

    it("do not keep the owner out who signs in from elsewhere, with a browser that is new", async () => {
      const { email } = await createAccountWithPassword();
      for (const status of [401, 401, 401, 429, 429]) expect(await guess(email, "192.0.2.1")).toBe(status);
      expect((await attempt(email, { ip: "198.51.100.1", password: PASSWORD })).status).toBe(200);
    });

    it("from many networks leave a browser that the account knows free, for its own account alone", async () => {
      const [owner, other] = [await createAccountWithPassword(), await createAccountWithPassword()];
      const before = await attempt(owner.email, { ip: "198.51.100.1", password: PASSWORD });
      const cookie = browserOf(before);
      for (let n = 1; n <= 6; n++) expect(await guess(owner.email, `192.0.2.${n}`)).toBe(401);
      expect(await guess(owner.email, "192.0.2.99")).toBe(429);
      expect((await attempt(owner.email, { ip: "198.51.100.2", password: PASSWORD })).status).toBe(429);
      const known = await attempt(owner.email, { ip: "192.0.2.1", password: PASSWORD, cookie });
      expect([known.status, browserOf(known)]).toEqual([200, cookie]);
      for (let n = 1; n <= 6; n++) await guess(other.email, `192.0.2.${n}`);
      const stolen = await attempt(other.email, { ip: "198.51.100.2", password: PASSWORD, cookie });
      expect(stolen.status).toBe(429);
    });

    it("bound the guesses of a known browser, too, which signs nobody in by itself", async () => {
      const { email } = await createAccountWithPassword();
      const cookie = browserOf(await attempt(email, { ip: "198.51.100.1", password: PASSWORD }));
      const me = await createClient().request("GET", `${CORE}/auth/me`, undefined, { cookie: cookie ?? "" });
      expect(me.status).toBe(401);
      const statuses: number[] = [];
      for (let n = 1; n <= 4; n++) statuses.push((await attempt(email, { ip: `192.0.2.${n}`, cookie })).status);
      expect(statuses).toEqual([401, 401, 401, 429]);
    });

    it("count only where the password was wrong", async () => {
      const { email } = await createAccountWithPassword();
      for (let n = 1; n <= 8; n++) {
        expect((await attempt(email, { ip: "198.51.100.1", password: PASSWORD })).status).toBe(200);
      }
    });
  });
});

describe("addresses in the audit log", () => {
  it("of other members are for those who manage members", async () => {
    const owner = await createAccount();
    const { id, member: editor } = await createMember(owner, { role: "editor" });
    const { member: admin } = await createMember(owner, { role: "admin" }, id);
    const ip = { "cf-connecting-ip": "192.0.2.44" };
    const group = { name: "Shops", status_page_id: id };
    expect((await owner.client.post(`${V1}/groups`, group, ip)).status).toBe(201);
    const ipFor = async ({ client }: Account) =>
      (await client.get(`${V1}/audit-logs?status_page_id=${id}&event_type=group.created`)).body[0]?.ip;
    expect([await ipFor(owner), await ipFor(admin), await ipFor(editor)]).toEqual(["192.0.2.44", "192.0.2.44", null]);
  });
});

it("a member who was opened by one owner sees the pages of that owner alone", async () => {
  const { stolen, page } = await openUnderForeignAddress();
  const { id: other } = await createMember(await createAccount());
  expect((await stolen.get(`${V1}/status-pages/${page}`)).status).toBe(200);
  expect((await stolen.get(`${V1}/status-pages/${other}`)).status).toBe(404);
});
