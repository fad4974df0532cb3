import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { START_TIMEOUT_MS } from "../process/support.ts";
import { CHROMIUM, isWiderThanWindow, PHONE } from "./chromium.ts";
import { openActions, useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const BERLIN = { ...PHONE, colorScheme: "dark", timezoneId: "Europe/Berlin" } as const;

/** What somebody who was woken needs, on a phone. */
describe.skipIf(!existsSync(CHROMIUM))("an outage at night", () => {
  const dashboard = useDashboard();
  let monitor: string;
  let incident: string;
  beforeAll(async () => {
    const page = (await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop status", slug: "shop" })).id;
    dashboard.broken.add("/checkout");
    const fields = { name: "Checkout", type: "http", target: `${dashboard.siteUrl}/checkout`, failure_threshold: 1 };
    const on = { status_page_id: page, auto_create_incident: true };
    monitor = String((await dashboard.call("POST", `${V1}/monitors`, { ...fields, ...on })).id);
    await dashboard.call("POST", `${V1}/monitors/${monitor}/check`);
    incident = await vi.waitFor(findIncident, { timeout: START_TIMEOUT_MS, interval: 200 });
  }, START_TIMEOUT_MS);

  async function findIncident() {
    const { text } = await dashboard.open("/app/incidents");
    const [, id] = /\/app\/incidents\/([0-9a-f-]{36})/.exec(text) ?? [];
    if (id === undefined) throw new Error("no incident yet");
    return id;
  }

  it("is one touch away from its notification", async () => {
    await dashboard.visit(BERLIN, async (page) => {
      await page.goto(`${dashboard.service.url}/app/notifications`);
      await page.getByRole("link", { name: "Checkout is down" }).click();
      await page.getByRole("heading", { level: 1, name: "Checkout" }).waitFor();
      expect(await page.getByRole("link", { name: "Shop status" }).count()).toBe(1);
    });
  });

  it("shows its evidence in full, in the time of the reader, without naming one place in every row", async () => {
    await dashboard.visit(BERLIN, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors/${monitor}`);
      await page.getByText("Evidence").press("Enter");
      const evidence = page.locator("details[open] pre");
      expect(await evidence.evaluate((pre) => pre.scrollWidth <= pre.clientWidth)).toBe(true);
      expect(await isWiderThanWindow(page)).toBe(false);
      await page.getByText("Recent results").first().press("Enter");
      const results = page.getByRole("table", { name: "Recent results" });
      expect(await results.getByRole("time").first().textContent()).toMatch(/ CES?T$/);
      expect(await results.textContent()).not.toContain("default");
    });
  });

  it("says what is affected before it asks for an update", async () => {
    await dashboard.visit(BERLIN, async (page) => {
      await page.goto(`${dashboard.service.url}/app/incidents/${incident}`);
      const top = async (name: string) => (await page.getByRole("region", { name }).boundingBox())?.y ?? 0;
      expect(await top("Facts")).toBeLessThan(await top("Post an update"));
    });
  });

  it("is acknowledged, assigned and updated in two taps each", async () => {
    await dashboard.visit(BERLIN, async (page) => {
      await page.goto(`${dashboard.service.url}/app`);
      await page.getByRole("button", { name: "Acknowledge" }).click();
      await page.getByText("Acknowledged", { exact: true }).waitFor();
      await page.goto(`${dashboard.service.url}/app/incidents/${incident}`);
      await openActions(page);
      await page.getByRole("button", { name: "Assign to me" }).click();
      await page.getByText(/^The incident is assigned to /).waitFor();
      await page.getByRole("link", { name: /^Identified: / }).click();
      await page.getByRole("button", { name: "Post update" }).click();
      await page.getByRole("listitem").getByText("Identified", { exact: true }).waitFor();
      const facts = await page.getByRole("region", { name: "Facts" }).textContent();
      expect(facts).toMatch(/Assigned to/);
      expect(facts).not.toMatch(/AcknowledgedNo/);
    });
  });

  it("is followed by maintenance whose times in UTC stand there in the time of the reader, too", async () => {
    await dashboard.visit(BERLIN, async (page) => {
      await page.goto(`${dashboard.service.url}/app/maintenance/new`);
      await page.getByLabel("Starts").fill("2026-12-24T10:00");
      await page.getByText("For you 24 Dec 2026, 11:00:00 CET").waitFor();
      expect(await isWiderThanWindow(page)).toBe(false);
    });
  });
});
