/**
 * `npm run screenshots`: starts the product on an empty state, fills it as a small shop would, and takes the pictures of the
 * dashboard that the documents show. Needs Chromium; CHROMIUM names another program than /usr/bin/chromium.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { controlOf } from "./local/control.ts";
import { stateDirOf } from "./local/settings.ts";
import { type Example, furnishExample } from "./screenshots/example.ts";
import { insertPast } from "./screenshots/past.ts";

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
  const memberToken = tokenOf("mira@northwind.example", url);
  const breakCheckout = () => void isDown.add("/checkout");
  const example = await furnishExample({ url, token, memberToken, siteUrl, breakCheckout });
  await insertPast(controlOf(stateDirOf({ STATE_DIR: stateDir })));
  await takePictures({ url, link, example });
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

/** A person besides the operator, as `npm run token` makes one. */
function tokenOf(email: string, publicUrl: string): string {
  const env = { ...process.env, STATE_DIR: stateDir, PUBLIC_URL: publicUrl };
  return execFileSync(process.execPath, ["scripts/token.ts", "--email", email], {
    cwd: ROOT,
    env,
    encoding: "utf8",
  }).trim();
}

interface Shown {
  url: string;
  link: string;
  example: Example;
}

async function takePictures({ url, link, example }: Shown): Promise<void> {
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
      await page.waitForLoadState("networkidle");
      await page.screenshot({ path: join(TARGET, `${name}.png`) });
    };
    await take("/app", "overview");
    await take("/app/monitors", "monitors");
    await take(`/app/monitors/${example.shop}`, "monitor", { dark: true });
    await take(`/app/pages/${example.page}`, "editor");
    await take(`/app/pages/${example.page}/reports?period=30d`, "reports");
    await take(`/app/on-call/${example.page}/schedules/${example.schedule}/calendar`, "on-call");
    await take(`/app/maintenance/${example.maintenance}`, "maintenance");
    await take("/app/team", "team");
    await take("/status/northwind", "status-page");
    await take("/app", "phone", { phone: true });
    await take(`/app/incidents/${example.incident}`, "incident", { phone: true });
  } finally {
    await browser.close();
  }
}
