import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/platform/env.ts";
import { invalidatePage } from "../../src/platform/page-cache.ts";
import { createShop, createVisitor, PAGES, setStatus, storedPage, summaryOf } from "../support/pages.ts";

const visit = createVisitor({ PAGE_MEMO_MS: "0" });

const broken = (message: string) => () => {
  throw new Error(message);
};
/** A store every part of which fails. */
const failing = <Store extends object>(message: string) => new Proxy({}, { get: () => broken(message) }) as Store;
const withoutKv = { PAGES: failing<KVNamespace>("KV is down") } satisfies Partial<Env>;
const withoutDb = { DB: failing<D1Database>("D1_ERROR: Network connection lost.") } satisfies Partial<Env>;

describe("when a part is down", () => {
  it("pages come from the database without KV", async () => {
    const { monitor, page, path } = await createShop();
    const see = createVisitor({ PAGE_MEMO_MS: "0", ...withoutKv });
    expect((await summaryOf(see, path)).status.state).toBe("operational");
    await setStatus(monitor.id, page.id, "down");
    expect((await summaryOf(see, path)).status.state).toBe("major_outage");
  });

  it("pages come from the database without the cache of the data center", async () => {
    const { path } = await createShop();
    const match = vi.spyOn(Cache.prototype, "match").mockRejectedValue(new Error("No Cache was configured"));
    const put = vi.spyOn(Cache.prototype, "put").mockRejectedValue(new Error("No Cache was configured"));
    try {
      const { status, text } = await createVisitor({ PAGE_MEMO_MS: "1000" })(path);
      expect([status, text]).toEqual([200, expect.stringContaining("All systems operational")]);
      expect([match.mock.calls.length, put.mock.calls.length]).toEqual([1, 1]);
    } finally {
      match.mockRestore();
      put.mockRestore();
    }
  });

  it("pages come from KV without the database, marked as stale, for 15 minutes", async () => {
    const { path, page } = await createShop();
    await visit(path);
    const body = JSON.stringify((await storedPage(page.slug)).payload);
    invalidatePage(page.id);
    const see = createVisitor({ PAGE_MEMO_MS: "0", ...withoutDb });
    const put = (age: number) =>
      env.PAGES.put(`page:${page.slug}`, body, { metadata: { confirmed_at: Date.now() - age } });
    await put(14 * 60_000);
    const stale = await see(path);
    expect([stale.status, stale.text]).toEqual([200, expect.stringContaining("Live data is unavailable")]);
    expect((await summaryOf(see, path)).is_stale).toBe(true);
    await put(15 * 60_000 + 1000);
    const late = await see(path);
    expect([late.status, late.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(late.text).toContain("<h1>Temporarily unavailable</h1>");
    expect((await see(`${path}/summary.json`)).status).toBe(503);
  });

  it("a page that was last known to be private stays so without the database, with any content of KV", async () => {
    const { account, page, path } = await createShop();
    await visit(path);
    const body = JSON.stringify((await storedPage(page.slug)).payload);
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

  it("of a page that this isolate knows is its row and the clock's, and no KV at all", async () => {
    const { path } = await createShop();
    await visit(path);
    const { count, see } = createMeter();
    expect((await see(path)).status).toBe(200);
    expect(count).toEqual({ rows_read: 2, kv: 0 });
  });

  it("within PAGE_MEMO_MS is nothing", async () => {
    const { path } = await createShop();
    await visit(path);
    const see = createVisitor({ PAGE_MEMO_MS: "60000", ...withoutDb, ...withoutKv });
    const answer = await see(path);
    expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining("Live data cannot")]);
  });
});
