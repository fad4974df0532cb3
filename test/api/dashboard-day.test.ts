import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { SAVED_VIEWS_MAX } from "../../src/contract/saved-view.ts";
import { CORE } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { type Browser, createBrowser } from "../support/forms.ts";
import { insertNotice, joinPage } from "../support/members.ts";

const VIEWS = `${CORE}/user/views`;
const IN_TROUBLE = { name: "In trouble", list: "monitors", query: "status=down,degraded&sort=since" };
const ADDRESS = "/app/monitors?status=down,degraded&sort=since";

let account: Account;
let browser: Browser;
beforeEach(async () => {
  account = await createAccount();
  browser = await browserOf(account);
});

const setStatus = (id: string, status: string) =>
  env.DB.prepare("UPDATE monitors SET status = ? WHERE id = ?").bind(status, id).run();
const titleOf = async (path: string) => /<title>([^<]*)</.exec((await browser.open(path)).text)?.[1];
const bellOf = async (path: string) =>
  /id="unread-side"[^>]*>([^<]*)</.exec((await browser.open(path)).text)?.[1] ?? "no bell";

describe("a view", () => {
  it("says how many monitors are down at the beginning of its title", async () => {
    const owner = await createAccount();
    const page = await createPage(owner);
    await joinPage(account, page, { role: "viewer" });
    const [own, shared, foreign] = await Promise.all([
      createMonitor(account.client),
      createMonitor(owner.client, { status_page_id: page }),
      createMonitor(owner.client),
    ]);
    expect(await titleOf("/app/monitors")).toBe("Monitors | Vigil");
    for (const { id } of [own, shared, foreign]) await setStatus(id, "down");
    expect(await titleOf("/app/monitors")).toBe("(2) Monitors | Vigil");
    await setStatus(own.id, "degraded");
    expect(await titleOf("/app/account")).toBe("(1) Account | Vigil");
  });

  it("counts beside its bell what its reader has not read", async () => {
    expect(await bellOf("/app/team")).toBe("");
    for (let n = 0; n < 101; n++) await insertNotice(account.user_id);
    expect(await bellOf("/app/team")).toBe("99+");
  });
});

describe("notifications", () => {
  it("announce no words after a colon where there are none", async () => {
    await insertNotice(account.user_id, { title: "Agent Warehouse is offline", message: "" });
    const { text } = await browser.open("/app/notifications");
    expect(text).toMatch(/Agent Warehouse is offline<\/\w+><\/p><p class="quiet"><time[^>]*>just now<\/time><\/p>/);
  });

  it("are marked as read together, those alone that came until then, and of nobody else", async () => {
    const other = await createAccount();
    for (const { user_id } of [account, account, other]) await insertNotice(user_id);
    const { body } = await account.client.get(`${CORE}/notifications`);
    const until = new Date(Date.parse(body[0].created_at) - 1).toISOString();
    expect((await account.client.post(`${CORE}/notifications/read`, { until })).status).toBe(204);
    expect(await bellOf("/app")).not.toBe("");
    expect((await browser.open("/app/notifications")).text).toContain("Mark all as read");
    const entered = { until: body[0].created_at };
    expect((await browser.submit("/app/notifications/read", entered)).status).toBe(303);
    expect(await bellOf("/app")).toBe("");
    expect((await browser.open("/app/notifications")).text).not.toContain("Mark all as read");
    expect((await other.client.get(`${CORE}/notifications`)).body).toMatchObject([{ is_read: false }]);
  });

  it("begin with what needs attention now", async () => {
    const { id } = await createMonitor(account.client, { name: "Checkout" });
    expect((await browser.open("/app/notifications")).text).not.toContain("Needs attention");
    await setStatus(id, "down");
    const { text } = await browser.open("/app/notifications");
    expect(text).toMatch(/Needs attention.*Checkout/s);
  });
});

describe("several values of a filter", () => {
  it("are chosen without a script, and stand in the address in one word", async () => {
    const monitors = await Promise.all(
      ["Checkout", "Billing", "Search"].map((name) => createMonitor(account.client, { name })),
    );
    await setStatus(monitors[0]?.id ?? "", "down");
    await setStatus(monitors[1]?.id ?? "", "degraded");
    const { status, headers } = await browser.open("/app/monitors?q=&status.down=on&status.degraded=on&sort=since");
    expect([status, headers.get("location")]).toEqual([303, ADDRESS]);
    const { text } = await browser.open(ADDRESS);
    expect([text.includes("Checkout"), text.includes("Billing"), text.includes("Search</a>")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(text).toMatch(/name="status\.down" checked/);
    expect(text).not.toMatch(/name="status\.up" checked/);
  });
});

describe("a saved view", () => {
  it("is saved by its form, stands in the column of every view, and is removed with a way back", async () => {
    await createMonitor(account.client);
    expect((await browser.open("/app/monitors")).text).not.toContain("Save this view");
    expect((await browser.open(`${ADDRESS}&offset=0`)).text).toContain("Save this view");
    const saved = await browser.submit("/app/views", IN_TROUBLE);
    expect([saved.status, saved.headers.get("location")]).toEqual([303, ADDRESS]);
    const link = `<a href="${ADDRESS.replace("&", "&amp;")}"`;
    for (const path of ["/app", "/app/team"]) expect((await browser.open(path)).text).toContain(`${link}>`);
    expect((await browser.open(ADDRESS)).text).toContain(`${link} aria-current="page"`);
    const [{ id }] = (await account.client.get(VIEWS)).body;
    expect((await browser.submit(`/app/views/${id}/remove`)).headers.get("location")).toBe(ADDRESS);
    const { text } = await browser.open(ADDRESS);
    expect(text).toMatch(/In trouble is no longer a saved view.*Undo/s);
    expect((await account.client.get(VIEWS)).body).toEqual([]);
  });

  it("of the same name shows something else from then on", async () => {
    expect(await account.client.post(VIEWS, IN_TROUBLE)).toMatchObject({ status: 201, body: { url: ADDRESS } });
    const again = { ...IN_TROUBLE, query: "status=paused&offset=50" };
    expect(await account.client.post(VIEWS, again)).toMatchObject({
      status: 200,
      body: { query: "status=paused", url: "/app/monitors?status=paused" },
    });
    expect((await account.client.get(VIEWS)).body).toHaveLength(1);
  });

  it("is its person's alone", async () => {
    const { id } = (await account.client.post(VIEWS, IN_TROUBLE)).body;
    const other = await createAccount();
    expect((await other.client.get(VIEWS)).body).toEqual([]);
    expect((await other.client.delete(`${VIEWS}/${id}`)).status).toBe(404);
    expect((await (await browserOf(other)).submit(`/app/views/${id}/remove`)).status).toBe(404);
    expect((await account.client.delete(`${VIEWS}/${id}`)).status).toBe(204);
  });

  it("leads to a list of the dashboard, and nowhere else", async () => {
    for (const list of ["../evil", "account/delete", ""]) {
      expect((await account.client.post(VIEWS, { ...IN_TROUBLE, list })).status, list).toBe(400);
    }
    const { body } = await account.client.post(VIEWS, { ...IN_TROUBLE, query: "//evil.example/#x" });
    expect(body.url).toBe("/app/monitors?%2F%2Fevil.example%2F%23x=");
  });

  it(`is one of at most ${SAVED_VIEWS_MAX}`, async () => {
    for (let n = 0; n < SAVED_VIEWS_MAX; n++) {
      expect((await account.client.post(VIEWS, { ...IN_TROUBLE, name: `View ${n}` })).status).toBe(201);
    }
    const { status, body } = await account.client.post(VIEWS, IN_TROUBLE);
    expect([status, body.error]).toEqual([409, expect.stringContaining("at most 30 saved views")]);
  });
});

describe("a session that ended while a form was filled in", () => {
  it("is begun again on the way back to the very form, and to nowhere else", async () => {
    const from = (referer: string) => createBrowser().submit("/app/incidents/new", { title: "Slow" }, { referer });
    const place = async (referer: string) => (await from(referer)).headers.get("location");
    const form = "/app/incidents/new?template=none";
    expect(await place(`http://vigil.test${form}`)).toBe(`/app/sign-in?next=${encodeURIComponent(form)}`);
    expect(await place("https://evil.example/app/incidents/new")).toBe("/app/sign-in");
    expect(await place("nonsense")).toBe("/app/sign-in");
  });
});
