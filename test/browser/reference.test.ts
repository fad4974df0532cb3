import { existsSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP, findBarriersInAnySize } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

describe.skipIf(!existsSync(CHROMIUM))("the reference of the API", () => {
  const dashboard = useDashboard();

  it.each([
    ["", 16_000],
    ["/monitors", 24_000],
    ["/heartbeats", 12_000],
  ])("at /docs%s has no barrier in light or dark, fits a phone, and needs no script and at most %i bytes", async (path, max) => {
    await dashboard.visit({ ...DESKTOP, bypassCSP: true }, async (page) => {
      await page.goto(`${dashboard.service.url}/docs${path}`);
      expect(await findBarriersInAnySize(page, `docs${path.replace("/", "-")}`)).toEqual([]);
      expect(await page.locator("script").count()).toBe(0);
    });
    const { text } = await dashboard.open(`/docs${path}`);
    expect(gzipSync(text).length).toBeLessThan(max);
  });

  it("leads from an operation to the objects that it answers with", async () => {
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${dashboard.service.url}/docs`);
      await page.getByRole("link", { name: "GET /api/uptime/v1/monitors", exact: true }).click();
      const operation = page.getByRole("article", { name: "List monitors", exact: true });
      await operation.getByText("The monitors").click();
      await operation.getByRole("link", { name: "Monitor", exact: true }).click();
      await page.getByRole("region", { name: "Monitor", exact: true }).getByText("status_since").first().waitFor();
    });
  });
});
