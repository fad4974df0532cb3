import { env } from "cloudflare:workers";
import { and, eq, lte } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { pageMembers } from "../../src/data/members/table.ts";
import { onCallSchedules } from "../../src/data/on-call/table.ts";
import { users } from "../../src/data/users/table.ts";
import { HOUR_MS } from "../../src/lib/durations.ts";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { createContact } from "../support/contacts.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { mailsTo } from "../support/mail.ts";
import {
  browserHeaders,
  createAccountWithPassword,
  createMember,
  emailOf,
  insertBrowser,
  insertPassword,
  PASSWORD,
  resetLinkOf,
  transferTokenOf,
} from "../support/members.ts";
import { joinDuty } from "../support/on-call.ts";

const db = openDb(env.DB);
const ACCOUNTS = `${CORE}/deactivated-accounts`;
const signIn = (account: Account) =>
  createClient().post(`${CORE}/auth/login`, { email: emailOf(account), password: PASSWORD });
const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const always = (user_id: string) => ({
  name: "Primary",
  shifts: [{ user_id, start_at: at(-1), end_at: at(200) }],
});

let operator: Account;
beforeEach(async () => {
  operator = await createAccount({ operator: true });
});
const deactivate = (account: Account, by = operator) => by.client.post(ACCOUNTS, { email: emailOf(account) });

describe("a deactivated person", () => {
  it("loses sessions, tokens, contacts and memberships at once, and opens no new session", async () => {
    const owner = await createAccount();
    const { id: page, member } = await createMember(owner, { role: "admin" });
    await insertPassword(member);
    await createContact(member);
    const cookie = browserHeaders((await signIn(member)).headers.get("set-cookie"));
    const metrics = (await member.client.post(`${CORE}/user/metrics-token`)).body.token;
    await member.client.post(`${V1}/status-pages/${page}/members`, { email: "next@example.com", role: "viewer" });
    expect(await deactivate(member)).toMatchObject({ status: 201, body: { email: emailOf(member) } });
    expect((await member.client.get(`${CORE}/auth/me`)).status).toBe(401);
    expect((await createClient().request("GET", `${CORE}/auth/me`, undefined, cookie)).status).toBe(401);
    expect((await createClient(metrics).get("/metrics")).status).toBe(401);
    expect((await owner.client.get(`${V1}/status-pages/${page}/members`)).body).toEqual([]);
    expect(await signIn(member)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining("deactivated") },
    });
    const reset = await resetLinkOf(emailOf(member));
    const token = new URL(reset, "http://vigil.test").searchParams.get("token");
    const again = await createClient().post(`${CORE}/auth/password/reset`, { token, password: "an entirely new one" });
    expect(again.status).toBe(403);
    await openDb(env.DB).update(users).set({ deactivated_at: null }).where(eq(users.id, member.user_id));
    const back = browserHeaders((await signIn(member)).headers.get("set-cookie"));
    expect((await createClient().request("GET", `${V1}/notify-contacts`, undefined, back)).body).toEqual([]);
    expect((await createClient().request("GET", `${V1}/status-pages/${page}`, undefined, back)).status).toBe(404);
  });

  it("is on call no more, of which the operator, the owner and the log of the page are notified", async () => {
    const owner = await createAccount();
    const { id: page, member } = await createMember(owner, { role: "admin" });
    const path = `${V1}/status-pages/${page}/on-call`;
    const made = await owner.client.post(`${path}/schedules`, always(member.user_id));
    expect(made.status).toBe(201);
    const contacts = [{ type: "user", value: member.user_id }];
    await owner.client.post(`${path}/policies`, { name: "All", steps: [{ level: 1, wait_minutes: 5, contacts }] });
    const { notices } = (await deactivate(member)).body;
    expect(notices.map(({ message }: { message: string }) => message)).toEqual([
      "Page: nobody is on call by Primary from now",
      "Page: nobody is reached by step 1 of the escalation policy All",
    ]);
    expect((await owner.client.get(path)).body.on_call_now).toEqual([]);
    expect((await mailsTo(emailOf(owner))).some(({ text }) => text.includes("All"))).toBe(true);
    const log = (await owner.client.get(`${V1}/audit-logs?status_page_id=${page}&event_type=member.removed`)).body;
    expect(log).toMatchObject([{ summary: expect.stringContaining("deactivated") }]);
    expect((await mailsTo(emailOf(member))).at(-1)?.subject).toBe("Your account was deactivated");
  });

  it("is shut out of any number of teams within the queries that Workers Free has, whose owners learn of each gap", async () => {
    const [owner, person] = [await createAccount(), await createAccount()];
    for (let n = 0; n < 6; n++) await joinDuty(owner, person);
    const theirs = eq(onCallSchedules.owner_id, owner.user_id);
    await db
      .update(onCallSchedules)
      .set({ next_review_at: Date.now() + HOUR_MS })
      .where(theirs);
    const { database } = limitDatabase(env.DB, 50);
    const client = createClientUnder({ PLAN: "free", DB: database }, operator.token);
    const { status, body } = await client.post(ACCOUNTS, { email: emailOf(person) });
    expect([status, body.notices.length]).toEqual([201, 18]);
    expect(await db.$count(pageMembers, eq(pageMembers.user_id, person.user_id))).toBe(0);
    expect(await db.$count(onCallSchedules, and(theirs, lte(onCallSchedules.next_review_at, Date.now())))).toBe(6);
    const subjects = (await mailsTo(emailOf(owner))).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.includes("Nobody on call"))).toHaveLength(6);
    expect(subjects.filter((subject) => subject.startsWith("What a member"))).toHaveLength(1);
    const log = (await owner.client.get(`${V1}/audit-logs?event_type=member.removed`)).body;
    expect(log).toHaveLength(6);
  });

  it("is on call no more on pages of their own, which go on", async () => {
    const owner = await createAccount();
    const { id: page, member } = await createMember(owner, { role: "admin" });
    const path = `${V1}/status-pages/${page}/on-call`;
    await owner.client.post(`${path}/schedules`, always(owner.user_id));
    expect((await deactivate(owner)).body.notices).toMatchObject([{ path: "on_call" }]);
    expect((await member.client.get(path)).body.on_call_now).toEqual([]);
    expect((await member.client.get(`${V1}/status-pages/${page}`)).status).toBe(200);
  });

  it("takes no page that was offered to them", async () => {
    const owner = await createAccount();
    const { id: page, member } = await createMember(owner, { role: "admin" });
    const offer = { user_id: member.user_id };
    await owner.client.request("POST", `${V1}/status-pages/${page}/transfer`, offer, await insertBrowser(owner));
    const token = await transferTokenOf(emailOf(member));
    expect(token).not.toBe("");
    await deactivate(member);
    await openDb(env.DB).update(users).set({ deactivated_at: null }).where(eq(users.id, member.user_id));
    const theirs = await insertBrowser(member);
    const taken = await createClient().request("POST", `${V1}/status-pages/transfers/accept`, { token }, theirs);
    expect(taken.status).toBeGreaterThanOrEqual(400);
  });

  it("reads why they cannot sign in, by the password or a new one", async () => {
    const { email, ...person } = await createAccountWithPassword();
    await deactivate(person);
    const reset = await resetLinkOf(email);
    for (const [path, fields] of [
      ["/app/sign-in", { email, password: PASSWORD }],
      [reset, { password: "an entirely new one" }],
    ] as const) {
      const { status, text } = await createBrowser().submit(path, fields);
      expect([status, text]).toEqual([403, expect.stringContaining("Your account is deactivated")]);
    }
    expect(await signIn(person)).toMatchObject({ status: 403, body: { code: "account_deactivated" } });
  });

  it("signs in again once reactivated, without memberships", async () => {
    const { id: page, member } = await createMember(await createAccount());
    await insertPassword(member);
    await deactivate(member);
    const listed = (await operator.client.get(ACCOUNTS)).body;
    expect(listed[0]).toMatchObject({ id: member.user_id, email: emailOf(member) });
    expect((await operator.client.delete(`${ACCOUNTS}/${member.user_id}`)).status).toBe(204);
    expect((await operator.client.delete(`${ACCOUNTS}/${member.user_id}`)).status).toBe(404);
    const answer = await signIn(member);
    expect(answer.status).toBe(200);
    const cookie = browserHeaders(answer.headers.get("set-cookie"));
    expect((await createClient().request("GET", `${V1}/status-pages/${page}`, undefined, cookie)).status).toBe(404);
  });
});

describe("deactivating accounts", () => {
  it("is for operators alone", async () => {
    const [person, other] = [await createAccount(), await createAccount()];
    await createPage(person);
    expect((await deactivate(other, person)).status).toBe(403);
    expect((await person.client.get(ACCOUNTS)).status).toBe(403);
    expect((await person.client.delete(`${ACCOUNTS}/${other.user_id}`)).status).toBe(403);
    expect((await other.client.get(`${CORE}/auth/me`)).status).toBe(200);
  });

  it("spares the operator who does it, and takes the rights of another one", async () => {
    expect((await deactivate(operator)).status).toBe(409);
    const colleague = await createAccount({ operator: true });
    expect((await deactivate(colleague)).status).toBe(201);
    expect((await deactivate(colleague)).status).toBe(409);
    expect((await operator.client.post(ACCOUNTS, { email: "nobody@example.com" })).status).toBe(404);
    const [row] = await openDb(env.DB).select().from(users).where(eq(users.id, colleague.user_id));
    expect(row?.operator).toBe(false);
  });

  it("leaves an operator where two shut each other out at once", async () => {
    const colleague = await createAccount({ operator: true });
    const answers = await Promise.all([deactivate(colleague), deactivate(operator, colleague)]);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it("is done in the dashboard, which says what ends and lists who is shut out", async () => {
    const { member } = await createMember(await createAccount());
    const browser = createBrowser(await insertBrowser(operator));
    const entered = { email: emailOf(member) };
    const { status } = await browser.submit("/app/installation/accounts", entered);
    expect(status).toBe(303);
    expect((await browser.open("/app/installation/accounts")).text).toContain(emailOf(member));
    await browser.submit(`/app/installation/accounts/${member.user_id}/reactivate`, {});
    expect((await browser.open("/app/installation/accounts")).text).not.toContain(emailOf(member));
  });
});
