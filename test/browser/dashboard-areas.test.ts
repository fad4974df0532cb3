import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { START_TIMEOUT_MS } from "../process/support.ts";
import {
  CHROMIUM,
  type Dashboard,
  DESKTOP,
  findBarriers,
  isWiderThanWindow,
  PHONE,
  startDashboard,
} from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const CORE = "/api/core/v1";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What a team sets up: pages, channels, rules, on-call, agents, members, the account. */
describe.skipIf(!existsSync(CHROMIUM))("the areas of the dashboard", () => {
  let dashboard: Dashboard;
  let pageId: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    pageId = String((await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop", slug: "shop" })).id);
    for (const name of ["Checkout", "Search"]) {
      const monitor = { name, type: "heartbeat", expected_interval: 86_400, status_page_id: pageId };
      await dashboard.call("POST", `${V1}/monitors`, monitor);
    }
  }, START_TIMEOUT_MS);
  afterAll(() => dashboard?.stop());

  it.each([
    ["a desktop", DESKTOP],
    ["a phone without scripts", { ...PHONE, javaScriptEnabled: false }],
  ])("creates a status page, groups and orders its services on %s", async (name, options) => {
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
      const shown = page.frameLocator('iframe[title="The page as readers will see it"]:not(.is-loading)');
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

  it("chooses what the team is notified of, and what a person wants of it", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/pages/${pageId}/notifications`);
      await page.getByLabel("A monitor is degraded").check();
      await page.getByLabel("Maintenance starts or ends").uncheck();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      expect(await page.getByLabel("A monitor is degraded").isChecked()).toBe(true);
      expect(await page.getByLabel("Maintenance starts or ends").isChecked()).toBe(false);
      await page.goto(`${dashboard.service.url}/app/account/notifications`);
      await page.getByLabel("By mail").uncheck();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
    });
    expect(await dashboard.call("GET", `${CORE}/user/preferences`)).toMatchObject({ mail: false, in_app: true });
  });

  it("adds a channel, sends a test, shows its deliveries and turns it off", async () => {
    await dashboard.visit(PHONE, async (page) => {
      await page.goto(`${dashboard.service.url}/app/alerts`);
      await page.getByRole("link", { name: "Add channel" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Ops");
      await page.getByLabel("Provider").selectOption("generic");
      await page.getByLabel("URL", { exact: true }).fill("http://127.0.0.1:9/hook");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The channel is added.").waitFor();
      await page.getByRole("button", { name: "Send test" }).click();
      await page.getByText("The test failed:").waitFor();
      await page.getByRole("link", { name: "Deliveries" }).first().click();
      await page.getByLabel("Channel").waitFor();
      await page.goto(`${dashboard.service.url}/app/alerts`);
      await page.getByRole("button", { name: "Turn off" }).click();
      await page.getByText("Ops is off.").waitFor();
    });
  });

  it("invites a member and takes the invitation back", async () => {
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/team?page=${pageId}`);
      await page.getByRole("link", { name: "Invite member" }).click();
      await page.getByLabel("E-mail").fill("dora@example.com");
      await page.getByLabel("Role").selectOption("viewer");
      await page.getByRole("button", { name: "Invite member" }).click();
      await page.getByRole("heading", { name: "Invitation sent" }).waitFor();
      await page.getByRole("link", { name: "To the team" }).click();
      await page.getByRole("link", { name: "Revoke" }).click();
      await page.getByLabel("exact name").fill("dora@example.com");
      await page.getByRole("button", { name: "Revoke" }).click();
      await page.getByText("dora@example.com is no longer invited.").waitFor();
    });
  });

  it("plans who is on call and in which order people are notified", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/on-call?page=${pageId}`);
      await page.getByRole("link", { name: "New schedule" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Primary");
      await page.getByLabel("Owner").check();
      await page.getByLabel("The first turn starts").fill("2026-01-01T09:00");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "Primary" }).waitFor();
      await page.getByRole("link", { name: "New escalation policy" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Nights");
      await page.getByRole("group", { name: "Step 1" }).getByLabel("Schedule Primary").check();
      await page.getByRole("group", { name: "Step 2" }).getByLabel("Owner").check();
      await page.getByLabel("Minutes before step 2").fill("10");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "Nights" }).waitFor();
      expect(await page.locator(".timeline").textContent()).toMatch(/At once.*schedule Primary.*After 10 min.*Owner/s);
      expect(await page.locator("#on-call-now").textContent()).toContain("Owner");
    });
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

  it("writes a rule, replays the past through it, changes it and restores its first version", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/rules?page=${pageId}`);
      await page.getByRole("link", { name: "New rule" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Slow at night");
      await page.getByRole("link", { name: "Edit conditions and actions as JSON" }).click();
      await page.getByLabel("Conditions").fill("[{]");
      await page.getByRole("button", { name: "Save" }).click();
      expect(await page.getByLabel("Conditions").getAttribute("aria-invalid")).toBe("true");
      await page.getByRole("link", { name: "Edit in fields" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Slow at night");
      await page.getByLabel("Event").fill("monitor.down");
      const condition = page.getByRole("group", { name: "Condition 1" });
      await condition.getByLabel("Metric").fill("latency_ms");
      await condition.getByLabel("Value").fill("500");
      await page.getByRole("button", { name: "Show current values" }).click();
      await page.getByText("latency_ms is not measured").waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "Slow at night" }).waitFor();
      await page.getByRole("button", { name: "Backtest" }).click();
      await page.getByText("it would have fired").waitFor();
      await page.locator(".u-wrap canvas").waitFor({ state: "attached" });
      await page.getByRole("link", { name: "Rules" }).first().click();
      await page.getByRole("link", { name: "Edit" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Slow at day");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("link", { name: "Edit" }).click();
      await page.getByRole("button", { name: "Restore" }).first().click();
      await page.getByText("Version 1 is restored.").waitFor();
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Slow at night");
    });
  });

  it("makes an install command for an agent", async () => {
    await dashboard.visit(PHONE, async (page) => {
      await page.goto(`${dashboard.service.url}/app/agents`);
      await page.getByRole("button", { name: "Install an agent" }).click();
      await page.getByText("Install command").waitFor();
      expect(await page.locator("pre").textContent()).toContain(dashboard.service.url);
    });
  });

  it("creates an API token that works, shows it once and deletes it", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/account`);
      await page.getByRole("link", { name: "Create API token" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Pipeline");
      await page.getByRole("button", { name: "Create API token" }).click();
      const token = (await page.locator("pre").textContent())?.trim() ?? "";
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${dashboard.service.url}${CORE}/auth/me`, { headers })).status).toBe(200);
      await page.getByRole("link", { name: "Done" }).click();
      expect(await page.content()).not.toContain(token);
      const row = page.getByRole("row").filter({ hasText: "Pipeline" });
      await row.getByRole("link", { name: "Delete" }).click();
      await page.getByLabel("exact name").fill("Pipeline");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("Pipeline is deleted.").waitFor();
      expect((await fetch(`${dashboard.service.url}${CORE}/auth/me`, { headers })).status).toBe(401);
    });
  });

  it("shows in the audit log who changed what", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/audit`);
      await page.getByLabel("Status page").selectOption("Shop");
      await page.getByLabel("Event").fill("group.created");
      await page.getByRole("button", { name: "Show" }).click();
      const events = await page.locator("tbody code").allTextContents();
      expect(events.length).toBeGreaterThan(0);
      expect(new Set(events)).toEqual(new Set(["group.created"]));
    });
  });
});
