import { existsSync } from "node:fs";
import { describe, expect } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { openRow, useDashboard } from "./dashboard.ts";
import { story } from "./story.ts";

/** What a team sets up once: alerts, on-call, rules, agents, people, the account; run in every browser. */
describe.skipIf(!existsSync(CHROMIUM))("setting things up in the dashboard", () => {
  const dashboard = useDashboard({ isFurnished: true });

  story(
    dashboard,
    "decides who is told of what, and looks at what was delivered",
    async ({ page, open, press, sees }) => {
      await open("/app/alerts/routing");
      await page.getByLabel("Monitor degraded").selectOption("team_only");
      await press("Save");
      await sees("Saved.");
      expect(await page.getByLabel("Monitor degraded").inputValue()).toBe("team_only");
      await open("/app/alerts");
      await press("Send test");
      await sees("The test arrived");
      await page
        .getByRole("table")
        .getByLabel(/^More for/)
        .first()
        .click();
      await page.getByRole("table").getByRole("link", { name: "Deliveries" }).first().click();
      await press("Redeliver");
      await sees("It is sent again.");
    },
  );

  story(dashboard, "adds a channel for a provider", async ({ page, open, press, sees, name }) => {
    await open("/app/alerts/new");
    await page.getByRole("link", { name: "PagerDuty" }).click();
    await page.getByText("How to set up PagerDuty").click();
    await page.getByText("Copy the integration key.").waitFor();
    expect(await page.getByLabel("Integration key").count()).toBe(1);
    await page.getByLabel("Name", { exact: true }).fill(`Room on ${name}`);
    await page.getByLabel("Provider").selectOption("slack");
    await page.getByLabel("URL", { exact: true }).fill("not an address");
    await press("Save");
    expect(await page.getByLabel("URL", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("URL", { exact: true }).fill("https://hooks.slack.com/services/T0/B0/x");
    await press("Save");
    await sees("The channel is added.");
    const row = page.getByRole("row").filter({ hasText: `Room on ${name}` });
    await openRow(page, `Room on ${name}`);
    await row.getByRole("button", { name: "Turn off" }).click();
    await sees(`Room on ${name} is off.`);
    await openRow(page, `Room on ${name}`);
    await row.getByRole("link", { name: "Delete" }).click();
    await page.getByLabel("exact name").fill(`Room on ${name}`);
    await press("Delete");
    await sees(`Room on ${name} is deleted.`);
  });

  story(
    dashboard,
    "plans who is on call, hands a day over and draws the steps of a policy",
    async ({ page, open, press, follow, sees, name }) => {
      await open(`/app/on-call/${dashboard.example.page}/schedules/${dashboard.example.schedule}/calendar`);
      await press("Override");
      await sees("The override is added.");
      await page.getByRole("region", { name: "Overrides" }).getByRole("button", { name: "Take back" }).last().click();
      await sees("The override is taken back.");
      await open(`/app/on-call?page=${dashboard.example.page}`);
      await follow("New escalation policy");
      await page.getByLabel("Name", { exact: true }).fill(`Nights on ${name}`);
      await page.getByRole("group", { name: "Step 1" }).getByLabel("Schedule Primary").check();
      await page.getByRole("group", { name: "Step 2" }).getByLabel("Owner", { exact: true }).check();
      await page.getByLabel("Minutes before step 2").fill("15");
      await press("Save");
      const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: `Nights on ${name}` }) });
      expect(await card.locator(".path").textContent()).toMatch(/At once.*schedule Primary.*After 15 min.*Owner/s);
    },
  );

  story(
    dashboard,
    "writes a rule, replays the past through it and restores a version",
    async ({ page, open, press, follow, sees, name, hasScripts }) => {
      await open(`/app/rules?page=${dashboard.example.page}`);
      await follow("New rule");
      await follow("Edit conditions and actions as JSON");
      await page.getByLabel("Conditions").fill("[{]");
      await press("Save");
      expect(await page.getByLabel("Conditions").getAttribute("aria-invalid")).toBe("true");
      await follow("Edit in fields");
      await page.getByLabel("Name", { exact: true }).fill(`Slow on ${name}`);
      await page.getByLabel("Of", { exact: true }).selectOption("Web shop");
      const condition = page.getByRole("group", { name: "And condition 1" });
      expect(await condition.getByLabel("Metric").inputValue()).toBe("");
      await condition.getByLabel("Metric").fill("response time (ms)");
      await condition.getByLabel("Value").fill("1");
      // With scripts the values follow the fields by themselves.
      if (!hasScripts) await press("Show current values");
      await page.getByText(/response time \(ms\) is \d.*“more than 1”/).waitFor();
      await press("Save");
      const row = page.getByRole("row").filter({ hasText: `Slow on ${name}` });
      await row.getByRole("button", { name: "Backtest" }).click();
      await page.getByText("it would have fired").waitFor();
      await page.getByText("As a table").click();
      await page.getByRole("table", { name: "How often the rule would have fired" }).waitFor();
      await open(`/app/rules?page=${dashboard.example.page}`);
      await openRow(page, `Slow on ${name}`);
      await row.getByRole("link", { name: "Edit" }).click();
      await page.getByLabel("Name", { exact: true }).fill(`Renamed on ${name}`);
      await press("Save");
      await follow(`Renamed on ${name}`);
      await press("Restore");
      await sees("Version 1 is restored.");
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(`Slow on ${name}`);
    },
  );

  story(dashboard, "looks at a host and watches what its agent found", async ({ page, open, press, sees }) => {
    await open(`/app/agents/${dashboard.example.agent}`);
    await page.getByRole("heading", { name: "Host, last 24 hours" }).waitFor();
    await press("Check now");
    await sees("The agent receives the command the next time it connects.");
    const watch = page.getByRole("button", { name: "Watch PostgreSQL" });
    if ((await watch.count()) > 0) {
      await watch.click();
      await sees("is watched now.");
    }
    await page.getByRole("link", { name: "Watched" }).waitFor();
    await open("/app/agents");
    await press("Install an agent");
    await page.getByText("Install command").waitFor();
    expect(await page.locator("pre").textContent()).toContain(dashboard.service.url);
  });

  story(
    dashboard,
    "invites a member, changes roles and reads what they may",
    async ({ page, open, press, follow, sees, name }) => {
      const email = `new-${name.length}@northwind.example`;
      await open(`/app/team?page=${dashboard.example.page}`);
      await page.getByText("What each role may do").first().click();
      await page.getByRole("row", { name: /Plan who is on call/ }).waitFor();
      await follow("Invite member");
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Role").selectOption("viewer");
      await press("Invite member");
      await page.getByRole("heading", { name: "Invitation sent" }).waitFor();
      await follow("Go to the team");
      await follow("Change role");
      await page.getByLabel("Role").selectOption("editor");
      await press("Save");
      await sees("Saved.");
      const row = page.getByRole("row").filter({ hasText: email });
      await openRow(page, email);
      await row.getByRole("link", { name: "Revoke" }).click();
      await page.getByLabel("exact address").fill(email);
      await press("Revoke");
      await sees(`${email} is no longer invited.`);
    },
  );

  story(
    dashboard,
    "keeps the account: tokens, sessions, notifications, audit log",
    async ({ page, open, press, follow, sees, name }) => {
      const token = `Pipeline on ${name}`;
      await open("/app/account");
      await follow("Create API token");
      await page.getByLabel("Name", { exact: true }).fill(token);
      await press("Create API token");
      await page.getByText("This is shown once.").waitFor();
      const headers = { authorization: `Bearer ${(await page.locator("pre").textContent())?.trim()}` };
      const ask = async () => (await fetch(`${dashboard.service.url}/api/core/v1/auth/me`, { headers })).status;
      expect(await ask()).toBe(200);
      await follow("Done");
      await page.getByRole("row").filter({ hasText: token }).getByRole("link", { name: "Delete" }).click();
      await page.getByLabel("exact name").fill("something else");
      await press("Delete");
      await sees("That is not the name.");
      await page.getByLabel("exact name").fill(token);
      await press("Delete");
      await sees(`${token} is deleted.`);
      expect(await ask()).toBe(401);
      await follow("Change name");
      await page.getByLabel("Name").fill(`Owner on ${name}`);
      await press("Save");
      await page.getByRole("banner").getByText(`Owner on ${name}`).waitFor({ state: "attached" });
      for (const part of ["Plan and usage", "Sessions", "Referrals"])
        await page.getByRole("heading", { name: part }).waitFor();
      await page.getByRole("main").getByRole("link", { name: "Notifications", exact: true }).first().click();
      await page.getByRole("heading", { level: 1, name: "Notifications" }).waitFor();
      await follow("Choose what reaches you");
      const box = page.getByLabel("A monitor is degraded");
      const wanted = !(await box.isChecked());
      await box.setChecked(wanted);
      await press("Save");
      await sees("Saved.");
      await open("/app/account/notifications");
      expect(await box.isChecked()).toBe(wanted);
      await open("/app/audit");
      await page.getByLabel("Status page").selectOption("Northwind Status");
      await page.getByLabel("Event").fill("group.created");
      await press("Show");
      expect(new Set(await page.locator("tbody code").allTextContents())).toEqual(new Set(["group.created"]));
      await page.getByLabel("From").fill("2020-01-01");
      await page.getByLabel("To").fill("2020-01-02");
      await press("Show");
      await sees("Nothing here");
    },
  );
});
