import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { SignJWT } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { linkedSignIns } from "../../src/data/linked-sign-ins/table.ts";
import { users } from "../../src/data/users/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { ACCESS_CERTS, type AccessTeam, createAccessTeam } from "../support/access-team.ts";
import { codeOf } from "../support/authenticator.ts";
import { type Client, CORE, createClient, createClientUnder } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { type Browser, createBrowser, type Shown } from "../support/forms.ts";
import { createAccountWithPassword, openUnderForeignAddress, PASSWORD, STOLEN } from "../support/members.ts";
import { createPage, HOUR } from "../support/pages.ts";
import { createHeartbeat } from "../support/pushes.ts";
import { useSink } from "../support/sink.ts";
import { createProtectedAccount } from "../support/two-factor.ts";

const db = openDb(env.DB);
const sink = useSink();
const HEADER = "Cf-Access-Jwt-Assertion";
const ENTRY = "/app/sign-in/with/access";
let team: AccessTeam;
let person: { sub: string; email: string };
beforeAll(async () => {
  team = await createAccessTeam(sink);
});
beforeEach(() => {
  person = { sub: newId(), email: `${newId()}@works.example` };
});
afterEach(() => void vi.useRealTimers());

let later = Date.now();
/** Keys are remembered by time, so each test that changes them has its own, after all before. */
function waitFor(ms: number): void {
  later += ms;
  vi.useFakeTimers({ toFake: ["Date"], now: later });
}

const behind = async (claims: Record<string, unknown> = person) => ({ [HEADER]: await team.assert(claims) });
const locationOf = ({ headers }: Shown) => headers.get("location");
const proofIn = ({ text }: Shown) => /name="proof" value="([^"]+)"/.exec(text)?.[1] ?? "";

/** Comes to the dashboard, and follows where it leads. */
async function enter(browser: Browser, headers: Record<string, string>) {
  const asked = await browser.open("/app/account", headers);
  expect([asked.status, locationOf(asked)]).toEqual([303, `${ENTRY}?next=%2Fapp%2Faccount`]);
  return browser.open(`${ENTRY}?next=%2Fapp%2Faccount`, headers);
}

async function entered() {
  const browser = createBrowser();
  const headers = await behind();
  const shown = await enter(browser, headers);
  expect([shown.status, locationOf(shown)]).toEqual([303, "/app/account"]);
  return { browser, headers };
}

/** What somebody gets who sends this as the assertion. */
async function tryWith(assertion: string) {
  const browser = createBrowser();
  const shown = await browser.open(ENTRY, { [HEADER]: assertion });
  expect(browser.hasCookie()).toBe(false);
  return shown.status;
}

describe("whom Cloudflare Access let through", () => {
  it("is asked nothing more: the dashboard opens, and an account is made for the domains that the operator names", async () => {
    const { browser, headers } = await entered();
    expect((await browser.open("/app/account", headers)).text).toContain(person.email);
    expect((await browser.open("/app/account/sign-ins", headers)).text).toContain("Cloudflare Access");
  });

  it("goes on nowhere but to this service", async () => {
    const shown = await createBrowser().open(`${ENTRY}?next=https://evil.example/`, await behind());
    expect([shown.status, locationOf(shown)]).toEqual([303, "/app"]);
  });

  it("is known by issuer and subject, also when the address changed, and never by the address", async () => {
    await entered();
    const { email, sub } = person;
    person = { sub, email: `${newId()}@works.example` };
    const { browser, headers } = await entered();
    expect((await browser.open("/app/account", headers)).text).toContain(email);
    expect(await tryWith(await team.assert({ sub: newId(), email }))).toBe(403);
  });

  it("begins a session in each of several tabs that open at once", async () => {
    const { headers } = await entered();
    const tabs = await Promise.all([1, 2, 3].map(() => createBrowser().open(ENTRY, headers)));
    expect(tabs.map(({ status }) => status)).toEqual([303, 303, 303]);
  });

  it("gets no account outside of those domains, and may sign in by the form", async () => {
    person.email = `${newId()}@elsewhere.example`;
    const browser = createBrowser();
    const shown = await enter(browser, await behind());
    expect([shown.status, browser.hasCookie()]).toEqual([403, false]);
    const form = await browser.open("/app/sign-in", await behind());
    expect([form.status, form.text.includes(`href="${ENTRY}"`)]).toEqual([200, true]);
    const { email } = await createAccountWithPassword();
    expect((await browser.submit("/app/sign-in", { email, password: PASSWORD }, await behind())).status).toBe(303);
    expect((await browser.open("/app/account", await behind())).text).toContain(email);
  });

  it("links the account that exists by its password, once", async () => {
    const account = await createAccountWithPassword();
    person.email = account.email;
    const browser = createBrowser();
    const shown = await enter(browser, await behind());
    expect([shown.status, browser.hasCookie()]).toEqual([200, false]);
    const confirm = async (password: string) =>
      browser.submit(`${ENTRY}/confirm`, { proof: proofIn(shown), password }, await behind());
    expect((await confirm("guessed wrong")).status).toBe(401);
    expect((await confirm(PASSWORD)).status).toBe(303);
    await entered();
  });

  it("links the account that they are signed in to, after they said so", async () => {
    const account = await createAccountWithPassword();
    person.email = account.email;
    const browser = createBrowser();
    await browser.submit("/app/sign-in", { email: account.email, password: PASSWORD });
    const asked = await browser.open("/app/account/sign-ins/link/access", await behind());
    expect(await db.$count(linkedSignIns, eq(linkedSignIns.user_id, account.user_id))).toBe(0);
    expect((await browser.submit("/app/account/sign-ins", { proof: proofIn(asked) })).status).toBe(303);
    await entered();
  });

  it("takes over the account that somebody else opened under the address before", async () => {
    const attack = await openUnderForeignAddress();
    await db.update(users).set({ email: person.email }).where(eq(users.email, attack.victim));
    await entered();
    const login = await createClient().post(`${CORE}/auth/login`, { email: person.email, password: STOLEN });
    expect([login.status, (await attack.stolen.get(`${CORE}/auth/me`)).status]).toEqual([401, 401]);
  });

  it("is asked for the code of an account with two-factor sign-in, every time", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const account = await createProtectedAccount();
    person.email = account.email;
    const browser = createBrowser();
    const first = await enter(browser, await behind());
    const fields = { proof: proofIn(first), password: PASSWORD, code: codeOf(account.secret, 1) };
    expect((await browser.submit(`${ENTRY}/confirm`, fields)).status).toBe(303);
    const again = createBrowser();
    const asked = await enter(again, await behind());
    expect([asked.status, again.hasCookie()]).toEqual([200, false]);
    expect((await again.submit(`${ENTRY}/confirm`, { proof: proofIn(asked), code: "000000" })).status).toBe(401);
  });

  it("is signed out of Access, too", async () => {
    const { browser, headers } = await entered();
    const shown = await browser.submit("/app/sign-out", {}, headers);
    const logout = "https://works.cloudflareaccess.com/cdn-cgi/access/logout";
    expect([shown.status, shown.headers.get("refresh"), browser.hasCookie()]).toEqual([200, `0; url=${logout}`, false]);
    expect(shown.text).toContain(`href="${logout}"`);
  });
});

describe("a session that began by Cloudflare Access", () => {
  it("is worth nothing without the word of Access, as a cookie that was stolen", async () => {
    const { browser, headers } = await entered();
    expect(locationOf(await browser.open("/app/account"))).toBe("/app/sign-in?next=%2Fapp%2Faccount");
    expect((await browser.open("/app/account", headers)).status).toBe(200);
  });

  it("is worth nothing to somebody else, who gets a session of their own", async () => {
    const { browser } = await entered();
    const mallory = { sub: newId(), email: `${newId()}@works.example` };
    const shown = await enter(browser, await behind(mallory));
    expect(shown.status).toBe(303);
    expect((await browser.open("/app/account", await behind(mallory))).text).toContain(mallory.email);
    expect((await browser.open("/app/account", await behind())).status).toBe(303);
  });

  it("is worth nothing with an assertion that is over, forged or of a service token", async () => {
    const { browser } = await entered();
    for (const assertion of [
      await team.assert({ ...person, exp: 1 }),
      await team.forge(person),
      await team.assert({ ...person, common_name: "token.access" }),
    ]) {
      expect((await browser.open("/app/account", { [HEADER]: assertion })).status).toBe(303);
    }
  });

  it("counts on paths that Access does not cover by the cookie of the same person, and of nobody else", async () => {
    const { browser } = await entered();
    const me = async (assertion: string) => {
      const cookie = `${browser.cookies()}; CF_Authorization=${assertion}`;
      return (await createClient().request("GET", `${CORE}/auth/me`, undefined, { cookie })).status;
    };
    expect(await me(await team.assert(person))).toBe(200);
    for (const hostile of [await team.forge(person), await team.assert({ ...person, sub: newId() }), ""]) {
      expect(await me(hostile)).toBe(401);
    }
  });

  it("makes changes by forms, which carry the word of Access along", async () => {
    const { browser, headers } = await entered();
    const shown = await browser.submit("/app/account/profile", { name: "Ada Lovelace" }, headers);
    expect(shown.status).toBe(303);
    expect((await browser.open("/app/account", headers)).text).toContain("Ada Lovelace");
  });

  it("answers that Access is away, and goes on afterwards, while its keys cannot be read", async () => {
    const { browser } = await entered();
    waitFor(HOUR);
    const headers = await behind();
    sink.answer(ACCESS_CERTS, () => {
      throw new TypeError("Network connection lost.");
    });
    expect((await browser.open("/app/account", headers)).status).toBe(503);
    expect((await browser.open("/app/account", headers)).status).toBe(200);
  });
});

describe("an assertion", () => {
  it.each([
    ["of another team", { iss: "https://evil.cloudflareaccess.com" }],
    ["for another application", { aud: ["another"] }],
    ["for several applications", { aud: ["another", "vigil-audience"] }],
    ["without an application", { aud: undefined }],
    ["that is over", { exp: Math.floor(Date.now() / 1000) - 60 }],
    ["without an end", { exp: undefined }],
    ["that does not count yet", { nbf: Math.floor(Date.now() / 1000) + 3600 }],
    ["without a subject", { sub: undefined }],
    ["with an empty subject", { sub: "" }],
    ["with an endless subject", { sub: "s".repeat(256) }],
    ["of a service token", { sub: "", email: undefined, common_name: "token.access" }],
    ["of a service token that also names a person", { common_name: "token.access" }],
    ["without an address", { email: undefined }],
  ])("%s signs nobody in", async (_name, claims) => {
    expect(await tryWith(await team.assert({ ...person, ...claims }))).toBe(400);
  });

  it("that is not signed, or with the public key as a secret, signs nobody in", async () => {
    const [head = "", body = ""] = (await team.assert(person)).split(".");
    const headOf = (header: object) => Buffer.from(JSON.stringify(header)).toString("base64url");
    const mac = await new SignJWT(JSON.parse(Buffer.from(body, "base64url").toString()))
      .setProtectedHeader({ alg: "HS256", kid: "first" })
      .sign(new TextEncoder().encode(team.publicKey()));
    for (const hostile of [
      `${headOf({ alg: "none" })}.${body}.`,
      `${headOf({ alg: "None", kid: "first" })}.${body}.`,
      `${head}.${body}.`,
      `${head}.${body}`,
      mac,
      await team.forge(person),
      `${headOf({ alg: "RS256", kid: "first", crit: ["b64"], b64: false })}.${body}.c2ln`,
    ]) {
      expect([hostile, await tryWith(hostile)]).toEqual([hostile, 400]);
    }
  });

  it("of another person under the signature of one's own signs nobody in", async () => {
    const [head, , signature] = (await team.assert(person)).split(".");
    const [, body] = (await team.assert({ ...person, sub: newId() })).split(".");
    expect(await tryWith(`${head}.${body}.${signature}`)).toBe(400);
  });

  it.each([
    ["twice", async () => `${await team.assert(person)}, ${await team.assert(person)}`],
    ["endless", async () => `${await team.assert(person)}${"x".repeat(20_000)}`],
    ["empty", async () => ""],
    ["no token", async () => "ada@works.example"],
    ["of parts that are no JSON", async () => "e30.%%.x"],
    ["of a list", async () => "W10.W10.W10"],
  ])("sent %s signs nobody in", async (_name, make) => {
    expect([400, 404]).toContain(await tryWith(await make()));
  });

  it("with keys that nobody knows has Access asked once a minute at most", async () => {
    waitFor(HOUR);
    await entered();
    waitFor(61_000);
    sink.received.length = 0;
    for (let n = 0; n < 8; n += 1) expect(await tryWith(await team.assert(person, { kid: `made-up-${n}` }))).toBe(400);
    expect(sink.received.filter(({ url }) => url === ACCESS_CERTS)).toHaveLength(1);
  });

  it("counts after the team changed its keys", async () => {
    waitFor(HOUR);
    await entered();
    await team.rotate();
    waitFor(61_000);
    await entered();
  });

  it("is judged by no more of an answer than keys have", async () => {
    waitFor(HOUR);
    sink.answer(ACCESS_CERTS, () => new Response("x".repeat(300_000)));
    expect(await tryWith(await team.assert(person))).toBe(503);
  });

  it("means nothing where no Access is set up", async () => {
    const client = createClientUnder({ ACCESS_TEAM: "" });
    const open = (path: string, headers = {}) => client.request("GET", path, undefined, headers);
    const headers = await behind();
    expect((await open("/app", headers)).headers.get("location")).toBe("/app/sign-in");
    expect((await open(ENTRY, headers)).status).toBe(404);
    expect(JSON.stringify((await open("/app/sign-in", headers)).body)).not.toContain("Cloudflare Access");
    expect(sink.received).toEqual([]);
  });
});

describe("behind Cloudflare Access", () => {
  it("API tokens, pushes and public pages answer by their own rules, regardless of the assertion", async () => {
    const account = await createAccount();
    const pushed = await createHeartbeat(account);
    const { slug } = await createPage(account, { is_public: true });
    for (const headers of [await behind(), { [HEADER]: "forged" }, {}]) {
      const ask = async (client: Client, path: string, method = "GET") =>
        (await client.request(method, path, undefined, headers)).status;
      expect(await ask(account.client, `${CORE}/auth/me`)).toBe(200);
      expect(await ask(createClient(), `${CORE}/auth/me`)).toBe(401);
      expect(await ask(createClient(pushed.heartbeat_token), `/heartbeat/${pushed.id}`, "POST")).toBe(200);
      expect(await ask(createClient(), `/status/${slug}`)).toBe(200);
    }
  });
});
