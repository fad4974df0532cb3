import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { CORE, createClient } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { mailsTo } from "../support/mail.ts";
import { createAccountWithPassword, insertBrowser } from "../support/members.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
/** Asks from where Cloudflare supposes the visitor to be. */
const inBerlin = createClient(undefined, (request) =>
  exports.default.fetch(new Request(request, { cf: { city: "Berlin", country: "DE" } })),
);

async function setUp() {
  const account = await createAccountWithPassword();
  const headers = { "user-agent": FIREFOX, "cf-connecting-ip": "203.0.113.7" };
  const signIn = (password = account.password) =>
    inBerlin.post(`${CORE}/auth/login`, { email: account.email, password }, headers);
  return { account, signIn, browser: createBrowser(await insertBrowser(account)) };
}

describe("the history of sign-ins", () => {
  it("shows when, by which browser and from where the account was signed in to", async () => {
    const { account, signIn, browser } = await setUp();
    expect((await signIn()).status).toBe(200);
    const { text } = await browser.open("/app/account/history");
    for (const fact of ["Firefox", "Berlin, DE", "203.0.113.7", "Signed in"]) expect(text).toContain(fact);
    expect((await mailsTo(account.email)).at(-1)?.text).toContain("Place: Berlin, DE");
  });

  it("shows who tried and failed", async () => {
    const { signIn, browser } = await setUp();
    expect((await signIn("wrong")).status).toBe(401);
    expect((await browser.open("/app/account/history")).text).toContain("No sign-ins to show");
    const { text } = await browser.open("/app/account/history?kind=session.refused");
    for (const fact of ["Berlin, DE", "203.0.113.7", "Failed"]) expect(text).toContain(fact);
  });

  it("is that of the account alone", async () => {
    const { signIn } = await setUp();
    await signIn();
    const other = createBrowser(await insertBrowser(await createAccount()));
    expect((await other.open("/app/account/history")).text).not.toContain("203.0.113.7");
  });
});
