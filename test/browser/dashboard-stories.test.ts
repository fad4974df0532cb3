import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Example, furnishExample } from "../../scripts/screenshots/example.ts";
import { runNpm, START_TIMEOUT_MS } from "../process/support.ts";
import { CHROMIUM, type Dashboard, DESKTOP, isWiderThanWindow, PHONE, startDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const DAY = 86_400_000;

/** What a team does on most days, each story with scripts on a desktop and without on a phone. */
const BROWSERS = [
  ["a desktop", DESKTOP],
  ["a phone without scripts", { ...PHONE, javaScriptEnabled: false }],
] as const;

describe.skipIf(!existsSync(CHROMIUM))("a day with the dashboard", () => {
  let dashboard: Dashboard;
  let example: Example;
  let site: Server;
  beforeAll(async () => {
    const broken = new Set<string>();
    site = createServer((req, res) => res.writeHead(broken.has(req.url ?? "") ? 503 : 200).end("ok"));
    await new Promise<void>((done) => site.listen(0, "127.0.0.1", done));
    dashboard = await startDashboard();
    const { url, token, stateDir } = dashboard.service;
    const env = { STATE_DIR: stateDir, PUBLIC_URL: url };
    const { stdout } = await runNpm(["run", "--silent", "token", "--", "--email", "mira@northwind.example"], { env });
    const siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const breakCheckout = () => void broken.add("/checkout");
    example = await furnishExample({ url, token: token ?? "", memberToken: stdout.trim(), siteUrl, breakCheckout });
  }, 2 * START_TIMEOUT_MS);
  afterAll(async () => {
    site?.close();
    await dashboard?.stop();
  });

  const story = (
    name: string,
    run: (page: Page, place: { open(path: string): Promise<unknown>; name: string }) => Promise<void>,
  ) =>
    it.each(BROWSERS)(`${name} on %s`, async (browser, options) => {
      await dashboard.visit({ ...options }, async (page) => {
        await run(page, { open: (path) => page.goto(dashboard.service.url + path), name: browser });
        expect(await isWiderThanWindow(page)).toBe(false);
      });
    });
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).first().click();
  const follow = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first().click();
  const saved = (page: Page, text: string) => page.getByText(text).first().waitFor();
  const list = async (path: string) => (await dashboard.call("GET", V1 + path)) as unknown as Record<string, unknown>[];

  it("shows at once what is down, what is open, who is on call and what comes", async () => {
    for (const [, options] of BROWSERS) {
      await dashboard.visit({ ...options }, async (page) => {
        await page.goto(`${dashboard.service.url}/app`);
        const needs = page.getByRole("region", { name: "Needs attention" });
        expect(await needs.textContent()).toMatch(/Checkout API.*Down.*since/s);
        expect(await page.getByRole("region", { name: "Open incidents" }).textContent()).toContain(
          "Payments are refused",
        );
        expect(await page.getByRole("region", { name: "On call now" }).textContent()).toMatch(/mira|You/);
        expect(await page.getByRole("region", { name: "Maintenance next" }).textContent()).toContain("New database");
      });
    }
  });

  story("changes many monitors at once", async (page, { open, name }) => {
    const tag = `swept-${name.length}`;
    await open("/app/monitors?sort=name&type=http&q=127.0.0.1");
    for (const monitor of ["Search", "Customer accounts"]) await page.getByLabel(`Select ${monitor}`).check();
    await page.getByLabel("Add tag").fill(tag);
    await press(page, "Add");
    await saved(page, "2 monitors tagged.");
    await open(`/app/monitors?tag=${tag}`);
    expect(await page.getByText("2 monitors", { exact: true }).count()).toBe(1);
    for (const [button, done] of [
      ["Pause", "1 monitor paused."],
      ["Resume", "1 monitor resumed."],
    ] as const) {
      await page.getByLabel("Select Search").check();
      await press(page, button);
      await saved(page, done);
    }
    const { id } = await dashboard.call("POST", `${V1}/monitors`, { name: `Gone with ${name}`, type: "heartbeat" });
    await open("/app/monitors?q=Gone");
    await page.getByLabel("Move to").waitFor({ state: "attached" });
    await page.getByLabel(`Select Gone with ${name}`).check();
    await page.getByLabel("Move to").selectOption("Northwind Status");
    await press(page, "Move");
    await saved(page, "1 monitor moved.");
    expect(await dashboard.call("GET", `${V1}/monitors/${id}`)).toMatchObject({ status_page_id: example.page });
    await page.getByLabel(`Select Gone with ${name}`).check();
    await press(page, "Delete");
    await page.getByLabel("To confirm, type the number of monitors, 1").fill("1");
    await press(page, "Delete");
    await saved(page, "1 monitor deleted.");
  });

  story("writes an update in two taps, from a template on to the postmortem", async (page, { open, name }) => {
    await open(`/app/incidents/new?status_page_id=${example.page}&template=${example.template}`);
    await page.getByLabel("Title", { exact: true }).fill(`Supplier on ${name}`);
    expect(await page.getByLabel("Message").inputValue()).toContain("**We are in contact with them.**");
    await page.getByLabel("Web shop").check();
    await press(page, "Save");
    await saved(page, "The incident is open.");
    // One tap from the list, one for the update.
    await open("/app/incidents");
    await follow(page, `Supplier on ${name}`);
    await page.getByRole("button", { name: /^Identified: / }).click();
    await saved(page, "The update is posted.");
    await follow(page, "Edit");
    await page.getByLabel("Assigned to").selectOption("mira");
    await press(page, "Save");
    await saved(page, "Assigned to");
    await press(page, "Resolve");
    await follow(page, "Write a postmortem");
    expect(await page.getByLabel("Message").inputValue()).toContain("What happened");
    await press(page, "Post update");
    await saved(page, "Why it happened");
  });

  story("plans maintenance with a look at when it recurs", async (page, { open, name }) => {
    await open("/app/maintenance");
    await follow(page, "Schedule maintenance");
    await page.getByLabel("Title", { exact: true }).fill(`Upgrade on ${name}`);
    const day = new Date(Date.now() + 3 * DAY).toISOString().slice(0, 10);
    await page.getByLabel("Starts").fill(`${day}T02:00`);
    await page.getByLabel("Ends", { exact: true }).fill(`${day}T03:00`);
    await page.getByLabel("Repeats", { exact: true }).selectOption("weekly");
    await press(page, "Preview");
    await page.locator(".banner time").nth(2).waitFor();
    await press(page, "Save");
    await page.getByRole("heading", { level: 1, name: `Upgrade on ${name}` }).waitFor();
    await open("/app/maintenance");
    await page
      .getByRole("link", { name: `Upgrade on ${name}` })
      .first()
      .waitFor();
  });

  story("adds, imports, exports and removes subscribers", async (page, { open, name }) => {
    const first = `first-${name.length}@reader.example`;
    await open(`/app/pages/${example.page}/subscribers`);
    await page.getByLabel("Addresses").fill(`name;mail\nAnna;${first}\nBert;second-${name.length}@reader.example`);
    await press(page, "Ask to confirm");
    await saved(page, "2 addresses asked to confirm.");
    const href = await page.getByRole("link", { name: "Export as CSV" }).getAttribute("href");
    expect((await dashboard.open(String(href))).text).toContain(first);
    const before = (await list(`/subscribers?status_page_id=${example.page}`)).length;
    await follow(page, "Remove");
    await page.getByLabel("exact name").fill((await page.locator("strong").last().textContent()) ?? "");
    await press(page, "Remove");
    await saved(page, "is removed.");
    expect((await list(`/subscribers?status_page_id=${example.page}`)).length).toBe(before - 1);
  });

  story("gives a page a domain and reads the records that it needs", async (page, { open, name }) => {
    await open(`/app/pages/${example.page}/domain`);
    await page.getByLabel("Host name").fill(`status-${name.length}.northwind.example`);
    await press(page, "Save");
    await saved(page, "Saved.");
    const records = page.getByRole("table", { name: "DNS records" });
    await records.getByText("CNAME").first().waitFor();
    await page.getByLabel("Host name").fill("");
    await press(page, "Save");
    await records.waitFor({ state: "detached" });
  });

  story("promises an availability, reads the report and takes it along", async (page, { open }) => {
    await open(`/app/pages/${example.page}/reports`);
    await page.getByLabel("Target of the page, in percent").fill("99.5");
    await press(page, "Save");
    await saved(page, "Saved.");
    expect(await page.getByRole("row", { name: /The page as a whole/ }).textContent()).toContain("99.5 %");
    await follow(page, "7 days");
    for (const format of ["PDF", "CSV", "JSON"]) {
      const href = await page.getByRole("link", { name: `Download ${format}` }).getAttribute("href");
      expect((await dashboard.open(String(href))).status, format).toBe(200);
    }
    await open(`/app/pages/${example.page}/embed`);
    await page.getByText("Status in a frame").waitFor();
  });

  story("decides who is told of what, and looks at what was delivered", async (page, { open }) => {
    await open("/app/alerts/routing");
    await page.getByLabel("monitor.degraded").selectOption("team_only");
    await press(page, "Save");
    await saved(page, "Saved.");
    expect(await page.getByLabel("monitor.degraded").inputValue()).toBe("team_only");
    await open("/app/alerts");
    await press(page, "Send test");
    await saved(page, "The test arrived");
    await follow(page, "Deliveries");
    await press(page, "Redeliver");
    await saved(page, "It is sent again.");
  });

  story("adds a channel for a provider", async (page, { open, name }) => {
    await open("/app/alerts/new");
    await page.getByText("What to enter for each provider").click();
    await page.getByText("routing key of an Events API v2 integration").waitFor();
    await page.getByLabel("Name", { exact: true }).fill(`Room on ${name}`);
    await page.getByLabel("Provider").selectOption("slack");
    await page.getByLabel("URL", { exact: true }).fill("not an address");
    await press(page, "Save");
    expect(await page.getByLabel("URL", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("URL", { exact: true }).fill("https://hooks.slack.com/services/T0/B0/x");
    await press(page, "Save");
    await saved(page, "The channel is added.");
  });

  story("plans who is on call, hands a day over and draws the steps of a policy", async (page, { open, name }) => {
    await open(`/app/on-call/${example.page}/schedules/${example.schedule}/calendar`);
    await press(page, "Take over");
    await saved(page, "The day is taken over.");
    await open(`/app/on-call?page=${example.page}`);
    await follow(page, "New escalation policy");
    await page.getByLabel("Name", { exact: true }).fill(`Nights on ${name}`);
    await page.getByRole("group", { name: "Step 1" }).getByLabel("Schedule Primary").check();
    await page.getByRole("group", { name: "Step 2" }).getByLabel("Owner").check();
    await page.getByLabel("Minutes before step 2").fill("15");
    await press(page, "Save");
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: `Nights on ${name}` }) });
    expect(await card.locator(".timeline").textContent()).toMatch(/At once.*schedule Primary.*After 15 min.*Owner/s);
  });

  story("writes a rule and replays the past through it", async (page, { open, name }) => {
    await open(`/app/rules?page=${example.page}`);
    await follow(page, "New rule");
    await page.getByLabel("Name", { exact: true }).fill(`Slow on ${name}`);
    await page.getByLabel("Monitor", { exact: true }).selectOption("Web shop");
    await page.getByRole("group", { name: "Condition 1" }).getByLabel("Value").fill("1");
    await press(page, "Show current values");
    await page.getByText(/latency_ms is \d/).waitFor();
    await press(page, "Save");
    const card = page.getByRole("listitem").filter({ hasText: `Slow on ${name}` });
    await card.getByRole("button", { name: "Backtest" }).click();
    await page.getByText("it would have fired").waitFor();
    await page.getByRole("table", { name: "How often the rule would have fired" }).waitFor({ state: "attached" });
  });

  story("looks at a host and watches what its agent found", async (page, { open, name }) => {
    await open(`/app/agents/${example.agent}`);
    await page.getByRole("heading", { name: "Host, last 24 hours" }).waitFor();
    await press(page, "Check now");
    await saved(page, "The agent gets it with its next call.");
    if (name === "a desktop") {
      await press(page, "Watch PostgreSQL");
      await saved(page, "is watched now.");
    } else await page.getByRole("link", { name: "Watched" }).waitFor();
    await open("/app/agents");
    await press(page, "Install an agent");
    await page.getByText("Install command").waitFor();
  });

  story("invites a member, changes roles and reads what they may", async (page, { open, name }) => {
    const email = `new-${name.length}@northwind.example`;
    await open(`/app/team?page=${example.page}`);
    await page.getByText("What each role may do").first().click();
    await page.getByRole("row", { name: /Plan who is on call/ }).waitFor();
    await follow(page, "Invite member");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Role").selectOption("viewer");
    await press(page, "Invite member");
    await page.getByRole("heading", { name: "Invitation sent" }).waitFor();
    await follow(page, "To the team");
    await follow(page, "Change role");
    await page.getByLabel("Role").selectOption(name === "a desktop" ? "viewer" : "editor");
    await press(page, "Save");
    await saved(page, "Saved.");
    const row = page.getByRole("row").filter({ hasText: email });
    await row.getByRole("link", { name: "Revoke" }).click();
    await page.getByLabel("exact name").fill(email);
    await press(page, "Revoke");
    await saved(page, `${email} is no longer invited.`);
  });

  story("keeps the account: tokens, sessions, notifications, audit log", async (page, { open, name }) => {
    const token = `Pipeline on ${name}`;
    await open("/app/account");
    await follow(page, "Create API token");
    await page.getByLabel("Name", { exact: true }).fill(token);
    await press(page, "Create API token");
    await page.getByText("This is shown once.").waitFor();
    await follow(page, "Done");
    await page.getByRole("row").filter({ hasText: token }).getByRole("link", { name: "Delete" }).click();
    await page.getByLabel("exact name").fill("something else");
    await press(page, "Delete");
    await saved(page, "That is not the name.");
    await page.getByLabel("exact name").fill(token);
    await press(page, "Delete");
    await saved(page, `${token} is deleted.`);
    for (const part of ["Plan and usage", "Sessions", "Referrals"])
      await page.getByRole("heading", { name: part }).waitFor();
    await follow(page, "Notifications");
    const box = page.getByLabel("A monitor is degraded");
    const wanted = !(await box.isChecked());
    await box.setChecked(wanted);
    await press(page, "Save");
    await saved(page, "Saved.");
    await open("/app/account/notifications");
    expect(await box.isChecked()).toBe(wanted);
    await open("/app/audit");
    await page.getByLabel("Status page").selectOption("Northwind Status");
    await page.getByLabel("Event").fill("group.created");
    await press(page, "Show");
    expect(new Set(await page.locator("tbody code").allTextContents())).toEqual(new Set(["group.created"]));
  });
});
