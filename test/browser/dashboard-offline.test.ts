import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CHROMIUM, PHONE } from "./chromium.ts";
import { openPersonMenu, useDashboard } from "./dashboard.ts";

describe.skipIf(!existsSync(CHROMIUM))("the dashboard as an app", () => {
  const dashboard = useDashboard();

  it("becomes current with what was searched for without a network", async () => {
    await dashboard.visit({ ...PHONE, serviceWorkers: "allow" }, async (page) => {
      const { url } = dashboard.service;
      await dashboard.call("POST", "/api/uptime/v1/monitors", { name: "Mail", type: "heartbeat" });
      await page.goto(`${url}/app/monitors`);
      await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
      await page.goto(`${url}/app/monitors`);
      await page.context().setOffline(true);
      await page.goto(`${url}/app/monitors`);
      const old = page.getByText(/^Not connected\. What you see is from /);
      await old.waitFor();
      await page.getByLabel("Search", { exact: true }).fill("mail");
      await page.context().setOffline(false);
      await page.waitForURL(/\?q=mail$/, { timeout: 5000 });
      await old.waitFor({ state: "detached" });
    });
  });

  it("can be installed, and opens without a network as it was, marked as old, until its person signs out", async () => {
    await dashboard.call("POST", "/api/uptime/v1/monitors", { name: "Nightly backup", type: "heartbeat" });
    await dashboard.visit({ ...PHONE, serviceWorkers: "allow" }, async (page) => {
      const { url } = dashboard.service;
      await page.goto(`${url}/app`);
      const manifest = await page.locator('link[rel="manifest"]').getAttribute("href");
      expect(JSON.parse((await dashboard.open(String(manifest))).text)).toMatchObject({ start_url: "/app" });
      await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
      for (const path of ["/app", "/app/monitors"]) await page.goto(url + path);
      const old = page.getByText(/^Not connected\. What you see is from /);
      expect(await old.count()).toBe(0);

      await page.context().setOffline(true);
      await page.goto(`${url}/app/monitors`);
      await old.waitFor();
      await page.getByRole("link", { name: "Nightly backup" }).waitFor();
      // What was never looked at leads to the overview.
      await page.goto(`${url}/app/incidents`);
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

      // With a network it becomes what its address says, by itself.
      await page.context().setOffline(false);
      await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor({ timeout: 5000 });
      expect(await old.count()).toBe(0);
      await page.getByRole("link", { name: "More", exact: true }).click();
      await openPersonMenu(page);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL(/sign-in/);
      await expect.poll(() => page.evaluate('caches.has("vigil-views")')).toBe(false);
    });
  });
});
