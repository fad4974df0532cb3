import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

/** More than any view of the first minutes has controls. */
const TABS_MAX = 150;

type Role = "textbox" | "button" | "link";

describe.skipIf(!existsSync(CHROMIUM))("with the keyboard alone", () => {
  const dashboard = useDashboard();

  /** By Tab, as far as it takes, to the control of this role and name. */
  const reach = async (page: Page, role: Role, name: string) => {
    await page.waitForLoadState();
    const control = page.getByRole(role, { name, exact: true }).first();
    await control.waitFor();
    for (let n = 0; n < TABS_MAX; n++) {
      if (await control.evaluate((element) => element.matches(":focus"))) return;
      await page.keyboard.press("Tab");
    }
    expect.fail(`Tab does not lead to the ${role} ${name}`);
  };

  it("a newcomer watches a site, and then a job", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app`);
      await reach(page, "textbox", "What should we watch?");
      await page.keyboard.type(dashboard.siteUrl);
      await page.keyboard.press("Enter");
      await page
        .getByText(/Up.* ms/)
        .first()
        .waitFor();
      await reach(page, "button", "Start watching");
      await page.keyboard.press("Enter");
      await page.getByText("1 monitor added.").waitFor();

      await page.goto(`${dashboard.service.url}/app/monitors/new?type=heartbeat`);
      await reach(page, "textbox", "Name");
      await page.keyboard.type("Nightly backup");
      await reach(page, "button", "Save");
      await page.keyboard.press("Enter");
      await page
        .getByText(/curl .*\/(heartbeat|ping|push)/)
        .first()
        .waitFor();
    });
  });
});
