/**
 * `npm run screenshots`: starts the product on an empty state, fills it as a small shop would, and takes the pictures of the
 * dashboard that the documents show. Needs Chromium; CHROMIUM names another program than /usr/bin/chromium.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";

const ROOT = resolve(import.meta.dirname, "..");
const TARGET = join(ROOT, "docs/screenshots");
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

const stateDir = mkdtempSync(join(tmpdir(), "vigil-screenshots-"));
const isDown = new Set<string>();
const site = createServer((req, res) => {
  setTimeout(() => res.writeHead(isDown.has(req.url ?? "") ? 503 : 200).end("ok"), 20 + Math.random() * 60);
});
site.listen(0, "127.0.0.1");
await once(site, "listening");
const siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

const service = spawn(process.execPath, ["--optimize-for-size", "scripts/start.ts"], {
  cwd: ROOT,
  env: { ...process.env, PORT: "0", STATE_DIR: stateDir, EGRESS_ALLOW: "127.0.0.1", RATE_LIMITS: "all=off" },
  stdio: ["ignore", "pipe", "inherit"],
});
let logs = "";
service.stdout.setEncoding("utf8").on("data", (text: string) => (logs += text));
try {
  const url = await printed(/^ready (http\S+)$/m);
  const token = await printed(/(sk_svc_\w+)/);
  const link = await printed(/(http\S+\/app\/sign-in\/link\?token=\w+)/);
  const monitorId = await fill(url, token);
  await takePictures({ url, link, monitorId });
} finally {
  service.kill();
  await once(service, "exit");
  site.close();
  rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
}

async function printed(pattern: RegExp): Promise<string> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const found = pattern.exec(logs)?.[1];
    if (found) return found;
    await sleep(100);
  }
  throw new Error(`the service did not print ${pattern}:\n${logs}`);
}

/** Gives the id of the monitor whose view is shown. */
async function fill(url: string, token: string): Promise<string> {
  const call = async (method: string, path: string, body: unknown = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}/api/uptime/v1${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  const page = await call("POST", "/status-pages", { name: "Northwind Status", slug: "northwind" });
  const on = { status_page_id: page.id, failure_threshold: 1, recovery_threshold: 1 };
  const http = (name: string, path: string, tags: string[]) =>
    call("POST", "/monitors", { ...on, name, type: "http", target: siteUrl + path, tags });
  const shop = await http("Web shop", "/shop", ["shop"]);
  const checkout = await http("Checkout API", "/checkout", ["shop", "payments"]);
  const others = [await http("Search", "/search", ["shop"]), await http("Image delivery", "/images", ["cdn"])];
  await call("POST", "/monitors", { ...on, name: "Nightly backup", type: "heartbeat", interval: 86_400 });
  for (let round = 0; round < 12; round++) {
    for (const { id } of [shop, checkout, ...others]) await call("POST", `/monitors/${id}/check`);
  }
  isDown.add("/checkout");
  await call("POST", `/monitors/${checkout.id}/check`);
  await call("POST", "/incidents", {
    status_page_id: page.id,
    title: "Payments are refused",
    severity: "major",
    initial_update: "We see failing payments and are looking into it.",
    monitor_ids: [checkout.id],
  });
  const start = Date.now() + 26 * 3_600_000;
  await call("POST", "/maintenance", {
    status_page_id: page.id,
    title: "New database servers",
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + 3_600_000).toISOString(),
  });
  return shop.id;
}

interface Shown {
  url: string;
  link: string;
  monitorId: string;
}

async function takePictures({ url, link, monitorId }: Shown): Promise<void> {
  mkdirSync(TARGET, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    const context = await browser.newContext({ viewport: DESKTOP });
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Create your password" }).waitFor();
    const take = async (path: string, name: string, options: { dark?: boolean; phone?: boolean } = {}) => {
      await page.setViewportSize(options.phone ? PHONE : DESKTOP);
      await page.emulateMedia({ colorScheme: options.dark ? "dark" : "light" });
      await page.goto(url + path);
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(TARGET, `${name}.png`) });
    };
    await take("/app", "overview");
    await take("/app/monitors", "monitors");
    await take(`/app/monitors/${monitorId}`, "monitor", { dark: true });
    await take("/app", "phone", { phone: true });
  } finally {
    await browser.close();
  }
}
