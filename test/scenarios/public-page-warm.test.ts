import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { meter } from "../support/cost-meter.ts";
import { createShop, createVisitor, PAGES } from "../support/pages.ts";

const visit = createVisitor({ PAGE_MEMO_MS: "60000" });
const db = openDb(env.DB);
const DOCUMENTS = ["", "/summary.json", "/feed.atom", "/history", "/api/v2/summary.json"];

// A document is made anew in each minute.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** Without what differs between any two answers. */
function answerOf({ status, headers, text }: Awaited<ReturnType<typeof visit>>) {
  const { "x-request-id": id, ...same } = Object.fromEntries(headers);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  return { status, headers: same, text };
}

describe("a document that was read a moment ago", () => {
  it.each(DOCUMENTS)("is the same for the next reader, at no cost: %j", async (document) => {
    const { path } = await createShop();
    const first = await visit(path + document);
    expect(first.status).toBe(200);
    const units = await meter(async (metered) => {
      const again = await createVisitor({ ...metered, PAGE_MEMO_MS: "60000" })(path + document);
      expect(answerOf(again)).toEqual(answerOf(first));
      expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    });
    expect(units.rows_read + units.kv_reads + units.object_requests).toBe(0);
  });

  it("is 304 for a reader that has it", async () => {
    const { path } = await createShop();
    const etag = (await visit(path)).headers.get("etag") ?? "";
    const again = await visit(path, { "if-none-match": `W/${etag}, "other"` });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await visit(path, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("is in each reader's own language", async () => {
    const { path } = await createShop();
    const languageOf = async (headers: Record<string, string>) =>
      /<html[^>]* lang="(\w+)"/.exec((await visit(path, headers)).text)?.[1];
    for (let n = 0; n < 2; n++) {
      expect(await languageOf({ "accept-language": "de" })).toBe("de");
      expect(await languageOf({})).toBe("en");
      expect(await languageOf({ cookie: "vigil_language=fr" })).toBe("fr");
    }
  });

  it.each([
    ["a change of its name", { name: "Southwind" }, 200, "Southwind"],
    ["hiding the page", { is_public: false }, 404, "Page not found"],
    ["a password", { password: "sesame" }, 401, "password"],
  ])("is gone after %s", async (_name, change, status, text) => {
    const { account, page, path } = await createShop();
    await visit(path);
    await visit(path);
    expect((await account.client.put(`${PAGES}/${page.id}`, change)).status).toBe(200);
    const after = await visit(path);
    expect([after.status, after.text.includes(text)]).toEqual([status, true]);
  });

  it("is made anew in the next minute", async () => {
    const { path } = await createShop();
    const asOf = async () => /class="as-of"[\s\S]*?datetime="([^"]+)"/.exec((await visit(path)).text)?.[1];
    const first = await asOf();
    expect(await asOf()).toBe(first);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await asOf()).not.toBe(first);
  });

  it("is confirmed by one of many readers, and then stays ready for all of them", async () => {
    const minute = Math.ceil(Date.now() / 60_000) * 60_000;
    vi.setSystemTime(minute + 1000);
    const [quiet, busy] = [await createShop(), await createShop()];
    const texts = new Map<string, string>();
    for (const { path } of [quiet, busy]) texts.set(path, (await visit(path)).text);
    // The last quarter of what the memo is good for has begun.
    vi.setSystemTime(minute + 50_000);
    const readersOf = ({ path }: typeof busy, many: number) =>
      meter(async (metered) => {
        const read = createVisitor({ ...metered, PAGE_MEMO_MS: "60000" });
        const answers = await Promise.all(Array.from({ length: many }, () => read(path)));
        expect(new Set(answers.map(({ text }) => text))).toEqual(new Set([texts.get(path)]));
      });
    const { rows_read } = await readersOf(quiet, 1);
    expect(rows_read).toBeGreaterThan(0);
    expect((await readersOf(busy, 8)).rows_read).toBe(rows_read);
    expect((await readersOf(busy, 8)).rows_read).toBe(0);
  });

  it("is gone once checks are late, though the page itself is as it was", async () => {
    const minute = Math.ceil(Date.now() / 60_000) * 60_000;
    vi.setSystemTime(minute + 1000);
    const { path, page } = await createShop();
    expect((await visit(path)).text).not.toContain("Checks are delayed.");
    await db.update(statusPages).set({ checks_late_since: minute }).where(eq(statusPages.id, page.id));
    vi.setSystemTime(minute + 50_000);
    for (let n = 0; n < 2; n++) expect((await visit(path)).text).toContain("Checks are delayed.");
  });

  it("has no body for HEAD", async () => {
    const { path } = await createShop();
    await visit(path);
    const head = await visit(path, {}, { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
  });
});
