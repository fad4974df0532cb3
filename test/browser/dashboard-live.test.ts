import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP, findBarriers, isWiderThanWindow, PHONE } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";

/** Documents that stay open for hours, as on a wall or through a night. */
describe.skipIf(!existsSync(CHROMIUM))("an open view", () => {
  const dashboard = useDashboard();
  let monitors: string[];
  beforeAll(async () => {
    const names = ["Checkout", "Billing", "Search"];
    const made = names.map((name) => dashboard.call("POST", `${V1}/monitors`, { name, type: "heartbeat" }));
    monitors = (await Promise.all(made)).map(({ id }) => String(id));
    await Promise.all(monitors.map((id) => dashboard.call("POST", `${V1}/monitors/${id}/pause`)));
  });

  /** Marks the elements that are shown, to see which of them stay. */
  const mark = (page: Page, selector: string) =>
    page.locator(selector).evaluateAll((elements) => {
      for (const element of elements) element.setAttribute("data-marked", "");
    });

  it.each([
    ["a desktop", DESKTOP],
    ["a phone", PHONE],
  ])("says since when it is old once the server does not answer, on %s", async (_name, options) => {
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.context().setOffline(true);
      const strip = page.getByRole("status").filter({ hasText: "Not connected" });
      await strip.getByText(/What you see is from \d\d:\d\d:\d\d\. Trying again\./).waitFor();
      const barriers = (await findBarriers(page, "cut")).filter((barrier) => barrier.includes("#connection"));
      expect([barriers, await isWiderThanWindow(page)]).toEqual([[], false]);
      await page.context().setOffline(false);
      await strip.waitFor({ state: "detached" });
    });
  });

  /** An open view once its connection stands and it has asked what it missed until then. */
  const openLive = async (page: Page, path: string) => {
    const connected = page.waitForEvent("websocket", (socket) => new URL(socket.url()).pathname === "/app/live");
    const asked = page.waitForResponse((response) => response.request().headers()["x-live"] === "1");
    await page.goto(dashboard.service.url + path);
    await Promise.all([connected, asked]);
    await page.waitForLoadState("networkidle");
  };

  const listRequests = (page: Page) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    return asked;
  };

  const pageOf = async (slug: string) =>
    String((await dashboard.call("POST", `${V1}/status-pages`, { name: slug, slug })).id);

  it("asks nothing while nothing happens, and at once when something does", async () => {
    const status_page_id = await pageOf("told");
    await dashboard.visit(DESKTOP, async (page) => {
      await page.clock.install();
      await openLive(page, "/app/incidents");
      const asked = listRequests(page);
      await page.clock.runFor(12_000);
      expect(asked).toEqual([]);
      await dashboard.call("POST", `${V1}/incidents`, { status_page_id, title: "Cards are refused" });
      await page.getByRole("link", { name: "Cards are refused" }).waitFor({ timeout: 5000 });
      expect(asked).toEqual(["/app/changes", "/app/incidents"]);
    });
  });

  it("asks for a view of figures alone, four times a minute, while somebody looks at it", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.clock.install();
      await openLive(page, "/app/monitors");
      const asked = listRequests(page);
      for (let turn = 1; turn <= 3; turn += 1) {
        await page.clock.runFor(15_000);
        await page.waitForLoadState("networkidle");
        await expect.poll(() => asked.length).toBe(turn);
      }
      expect(new Set(asked)).toEqual(new Set(["/app/monitors"]));
    });
  });

  it("leaves the focus and what is selected where a change is announced", async () => {
    const status_page_id = await pageOf("kept");
    const first = await dashboard.call("POST", `${V1}/incidents`, { status_page_id, title: "Was here before" });
    await dashboard.visit(DESKTOP, async (page) => {
      await openLive(page, "/app/incidents");
      await page.getByRole("link", { name: "Was here before" }).focus();
      await page.evaluate('getSelection().selectAllChildren(document.querySelector("h1"))');
      await dashboard.call("POST", `${V1}/incidents`, { status_page_id, title: "Comes now" });
      await page.getByRole("link", { name: "Comes now" }).waitFor({ timeout: 5000 });
      expect(await page.locator(":focus").getAttribute("href")).toBe(`/app/incidents/${first.id}`);
      expect(await page.evaluate("String(getSelection())")).toBe("Incidents");
    });
  });

  it("asks every few seconds where the connection is refused, and says nothing of it", async () => {
    const status_page_id = await pageOf("refused");
    await dashboard.visit(DESKTOP, async (page) => {
      // An address that answers, but not by a connection.
      await page.addInitScript(
        'WebSocket = class extends WebSocket { constructor(address) { super(new URL("/app/changes", address)); } };',
      );
      await page.clock.install();
      await page.goto(`${dashboard.service.url}/app/incidents`);
      await page.waitForResponse((response) => response.request().headers()["x-live"] === "1");
      await page.waitForLoadState("networkidle");
      const asked = listRequests(page);
      await dashboard.call("POST", `${V1}/incidents`, { status_page_id, title: "Seen a little later" });
      expect(asked).toEqual([]);
      await page.clock.runFor(10_000);
      await page.getByRole("link", { name: "Seen a little later" }).waitFor();
      expect(asked.filter((path) => path === "/app/changes").length).toBeLessThanOrEqual(2);
      expect(await page.getByText("Not connected").count()).toBe(0);
    });
  });

  it("connects again after its connection broke off, and shows what happened meanwhile", async () => {
    const status_page_id = await pageOf("again");
    await dashboard.visit(DESKTOP, async (page) => {
      const cuts: (() => Promise<void>)[] = [];
      await page.routeWebSocket(/\/app\/live/, (route) => {
        const server = route.connectToServer();
        cuts.push(async () => {
          await server.close();
          await route.close({ code: 1011 });
        });
      });
      await page.goto(`${dashboard.service.url}/app/incidents`);
      await page.waitForResponse((response) => response.request().headers()["x-live"] === "1");
      await cuts[0]?.();
      await dashboard.call("POST", `${V1}/incidents`, { status_page_id, title: "Happened meanwhile" });
      await page.getByRole("link", { name: "Happened meanwhile" }).waitFor({ timeout: 8000 });
      await expect.poll(() => cuts.length, { timeout: 10_000 }).toBeGreaterThan(1);
      await dashboard.call("POST", `${V1}/incidents`, { status_page_id, title: "Told again" });
      await page.getByRole("link", { name: "Told again" }).waitFor({ timeout: 8000 });
      expect(await page.getByText("Not connected").count()).toBe(0);
    });
  });

  it("replaces the row that changes, and leaves the others, the focus and the ticks", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.getByLabel("Select Billing").check();
      await page.getByRole("link", { name: "Checkout" }).focus();
      await mark(page, "#monitors, #monitors > ul, li.monitor");
      await dashboard.call("PUT", `${V1}/monitors/${monitors[0]}`, { tags: ["slow"] });
      await page.getByRole("link", { name: "slow" }).waitFor();
      expect(await page.locator("[data-marked]").count()).toBe(4);
      expect(await page.locator(`#monitor-${monitors[0]}[data-marked]`).count()).toBe(0);
      expect(await page.locator(":focus").textContent()).toBe("Checkout");
      expect(await page.getByLabel("Select Billing").isChecked()).toBe(true);

      const { id } = await dashboard.call("POST", `${V1}/monitors`, { name: "Newest", type: "heartbeat" });
      await page.getByRole("link", { name: "Newest" }).waitFor();
      expect(await page.locator("li.monitor[data-marked]").count()).toBe(2);
      expect(await page.getByLabel("Select Billing").isChecked()).toBe(true);
      await dashboard.call("DELETE", `${V1}/monitors/${id}`);
      await page.getByRole("link", { name: "Newest" }).waitFor({ state: "detached" });
    });
  });

  it("follows the status of the services of a page, and leaves what is typed beside it", async () => {
    const { id } = await dashboard.call("POST", `${V1}/status-pages`, { name: "Followed", slug: "followed" });
    const job = { name: "Exports", type: "heartbeat", status_page_id: id };
    const service = await dashboard.call("POST", `${V1}/monitors`, job);
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/pages/${id}/services`);
      await page.getByLabel("New group", { exact: true }).fill("Half a na");
      await dashboard.call("POST", `${V1}/monitors/${service.id}/pause`);
      await page.getByRole("row", { name: "Exports" }).getByText("Paused").waitFor();
      expect(await page.getByLabel("New group", { exact: true }).inputValue()).toBe("Half a na");
    });
    await dashboard.call("DELETE", `${V1}/monitors/${service.id}`);
  });

  it("has the latencies of a list in its rows, without a request for them", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      const asked = listRequests(page);
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.waitForLoadState("networkidle");
      const known = ["/app/monitors", "/app/changes", "/app/live"];
      expect(asked.filter((path) => path.startsWith("/app") && !known.includes(path))).toEqual([]);
      expect(await page.locator("svg.sparkline").count()).toBe(monitors.length);
    });
  });

  it("finds what is in trouble before what is well, and says how much more there is", async () => {
    await Promise.all(
      Array.from({ length: 9 }, (_each, n) =>
        dashboard.call("POST", `${V1}/monitors`, { name: `Shop ${n}`, type: "heartbeat" }),
      ),
    );
    const { id } = await dashboard.call("POST", `${V1}/monitors`, { name: "Shop Z", type: "heartbeat" });
    const page = await dashboard.call("POST", `${V1}/status-pages`, { name: "Found", slug: "found" });
    for (const status of ["resolved", "identified"]) {
      const incident = { status_page_id: page.id, title: `Shop is slow, ${status}`, status };
      await dashboard.call("POST", `${V1}/incidents`, incident);
    }
    await dashboard.service.execute([
      { sql: "UPDATE monitors SET status = 'down' WHERE id = ?", params: [String(id)] },
    ]);
    await dashboard.visit(DESKTOP, async (browser) => {
      await browser.goto(`${dashboard.service.url}/app`);
      await browser.keyboard.press("Control+k");
      await browser.getByRole("combobox", { name: "Command" }).fill("shop");
      await browser.getByRole("option", { name: /^2 more/ }).waitFor();
      const names = await browser.getByRole("option").locator("span:first-child").allTextContents();
      expect([names.slice(0, 2), names.at(-2), names.at(-1)]).toEqual([
        ["Shop is slow, identified", "Shop Z"],
        "2 more",
        "Shop is slow, resolved",
      ]);
    });
  });
});
