import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
/** Two seconds, and what a busy machine adds. */
const SOON = { timeout: 3500 };

/** What an open view meets between two looks at it: it is right soon afterwards, and says until then that it may be old. */
describe.skipIf(!existsSync(CHROMIUM))("an open view survives", () => {
  const dashboard = useDashboard();
  let status_page_id: string;
  beforeAll(async () => {
    const made = await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop", slug: "shop" });
    status_page_id = String(made.id);
  });

  const openIncident = (title: string) => dashboard.call("POST", `${V1}/incidents`, { status_page_id, title });
  const strip = (page: Page) => page.getByRole("status").filter({ hasText: "Not connected" });
  const link = (page: Page, name: string) => page.getByRole("link", { name });
  const open = async (page: Page, path = "/app/incidents") => {
    const asked = page.waitForResponse((response) => response.request().headers()["x-live"] === "1");
    await page.goto(dashboard.service.url + path);
    await asked;
    await page.waitForLoadState("networkidle");
    await page.evaluate("window.isSame = true");
  };
  const isSameDocument = (page: Page) => page.evaluate("window.isSame === true");
  /** A connection that stands and brings nothing, as after its other end vanished. */
  const killConnection = (page: Page) => page.routeWebSocket(/\/app\/live/, () => undefined);

  it("a server that answers with errors for a while", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      let isDown = false;
      let refused = 0;
      const cuts: (() => Promise<void>)[] = [];
      await page.routeWebSocket(/\/app\/live/, async (route) => {
        if (isDown) return route.close({ code: 1011 });
        const server = route.connectToServer();
        cuts.push(async () => {
          await server.close();
          await route.close({ code: 1011 });
        });
      });
      await page.route(/\/app\/(changes|incidents)$/, (route) => {
        if (!isDown) return route.continue();
        refused += 1;
        return route.fulfill({ status: 503, body: "" });
      });
      await open(page);
      isDown = true;
      for (const cut of cuts) await cut();
      await openIncident("Opened while nothing answered");
      await strip(page).waitFor();
      await expect.poll(() => refused, { timeout: 20_000 }).toBeGreaterThan(4);
      expect(await link(page, "Opened while nothing answered").count()).toBe(0);
      expect(await strip(page).count()).toBe(1);
      isDown = false;
      await link(page, "Opened while nothing answered").waitFor(SOON);
      await strip(page).waitFor({ state: "detached", ...SOON });
      expect(await isSameDocument(page)).toBe(true);
    });
  });

  it("a connection that died unnoticed", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.clock.install();
      await killConnection(page);
      await open(page);
      await openIncident("Announced to nobody");
      await page.clock.runFor(20_000);
      await link(page, "Announced to nobody").waitFor(SOON);
    });
  });

  /** Answers nothing that the view asks for until it is released. */
  const holdAnswers = async (page: Page) => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((done) => (release = done));
    let isHeld = false;
    await page.route(/\/app\/(changes|incidents)$/, async (route) => {
      isHeld = true;
      await released;
      await route.continue();
    });
    return { release, asked: () => expect.poll(() => isHeld, SOON).toBe(true) };
  };

  it("a request that hangs, and the end of its patience with it", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.clock.install();
      await page.addInitScript(`AbortSignal.timeout = (ms) => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), ms);
        return controller.signal;
      }`);
      await killConnection(page);
      await open(page);
      const { asked, release } = await holdAnswers(page);
      await page.clock.runFor(20_000);
      await asked();
      await page.clock.runFor(6000);
      await strip(page).waitFor(SOON);
      for (let second = 0; second < 10; second += 1) {
        await page.clock.runFor(1000);
        expect(await strip(page).count(), `${second} s later`).toBe(1);
      }
      release();
      await page.clock.runFor(2000);
      await strip(page).waitFor({ state: "detached", ...SOON });
    });
  });

  it("the sleep of its machine", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.clock.install();
      await killConnection(page);
      await open(page);
      await openIncident("Opened at night");
      const { release } = await holdAnswers(page);
      await page.clock.fastForward("08:00:00");
      await strip(page).waitFor(SOON);
      expect(await link(page, "Opened at night").count()).toBe(0);
      release();
      await page.clock.runFor(1000);
      await link(page, "Opened at night").waitFor(SOON);
      await strip(page).waitFor({ state: "detached", ...SOON });
    });
  });

  it("a deployment, which loads it anew unless somebody is typing", async () => {
    const { id } = await openIncident("Here across a deployment");
    await dashboard.visit(DESKTOP, async (page) => {
      let isDeployed = false;
      await page.route(`**/app/incidents/${id}`, async (route) => {
        if (!isDeployed || route.request().headers()["x-live"] === undefined) return route.continue();
        const response = await route.fetch();
        const body = (await response.text()).replace(/app-[\da-f]+\.js/, "app-0123456789abcdef.js");
        await route.fulfill({ response, body });
      });
      const post = (message: string) =>
        dashboard.call("POST", `${V1}/incidents/${id}/updates`, { status: "investigating", message });
      await open(page, `/app/incidents/${id}`);
      isDeployed = true;
      await page.getByLabel("Message").fill("We are");
      await post("Seen beside what is typed");
      await page.getByText("Seen beside what is typed").first().waitFor();
      expect([await isSameDocument(page), await page.getByLabel("Message").inputValue()]).toEqual([true, "We are"]);
      await page.getByLabel("Message").fill("");
      await page.getByLabel("Message").blur();
      await post("Seen after it");
      await expect.poll(() => isSameDocument(page)).toBe(false);
      await page.getByText("Seen after it").first().waitFor();
      // Two releases may answer in turn for a while.
      await page.evaluate("window.isSame = true");
      await post("Seen in the meantime");
      await page.getByText("Seen in the meantime").first().waitFor();
      expect(await isSameDocument(page)).toBe(true);
      // After that, what still differs is of a release that stays.
      await page.evaluate("{ const now = Date.now; Date.now = () => now() + 11 * 60_000; }");
      await post("Seen for good");
      await expect.poll(() => isSameDocument(page)).toBe(false);
    });
  });
});
