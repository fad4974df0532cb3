import { existsSync } from "node:fs";
import { describe, expect } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";
import { story } from "./story.ts";

/** With nothing but the address of a service that was just started on one's own machine. */
describe.skipIf(!existsSync(CHROMIUM))("the first minutes", () => {
  const dashboard = useDashboard({ env: { EGRESS_ALLOW: "" } });

  story(
    dashboard,
    "allow the own network in one click where it was refused, and take it back",
    async ({ page, open, press, sees, follow }) => {
      await open("/app/monitors/new");
      await page.getByLabel("What should we watch?").fill(dashboard.siteUrl);
      await press("Check it");
      await sees(/127\.0\.0\.1 is not public/);
      await page.getByLabel("Name", { exact: true }).fill("Mine");
      await press("Allow this network");
      await sees(/Up.* ms/);
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Mine");
      await press("Start watching");
      await sees("1 monitor added.");

      await open("/app/installation");
      await follow("Allowed networks");
      expect(await page.getByLabel("Networks", { exact: true }).inputValue()).toBe("127.0.0.1");
      await page.getByLabel("Networks", { exact: true }).fill("");
      await press("Save");
      await sees("Saved.");

      await open("/app/monitors/new?type=tcp");
      await page.getByLabel("Name", { exact: true }).fill("Port");
      await page.getByLabel("Target", { exact: true }).fill(new URL(dashboard.siteUrl).host);
      await press("Test now");
      await press("Allow this network");
      await page.locator("#test-result").waitFor();
      expect(await page.locator("#test-result").textContent()).toMatch(/^Up/);
      await open("/app/installation/networks");
      await page.getByLabel("Networks", { exact: true }).fill("");
      await press("Save");
    },
  );

  story(
    dashboard,
    "end with a monitor, its status page, a job and an alert that arrived",
    async ({ page, open, press, sees, name }) => {
      await dashboard.call("PUT", "/api/core/v1/reachable-networks", { networks: [] });
      await open("/app/monitors/new");
      await page.getByLabel("What should we watch?").fill(dashboard.siteUrl);
      await press("Check it");
      await press("Allow this network");
      await sees(/Up.* ms/);
      await page.getByLabel("Name", { exact: true }).fill(`Shop on ${name}`);
      await page.getByLabel("Status page").selectOption("A new status page");
      await press("Start watching");
      await sees("1 monitor added.");
      await open(`/status/shop-on-${name.replaceAll(" ", "-")}`);
      await page.getByRole("heading", { level: 1 }).waitFor();

      await open("/app/monitors/new?type=heartbeat");
      await page.getByLabel("Name", { exact: true }).fill(`Backup on ${name}`);
      await press("Save");
      await sees(/curl .*\/(heartbeat|ping|push)/);

      await open("/app/alerts/new");
      await page.getByRole("link", { name: "Webhook", exact: true }).click();
      await page.getByLabel("Name", { exact: true }).fill(`Room on ${name}`);
      await page.getByLabel("URL", { exact: true }).fill(`${dashboard.siteUrl}/hook`);
      await press("Save");
      await sees("The channel is added.");
      const row = page.getByRole("row").filter({ hasText: `Room on ${name}` });
      await row.getByRole("button", { name: "Send test" }).click();
      await sees(/The test arrived/);

      await open("/app");
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      expect(await page.getByText("First steps").count()).toBe(0);
    },
  );
});
