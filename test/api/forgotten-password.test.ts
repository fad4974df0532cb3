import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { passwords, sessions } from "../../src/data/sessions/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, createClient } from "../support/client.ts";
import { readTables } from "../support/database.ts";
import { createAccount } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { mailsTo } from "../support/mail.ts";
import { createAccountWithPassword, emailOf, PASSWORD } from "../support/members.ts";
import { createVisitor } from "../support/pages.ts";

const db = openDb(env.DB);
const HOUR = 3_600_000;
const FRESH = "a fresh password";
const FORGOTTEN = "/app/forgotten-password";
const form = { "content-type": "application/x-www-form-urlencoded", origin: "http://vigil.test" };

/** What was deferred is done when it answers. */
const see = createVisitor();
const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}, visit = see) =>
  visit(path, { ...form, ...headers }, { method: "POST", body: new URLSearchParams(fields).toString() });
const ask = (email: string) => post(FORGOTTEN, { email });

const linksTo = async (email: string) =>
  (await mailsTo(email)).map(({ text }) => /^http:\/\/vigil\.test(\/app\/reset\?token=\S+)$/m.exec(text)?.[1] ?? "");
async function forget(account: { email: string }): Promise<string> {
  await ask(account.email);
  return (await linksTo(account.email)).at(-1) ?? "";
}

const titleOf = (text: string) => /<h1[^>]*>(.*?)<\/h1>/.exec(text)?.[1];
const problemIn = (text: string) => /<p class="problem"[^>]*>(.*?)<\/p>/.exec(text)?.[1];
const signIn = async (email: string, password: string) =>
  (await createClient().post(`${CORE}/auth/login`, { email, password })).status;
const auditOf = (user_id: string, event_type: string) =>
  db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.owner_id, user_id), eq(auditLog.event_type, event_type)));

afterEach(() => void vi.useRealTimers());

describe("asking for a new password", () => {
  it("begins where people sign in, and mails a link that only opening changes nothing by", async () => {
    const { email, user_id } = await createAccountWithPassword();
    expect((await see("/app/sign-in")).text).toContain(`href="${FORGOTTEN}"`);
    expect(titleOf((await see(FORGOTTEN)).text)).toBe("Forgot your password?");
    const answer = await ask(` ${email.toUpperCase()} `);
    expect([answer.status, titleOf(answer.text)]).toEqual([202, "Check your inbox"]);
    const [mail] = await mailsTo(email);
    expect(mail?.subject).toBe("Reset your password");
    expect(mail?.text).toContain("your account at http://vigil.test.");
    const [link = ""] = await linksTo(email);
    const before = await readTables();
    for (let n = 0; n < 2; n++) {
      const { status, text, headers } = await see(link);
      expect([status, titleOf(text)]).toEqual([200, "Choose a new password"]);
      expect(text).toContain(`value="${email}"`);
      expect(headers.get("referrer-policy")).toBe("same-origin");
    }
    expect(await readTables()).toEqual(before);
    expect(JSON.stringify(before)).not.toContain(link.split("token=")[1]);
    expect(await signIn(email, PASSWORD)).toBe(200);
    expect(await auditOf(user_id, "password.link_mailed")).toMatchObject([
      { actor_type: "system", target_id: user_id },
    ]);
  });

  it("is answered alike for an address that nobody has, and mails nothing", async () => {
    const { email } = await createAccountWithPassword();
    const unknown = `${newId()}@example.com`;
    const strip = (text: string) => text.replaceAll(/[0-9a-f-]{36}/g, "");
    const [known, other] = [await ask(email), await ask(unknown)];
    expect([other.status, strip(other.text)]).toEqual([known.status, strip(known.text)]);
    expect(await mailsTo(unknown)).toEqual([]);
    const api = (address: string) => createClient().post(`${CORE}/auth/password/forgotten`, { email: address });
    const [byApi, nobody] = [await api(email), await api(unknown)];
    expect([byApi.status, byApi.body]).toEqual([202, nobody.body]);
    expect(nobody.status).toBe(202);
  });

  it("mails five links a day, and none to the sixth who asks, who hears the same", async () => {
    const { email } = await createAccountWithPassword();
    const counted = createVisitor({ RATE_LIMITS: "all=off,password_reset_mail=5" });
    for (let n = 0; n < 6; n++) expect((await post(FORGOTTEN, { email }, {}, counted)).status).toBe(202);
    expect(await mailsTo(email)).toHaveLength(5);
  });

  it("is counted with the attempts to sign in, and keeps the address", async () => {
    const counted = createVisitor({ RATE_LIMITS: "sign_in=1" });
    const ip = { "cf-connecting-ip": "192.0.2.90" };
    expect((await post(FORGOTTEN, { email: "ada@example.com" }, ip, counted)).status).toBe(202);
    const refused = await post(FORGOTTEN, { email: "ada@example.com" }, ip, counted);
    expect([refused.status, problemIn(refused.text)]).toEqual([429, expect.stringContaining("Too many attempts.")]);
    expect(refused.text).toContain('value="ada@example.com"');
  });

  it("needs an address, and one of this service's own pages", async () => {
    const empty = await post(FORGOTTEN, { email: "" });
    expect([empty.status, problemIn(empty.text)]).toEqual([400, "The e-mail address is required."]);
    const { email } = await createAccountWithPassword();
    expect((await post(FORGOTTEN, { email }, { origin: "https://evil.test" })).status).toBe(403);
    expect(await mailsTo(email)).toEqual([]);
  });
});

describe("the link of a forgotten password", () => {
  it("sets a new one once, signs in, and ends every other session", async () => {
    const account = await createAccountWithPassword();
    const elsewhere = createBrowser();
    await elsewhere.submit("/app/sign-in", { email: account.email, password: PASSWORD });
    const link = await forget(account);
    const browser = createBrowser();
    const answer = await browser.submit(link, { password: FRESH });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/app"]);
    expect((await browser.open("/app")).status).toBe(200);
    expect((await elsewhere.open("/app")).headers.get("location")).toBe("/app/sign-in");
    expect(await db.select().from(sessions).where(eq(sessions.user_id, account.user_id))).toHaveLength(1);
    expect([await signIn(account.email, PASSWORD), await signIn(account.email, FRESH)]).toEqual([401, 200]);
    expect((await account.client.get(`${CORE}/auth/me`)).status).toBe(200);
    expect(await auditOf(account.user_id, "password.changed")).toMatchObject([{ actor_id: account.user_id }]);
    for (const again of [await see(link), await post(link, { password: "yet another one" })]) {
      expect([again.status, titleOf(again.text)]).toEqual([410, "This link is invalid or has expired"]);
    }
    expect(await signIn(account.email, FRESH)).toBe(200);
  });

  it("works once when its form is sent twice at once", async () => {
    const account = await createAccountWithPassword();
    const link = await forget(account);
    const answers = await Promise.all([post(link, { password: "the first of two" }), post(link, { password: FRESH })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410]);
  });

  it("gives a first password to an account that has none", async () => {
    const account = await createAccount();
    const link = await forget({ email: emailOf(account) });
    expect((await post(link, { password: FRESH })).status).toBe(303);
    expect(await signIn(emailOf(account), FRESH)).toBe(200);
  });

  it("keeps asking until the password is good", async () => {
    const account = await createAccountWithPassword();
    const link = await forget(account);
    const short = await post(link, { password: "short" });
    expect([short.status, problemIn(short.text)]).toEqual([400, "The password must have at least 10 characters."]);
    expect((await post(link, { password: FRESH }, { origin: "https://evil.test" })).status).toBe(403);
    const counted = createVisitor({ RATE_LIMITS: "sign_in=1" });
    const ip = { "cf-connecting-ip": "192.0.2.91" };
    await post(link, { password: "short" }, ip, counted);
    const refused = await post(link, { password: FRESH }, ip, counted);
    expect([refused.status, problemIn(refused.text)]).toEqual([429, expect.stringContaining("Too many attempts.")]);
    expect(await signIn(account.email, PASSWORD)).toBe(200);
  });

  it.each([
    ["after an hour", waitAnHour],
    ["once the password was changed in another way", changeOtherwise],
    ["once it was used", useUp],
    ["with another token", async (link: string) => link.replace(/.$/, (last) => (last === "A" ? "E" : "A"))],
    ["incomplete", async (link: string) => link.slice(0, -1)],
    ["without a token", async () => "/app/reset"],
  ])("is worth nothing %s", async (_name, spoil) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const account = await createAccountWithPassword();
    const link = await spoil(await forget(account), account);
    const before = await db.select().from(passwords).where(eq(passwords.user_id, account.user_id));
    for (const answer of [await see(link), await post(link, { password: FRESH })]) {
      expect([answer.status, titleOf(answer.text)]).toEqual([410, "This link is invalid or has expired"]);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    const token = new URL(link, "http://vigil.test").searchParams.get("token") ?? "";
    const byApi = await createClient().post(`${CORE}/auth/password/reset`, { token, password: FRESH });
    expect([byApi.status, byApi.body.error]).toEqual([400, "token is used or expired"]);
    expect(await db.select().from(passwords).where(eq(passwords.user_id, account.user_id))).toEqual(before);
  });

  it("is good to its last millisecond", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const link = await forget(await createAccountWithPassword());
    vi.setSystemTime(Date.now() + HOUR - 1);
    expect((await see(link)).status).toBe(200);
  });

  it("serves programs, too", async () => {
    const account = await createAccountWithPassword();
    const token = (await forget(account)).split("token=")[1];
    const answer = await createClient().post(`${CORE}/auth/password/reset`, { token, password: FRESH });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(/^vigil_session=\w{43};/);
    expect(await signIn(account.email, FRESH)).toBe(200);
  });
});

type WithPassword = Awaited<ReturnType<typeof createAccountWithPassword>>;

async function waitAnHour(link: string): Promise<string> {
  vi.setSystemTime(Date.now() + HOUR);
  return link;
}

async function changeOtherwise(link: string, { client }: WithPassword): Promise<string> {
  const change = { current_password: PASSWORD, new_password: "changed in another way" };
  expect((await client.post(`${CORE}/auth/password`, change)).status).toBe(204);
  return link;
}

/** Also when the password is the one of before again. */
async function useUp(link: string): Promise<string> {
  expect((await post(link, { password: PASSWORD })).status).toBe(303);
  return link;
}

describe("the mailed link", () => {
  it.each([
    ["x-forwarded-host", "evil.example"],
    ["forwarded", "host=evil.example"],
    ["x-original-host", "evil.example"],
  ])("names the installation, regardless of %s", async (name, value) => {
    const account = await createAccountWithPassword();
    const email = emailOf(account);
    expect((await post(FORGOTTEN, { email }, { [name]: value })).status).toBeLessThan(400);
    const [mail, ...others] = await mailsTo(email);
    expect(mail?.text).toContain("http://vigil.test/app/reset?token=");
    expect(JSON.stringify([mail, ...others])).not.toContain("evil.example");
  });
});
