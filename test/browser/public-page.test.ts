import { existsSync, statSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium, type Page, type WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCRIPT } from "../../src/status-page/assets.ts";
import { renderEmbedScript } from "../../src/status-page/embed-script.ts";
import { presentSummary } from "../../src/status-page/summary.ts";
import { fontAddress, LATIN } from "../../src/ui/design/fonts.ts";
import { DARK, LIGHT } from "../../src/ui/design/tokens.ts";
import { readTexts } from "../support/texts.ts";
import { CHROMIUM, findBarriers, LIST_SHIFTS, PHONE, pauseTime, SHOTS } from "./chromium.ts";
import { FIND_WEAK_TEXT } from "./contrast.ts";
import { ARABIC, CALM, COMPACT, EXTREME, GRID, GROUPED, LARGE, NOW, TROUBLED } from "./pages.ts";
import { renderDocuments, startServer } from "./server.ts";

const SCHEMES = ["light", "dark"] as const;
const OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
const PATHS = [
  "/calm/page",
  "/troubled/page",
  "/troubled/stale",
  "/troubled/late",
  "/troubled/incident",
  "/extreme/page",
  "/grouped/page",
  "/calm/missing",
  "/grouped/service",
  "/grouped/game",
  "/grouped/maintenance",
  "/grouped/past-maintenance",
  "/calm/history",
  "/grouped/subscribe",
  "/calm/unlock",
  "/troubled/embed",
  "/arabic/page",
  "/arabic/service",
  "/arabic/game",
  "/arabic/subscribe",
  "/compact/page",
  "/grid/page",
];
const PAYLOADS = {
  calm: CALM,
  troubled: TROUBLED,
  extreme: EXTREME,
  grouped: GROUPED,
  arabic: ARABIC,
  large: LARGE,
  compact: COMPACT,
  grid: GRID,
  pictured: { ...TROUBLED, page: { ...TROUBLED.page, header_image_url: "https://pictures.test/header.svg" } },
};
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 300"><linearGradient id="g" x2="1"><stop stop-color="#312e81"/><stop offset="1" stop-color="#7dd3fc"/></linearGradient><path fill="url(#g)" d="M0 0h1200v300H0z"/><circle cx="900" cy="150" r="90" fill="#fef3c7"/></svg>`;

describe("weight of a page", () => {
  const font = statSync(`node_modules/.assets${fontAddress(LATIN)}`).size;
  const weigh = (html = "") => [html, SCRIPT.text].reduce((bytes, text) => bytes + gzipSync(text).length, font);

  it.each([
    ["5 monitors with trouble", TROUBLED, 45_000],
    ["14 monitors in groups", GROUPED, 45_000],
    ["14 monitors in Arabic", ARABIC, 45_000],
    ["300 monitors", LARGE, 62_000],
    ["500 monitors", EXTREME, 72_000],
  ])("with %s is small, its style, script and font included", (_name, payload, bytes) => {
    expect(weigh(renderDocuments(payload)["/page"])).toBeLessThan(bytes);
  });
});

// The package that brings the program is named in .ci/packages.
describe.skipIf(!existsSync(CHROMIUM))("public page in a browser", () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let browser: Browser;

  beforeAll(async () => {
    server = await startServer(PAYLOADS);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function shoot(page: Page, name: string): Promise<void> {
    if (!SHOTS) return;
    const path = `${SHOTS}/${name.slice(1).replaceAll("/", "-")}.png`;
    await page.screenshot({ path, fullPage: !name.includes("extreme") });
  }

  async function visit<Found>(path: string, options: BrowserContextOptions, look: (page: Page) => Promise<Found>) {
    const context = await browser.newContext(options);
    try {
      await context.routeWebSocket(/\/live$/, () => undefined);
      const page = await context.newPage();
      await page.goto(server.url + path);
      await shoot(page, `${path}-${options.viewport?.width ?? 1280}-${options.colorScheme ?? "light"}`);
      return await look(page);
    } finally {
      await context.close();
    }
  }

  it.each(
    PATHS,
  )("%s breaks no rule of its content security policy, asks for nothing elsewhere, fits every window and has enough contrast", async (path) => {
    const context = await browser.newContext({ viewport: PHONE.viewport });
    await context.routeWebSocket(/\/live$/, () => undefined);
    const page = await context.newPage();
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    await page.goto(server.url + path, { waitUntil: "networkidle" });
    expect(complaints).toEqual([]);
    expect(new Set(asked)).toEqual(new Set([server.url]));
    // Document, font in one or two parts, script and icon.
    expect(asked.length).toBeLessThanOrEqual(5);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await shoot(page, `${path}-390-${colorScheme}`);
      expect([colorScheme, await page.evaluate(FIND_WEAK_TEXT)]).toEqual([colorScheme, []]);
    }
    for (const width of [320, 360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await shoot(page, `${path}-${width}`);
      expect([width, await page.evaluate(OVERFLOW)]).toEqual([width, 0]);
    }
    await context.close();
  });

  it.each(
    PATHS,
  )("%s is read by a parser of HTML as it was written, and has no barrier that axe finds", async (path) => {
    const source = await (await fetch(server.url + path)).text();
    await visit(path, { bypassCSP: true }, async (page) => {
      const read = await page.evaluate(
        `new DOMParser().parseFromString(${JSON.stringify(source)}, "text/html").documentElement.outerHTML`,
      );
      expect(listTags(read)).toEqual(listTags(source.replace(/^<!DOCTYPE html>/, "")));
      // Minutes of work over five hundred services that are one view.
      if (path.startsWith("/extreme")) return;
      await page.locator("details").evaluateAll((all) => {
        for (const part of all) part.setAttribute("open", "");
      });
      expect(await findBarriers(page, `axe${path.replaceAll("/", "-")}`)).toEqual([]);
    });
  });

  it.each([
    "/grouped/page",
    "/arabic/page",
    "/grouped/service",
  ])("%s prints without its tools, on white, and complete", async (path) => {
    const printed = await visit(path, {}, async (page) => {
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      // As a visitor leaves it who chose the dark colours and has closed every group.
      await page.evaluate("document.documentElement.dataset.theme = 'dark'");
      await page.locator("details.group").evaluateAll((all) => {
        for (const group of all) group.removeAttribute("open");
      });
      if (SHOTS)
        await page.screenshot({ path: `${SHOTS}/print-${path.slice(1).replace("/", "-")}.png`, fullPage: true });
      return {
        tools: await page.locator(".tools").isVisible(),
        ground: await page.evaluate("getComputedStyle(document.body).backgroundColor"),
        pale: await page.evaluate(FIND_WEAK_TEXT),
        names: await page.locator(".monitor h3, h1").count(),
        hidden: await page.locator(".monitor h3, h1").filter({ visible: false }).allTextContents(),
      };
    });
    expect(printed).toMatchObject({ tools: false, ground: "rgb(255, 255, 255)", pale: [], hidden: [] });
    expect(printed.names).toBeGreaterThan(0);
  });

  it("changes an open page within two seconds of its announcement, and keeps what the visitor opened", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const opened = Promise.withResolvers<WebSocketRoute>();
    await context.routeWebSocket(/\/live$/, opened.resolve);
    await pauseTime(page);
    await page.goto(`${server.url}/grouped/page`);
    await page.clock.runFor(1000);
    const socket = await opened.promise;
    await page.evaluate(COUNT_TIMERS);
    await page.locator("#services-1 > summary").click();
    const changed = renderDocuments({
      ...GROUPED,
      version: 2,
      monitors: GROUPED.monitors.map((each) => ({ ...each, status: "up" as const })),
    })["/page"];
    await page.route("**/grouped/page?v=2", (route) =>
      route.fulfill({ body: changed, contentType: "text/html", headers: { etag: '"2"' } }),
    );
    const wasOpen = await page.locator("#services-1").getAttribute("open");
    socket.send('{"version":2}');
    // It has arrived once the page waits for its turn.
    await expect.poll(() => page.evaluate("timersSet"), { timeout: 20_000 }).toBeGreaterThan(0);
    await page.clock.runFor(2000);
    await page.getByRole("heading", { name: "All systems operational" }).waitFor();
    expect(await page.locator("#services-1").getAttribute("open")).toBe(wasOpen);
    expect(await page.title()).toContain("All systems operational");
    expect(await page.locator(".unseen").innerText()).toBe("All systems operational");
    await context.close();
  });

  it("says since when it is old once it gets no answer twice, and no longer when it does", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await context.routeWebSocket(/\/live$/, (socket) => socket.close());
    await page.clock.install();
    await page.goto(`${server.url}/grouped/page`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await context.setOffline(true);
    const strip = page.getByRole("status").filter({ hasText: "Live data is unavailable. Last updated" });
    await expect.poll(() => page.clock.runFor(4000).then(() => strip.count()), { timeout: 20_000 }).toBe(1);
    expect(await findBarriers(page, "cut")).toEqual([]);
    await context.setOffline(false);
    await expect.poll(() => page.clock.runFor(4000).then(() => strip.count()), { timeout: 20_000 }).toBe(0);
    await context.close();
  });

  it("shows itself on another site by a script, troubled services first", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const payload = { ...TROUBLED, page: { ...TROUBLED.page, name: "<b>Shop</b>" } };
    const address = { base: "", home: "/", url: server.url };
    const viewing = { as_of: NOW, is_stale: false, late: null, address, texts: readTexts("en") };
    const summary = JSON.stringify(presentSummary(payload, viewing));
    await page.route("**/summary.json", (route) => route.fulfill({ body: summary, contentType: "application/json" }));
    const script = renderEmbedScript({ url: server.url, texts: readTexts("en") });
    await page.route("**/embed.js", (route) => route.fulfill({ body: script, contentType: "text/javascript" }));
    const host = '<!DOCTYPE html><title>Blog</title><p>Before</p><script src="/embed.js" data-limit="3"></script>';
    await page.route("**/blog", (route) => route.fulfill({ body: host, contentType: "text/html" }));
    await page.goto(`${server.url}/blog`);
    const banner = page.getByRole("link");
    await banner.waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/embed-script.png` });
    expect(await banner.innerText()).toBe("<b>Shop</b>\nPartial outage");
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual([
      "Checkout API\nDown",
      "Search\nDegraded",
      "Image delivery\nNo data",
    ]);
    await context.close();
  });

  it("arranges services as tiles of thirty days, or in one line each, as its owner chose", async () => {
    const edges = `[".head .wrap", "main .wrap", ".foot .wrap"].map((each) => document.querySelector(each).offsetWidth)`;
    const [tiles, widths, days] = await visit("/grid/page", {}, async (page) => {
      const tops = await page.locator(".group[open] .monitor").evaluateAll((all) => all.map((each) => each.offsetTop));
      await page.locator(".group[open] .bars").first().focus();
      await page.keyboard.press("Home");
      const shown = await page.locator(".group[open] .tip time, .group[open] .tip p").first().innerText();
      return [tops, await page.evaluate(edges), shown];
    });
    expect(tiles.slice(0, 3)).toEqual([tiles[0], tiles[0], tiles[0]]);
    expect(new Set(widths as number[]).size).toBe(1);
    expect(days).toContain("22 Oct 2026");
    const heights = await visit("/compact/page", { viewport: PHONE.viewport }, (page) =>
      page.locator(".group[open] .monitor").evaluateAll((all) => all.map((each) => each.offsetHeight)),
    );
    for (const height of heights) expect(height).toBeLessThan(90);
  });

  it("moves nothing when the picture of its header arrives", async () => {
    const context = await browser.newContext();
    await context.routeWebSocket(/\/live$/, () => undefined);
    const page = await context.newPage();
    const arrived = Promise.withResolvers<void>();
    await page.route("https://pictures.test/**", async (route) => {
      await arrived.promise;
      await route.fulfill({ body: PICTURE, contentType: "image/svg+xml" });
    });
    await page.goto(`${server.url}/pictured/page`, { waitUntil: "domcontentloaded" });
    const top = () => page.locator(".hero").evaluate((hero) => hero.getBoundingClientRect().top);
    const before = await top();
    arrived.resolve();
    await page.evaluate(`document.querySelector(".cover").decode()`);
    expect(await top()).toBe(before);
    for (const [width, colorScheme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      await shoot(page, `/pictured/page-${width}-${colorScheme}`);
    }
    await context.close();
  });

  it.each([
    "/calm/page",
    "/troubled/page",
    "/grouped/page",
    "/compact/page",
    "/grid/page",
    "/arabic/page",
    "/grouped/service",
    "/calm/history",
    "/grouped/subscribe",
  ])("%s is drawn with its document alone, and moves nothing when its font and its script arrive", async (path) => {
    const context = await browser.newContext({ viewport: PHONE.viewport, timezoneId: "America/New_York" });
    await context.routeWebSocket(/\/live$/, () => undefined);
    const page = await context.newPage();
    const drawn = Promise.withResolvers<void>();
    await page.route(/\.(?:js|woff2)$/, (route) => drawn.promise.then(() => route.continue()));
    await page.goto(server.url + path, { waitUntil: "commit" });
    await page.evaluate(
      `new Promise((done) => new PerformanceObserver(done).observe({ type: "paint", buffered: true }))`,
    );
    drawn.resolve();
    await page.waitForLoadState("networkidle");
    const shifts = await page.evaluate(LIST_SHIFTS);
    expect(shifts).toEqual([]);
    await context.close();
  });

  it("follows the reader's scheme", async () => {
    const ground = (colorScheme: "light" | "dark") =>
      visit("/calm/page", { colorScheme }, (page) => page.evaluate("getComputedStyle(document.body).backgroundColor"));
    expect([await ground("light"), await ground("dark")]).toEqual(
      [LIGHT, DARK].map((tokens) => toRgb(tokens["neutral-1"])),
    );
  });

  it("says everything without a script", async () => {
    const text = await visit("/troubled/page", { javaScriptEnabled: false }, async (page) => {
      await page.locator(".monitor summary").first().click();
      return page.locator("body").innerText();
    });
    for (const words of [
      "Northwind Status",
      "Partial outage",
      "As of 20 Nov 2026, 15:32",
      "Checkout is failing for some customers",
      "They are replacing it now.",
      "Checkout API is down",
      "Down for 2 h",
      "No data for 3 h",
      "99.69% in 90 days",
      "20 Nov 2026: down for 2 h",
      "Slow search results",
      "All times are in Europe/Berlin",
    ]) {
      expect(text).toContain(words);
    }
  });

  it.each(PATHS)("%s has one first heading, no level left out, and its landmarks", async (path) => {
    const { levels, landmarks, lang } = await visit(path, {}, async (page) => ({
      levels: await page.locator("h1, h2, h3, h4").evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1]))),
      landmarks: await page.locator("main").count(),
      lang: await page.locator("html").getAttribute("lang"),
    }));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.every((level, n) => level - (levels[n - 1] ?? 0) <= 1)).toBe(true);
    expect([landmarks, lang]).toEqual([1, path.startsWith("/arabic") ? "ar" : "en"]);
  });

  it("gives the bars of each monitor a text", async () => {
    const names = await visit("/troubled/page", {}, (page) =>
      page.getByRole("img").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label"))),
    );
    expect(names).toHaveLength(TROUBLED.monitors.length);
    expect(names[1]).toMatch(/^Last 90 days: 99\.\d+% uptime, 3 days with problems$/);
  });

  it("has one keyboard stop for each bar, and shows its days by arrow keys", async () => {
    const said = await visit("/troubled/page", {}, async (page) => {
      await page.locator(".bars").nth(1).focus();
      const tip = page.locator(".tip");
      const say = async () => (await tip.innerText()).replaceAll(/\n+/g, "\n");
      const today = await say();
      await page.keyboard.press("ArrowLeft");
      const yesterday = await say();
      await page.keyboard.press("Home");
      const first = await say();
      return { today, yesterday, first, stops: await page.locator(".bars[tabindex='0'], .bars [tabindex]").count() };
    });
    expect(said).toEqual({
      today: "20 Nov 2026\n85.71% uptime\ndown for 2 h 10 min\nCheckout is failing for some customers",
      yesterday: "19 Nov 2026\n100% uptime\nno downtime",
      first: "23 Aug 2026\nno data",
      stops: TROUBLED.monitors.length,
    });
  });

  it("finds services by name, opens the subscribe form and remembers the chosen colours", async () => {
    const found = await visit("/extreme/page", {}, async (page) => {
      await page.getByLabel("Find a service").fill("service 49");
      const names = await page.locator(".monitor:not([hidden]) h3").allInnerTexts();
      await page.getByLabel("Menu", { exact: true }).click();
      await page.getByRole("button", { name: "Switch colour scheme" }).click();
      await page.reload();
      const theme = await page.evaluate("document.documentElement.dataset.theme");
      await page.getByRole("link", { name: "Subscribe" }).first().click();
      return { names: names.length, theme, form: await page.locator("dialog[open] input[type=email]").isVisible() };
    });
    expect(found).toEqual({ names: 9, theme: "dark", form: true });
  });

  it("shows times in the visitor's zone, with those of the page beside them", async () => {
    const texts = await visit("/calm/page", { timezoneId: "America/New_York" }, async (page) => ({
      text: await page.locator(".as-of time").innerText(),
      title: await page.locator(".as-of time").getAttribute("title"),
      note: await page.locator("[data-zone]").innerText(),
    }));
    expect(texts).toEqual({
      text: "20 Nov 2026, 09:32",
      title: "20 Nov 2026, 15:32 (Europe/Berlin)",
      note: expect.stringContaining("America/New York"),
    });
  });

  it("shows the page's own times to visitors who prefer them, and remembers that", async () => {
    const seen = await visit("/calm/page", { timezoneId: "America/New_York" }, async (page) => {
      const read = () => page.locator(".as-of time").innerText();
      await page.getByLabel("Menu", { exact: true }).click();
      await page.getByRole("button", { name: "Show times in Europe/Berlin" }).click();
      const other = await page.locator(".as-of time").getAttribute("title");
      const chosen = [await read(), other, await page.locator("[data-zone]").innerText()];
      await page.reload();
      const kept = await read();
      await page.getByLabel("Menu", { exact: true }).click();
      await page.getByRole("button", { name: "Show times in America/New York" }).click();
      return { chosen, kept, back: await read() };
    });
    expect(seen).toEqual({
      chosen: ["20 Nov 2026, 15:32", "20 Nov 2026, 09:32 (America/New_York)", "All times are in Europe/Berlin."],
      kept: "20 Nov 2026, 15:32",
      back: "20 Nov 2026, 09:32",
    });
  });

  it("offers no other zone to visitors of its own", async () => {
    const offered = await visit("/calm/page", { timezoneId: "Europe/Berlin" }, async (page) => {
      await page.getByLabel("Menu", { exact: true }).click();
      return page.locator("[data-zone-toggle]").isVisible();
    });
    expect(offered).toBe(false);
  });

  it("gives its address to pass on, and says so", async () => {
    const shared = await visit("/calm/page", { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      await page.getByLabel("Menu", { exact: true }).click();
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.getByRole("button", { name: "Link copied" }).waitFor();
      const canonical = await page.locator("link[rel=canonical]").getAttribute("href");
      return {
        said: await page.locator(".unseen[role=status]").innerText(),
        canonical,
        copied: await page.evaluate("navigator.clipboard.readText()"),
      };
    });
    expect(shared.said).toBe("Link copied");
    expect(shared.copied).toBe(shared.canonical);
  });

  it("shows the keyboard where it is, beginning with the way to the content", async () => {
    const steps = await visit("/troubled/page", {}, async (page) => {
      const seen: unknown[] = [];
      for (let n = 0; n < 5; n++) {
        await page.keyboard.press("Tab");
        seen.push(await page.evaluate(DESCRIBE_FOCUS));
      }
      return seen;
    });
    expect(steps[0]).toEqual({ text: "Skip to content", isOutlined: true, isSeen: true });
    expect(steps).toEqual(steps.map(() => expect.objectContaining({ isOutlined: true, isSeen: true })));
  });

  it("keeps a right-to-left name inside the page", async () => {
    const box = await visit("/extreme/page", { viewport: { width: 360, height: 800 } }, (page) =>
      page.locator("h3", { hasText: "متجر" }).boundingBox(),
    );
    expect(box && box.x >= 0 && box.x + box.width <= 360).toBe(true);
  });
});

function toRgb(hex: string): string {
  return `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;
}

/** What is opened and closed in a document, in this order. A parser moves, adds or drops what may not stand where it does. */
function listTags(html: unknown): string[] {
  const tags = [...String(html).matchAll(/<(\/?[a-z][\w-]*)(?:"[^"]*"|'[^']*'|[^>"'])*?(\/?)>/gi)];
  return tags.flatMap(([, name = "", closed]) => (closed === "/" && !VOID.test(name) ? [name, `/${name}`] : [name]));
}
const VOID = /^(?:br|hr|img|input|link|meta)$/;

/** Runs in the page: counts the timers that its script sets from now on. */
const COUNT_TIMERS = `(() => {
  const set = window.setTimeout;
  window.timersSet = 0;
  window.setTimeout = (...timer) => { window.timersSet++; return set(...timer); };
})()`;

/** Runs in the page: the focused element, as a person sees it. */
const DESCRIBE_FOCUS = `(() => {
  const element = document.activeElement;
  const box = element.getBoundingClientRect();
  return {
    text: element.innerText.trim(),
    isOutlined: getComputedStyle(element).outlineStyle !== "none",
    isSeen: box.top >= 0 && box.bottom <= innerHeight,
  };
})()`;
