import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BROWSERS, CHROMIUM } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";
import { story } from "./story.ts";

const V1 = "/api/uptime/v1";
const DAY = 86_400_000;

/** What a team does on most days, each story with scripts on both sizes, and by its forms alone. */
describe.skipIf(!existsSync(CHROMIUM))("a day with the dashboard", () => {
  const dashboard = useDashboard({ isFurnished: true });
  const list = async (path: string) => (await dashboard.call("GET", V1 + path)) as unknown as Record<string, unknown>[];

  it("shows at once what is down, what is open, who is on call and what comes", async () => {
    for (const [, options] of BROWSERS) {
      await dashboard.visit({ ...options }, async (page) => {
        await page.goto(`${dashboard.service.url}/app`);
        const needs = page.getByRole("region", { name: "Needs attention" });
        expect(await needs.textContent()).toMatch(/Down.*Checkout API.*HTTP 503/s);
        expect(await page.getByRole("region", { name: "Open incidents" }).textContent()).toContain(
          "Payments are refused",
        );
        expect(await page.getByRole("region", { name: "On call now" }).textContent()).toMatch(/mira|You/);
        expect(await page.getByRole("region", { name: "Upcoming maintenance" }).textContent()).toContain(
          "New database",
        );
      });
    }
  });

  story(dashboard, "changes many monitors at once", async ({ page, open, press, sees, name }) => {
    const tag = `swept-${name.length}`;
    await open("/app/monitors?sort=name&type=http&q=127.0.0.1");
    for (const monitor of ["Search", "Customer accounts"]) await page.getByLabel(`Select ${monitor}`).check();
    await page.getByLabel("Add tag").fill(tag);
    await press("Add");
    await sees("2 monitors tagged.");
    await open(`/app/monitors?tag=${tag}`);
    expect(await page.getByText("2 monitors", { exact: true }).count()).toBe(1);
    for (const [button, done] of [
      ["Pause", "1 monitor paused."],
      ["Resume", "1 monitor resumed."],
    ] as const) {
      await page.getByLabel("Select Search").check();
      await press(button);
      await sees(done);
    }
    const { id } = await dashboard.call("POST", `${V1}/monitors`, { name: `Gone with ${name}`, type: "heartbeat" });
    await open("/app/monitors?q=Gone");
    await page.getByLabel("Move to").waitFor({ state: "attached" });
    await page.getByLabel(`Select Gone with ${name}`).check();
    await page.getByLabel("Move to").selectOption("Northwind Status");
    await press("Move");
    await sees("1 monitor moved.");
    expect(await dashboard.call("GET", `${V1}/monitors/${id}`)).toMatchObject({
      status_page_id: dashboard.example.page,
    });
    await page.getByLabel(`Select Gone with ${name}`).check();
    await press("Delete");
    await press("Delete");
    await sees("1 monitor deleted.");
  });

  story(
    dashboard,
    "writes an update in a few taps, from a template on to the postmortem",
    async ({ page, open, press, follow, sees, name, hasScripts }) => {
      const post = async () => {
        await press("Post update");
        if (hasScripts) await press("Post now");
      };
      await open(`/app/incidents/new?status_page_id=${dashboard.example.page}&template=${dashboard.example.template}`);
      await page.getByLabel("Title", { exact: true }).fill(`Supplier on ${name}`);
      expect(await page.getByLabel("Message").inputValue()).toContain("**We are in contact with them.**");
      await page.getByLabel("Web shop").check();
      await press("Save");
      await sees("The incident is open.");
      // One tap from the list, one for the text, and those that post it.
      await open("/app/incidents");
      await follow(`Supplier on ${name}`);
      await page.getByRole("link", { name: /^Identified: / }).click();
      await expect.poll(() => page.getByLabel("Message").inputValue()).toContain("found the cause");
      await post();
      await sees("The update is posted.");
      await follow("Edit");
      await page.getByLabel("Assigned to").selectOption("mira");
      await press("Save");
      await sees("Assigned to");
      await press("Resolve");
      await follow("Write a postmortem");
      expect(await page.getByLabel("Message").inputValue()).toContain("What happened");
      await post();
      await sees("Why it happened");
    },
  );

  story(dashboard, "plans maintenance with a look at when it recurs", async ({ page, open, press, follow, name }) => {
    await open("/app/maintenance");
    await follow("Schedule maintenance");
    await page.getByLabel("Title", { exact: true }).fill(`Upgrade on ${name}`);
    const day = new Date(Date.now() + 3 * DAY).toISOString().slice(0, 10);
    await page.getByLabel("Starts").fill(`${day}T02:00`);
    await page.getByLabel("Ends", { exact: true }).fill(`${day}T03:00`);
    await page.getByLabel("Repeats", { exact: true }).selectOption("weekly");
    await press("Preview");
    await page.locator(".banner time").nth(2).waitFor();
    await press("Save");
    await page.getByRole("heading", { level: 1, name: `Upgrade on ${name}` }).waitFor();
    await open("/app/maintenance");
    await page
      .getByRole("link", { name: `Upgrade on ${name}` })
      .first()
      .waitFor();
  });

  story(
    dashboard,
    "adds, imports, exports and removes subscribers",
    async ({ page, open, press, follow, sees, name }) => {
      const first = `first-${name.length}@reader.example`;
      await open(`/app/pages/${dashboard.example.page}/subscribers`);
      await page.getByLabel("Addresses").fill(`name;mail\nAnna;${first}\nBert;second-${name.length}@reader.example`);
      await press("Ask to confirm");
      await sees("2 addresses asked to confirm.");
      const href = await page.getByRole("link", { name: "Export as CSV" }).getAttribute("href");
      expect((await dashboard.open(String(href))).text).toContain(first);
      const before = (await list(`/subscribers?status_page_id=${dashboard.example.page}`)).length;
      await follow("Remove");
      await page.getByLabel("exact address").fill((await page.locator("strong").last().textContent()) ?? "");
      await press("Remove");
      await sees("is removed.");
      expect((await list(`/subscribers?status_page_id=${dashboard.example.page}`)).length).toBe(before - 1);
    },
  );

  story(
    dashboard,
    "gives a page a domain and reads the records that it needs",
    async ({ page, open, press, sees, name }) => {
      await open(`/app/pages/${dashboard.example.page}/domain`);
      await page.getByLabel("Host name").fill(`status-${name.length}.northwind.example`);
      await press("Save");
      await sees("Saved.");
      const records = page.getByRole("table", { name: "DNS records" });
      await records.getByText("CNAME").first().waitFor();
      await page.getByLabel("Host name").fill("");
      await press("Save");
      await records.waitFor({ state: "detached" });
    },
  );

  story(
    dashboard,
    "promises an availability, reads the report and takes it along",
    async ({ page, open, press, follow, sees }) => {
      await open(`/app/pages/${dashboard.example.page}/reports`);
      await page.getByLabel("Target of the page, in percent").fill("99.5");
      await press("Save");
      await sees("Saved.");
      expect(await page.getByRole("row", { name: /The page as a whole/ }).textContent()).toContain("99.5%");
      await follow("7 days");
      for (const format of ["PDF", "CSV", "JSON"]) {
        const href = await page.getByRole("link", { name: `Download ${format}` }).getAttribute("href");
        expect((await dashboard.open(String(href))).status, format).toBe(200);
      }
      await open(`/app/pages/${dashboard.example.page}/embed`);
      await page.getByText("Status in a frame").waitFor();
    },
  );
});
