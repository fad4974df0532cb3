import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { accountLinks } from "../../src/data/account-links/table.ts";
import { openDb } from "../../src/data/db.ts";
import { recoveryCodes, twoFactors } from "../../src/data/two-factor/table.ts";
import { sha256Hex } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { codeOf } from "../support/authenticator.ts";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { readTables } from "../support/database.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { mailsTo } from "../support/mail.ts";
import { createAccountWithPassword, createInvitation, emailOf, PASSWORD } from "../support/members.ts";
import { createVisitor } from "../support/pages.ts";
import { createProtectedAccount, signIn } from "../support/two-factor.ts";

const db = openDb(env.DB);
const TOTP = `${CORE}/auth/totp`;
const FRESH = "a fresh password";
const WRONG = "000000";

/** Codes of steps that no test uses are wrong but for one chance in a million. */
const outcomeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

async function resetTokenOf(email: string): Promise<string> {
  const visit = createVisitor();
  const headers = { "content-type": "application/x-www-form-urlencoded", origin: "http://vigil.test" };
  await visit("/app/forgotten-password", headers, { method: "POST", body: new URLSearchParams({ email }).toString() });
  return /\/app\/reset\?token=(\w+)/.exec((await mailsTo(email)).at(-1)?.text ?? "")?.[1] ?? "";
}

// A code is that of thirty seconds, which may end within a test.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => vi.useRealTimers());

describe("POST /auth/totp/setup", () => {
  it("gives a secret for an authenticator app and changes nothing about sign-in", async () => {
    const { client, email } = await createAccountWithPassword();
    const { status, body } = await client.post(`${TOTP}/setup`, { password: PASSWORD });
    expect([status, body]).toEqual([
      200,
      {
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        otpauth_url: `otpauth://totp/Vigil:${encodeURIComponent(email)}?secret=${body.secret}&issuer=Vigil&algorithm=SHA1&digits=6&period=30`,
      },
    ]);
    expect((await signIn(email)).body).toMatchObject({ email, has_two_factor: false });
  });

  it("refuses a wrong password, an account without one, and an account that has it on", async () => {
    const { client } = await createAccountWithPassword();
    const wrong = await client.post(`${TOTP}/setup`, { password: "guessed" });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: "password" }] } });
    expect((await (await createAccount()).client.post(`${TOTP}/setup`, { password: PASSWORD })).status).toBe(409);
    const protectedAccount = await createProtectedAccount();
    expect((await protectedAccount.client.post(`${TOTP}/setup`, { password: PASSWORD })).status).toBe(409);
  });

  it("shows the secret once to a repeated request", async () => {
    const { client } = await createAccountWithPassword();
    const key = { "idempotency-key": newId() };
    expect((await client.post(`${TOTP}/setup`, { password: PASSWORD }, key)).status).toBe(200);
    expect((await client.post(`${TOTP}/setup`, { password: PASSWORD }, key)).status).toBe(409);
  });
});

describe("POST /auth/totp/confirm", () => {
  it("refuses a wrong code, a code of a replaced secret, and one without a setup", async () => {
    const { client } = await createAccountWithPassword();
    expect((await client.post(`${TOTP}/confirm`, { code: WRONG })).status).toBe(409);
    const first = (await client.post(`${TOTP}/setup`, { password: PASSWORD })).body.secret;
    const second = (await client.post(`${TOTP}/setup`, { password: PASSWORD })).body.secret;
    expect((await client.post(`${TOTP}/confirm`, { code: codeOf(first) })).status).toBe(400);
    const { status, body } = await client.post(`${TOTP}/confirm`, { code: codeOf(second) });
    expect([status, new Set(body.recovery_codes).size]).toEqual([200, 10]);
    expect((await client.post(`${TOTP}/confirm`, { code: codeOf(second, 1) })).status).toBe(409);
  });

  it("mails the account, audits it, and stores neither secret nor recovery codes readable", async () => {
    const { client, email, user_id, secret, recovery_codes } = await createProtectedAccount();
    expect((await client.get(`${CORE}/auth/me`)).body.has_two_factor).toBe(true);
    expect((await mailsTo(email)).map(({ subject }) => subject)).toContain("Two-factor sign-in is on");
    const { body } = await client.get(`${V1}/audit-logs?event_type=two_factor.enabled`);
    expect(body).toMatchObject([{ target_id: user_id }]);
    const stored = JSON.stringify(await readTables());
    for (const text of [secret, ...recovery_codes, ...recovery_codes.map((code) => code.replaceAll("-", ""))]) {
      expect(stored).not.toContain(text);
    }
  });
});

describe("a sign-in with two-factor", () => {
  it("needs the code after the right password, and says nothing of it after a wrong one", async () => {
    const { email, secret } = await createProtectedAccount();
    expect(outcomeOf(await signIn(email))).toEqual([401, "totp_required"]);
    const guessed = await signIn(email, { password: "guessed", code: codeOf(secret, 1) });
    expect([guessed.status, guessed.body.error]).toEqual([401, "email or password is wrong"]);
    const answer = await signIn(email, { code: codeOf(secret, 1) });
    expect(answer).toMatchObject({ status: 200, body: { email, has_two_factor: true } });
    expect(answer.headers.get("set-cookie")).toContain("vigil_session=");
  });

  it("takes each code once, that of the confirmation and one sent twice at once included", async () => {
    const { email, secret } = await createProtectedAccount();
    expect(outcomeOf(await signIn(email, { code: codeOf(secret) }))).toEqual([401, "totp_wrong"]);
    const code = codeOf(secret, 1);
    const answers = await Promise.all([signIn(email, { code }), signIn(email, { code })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(outcomeOf(await signIn(email, { code }))).toEqual([401, "totp_wrong"]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    expect((await signIn(email, { code: codeOf(secret) })).status).toBe(200);
  });

  it("refuses codes that are a minute old", async () => {
    const { email, secret } = await createProtectedAccount();
    const code = codeOf(secret, 1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
    expect((await signIn(email, { code })).status).toBe(401);
  });

  it("takes each recovery code once, however it is written, and mails the account", async () => {
    const { email, recovery_codes } = await createProtectedAccount();
    const [first = "", second = ""] = recovery_codes;
    expect((await signIn(email, { code: first })).status).toBe(200);
    expect(outcomeOf(await signIn(email, { code: first }))).toEqual([401, "totp_wrong"]);
    expect((await signIn(email, { code: second.replaceAll("-", " ").toUpperCase() })).status).toBe(200);
    const subjects = (await mailsTo(email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject === "A recovery code of your account was used")).toHaveLength(2);
    const another = await createProtectedAccount();
    expect((await signIn(another.email, { code: recovery_codes[2] })).status).toBe(401);
  });

  it("takes ten wrong codes an hour for an account, from however many addresses, and audits them", async () => {
    const { email, secret, client, user_id } = await createProtectedAccount();
    const counted = createVisitor({ RATE_LIMITS: "all=off,second_factor=10" });
    const guess = async (n: number, code: string) => {
      const headers = { "content-type": "application/json", "cf-connecting-ip": `192.0.2.${n}` };
      const body = JSON.stringify({ email, password: PASSWORD, code });
      return (await counted(`${CORE}/auth/login`, headers, { method: "POST", body })).status;
    };
    expect(await guess(0, codeOf(secret, 1))).toBe(200);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => guess(n, WRONG)));
    expect(answers.sort()).toEqual([...Array(10).fill(401), 429, 429]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    expect(await guess(1, codeOf(secret))).toBe(429);
    const { body } = await client.get(`${V1}/audit-logs?event_type=session.refused`);
    expect(body.length).toBeGreaterThanOrEqual(10);
    expect(body[0]).toMatchObject({ target_id: user_id });
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await guess(1, codeOf(secret))).toBe(200);
  });

  it("is asked of no API token", async () => {
    const { client } = await createProtectedAccount();
    expect((await client.get(`${V1}/monitors`)).status).toBe(200);
  });
});

describe("POST /auth/totp/disable", () => {
  it("takes the password and a code, after which the password alone signs in", async () => {
    const { client, email, secret, recovery_codes, user_id } = await createProtectedAccount();
    const disable = (password: string, code: string) => client.post(`${TOTP}/disable`, { password, code });
    expect((await disable("guessed", codeOf(secret, 1))).status).toBe(400);
    expect((await disable(PASSWORD, WRONG)).status).toBe(400);
    expect((await signIn(email)).status).toBe(401);
    expect((await disable(PASSWORD, recovery_codes[0] ?? "")).status).toBe(204);
    expect((await signIn(email)).status).toBe(200);
    expect((await disable(PASSWORD, codeOf(secret, 1))).status).toBe(409);
    expect(await db.$count(recoveryCodes, eq(recoveryCodes.user_id, user_id))).toBe(0);
    expect((await mailsTo(email)).map(({ subject }) => subject)).toContain("Two-factor sign-in is off");
  });

  it("takes ten wrong codes an hour for the account, however it is asked, and the audit log names the token", async () => {
    const { client, token, secret, email } = await createProtectedAccount();
    const thief = createClientUnder({ RATE_LIMITS: "all=off,second_factor=10" }, token);
    const guess = async (n: number) => {
      const from = { "cf-connecting-ip": `192.0.2.${n}` };
      const body = { password: PASSWORD, code: WRONG };
      const ask: [string, string] = n % 2 ? ["POST", `${TOTP}/disable`] : ["DELETE", `${CORE}/user`];
      return (await thief.request(...ask, body, from)).status;
    };
    const answers: number[] = [];
    for (let n = 0; n < 12; n++) answers.push(await guess(n));
    expect(answers).toEqual([...Array(10).fill(400), 429, 429]);
    // The right one is not accepted either, so that the answer reveals nothing.
    const right = { password: PASSWORD, code: codeOf(secret, 1) };
    expect((await thief.post(`${TOTP}/disable`, right)).status).toBe(429);
    const { body } = await client.get(`${V1}/audit-logs?event_type=session.refused`);
    expect(body).toHaveLength(10);
    const summary = `a change of the account of ${email} was refused, because its code was wrong`;
    expect(body[0]).toMatchObject({ summary, actor: { type: "token" } });
  });

  it("is possible with the app's code, too", async () => {
    const { client, secret } = await createProtectedAccount();
    expect((await client.post(`${TOTP}/disable`, { password: PASSWORD, code: codeOf(secret, 1) })).status).toBe(204);
  });
});

describe("a password reset by mail", () => {
  it("keeps two-factor sign-in, so that a stolen mailbox opens no session", async () => {
    const { email, secret } = await createProtectedAccount();
    const body = { token: await resetTokenOf(email), password: FRESH };
    const reset = await createClient().post(`${CORE}/auth/password/reset`, body);
    expect([reset.status, reset.headers.get("set-cookie")]).toEqual([204, expect.not.stringContaining("session")]);
    expect(outcomeOf(await signIn(email, { password: FRESH }))).toEqual([401, "totp_required"]);
    expect((await signIn(email, { password: FRESH, code: codeOf(secret, 1) })).status).toBe(200);
  });

  it("leads a browser to the sign-in form", async () => {
    const { email } = await createProtectedAccount();
    const browser = createBrowser();
    const answer = await browser.submit(`/app/reset?token=${await resetTokenOf(email)}`, { password: FRESH });
    expect([answer.status, browser.hasCookie()]).toEqual([303, false]);
    expect((await browser.open("/app")).headers.get("location")).toBe("/app/sign-in");
  });

  it("removes the app of the person who opened the account under a foreign address", async () => {
    const attacker = await createAccount();
    const [page, victim, stolen] = [await createPage(attacker), `${newId()}@example.com`, "chosen by the attacker"];
    const invite = { email: victim, role: "admin", password: stolen, confirmed: true };
    await attacker.client.post(`${V1}/status-pages/${page}/members`, invite);
    const signedIn = await signIn(victim, { password: stolen });
    const headers = { cookie: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "", origin: "http://vigil.test" };
    const post = (path: string, body: unknown) => createClient().request("POST", `${TOTP}/${path}`, body, headers);
    const { secret } = (await post("setup", { password: stolen })).body;
    expect((await post("confirm", { code: codeOf(secret) })).status).toBe(200);
    const body = { token: await resetTokenOf(victim), password: FRESH };
    expect((await createClient().post(`${CORE}/auth/password/reset`, body)).status).toBe(204);
    expect((await signIn(victim, { password: FRESH })).status).toBe(200);
    expect(await db.$count(twoFactors, eq(twoFactors.user_id, signedIn.body.id))).toBe(0);
  });
});

describe("the sign-in form", () => {
  const enteredIn = (text: string) => /name="entered" value="([^"]+)"/.exec(text)?.[1] ?? "";

  it("asks for the code after the password and keeps what was entered", async () => {
    const { email, secret } = await createProtectedAccount();
    const browser = createBrowser();
    const first = await browser.submit("/app/sign-in", { email, password: PASSWORD, next: "/docs" });
    expect(first.status).toBe(401);
    expect(first.text).toMatch(/<input [^>]*name="code"[^>]*autocomplete="one-time-code"/);
    expect(first.text).toContain(`value="${email}"`);
    expect(first.text).not.toContain(PASSWORD);
    expect(first.text).not.toContain('role="alert"');
    const fields = { email, next: "/docs", entered: enteredIn(first.text) };
    const wrong = await browser.submit("/app/sign-in", { ...fields, code: WRONG });
    expect([wrong.status, browser.hasCookie()]).toEqual([401, false]);
    expect(wrong.text).toMatch(/id="code-problem" role="alert">This code is wrong/);
    const right = await browser.submit("/app/sign-in", {
      ...fields,
      entered: enteredIn(wrong.text),
      code: codeOf(secret, 1),
    });
    expect([right.status, right.headers.get("location"), browser.hasCookie()]).toEqual([303, "/docs", true]);
  });

  it("takes what the first step carries for its address and ten minutes only", async () => {
    const [victim, other] = [await createProtectedAccount(), await createProtectedAccount()];
    const first = await createBrowser().submit("/app/sign-in", { email: victim.email, password: PASSWORD });
    const entered = enteredIn(first.text);
    const foreign = { email: other.email, entered, code: codeOf(other.secret, 1) };
    expect((await createBrowser().submit("/app/sign-in", foreign)).status).toBe(400);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    const late = { email: victim.email, entered, code: codeOf(victim.secret) };
    const answer = await createBrowser().submit("/app/sign-in", late);
    expect([answer.status, answer.text.includes('name="password"')]).toEqual([400, true]);
  });

  it("of an invitation asks for the code, too", async () => {
    const invited = await createProtectedAccount();
    const { token } = await createInvitation(await createAccount(), invited);
    const browser = createBrowser();
    const path = `/app/accept/sign-in?token=${token}`;
    const first = await browser.submit(path, { password: PASSWORD });
    expect([first.status, first.text.includes('name="code"')]).toEqual([401, true]);
    const answer = await browser.submit(path, {
      entered: enteredIn(first.text),
      code: codeOf(invited.secret, 1),
    });
    expect([answer.status, browser.hasCookie()]).toEqual([303, true]);
  });
});

describe("a sign-in link of the operator", () => {
  it("stands for the password alone, so that the code is asked for", async () => {
    const account = await createProtectedAccount();
    const token = newId().replaceAll("-", "");
    const link = { id: newId(), user_id: account.user_id, kind: "sign_in" as const, created_at: 0, updated_at: 0 };
    await db.insert(accountLinks).values({ ...link, token_hash: sha256Hex(token), expires_at: Date.now() + 60_000 });
    const path = `/app/sign-in/link?token=${token}`;
    const browser = createBrowser();
    const form = await browser.open(path);
    expect(form.text).toContain(emailOf(account));
    expect(form.text).toContain('name="code"');
    for (const code of ["", WRONG]) {
      const refused = await browser.submit(path, { code });
      expect([refused.status, browser.hasCookie()]).toEqual([401, false]);
    }
    expect((await browser.submit(path, { code: codeOf(account.secret, 1) })).status).toBe(303);
    expect((await browser.submit(path, { code: codeOf(account.secret, 1) })).status).toBe(410);
  });
});
