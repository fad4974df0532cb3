import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP, PHONE } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const NAMES = ["Checkout", "Billing", "Billing archive", "Search"];

describe.skipIf(!existsSync(CHROMIUM))("the filter of the list of monitors", () => {
  const dashboard = useDashboard();
  beforeAll(async () => {
    for (const name of NAMES) {
      const { id } = await dashboard.call("POST", `${V1}/monitors`, {
        name,
        type: "heartbeat",
        tags: [name.slice(0, 3)],
      });
      if (name === "Search") await dashboard.call("POST", `${V1}/monitors/${id}/pause`);
    }
  });

  const shown = (page: Page) => page.locator("li.monitor:visible .what > a").allTextContents();
  const open = async (page: Page, path = "/app/monitors") => {
    await page.goto(dashboard.service.url + path, { waitUntil: "networkidle" });
    await page.evaluate("window.isSame = true");
  };
  const isSameDocument = (page: Page) => page.evaluate("window.isSame === true");

  it.each([
    ["a desktop", DESKTOP],
    ["a phone", PHONE],
  ])("narrows while it is typed, keeps the focus, and is in the address, on %s", async (_name, options) => {
    await dashboard.visit({ ...options }, async (page) => {
      await open(page);
      await page.getByLabel("Search", { exact: true }).pressSequentially("bill");
      expect(await shown(page)).toEqual(["Billing", "Billing archive"]);
      await page.waitForURL(/\?q=bill$/);
      expect(await page.locator("#monitors-count").textContent()).toBe("2 monitors");
      expect(await page.locator(":focus").getAttribute("id")).toBe("q");
      await page.getByLabel("Search", { exact: true }).pressSequentially("ing a");
      await page.waitForURL(/\?q=billing\+a$/);
      expect([await shown(page), await isSameDocument(page)]).toEqual([["Billing archive"], true]);
      await page.goBack();
      await expect.poll(() => shown(page)).toEqual(["Billing", "Billing archive"]);
      expect(await page.getByLabel("Search", { exact: true }).inputValue()).toBe("bill");
      await page.getByRole("link", { name: /^Remove .*bill/ }).click();
      await expect.poll(() => shown(page)).toEqual(NAMES);
      expect([new URL(page.url()).search, await isSameDocument(page)]).toEqual(["", true]);
      expect(await page.getByLabel("Search", { exact: true }).inputValue()).toBe("");
    });
  });

  it("takes several values of one choice, which a link, a saved view and a bulk action keep", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page);
      await page.locator("#status-summary").click();
      await page.getByLabel("Paused", { exact: true }).check();
      expect(await shown(page)).toEqual(["Search"]);
      await page.getByLabel("Down", { exact: true }).check();
      await page.keyboard.press("Escape");
      await page.waitForURL(/\?status=down,paused$/);
      expect(await page.locator("#status-summary").textContent()).toBe("Down, Paused");
      expect(await page.locator("#saving-view [name=query]").getAttribute("value")).toBe("status=down,paused");
      await page.getByLabel("Select Search").check();
      await page.getByRole("button", { name: "Resume", exact: true }).click();
      await page.getByText("1 monitor resumed.").waitFor();
      expect(new URL(page.url()).search).toBe("?status=down,paused");
      await page.getByRole("link", { name: "Show all monitors" }).waitFor();
    });
  });

  it("finds what it did not show, and what it filters away is selected no more", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, "/app/monitors?q=nothing-has-this");
      await page.getByRole("link", { name: /^Remove .*nothing-has-this/ }).click();
      await expect.poll(() => shown(page)).toEqual(NAMES);
      await page.getByLabel("Select Checkout").check();
      await page.getByLabel("Tag", { exact: true }).fill("Bil");
      await page.waitForURL(/\?tag=Bil$/);
      expect(await shown(page)).toEqual(["Billing", "Billing archive"]);
      expect(await page.locator(".bulk").isVisible()).toBe(false);
    });
  });

  /** Answers nothing that is asked for at an address that contains the text until it is released. */
  const holdAnswer = async (page: Page, text: string) => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((done) => (release = done));
    const asked = page.waitForRequest((request) => request.url().includes(text));
    await page.route(
      ({ href }) => href.includes(text),
      async (route) => {
        await released;
        await route.continue();
      },
    );
    return { release, asked };
  };

  it("keeps what is chosen while an answer is under way", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page);
      const { release, asked } = await holdAnswer(page, "?q=bill");
      await page.getByLabel("Search", { exact: true }).fill("bill");
      await asked;
      await page.locator("#status-summary").click();
      await page.getByLabel("Down", { exact: true }).check();
      await page.getByLabel("Degraded", { exact: true }).check();
      release();
      await page.waitForURL(/\?q=bill$/);
      expect(await page.locator("#status-choices input:checked").count()).toBe(2);
      await page.keyboard.press("Escape");
      await page.waitForURL(/\?q=bill&status=[a-z]+,[a-z]+$/);
    });
  });

  it("never selects what is narrowed away before the server has answered", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page);
      const { release, asked } = await holdAnswer(page, "?q=bill");
      const selected = () => page.locator(".selection input[name=id]:checked").count();
      await page.getByLabel("Select Checkout").check();
      await page.getByLabel("Select Billing", { exact: true }).check();
      await page.getByLabel("Search", { exact: true }).fill("bill");
      await asked;
      expect([await selected(), await page.getByText("1 selected").count()]).toEqual([1, 1]);
      await page.getByRole("button", { name: "Select all shown" }).click();
      expect([await selected(), await page.getByText("2 selected").count()]).toEqual([2, 1]);
      release();
      await page.waitForURL(/\?q=bill$/);
      expect([await selected(), await page.getByText("2 selected").count()]).toEqual([2, 1]);
    });
  });

  it("says that it has no connection, and has the answer once there is one", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, "/app/monitors?q=bill");
      await page.context().setOffline(true);
      await page.getByLabel("Search", { exact: true }).fill("check");
      await page.getByRole("status").filter({ hasText: "Not connected" }).waitFor();
      await page.context().setOffline(false);
      await page.waitForURL(/\?q=check$/, { timeout: 3000 });
      expect(await shown(page)).toEqual(["Checkout"]);
    });
  });

  it("keeps the tab able to load a new release", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page);
      await page.getByLabel("Search", { exact: true }).fill("bill");
      await page.waitForURL(/\?q=bill$/);
      await page.getByLabel("Search", { exact: true }).blur();
      await page.route(/\?q=bill$/, async (route) => {
        if (route.request().headers()["x-live"] === undefined) return route.continue();
        const response = await route.fetch({ headers: { ...route.request().headers(), "if-none-match": "" } });
        const body = (await response.text()).replace(/app-[\da-f]+\.js/, "app-0123456789abcdef.js");
        await route.fulfill({ response, body });
      });
      const { id } = await dashboard.call("POST", `${V1}/monitors`, { name: "Bills", type: "heartbeat" });
      await expect.poll(() => isSameDocument(page), { timeout: 5000 }).toBe(false);
      expect(await page.getByLabel("Search", { exact: true }).inputValue()).toBe("bill");
      await dashboard.call("DELETE", `${V1}/monitors/${id}`);
      await page.unrouteAll({ behavior: "ignoreErrors" });
    });
  });

  it("needs no script", async () => {
    await dashboard.visit({ ...PHONE, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.getByLabel("Search", { exact: true }).fill("bill");
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      expect(await page.locator("li.monitor .what > a").allTextContents()).toEqual(["Billing", "Billing archive"]);
    });
  });
});
