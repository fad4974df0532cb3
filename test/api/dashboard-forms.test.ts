import { beforeEach, describe, expect, it } from "vitest";
import { CORE, createClient, V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { OBJECTS } from "../support/examples.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { emailOf } from "../support/members.ts";

let account: Account;
let browser: Browser;
beforeEach(async () => {
  account = await createAccount();
  browser = await browserOf(account);
});

describe("imprint and privacy", () => {
  it("are set by a form that the settings of the page lead to", async () => {
    const page = await createPage(account);
    expect((await browser.open(`/app/pages/${page}`)).text).toContain(`href="/app/pages/${page}/legal"`);
    const links = { imprint_url: "https://shop.example/imprint", privacy_url: "https://shop.example/privacy" };
    expect((await browser.submit(`/app/pages/${page}/legal`, links)).headers.get("location")).toBe(
      `/app/pages/${page}`,
    );
    expect((await account.client.get(`${V1}/status-pages/${page}`)).body).toMatchObject(links);
    const refused = await browser.submit(`/app/pages/${page}/legal`, { ...links, privacy_url: "nowhere" });
    expect([refused.status, refused.text.includes("https://shop.example/imprint")]).toEqual([400, true]);
  });
});

describe("the domain of a page", () => {
  it("is the host of the address that people paste", async () => {
    const page = await createPage(account);
    const path = `/app/pages/${page}/domain`;
    const pasted = { custom_domain: " https://Status.Pasted.example/ ", ssl_type: "none" };
    expect((await browser.submit(path, pasted)).status).toBe(303);
    expect((await browser.open(path)).text).toMatch(/name="custom_domain"[^>]*value="status\.pasted\.example"/);
    const refused = await browser.submit(path, { ...pasted, custom_domain: "https://a.example/path" });
    expect(refused.text).toContain("Host name must be a host name, such as status.example.com.");
  });
});

describe("what other programs read", () => {
  it("is a calendar at an address that its buttons make and revoke", async () => {
    const mayRevoke = async () => (await browser.open("/app/account")).text.includes("/app/account/calendar/revoke");
    expect(await mayRevoke()).toBe(false);
    const { text } = await browser.submit("/app/account/calendar");
    expect(await mayRevoke()).toBe(true);
    const [, path = ""] = /http:\/\/[^/]+(\/calendar\/cal_\w+)/.exec(text) ?? [];
    // Nobody types it into a phone.
    expect(text).toContain('class="qr"');
    expect((await createClient().get(path)).status).toBe(200);
    expect((await browser.submit("/app/account/calendar/revoke")).headers.get("location")).toBe("/app/account");
    expect((await createClient().get(path)).status).toBe(404);
  });

  it("are metrics by a credential that its buttons make and revoke", async () => {
    const mayRevoke = async () =>
      (await browser.open("/app/account")).text.includes("/app/account/metrics-token/revoke");
    expect(await mayRevoke()).toBe(false);
    const { text } = await browser.submit("/app/account/metrics-token");
    expect(await mayRevoke()).toBe(true);
    const [token = ""] = /mt_\w+/.exec(text) ?? [];
    expect((await createClient(token).get("/metrics")).status).toBe(200);
    await browser.submit("/app/account/metrics-token/revoke");
    expect((await createClient(token).get("/metrics")).status).toBe(401);
  });
});

describe("signing out everywhere", () => {
  it("ends all sessions and tokens once the address was typed", async () => {
    const path = "/app/account/end-everything";
    expect((await browser.open(path)).text).toContain(emailOf(account));
    const wrong = await browser.submit(path, { confirmation: "yes" });
    expect([wrong.status, wrong.text.includes("That is not the address.")]).toEqual([400, true]);
    expect((await account.client.get(`${CORE}/auth/me`)).status).toBe(200);
    expect((await browser.submit(path, { confirmation: emailOf(account) })).headers.get("location")).toBe(
      "/app/sign-in?signed_out=yes",
    );
    expect((await account.client.get(`${CORE}/auth/me`)).status).toBe(401);
    expect((await browser.open("/app")).headers.get("location")).toBe("/app/sign-in");
  });
});

describe("linked chats", () => {
  it("are listed and unlinked, and say where the operator has no bot", async () => {
    const id = await OBJECTS["status channel"](account);
    const [page] = (await account.client.get(`${V1}/status-pages`)).body;
    const path = `/app/pages/${page.id}/chats`;
    const { text } = await browser.open(path);
    expect(text).toContain(`${path}/discord/${id}/unlink`);
    expect((await browser.submit(`${path}/discord/${id}/unlink`)).headers.get("location")).toBe(path);
    expect((await browser.open(path)).text).toContain("None is linked.");
  });
});
