import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  BROWSERS,
  CHROMIUM,
  DESKTOP,
  findBarriers,
  findBarriersInAnySize,
  isWiderThanWindow,
  PHONE,
  pauseTime,
} from "./chromium.ts";
import { openPersonMenu, useDashboard } from "./dashboard.ts";

/** The frame around every signed-in view. */
describe.skipIf(!existsSync(CHROMIUM))("the dashboard", () => {
  const dashboard = useDashboard();

  it.each(BROWSERS)("leads to every section by name on %s", async (_name, options) => {
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(`${dashboard.service.url}/app`);
      const more = page.getByRole("link", { name: "More", exact: true });
      // On a desktop notifications are behind the bell.
      const ofPhones = (await more.isVisible()) ? ["Notifications"] : [];
      if (await more.isVisible()) await more.click();
      const links = await page.getByRole("navigation").getByRole("link").allTextContents();
      expect(links.filter((text) => text !== "More").sort()).toEqual([
        "Account",
        "Agents",
        "Alerts",
        "Incidents",
        "Maintenance",
        "Monitors",
        ...ofPhones,
        "On-call",
        "Overview",
        "Rules",
        "Status pages",
        "Team",
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
      await openPersonMenu(page);
      await page.getByRole("button", { name: "Dark" }).click();
      await page.locator('html[data-theme="dark"]').waitFor();
      await page.goto(`${dashboard.service.url}/app`);
      expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
      await openPersonMenu(page);
      await page.getByRole("button", { name: "Light" }).waitFor();
    });
  });

  it("has no barrier while there is nothing to show", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      for (const view of ["", "/monitors", "/incidents", "/pages", "/alerts", "/on-call", "/notifications"]) {
        await page.goto(`${dashboard.service.url}/app${view}`);
        const name = `empty${view.replaceAll("/", "-")}`;
        expect([view, await findBarriersInAnySize(page, name)]).toEqual([view, []]);
      }
    });
  });

  it("has no barrier for a visitor who is signed out", async () => {
    const views = ["sign-in", "forgotten-password", "reset?token=gone", "accept?token=gone", "sign-in/link?token=gone"];
    await dashboard.visit({ ...DESKTOP, bypassCSP: true }, async (page) => {
      await page.context().clearCookies();
      for (const view of views) {
        await page.goto(`${dashboard.service.url}/app/${view}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        const name = `outside-${view.replaceAll(/\W/g, "-")}`;
        expect([view, await findBarriersInAnySize(page, name)]).toEqual([view, []]);
      }
    });
  });

  it("shows a change within two seconds, without a reload", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await pauseTime(page);
      await page.goto(`${dashboard.service.url}/app`);
      await page.evaluate("window.isSameDocument = true");
      await page.getByLabel("What should we watch?").waitFor();
      await dashboard.call("POST", "/api/uptime/v1/monitors", { name: "Nightly backup", type: "heartbeat" });
      await page.clock.runFor(2000);
      await page.getByText("No monitor is down").waitFor();
      expect(await page.evaluate("window.isSameDocument")).toBe(true);
    });
  });

  it("finds places, actions and monitors by Ctrl K, and lists its shortcuts by ?", async () => {
    await dashboard.call("POST", "/api/uptime/v1/monitors", { name: "<b>Needle</b>", type: "heartbeat" });
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app`);
      await page.keyboard.press("Control+k");
      const command = page.getByRole("combobox", { name: "Command" });
      await command.fill("needle");
      await page.getByRole("option", { name: /<b>Needle<\/b>/ }).waitFor();
      expect(await findBarriers(page, "palette")).toEqual([]);
      await command.press("Enter");
      await page.getByRole("heading", { level: 1, name: "<b>Needle</b>" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Command" }).fill("monitors");
      await page.keyboard.press("Escape");
      await page.getByRole("combobox", { name: "Command" }).waitFor({ state: "detached" });
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Open the command palette").waitFor();
      expect(await findBarriers(page, "shortcuts")).toEqual([]);
      await page.getByRole("button", { name: "Close" }).click();
      await page.keyboard.press("g");
      await page.keyboard.press("m");
      await page.waitForURL("**/app/monitors");
    });
  });

  it("keeps the focus within the palette, and gives it back when something beside is pressed", async () => {
    await dashboard.visit({ ...DESKTOP }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors`);
      const add = page.getByRole("link", { name: "Add monitor" }).first();
      await add.focus();
      await page.keyboard.press("Control+k");
      const command = page.getByRole("combobox", { name: "Command" });
      const focused = () =>
        page.evaluate("(({ ariaLabel, textContent }) => ariaLabel ?? textContent)(document.activeElement)");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Shift+Tab");
      await page.getByRole("listbox", { name: "Commands" }).dispatchEvent("mousedown");
      expect(await focused()).toBe("Command");
      const { width, height } = DESKTOP.viewport;
      await page.mouse.click(width - 10, height - 10);
      await command.waitFor({ state: "detached" });
      expect([page.url(), await focused()]).toEqual([`${dashboard.service.url}/app/monitors`, "Add monitor"]);
      await add.hover({ trial: true });
    });
  });

  it("finds them on a phone by its button", async () => {
    await dashboard.call("POST", "/api/uptime/v1/monitors", { name: "Haystack", type: "heartbeat" });
    await dashboard.visit({ ...PHONE }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.getByRole("link", { name: "More", exact: true }).tap();
      await page.getByRole("button", { name: "Search or jump to…" }).tap();
      const command = page.getByRole("combobox", { name: "Command" });
      await command.fill("hayst");
      const found = page.getByRole("option", { name: /Haystack/ });
      await found.waitFor();
      expect([await findBarriers(page, "palette-phone"), await isWiderThanWindow(page)]).toEqual([[], false]);
      await found.tap();
      await page.getByRole("heading", { level: 1, name: "Haystack" }).waitFor();
      await page.getByRole("link", { name: "More", exact: true }).tap();
      await page.getByRole("button", { name: "Search or jump to…" }).tap();
      await page.getByRole("option", { name: /^Alerts/ }).tap();
      await page.waitForURL("**/app/alerts");
      expect(await isWiderThanWindow(page)).toBe(false);
    });
  });

  it.each(
    BROWSERS,
  )("begins with the link that the first start prints, a password and a monitor, on %s", async (name, options) => {
    // The printed link works once; those of other people lead to the same beginning.
    const isFirst = name === "a phone without scripts";
    const link = isFirst ? printedLink() : await dashboard.linkOf(`${name.replaceAll(" ", "-")}@example.com`);
    await dashboard.visit({ ...options }, async (page) => {
      await page.context().clearCookies();
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Create your password" }).waitFor();
      expect(await isWiderThanWindow(page)).toBe(false);
      await page.getByLabel("Password").fill("short");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Password must have at least").waitFor();
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Your password is set.").waitFor();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      const field = page.getByLabel("What should we watch?");
      if ((await field.count()) === 0) await page.getByRole("link", { name: "Add monitor" }).click();
      await field.fill(dashboard.siteUrl);
      if ("javaScriptEnabled" in options) await page.getByRole("button", { name: "Check it" }).click();
      else await field.press("Enter");
      await page.getByText(/Up\s*, \d+ ms/).waitFor();
      await page.getByLabel("Name", { exact: true }).fill("First");
      expect(await isWiderThanWindow(page)).toBe(false);
      await page.getByRole("button", { name: "Start watching" }).click();
      await page.getByText("1 monitor added.").waitFor();
      await page.getByRole("heading", { level: 1, name: "First" }).waitFor();
      for (const next of ["Add a channel", "Create a status page"]) {
        expect(await page.getByRole("link", { name: next }).count()).toBe(1);
      }
    });
  });

  const printedLink = () => /http\S+\/app\/sign-in\/link\?token=\w+/.exec(dashboard.service.logs())?.[0] ?? "";
});
