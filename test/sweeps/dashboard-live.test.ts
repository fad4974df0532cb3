import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { browserOf, crawl } from "../support/dashboard-crawl.ts";
import { createAccount } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { furnishPage } from "../support/furnished-page.ts";

const TAG = /data-follow="(?:&quot;|&#34;)([0-9a-f]{32})(?:&quot;|&#34;)"/;

/** Where two documents part, as a failing test names it. */
function firstDifference(document: string, update: string): string {
  const pieces = document.split("<");
  return update.split("<").find((piece, n) => piece !== pieces[n] && !/data-(follow|relative)/.test(piece)) ?? "";
}

/** What open documents cost while nothing happens. */
describe("every view that follows changes", () => {
  const views = new Map<string, string>();
  let browser: Browser;
  beforeAll(async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    const account = await createAccount();
    await furnishPage(account);
    browser = await browserOf(account);
    await crawl(browser, (path, text) => {
      const tag = TAG.exec(text)?.[1];
      if (tag) views.set(path, `"${tag}"`);
    });
  });
  afterAll(() => void vi.restoreAllMocks());

  it("is one of those that people look at for long", () => {
    const sections = [...views.keys()].filter((path) => /^\/app(\/\w+)?$/.test(path));
    expect(sections).toEqual(expect.arrayContaining(["/app", "/app/monitors", "/app/incidents", "/app/maintenance"]));
    expect(views.size).toBeGreaterThan(10);
  });

  it("answers 304 to the first poll of a document, and to one a moment later", async () => {
    const shown: string[] = [];
    // Figures follow by the minute; the next one is far from the end of this minute. An hour later the silent agent is offline
    // for good, and does not become so between two polls.
    const minute = (Math.floor(Date.now() / 360_000) + 11) * 360_000;
    const at = (ms: number) => vi.spyOn(Date, "now").mockReturnValue(minute + ms);
    for (const path of views.keys()) {
      at(1_000);
      const document = (await browser.open(path)).text;
      const tag = `"${TAG.exec(document)?.[1]}"`;
      for (const later of [3_000, 50_000]) {
        at(later);
        const { status, text } = await browser.open(path, { "x-live": "1", "if-none-match": tag });
        if (status !== 304) shown.push(`${path} after ${later} ms: ${status}, ${firstDifference(document, text)}`);
      }
    }
    expect(shown).toEqual([]);
  });
});
