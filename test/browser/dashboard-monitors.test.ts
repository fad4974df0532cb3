import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
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
import { openActions, useDashboard } from "./dashboard.ts";

/** Monitors from the first one to a list of many, as a person without a terminal does it. */
describe.skipIf(!existsSync(CHROMIUM))("monitors in the dashboard", () => {
  const dashboard = useDashboard();

  const open = (page: Page, path: string) => page.goto(dashboard.service.url + path);
  const create = async (fields: Record<string, unknown>) =>
    String((await dashboard.call("POST", "/api/uptime/v1/monitors", fields)).id);

  it.each(BROWSERS)("begin with three fields and a test, on %s", async (name, options) => {
    await dashboard.visit({ ...options }, async (page) => {
      await open(page, "/app/monitors");
      await page.getByRole("link", { name: "Add monitor" }).click();
      await page.getByLabel("Name").fill(`Shop on ${name}`);
      await page.getByLabel("Type").selectOption("http");
      await page.getByLabel("Target").fill(dashboard.siteUrl);
      await page.getByRole("button", { name: "Test now" }).click();
      await page.getByText(/Up\s*, \d+ ms/).waitFor();
      expect(await page.getByLabel("Name").inputValue()).toBe(`Shop on ${name}`);
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL(/\/app\/monitors\/[0-9a-f-]{36}$/);
      await page.getByText("is created and checked at once").waitFor();
      await page.getByRole("heading", { level: 1, name: `Shop on ${name}` }).waitFor();
    });
  });

  it.each([
    ["with scripts", true],
    ["without", false],
  ])("may be a journey, whose steps are added, tried and saved one by one, %s", async (_name, javaScriptEnabled) => {
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled }, async (page) => {
      await open(page, "/app/monitors/new");
      await page.getByLabel("Name", { exact: true }).fill("Journey");
      await page.getByLabel("Target").fill(dashboard.siteUrl);
      await page.getByText("Journey: several requests").click();
      await page.getByRole("button", { name: "Add a step" }).click();
      await page.getByLabel("Step 1 title").fill("open");
      await page.getByLabel("Step 1 address").fill("/");
      await page.getByRole("button", { name: "Add a step" }).click();
      await page.getByLabel("Step 2 title").fill("read");
      await page.getByLabel("Step 2 address").fill("/hello");
      await page.getByLabel("Step 2 expected in the answer").fill("hello");
      await page.getByRole("button", { name: "Test now" }).click();
      await page.getByText(/open: passed, 200, \d+ ms/).waitFor();
      if (javaScriptEnabled) expect(await findBarriersInAnySize(page, "journey")).toEqual([]);
      expect(await isWiderThanWindow(page)).toBe(false);
      // Enter saves: it presses no button of a step.
      await page.getByLabel("Step 1 title").press("Enter");
      await page.waitForURL(/\/app\/monitors\/[0-9a-f-]{36}$/);
      await page.getByText("is created and checked at once").waitFor();
    });
  });

  it.each([
    ["with scripts", true],
    ["without", false],
  ])("name what is wrong beside its field and keep what was typed, %s", async (_name, javaScriptEnabled) => {
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled }, async (page) => {
      await open(page, "/app/monitors/new");
      await page.getByLabel("Interval").fill("5");
      await page.getByRole("button", { name: "Save" }).click();
      const name = page.getByLabel("Name");
      await page.locator('[aria-invalid="true"]#name').waitFor();
      expect(await name.getAttribute("aria-describedby")).toBe("name-problem");
      expect(await page.locator("#name-problem").textContent()).toBe("Name is required.");
      expect(await page.locator("#interval-problem").textContent()).toBe("Interval must be at least 10.");
      expect(await page.getByLabel("Interval").inputValue()).toBe("5");
      expect(await page.title()).toMatch(/^Error: /);
      if (!javaScriptEnabled) return;
      await name.fill("Shop");
      expect(await name.getAttribute("aria-invalid")).toBe(null);
      expect(await page.locator(".problem[id]").allTextContents()).toEqual(["Interval must be at least 10."]);
    });
  });

  it.each([
    ["a desktop", DESKTOP],
    ["a phone", PHONE],
  ])("keep the buttons of their form in sight once it is changed, say what is not saved, and take it back, on %s", async (_name, options) => {
    await dashboard.visit({ ...options }, async (page) => {
      await open(page, "/app/monitors/new?type=https");
      const save = page.getByRole("button", { name: "Save", exact: true });
      await page.getByText("Advanced", { exact: true }).click();
      expect(await page.getByText(/^Not saved/).count()).toBe(0);
      await page.getByLabel("Name", { exact: true }).fill("Half done");
      await page.getByText("Not saved: Name", { exact: true }).waitFor();
      await page.evaluate("scrollTo(0, 0)");
      const { y = 0, height = 0 } = (await save.boundingBox()) ?? {};
      expect(y + height).toBeLessThanOrEqual(options.viewport.height);
      await page.getByRole("button", { name: "Discard" }).click();
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("");
      expect(await page.getByText(/^Not saved/).count()).toBe(0);
      // Nothing is lost by leaving, so nothing asks.
      await open(page, "/app/monitors");
      await page.getByRole("heading", { level: 1, name: "Monitors" }).waitFor();
    });
  });

  it("show the fields of the chosen type, and keep what was typed before", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, "/app/monitors/new");
      await page.getByLabel("Name").fill("Nightly backup");
      expect(await page.getByLabel("Cron schedule").isVisible()).toBe(false);
      await page.getByLabel("Type").selectOption("heartbeat");
      await page.getByLabel("Runs", { exact: true }).selectOption("By a cron schedule");
      await page.getByLabel("Cron schedule").fill("30 2 * * *");
      expect(await page.getByLabel("Target").isVisible()).toBe(false);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name: "Nightly backup" }).waitFor();
    });
  });

  it.each([
    ["with scripts", true],
    ["without", false],
  ])("are chosen by tiles, of which those for an agent lead to the agents while there is none, %s", async (_name, javaScriptEnabled) => {
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled }, async (page) => {
      await open(page, "/app/monitors/new");
      const tiles = page.getByRole("navigation", { name: "Kinds of monitors" });
      await tiles.getByRole("link", { name: "Heartbeat" }).click();
      await page.getByLabel("Runs", { exact: true }).waitFor();
      expect(await page.getByLabel("Type").inputValue()).toBe("heartbeat");
      expect(await tiles.locator("[aria-current]").getAttribute("data-value")).toBe("heartbeat");
      if (javaScriptEnabled) {
        await tiles.getByRole("searchbox").fill("postg");
        expect(await tiles.getByRole("link").allTextContents()).toEqual(["PostgreSQLConnects, queries"]);
        await tiles.getByRole("searchbox").press("Enter");
        expect(await page.getByLabel("Type", { exact: true }).inputValue()).toBe("postgres");
        await tiles.getByRole("searchbox").fill("");
      } else {
        // The form of the type that was chosen comes first.
        await tiles.getByText("Watch something else").click();
      }
      await tiles.getByRole("link", { name: "Docker Needs an agent" }).click();
      await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    });
  });

  it("keep their defaults when other fields are saved", async () => {
    const id = await create({ name: "Search", type: "http", target: dashboard.siteUrl, interval: 60, tags: ["a"] });
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, `/app/monitors/${id}/edit`);
      await page.getByLabel("Interval").fill("10");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
    });
    const changed = { name: "Search", interval: 10, retry_interval: 10, tags: ["a"] };
    expect(await dashboard.call("GET", `/api/uptime/v1/monitors/${id}`)).toMatchObject(changed);
  });

  it.each(
    BROWSERS,
  )("are muted for some hours and unmuted, which their view and the list show, on %s", async (name, options) => {
    const id = await create({ name: `Muted on ${name}`, type: "http", target: dashboard.siteUrl });
    const mutedUntil = async () => (await dashboard.call("GET", `/api/uptime/v1/monitors/${id}`)).muted_until;
    await dashboard.visit({ ...options }, async (page) => {
      await open(page, `/app/monitors/${id}`);
      await openActions(page);
      await page.getByRole("button", { name: "Mute for 4 hours" }).click();
      await page.getByText("Alerts are muted until").waitFor();
      expect(await isWiderThanWindow(page)).toBe(false);
      const hours = (Date.parse(String(await mutedUntil())) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(3.9);
      expect(hours).toBeLessThan(4.1);
      await open(page, `/app/monitors?q=${encodeURIComponent(`Muted on ${name}`)}`);
      await page.locator(".monitor .tag", { hasText: "Muted" }).waitFor();
      await open(page, `/app/monitors/${id}`);
      await page.getByRole("button", { name: "Unmute" }).click();
      await page.getByText("Alerts are sent again.").waitFor();
      expect(await mutedUntil()).toBe(null);
    });
  });

  it.each(BROWSERS)("are paused, resumed, tested and deleted by name, on %s", async (_name, options) => {
    const id = await create({ name: "Old <shop>", type: "http", target: dashboard.siteUrl });
    await dashboard.visit({ ...options }, async (page) => {
      await open(page, `/app/monitors/${id}`);
      await page.getByRole("button", { name: "Test now" }).click();
      await page.getByText(/Checked now: Up, \d+ ms/).waitFor();
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByText("Paused: no checks").waitFor();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText("Resumed, and checked at once.").waitFor();
      await openActions(page);
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByLabel("The monitor's exact name").fill("old");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("That is not the name.").waitFor();
      await page.getByLabel("The monitor's exact name").fill("Old <shop>");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("Old <shop> is deleted.").waitFor();
    });
  });

  it.each(BROWSERS)("are cloned with everything but their name, on %s", async (_name, options) => {
    const id = await create({
      name: "Original",
      type: "http",
      target: dashboard.siteUrl,
      expected_keywords: "hello",
      tags: ["x"],
    });
    await dashboard.visit({ ...options }, async (page) => {
      await open(page, `/app/monitors/${id}`);
      await openActions(page);
      await page.getByRole("button", { name: "Clone" }).click();
      expect(await page.getByLabel("Name").inputValue()).toBe("Original (copy)");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name: "Original (copy)" }).waitFor();
      const copy = page.url().split("/").at(-1);
      const stored = await dashboard.call("GET", `/api/uptime/v1/monitors/${copy}`);
      expect(stored).toMatchObject({ target: dashboard.siteUrl, expected_keywords: "hello", tags: ["x"] });
    });
  });

  it.each([
    ["on a desktop", DESKTOP],
    ["on a phone", PHONE],
  ])("show an outage and its end within two seconds, without a reload, %s", async (place, options) => {
    const path = `/fails-${place.replaceAll(" ", "-")}`;
    const fields = { type: "http", failure_threshold: 1, recovery_threshold: 1 };
    const id = await create({ ...fields, name: `Live ${place}`, target: dashboard.siteUrl + path });
    const check = () => dashboard.call("POST", `/api/uptime/v1/monitors/${id}/check`);
    await dashboard.visit({ ...options }, async (page) => {
      await pauseTime(page);
      await open(page, `/app/monitors/${id}`);
      await page.evaluate("window.isSameDocument = true");
      dashboard.broken.add(path);
      await check();
      await page.clock.runFor(2000);
      await page.locator("#monitor-status").getByText("Down").waitFor();
      expect(await page.evaluate("window.isSameDocument")).toBe(true);

      await open(page, "/app");
      await page.evaluate("window.isSameDocument = true");
      const needs = page.getByRole("region", { name: "Needs attention" }).getByText(`Live ${place}`);
      await needs.waitFor();
      dashboard.broken.delete(path);
      await check();
      await page.clock.runFor(2000);
      await needs.waitFor({ state: "detached" });
      expect(await page.evaluate("window.isSameDocument")).toBe(true);
      expect(await isWiderThanWindow(page)).toBe(false);
    });
  });

  it("say what they wait for until there is a line of latency to draw", async () => {
    const id = await create({ name: "Measured", type: "http", target: dashboard.siteUrl });
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, `/app/monitors/${id}?period=7d`);
      await page.getByText("The chart begins with the second measurement.").waitFor();
      expect(await page.locator("figure[data-chart]").count()).toBe(0);
    });
  });

  it("hand out lines that report a heartbeat, and show that it came", async () => {
    const id = await create({ name: "Backup", type: "heartbeat", interval: 3600 });
    await dashboard.visit(DESKTOP, async (page) => {
      await open(page, `/app/monitors/${id}`);
      const address = (await page.locator(".copy code").first().textContent()) ?? "";
      expect((await fetch(address)).status).toBe(200);
      await page.locator("#monitor-status").getByText("Up", { exact: true }).waitFor();
      for (const place of ["cron", "systemd", "GitHub Actions", "Kubernetes CronJob"]) {
        expect(await page.locator(".copy-label", { hasText: new RegExp(`^${place}`) }).count()).toBe(1);
      }
    });
  });

  it("are gone through, selected and edited by single keys", async () => {
    for (const name of ["Key one", "Key two"]) {
      await dashboard.call("POST", "/api/uptime/v1/monitors", { name, type: "heartbeat" });
    }
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors?q=Key&sort=name`);
      const focused = () => page.locator(":focus").textContent();
      await page.keyboard.press("j");
      expect(await focused()).toBe("Key one");
      await page.keyboard.press("j");
      expect(await focused()).toBe("Key two");
      await page.keyboard.press("x");
      expect(await page.getByLabel("Select Key two").isChecked()).toBe(true);
      await page.keyboard.press("k");
      expect(await focused()).toBe("Key one");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Key one" }).waitFor();
      await page.keyboard.press("e");
      await page.getByRole("heading", { level: 1, name: "Edit Key one" }).waitFor();
    });
  });

  it("are found by search, status, type and tag", async () => {
    await create({ name: "Findable mail", type: "heartbeat", tags: ["needle"] });
    await dashboard.visit({ ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      await open(page, "/app/monitors");
      await page.getByRole("searchbox", { name: "Search" }).fill("findable");
      await page.getByRole("searchbox", { name: "Search" }).press("Enter");
      await page.getByText("1 monitor", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Findable mail" }).waitFor();
      await open(page, "/app/monitors?tag=needle&type=heartbeat&status=pending");
      await page.getByText("1 monitor", { exact: true }).waitFor();
      await open(page, "/app/monitors?tag=needle&type=http");
      await page.getByText("No monitor matches.").waitFor();
    });
  });

  it.each([
    ["a desktop", DESKTOP],
    ["a phone", PHONE],
  ])("say how many are selected, and are all selected at once, on %s", async (place, options) => {
    for (const name of ["First of two", "Second of two"]) await create({ name, type: "heartbeat" });
    await dashboard.visit({ ...options }, async (page) => {
      await open(page, "/app/monitors?q=of+two");
      const shown = await page.getByRole("checkbox", { name: /of two$/ }).count();
      await page.getByLabel("Select First of two").first().check();
      await page.getByText("1 selected", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Select all shown" }).click();
      await page.getByText(`${shown} selected`, { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: "Select all shown" }).isVisible()).toBe(false);
      expect(await findBarriers(page, `selected-${place.replace(" ", "-")}`)).toEqual([]);
      expect(await isWiderThanWindow(page)).toBe(false);
    });
  });

  it("have no barrier in states that the example does not show", async () => {
    const id = await create({ name: "Looked at", type: "heartbeat", interval: 3600, tags: ["nightly"] });
    await dashboard.visit(DESKTOP, async (page) => {
      for (const path of ["/app/monitors?q=nothing-like-this", `/app/monitors/${id}`]) {
        await open(page, path);
        const name = path.replace(id, "beat").replace(/\W+/g, "-");
        expect([path, await findBarriersInAnySize(page, name)]).toEqual([path, []]);
      }
    });
  });
});
