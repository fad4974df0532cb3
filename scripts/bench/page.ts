import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { chromium } from "playwright-core";
import { startConstant } from "./constant.ts";
import { type BenchService, cpuSecondsOf, send, startBenchService } from "./service.ts";
import { median, report, type Turn, turn } from "./turns.ts";

/**
 * How fast public pages are read, beside a constant answer of equal size from the same kind of runtime, in turns, so that
 * what else the machine does weighs on both alike; how long the first reader waits after a change, and how long a pushed
 * failure takes to be shown; and, where Chromium is installed, when a visitor on a slow line sees the page.
 */
const SIZES = [10, 500];
const TURN_MS = 1_000;
const CHANGES = 10;
const FAILURES = 10;
const VISITS = 5;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/**
 * What Lighthouse calls slow 4G, as the tools of a browser apply it, where a request waits for several round trips:
 * https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md
 */
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 1_474_560 / 8, uploadThroughput: 675_000 / 8 };
const CPU_SLOWDOWN = 4;

export async function benchPage(minutes: number): Promise<void> {
  await using service = await startBenchService({});
  const share = (minutes * 60_000) / (SIZES.length * 2);
  for (const size of SIZES) {
    const page = await createPage(service, size);
    for (const [name, path] of [
      ["HTML", ""],
      ["JSON", "/summary.json"],
    ] as const) {
      await benchDocument(service, { ...page, name: `${size} services, ${name}`, path, share });
    }
    if (existsSync(CHROMIUM)) await benchPaint(`${service.url}/status/${page.slug}`, size);
  }
  console.log(`a pushed failure is shown after ${(await timeFailures(service)).toFixed(1)} ms`);
}

/** The median time of the largest contentful paint, in a browser that knows nothing of the page. */
async function benchPaint(address: string, services: number): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const paints: number[] = [];
    for (let n = 0; n < VISITS; n++) {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
      const page = await context.newPage();
      const devtools = await context.newCDPSession(page);
      await devtools.send("Network.emulateNetworkConditions", SLOW_4G);
      await devtools.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
      await page.goto(address, { waitUntil: "load" });
      paints.push(await page.evaluate(readLargestPaint));
      await context.close();
    }
    console.log(`${services} services: largest contentful paint on slow 4G after ${median(paints).toFixed(0)} ms`);
  } finally {
    await browser.close();
  }
}

/** Runs in the browser. */
function readLargestPaint(): Promise<number> {
  return new Promise((done) => {
    new PerformanceObserver((list: { getEntries(): { startTime: number }[] }) =>
      done(list.getEntries().at(-1)?.startTime ?? Number.NaN),
    ).observe({
      type: "largest-contentful-paint",
      buffered: true,
    });
  });
}

/** The median time from sending a failure to the first summary that shows it, to readers who keep looking. */
async function timeFailures(service: BenchService): Promise<number> {
  const body = { name: "Job", type: "heartbeat", expected_interval: 3600 };
  const monitor = await send(service, "POST", "/api/uptime/v1/monitors", body);
  const page = { name: "Jobs", slug: "bench-failures", monitors: [monitor.id] };
  await send(service, "POST", "/api/uptime/v1/status-pages", page);
  const shows = async (status: string) => {
    const response = await fetch(`${service.url}/status/${page.slug}/summary.json`);
    return ((await response.json()) as { monitors: { status: string }[] }).monitors[0]?.status === status;
  };
  const push = async (sent: "ok" | "fail", shown: "up" | "down") => {
    const began = performance.now();
    const address = new URL(monitor.push_urls?.heartbeat ?? "");
    address.searchParams.set("status", sent);
    await (await fetch(address, { method: "POST" })).arrayBuffer();
    while (!(await shows(shown))) await setTimeout(5);
    return performance.now() - began;
  };
  const waits: number[] = [];
  for (let n = 0; n < FAILURES; n++) {
    await push("ok", "up");
    waits.push(await push("fail", "down"));
  }
  return median(waits);
}

interface BenchDocument {
  id: string;
  slug: string;
  name: string;
  path: string;
  share: number;
}

async function benchDocument(service: BenchService, { id, slug, name, path, share }: BenchDocument): Promise<void> {
  const address = `${service.url}/status/${slug}${path}`;
  await using constant = await startConstant(await fetch(address));
  const read = () => turn([address], service.cpuSeconds, { turnMs: TURN_MS });
  const readConstant = () => turn([constant.href], () => cpuSecondsOf(process.pid), { turnMs: TURN_MS });
  await read();
  await readConstant();
  const turns = { page: [] as Turn[], constant: [] as Turn[] };
  for (const end = Date.now() + share; Date.now() < end; ) {
    turns.constant.push(await readConstant());
    turns.page.push(await read());
  }
  const speed = report(`${name}, constant of ${constant.bytes} bytes`, turns.constant);
  const ratio = report(`${name}, warm`, turns.page) / speed;
  console.log(`${name}: ${ratio.toFixed(2)} of the constant's speed`);
  console.log(`${name}, just after a change: ${(await timeChanges(service, id, address)).toFixed(1)} ms`);
}

/** The median wait of the first reader after a change, which has the page built. */
async function timeChanges(service: BenchService, id: string, address: string): Promise<number> {
  const waits: number[] = [];
  for (let n = 0; n < CHANGES; n++) {
    const name = `Page ${n}`;
    await send(service, "PUT", `/api/uptime/v1/status-pages/${id}`, { name });
    const began = performance.now();
    const text = await (await fetch(address)).text();
    waits.push(performance.now() - began);
    if (!text.includes(name)) throw new Error("an older page was served after a change");
  }
  return median(waits);
}

async function createPage(service: BenchService, services: number): Promise<{ id: string; slug: string }> {
  const monitors: string[] = [];
  for (let n = 0; n < services; n++) {
    const body = { name: `Service ${n}`, type: "heartbeat", expected_interval: 3600 };
    monitors.push((await send(service, "POST", "/api/uptime/v1/monitors", body)).id);
  }
  const slug = `bench-${services}`;
  const { id } = await send(service, "POST", "/api/uptime/v1/status-pages", { name: "Page", slug, monitors });
  return { id, slug };
}
