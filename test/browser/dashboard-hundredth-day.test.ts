import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP, isWiderThanWindow, PHONE } from "./chromium.ts";
import { openActions, useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const MONITORS = 300;
const AT_ONCE = 20;

/** A person who has used the dashboard for months, in a night and the morning after it. */
describe.skipIf(!existsSync(CHROMIUM))("the hundredth day", () => {
  const dashboard = useDashboard();
  let incident: string;
  let monitor: string;
  beforeAll(async () => {
    const { id: status_page_id } = await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop", slug: "shop" });
    const ids: string[] = [];
    for (let n = 0; n < MONITORS; n += AT_ONCE) {
      const names = Array.from({ length: AT_ONCE }, (_, place) => `Service ${n + place}`);
      const made = names.map((name) =>
        dashboard.call("POST", `${V1}/monitors`, { name, type: "heartbeat", status_page_id }),
      );
      ids.push(...(await Promise.all(made)).map(({ id }) => String(id)));
    }
    monitor = ids[7] ?? "";
    const fields = { status_page_id, title: "Service 7 is down", monitor_ids: [monitor] };
    incident = String((await dashboard.call("POST", `${V1}/incidents`, fields)).id);
  }, 300_000);

  const press = async (page: Page, name: string) => {
    await page.waitForLoadState();
    await page.getByRole("button", { name, exact: true }).first().click();
  };

  it("begins at night by the link of an alert, and ends in a few taps on a phone", async () => {
    await dashboard.visit({ ...PHONE }, async (page) => {
      // The link is the first tap.
      await page.goto(`${dashboard.service.url}/app/incidents/${incident}`);
      await press(page, "Acknowledge");
      await page.getByText("The incident is acknowledged.").waitFor();
      await page.getByLabel("Message").fill("We are looking into it.");
      await press(page, "Post update");
      await press(page, "Post now");
      await page.getByText("The update is posted.").waitFor();
      await page.getByRole("link", { name: "Edit", exact: true }).first().click();
      await page.getByLabel("Assigned to").selectOption({ index: 1 });
      await press(page, "Save");
      await page.getByText("Assigned to").first().waitFor();
      expect(await isWiderThanWindow(page)).toBe(false);

      await page.goto(`${dashboard.service.url}/app/monitors/${monitor}`);
      await page.waitForLoadState();
      await openActions(page);
      await press(page, "Mute for 4 hours");
      await page.getByText("Alerts are muted until").waitFor();
      await page.goto(`${dashboard.service.url}/app/incidents/${incident}`);
      await press(page, "Resolve");
      await page.getByRole("link", { name: "Write a postmortem" }).waitFor();
    });
    expect(await dashboard.call("GET", `${V1}/incidents/${incident}`)).toMatchObject({
      status: "resolved",
      acknowledged_at: expect.any(String),
      assigned_to_id: expect.any(String),
    });
  });

  it("goes on in the morning: a list that is filtered and kept, many at once and back, and what happened", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      const names = () => page.locator("li.monitor:visible .what > a").allTextContents();
      await page.goto(`${dashboard.service.url}/app`);
      await page.keyboard.press("g");
      await page.keyboard.press("m");
      await page.waitForURL(/\/app\/monitors$/);
      await page.waitForLoadState("networkidle");
      await page.keyboard.press("/");
      await page.keyboard.type("service 29");
      await page.waitForURL(/\?q=service\+29$/);
      expect(await names()).toHaveLength(11);
      await page.getByText("Save this view").click();
      await page.locator("#view-name").fill("The twenty-nines");
      await press(page, "Save");
      await page.getByText(/The twenty-nines is saved/).waitFor();
      await page.waitForLoadState();
      expect(await page.getByRole("link", { name: "The twenty-nines" }).getAttribute("aria-current")).toBe("page");

      for (const name of ["Service 290", "Service 291"])
        await page.getByLabel(`Select ${name}`, { exact: true }).check();
      await press(page, "Pause");
      await page.getByText("2 monitors paused.").waitFor();
      await press(page, "Undo");
      await page.getByText("2 monitors resumed.").waitFor();
      expect(new URL(page.url()).search).toBe("?q=service+29");

      await page.waitForLoadState();
      await page
        .getByRole("link", { name: /^Notifications/ })
        .first()
        .click();
      await page.getByRole("dialog", { name: "Notifications" }).getByRole("button", { name: "Close" }).click();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Command" }).fill("service 7 is");
      await page.getByRole("option", { name: /Service 7 is down/ }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Service 7 is down" }).waitFor();
      await page.goto(`${dashboard.service.url}/app/monitors/${monitor}`);
      await page.getByRole("heading", { name: "Activity", exact: true }).waitFor();
    });
  });
});
