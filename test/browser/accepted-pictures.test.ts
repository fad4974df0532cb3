import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";
import { CALM, TROUBLED } from "./pages.ts";
import { startServer } from "./server.ts";

/**
 * Pictures that somebody looked at and accepted: a change of the look is seen before it is delivered. `npm run
 * pictures:accept` takes them anew; what differs stands in test-results/pictures.
 */
const ACCEPTED = resolve(import.meta.dirname, "accepted");
const DIFFERENT = resolve(import.meta.dirname, "../../test-results/pictures");
const ACCEPTS = process.env.ACCEPT === "1";
const BYTES_MAX = 1_000_000;
/** Of the pixels: text that another release of the browser draws a little different is no other look. */
const DIFFERENT_MAX = 0.001;

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
/** In English and UTC on every machine; nothing moves. */
const EVERYWHERE = { locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce" } as const;

interface Picture {
  path: string;
  viewport: { width: number; height: number };
  colorScheme: "light" | "dark";
  /** Of the group of components with this heading alone. */
  group?: string;
}

/** Without anything that is measured or dated: two runs show the same. */
const VIEWS: Record<string, Picture> = {
  "no-schedules": { path: "/app/on-call", viewport: DESKTOP, colorScheme: "light" },
  "no-maintenance": { path: "/app/maintenance", viewport: PHONE, colorScheme: "dark" },
  buttons: { path: "/app/components", viewport: DESKTOP, colorScheme: "light", group: "Buttons and menus" },
  banners: { path: "/app/components", viewport: DESKTOP, colorScheme: "dark", group: "Banners" },
  tables: { path: "/app/components", viewport: DESKTOP, colorScheme: "light", group: "Tables and lists" },
  strips: { path: "/app/components", viewport: DESKTOP, colorScheme: "dark", group: "Strips" },
  charts: { path: "/app/components", viewport: PHONE, colorScheme: "light", group: "Charts" },
  plans: { path: "/app/components", viewport: DESKTOP, colorScheme: "light", group: "Who is on call" },
  fields: { path: "/app/components", viewport: DESKTOP, colorScheme: "light", group: "Fields, refused" },
};

/** Public pages of a fixed day, as they are without a script. */
const PAGES: Record<string, Picture> = {
  calm: { path: "/calm/page", viewport: DESKTOP, colorScheme: "light" },
  outage: { path: "/troubled/page", viewport: DESKTOP, colorScheme: "dark" },
  "outage-phone": { path: "/troubled/page", viewport: PHONE, colorScheme: "light" },
  incident: { path: "/troubled/incident", viewport: PHONE, colorScheme: "dark" },
};

describe.skipIf(!existsSync(CHROMIUM))("the accepted pictures", () => {
  const dashboard = useDashboard();
  let pages: Awaited<ReturnType<typeof startServer>>;
  let browser: Browser;
  beforeAll(async () => {
    pages = await startServer({ calm: CALM, troubled: TROUBLED });
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    if (ACCEPTS) rmSync(ACCEPTED, { recursive: true, force: true });
    mkdirSync(ACCEPTED, { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.stop();
  });

  it.each(Object.entries(VIEWS))("of the dashboard show what it looks like: %s", async (name, picture) => {
    await dashboard.visit(optionsOf(picture), (page) => compare(page, name, picture, dashboard.service.url));
  });

  it.each(Object.entries(PAGES))("of a public page show what it looks like: %s", async (name, picture) => {
    const context = await browser.newContext({ ...optionsOf(picture), javaScriptEnabled: false });
    await compare(await context.newPage(), name, picture, pages.url);
    await context.close();
  });

  it("are those that are compared, and small", () => {
    const files = readdirSync(ACCEPTED);
    expect(files.sort()).toEqual([...Object.keys(VIEWS), ...Object.keys(PAGES)].map((name) => `${name}.png`).sort());
    const bytes = files.map((file) => statSync(join(ACCEPTED, file)).size).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(BYTES_MAX);
  });

  async function compare(page: Page, name: string, { path, group }: Picture, url: string): Promise<void> {
    await page.goto(url + path);
    await page.waitForLoadState("networkidle");
    const region = group === undefined ? page : page.getByRole("region", { name: group, exact: true });
    const taken = await region.screenshot({ animations: "disabled", caret: "hide" });
    const file = join(ACCEPTED, `${name}.png`);
    if (ACCEPTS) writeFileSync(file, taken);
    const share = await differenceOf(browser, readFileSync(file), taken);
    if (share > DIFFERENT_MAX) {
      mkdirSync(DIFFERENT, { recursive: true });
      writeFileSync(join(DIFFERENT, `${name}.png`), taken);
    }
    expect(share, `of ${name} differ, see test-results/pictures/${name}.png`).toBeLessThanOrEqual(DIFFERENT_MAX);
  }
});

function optionsOf({ viewport, colorScheme }: Picture): BrowserContextOptions {
  return { viewport, colorScheme, ...EVERYWHERE };
}

/** Which share of the pixels have no like in the other picture, where they are or beside it; 1 where the sizes differ. */
async function differenceOf(browser: Browser, accepted: Buffer, taken: Buffer): Promise<number> {
  const page = await browser.newPage();
  const sources = [accepted, taken].map((png) => `data:image/png;base64,${png.toString("base64")}`);
  const share = await page.evaluate<number>(`(${COUNT_DIFFERENT})(${JSON.stringify(sources)})`);
  await page.close();
  return share;
}

const COUNT_DIFFERENT = `async (sources) => {
  const NEAR = 48;
  const [a, b] = await Promise.all(sources.map(async (source) => {
    const bitmap = await createImageBitmap(await (await fetch(source)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  }));
  // An edge that lies between two pixels is drawn on one or the other.
  if (Math.abs(a.width - b.width) > 1 || Math.abs(a.height - b.height) > 1) return 1;
  const [width, height] = [Math.min(a.width, b.width), Math.min(a.height, b.height)];
  const isLike = (of, x, y, other, u, v) => {
    const [at, beside] = [4 * (y * of.width + x), 4 * (v * other.width + u)];
    for (let channel = 0; channel < 3; channel += 1) {
      if (Math.abs(of.data[at + channel] - other.data[beside + channel]) > NEAR) return false;
    }
    return true;
  };
  const hasLike = (of, x, y, other) => {
    if (isLike(of, x, y, other, x, y)) return true;
    for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v += 1) {
      for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u += 1) {
        if (isLike(of, x, y, other, u, v)) return true;
      }
    }
    return false;
  };
  let different = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) if (!hasLike(a, x, y, b) || !hasLike(b, x, y, a)) different += 1;
  }
  return different / (width * height);
}`;
