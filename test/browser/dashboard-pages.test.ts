import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { BROWSERS, CHROMIUM, DESKTOP, findBarriers, isWiderThanWindow, PHONE } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const CORE = "/api/core/v1";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The editor of status pages, and what is dragged. */
describe.skipIf(!existsSync(CHROMIUM))("status pages in the dashboard", () => {
  const dashboard = useDashboard();
  let pageId: string;
  beforeAll(async () => {
    pageId = String((await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop", slug: "shop" })).id);
    for (const name of ["Checkout", "Search"]) {
      const monitor = { name, type: "heartbeat", expected_interval: 86_400, status_page_id: pageId };
      await dashboard.call("POST", `${V1}/monitors`, monitor);
    }
  });

  it.each(BROWSERS)("creates a status page, groups and orders its services on %s", async (name, options) => {
    const slug = name.replaceAll(" ", "-");
    await dashboard.visit(options, async (page) => {
      await page.goto(`${dashboard.service.url}/app/pages`);
      await page.getByRole("link", { name: "New status page" }).click();
      await page.getByLabel("Name", { exact: true }).fill(`Page on ${name}`);
      await page.getByLabel("Slug").fill("Not a slug");
      await page.getByRole("button", { name: "Save" }).click();
      expect(await page.getByLabel("Slug").getAttribute("aria-invalid")).toBe("true");
      await page.getByLabel("Slug").fill(slug);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("is online.").waitFor();
      await page.getByRole("link", { name: "Services", exact: true }).click();
      await page.getByLabel("New group").fill("Core");
      await page.getByRole("button", { name: "Add group" }).click();
      await page.getByText("Added.").waitFor();
      await page.getByRole("link", { name: "Rename Core" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Heart");
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByText("The group is renamed.").waitFor();
      await page.getByRole("link", { name: "Rename Heart" }).waitFor();
      expect(await isWiderThanWindow(page)).toBe(false);

      await page.goto(`${dashboard.service.url}/app/pages/${pageId}/services`);
      await page.getByLabel("New group").fill(`Group on ${name}`);
      await page.getByRole("button", { name: "Add group" }).click();
      await page.getByLabel("Group of Search").selectOption(`Group on ${name}`);
      await page.getByRole("button", { name: "Move", exact: true }).last().click();
      await page.getByText("Moved.").waitFor();
      const first = async () => (await page.locator("tbody tr th").first().textContent())?.trim();
      const before = await first();
      await page.locator("tbody").getByRole("button", { name: / up$/ }).first().click();
      await page.getByText("Moved.").waitFor();
      expect(await first()).not.toBe(before);
    });
    const shown = await fetch(`${dashboard.service.url}/status/${slug}`);
    expect([shown.status, (await shown.text()).includes(`Page on ${name}`)]).toEqual([200, true]);
  });

  it.each([
    ["while it is typed on a desktop", DESKTOP, true],
    ["while it is typed on a phone", PHONE, true],
    ["by its button on a phone without scripts", PHONE, false],
  ])("shows the page as it would look %s, and saves nothing", async (_name, options, javaScriptEnabled) => {
    await dashboard.visit({ ...options, javaScriptEnabled }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/pages/${pageId}`);
      const shown = page.frameLocator('iframe[title="The page as visitors will see it"]:not(.is-loading)');
      await shown.getByRole("heading", { level: 1, name: "Shop" }).waitFor();
      await page.getByLabel("Name", { exact: true }).fill(`Typed <b>"name"</b>`);
      await page.getByLabel("Description").fill("Now **bold**");
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Preview" }).click();
      await shown.getByRole("heading", { level: 1, name: `Typed <b>"name"</b>` }).waitFor();
      await shown.locator("strong", { hasText: "bold" }).waitFor();
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(`Typed <b>"name"</b>`);
      if (javaScriptEnabled) {
        expect(await page.evaluate("history.length")).toBe(2);
        await shown.getByRole("link", { name: "Subscribe" }).first().click();
        await shown.getByRole("heading", { level: 1, name: `Typed <b>"name"</b>` }).waitFor();
      }
      expect(await isWiderThanWindow(page)).toBe(false);
    });
    expect(await dashboard.call("GET", `${V1}/status-pages/${pageId}`)).toMatchObject({ name: "Shop" });
  });

  it("chooses what the team is notified of", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/pages/${pageId}/notifications`);
      await page.getByLabel("A monitor is degraded").check();
      await page.getByLabel("Maintenance starts or ends").uncheck();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      expect(await page.getByLabel("A monitor is degraded").isChecked()).toBe(true);
      expect(await page.getByLabel("Maintenance starts or ends").isChecked()).toBe(false);
    });
  });

  it.each(BROWSERS)("orders what can be dragged by its buttons, too, on %s", async (name, options) => {
    const { id: user_id } = await dashboard.call("GET", `${CORE}/auth/me`);
    const { id } = await dashboard.call("POST", `${V1}/status-pages`, { name, slug: `order-${name.length}` });
    const on = { status_page_id: id };
    for (const service of ["First", "Second", "Third"]) {
      await dashboard.call("POST", `${V1}/monitors`, { ...on, name: service, type: "heartbeat" });
      await dashboard.call("POST", `${V1}/groups`, { ...on, name: `${service} group` });
    }
    const path = `${V1}/status-pages/${id}/on-call/schedules`;
    const schedule = await dashboard.call("POST", path, { name: "Days", timezone: "UTC" });
    await dashboard.visit(options, async (page) => {
      // A desktop has the keyboard; a phone has fingers.
      const press = async (button: string, nth = 0) => {
        const found = page.getByRole("button", { name: button, exact: true }).nth(nth);
        if (options === DESKTOP) await found.press("Enter");
        else await found.tap();
      };
      await page.goto(`${dashboard.service.url}/app/pages/${id}/services`);
      const services = async () => (await page.locator("tbody tr th").allTextContents()).map((text) => text.trim());
      const groups = () => page.locator("li[data-drop] > span:first-child").allTextContents();
      for (const shown of [services, groups]) {
        const [first = "", second = "", third = ""] = await shown();
        await press(`Move ${third} up`);
        await expect.poll(shown, { timeout: 30_000 }).toEqual([first, third, second]);
        await press(`Move ${first} down`);
        await expect.poll(shown, { timeout: 30_000 }).toEqual([third, first, second]);
      }
      await page.goto(`${dashboard.service.url}/app/on-call/${id}/schedules/${schedule.id}/calendar`);
      await press("Override", 3);
      await page.getByText("The override is added.").waitFor();
      expect(await isWiderThanWindow(page)).toBe(false);
    });
    const { overrides } = await dashboard.call("GET", `${path}/${schedule.id}`);
    expect(overrides).toMatchObject([{ add_user_id: user_id }]);
  });

  it("drags a turn to another day, and a service to another place", async () => {
    const me = await dashboard.call("GET", `${CORE}/auth/me`);
    const at = (days: number, hour: number) => new Date(Math.ceil(Date.now() / DAY) * DAY + days * DAY + hour * HOUR);
    const shift = { user_id: me.id, start_at: at(0, 8).toISOString(), end_at: at(0, 12).toISOString() };
    const path = `${V1}/status-pages/${pageId}/on-call/schedules`;
    const schedule = await dashboard.call("POST", path, { name: "Days", timezone: "UTC", shifts: [shift] });
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/on-call/${pageId}/schedules/${schedule.id}/calendar`);
      const turn = page.locator("[data-drag]").first();
      await turn.dragTo(page.locator("[data-drop]").nth(4));
      await page.getByText("The shift is moved.").waitFor();
      expect(await findBarriers(page, "on-call-calendar")).toEqual([]);

      await page.goto(`${dashboard.service.url}/app/pages/${pageId}/services`);
      const names = async () => (await page.locator("tbody tr th").allTextContents()).map((name) => name.trim());
      const before = await names();
      await page.locator("tbody tr").last().locator("th").dragTo(page.locator("tbody tr").first().locator("th"));
      await page.getByText("Moved.").waitFor();
      expect(await names()).toEqual([before.at(-1), ...before.slice(0, -1)]);
    });
    const { shifts } = await dashboard.call("GET", `${path}/${schedule.id}`);
    expect(shifts).not.toEqual([shift]);
  });
});
