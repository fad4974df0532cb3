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

  it("asks one small question while nothing happens, and for no document", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/incidents`);
      // The first answer may name what happened after the document was made.
      await page.waitForResponse((response) => response.url().endsWith("/app/changes"));
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      for (const _ of [1, 2, 3]) {
        await page.waitForResponse((response) => response.url().endsWith("/app/changes"));
      }
      expect(asked.filter((path) => path !== "/app/changes").length).toBeLessThanOrEqual(1);
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
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.waitForLoadState("networkidle");
      expect(asked.filter((path) => path.startsWith("/app") && path !== "/app/changes")).toEqual(["/app/monitors"]);
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
