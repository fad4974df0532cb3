import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { installTokens } from "../../src/data/agents/table.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { passwords, sessions } from "../../src/data/sessions/table.ts";
import { sha256Hex } from "../../src/platform/credentials.ts";
import { sweepExpired } from "../../src/sweeps/expired.ts";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { readTables } from "../support/database.ts";
import { createAccount } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { browserHeaders, createAccountWithPassword, PASSWORD } from "../support/members.ts";
import { createVisitor } from "../support/pages.ts";

const db = openDb(env.DB);
const DAY = 24 * 3_600_000;
const anybody = createClient();
const signIn = (email: string, password = PASSWORD) => anybody.post(`${CORE}/auth/login`, { email, password });
const getMe = (headers: Record<string, string>) => anybody.request("GET", `${CORE}/auth/me`, undefined, headers);

async function openBrowser() {
  const account = await createAccountWithPassword();
  const answer = await signIn(account.email);
  return { ...account, headers: browserHeaders(answer.headers.get("set-cookie")), answer };
}

afterEach(() => vi.useRealTimers());

describe("POST /auth/login", () => {
  it("sets a cookie that authenticates like a token, and stores only its hash", async () => {
    const { user_id, email, headers, answer } = await openBrowser();
    expect(answer).toMatchObject({ status: 200, body: { id: user_id, email, has_password: true } });
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^vigil_session=\w{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);
    expect(await getMe(headers)).toMatchObject({ status: 200, body: { id: user_id, session: answer.body.session } });
    const rows = await db.select().from(sessions).where(eq(sessions.user_id, user_id));
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(headers.cookie?.split("=")[1]);
    expect(await db.select().from(auditLog).where(eq(auditLog.owner_id, user_id))).toMatchObject([
      { event_type: "session.created", actor_type: "user", actor_id: user_id },
    ]);
  });

  it("prefixes and secures the cookie where people come by https", async () => {
    const { email } = await createAccountWithPassword();
    const see = createVisitor({ PUBLIC_URL: "https://vigil.test" });
    const body = JSON.stringify({ email, password: PASSWORD });
    const answer = await see(`${CORE}/auth/login`, { "content-type": "application/json" }, { method: "POST", body });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-vigil_session=\w{43}; Path=\/; .*; Secure$/),
      expect.stringMatching(/^__Host-vigil_browser=[\w-]{22}\.[\w-]{32}; Path=\/; HttpOnly; .*; Secure$/),
    ]);
  });

  it("says the same to a wrong password, an unknown address and an account without a password", async () => {
    const { email } = await createAccountWithPassword();
    const { user_id } = await createAccount();
    const answers = [
      await signIn(email, "wrong password"),
      await signIn("nobody@example.com"),
      await signIn(`${user_id}@example.com`),
    ];
    for (const { status, body, headers } of answers) {
      expect([status, body.error, headers.get("set-cookie")]).toEqual([401, "email or password is wrong", null]);
    }
  });

  it("takes ten attempts a minute from one address", async () => {
    const see = createVisitor({ RATE_LIMITS: "" });
    const attempt = (ip: string) =>
      see(
        `${CORE}/auth/login`,
        { "content-type": "application/json", "cf-connecting-ip": ip },
        { method: "POST", body: JSON.stringify({ email: "nobody@example.com", password: "x" }) },
      );
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await attempt("192.0.2.77")).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await attempt("192.0.2.78")).status).toBe(401);
  });

  it("stores passwords as a peppered scrypt", async () => {
    const { user_id } = await createAccountWithPassword();
    const [row] = await db.select().from(passwords).where(eq(passwords.user_id, user_id));
    expect(row?.hash).toMatch(/^\$scrypt\$ln=10,r=8,p=5\$[\w+/]{22}\$[\w+/]{43}$/);
  });
});

describe("a session", () => {
  it.each([
    ["six days without use", 6 * DAY, 200],
    ["seven days without use", 7 * DAY, 401],
  ])("answers after %s with its promise", async (_name, pause, status) => {
    const { headers } = await openBrowser();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + pause });
    expect((await getMe(headers)).status).toBe(status);
  });

  it("lasts as long as the operator says, also where it is open already", async () => {
    const { headers } = await openBrowser();
    const ask = async (settings: Record<string, string>) => {
      const answer = await createClientUnder(settings).request("GET", `${CORE}/auth/me`, undefined, headers);
      return [answer.status, answer.body.session && Date.parse(answer.body.session.expires_at) - Date.now()];
    };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    expect((await ask({ SESSION_MS: "600000" }))[0]).toBe(401);
    expect((await ask({ SESSION_IDLE_MS: "600000" }))[0]).toBe(401);
    const [status, left] = await ask({ SESSION_MS: "3600000", SESSION_IDLE_MS: "900000" });
    expect([status, left]).toEqual([200, expect.closeTo(3_000_000, -4)]);
  });

  it("ends after 30 days however much it is used", async () => {
    const { headers } = await openBrowser();
    const begun = Date.now();
    for (const days of [6, 12, 18, 24, 29]) {
      vi.useFakeTimers({ toFake: ["Date"], now: begun + days * DAY });
      expect((await getMe(headers)).status).toBe(200);
    }
    vi.useFakeTimers({ toFake: ["Date"], now: begun + 30 * DAY + 1000 });
    expect((await getMe(headers)).status).toBe(401);
  });

  it("is over on the server when it is signed out", async () => {
    const { headers } = await openBrowser();
    const answer = await anybody.request("POST", `${CORE}/auth/logout`, undefined, headers);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(/^vigil_session=; .*Max-Age=0/);
    expect((await getMe(headers)).status).toBe(401);
  });

  it("yields to a token where both are sent", async () => {
    const { headers } = await openBrowser();
    const { user_id, token } = await createAccount();
    expect((await getMe({ ...headers, authorization: `Bearer ${token}` })).body.id).toBe(user_id);
    expect((await getMe({ ...headers, authorization: "Bearer sk_svc_nonsense" })).status).toBe(401);
  });
});

describe("a request that a session's cookie authenticates", () => {
  const make = (headers: Record<string, string>) =>
    anybody.request("POST", `${CORE}/user/api-tokens`, { name: "CI" }, headers);

  it.each([
    ["from this service's own pages", { origin: "http://vigil.test" }, 201],
    ["that the browser calls same-origin", { "sec-fetch-site": "same-origin" }, 201],
    ["from another origin", { origin: "https://evil.test" }, 403],
    ["from another port", { origin: "http://vigil.test:8080" }, 403],
    ["from nowhere", { origin: "null" }, 403],
    ["that the browser calls same-origin, its origin hidden", { origin: "null", "sec-fetch-site": "same-origin" }, 201],
    ["from a sibling host", { "sec-fetch-site": "same-site" }, 403],
    ["that does not say where it comes from", {}, 403],
    [
      "from another origin that claims to be ours",
      { origin: "https://evil.test", "sec-fetch-site": "same-origin" },
      403,
    ],
  ])("%s is answered as it deserves", async (_name, from, status) => {
    const { headers } = await openBrowser();
    expect((await make({ cookie: headers.cookie ?? "", ...from } as Record<string, string>)).status).toBe(status);
  });

  it.each([
    [{ "sec-fetch-site": "same-origin" }, 200],
    [{ origin: "http://vigil.test" }, 200],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "sec-fetch-site": "none" }, 403],
    [{ origin: "https://evil.test" }, 403],
    [{}, 403],
  ])("makes no install token with a GET that other sites may have caused: %j is %i", async (from, status) => {
    const { headers, user_id } = await openBrowser();
    for (const method of ["GET", "HEAD"]) {
      const sent = { cookie: headers.cookie ?? "", ...from } as Record<string, string>;
      const answer = await anybody.request(method, `${V1}/agents/token`, undefined, sent);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([status, "no-store"]);
    }
    const made = await db.$count(installTokens, eq(installTokens.owner_id, user_id));
    expect(made > 0).toBe(status === 200);
  });

  it("may read from wherever it comes", async () => {
    const { headers } = await openBrowser();
    expect((await getMe({ cookie: headers.cookie ?? "" })).status).toBe(200);
  });

  it("has to be JSON where it has a body", async () => {
    const { headers } = await openBrowser();
    const answer = await make({ ...headers, "content-type": "text/plain" });
    expect(answer.status).toBe(415);
  });
});

describe("PATCH /auth/me", () => {
  it("changes the name that others see, and nothing else", async () => {
    const { client, user_id } = await createAccount();
    const before = (await client.get(`${CORE}/auth/me`)).body;
    const answer = await client.patch(`${CORE}/auth/me`, { name: " Ada <b>Lovelace</b> " });
    expect(answer).toMatchObject({ status: 200, body: { ...before, name: "Ada <b>Lovelace</b>" } });
    expect((await client.get(`${CORE}/auth/me`)).body).toEqual(answer.body);
    const entries = await db.select().from(auditLog).where(eq(auditLog.owner_id, user_id));
    expect(entries.map(({ event_type }) => event_type)).toEqual(["account.updated"]);
  });

  it.each(["", " ", "x".repeat(201), null, 7])("refuses the name %j", async (name) => {
    const { client } = await createAccount();
    expect(await client.patch(`${CORE}/auth/me`, { name })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^name /) },
    });
  });
});

describe("POST /auth/password", () => {
  it("sets no first password for an API token, which would outlive it as a password", async () => {
    const { client, user_id } = await createAccount();
    const answer = await client.post(`${CORE}/auth/password`, { new_password: PASSWORD });
    expect(answer).toMatchObject({ status: 403, body: { error: expect.stringContaining("API token") } });
    expect((await signIn(`${user_id}@example.com`)).status).toBe(401);
  });

  it("ends all other sessions and mails the account", async () => {
    const browser = await openBrowser();
    const elsewhere = browserHeaders((await signIn(browser.email)).headers.get("set-cookie"));
    const body = { current_password: PASSWORD, new_password: "a new long password" };
    const answer = await anybody.request("POST", `${CORE}/auth/password`, body, browser.headers);
    expect(answer.status).toBe(204);
    expect((await getMe(browser.headers)).status).toBe(200);
    expect((await getMe(elsewhere)).status).toBe(401);
    expect((await browser.client.get(`${CORE}/auth/me`)).status).toBe(200);
    expect((await mailsTo(browser.email)).at(-1)).toMatchObject({ subject: "Your password was changed" });
    expect((await signIn(browser.email)).status).toBe(401);
    expect((await signIn(browser.email, "a new long password")).status).toBe(200);
  });

  it.each([
    ["wrong", "not the password"],
    ["missing", undefined],
  ])("refuses a current password that is %s", async (_name, current_password) => {
    const { client, email } = await createAccountWithPassword();
    const answer = await client.post(`${CORE}/auth/password`, {
      current_password,
      new_password: "a new long password",
    });
    expect(answer).toMatchObject({ status: 400, body: { error: "current_password is wrong" } });
    expect((await signIn(email)).status).toBe(200);
  });

  it("never stores what was chosen, also not for an Idempotency-Key", async () => {
    const { client } = await createAccount();
    const body = { new_password: "canary canary canary" };
    await client.post(`${CORE}/auth/password`, body, { "idempotency-key": "password" });
    const plainHash = sha256Hex(JSON.stringify(body));
    const stored = JSON.stringify(await readTables());
    expect(stored).not.toContain("canary");
    expect(stored).not.toContain(plainHash);
  });
});

it("a private page opens for a signed-in member, and for nobody else", async () => {
  const browser = await openBrowser();
  const page = await browser.client.post(`${V1}/status-pages`, {
    name: "Inside",
    slug: `p-${browser.user_id}`,
    is_public: false,
  });
  const see = createVisitor();
  expect((await see(`/status/${page.body.slug}`, browser.headers)).status).toBe(200);
  expect((await see(`/status/${page.body.slug}`)).status).toBe(404);
});

it("the minute's sweep forgets sessions that are over, and no others", async () => {
  const { user_id, email } = await openBrowser();
  await db
    .update(sessions)
    .set({ last_used_at: Date.now() - 7 * DAY })
    .where(eq(sessions.user_id, user_id));
  const { body } = await signIn(email);
  await sweepExpired(jobScope(env, "test"));
  const left = await db.select().from(sessions).where(eq(sessions.user_id, user_id));
  expect(left.map(({ id }) => id)).toEqual([body.session.id]);
});
