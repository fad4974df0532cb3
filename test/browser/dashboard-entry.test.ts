import { existsSync } from "node:fs";
import { describe, expect } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";
import { story } from "./story.ts";

/** What people enter, as they have it at hand; run in every browser. */
describe.skipIf(!existsSync(CHROMIUM))("entering things in the dashboard", () => {
  const dashboard = useDashboard({ isFurnished: true });

  story(dashboard, "takes an address as it was pasted, whatever the type says", async ({ page, open, press, sees }) => {
    await open("/app/monitors/new");
    await page.getByLabel("Target", { exact: true }).fill("http://pasted.example/shop");
    await press("Save");
    await sees("pasted.example is created and checked at once.");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("pasted.example");
  });

  story(dashboard, "plans a job by the clock and says when it is due", async ({ page, open, press, sees, name }) => {
    await open("/app/monitors/new?type=heartbeat");
    await page.getByLabel("Name", { exact: true }).fill(`Backup on ${name}`);
    await page.getByLabel("Runs", { exact: true }).selectOption("Every Monday at");
    await page.getByLabel("At", { exact: true }).fill("03:15");
    await page.getByLabel("Time zone", { exact: true }).fill("Europe/Berlin");
    await press("Save");
    await sees("after its first heartbeat, the next ones are due on");
    await page.getByText(/03:15; .*03:15; .*03:15 \(Europe\/Berlin\)/).waitFor();
    expect(await page.getByRole("button", { name: "Test now" }).count()).toBe(0);
  });

  story(dashboard, "asks of a job what its rhythm needs, and nothing else", async (teller) => {
    const { page, open, press, sees, name, hasScripts } = teller;
    const choose = async (rhythm: string) => {
      await page.getByLabel("Runs", { exact: true }).selectOption(rhythm);
      if (!hasScripts) await press("Show the fields that apply");
    };
    const asked = async () => {
      const found: string[] = [];
      for (const label of ["At", "Interval", "Cron schedule", "Time zone"])
        if (await page.getByLabel(label, { exact: true }).isVisible()) found.push(label);
      return found;
    };
    await open("/app/monitors/new?type=heartbeat");
    expect(await asked()).toEqual(["At", "Time zone"]);
    await choose("At a fixed interval");
    expect(await asked()).toEqual(["Interval"]);
    await choose("By a cron schedule");
    expect(await asked()).toEqual(["Cron schedule", "Time zone"]);
    await page.getByLabel("Name", { exact: true }).fill(`Report on ${name}`);
    await page.getByLabel("Cron schedule", { exact: true }).fill("*/20 * * * *");
    await press("Save");
    await sees("after its first heartbeat, the next ones are due on");
    await page.getByRole("link", { name: "Edit", exact: true }).first().click();
    expect(await asked()).toEqual(["Cron schedule", "Time zone"]);
    if (!hasScripts) return;
    await open("/app/monitors/new?type=https");
    expect(await asked()).toEqual(["Interval"]);
    await page.locator("select[name=type]").selectOption("heartbeat");
    expect(await asked()).toEqual(["At", "Time zone"]);
  });

  story(
    dashboard,
    "plans maintenance in the zone of its page, an hour from the next full one",
    async ({ page, open, press, sees, name, hasScripts }) => {
      await open(`/app/maintenance/new?status_page_id=${dashboard.example.page}`);
      const starts = page.getByLabel("Starts", { exact: true });
      expect(await starts.inputValue()).toMatch(/T\d\d:00$/);
      await page.getByLabel("Title", { exact: true }).fill(`Disks on ${name}`);
      await starts.fill("2030-01-07T22:00");
      await page.getByLabel("Ends", { exact: true }).fill("2030-01-07T21:00");
      await press("Save");
      await sees("Ends must be after Starts.");
      if (hasScripts) await page.getByRole("button", { name: "2 h", exact: true }).click();
      else await page.getByLabel("Ends", { exact: true }).fill("2030-01-08T00:00");
      expect(await page.getByLabel("Ends", { exact: true }).inputValue()).toBe("2030-01-08T00:00");
      await press("Save");
      await sees("The maintenance is scheduled.");
    },
  );

  story(dashboard, "puts monitors that exist on a page", async ({ page, open, press, sees, name }) => {
    await open("/app/pages/new");
    await page.getByLabel("Name", { exact: true }).fill(`Läden on ${name}`);
    await press("Save");
    await sees("is online.");
    await page.getByRole("link", { name: "Services" }).click();
    await page.getByRole("link", { name: "Add existing monitors" }).click();
    await page.getByRole("group", { name: "Monitors" }).getByRole("checkbox").first().check();
    await press("Add");
    await sees("1 monitor added.");
  });
});
