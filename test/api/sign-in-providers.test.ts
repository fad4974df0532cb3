import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { linkedSignIns } from "../../src/data/linked-sign-ins/table.ts";
import { sessions } from "../../src/data/sessions/table.ts";
import { users } from "../../src/data/users/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { codeOf } from "../support/authenticator.ts";
import { CORE, createClient, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { type Browser, createBrowser, ORIGIN, type Shown } from "../support/forms.ts";
import { createIdentityProvider, type IdentityProvider } from "../support/identity-provider.ts";
import { mailsTo } from "../support/mail.ts";
import {
  createAccountWithPassword,
  createInvitation,
  mailTokenOf,
  openUnderForeignAddress,
  PASSWORD,
  STOLEN,
} from "../support/members.ts";
import { useSink } from "../support/sink.ts";
import { createProtectedAccount } from "../support/two-factor.ts";

const db = openDb(env.DB);
const sink = useSink();
let works: IdentityProvider;
let other: IdentityProvider;
beforeAll(async () => {
  works = await createIdentityProvider(sink, "https://sink.test/works");
  other = await createIdentityProvider(sink, "https://sink.test/other");
});
beforeEach(() => {
  for (const provider of [works, other]) {
    const email = `${newId()}@works.example`;
    Object.assign(provider, {
      user: { sub: newId(), email, email_verified: true, name: "Ada" },
      claims: {},
      metadata: {},
    });
  }
});

const pathOf = ({ pathname, search }: URL) => pathname + search;
const begin = (browser: Browser, id = "works", next = "") => browser.open(`/app/sign-in/with/${id}${next}`);
const locationOf = ({ headers }: Shown) => headers.get("location") ?? "";

/** Through the provider and back. */
async function signIn(browser = createBrowser(), provider = works, next = "") {
  const begun = await begin(browser, provider === works ? "works" : "other", next);
  expect(begun.status).toBe(303);
  const answer = provider.authorize(locationOf(begun));
  const shown = await browser.open(pathOf(answer));
  return { browser, answer, shown };
}

const nameOf = async (browser: Browser) => (await browser.open("/app/account")).text;
const proofIn = ({ text }: Shown) => /name="proof" value="([^"]+)"/.exec(text)?.[1] ?? "";

async function linkedAccount() {
  const account = await createAccountWithPassword();
  works.user = { ...works.user, email: account.email };
  const { browser, shown } = await signIn();
  const done = await browser.submit("/app/sign-in/with/works/confirm", { proof: proofIn(shown), password: PASSWORD });
  expect(done.status).toBe(303);
  return { ...account, browser };
}

describe("signing in by a provider", () => {
  it("is offered on the sign-in page, and leads on to where somebody was going", async () => {
    const page = await createBrowser().open("/app/sign-in?next=/app/monitors");
    expect(page.text).toContain('href="/app/sign-in/with/works?next=%2Fapp%2Fmonitors"');
    const { shown, browser } = await signIn(createBrowser(), works, "?next=/app/monitors");
    expect([shown.status, locationOf(shown)]).toEqual([303, "/app/monitors"]);
    expect(await nameOf(browser)).toContain(String(works.user.email));
  });

  it("sends a challenge, a state and a nonce, and no secret", async () => {
    const { searchParams } = new URL(locationOf(await begin(createBrowser())));
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: "vigil",
      redirect_uri: `${ORIGIN}/app/sign-in/with/works/callback`,
      response_type: "code",
      scope: "openid email profile",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  it("knows people by issuer and subject, also when their address changed", async () => {
    await signIn();
    const first = works.user.email;
    works.user = { ...works.user, email: `${newId()}@works.example` };
    const { browser } = await signIn();
    expect(await nameOf(browser)).toContain(String(first));
  });

  it("distinguishes a new subject with an old address from the person before", async () => {
    await signIn();
    works.user = { ...works.user, sub: newId() };
    const { shown, browser } = await signIn();
    expect([shown.status, browser.hasCookie()]).toEqual([403, false]);
  });

  it("gives nobody an account outside of the domains of the provider", async () => {
    for (const email of [
      "a@elsewhere.example",
      "a@works.example.evil.example",
      "a@wоrks.example",
      "a@sub.works.example",
    ]) {
      works.user = { ...works.user, sub: newId(), email };
      const { shown, browser } = await signIn();
      expect([email, shown.status, browser.hasCookie()]).toEqual([email, 403, false]);
    }
    other.user = { ...other.user, email: `${newId()}@works.example` };
    expect((await signIn(createBrowser(), other)).shown.status).toBe(403);
  });

  it.each([
    ["not verified", { email_verified: false }],
    ["verified as nobody says", { email_verified: undefined }],
    ["absent", { email: undefined }],
    ["of letters that look like others", { email: "\u212Aim@works.example" }],
  ])("gives nobody an account by an address that is %s", async (_name, claims) => {
    works.claims = claims;
    const { shown, browser } = await signIn();
    expect([shown.status, browser.hasCookie()]).toEqual([403, false]);
  });

  it("takes an address in upper or lower case for the same", async () => {
    const account = await createAccountWithPassword();
    works.user = { ...works.user, email: account.email.toUpperCase() };
    expect((await signIn()).shown.text).toContain("You have an account already");
  });

  it("goes on nowhere but to this service", async () => {
    for (const next of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
      const { shown } = await signIn(createBrowser(), works, `?next=${encodeURIComponent(next)}`);
      expect([next, locationOf(shown)]).toEqual([next, "/app"]);
    }
  });

  it("asks for the code of an account with two-factor sign-in", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const account = await createProtectedAccount();
    works.user = { ...works.user, email: account.email };
    const { browser, shown } = await signIn();
    const confirm = (fields: Record<string, string>, page = shown) =>
      browser.submit("/app/sign-in/with/works/confirm", { proof: proofIn(page), ...fields });
    expect((await confirm({ password: PASSWORD, code: "000000" })).status).toBe(401);
    expect((await confirm({ password: PASSWORD })).status).toBe(401);
    expect((await confirm({ password: PASSWORD, code: codeOf(account.secret, 1) })).status).toBe(303);
    const again = await signIn();
    expect([again.shown.status, again.browser.hasCookie()]).toEqual([200, false]);
    expect(
      (await again.browser.submit("/app/sign-in/with/works/confirm", { proof: proofIn(again.shown), code: "000000" }))
        .status,
    ).toBe(401);
    vi.useRealTimers();
  });
});

describe("an account that exists", () => {
  it("is linked by its password, once, of which its holder is notified", async () => {
    const account = await createAccountWithPassword();
    works.user = { ...works.user, email: account.email };
    const { browser, shown } = await signIn();
    expect([shown.status, browser.hasCookie()]).toEqual([200, false]);
    const confirm = (password: string) =>
      browser.submit("/app/sign-in/with/works/confirm", { proof: proofIn(shown), password });
    expect((await confirm("guessed wrong")).status).toBe(401);
    expect((await confirm(PASSWORD)).status).toBe(303);
    expect((await mailsTo(account.email)).map(({ subject }) => subject)).toContain(
      "A sign-in was linked to your account",
    );
    expect((await signIn()).browser.hasCookie()).toBe(true);
  });

  it("is linked by no other site's form, and by no proof of another account", async () => {
    const account = await createAccountWithPassword();
    works.user = { ...works.user, email: account.email };
    const { shown } = await signIn();
    const fields = { proof: proofIn(shown), password: PASSWORD };
    const foreign = createBrowser({ origin: "https://evil.example" });
    expect((await foreign.submit("/app/sign-in/with/works/confirm", fields)).status).toBe(403);
    const holder = createBrowser();
    const victim = await createAccountWithPassword();
    await holder.submit("/app/sign-in", { email: victim.email, password: PASSWORD });
    expect((await holder.submit("/app/account/sign-ins", fields)).status).toBe(400);
    expect((await foreign.submit("/app/account/sign-ins", fields)).status).toBe(403);
    expect(await db.$count(linkedSignIns, eq(linkedSignIns.user_id, victim.user_id))).toBe(0);
  });

  it("that somebody else opened before loses their sessions and credentials", async () => {
    const attack = await openUnderForeignAddress();
    const email = `${newId()}@works.example`;
    await db.update(users).set({ email }).where(eq(users.email, attack.victim));
    works.user = { ...works.user, email };
    const { browser } = await signIn();
    expect(await nameOf(browser)).toContain(email);
    const login = await createClient().post(`${CORE}/auth/login`, { email, password: STOLEN });
    expect(login.status).toBe(401);
    expect((await attack.stolen.get(`${CORE}/auth/me`)).status).toBe(401);
    expect((await createClient().request("GET", `${CORE}/auth/me`, undefined, attack.cookie)).status).toBe(401);
  });

  it("is linked by its signed-in holder, after the provider and they said so", async () => {
    const account = await createAccountWithPassword();
    const browser = createBrowser();
    await browser.submit("/app/sign-in", { email: account.email, password: PASSWORD });
    other.user = { ...other.user, email: account.email };
    const begun = await browser.open("/app/account/sign-ins/link/other");
    const asked = await browser.open(pathOf(other.authorize(locationOf(begun))));
    expect(await db.$count(linkedSignIns, eq(linkedSignIns.user_id, account.user_id))).toBe(0);
    expect((await browser.submit("/app/account/sign-ins", { proof: proofIn(asked) })).status).toBe(303);
    expect((await browser.open("/app/account/sign-ins")).text).toContain("Other");
    expect((await signIn(createBrowser(), other)).browser.hasCookie()).toBe(true);
  });

  it("is not linked to an address that is not its own", async () => {
    const account = await createAccountWithPassword();
    const browser = createBrowser();
    await browser.submit("/app/sign-in", { email: account.email, password: PASSWORD });
    const begun = await browser.open("/app/account/sign-ins/link/other");
    expect((await browser.open(pathOf(other.authorize(locationOf(begun))))).status).toBe(403);
  });

  it("is unlinked, which ends the sessions that began with it, and keeps the last way in", async () => {
    const { client, user_id, browser } = await linkedAccount();
    const { body } = await client.get(`${CORE}/auth/sign-ins`);
    expect(body).toMatchObject([{ provider: "Works", issuer: works.issuer }]);
    expect((await client.delete(`${CORE}/auth/sign-ins/${body[0].id}`)).status).toBe(204);
    expect((await browser.open("/app/account")).status).toBe(303);
    expect(await db.$count(sessions, eq(sessions.user_id, user_id))).toBe(0);
    works.user = { ...works.user, sub: newId(), email: `${newId()}@works.example` };
    const created = (await signIn()).browser;
    const id = /sign-ins\/([0-9a-f-]{36})\/delete/.exec((await created.open("/app/account/sign-ins")).text)?.[1] ?? "";
    const refused = await created.submit(`/app/account/sign-ins/${id}/delete`, {
      confirmation: "Works",
      name: "Works",
    });
    expect(refused.status).toBe(409);
    expect((await created.open("/app/account")).status).toBe(200);
  });
});

describe("a domain that requires a provider", () => {
  async function strictAccount(email = `${newId()}@strict.example`) {
    const account = await createAccountWithPassword();
    await db.update(users).set({ email }).where(eq(users.id, account.user_id));
    return { ...account, email };
  }
  const login = (email: string) => createClient().post(`${CORE}/auth/login`, { email, password: PASSWORD });

  it("refuses passwords, whether somebody has the address or not, and says where to sign in", async () => {
    const { email } = await strictAccount();
    const known = await login(email);
    expect(known).toMatchObject({
      status: 400,
      body: { error: "password is not used for this address: sign in with Works" },
    });
    const unknown = await login("nobody@strict.example");
    expect([unknown.status, unknown.body.error]).toEqual([known.status, known.body.error]);
    const form = await createBrowser().submit("/app/sign-in", { email: email.toUpperCase(), password: PASSWORD });
    expect(form.text).toContain("The password is not used for this address: sign in with Works.");
  });

  it("mails no reset of a password", async () => {
    const { email } = await strictAccount();
    const shown = await createBrowser().submit("/app/forgotten-password", { email });
    expect([shown.status, shown.text]).toEqual([
      400,
      expect.stringContaining("has no password here: sign in with Works"),
    ]);
    expect(await mailsTo(email)).toEqual([]);
  });

  it("opens no account with a password by an invitation", async () => {
    const owner = await createAccount();
    const email = `${newId()}@strict.example`;
    await createInvitation(owner, undefined, { email });
    const body = { token: await mailTokenOf(email), name: "Ada", password: PASSWORD };
    expect((await createClient().post(`${V1}/status-pages/members/accept`, body)).status).toBe(400);
  });

  it("lets its people link the account that they have, by its password once", async () => {
    const { email } = await strictAccount();
    works.user = { ...works.user, email };
    const { browser, shown } = await signIn();
    const done = await browser.submit("/app/sign-in/with/works/confirm", { proof: proofIn(shown), password: PASSWORD });
    expect([done.status, browser.hasCookie()]).toEqual([303, true]);
  });

  it("has a way in that the operator names, for when the provider does not answer", async () => {
    const { email } = await strictAccount("owner@strict.example");
    expect((await login(email)).status).toBe(200);
  });
});

describe("an answer of a provider", () => {
  async function refusedBy(change: () => unknown, provider = works) {
    const browser = createBrowser();
    const begun = await begin(browser, provider === works ? "works" : "other");
    const answer = provider.authorize(locationOf(begun));
    await change();
    const shown = await browser.open(pathOf(answer));
    expect(browser.hasCookie()).toBe(false);
    return shown.status;
  }

  it.each([
    ["of another issuer", { iss: "https://evil.example" }],
    ["for another client", { aud: "another" }],
    ["for several clients without saying to whom", { aud: ["vigil", "another"], azp: "another" }],
    ["with the nonce of another sign-in", { nonce: "another" }],
    ["without a nonce", { nonce: undefined }],
    ["that is over", { exp: 1 }],
    ["without an end", { exp: undefined }],
    ["without a subject", { sub: undefined }],
    ["with an endless subject", { sub: "s".repeat(256) }],
  ])("with an ID token %s signs nobody in", async (_name, claims) => {
    expect(await refusedBy(() => Object.assign(works, { claims }))).toBe(400);
  });

  it("with an ID token that the provider did not sign signs nobody in", async () => {
    expect(await refusedBy(() => works.forge())).toBe(400);
    works.heal();
  });

  it("signs in after the provider changed its keys", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
    await signIn();
    works.user = { ...works.user, sub: newId(), email: `${newId()}@works.example` };
    await works.rotate();
    expect((await signIn()).browser.hasCookie()).toBe(true);
    const before = sink.received.filter(({ url }) => url.endsWith("/works/keys")).length;
    await works.forge();
    await signIn();
    await signIn();
    expect(sink.received.filter(({ url }) => url.endsWith("/works/keys")).length).toBe(before);
    works.heal();
    vi.useRealTimers();
  });

  it("signs in once, in the browser that asked for it alone", async () => {
    const { answer, browser } = await signIn();
    expect((await createBrowser().open(pathOf(answer))).status).toBe(400);
    expect((await browser.open(pathOf(answer))).status).toBe(400);
    const begun = await begin(createBrowser());
    const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const thief = () => createBrowser({ cookie });
    const fresh = works.authorize(locationOf(begun));
    expect((await thief().open(pathOf(fresh))).status).toBe(303);
    const replayed = new URL(fresh);
    replayed.searchParams.set("code", works.authorize(locationOf(begun)).searchParams.get("code") ?? "");
    const again = thief();
    expect([(await again.open(pathOf(replayed))).status, again.hasCookie()]).toEqual([400, false]);
  });

  it("is over after ten minutes", async () => {
    const browser = createBrowser();
    const begun = await begin(browser);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 601_000 });
    expect((await browser.open(pathOf(works.authorize(locationOf(begun))))).status).toBe(400);
    vi.useRealTimers();
  });

  it("of one provider is not taken for that of another", async () => {
    const browser = createBrowser();
    const answer = works.authorize(locationOf(await begin(browser, "works")));
    answer.pathname = answer.pathname.replace("works", "other");
    expect((await browser.open(pathOf(answer))).status).toBe(400);
    const mixed = createBrowser();
    const named = works.authorize(locationOf(await begin(mixed, "works")));
    named.searchParams.set("iss", other.issuer);
    expect([(await mixed.open(pathOf(named))).status, mixed.hasCookie()]).toEqual([400, false]);
    const unnamed = createBrowser();
    const silent = works.authorize(locationOf(await begin(unnamed, "works")));
    silent.searchParams.delete("iss");
    expect([(await unnamed.open(pathOf(silent))).status, unnamed.hasCookie()]).toEqual([400, false]);
  });

  it("with another state, or a cookie that somebody made, is over", async () => {
    const browser = createBrowser();
    const answer = works.authorize(locationOf(await begin(browser)));
    answer.searchParams.set("state", "another");
    expect([(await browser.open(pathOf(answer))).status, browser.hasCookie()]).toEqual([400, false]);
    const made = createBrowser({ cookie: "vigil_sign_in=v1.AAAA.BBBB" });
    expect((await made.open(pathOf(answer))).status).toBe(400);
  });

  it("that refuses says so", async () => {
    const browser = createBrowser();
    const answer = works.authorize(locationOf(await begin(browser)));
    answer.searchParams.delete("code");
    answer.searchParams.set("error", "access_denied");
    const shown = await browser.open(pathOf(answer));
    expect([shown.status, shown.text]).toEqual([400, expect.stringContaining("you stopped it there")]);
  });
});

describe("GitHub", () => {
  it("signs in by its user's number and primary verified address", async () => {
    const account = await createAccountWithPassword();
    const emails = [
      { email: "unverified@works.example", primary: false, verified: false },
      { email: account.email, primary: true, verified: true },
    ];
    sink.serve("https://sink.test/github/", ({ url }) => {
      if (url.endsWith("/access_token")) return Response.json({ access_token: "gho", token_type: "bearer", scope: "" });
      return Response.json(url.endsWith("/emails") ? emails : { id: 42, login: "ada" });
    });
    const browser = createBrowser();
    const begun = await begin(browser, "github");
    const { searchParams } = new URL(locationOf(begun));
    const state = searchParams.get("state") ?? "";
    const shown = await browser.open(`/app/sign-in/with/github/callback?code=c&state=${state}`);
    expect(shown.text).toContain(account.email);
    const done = await browser.submit("/app/sign-in/with/github/confirm", {
      proof: proofIn(shown),
      password: PASSWORD,
    });
    expect(done.status).toBe(303);
    const rows = await db.select().from(linkedSignIns).where(eq(linkedSignIns.user_id, account.user_id));
    expect(rows).toMatchObject([{ issuer: "https://sink.test/github", subject: "42" }]);
  });
});

const isSignedIn = async (browser: Browser) => (await browser.open("/app/account")).status === 200;
/** As a server sends it, without a cookie or an origin. */
const send = (logout_token: string, provider = "works") =>
  createBrowser({ origin: "" }).submit(`/app/sign-in/with/${provider}/back-channel-logout`, { logout_token });

describe("a provider that ended somebody's sessions", () => {
  it("ends all that began by it, and nobody else's", async () => {
    const other = (await signIn()).browser;
    works.user = { ...works.user, sub: newId(), email: `${newId()}@works.example` };
    const first = (await signIn()).browser;
    const second = (await signIn()).browser;
    expect((await send(await works.logoutToken())).status).toBe(200);
    expect(await Promise.all([first, second, other].map(isSignedIn))).toEqual([false, false, true]);
  });

  it("leaves those that began later, so that its word is worth nothing twice", async () => {
    await signIn();
    const token = await works.logoutToken({ iat: Math.floor(Date.now() / 1000) - 30 });
    const later = (await signIn()).browser;
    expect((await send(token)).status).toBe(200);
    expect(await isSignedIn(later)).toBe(true);
  });

  it("says the same of somebody whom nobody knows here", async () => {
    expect((await send(await works.logoutToken({ sub: newId() }))).status).toBe(200);
  });

  it.each([
    ["of another audience", { aud: "another" }],
    ["of another issuer", { iss: "https://sink.test/other" }],
    ["that is over", { exp: Math.floor(Date.now() / 1000) - 3600 }],
    ["that is an ID token", { events: undefined }],
    ["with a nonce", { nonce: "one" }],
    ["that names nobody", { sub: undefined }],
  ])("ends nothing by a token %s", async (_name, claims) => {
    const browser = (await signIn()).browser;
    expect((await send(await works.logoutToken(claims))).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("is believed by its signature alone", async () => {
    const browser = (await signIn()).browser;
    await works.forge();
    const forged = await works.logoutToken();
    works.heal();
    for (const token of [forged, "", "a.b.c"]) expect((await send(token)).status).toBe(400);
    expect((await send(forged, "nobody")).status).toBe(404);
    expect(await isSignedIn(browser)).toBe(true);
  });
});
