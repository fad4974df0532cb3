import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { subscriberToken } from "../../src/platform/subscriber-tokens.ts";
import { createShop, createVisitor, insertIncident, PAGES, storedPage } from "../support/pages.ts";
import { insertSubscriber } from "../support/subscribers.ts";

const PASSWORD = "open sesame";
const HOURS_12 = 12 * 3_600_000;
/** An isolate that asks the database every time. */
const visit = createVisitor({ PAGE_MEMO_MS: "0" });
const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };

async function createProtected() {
  const shop = await createShop({ password: PASSWORD });
  const own = { owner_id: shop.account.user_id, status_page_id: shop.page.id };
  const incident = await insertIncident(own, { messages: ["Fixed."] });
  return { ...shop, incident };
}

const unlock = (path: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  visit(`${path}/unlock`, { ...json, ...headers }, { method: "POST", body: JSON.stringify({ password }) });
const cookieOf = ({ headers }: { headers: Headers }) => (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const unlocked = async (path: string) => ({ cookie: cookieOf(await unlock(path)) });

describe("a page with a password", () => {
  it("says that it has one, and never which", async () => {
    const { account, page } = await createProtected();
    expect(page.has_password).toBe(true);
    const read = (await account.client.get(`${PAGES}/${page.id}`)).body;
    expect(JSON.stringify([page, read])).not.toMatch(/sesame|scrypt|password_hash|"password"/);
    const renamed = await account.client.put(`${PAGES}/${page.id}`, { ...read, name: "Southwind" });
    expect(renamed.body).toMatchObject({ name: "Southwind", has_password: true });
    const opened = await account.client.put(`${PAGES}/${page.id}`, { password: null });
    expect(opened.body.has_password).toBe(false);
  });

  it("shows visitors a form and nothing of the page", async () => {
    const { path, page, incident } = await createProtected();
    for (const document of ["", "/history", `/incidents/${incident}`, "/subscribe"]) {
      const answer = await visit(path + document);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([401, "no-store"]);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.text).toContain(`action="${path}/unlock"`);
      expect(answer.text).toContain('type="password"');
      expect(answer.text).not.toMatch(/Northwind|Web shop|Trouble|Fixed/);
    }
    const framed = await visit(`/embed/${page.slug}`);
    expect([framed.status, framed.text.includes("<form")]).toEqual([401, false]);
  });

  it.each([
    "/summary.json",
    "/api/v2/summary.json",
    "/api/v2/status.json",
    "/api/v2/incidents.json",
    "/feed.atom",
    "/feed.rss",
    "/feed.json",
    "/maintenance.ics",
  ])("refuses %s with 401 in JSON", async (document) => {
    const { path } = await createProtected();
    const answer = await visit(path + document);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([401, "no-store"]);
    expect(JSON.parse(answer.text)).toMatchObject({ error: expect.any(String), code: "page_locked" });
    const open = await visit(path + document, await unlocked(path));
    expect([open.status, open.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
  });

  it("refuses badges and subscriptions alike", async () => {
    const { path, monitor } = await createProtected();
    const cookie = await unlocked(path);
    for (const badge of ["status.svg", "uptime.json", "latency.svg"]) {
      expect((await visit(`/badge/${monitor.id}/${badge}`)).status).toBe(401);
      expect((await visit(`/badge/${monitor.id}/${badge}`, cookie)).status).toBe(200);
    }
    const body = JSON.stringify({ channel: "email", endpoint: "a@example.com" });
    const subscribe = (headers: object) =>
      visit(`${path}/subscribers`, { ...json, ...headers }, { method: "POST", body });
    expect([(await subscribe({})).status, (await subscribe(cookie)).status]).toEqual([401, 202]);
  });

  it("asks its own people, too: a credential is no password", async () => {
    const { account, path } = await createProtected();
    expect((await account.client.get(path)).status).toBe(401);
  });

  it("lets subscribers change and end what they have by their link", async () => {
    const { account, path, page } = await createProtected();
    const id = await insertSubscriber(account, { status_page_id: page.id });
    const { ROOT_SECRET } = settingsOf(env);
    const link = `/subscribers/manage?token=${subscriberToken(ROOT_SECRET, id, { kind: "manage" })}`;
    expect((await visit(path + link)).status).toBe(200);
    const foreign = await createProtected();
    expect((await visit(foreign.path + link)).status).toBe(401);
  });
});

describe("POST /status/:slug/unlock", () => {
  it("opens every document of the page for twelve hours", async () => {
    const { path, page, incident } = await createProtected();
    const before = Date.now();
    const answer = await unlock(path);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const ends = Date.parse(JSON.parse(answer.text).expires_at);
    expect(ends).toBeGreaterThanOrEqual(before + HOURS_12);
    expect(ends).toBeLessThanOrEqual(Date.now() + HOURS_12);
    expect(answer.headers.get("set-cookie")).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
    const cookie = { cookie: `other=1; ${cookieOf(answer)}; more=2` };
    for (const document of [path, `${path}/history`, `${path}/incidents/${incident}`, `/embed/${page.slug}`]) {
      const shown = await visit(document, cookie);
      expect([shown.status, shown.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    }
    expect((await visit(path, cookie)).text).toContain("Web shop");
  });

  it("refuses another password", async () => {
    const { path } = await createProtected();
    const answer = await unlock(path, "open barley");
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([401, null]);
    expect(JSON.parse(answer.text)).toMatchObject({ error: "password is wrong", code: "wrong_password" });
  });

  it("gives a cookie that is good for this page and this password alone", async () => {
    const first = await createProtected();
    const second = await createProtected();
    const cookie = cookieOf(await unlock(first.path));
    const renamed = cookie.replace(first.page.id, second.page.id);
    expect((await visit(second.path, { cookie: renamed })).status).toBe(401);
    const later = cookie.replace(/=\d{13}/, (end) => `=${Number(end.slice(1)) + 1}`);
    expect((await visit(first.path, { cookie: later })).status).toBe(401);
    expect((await visit(first.path, { cookie })).status).toBe(200);
    await first.account.client.put(`${PAGES}/${first.page.id}`, { password: PASSWORD });
    expect((await visit(first.path, { cookie })).status).toBe(401);
    await first.account.client.put(`${PAGES}/${first.page.id}`, { password: null });
    expect((await visit(first.path)).status).toBe(200);
  });

  it("leads a form to where its visitor wanted, and nowhere else", async () => {
    const { path } = await createProtected();
    expect((await visit(`${path}/history`)).text).toContain('name="next" value="/history"');
    const send = (next: string, password = PASSWORD) =>
      visit(`${path}/unlock`, form, {
        method: "POST",
        body: new URLSearchParams({ password, next }),
        redirect: "manual",
      });
    for (const [next, location] of [
      ["", path],
      ["/history", `${path}/history`],
      ["//evil.example", path],
      ["https://evil.example", path],
      ["/\\evil.example", path],
    ] as const) {
      const answer = await send(next);
      expect([answer.status, answer.headers.get("location")]).toEqual([303, location]);
      expect((await visit(path, { cookie: cookieOf(answer) })).status).toBe(200);
    }
    const wrong = await send("/history", "no");
    expect([wrong.status, wrong.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
    expect(wrong.text).toContain("This password is wrong.");
    expect(wrong.text).toContain('aria-describedby="password-problem" aria-invalid="true"');
    expect(wrong.text).toContain('name="next" value="/history"');
  });

  it("is refused after ten tries a minute from one address", async () => {
    const { path } = await createProtected();
    const limited = createVisitor({ RATE_LIMITS: "" });
    const guess = (address: string) =>
      limited(
        `${path}/unlock`,
        { ...json, "cf-connecting-ip": address },
        { method: "POST", body: JSON.stringify({ password: "guess" }) },
      );
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push((await guess("203.0.113.9")).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await guess("203.0.113.10")).status).toBe(401);
  });

  it("knows no private page and none that is not there", async () => {
    const hidden = await createShop({ is_public: false, password: PASSWORD });
    for (const path of [hidden.path, `/status/p-${newId()}`]) expect((await unlock(path)).status).toBe(404);
    const open = await createShop();
    const answer = await unlock(open.path);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { expires_at: null }]);
  });
});

const broken = () => {
  throw new Error("D1_ERROR: Network connection lost.");
};

describe("without the database", () => {
  it("a page with a password stays with those who entered it", async () => {
    const { path, page } = await createProtected();
    const cookie = await unlocked(path);
    expect((await visit(path, cookie)).status).toBe(200);
    expect((await storedPage(page.slug, 2)).lock).toEqual(expect.any(String));
    const DB = new Proxy(env.DB, { get: () => () => broken() });
    const offline = createVisitor({ PAGE_MEMO_MS: "0", DB });
    expect([(await offline(path)).status, (await offline(path, cookie)).status]).toEqual([401, 200]);
  });
});
