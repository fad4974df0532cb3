import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { runNpm, type Service, START_TIMEOUT_MS, startService } from "../process/support.ts";
import { CHROMIUM } from "./chromium.ts";
import { type Example, furnishExample } from "./example.ts";

/** What the stories of the dashboard share: the product as `npm start` runs it, a site to check, and a signed-in browser. */

interface Dashboard {
  service: Service;
  /** The API with the operator's token. */
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** A view as the operator's browser gets it, redirects followed. */
  open(path: string): Promise<{ status: number; text: string }>;
  /** A link that signs a person in, whose account it makes where there is none. */
  linkOf(email: string): Promise<string>;
  /** Another session of the operator. */
  signInAgain(): Promise<void>;
  /** Runs a story in a browser that is signed in as the operator; fails on any error of a script or policy. */
  visit<Found>(options: BrowserContextOptions, story: (page: Page) => Promise<Found>): Promise<Found>;
  stop(): Promise<void>;
}

/** The stage of a test file. Its members are there once `beforeAll` ran. */
export interface Stage extends Omit<Dashboard, "stop"> {
  /** Answers every path that is not in `broken` with 200, the others with 503. */
  siteUrl: string;
  broken: Set<string>;
  /** Only where the stage is furnished. */
  example: Example;
}

/** Starts product, site and browser before the tests of a file, furnished as the example of the pictures where asked for. */
export function useDashboard({ isFurnished = false, env = {} }: { isFurnished?: boolean; env?: object } = {}): Stage {
  const stage = {} as Stage;
  let site: Server;
  let stopDashboard: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const broken = new Set<string>();
    site = createServer((req, res) => res.writeHead(broken.has(req.url ?? "") ? 503 : 200).end("hello"));
    await new Promise<void>((done) => site.listen(0, "127.0.0.1", done));
    const { stop, ...dashboard } = await startDashboard(env);
    stopDashboard = stop;
    const siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    Object.assign(stage, { ...dashboard, siteUrl, broken });
    if (isFurnished) stage.example = await furnish(stage);
  }, 2 * START_TIMEOUT_MS);
  afterAll(async () => {
    site?.close();
    await stopDashboard?.();
  });
  return stage;
}

/** The actions of a view that are seldom wanted stand behind dots beside its heading. */
export async function openActions(page: Page): Promise<void> {
  await page.getByLabel("More actions", { exact: true }).click();
}

/** So do those of a row in a list. */
export async function openRow(page: Page, name: string): Promise<void> {
  await page.getByLabel(`More for ${name}`, { exact: true }).click();
}

/** Appearance, sign-out and what else is about the person stand behind dots at the foot of the sections. */
export async function openPersonMenu(page: Page): Promise<void> {
  await page.getByLabel("More for you", { exact: true }).click();
}

async function furnish({ service, siteUrl, broken }: Stage): Promise<Example> {
  const { url, token = "", stateDir } = service;
  const env = { STATE_DIR: stateDir, PUBLIC_URL: url };
  const { stdout } = await runNpm(["run", "--silent", "token", "--", "--email", "mira@northwind.example"], { env });
  const breakCheckout = () => void broken.add("/checkout");
  return furnishExample({ url, token, memberToken: stdout.trim(), siteUrl, breakCheckout });
}

async function startDashboard(env: object): Promise<Dashboard> {
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
    linkOf: (email) => linkOf(service, email),
    signInAgain: async () => void (await signIn(service)),
    visit: async (options, story) => {
      // What a service worker answers, no test sees.
      const context = await browser.newContext({ serviceWorkers: "block", ...options });
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

async function linkOf(service: Service, email: string): Promise<string> {
  const env = { STATE_DIR: service.stateDir, PUBLIC_URL: service.url };
  const { stdout } = await runNpm(["run", "--silent", "token", "--", "--email", email, "--sign-in-link"], { env });
  return stdout.trim();
}

/** By a sign-in link, as the operator of a new installation. */
async function signIn(service: Service) {
  const link = await linkOf(service, "owner@localhost");
  const opened = await fetch(link, { method: "POST", redirect: "manual", headers: { origin: service.url } });
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
