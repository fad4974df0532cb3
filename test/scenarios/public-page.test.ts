import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { PagePayload, PageSummary } from "../../src/contract/public-page.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors.table.ts";
import { bumpPageVersion } from "../../src/data/status-pages.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { readStoredPage } from "../../src/platform/kv.ts";
import { forgetPage } from "../../src/platform/page-memo.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createVisitor, insertIncident, insertIntervals } from "../support/pages.ts";

const HOUR = 3_600_000;
const PAGES = `${V1}/status-pages`;
const db = openDb(env.DB);
/** An isolate that asks the database every time, and one that remembers for as long as a test lasts. */
const visit = createVisitor({ PAGE_MEMO_MS: "0" });
const visitRemembering = createVisitor({ PAGE_MEMO_MS: "60000" });

async function createPage(account: Account, fields: Record<string, unknown> = {}) {
  const slug = `p-${newId()}`;
  const { status, body } = await account.client.post(PAGES, { name: "Northwind", slug, ...fields });
  if (status !== 201) throw new Error(`page refused: ${body.error}`);
  return body as { id: string; slug: string; timezone: string };
}

/** A page with one monitor that is up since an hour ago. */
async function createShop(fields: Record<string, unknown> = {}) {
  const account = await createAccount();
  const since = Date.now() - HOUR;
  const monitor = await insertMonitor(account.user_id, {
    name: "Web shop",
    status: "up",
    status_since: since,
    created_at: since - 1,
  });
  await insertIntervals(monitor.id, [[since, "up"]]);
  const page = await createPage(account, { monitors: [monitor.id], ...fields });
  return { account, monitor, page, path: `/status/${page.slug}` };
}

/** A change by the monitoring side, which knows nothing of this isolate's memo. */
async function setStatus(monitorId: string, pageId: string, status: "up" | "down") {
  await runBatch(db, [
    db.update(monitors).set({ status, status_since: Date.now() }).where(eq(monitors.id, monitorId)),
    bumpPageVersion(db, pageId, Date.now()),
  ]);
}

const summaryOf = async (path: string, see = visit) =>
  PageSummary.parse(JSON.parse((await see(`${path}/summary.json`)).text));

const broken = (message: string) => () => {
  throw new Error(message);
};
/** A store every part of which fails. */
const failing = <Store extends object>(message: string) => new Proxy({}, { get: () => broken(message) }) as Store;
const withoutKv = { PAGES: failing<KVNamespace>("KV is down") } satisfies Partial<Env>;
const withoutDb = { DB: failing<D1Database>("D1_ERROR: Network connection lost.") } satisfies Partial<Env>;

describe("GET /status/:slug", () => {
  it("shows the page to everybody, with a strict policy and a short life in caches", async () => {
    const { path } = await createShop({ brand_color: "#123456" });
    const answer = await visit(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=15, stale-if-error=600");
    expect(answer.headers.get("content-security-policy")).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    expect(answer.text).toContain("All systems operational");
    expect(answer.text).toContain("Web shop");
    expect(answer.text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/i);
    const sheet = /href="(\/assets\/[^"]+)"/.exec(answer.text)?.[1] ?? "";
    expect((await visit(sheet)).headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  it.each(["nobody-has-this", "No%20slug", "%E2%80%A8", "a".repeat(500)])("is a document with 404 for %s", async (slug) => {
    const answer = await visit(`/status/${slug}`);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([404, "no-store"]);
    expect(answer.text).toContain("<h1>Page not found</h1>");
  });

  it("answers 304 to whoever has the page already", async () => {
    const { path } = await createShop();
    const { headers } = await visitRemembering(path);
    const etag = headers.get("etag") ?? "";
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await visitRemembering(path, { "if-none-match": known });
      // A minute that ends between the two requests makes another page.
      if (again.headers.get("etag") === etag) expect([again.status, again.text]).toEqual([304, ""]);
    }
    expect((await visitRemembering(path, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("shows a change by the API to the next reader, whatever the memo says", async () => {
    const { account, page, path } = await createShop();
    expect((await account.client.get(path)).body).toContain("Northwind");
    await account.client.put(`${PAGES}/${page.id}`, { name: "Southwind" });
    expect((await account.client.get(path)).body).toContain("Southwind");
  });

  it("is built anew when the version has grown, from whatever KV still holds", async () => {
    const { monitor, page, path } = await createShop();
    expect((await summaryOf(path)).status.state).toBe("operational");
    await setStatus(monitor.id, page.id, "down");
    expect((await readStoredPage(env, page.slug))?.payload.version).toBe(1);
    expect((await summaryOf(path)).status.state).toBe("major_outage");
    expect((await readStoredPage(env, page.slug))?.payload.version).toBe(2);
  });

  it("moves with its slug", async () => {
    const { account, page, path } = await createShop();
    await visit(path);
    const slug = `p-${newId()}`;
    await account.client.put(`${PAGES}/${page.id}`, { slug });
    expect([(await visit(path)).status, (await visit(`/status/${slug}`)).status]).toEqual([404, 200]);
  });
});

describe("what the public sees", () => {
  it("has no paused monitor, no other page's and no unpublished incident", async () => {
    const { account, monitor, page, path } = await createShop();
    const resting = await insertMonitor(account.user_id, { name: "Resting", paused: true });
    await insertMonitor(account.user_id, { name: "Elsewhere" });
    await account.client.put(`${PAGES}/${page.id}`, { monitors: [monitor.id, resting.id] });
    const ids = { owner_id: account.user_id, status_page_id: page.id };
    const secret = await insertIncident({ ...ids, title: "Secret", is_public: false });
    await insertIncident(
      { ...ids, title: "Known" },
      { monitor_ids: [monitor.id, resting.id], messages: ["We look into it."] },
    );
    const summary = await summaryOf(path);
    expect(summary.monitors.map(({ name }) => name)).toEqual(["Web shop"]);
    expect(summary.incidents).toMatchObject([
      { title: "Known", monitor_ids: [monitor.id], updates: [{ message: "We look into it." }] },
    ]);
    expect((await visit(`${path}/incidents/${secret}`)).status).toBe(404);
  });

  it("is nothing that has no place in the contract", async () => {
    const words = {
      target: "https://target.internal/",
      status_message: "connect to 10.0.0.7 refused",
      sealed: "sealed!",
    };
    const { account, monitor, page, path } = await createShop();
    await db.update(monitors).set(words).where(eq(monitors.id, monitor.id));
    await insertIncident({
      owner_id: account.user_id,
      status_page_id: page.id,
      impact: "impact!",
      assigned_to_id: "someone!",
    });
    const seen = [
      (await visit(path)).text,
      (await visit(`${path}/summary.json`)).text,
      await env.PAGES.get(`page:${page.slug}`),
    ];
    for (const hidden of [...Object.values(words), "impact!", "someone!", account.user_id]) {
      for (const text of seen) expect(text).not.toContain(hidden);
    }
    const { payload } = (await readStoredPage(env, page.slug)) ?? {};
    expect(PagePayload.parse(payload)).toEqual(payload);
  });

  it("keeps resolved incidents for 14 days on the page, and for good at their own address", async () => {
    const { account, page, path } = await createShop();
    const resolved = (title: string, resolved_at: number) =>
      insertIncident(
        {
          owner_id: account.user_id,
          status_page_id: page.id,
          title,
          status: "resolved",
          started_at: resolved_at - HOUR,
          resolved_at,
        },
        { messages: [`${title}: all is well`] },
      );
    const days = 24 * HOUR;
    const recent = await resolved("Recent", Date.now() - 14 * days + HOUR);
    const old = await resolved("Old", Date.now() - 14 * days - HOUR);
    expect((await summaryOf(path)).incidents.map(({ id }) => id)).toEqual([recent]);
    for (const id of [recent, old]) {
      const answer = await visit(`${path}/incidents/${id}`);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("all is well")]);
    }
    const other = await createShop();
    expect((await visit(`${other.path}/incidents/${old}`)).status).toBe(404);
    expect((await visit(`${path}/incidents/nonsense`)).status).toBe(404);
  });

  it("counts the days of the page's zone from the recorded intervals", async () => {
    const account = await createAccount();
    const start = Date.now() - 100 * 24 * HOUR;
    const monitor = await insertMonitor(account.user_id, { status: "up", status_since: start, created_at: start - 1 });
    const outage = Date.now() - 40 * 24 * HOUR;
    await insertIntervals(monitor.id, [
      [start, "up"],
      [outage, "down"],
      [outage + HOUR, "up"],
    ]);
    const page = await createPage(account, { monitors: [monitor.id], timezone: "Pacific/Kiritimati" });
    const summary = await summaryOf(`/status/${page.slug}`);
    expect(summary.days).toHaveLength(90);
    expect(summary.days.at(-1)).toBe(new Date(Date.now() + 14 * HOUR).toISOString().slice(0, 10));
    const [shown] = summary.monitors;
    expect(shown?.daily_uptime_percentages[0]).toBe(100);
    const bad = shown?.daily_uptime_percentages.filter((percentage) => percentage !== 100) ?? [];
    expect(bad.length === 1 || bad.length === 2).toBe(true);
    expect(shown?.uptime_percentage).toBeGreaterThan(99.94);
    expect(shown?.uptime_percentage).toBeLessThan(99.96);
  });
});

describe("GET /status/:slug/summary.json", () => {
  it("may be read by every web site, and is not sent twice", async () => {
    const { path } = await createShop();
    const first = await visit(`${path}/summary.json`);
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    expect(first.headers.get("cache-control")).toBe("public, max-age=15, stale-if-error=600");
    const again = await visit(`${path}/summary.json`, { "if-none-match": first.headers.get("etag") ?? "" });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("is a 404 in the shape of every error where there is no page", async () => {
    const answer = await visit("/status/nobody-has-this/summary.json");
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([404, "status page not found"]);
  });
});

describe("a private page", () => {
  it("does not exist for the public from the change on, and exists again when it is public again", async () => {
    const { account, page, path } = await createShop();
    const incident = await insertIncident({ owner_id: account.user_id, status_page_id: page.id });
    const paths = [path, `${path}/summary.json`, `${path}/incidents/${incident}`];
    const statuses = async () =>
      (await Promise.all(paths.map((each) => visitRemembering(each)))).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200, 200]);
    await account.client.put(`${PAGES}/${page.id}`, { is_public: false });
    expect(await statuses()).toEqual([404, 404, 404]);
    expect(await env.PAGES.get(`page:${page.slug}`)).toBeNull();
    await account.client.put(`${PAGES}/${page.id}`, { is_public: true });
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  it("is readable for its owner, and kept by no cache", async () => {
    const { account, path } = await createShop({ is_public: false });
    const answer = await visit(path, { authorization: `Bearer ${account.token}` });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect(answer.text).toContain("Web shop");
    expect(await env.PAGES.get(`page:${path.slice("/status/".length)}`)).toBeNull();
  });

  it("looks to others exactly as if it were not there", async () => {
    const { path } = await createShop({ is_public: false });
    const outsider = await createAccount();
    for (const headers of [{}, { authorization: `Bearer ${outsider.token}` }, { authorization: "Bearer sk_svc_x" }]) {
      const [hidden, absent] = [await visit(path, headers), await visit("/status/nobody-has-this", headers)];
      expect(hidden.status).toBe(absent.status);
      if (hidden.status === 404) expect(hidden.text).toBe(absent.text);
    }
  });
});

describe("when a part is down", () => {
  it("pages come from the database without KV", async () => {
    const { monitor, page, path } = await createShop();
    const see = createVisitor({ PAGE_MEMO_MS: "0", ...withoutKv });
    expect((await summaryOf(path, see)).status.state).toBe("operational");
    await setStatus(monitor.id, page.id, "down");
    expect((await summaryOf(path, see)).status.state).toBe("major_outage");
  });

  it("pages come from KV without the database, marked as stale, for 15 minutes", async () => {
    const { path, page } = await createShop();
    await visit(path);
    const body = (await env.PAGES.get(`page:${page.slug}`)) ?? "";
    forgetPage(page.id);
    const see = createVisitor({ PAGE_MEMO_MS: "0", ...withoutDb });
    const put = (age: number) =>
      env.PAGES.put(`page:${page.slug}`, body, { metadata: { confirmed_at: Date.now() - age } });
    await put(14 * 60_000);
    const stale = await see(path);
    expect([stale.status, stale.text]).toEqual([200, expect.stringContaining("Live data cannot be reached right now")]);
    expect((await summaryOf(path, see)).is_stale).toBe(true);
    await put(15 * 60_000 + 1000);
    const late = await see(path);
    expect([late.status, late.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(late.text).toContain("<h1>Not available right now</h1>");
    expect((await see(`${path}/summary.json`)).status).toBe(503);
  });

  it("a page that was last known to be private stays so without the database, whatever KV holds", async () => {
    const { account, page, path } = await createShop();
    await visit(path);
    const body = (await env.PAGES.get(`page:${page.slug}`)) ?? "";
    await account.client.put(`${PAGES}/${page.id}`, { is_public: false });
    expect((await visit(path)).status).toBe(404);
    await env.PAGES.put(`page:${page.slug}`, body, { metadata: { confirmed_at: Date.now() } });
    expect((await createVisitor({ PAGE_MEMO_MS: "0", ...withoutDb })(path)).status).toBe(503);
  });

  it("a body of an older shape, or no JSON at all, is built anew", async () => {
    const { path, page } = await createShop();
    for (const body of ['{"format":0,"version":99}', "[]"]) {
      await env.PAGES.put(`page:${page.slug}`, body, { metadata: { confirmed_at: Date.now() } });
      expect((await visit(path)).status).toBe(200);
    }
  });
});

describe("cost of a view", () => {
  /** The worker's stores, counted. */
  function createMeter() {
    const count = { rows_read: 0, kv: 0 };
    const PAGES = new Proxy(env.PAGES, {
      get: (store, name) => {
        const member = Reflect.get(store, name);
        if (typeof member !== "function") return member;
        count.kv += 1;
        return member.bind(store);
      },
    });
    const prepare = (sql: string) => meterStatement(env.DB.prepare(sql));
    const meterStatement = (statement: D1PreparedStatement): D1PreparedStatement =>
      new Proxy(statement, {
        get: (inner, name) => {
          if (name === "bind") return (...values: unknown[]) => meterStatement(inner.bind(...values));
          if (name !== "raw") return Reflect.get(inner, name);
          return async () => {
            const { results, meta } = await inner.run<Record<string, unknown>>();
            count.rows_read += meta.rows_read;
            return results.map((row) => Object.values(row));
          };
        },
      });
    const DB = new Proxy(env.DB, { get: (store, name) => (name === "prepare" ? prepare : Reflect.get(store, name)) });
    return { count, see: createVisitor({ DB, PAGES, PAGE_MEMO_MS: "0" }) };
  }

  it("of a page that this isolate knows is one row, and no KV at all", async () => {
    const { path } = await createShop();
    await visit(path);
    const { count, see } = createMeter();
    expect((await see(path)).status).toBe(200);
    expect(count).toEqual({ rows_read: 1, kv: 0 });
  });

  it("within PAGE_MEMO_MS is nothing", async () => {
    const { path } = await createShop();
    await visit(path);
    const see = createVisitor({ PAGE_MEMO_MS: "60000", ...withoutDb, ...withoutKv });
    const answer = await see(path);
    expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining("Live data cannot")]);
  });
});

const XSS = [
  "<script>alert(1)</script>",
  "</title><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  "<img src=x onerror=alert(1)//",
  "<svg/onload=alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  "<a href=javascript:alert(1)>x</a>",
  '" onmouseover="alert(1)',
  "' onfocus='alert(1)' autofocus='",
  "`onload=alert(1)`",
  "<style>*{background:url(javascript:alert(1))}</style>",
  "<base href=https://evil.example>",
  "<meta http-equiv=refresh content=0;url=https://evil.example>",
  '<!--<img src="--><img src=x onerror=alert(1)>">',
  "]]><script>alert(1)</script>",
  "</textarea></noscript></style></script><script>alert(1)</script>",
  "<details open ontoggle=alert(1)>",
  "<input autofocus onfocus=alert(1)>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "\u2028<script>alert(1)</script>\u2029",
  "<ſcript>alert(1)</ſcript>",
  "{{constructor.constructor('alert(1)')()}}",
];

describe("texts of people", () => {
  it("are shown as they are and never become markup", async () => {
    const all = XSS.join("\n\n");
    const { account, monitor, page, path } = await createShop({
      description: all,
      footer_text: all,
      logo_url: "https://example.com/'onerror=alert(1)'/x.png",
    });
    const calm = await visit(path);
    const shape = (text: string) => [...text.matchAll(/<\/?([a-z][\w-]*)/gi)].map((match) => match[1]);
    const allowed = new Set([...shape(calm.text), "article", "ol", "strong", "nav", "h4"]);

    for (const hostile of XSS) {
      const name = hostile.slice(0, 200);
      await db.update(monitors).set({ name }).where(eq(monitors.id, monitor.id));
      const footer_links = [{ label: name, url: "https://example.com/?a=1&b='x'" }];
      await account.client.put(`${PAGES}/${page.id}`, { name, footer_links });
      const incident = await insertIncident(
        { owner_id: account.user_id, status_page_id: page.id, title: name, description: hostile },
        { messages: [hostile], monitor_ids: [monitor.id] },
      );
      for (const each of [path, `${path}/incidents/${incident}`]) {
        const { status, text } = await visit(each);
        expect(status).toBe(200);
        expect(shape(text).filter((tag) => tag === undefined || !allowed.has(tag))).toEqual([]);
        expect(text).not.toMatch(/<[^>]*\s(?:on\w+|style|srcdoc|http-equiv)\s*=/i);
        expect(text).not.toMatch(/(?:href|src)="(?!https:\/\/|\/|#)/i);
      }
    }
  });
});
