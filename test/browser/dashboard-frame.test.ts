import { existsSync } from "node:fs";
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

/** The frame around every signed-in view. */
describe.skipIf(!existsSync(CHROMIUM))("the dashboard", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  }, START_TIMEOUT_MS);
  afterAll(() => dashboard?.stop());

  it.each([
    ["a desktop", DESKTOP],
    ["a phone", PHONE],
    ["a phone without scripts", { ...PHONE, javaScriptEnabled: false }],
  ])("leads to every section by name on %s", async (_name, options) => {
    await dashboard.visit(options, async (page) => {
      await page.goto(`${dashboard.service.url}/app`);
      const links = page.getByRole("navigation").getByRole("link");
      expect(await links.allTextContents()).toEqual([
        "Overview",
        "Monitors",
        "Incidents",
        "Maintenance",
        "Status pages",
        "Alerts",
        "Rules",
        "On-call",
        "Agents",
        "Team",
        "Account",
      ]);
      expect(await isWiderThanWindow(page)).toBe(false);
    });
  });

  it.each([
    ["with scripts", true],
    ["without", false],
  ])("keeps the chosen colours on the next view, %s", async (_name, javaScriptEnabled) => {
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled, colorScheme: "light" }, async (page) => {
      await page.goto(`${dashboard.service.url}/app`);
      await page.getByRole("button", { name: "Dark" }).click();
      await page.locator('html[data-theme="dark"]').waitFor();
      await page.goto(`${dashboard.service.url}/app`);
      expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
      await page.getByRole("button", { name: "Light" }).waitFor();
    });
  });

  it("has no barrier that axe finds, light or dark", async () => {
    for (const [name, options] of [["desktop", DESKTOP] as const, ["phone", PHONE] as const]) {
      await dashboard.visit(options, async (page) => {
        await page.goto(`${dashboard.service.url}/app`);
        expect(await findBarriers(page, `frame-${name}`)).toEqual([]);
      });
    }
  });

  it("shows a change within two seconds, without a reload", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app`);
      await page.evaluate("window.isSameDocument = true");
      await page.getByText("No monitors yet").waitFor();
      await dashboard.call("POST", "/api/uptime/v1/monitors", { name: "Nightly backup", type: "heartbeat" });
      const created = performance.now();
      await page.getByText("All is well").waitFor();
      // One second of grace for a busy machine.
      expect(performance.now() - created).toBeLessThan(3000);
      expect(await page.evaluate("window.isSameDocument")).toBe(true);
    });
  });
});
