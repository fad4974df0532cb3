import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { readPublicPage } from "../../src/data/public-page/read.ts";
import { newId } from "../../src/platform/ids.ts";
import { buildPayload } from "../../src/status-page/payload.ts";
import { meter } from "../support/cost-meter.ts";
import { createShop, createVisitor, HOUR, insertIncident } from "../support/pages.ts";

const db = openDb(env.DB);

// A document is made anew in each minute.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** Long after the page's payload would show it, so that its document is made from D1. */
async function anOldIncident({ account, page }: Awaited<ReturnType<typeof createShop>>) {
  const times = { started_at: Date.now() - 2000 * HOUR, resolved_at: Date.now() - 1999 * HOUR };
  const own = { owner_id: account.user_id, status_page_id: page.id, status: "resolved" as const };
  return insertIncident({ ...own, ...times }, { messages: ["Fixed."] });
}

describe("a document of a public page", () => {
  const documents: [name: string, pathOf: (path: string, incidentId: string) => string][] = [
    ["the page", (path) => path],
    ["summary.json", (path) => `${path}/summary.json`],
    ["the Atom feed", (path) => `${path}/feed.atom`],
    ["the RSS feed", (path) => `${path}/feed.rss`],
    ["the calendar", (path) => `${path}/maintenance.ics`],
    ["Statuspage's summary", (path) => `${path}/api/v2/summary.json`],
    ["the history", (path) => `${path}/history`],
    ["an earlier part of the history", (path) => `${path}/history?before=2026-01-01T00:00:00Z`],
    ["an old incident", (path, id) => `${path}/incidents/${id}`],
  ];

  it.each(documents)("is read from the database once: %s", async (_name, pathOf) => {
    const shop = await createShop();
    const address = pathOf(shop.path, await anOldIncident(shop));
    const read = (metered: object) => createVisitor({ ...metered, PAGE_MEMO_MS: "60000" })(address);
    const first = await read(env);
    expect(first.status).toBe(200);
    const units = await meter(async (metered) => {
      const again = await read(metered);
      expect([again.status, again.headers.get("etag")]).toEqual([200, first.headers.get("etag")]);
    });
    expect(units.rows_read + units.kv_reads).toBe(0);
  });
});

describe("a page with megabytes of updates", () => {
  it.each(["x", "é", "に", "😀"])("reads the texts that it shows, and no others, written in %s", async (letter) => {
    const shop = await createShop();
    const own = { owner_id: shop.account.user_id, status_page_id: shop.page.id };
    const text = letter.repeat(10_000 / letter.length);
    await insertIncident({ ...own, started_at: Date.now() - HOUR }, { messages: ["The oldest text"] });
    await insertIncident(own, { messages: Array.from({ length: 100 }, () => text) });
    const since = { days: 0, month: "2020-01", resolved: 0, now: Date.now() };
    const { incidents } = await readPublicPage(db, shop.page.id, since);
    const read = incidents.flatMap(({ updates }) => updates).filter(({ message }) => message !== "");
    expect(read.length).toBeLessThan(70);
    const payload = await buildPayload(db, shop.page.id, Date.now());
    const shown = payload?.incidents.map(({ updates, omitted_updates }) => [updates.length, omitted_updates]);
    expect(shown).toEqual([
      [20, 80],
      [1, 0],
    ]);
    const messages = payload?.incidents.flatMap(({ updates }) => updates.map(({ message }) => message));
    expect([...new Set(messages)].toSorted()).toEqual([text, "The oldest text"].toSorted());
  });
});

describe("documents that a visitor chooses", () => {
  it("are made for one visitor as often as the limit allows, which a page says", async () => {
    const { path, ...shop } = await createShop();
    const known = await anOldIncident({ path, ...shop });
    const visit = createVisitor({ RATE_LIMITS: "page_miss=3" });
    const visitor = { "cf-connecting-ip": "203.0.113.7" };
    expect((await visit(`${path}/incidents/${known}`, visitor)).status).toBe(200);
    const guesses = [newId(), newId(), newId(), newId()];
    const statuses = [];
    for (const id of guesses) statuses.push((await visit(`${path}/incidents/${id}`, visitor)).status);
    expect(statuses).toEqual([404, 404, 429, 429]);

    const refused = await visit(`${path}/history?before=2020-01-01T00:00:00Z`, visitor);
    expect([refused.status, refused.headers.get("content-type")]).toEqual([429, expect.stringContaining("text/html")]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);

    const unlimited = [path, `${path}/incidents/${known}`, `${path}/history`, `${path}/feed.atom`];
    for (const address of unlimited) expect((await visit(address, visitor)).status).toBe(200);
    const other = await visit(`${path}/incidents/${newId()}`, { "cf-connecting-ip": "203.0.113.8" });
    expect(other.status).toBe(404);
  });
});
