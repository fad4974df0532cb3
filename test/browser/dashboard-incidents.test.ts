import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { BROWSERS, CHROMIUM, DESKTOP, isWiderThanWindow, PHONE } from "./chromium.ts";
import { openActions, useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const HOSTILE = `<img src=x onerror="document.title='owned'"> & "quotes"`;

/** What a team does when something breaks, and when it plans to break something. */
describe.skipIf(!existsSync(CHROMIUM))("incidents and maintenance in the dashboard", () => {
  const dashboard = useDashboard();
  let pageId: string;
  beforeAll(async () => {
    const page = await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop", slug: "shop" });
    pageId = String(page.id);
    const monitor = { name: "Checkout", type: "heartbeat", expected_interval: 86_400, status_page_id: pageId };
    await dashboard.call("POST", `${V1}/monitors`, monitor);
  });

  it.each(BROWSERS)("opens, updates, publishes and resolves an incident on %s", async (name, options) => {
    await dashboard.visit(options, async (page) => {
      const title = `Payments fail on ${name} ${HOSTILE}`;
      await page.goto(`${dashboard.service.url}/app/incidents`);
      await page.getByRole("link", { name: "New incident" }).click();
      await page.getByLabel("Title", { exact: true }).fill(title);
      await page.getByLabel("Message").fill("We are *looking* into it.");
      await page.getByLabel("Severity").selectOption("major");
      await page.getByLabel("Checkout").check();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      expect(await page.getByRole("status").first().textContent()).toContain("The incident is open.");
      await page.locator(".timeline em", { hasText: "looking" }).waitFor();

      await page.getByLabel("Message").fill("A **fix** is on its way.");
      await page.getByRole("button", { name: "Preview" }).click();
      await page.locator(".banner strong", { hasText: "fix" }).waitFor();
      await page.getByLabel("Status", { exact: true }).selectOption("identified");
      await page.getByRole("button", { name: "Post update" }).click();
      if (!("javaScriptEnabled" in options)) await page.getByRole("button", { name: "Post now" }).click();
      await page.locator(".timeline strong", { hasText: "Identified" }).waitFor();

      await page
        .locator(".timeline")
        .getByRole("link", { name: /^Edit the update of/ })
        .first()
        .click();
      await page.getByRole("heading", { level: 1, name: `Edit an update of ${title}` }).waitFor();
      await page.getByLabel("Message").fill("A **fix** is here.");
      expect(await isWiderThanWindow(page)).toBe(false);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The update is corrected.").waitFor();
      expect(await page.locator(".timeline li").first().textContent()).toContain("A fix is here.");

      await page.getByRole("button", { name: "Acknowledge" }).click();
      await page.getByRole("button", { name: "Publish", exact: true }).click();
      await page.getByRole("button", { name: "Unpublish" }).waitFor();
      expect(await isWiderThanWindow(page)).toBe(false);
      await page.getByRole("button", { name: "Resolve" }).click();
      await page.getByRole("button", { name: "Resolve" }).waitFor({ state: "detached" });
      await page.goto(`${dashboard.service.url}/app/incidents`);
      expect(await page.getByRole("link", { name: title }).count()).toBe(0);
      await page.getByRole("link", { name: "All", exact: true }).click();
      await page.getByRole("link", { name: title }).waitFor();
      expect(await page.title()).not.toContain("owned");
    });
  });

  it("names what is wrong beside its field and keeps what was typed", async () => {
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/incidents/new`);
      await page.getByLabel("Title", { exact: true }).fill("x".repeat(500));
      await page.getByLabel("Message").fill("Kept");
      await page.getByRole("button", { name: "Save" }).click();
      const title = page.getByLabel("Title", { exact: true });
      expect(await title.getAttribute("aria-invalid")).toBe("true");
      expect(await page.locator("#title-problem").textContent()).toMatch(/^Title .*\.$/);
      expect(await title.getAttribute("aria-describedby")).toBe("title-problem");
      expect(await page.getByLabel("Message").inputValue()).toBe("Kept");
    });
  });

  it("deletes an incident only once its title was typed", async () => {
    const made = await dashboard.call("POST", `${V1}/incidents`, { title: "To go", status_page_id: pageId });
    await dashboard.visit(PHONE, async (page) => {
      await page.goto(`${dashboard.service.url}/app/incidents/${made.id}`);
      await openActions(page);
      await page.getByRole("link", { name: "Delete" }).click();
      await page.getByLabel("exact name").fill("Something else");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("That is not the name.").waitFor();
      await page.getByLabel("exact name").fill("To go");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("To go is deleted.").waitFor();
    });
  });

  it("plans recurring maintenance, shows when it takes place and cancels one occurrence", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/maintenance`);
      await page.getByRole("link", { name: "Schedule maintenance" }).click();
      await page.getByLabel("Title", { exact: true }).fill("Database upgrade");
      const start = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
      await page.getByLabel("Starts").fill(`${start}T02:00`);
      await page.getByLabel("Ends", { exact: true }).fill(`${start}T03:00`);
      await page.getByLabel("Repeats", { exact: true }).selectOption("weekly");
      await page.getByLabel("Checkout").check();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name: "Database upgrade" }).waitFor();
      const occurrences = page.getByRole("link", { name: /^Cancel the occurrence of/ });
      expect(await occurrences.count()).toBe(6);
      const first = await page.locator("#occurrences + ul time").first().getAttribute("datetime");
      await occurrences.first().click();
      await page.getByLabel("exact name").fill("Database upgrade");
      await page.getByRole("button", { name: "Cancel this occurrence" }).click();
      await page.getByText("The occurrence is cancelled.").waitFor();
      expect(await page.locator("#occurrences + ul time").first().getAttribute("datetime")).not.toBe(first);
      await page.getByLabel("Message").fill("All is prepared.");
      await page.getByRole("button", { name: "Post update" }).click();
      await page.getByRole("button", { name: "Post now" }).click();
      await page.getByText("All is prepared.").first().waitFor();

      await page.getByRole("link", { name: /^Edit the update of/ }).click();
      await page.getByRole("link", { name: "Delete update" }).click();
      await page.getByLabel("exact name").fill("Database upgrade");
      await page.getByRole("button", { name: "Delete update" }).click();
      await page.getByText("The update is deleted.").waitFor();
      expect(await page.getByText("All is prepared.").count()).toBe(0);
    });
  });
});
