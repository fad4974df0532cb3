import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, findBarriers, isWiderThanWindow, PHONE } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const CORE = "/api/core/v1";
/** As televisions have it. */
const SCREEN = { viewport: { width: 1920, height: 1080 } };

/** A screen that nobody touches for months. */
describe.skipIf(!existsSync(CHROMIUM))("a wall display", () => {
  const dashboard = useDashboard();

  const linkOf = async () => {
    const { id, url } = await dashboard.call("POST", `${CORE}/user/wall-links`, { name: "Office" });
    return { id: String(id), url: String(url) };
  };
  const addMonitor = async (name: string) =>
    String((await dashboard.call("POST", `${V1}/monitors`, { name, type: "heartbeat" })).id);
  /** Once its connection stands and it has asked what it missed until then. */
  const openWall = async (page: Page, url: string) => {
    await page.context().clearCookies();
    const connected = page.waitForEvent("websocket", (socket) => socket.url().includes("/live"));
    const asked = page.waitForResponse((response) => response.request().headers()["x-live"] === "1");
    await page.goto(url);
    await Promise.all([connected, asked]);
    await page.waitForLoadState("networkidle");
  };

  it("is made by a form, shows what is down within two seconds, and ends where its link is revoked", async () => {
    const checkout = await addMonitor("Checkout");
    await addMonitor("Billing");
    const url = await dashboard.visit(SCREEN, async (page) => {
      await page.goto(`${dashboard.service.url}/app/account/walls`);
      await page.getByRole("link", { name: "Add wall display" }).click();
      await page.getByLabel("Screen").fill("Office");
      await page.getByRole("button", { name: "Create link" }).click();
      return (await page.locator("pre code").first().textContent()) ?? "";
    });
    await dashboard.visit(SCREEN, async (page) => {
      await openWall(page, url);
      await dashboard.call("POST", `${V1}/monitors/${checkout}/pause`);
      const began = Date.now();
      await page.getByRole("listitem").filter({ hasText: "Checkout" }).getByText("Paused").waitFor();
      expect(Date.now() - began).toBeLessThan(2000);
      expect(await findBarriers(page, "wall")).toEqual([]);
      expect(await page.locator("a, button, input").count()).toBe(0);
      await page.clock.install();
      await dashboard.visit(SCREEN, async (own) => {
        await own.goto(`${dashboard.service.url}/app/account/walls`);
        await own
          .getByRole("row", { name: /Office/ })
          .getByRole("button", { name: "Revoke" })
          .click();
        await own.getByText("The link is revoked.").waitFor();
      });
      await page.clock.runFor(61_000);
      await page.getByText("This no longer exists.").waitFor();
    });
  });

  it("says since when it is old while the service does not answer, and goes on by itself", async () => {
    const { url } = await linkOf();
    await dashboard.visit(SCREEN, async (page) => {
      await openWall(page, url);
      await page.context().setOffline(true);
      const strip = page.getByRole("status").filter({ hasText: "Not connected" });
      await strip.waitFor();
      expect(await findBarriers(page, "wall, cut")).toEqual([]);
      await page.context().setOffline(false);
      await strip.waitFor({ state: "detached" });
      const id = await addMonitor("Added meanwhile");
      await page.getByText("Added meanwhile").waitFor({ timeout: 5000 });
      await dashboard.call("DELETE", `${V1}/monitors/${id}`);
    });
  });

  it("loads itself anew after a deployment", async () => {
    const { url } = await linkOf();
    await dashboard.visit(SCREEN, async (page) => {
      let isDeployed = false;
      await page.route(url, async (route) => {
        if (!isDeployed || route.request().headers()["x-live"] === undefined) return route.continue();
        const response = await route.fetch({ headers: { ...route.request().headers(), "if-none-match": "" } });
        const body = (await response.text()).replace(/wall-[0-9a-f]{16}\.js/, `wall-${"0".repeat(16)}.js`);
        await route.fulfill({ response, body });
      });
      await openWall(page, url);
      isDeployed = true;
      const loaded = page.waitForNavigation();
      await addMonitor("After the deployment");
      await loaded;
      await page.getByText("After the deployment").waitFor();
      // A poll may be on its way through the route when the page closes.
      await page.unrouteAll({ behavior: "ignoreErrors" });
    });
  });

  it("fits a phone, too", async () => {
    const { url } = await linkOf();
    await dashboard.visit({ ...PHONE }, async (page) => {
      await openWall(page, url);
      expect(await isWiderThanWindow(page)).toBe(false);
    });
  });
});
