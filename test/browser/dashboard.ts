import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { runNpm, type Service, startService } from "../process/support.ts";

/** What the stories of the dashboard share: the product as `npm start` runs it, and a signed-in browser. */

export const CHROMIUM = "/usr/bin/chromium";
export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Set SHOTS to a folder to look at the views that the stories open. */
const SHOTS = process.env.SHOTS;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface Dashboard {
  service: Service;
  /** The API with the operator's token. */
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** A view as the operator's browser gets it, redirects followed. */
  open(path: string): Promise<{ status: number; text: string }>;
  /** Another session of the operator. */
  signInAgain(): Promise<void>;
  /** Runs a story in a browser that is signed in as the operator; fails on any error of a script or policy. */
  visit<Found>(options: BrowserContextOptions, story: (page: Page) => Promise<Found>): Promise<Found>;
  stop(): Promise<void>;
}

/** Starts the product and Chromium; for `beforeAll` with START_TIMEOUT_MS. */
export async function startDashboard(env: Record<string, string> = {}): Promise<Dashboard> {
  const [service, browser] = await Promise.all([
    startService({ env: { RATE_LIMITS: "all=off", EGRESS_ALLOW: "127.0.0.1", ...env } }),
    chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] }),
  ]);
  const cookies = await signIn(service);
  return {
    service,
    call: (method, path, body) => call(service, { method, path, body }),
    open: async (path) => {
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
      const response = await fetch(service.url + path, { headers: { cookie } });
      return { status: response.status, text: await response.text() };
    },
    signInAgain: async () => void (await signIn(service)),
    visit: async (options, story) => {
      const context = await browser.newContext(options);
      await context.addCookies(cookies);
      return withPage(context, story);
    },
    stop: () => stop(service, browser),
  };
}

async function withPage<Found>(context: BrowserContext, story: (page: Page) => Promise<Found>): Promise<Found> {
  const faults: string[] = [];
  try {
    const page = await context.newPage();
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && /Content Security Policy/.test(message.text())) faults.push(message.text());
    });
    const found = await story(page);
    expect(faults).toEqual([]);
    return found;
  } finally {
    await context.close();
  }
}

async function stop(service: Service, browser: Browser): Promise<void> {
  await browser.close();
  await service.stop();
}

/** By a sign-in link, as the operator of a new installation. */
async function signIn(service: Service) {
  const env = { STATE_DIR: service.stateDir, PUBLIC_URL: service.url };
  const args = ["run", "--silent", "token", "--", "--email", "owner@localhost", "--sign-in-link"];
  const { stdout } = await runNpm(args, { env });
  const opened = await fetch(stdout.trim(), { method: "POST", redirect: "manual", headers: { origin: service.url } });
  const [, name = "", value = ""] = /^([^=]+)=([^;]+)/.exec(opened.headers.get("set-cookie") ?? "") ?? [];
  return [{ name, value, url: service.url }];
}

async function call(service: Service, { method, path, body }: { method: string; path: string; body: unknown }) {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? {} : JSON.parse(text);
}

/** What axe finds on the open view, light and dark, by rule and place; and a picture where SHOTS asks for one. */
export async function findBarriers(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}.png`, fullPage: true });
    found.push(...((await page.evaluate(`${AXE}; ${RUN_AXE}`)) as string[]).map((each) => `${colorScheme}: ${each}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
}

const RUN_AXE = `axe.run().then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " at " + target + ": " + failureSummary)))`;

/** Whether the view fits its window, but for parts that scroll by themselves. */
export async function isWiderThanWindow(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
}
