import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { pageInvitations, pageMembers } from "../../src/data/members/table.ts";
import { users } from "../../src/data/users/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { readTables } from "../support/database.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { type Browser, createBrowser, type Shown } from "../support/forms.ts";
import {
  createAccountWithPassword,
  createInvitation,
  emailOf,
  insertBrowser,
  joinPage,
  PASSWORD,
} from "../support/members.ts";
import { createVisitor, freshSlug } from "../support/pages.ts";

const db = openDb(env.DB);
const acceptPath = (token: string) => `/app/accept?token=${token}`;
const signInPath = (token: string) => `/app/accept/sign-in?token=${token}`;
const membersOf = (pageId: string) => db.select().from(pageMembers).where(eq(pageMembers.status_page_id, pageId));
const accountsOf = (email: string) => db.select().from(users).where(eq(users.email, email));

/** The form's fields as the document has them: by name, with their attributes. */
function fieldsIn(text: string): Record<string, string> {
  const inputs = [...text.matchAll(/<input [^>]*name="(\w+)"[^>]*>/g)];
  return Object.fromEntries(inputs.map(([input, name]) => [name ?? "", input]));
}

const problemIn = (text: string) => /<p class="problem"[^>]*role="alert">(.*?)<\/p>/.exec(text)?.[1];
const expectPage = ({ status, text }: Shown, wanted: number, words: string) =>
  expect([status, text.includes(words) ? words : text]).toEqual([wanted, words]);

const signInAs = (browser: Browser, { email, password }: { email: string; password: string }) =>
  browser.submit("/app/sign-in", { email, password });

async function signedIn(account: { email: string; password: string }): Promise<Browser> {
  const browser = createBrowser();
  const answer = await signInAs(browser, account);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/app"]);
  return browser;
}

describe("the page of an invitation", () => {
  it("says who invites to which page, as what and until when, and changes nothing however often it is opened", async () => {
    const owner = await createAccount();
    const {
      mail_token: token,
      email,
      id,
    } = await createInvitation(owner, undefined, {
      role: "editor",
      name: "Grace <Hopper>",
    });
    const before = await readTables();
    const browser = createBrowser();
    for (let n = 0; n < 3; n++) {
      const { status, text } = await browser.open(acceptPath(token));
      expect(status).toBe(200);
      for (const words of [
        "Join the team of",
        ">Page<",
        `Test user (${emailOf(owner)})`,
        "Your role: editor",
        "(UTC)",
      ]) {
        expect(text).toContain(words);
      }
      expect(fieldsIn(text)).toEqual({
        email: expect.stringMatching(new RegExp(`value="${email}".*autocomplete="username".*readonly`)),
        name: expect.stringMatching(/value="Grace &lt;Hopper&gt;".*autocomplete="name"/),
        password: expect.stringMatching(/type="password" autocomplete="new-password"/),
      });
    }
    expect(await readTables()).toEqual(before);
    expect(await membersOf(id)).toEqual([]);
  });

  it("names what a custom member may do", async () => {
    const capabilities = ["incidents.write", "maintenance.write", "sla.write"];
    const { token } = await createInvitation(await createAccount(), undefined, { role: "custom", capabilities });
    expectPage(
      await createBrowser().open(acceptPath(token)),
      200,
      "You can also report incidents, plan maintenance and set availability targets.",
    );
  });

  it("keeps its address from other sites, caches and frames, and runs nothing of others", async () => {
    const { token } = await createInvitation(await createAccount());
    for (const [path, script] of [
      [acceptPath(token), ""],
      [acceptPath("x".repeat(43)), ""],
      // Asks for passkeys, by a script of the service.
      ["/app/sign-in", "; script-src 'self'; connect-src 'self'"],
    ] as const) {
      const { headers } = await createBrowser().open(path);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("content-security-policy")).toBe(
        `default-src 'none'; style-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'${script}`,
      );
    }
  });

  it.each([
    ["was never issued", 404, "There is no such invitation", async () => "x".repeat(43)],
    ["is empty", 404, "There is no such invitation", async () => ""],
    [
      "was cancelled",
      404,
      "There is no such invitation",
      async () => {
        const owner = await createAccount();
        const { id, token, invitation_id } = await createInvitation(owner);
        await owner.client.delete(`${V1}/status-pages/${id}/members/invitations/${invitation_id}`);
        return token;
      },
    ],
    [
      "has expired",
      410,
      "This invitation has expired",
      async () => {
        const { token, invitation_id } = await createInvitation(await createAccount());
        const past = { expires_at: Date.now() - 1 };
        await db.update(pageInvitations).set(past).where(eq(pageInvitations.id, invitation_id));
        return token;
      },
    ],
    [
      "was used",
      410,
      "Already accepted",
      async () => {
        const { mail_token: token } = await createInvitation(await createAccount());
        await createBrowser().submit(acceptPath(token), { name: "Ada", password: PASSWORD });
        return token;
      },
    ],
  ])("of a token that %s says so with %i, and its form does nothing", async (_name, status, words, makeToken) => {
    const token = await makeToken();
    const before = await readTables();
    const form = { name: "Mallory", password: PASSWORD };
    const answers = [
      await createBrowser().open(acceptPath(token)),
      await createBrowser().submit(acceptPath(token), form),
      await createBrowser().submit(signInPath(token), form),
    ];
    for (const answer of answers) expectPage(answer, status, words);
    expect(await readTables()).toEqual(before);
  });
});

describe("somebody without an account", () => {
  it("becomes a member by name and password, is signed in, and sees a confirmation", async () => {
    const owner = await createAccount();
    const { id, mail_token: token, email } = await createInvitation(owner, undefined, { role: "editor" });
    const browser = createBrowser();
    const answer = await browser.submit(acceptPath(token), { name: " Ada ", password: PASSWORD });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `/app?joined=${id}`]);
    const [member] = await membersOf(id);
    expect(member).toMatchObject({ role: "editor" });
    expect(await accountsOf(email)).toMatchObject([{ id: member?.user_id, name: "Ada" }]);
    const audit = await db
      .select()
      .from(auditLog)
      .where(eq(auditLog.target_id, member?.id ?? ""));
    expect(audit).toMatchObject([{ event_type: "member.joined", owner_id: owner.user_id }]);
    const { status, text } = await browser.open(`/app?joined=${id}`);
    expect([status, text]).toEqual([200, expect.stringContaining("You are now a member of <strong")]);
    expect(text).toContain("Your role: editor");
    await signedIn({ email, password: PASSWORD });
  });

  it.each([
    ["no name", { password: PASSWORD }, "The name is required to open the account."],
    ["no password", { name: "Ada & Co" }, "The password is required to open the account."],
    ["a short password", { name: "Ada & Co", password: "too short" }, "The password must have at least 10 characters."],
    ["a common password", { name: "Ada & Co", password: "Password1234" }, "The password is too common."],
    ["a name of 201 characters", { name: "x".repeat(201), password: PASSWORD }, "The name must have at most 200"],
  ])("is shown what is wrong with %s, and keeps the name", async (_name, form: Record<string, string>, problem) => {
    const { id, mail_token: token, email } = await createInvitation(await createAccount());
    const { status, text } = await createBrowser().submit(acceptPath(token), form);
    expect([status, problemIn(text)]).toEqual([400, expect.stringContaining(problem)]);
    expect(text).toContain("<title>Error: ");
    expect(text).toMatch(/aria-describedby="[^"]*-problem" aria-invalid="true" autofocus/);
    if (form.name === "Ada & Co") expect(fieldsIn(text).name).toContain('value="Ada &amp; Co"');
    expect(fieldsIn(text).password).not.toContain("value=");
    expect(text).not.toContain(form.password ?? PASSWORD);
    expect([await accountsOf(email), await membersOf(id)]).toEqual([[], []]);
  });

  it("joins once when the form is sent twice at once", async () => {
    const { id, mail_token: token, email } = await createInvitation(await createAccount());
    const submit = () => createBrowser().submit(acceptPath(token), { name: "Ada", password: PASSWORD });
    const answers = await Promise.all([submit(), submit()]);
    const goals = answers.map(({ status, headers }) => [status, headers.get("location")?.split("?")[0]]);
    expect(goals.sort()).toEqual(
      [
        [303, "/app"],
        [303, "/app/accept"],
      ].sort(),
    );
    expect([(await accountsOf(email)).length, (await membersOf(id)).length]).toEqual([1, 1]);
  });
});

describe("somebody with an account", () => {
  async function invite() {
    const account = await createAccountWithPassword();
    return { account, ...(await createInvitation(await createAccount(), account)) };
  }

  it("signs in first, and accepts with one button then", async () => {
    const { account, id, token } = await invite();
    const browser = createBrowser();
    const asked = await browser.open(acceptPath(token));
    expectPage(asked, 200, "This address already has an account");
    expect(fieldsIn(asked.text)).toEqual({
      email: expect.stringContaining("readonly"),
      password: expect.stringContaining('autocomplete="current-password"'),
    });
    // The address is the invitation's, regardless of the form.
    const entered = await browser.submit(signInPath(token), { email: "x@example.com", password: account.password });
    expect([entered.status, entered.headers.get("location")]).toEqual([303, acceptPath(token)]);
    expect(await membersOf(id)).toEqual([]);
    const offered = await browser.open(acceptPath(token));
    expectPage(offered, 200, "Accept</button>");
    expect(fieldsIn(offered.text)).toEqual({});
    const accepted = await browser.submit(acceptPath(token));
    expect([accepted.status, accepted.headers.get("location")]).toEqual([303, `/app?joined=${id}`]);
    expect(await membersOf(id)).toMatchObject([{ user_id: account.user_id }]);
  });

  it("hears of a wrong password beside the field, and is asked again", async () => {
    const { id, token } = await invite();
    const browser = createBrowser();
    const { status, text } = await browser.submit(signInPath(token), { password: "not the password" });
    expect([status, problemIn(text)]).toEqual([401, "The password is wrong."]);
    expectPage({ status, text, headers: new Headers() }, 401, "Join the team of");
    expect([browser.hasCookie(), await membersOf(id)]).toEqual([false, []]);
  });

  it("cannot be made a member by a holder of the link alone", async () => {
    const { account, id, token } = await invite();
    const answer = await createBrowser().submit(acceptPath(token), { name: "Mallory", password: "another password" });
    expectPage(answer, 401, "This address already has an account");
    expect(await membersOf(id)).toEqual([]);
    await signedIn(account);
  });

  it("sees that they are signed in as somebody else, and gets back here by signing out", async () => {
    const { id, token, email } = await invite();
    const other = await createAccountWithPassword();
    const browser = await signedIn(other);
    const shown = await browser.open(acceptPath(token));
    expectPage(shown, 200, "This invitation is for another account");
    expect(shown.text).toContain(`You are signed in as <strong>${other.email}</strong>, but it was sent to`);
    expect(shown.text).toContain(`<strong>${email}</strong>`);
    expectPage(await browser.submit(acceptPath(token)), 403, "This invitation is for another account");
    expect(await membersOf(id)).toEqual([]);
    const left = await browser.submit("/app/sign-out", { next: acceptPath(token) });
    expect([left.status, left.headers.get("location")]).toEqual([303, acceptPath(token)]);
    expectPage(await browser.open(acceptPath(token)), 200, "This address already has an account");
  });
});

describe("signing in", () => {
  it("leads to one's own pages and those of others, with one's role on each", async () => {
    const account = await createAccountWithPassword();
    const own = await createPage(account, { name: "Mine <b>" });
    const shared = await createPage(await createAccount(), { name: "Theirs", is_public: false });
    await joinPage(account, shared, { role: "viewer" });
    const foreign = await createPage(await createAccount(), { name: "Nobody's business" });
    const { status, text, headers } = await (await signedIn(account)).open("/app");
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(text).toContain("Mine &lt;b&gt;");
    for (const id of [own, shared]) expect(text).toContain(`href="/status/p-${id}"`);
    for (const words of ["Your role: owner", "Your role: viewer", "Private", 'href="/docs"', account.email]) {
      expect(text).toContain(words);
    }
    expect(text).not.toContain(foreign);
  });

  it("offers to rotate a token until it has expired", async () => {
    const shown = async (expires_at: number) =>
      (await (await browserOf(await createAccount({ expires_at }))).open("/app/account")).text;
    expect(await shown(Date.now() + 60_000)).toContain("/rotate");
    expect(await shown(Date.now() - 60_000)).not.toContain("/rotate");
  });

  it("counts the seats of all pages apart from what each page may have", async () => {
    const { text } = await (await browserOf(await createAccount({ plan: "free" }))).open("/app/account");
    expect(text).toMatch(/Seats<\/dt><dd>0 on all pages, at most \d+ on each</);
  });

  it("says how to begin where there is no page yet", async () => {
    expectPage(await (await signedIn(await createAccountWithPassword())).open("/app"), 200, "No status pages yet.");
  });

  it("comes first where nobody is signed in", async () => {
    const answer = await createBrowser().open("/app");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/app/sign-in"]);
  });

  it("is not asked of people who are signed in", async () => {
    const browser = await signedIn(await createAccountWithPassword());
    const answer = await browser.open(`/app/sign-in?next=${encodeURIComponent("/status/shop?x=1")}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/status/shop?x=1"]);
  });

  it.each([
    ["a wrong password", { password: "not the password" }],
    ["an unknown address", { email: "nobody@example.com" }],
  ])("is refused for %s with one answer, the address kept", async (_name, wrong: Record<string, string>) => {
    const { email, password } = await createAccountWithPassword();
    const form = { email, password, ...wrong };
    const browser = createBrowser();
    const { status, text, headers } = await browser.submit("/app/sign-in", form);
    expect([status, problemIn(text)]).toEqual([401, "The e-mail address or the password is wrong."]);
    expect(headers.get("www-authenticate")).toBe("Bearer");
    expect(fieldsIn(text).email).toContain(`value="${form.email}"`);
    expect([text.includes(form.password), browser.hasCookie()]).toEqual([false, false]);
  });

  it("asks for what was left empty", async () => {
    const { status, text } = await createBrowser().submit("/app/sign-in", { email: "", password: "" });
    expect(status).toBe(400);
    expect(text).toContain("The e-mail address is required.");
    expect(text).toContain("The password is required.");
  });

  it.each([
    ["/app/accept?token=abc", "/app/accept?token=abc"],
    ["/status/shop", "/status/shop"],
    ["https://evil.test/", "/app"],
    ["//evil.test/", "/app"],
    ["/\\evil.test/", "/app"],
    ["/\t/evil.test/", "/app"],
    ["/a/..//evil.test", "/app"],
    ["javascript:alert(1)", "/app"],
    ["app", "/app"],
    ["/status/sh\u00f6p", "/app"],
    ["", "/app"],
  ])("goes on to %j as %s", async (next, location) => {
    const { email, password } = await createAccountWithPassword();
    const answer = await createBrowser().submit("/app/sign-in", { email, password, next });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, location]);
  });

  it("ends with signing out, on the server, too", async () => {
    const account = await createAccountWithPassword();
    const browser = await signedIn(account);
    const left = await browser.submit("/app/sign-out");
    expect([left.status, left.headers.get("location")]).toEqual([303, "/app/sign-in?signed_out=yes"]);
    expect(browser.hasCookie()).toBe(false);
    expectPage(await browser.open("/app/sign-in?signed_out=yes"), 200, "You are signed out.");
    const { sessions } = await readTables();
    expect(sessions?.filter(({ user_id }) => user_id === account.user_id)).toEqual([]);
    expect((await browser.submit("/app/sign-out")).status).toBe(303);
  });
});

describe("a form from elsewhere", () => {
  it.each([
    ["another site", { origin: "https://evil.test" }],
    ["another port", { origin: "http://vigil.test:8080" }],
    ["a sandbox", { origin: "null" }],
    ["a sandbox, as the browser says", { origin: "null", "sec-fetch-site": "cross-site" }],
    ["nowhere", { origin: "" }],
    ["a sibling host", { origin: "", "sec-fetch-site": "same-site" }],
  ])("that %s sends does nothing, with and without a session", async (_name, from: Record<string, string>) => {
    const account = await createAccountWithPassword();
    const fresh = await createInvitation(await createAccount());
    const known = await createInvitation(await createAccount(), account);
    const cookie = (await signInAs(createBrowser(), account)).headers.get("set-cookie")?.split(";")[0];
    const before = await readTables();
    const stranger = createBrowser(from);
    const victim = createBrowser({ ...from, cookie: cookie ?? "" });
    const answers = [
      await signInAs(stranger, account),
      await stranger.submit(acceptPath(fresh.token), { name: "Ada", password: PASSWORD }),
      await stranger.submit(signInPath(known.token), { password: account.password }),
      await stranger.submit("/app/sign-out"),
      await victim.submit(acceptPath(known.token)),
      await victim.submit("/app/sign-out"),
    ];
    for (const answer of answers) {
      expectPage(answer, 403, "Request rejected");
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect(await readTables()).toEqual(before);
  });

  it("is one of ours when the browser says so, with its origin hidden", async () => {
    const account = await createAccountWithPassword();
    const browser = createBrowser({ origin: "null", "sec-fetch-site": "same-origin" });
    expect((await signInAs(browser, account)).status).toBe(303);
  });

  it("is one of ours under another name of this service than its PUBLIC_URL", async () => {
    const { email, password } = await createAccountWithPassword();
    const see = createVisitor({ PUBLIC_URL: "http://127.0.0.1:8787" });
    const attempt = (origin: string) =>
      see(
        "/app/sign-in",
        { "content-type": "application/x-www-form-urlencoded", origin },
        { method: "POST", body: new URLSearchParams({ email, password }) },
      );
    expect((await attempt("http://vigil.test")).status).not.toBe(403);
    expect((await attempt("http://127.0.0.1:8787")).status).not.toBe(403);
    expect((await attempt("http://localhost:8787")).status).toBe(403);
  });
});

describe("what is no form", () => {
  it.each([
    ["JSON", "application/json", '{"email":"a@b.example","password":"x"}', 415],
    ["no type", "", "email=a", 415],
    ["NUL", "application/x-www-form-urlencoded", "email=a%00b&password=x", 400],
    ["a large body", "application/x-www-form-urlencoded", `email=${"x".repeat(70_000)}`, 413],
  ])("is refused as a page: %s", async (_name, type, body, status) => {
    const headers: Record<string, string> = { origin: "http://vigil.test", "content-type": type };
    const answer = await createVisitor()("/app/sign-in", headers, { method: "POST", body });
    expectPage(answer, status, "Invalid request");
  });

  it("is a query that says a thing twice", async () => {
    expectPage(await createBrowser().open("/app/accept?token=a&token=b"), 400, "Invalid request");
  });
});

it("an action is logged with the address of the client, also where the runtime states it beside the request", async () => {
  const account = await createAccount();
  const session = await insertBrowser(account);
  const headers = { ...session, "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ name: "Shop", slug: freshSlug() }).toString();
  const cf = { clientIp: "198.51.100.7:4000" } as Record<string, unknown>;
  expect((await createVisitor()("/app/pages/new", headers, { method: "POST", body, cf })).status).toBe(303);
  const rows = await db.select({ ip: auditLog.ip }).from(auditLog).where(eq(auditLog.actor_id, account.user_id));
  expect(rows).toEqual([{ ip: "198.51.100.7" }]);
});

describe("too many attempts", () => {
  const see = createVisitor({ RATE_LIMITS: "" });
  const visit = (path: string, form: Record<string, string>, ip: string, cookie?: string) => {
    const headers = {
      ...(cookie ? { cookie } : {}),
      origin: "http://vigil.test",
      "content-type": "application/x-www-form-urlencoded",
      "cf-connecting-ip": ip,
    };
    return see(path, headers, { method: "POST", body: new URLSearchParams(form).toString() });
  };

  it("at signing in are counted together with the API's, and the address is kept", async () => {
    const form = { email: "ada@example.com", password: "wrong password" };
    const ip = "192.0.2.80";
    // Without a password, so that nothing slow is computed.
    for (let n = 0; n < 5; n++) expect((await visit("/app/sign-in", { email: form.email }, ip)).status).toBe(400);
    const login = { "content-type": "application/json", "cf-connecting-ip": ip };
    for (let n = 0; n < 5; n++) {
      expect((await see("/api/core/v1/auth/login", login, { method: "POST", body: "{}" })).status).toBe(400);
    }
    const { status, text, headers } = await visit("/app/sign-in", { ...form, next: "/status/shop" }, ip);
    expect([status, problemIn(text)]).toEqual([
      429,
      expect.stringMatching(/^Too many attempts. Try again in \d+ seconds.$/),
    ]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(fieldsIn(text).email).toContain('value="ada@example.com"');
    expect(fieldsIn(text).next).toContain('value="/status/shop"');
    expect(text).not.toContain(form.password);
  });

  it("are those of one client, also where the runtime states its address beside the request", async () => {
    const signIn = async (clientIp: string) => {
      const headers = { origin: "http://vigil.test", "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams({ email: "ada@example.com" }).toString();
      const cf = { clientIp } as Record<string, unknown>;
      return (await see("/app/sign-in", headers, { method: "POST", body, cf })).status;
    };
    for (let n = 0; n < 10; n++) expect(await signIn(`[2001:db8::82]:${5000 + n}`)).toBe(400);
    expect([await signIn("[2001:db8::82]:6000"), await signIn("203.0.113.82:6000")]).toEqual([429, 400]);
  });

  it("at accepting keep the name, and accept nothing", async () => {
    const { id, mail_token: token } = await createInvitation(await createAccount());
    const form = { name: "Ada", password: "short" };
    for (let n = 0; n < 10; n++) expect((await visit(acceptPath(token), form, "192.0.2.81")).status).toBe(400);
    const { status, text } = await visit(acceptPath(token), { name: "Ada", password: PASSWORD }, "192.0.2.81");
    expect([status, problemIn(text)]).toEqual([429, expect.stringContaining("Too many attempts.")]);
    expect(fieldsIn(text).name).toContain('value="Ada"');
    expect(await membersOf(id)).toEqual([]);
  });

  it("at accepting with one button are said beside it", async () => {
    const account = await createAccountWithPassword();
    const { token } = await createInvitation(await createAccount(), account);
    const cookie = (await signInAs(createBrowser(), account)).headers.get("set-cookie")?.split(";")[0];
    for (let n = 0; n < 10; n++) await visit(acceptPath("none"), {}, "192.0.2.83");
    const { status, text } = await visit(acceptPath(token), {}, "192.0.2.83", cookie);
    expect([status, problemIn(text)]).toEqual([429, expect.stringContaining("Too many attempts.")]);
    expect(text).toContain("Accept</button>");
  });

  it("at signing in for an invitation are shown there", async () => {
    const account = await createAccountWithPassword();
    const { token } = await createInvitation(await createAccount(), account);
    const attempt = () => visit(signInPath(token), {}, "192.0.2.82");
    for (let n = 0; n < 10; n++) expect((await attempt()).status).toBe(400);
    expectPage(await attempt(), 429, "Join the team of");
  });
});

it("the style sheet is kept for good under its own address, and briefly under an older one", async () => {
  const { text } = await createBrowser().open("/app/sign-in");
  const href = /<link rel="stylesheet" href="([^"]+)"/.exec(text)?.[1] ?? "";
  const { status, headers } = await createBrowser().open(href);
  expect([status, headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  expect(headers.get("cache-control")).toContain("immutable");
  expect((await createBrowser().open(`/assets/app/${newId()}.css`)).headers.get("cache-control")).toBe(
    "public, max-age=60",
  );
});
