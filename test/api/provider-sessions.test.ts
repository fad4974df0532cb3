import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { linkedSignIns } from "../../src/data/linked-sign-ins/table.ts";
import { providerSessions } from "../../src/data/provider-sessions/table.ts";
import { sessions } from "../../src/data/sessions/table.ts";
import { signInProviders } from "../../src/data/sign-in-providers/table.ts";
import { users } from "../../src/data/users/table.ts";
import { askProviders, sweepProviderSessions } from "../../src/features/sign-in/refresh.ts";
import { MINUTE_MS } from "../../src/lib/durations.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { type Browser, createBrowser, ORIGIN } from "../support/forms.ts";
import { createIdentityProvider, type IdentityProvider } from "../support/identity-provider.ts";
import { limitDatabase } from "../support/limited-database.ts";
import { mailsTo } from "../support/mail.ts";
import { emailOf } from "../support/members.ts";
import { joinDuty } from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";

const db = openDb(env.DB);
const sink = useSink();
let operator: Account;
let works: IdentityProvider;
let id: string;
beforeAll(async () => {
  operator = await createAccount({ operator: true });
});
beforeEach(async () => {
  await db.delete(signInProviders);
  await db.delete(providerSessions);
  id = `p-${newId()}`;
  works = await createIdentityProvider(sink, `https://sink.test/${id}`);
  becomeSomebody();
});
afterEach(() => void vi.useRealTimers());

function becomeSomebody(): void {
  works.user = { sub: newId(), email: `${newId()}@${id}.example`, email_verified: true, name: "Ada", sid: newId() };
}

async function addProvider(change = {}): Promise<void> {
  const input = { id, issuer: works.issuer, client_id: "vigil", account_domains: [`${id}.example`], ...change };
  expect((await operator.client.post(`${CORE}/sign-in-providers`, input)).status).toBe(201);
}

async function answerOf(browser: Browser) {
  const begun = await browser.open(`/app/sign-in/with/${id}`);
  const { pathname, search } = works.authorize(begun.headers.get("location") ?? "");
  return browser.open(pathname + search);
}

async function signIn(): Promise<Browser> {
  const browser = createBrowser();
  expect((await answerOf(browser)).status).toBe(303);
  return browser;
}

const isSignedIn = async (browser: Browser) => (await browser.open("/app/account")).status === 200;
const send = (logout_token: string) =>
  createBrowser({ origin: "" }).submit(`/app/sign-in/with/${id}/back-channel-logout`, { logout_token });

describe("signing out of a session that began by a provider", () => {
  it("leads to the sign-out of the provider, with what names the session there, and back", async () => {
    works.metadata = { end_session_endpoint: `${works.issuer}/session/end?tenant=1` };
    await addProvider();
    const browser = await signIn();
    const shown = await browser.submit("/app/sign-out");
    expect([shown.status, await isSignedIn(browser)]).toEqual([200, false]);
    const href = /url=(.*)$/.exec(shown.headers.get("refresh") ?? "")?.[1] ?? "";
    const { origin, pathname, searchParams } = new URL(href);
    expect(origin + pathname).toBe(`${works.issuer}/session/end`);
    expect(Object.fromEntries(searchParams)).toEqual({
      tenant: "1",
      client_id: "vigil",
      post_logout_redirect_uri: `${ORIGIN}/app/sign-in?signed_out=yes`,
      id_token_hint: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    expect(await db.$count(providerSessions)).toBe(0);
  });

  it("signs out here where the provider knows no such place", async () => {
    await addProvider();
    const browser = await signIn();
    const shown = await browser.submit("/app/sign-out");
    expect([shown.status, shown.headers.get("location")]).toEqual([303, "/app/sign-in?signed_out=yes"]);
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe("a provider that ended one of its sessions", () => {
  it("ends the session that began by it, and no other of the person, without naming them", async () => {
    await addProvider();
    const first = await signIn();
    const { sid } = works.user;
    works.user = { ...works.user, sid: newId() };
    const second = await signIn();
    expect((await send(await works.logoutToken({ sub: undefined, sid }))).status).toBe(200);
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
    expect((await send(await works.logoutToken({ sid: works.user.sid }))).status).toBe(200);
    expect(await isSignedIn(second)).toBe(false);
  });

  it("ends all sessions of the person where it names no session", async () => {
    await addProvider();
    const browsers = [await signIn(), await signIn()];
    expect((await send(await works.logoutToken())).status).toBe(200);
    expect(await Promise.all(browsers.map(isSignedIn))).toEqual([false, false]);
  });

  it("says the same of a session that nobody knows here", async () => {
    await addProvider();
    const browser = await signIn();
    expect((await send(await works.logoutToken({ sub: undefined, sid: newId() }))).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe("a provider that is asked again while a session goes on", () => {
  const sweepAfter = async (browser: Browser, minutes: number) => {
    vi.setSystemTime(Date.now() + minutes * MINUTE_MS);
    await browser.open("/app/account");
    await sweepProviderSessions(jobScope(env, "test"));
  };
  const asked = () =>
    sink.received.filter(({ body }) => body.includes("grant_type=refresh_token")).map(({ body }) => body);
  const over = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));

  it("is asked each quarter of an hour in which the session is used, with the newest token", async () => {
    await addProvider({ refreshes_sessions: true });
    const browser = await signIn();
    await sweepAfter(browser, 10);
    expect(asked()).toEqual([]);
    works.refresh = () => Response.json({ access_token: "a", token_type: "bearer", refresh_token: "second" });
    await sweepAfter(browser, 6);
    await sweepProviderSessions(jobScope(env, "test"));
    expect(asked()).toEqual([expect.stringContaining("refresh_token=first")]);
    vi.setSystemTime(Date.now() + 20 * MINUTE_MS);
    await sweepProviderSessions(jobScope(env, "test"));
    expect(asked()).toHaveLength(1);
    await sweepAfter(browser, 1);
    expect(asked()[1]).toContain("refresh_token=second");
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("ends the session by refusing, which the person's audit log says", async () => {
    await addProvider({ refreshes_sessions: true });
    const browser = await signIn();
    works.refresh = () => Response.json({ error: "temporarily_unavailable" }, { status: 503 });
    await sweepAfter(browser, 16);
    expect(await isSignedIn(browser)).toBe(true);
    works.refresh = over;
    await sweepAfter(browser, 16);
    expect(await isSignedIn(browser)).toBe(false);
    const summary = `${id} ended a session of ${works.user.email}`;
    const [entry] = await db.select().from(auditLog).where(eq(auditLog.summary, summary));
    expect(entry).toMatchObject({ event_type: "session.ended", actor_name: "system" });
  });

  it("is asked nothing, and its token is not kept, unless its operator wants that", async () => {
    await addProvider();
    const browser = await signIn();
    works.refresh = over;
    await sweepAfter(browser, 30);
    expect([asked(), await isSignedIn(browser)]).toEqual([[], true]);
    const [row] = await db.select().from(providerSessions);
    expect(row?.ask_at).toBeNull();
  });

  it("keeps its tokens unread in the database", async () => {
    await addProvider({ refreshes_sessions: true });
    await signIn();
    const rows = await db.select().from(providerSessions);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain("first");
  });
});

describe("a person whom the provider shut out", () => {
  it("loses their account here when they sign in, and gets none", async () => {
    await addProvider({ active_claim: "active" });
    works.user = { ...works.user, active: true };
    const browser = await signIn();
    works.user = { ...works.user, active: false };
    expect((await answerOf(createBrowser())).status).toBe(403);
    expect(await isSignedIn(browser)).toBe(false);
    const { body } = await operator.client.get(`${CORE}/deactivated-accounts`);
    expect(body.map(({ email }: { email: string }) => email)).toContain(works.user.email);
    becomeSomebody();
    works.user = { ...works.user, active: false };
    const stranger = await answerOf(createBrowser());
    expect([stranger.status, stranger.text]).toEqual([403, expect.stringContaining("not active")]);
  });

  describe("who is on call for many teams, on Workers Free", () => {
    let browser: Browser;
    let owner: Account;
    let leaver: Account;
    beforeEach(async () => {
      works.metadata = { userinfo_endpoint: `${works.issuer}/userinfo` };
      await addProvider({ active_claim: "active", refreshes_sessions: true });
      works.user = { ...works.user, active: true };
      browser = await signIn();
      const [signedIn] = await db
        .select()
        .from(users)
        .where(eq(users.email, String(works.user.email)));
      [owner, leaver] = [await createAccount(), await createAccount()];
      for (const table of [linkedSignIns, sessions]) {
        await db
          .update(table)
          .set({ user_id: leaver.user_id })
          .where(eq(table.user_id, signedIn?.id ?? ""));
      }
      for (let n = 0; n < 6; n++) await joinDuty(owner, leaver);
    });
    const free = () => ({ PLAN: "free", DB: limitDatabase(env.DB, 50).database });
    const expectGone = async () => {
      const [row] = await db.select().from(users).where(eq(users.id, leaver.user_id));
      expect(row?.deactivated_at).not.toBeNull();
      const subjects = (await mailsTo(emailOf(owner))).map(({ subject }) => subject);
      expect(subjects.filter((subject) => subject.includes("Nobody on call"))).toHaveLength(6);
    };

    it("loses it at sign-in within 50 queries, and the owners learn of each gap", async () => {
      works.user = { ...works.user, active: false };
      const another = createBrowser();
      const begun = await another.open(`/app/sign-in/with/${id}`);
      const { pathname, search } = works.authorize(begun.headers.get("location") ?? "");
      const visit = createVisitor(free());
      expect((await visit(pathname + search, { cookie: another.cookies() })).status).toBe(403);
      await expectGone();
    });

    it("loses it while signed in, in an invocation of its own", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * MINUTE_MS });
      const { sub, email } = works.user;
      works.userInfo = { sub, email, active: "false" };
      await browser.open("/app/account");
      const recording = recordingEnv({ PLAN: "free" });
      await sweepProviderSessions(jobScope(recording.env, "test"));
      const [message] = recording.minute;
      await askProviders(jobScope({ ...recording.env, ...free() } as never, "test"), message?.body.items ?? []);
      await expectGone();
      expect(await isSignedIn(browser)).toBe(false);
    });
  });

  it("loses it while they are signed in, too", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    works.metadata = { userinfo_endpoint: `${works.issuer}/userinfo` };
    await addProvider({ active_claim: "active", refreshes_sessions: true });
    const { sub, email } = works.user;
    works.userInfo = { sub, email, active: "false" };
    works.user = { ...works.user, active: true };
    const browser = await signIn();
    vi.setSystemTime(Date.now() + 16 * MINUTE_MS);
    await browser.open("/app/account");
    await sweepProviderSessions(jobScope(env, "test"));
    expect(await isSignedIn(browser)).toBe(false);
    const { body } = await operator.client.get(`${CORE}/deactivated-accounts`);
    expect(body.map((each: { email: string }) => each.email)).toContain(email);
  });

  it("is shut out by another operator alone where they are one themselves", async () => {
    await addProvider({ active_claim: "active" });
    const { user_id } = await createAccount({ operator: true });
    const subject = newId();
    const times = { begun_at: 1, last_used_at: 1, created_at: 1, updated_at: 1 };
    await db.insert(linkedSignIns).values({ id: newId(), user_id, issuer: works.issuer, subject, ...times });
    works.user = { ...works.user, sub: subject, active: false };
    expect((await answerOf(createBrowser())).status).toBe(403);
    const [row] = await db.select().from(users).where(eq(users.id, user_id));
    expect(row).toMatchObject({ deactivated_at: null, operator: true });
  });
});
