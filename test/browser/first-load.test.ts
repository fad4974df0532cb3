import { existsSync } from "node:fs";
import type { CDPSession, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP, LIST_SHIFTS, PHONE } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

/** Lighthouse's slow 4G as DevTools applies it, and a processor a quarter as fast. */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 1_474_560 / 8, uploadThroughput: 675_000 / 8 };
const CPU_SLOWDOWN = 4;
/** Of the median of a round of visits. What else the machine does lengthens a round, so a slow one is tried again. */
const PAINT_MAX_MS = 1_200;
const VISITS = 3;
const ROUNDS_MAX = 6;
const PAGE_BYTES_MAX = 45_000;
const DASHBOARD_BYTES_MAX = 60_000;

describe.skipIf(!existsSync(CHROMIUM))("the first load", () => {
  const dashboard = useDashboard({ isFurnished: true });

  it("of a public page is drawn soon on a slow line, is small with its font, and moves nothing", async () => {
    const address = `${dashboard.service.url}/status/northwind`;
    const visit = () =>
      dashboard.visit(PHONE, async (page) => {
        const devtools = await page.context().newCDPSession(page);
        const loads = await recordLoads(devtools);
        await devtools.send("Network.emulateNetworkConditions", SLOW_4G);
        await devtools.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
        await page.goto(address, { waitUntil: "networkidle" });
        const paint = await page.evaluate<number>(READ_LARGEST_PAINT);
        expect(await page.evaluate(LIST_SHIFTS)).toEqual([]);
        expect(loads().some(({ type }) => type === "Font")).toBe(true);
        expect(bytesOf(loads())).toBeLessThan(PAGE_BYTES_MAX);
        return paint;
      });
    const medians: number[] = [];
    do medians.push(await medianOf(VISITS, visit));
    while (medians.length < ROUNDS_MAX && Math.min(...medians) >= PAINT_MAX_MS);
    expect(Math.min(...medians), `medians of ${VISITS} visits each: ${medians}`).toBeLessThan(PAINT_MAX_MS);
  });

  it("of the dashboard is small without its fonts", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      const devtools = await page.context().newCDPSession(page);
      const loads = await recordLoads(devtools);
      await page.goto(`${dashboard.service.url}/app`, { waitUntil: "networkidle" });
      const withoutFonts = loads().filter(({ type }) => type !== "Font");
      expect(bytesOf(withoutFonts), listed(withoutFonts)).toBeLessThan(DASHBOARD_BYTES_MAX);
    });
  });

  it.each(["a desktop", "a phone"])("moves nothing on %s in the views that are opened most", async (device) => {
    const { shop, incident, page: statusPage } = dashboard.example;
    const paths = [
      "",
      "/monitors",
      `/monitors/${shop}`,
      "/incidents",
      `/incidents/${incident}`,
      `/pages/${statusPage}`,
    ];
    await dashboard.visit(device === "a phone" ? PHONE : DESKTOP, async (page) => {
      for (const path of paths)
        expect([path, await shiftsOf(page, `${dashboard.service.url}/app${path}`)]).toEqual([path, []]);
    });
  });
});

async function medianOf(count: number, measure: () => Promise<number>): Promise<number> {
  const found: number[] = [];
  while (found.length < count) found.push(await measure());
  return found.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN;
}

async function shiftsOf(page: Page, address: string): Promise<unknown> {
  await page.goto(address, { waitUntil: "networkidle" });
  return page.evaluate(LIST_SHIFTS);
}

interface Load {
  url: string;
  type: string;
  /** As sent, headers included. */
  bytes: number;
}

/** What is loaded from now on, without what was stored, and without what a view asks for later because something changed. */
async function recordLoads(devtools: CDPSession): Promise<() => Load[]> {
  const loads = new Map<string, Load>();
  const updates = new Set<string>();
  devtools.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (request.headers["x-live"] !== undefined) updates.add(requestId);
  });
  devtools.on("Network.responseReceived", ({ requestId, type, response: { url } }) => {
    if (updates.has(requestId)) return;
    loads.set(requestId, { url, type, bytes: 0 });
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const load = loads.get(requestId);
    if (load) load.bytes = encodedDataLength;
  });
  await devtools.send("Network.enable");
  return () => [...loads.values()];
}

const bytesOf = (loads: readonly Load[]) => loads.reduce((sum, { bytes }) => sum + bytes, 0);
const listed = (loads: readonly Load[]) => loads.map(({ url, bytes }) => `${bytes} ${url}`).join("\n");

/** Runs in the page. */
const READ_LARGEST_PAINT = `new Promise((done) => {
  const observer = new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime));
  observer.observe({ type: "largest-contentful-paint", buffered: true });
})`;
