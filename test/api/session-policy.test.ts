import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { sessionPolicies } from "../../src/data/session-policy/table.ts";
import { codeOf } from "../support/authenticator.ts";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { browserHeaders, createAccountWithPassword, PASSWORD } from "../support/members.ts";

const db = openDb(env.DB);
const POLICY = `${CORE}/session-policy`;
const DAY = 24 * 3_600_000;
const HOME = { "cf-connecting-ip": "192.0.2.7" };
const AWAY = { "cf-connecting-ip": "198.51.100.9" };
const DEFAULT = {
  session_minutes: 43_200,
  session_idle_minutes: 10_080,
  second_factor: "optional",
  second_factor_from: null,
  allowed_networks: null,
  set_by_environment: [],
};

let operator: Account;
beforeEach(async () => {
  operator = await createAccount({ operator: true });
});
afterEach(async () => {
  vi.useRealTimers();
  await db.delete(sessionPolicies);
});

const set = (change: object) => operator.client.request("PATCH", POLICY, change, HOME);
const login = (email: string, from = HOME) =>
  createClient().post(`${CORE}/auth/login`, { email, password: PASSWORD }, from);
const getMe = (headers: Record<string, string>) => createClient().request("GET", `${CORE}/auth/me`, undefined, headers);
const getPages = (headers: Record<string, string>) =>
  createClient().request("GET", `${V1}/status-pages`, undefined, headers);

async function openBrowser() {
  const account = await createAccountWithPassword();
  const answer = await login(account.email);
  const headers: Record<string, string> = { ...browserHeaders(answer.headers.get("set-cookie")), ...HOME };
  return { ...account, headers };
}

async function signedIn(email: string) {
  const browser = createBrowser(HOME);
  await browser.submit("/app/sign-in", { email, password: PASSWORD });
  return browser;
}

describe("the session policy", () => {
  it("is that of nobody's choice until operators change it, for whom alone it is", async () => {
    expect(await operator.client.get(POLICY)).toMatchObject({ status: 200, body: DEFAULT });
    const { client } = await createAccount();
    expect((await client.get(POLICY)).status).toBe(403);
    expect((await client.patch(POLICY, { session_minutes: 60 })).status).toBe(403);
    expect((await operator.client.get(POLICY)).body).toEqual(DEFAULT);
  });

  it("keeps what a change leaves out, takes null for the default, and is audited", async () => {
    expect((await set({ session_minutes: 60, second_factor: "passwords" })).body).toEqual({
      ...DEFAULT,
      session_minutes: 60,
      second_factor: "passwords",
    });
    expect((await set({ session_minutes: null })).body).toEqual({ ...DEFAULT, second_factor: "passwords" });
    const rows = await db.select().from(auditLog).where(eq(auditLog.owner_id, operator.user_id));
    expect(rows.map(({ event_type }) => event_type)).toEqual(["session_policy.changed", "session_policy.changed"]);
  });

  it.each([
    ["a session of four minutes", { session_minutes: 4 }],
    ["a session of more than 400 days", { session_minutes: 576_001 }],
    ["a rule that there is not", { second_factor: "sometimes" }],
    ["no network at all", { allowed_networks: [] }],
    ["what is no network", { allowed_networks: ["192.0.2.0/33"] }],
  ])("refuses %s, and changes nothing", async (_name, change) => {
    expect((await set({ session_idle_minutes: 60, ...change })).status).toBe(400);
    expect((await operator.client.get(POLICY)).body).toEqual(DEFAULT);
  });

  it("leaves to the environment what that sets, and says so", async () => {
    await set({ session_minutes: 60, second_factor: "everybody" });
    const under = createClientUnder({ SESSION_MS: "7200000", SECOND_FACTOR: "optional" }, operator.token);
    expect((await under.get(POLICY)).body).toEqual({
      ...DEFAULT,
      session_minutes: 120,
      set_by_environment: ["session_minutes", "second_factor"],
    });
    const refused = await under.patch(POLICY, { session_minutes: 30 });
    expect(refused).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining("session_minutes is set by") },
    });
  });
});

describe("how long sessions last", () => {
  it.each([
    ["in all", { session_minutes: 60 }],
    ["without use", { session_idle_minutes: 60 }],
  ])("is what operators say %s, also for those that are open", async (_name, change) => {
    const { headers } = await openBrowser();
    await set(change);
    const begun = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: begun + 59 * 60_000 });
    expect((await getMe(headers)).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: begun + 120 * 60_000 });
    expect((await getMe(headers)).status).toBe(401);
  });

  it("is said by the session and its cookie", async () => {
    const { email } = await createAccountWithPassword();
    await set({ session_minutes: 60 });
    const answer = await login(email);
    const { created_at, expires_at } = answer.body.session;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(3_600_000);
    expect(answer.headers.getSetCookie()[0]).toContain("Max-Age=3600");
  });
});

describe("networks that people sign in from", () => {
  it("are none that would shut out who sets them", async () => {
    const refused = await set({ allowed_networks: ["203.0.113.0/24"] });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("192.0.2.7"), details: [{ path: "allowed_networks" }] },
    });
    expect((await operator.client.get(POLICY)).body).toEqual(DEFAULT);
  });

  it("are the only ones where a session opens and counts; public pages and tokens are for everybody as before", async () => {
    const account = await openBrowser();
    const { email, headers, client, user_id } = account;
    const slug = `p-${user_id}`;
    await createPage(account, { slug });
    expect((await set({ allowed_networks: ["192.0.2.0/24", "2001:db8::/32"] })).status).toBe(200);
    expect((await getMe(headers)).status).toBe(200);
    expect(await getMe({ ...headers, ...AWAY })).toMatchObject({ status: 403, body: { code: "network_not_allowed" } });
    expect(await login(email, AWAY)).toMatchObject({ status: 403, body: { code: "network_not_allowed" } });
    expect((await client.request("GET", `${CORE}/auth/me`, undefined, AWAY)).status).toBe(200);
    const shown = await createBrowser({ ...AWAY, cookie: headers.cookie ?? "" }).open(`/status/${slug}`);
    expect(shown.status).toBe(200);
    const history = await db.select().from(auditLog).where(eq(auditLog.owner_id, user_id));
    expect(history.map(({ summary }) => summary).join("\n")).toContain("from an address that operators do not allow");
  });

  it("are said by the sign-in form to whom they keep out", async () => {
    const { email } = await createAccountWithPassword();
    await set({ allowed_networks: ["192.0.2.0/24"] });
    const browser = createBrowser(AWAY);
    const shown = await browser.submit("/app/sign-in", { email, password: PASSWORD });
    expect([shown.status, browser.hasCookie()]).toEqual([403, false]);
    expect(shown.text).toContain("does not let people sign in from your address");
  });

  it("are opened again by the environment, should nobody be let in any more", async () => {
    const { headers } = await openBrowser();
    await set({ allowed_networks: ["192.0.2.7"] });
    const rescue = createClientUnder({ SESSION_NETWORKS: "0.0.0.0/0,::/0" });
    expect((await rescue.request("GET", `${CORE}/auth/me`, undefined, { ...headers, ...AWAY })).status).toBe(200);
  });
});

describe("a required second factor", () => {
  it("leads who has none to set one up, after which everything opens again", async () => {
    const { email } = await createAccountWithPassword();
    const browser = await signedIn(email);
    expect((await browser.open("/app")).status).toBe(200);
    await set({ second_factor: "passwords" });
    const led = await browser.open("/app/monitors");
    expect([led.status, led.headers.get("location")]).toEqual([303, "/app/second-factor"]);
    const shown = await browser.open("/app/second-factor");
    expect(shown.text).toContain('href="/app/account/passkeys/new"');
    expect(shown.text).toContain('href="/app/account/two-factor"');
    expect((await browser.open("/app/account/passkeys/new")).status).toBe(200);
    const form = await browser.submit("/app/account/two-factor/setup", { password: PASSWORD });
    const secret = /name="secret" value="(\w+)"/.exec(form.text)?.[1] ?? "";
    const otpauth_url = /name="otpauth_url" value="([^"]+)"/.exec(form.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const done = await browser.submit("/app/account/two-factor/confirm", { secret, otpauth_url, code: codeOf(secret) });
    expect(done.text).toContain("Two-factor sign-in is on");
    expect((await browser.open("/app/monitors")).status).toBe(200);
  });

  it("leaves a session without one neither reading nor writing, by the API as well", async () => {
    const { headers } = await openBrowser();
    await set({ second_factor: "everybody" });
    expect(await getPages(headers)).toMatchObject({ status: 403, body: { code: "second_factor_required" } });
    const made = await createClient().request("POST", `${CORE}/user/api-tokens`, { name: "CI" }, headers);
    expect([made.status, made.body.code]).toEqual([403, "second_factor_required"]);
    expect((await getMe(headers)).status).toBe(200);
  });

  it("shows a session without one no page that is not for everybody", async () => {
    const account = await openBrowser();
    const { headers, user_id } = account;
    const slug = `q-${user_id}`;
    await createPage(account, { slug, is_public: false });
    const browser = createBrowser({ ...HOME, cookie: headers.cookie ?? "" });
    expect((await browser.open(`/status/${slug}`)).status).toBe(200);
    await set({ second_factor: "everybody" });
    expect((await browser.open(`/status/${slug}`)).status).toBe(404);
  });

  it("is announced until it is required, and hinders nobody before", async () => {
    const { email } = await createAccountWithPassword();
    const from = new Date(Date.now() + 7 * DAY);
    await set({ second_factor: "passwords", second_factor_from: from.toISOString() });
    const browser = await signedIn(email);
    const shown = await browser.open("/app/monitors");
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining("everybody will need a second factor")]);
    vi.useFakeTimers({ toFake: ["Date"], now: from.getTime() - 1000 });
    const late = await signedIn(email);
    expect((await late.open("/app/monitors")).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: from.getTime() });
    expect((await late.open("/app/monitors")).headers.get("location")).toBe("/app/second-factor");
  });

  it("leaves API tokens, a new password and signing out to everybody", async () => {
    const { email, client } = await createAccountWithPassword();
    const browser = await signedIn(email);
    await set({ second_factor: "passwords" });
    expect((await client.get(`${V1}/status-pages`)).status).toBe(200);
    expect((await browser.open("/app/account/password")).status).toBe(200);
    await browser.submit("/app/sign-out");
    expect(browser.hasCookie()).toBe(false);
  });
});

describe("the form of the session policy", () => {
  it("saves what operators enter, an empty list as everywhere", async () => {
    const { email } = await createAccountWithPassword();
    await db.run(`UPDATE users SET operator = 1 WHERE email = '${email}'`);
    const browser = await signedIn(email);
    const fields = { session_minutes: "600", session_idle_minutes: "", second_factor: "optional" };
    const sent = await browser.submit("/app/installation/sessions", {
      ...fields,
      second_factor_from: "",
      allowed_networks: "192.0.2.0/24",
    });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, "/app/installation"]);
    const allowed_networks = ["192.0.2.0/24"];
    expect((await operator.client.get(POLICY)).body).toEqual({ ...DEFAULT, session_minutes: 600, allowed_networks });
    expect((await browser.open("/app/installation/sessions")).text).toContain("192.0.2.0/24");
    await browser.submit("/app/installation/sessions", { ...fields, second_factor_from: "", allowed_networks: "" });
    expect((await operator.client.get(POLICY)).body).toEqual({ ...DEFAULT, session_minutes: 600 });
    const cookie = `${browser.cookies()}; vigil_zone=Asia%2FTokyo`;
    const { text } = await browser.open("/app/installation/sessions", { cookie });
    expect(text).toMatch(/id="second_factor_from-hint">Asia\/Tokyo/);
  });
});
