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
});
