import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { START_TIMEOUT_MS } from "../process/support.ts";
import {
  CHROMIUM,
  type Dashboard,
  DESKTOP,
  findBarriers,
  isWiderThanWindow,
  PHONE,
  startDashboard,
} from "./dashboard.ts";

/** Monitors from the first one to a list of many, as a person without a terminal does it. */
describe.skipIf(!existsSync(CHROMIUM))("monitors in the dashboard", () => {
  let dashboard: Dashboard;
  let site: Server;
  let siteUrl: string;
  let isSiteWell = true;
  beforeAll(async () => {
    site = createServer((_req, res) => res.writeHead(isSiteWell ? 200 : 500).end("hello"));
    await new Promise<void>((done) => site.listen(0, "127.0.0.1", done));
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    dashboard = await startDashboard();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    site?.close();
    await dashboard?.stop();
  });

  const open = (page: Page, path: string) => page.goto(dashboard.service.url + path);
  const create = async (fields: Record<string, unknown>) =>
    String((await dashboard.call("POST", "/api/uptime/v1/monitors", fields)).id);

  it.each([
    ["a desktop", DESKTOP, true],
    ["a phone", PHONE, true],
    ["a phone without scripts", PHONE, false],
  ])("begin with three fields and a test, on %s", async (name, options, javaScriptEnabled) => {
    await dashboard.visit({ ...options, javaScriptEnabled }, async (page) => {
      await open(page, "/app/monitors");
      await page.getByRole("link", { name: "Add monitor" }).click();
      await page.getByLabel("Name").fill(`Shop on ${name}`);
      await page.getByLabel("Type").selectOption("http");
      await page.getByLabel("Target").fill(siteUrl);
      await page.getByRole("button", { name: "Test now" }).click();
      await page.getByText(/Up\s*, \d+ ms/).waitFor();
      expect(await page.getByLabel("Name").inputValue()).toBe(`Shop on ${name}`);
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL(/\/app\/monitors\/[0-9a-f-]{36}$/);
      await page.getByText("is created and checked at once").waitFor();
      await page.getByRole("heading", { level: 1, name: `Shop on ${name}` }).waitFor();
    });
  });

  it.each([
    ["with scripts", true],
    ["without", false],
  ])("name what is wrong beside its field and keep what was typed, %s", async (_name, javaScriptEnabled) => {
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled }, async (page) => {
      await open(page, "/app/monitors/new");
      await page.getByLabel("Target").fill("ftp://<nowhere>");
      await page.getByLabel("Interval").fill("5");
      await page.getByRole("button", { name: "Save" }).click();
      const name = page.getByLabel("Name");
      await page.locator('[aria-invalid="true"]#name').waitFor();
      expect(await name.getAttribute("aria-describedby")).toBe("name-problem");
      expect(await page.locator("#name-problem").textContent()).toBe("Name is required.");
      expect(await page.locator("#interval-problem").textContent()).toBe("Interval must be at least 10.");
      expect(await page.getByLabel("Target").inputValue()).toBe("ftp://<nowhere>");
      expect(await page.title()).toMatch(/^Error: /);
    });
  });

  it("show the fields of the chosen type, and keep what was typed before", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, "/app/monitors/new");
      await page.getByLabel("Name").fill("Nightly backup");
      expect(await page.getByLabel("Cron schedule").isVisible()).toBe(false);
      await page.getByLabel("Type").selectOption("heartbeat");
      await page.getByLabel("Cron schedule").fill("30 2 * * *");
      expect(await page.getByLabel("Target").isVisible()).toBe(false);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name: "Nightly backup" }).waitFor();
    });
  });

  it("keep their defaults when other fields are saved", async () => {
    const id = await create({ name: "Search", type: "http", target: siteUrl, interval: 60, tags: ["a"] });
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, `/app/monitors/${id}/edit`);
      await page.getByLabel("Interval").fill("10");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
    });
    const changed = { name: "Search", interval: 10, retry_interval: 10, tags: ["a"] };
    expect(await dashboard.call("GET", `/api/uptime/v1/monitors/${id}`)).toMatchObject(changed);
  });

  it("are paused, resumed, tested and deleted by name, without scripts", async () => {
    const id = await create({ name: "Old <shop>", type: "http", target: siteUrl });
    await dashboard.visit({ ...PHONE, javaScriptEnabled: false }, async (page) => {
      await open(page, `/app/monitors/${id}`);
      await page.getByRole("button", { name: "Test now" }).click();
      await page.getByText(/Checked now: Up, \d+ ms/).waitFor();
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByText("Paused: no checks").waitFor();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText("Resumed, and checked at once.").waitFor();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByLabel("The monitor's exact name").fill("old");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("That is not the name.").waitFor();
      await page.getByLabel("The monitor's exact name").fill("Old <shop>");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("Old <shop> is deleted.").waitFor();
    });
  });

  it("are cloned with everything but their name", async () => {
    const id = await create({
      name: "Original",
      type: "http",
      target: siteUrl,
      expected_keywords: "hello",
      tags: ["x"],
    });
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, `/app/monitors/${id}`);
      await page.getByRole("button", { name: "Clone" }).click();
      expect(await page.getByLabel("Name").inputValue()).toBe("Original (copy)");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name: "Original (copy)" }).waitFor();
      const copy = page.url().split("/").at(-1);
      const stored = await dashboard.call("GET", `/api/uptime/v1/monitors/${copy}`);
      expect(stored).toMatchObject({ target: siteUrl, expected_keywords: "hello", tags: ["x"] });
    });
  });

  it("show an outage within two seconds, without a reload", async () => {
    const id = await create({ name: "Live", type: "http", target: siteUrl, failure_threshold: 1 });
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, `/app/monitors/${id}`);
      isSiteWell = false;
      const checked = dashboard.call("POST", `/api/uptime/v1/monitors/${id}/check`);
      await checked;
      const known = performance.now();
      await page.locator("#monitor-state").getByText("Down").waitFor();
      isSiteWell = true;
      // One second of grace for a busy machine.
      expect(performance.now() - known).toBeLessThan(3000);
    });
  });

  it.each([
    ["drawn with scripts", true],
    ["as a table without", false],
  ])("show their latency, %s", async (_name, javaScriptEnabled) => {
    const id = await create({ name: "Measured", type: "http", target: siteUrl });
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled }, async (page) => {
      await open(page, `/app/monitors/${id}?period=7d`);
      const table = page.getByRole("table", { name: /^Latency of the last 7 days/ });
      expect(await table.getByRole("row").count()).toBe(2);
      expect(await table.getByRole("columnheader").allTextContents()).toEqual(["Time", "Median", "95th percentile"]);
      expect(await table.getByRole("cell").nth(1).textContent()).toMatch(/^\d+(\.\d+)?$/);
    });
  });

  it("hand out lines that report a heartbeat, and show that it came", async () => {
    const id = await create({ name: "Backup", type: "heartbeat", interval: 3600 });
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, `/app/monitors/${id}`);
      const address = (await page.locator(".copy code").first().textContent()) ?? "";
      expect((await fetch(address)).status).toBe(200);
      await page.locator("#monitor-state").getByText("Up", { exact: true }).waitFor();
      for (const place of ["cron", "systemd", "GitHub Actions", "Kubernetes CronJob"]) {
        expect(await page.locator(".copy-label", { hasText: new RegExp(`^${place}`) }).count()).toBe(1);
      }
    });
  });

  it("are found by search, status, type and tag", async () => {
    await create({ name: "Findable mail", type: "heartbeat", tags: ["needle"] });
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      await open(page, "/app/monitors");
      await page.getByRole("searchbox", { name: "Search" }).fill("findable");
      await page.getByRole("searchbox", { name: "Search" }).press("Enter");
      await page.getByText("1 monitor", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Findable mail" }).waitFor();
      await open(page, "/app/monitors?tag=needle&type=heartbeat&status=pending");
      await page.getByText("1 monitor", { exact: true }).waitFor();
      await open(page, "/app/monitors?tag=needle&type=http");
      await page.getByText("No monitor matches.").waitFor();
    });
  });

  it("have no barrier that axe finds, and fit a phone", async () => {
    const id = await create({ name: "Looked at", type: "heartbeat", interval: 3600, tags: ["nightly"] });
    const site = await create({ name: "Shop front", type: "http", target: siteUrl });
    const views = [
      ...["/app/monitors", "/app/monitors?q=nothing-like-this", "/app/monitors/new"],
      ...[`/app/monitors/${id}`, `/app/monitors/${site}`, `/app/monitors/${id}/edit`, `/app/monitors/${id}/delete`],
    ];
    for (const [device, options] of [["desktop", DESKTOP] as const, ["phone", PHONE] as const]) {
      await dashboard.visit(options, async (page) => {
        for (const path of views) {
          await open(page, path);
          const name = `${path.replace(id, "beat").replace(site, "site").replace(/\W+/g, "-")}-${device}`;
          expect([path, await findBarriers(page, name)]).toEqual([path, []]);
          expect([path, await isWiderThanWindow(page)]).toEqual([path, false]);
        }
      });
    }
  });
});
