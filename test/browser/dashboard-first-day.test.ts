import { existsSync } from "node:fs";
import { encode } from "uqr";
import { describe, expect, it } from "vitest";
import { BROWSERS, CHROMIUM, DESKTOP, PHONE, SHOTS } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";
import { story } from "./story.ts";

const V1 = "/api/uptime/v1";

/** What a team does on its first day and in its first bad night, where one wrong word costs minutes. */
describe.skipIf(!existsSync(CHROMIUM))("the first day", () => {
  const dashboard = useDashboard({ isFurnished: true });

  it.each([
    ["Europe/Berlin", "Wednesday, 12 June 2030", /12 Jun 2030, 00:30 CEST/],
    ["America/New_York", "Tuesday, 11 June 2030", /11 Jun 2030, 18:30 GMT-4/],
  ])("plans in the zone of the page and finds it on the day of a reader in %s", async (timezoneId, day, time) => {
    await dashboard.visit({ ...DESKTOP, timezoneId }, async (page) => {
      const title = `Disks, seen from ${timezoneId}`;
      await page.goto(`${dashboard.service.url}/app/maintenance/new?status_page_id=${dashboard.example.page}`);
      const starts = page.getByLabel("Starts", { exact: true });
      const hint = await page.locator(`#${await starts.getAttribute("aria-describedby")}`).textContent();
      expect(hint).toContain("Europe/Berlin");
      await page.getByLabel("Title", { exact: true }).fill(title);
      await starts.fill("2030-06-12T00:30");
      await page.getByRole("button", { name: "1 h", exact: true }).click();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The maintenance is scheduled.").waitFor();
      await page.goto(`${dashboard.service.url}/app/maintenance?month=2030-06`);
      const row = page.getByRole("table", { name: "Upcoming" }).getByRole("row").filter({ hasText: title });
      expect(await row.textContent()).toMatch(time);
      await page.getByText(`Times in ${timezoneId}`, { exact: true }).waitFor();
      const cell = page
        .locator("table.calendar td")
        .filter({ has: page.getByRole("link", { name: title }) })
        .first();
      expect(await cell.locator("span").first().textContent()).toBe(/\d+/.exec(day)?.[0]);
    });
  });

  it("asks for an override in the zone of its schedule and for days of the audit log in the reader's, and names them", async () => {
    const schedules = `${V1}/status-pages/${dashboard.example.page}/on-call/schedules`;
    const { id } = await dashboard.call("POST", schedules, { name: "Nights", timezone: "Europe/Berlin" });
    await dashboard.visit({ ...DESKTOP, timezoneId: "America/New_York" }, async (page) => {
      const zoneOf = async (label: string) => {
        const hint = await page.getByLabel(label, { exact: true }).getAttribute("aria-describedby");
        return page.locator(`#${hint}`).textContent();
      };
      await page.goto(`${dashboard.service.url}/app/on-call/${dashboard.example.page}/overrides/${id}`);
      expect([await zoneOf("From"), await zoneOf("Until")].join()).toMatch(/Europe\/Berlin.*,.*Europe\/Berlin/);
      await page.getByLabel("From", { exact: true }).fill("2030-06-12T00:30");
      await page.getByLabel("Until", { exact: true }).fill("2030-06-12T08:00");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The override is planned.").waitFor();
      await page.goto(`${dashboard.service.url}/app/audit`);
      expect([await zoneOf("From"), await zoneOf("To")].join()).toMatch(/America\/New_York.*,.*America\/New_York/);
    });
    expect((await dashboard.call("GET", `${schedules}/${id}`)).overrides).toMatchObject([
      { start_at: "2030-06-11T22:30:00.000Z", end_at: "2030-06-12T06:00:00.000Z" },
    ]);
  });

  story(
    dashboard,
    "fills in what belongs to the page that was chosen, as soon as it is",
    async ({ page, open, press, hasScripts, name }) => {
      const other = await dashboard.call("POST", `${V1}/status-pages`, {
        name: `Second, ${name}`,
        slug: `second-${name.length}`,
      });
      await dashboard.call("POST", `${V1}/monitors`, {
        name: `Only on ${name}`,
        type: "heartbeat",
        status_page_id: other.id,
      });
      for (const form of ["incidents", "maintenance"]) {
        await open(`/app/${form}/new?status_page_id=${dashboard.example.page}`);
        await page.getByLabel("Title", { exact: true }).fill("Typed before");
        await page.getByLabel("Web shop").waitFor();
        expect(await page.getByLabel(`Only on ${name}`, { exact: true }).count()).toBe(0);
        await page.getByLabel("Status page", { exact: true }).selectOption(`Second, ${name}`);
        const follow = page.getByRole("button", { name: "Show the services of this page" });
        if (hasScripts) expect(await follow.isVisible()).toBe(false);
        else await follow.click();
        await page.getByLabel(`Only on ${name}`, { exact: true }).waitFor();
        expect(await page.getByLabel("Web shop").count()).toBe(0);
        expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("Typed before");
        if (hasScripts) await expect.poll(() => page.locator(":focus").getAttribute("id")).toBe("status_page_id");
        // Leaves no draft for the next form.
        await page.getByRole("link", { name: "Cancel" }).click();
      }
      await open(`/app/incidents/new?status_page_id=${dashboard.example.page}`);
      await page.getByLabel("Template", { exact: true }).selectOption("Supplier outage");
      if (!hasScripts) await press("Fill in from the template");
      await expect
        .poll(() => page.getByLabel("Message", { exact: true }).inputValue())
        .toContain("A supplier has an outage.");
      await page.getByRole("link", { name: "Cancel" }).click();
    },
  );

  it.each(
    BROWSERS,
  )("makes a page from its name alone, whose first outage says something, on %s", async (name, options) => {
    await dashboard.visit({ ...options, timezoneId: "Europe/Madrid" }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/pages/new`);
      await page.getByLabel("Name", { exact: true }).fill(`Café ${name}`);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("is online.").waitFor();
      const id = page.url().split("/").at(-1);
      expect(await dashboard.call("GET", `${V1}/status-pages/${id}`)).toMatchObject({
        slug: `cafe-${name.replaceAll(" ", "-")}`,
        timezone: "javaScriptEnabled" in options ? "UTC" : "Europe/Madrid",
        auto_create_incident: true,
        auto_publish_incident: true,
      });
    });
  });

  it("moves monitors to a group of another page", async () => {
    const other = await dashboard.call("POST", `${V1}/status-pages`, { name: "Moved to", slug: "moved-to" });
    const group = await dashboard.call("POST", `${V1}/groups`, { status_page_id: other.id, name: "Moved group" });
    const { id } = await dashboard.call("POST", `${V1}/monitors`, { name: "Moved away", type: "heartbeat" });
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors?q=Moved`);
      await page.getByLabel("Select Moved away").check();
      await page.getByLabel("Move to").selectOption("Group: Moved group");
      await page.getByRole("button", { name: "Move", exact: true }).click();
      await page.getByText("1 monitor moved.").waitFor();
    });
    const place = { status_page_id: other.id, group_id: group.id };
    expect(await dashboard.call("GET", `${V1}/monitors/${id}`)).toMatchObject(place);
  });

  it.each([
    ["a desktop", DESKTOP],
    ["a phone", PHONE],
  ])("shows by its filters what its list shows, also on the way back, on %s", async (_name, options) => {
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors`);
      const status = page.locator("#status-choices");
      const chosen = page.locator("#status-chosen");
      await status.locator("summary").click();
      await page.getByLabel("Down", { exact: true }).check();
      await page.getByLabel("Degraded", { exact: true }).check();
      await page.keyboard.press("Escape");
      await page.waitForURL(/\/app\/monitors\?status=(down,degraded|degraded,down)$/);
      await expect.poll(() => page.locator(":focus").getAttribute("id")).toBe("status-summary");
      expect(await page.locator("li.monitor").count()).toBe(1);
      await page.goBack();
      await page.waitForURL(/\/app\/monitors$/);
      // The list and what is said of it change in one step.
      await expect.poll(() => chosen.textContent()).toBe("All");
      expect(await page.locator("li.monitor:visible").count()).toBeGreaterThan(1);
      expect(await status.locator("input:checked").count()).toBe(0);
      await page.goForward();
      await page.waitForURL(/status=/);
      await expect.poll(() => chosen.textContent()).toMatch(/Down/);
      expect(await page.locator("li.monitor:visible").count()).toBe(1);
      expect(await status.locator("input:checked").count()).toBe(2);
    });
  });

  it("shows by the filters of the audit log what it lists, also on the way back", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/audit`);
      const filters = [page.getByLabel("Status page", { exact: true }), page.getByLabel("Event", { exact: true })];
      await filters[0]?.selectOption("Northwind Status");
      await filters[1]?.fill("group.created");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.waitForURL(/event_type=group\.created/);
      await page.goBack();
      await page.waitForURL(/\/app\/audit$/);
      expect(await Promise.all(filters.map((filter) => filter.inputValue()))).toEqual(["", ""]);
    });
  });

  it("moves nothing by what it says of an action, and marks a field only until it is corrected", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      const { group } = dashboard.example;
      await page.goto(`${dashboard.service.url}/app/pages/${dashboard.example.page}/groups/${group}`);
      const [name, heading] = [page.getByLabel("Name", { exact: true }).first(), page.locator("h1")];
      const before = await heading.boundingBox();
      const stored = await name.inputValue();
      await name.fill(" ");
      await page.getByRole("button", { name: "Rename", exact: true }).click();
      await expect.poll(() => name.getAttribute("aria-invalid")).toBe("true");
      await name.fill(`${stored} corrected`);
      expect(await name.getAttribute("aria-invalid")).toBeNull();
      await page.getByRole("button", { name: "Rename", exact: true }).click();
      await page.locator(".notice").waitFor();
      expect((await heading.boundingBox())?.y).toBe(before?.y);
      expect(await page.locator(".trail").innerText()).not.toMatch(/\/\s*$/);
    });
  });

  it("offers a monitor the groups of the status page that is chosen, and no others", async () => {
    const other = await dashboard.call("POST", `${V1}/status-pages`, { name: "Grouped", slug: "grouped" });
    const group = await dashboard.call("POST", `${V1}/groups`, { status_page_id: other.id, name: "Counter" });
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors/new`);
      const offered = () => page.locator("#group_id option:enabled").allTextContents();
      const choice = page.getByLabel("Status page", { exact: true });
      await choice.selectOption("Grouped");
      expect(await offered()).toEqual(["None", "Counter (Grouped)"]);
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
      await page.locator("#group_id").selectOption(String(group.id));
      await choice.selectOption("Northwind Status");
      expect((await offered()).join()).not.toContain("Counter");
      expect(await page.locator("#group_id").inputValue()).toBe("");
    });
  });

  it("marks check boxes together, until one of them is chosen", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/on-call/${dashboard.example.page}/schedules/new`);
      await page.getByLabel("Name", { exact: true }).fill("Without people");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      const people = page.getByRole("group", { name: "People" });
      await expect.poll(() => people.getAttribute("aria-invalid")).toBe("true");
      await people.getByRole("checkbox").first().check();
      expect([await people.getAttribute("aria-invalid"), await page.locator("#user_ids-problem").count()]).toEqual([
        null,
        0,
      ]);
    });
  });

  it("takes away what it said of an action before that is outdated, but no button to take it back", async () => {
    await dashboard.call("POST", `${V1}/monitors`, { name: "Paused for a moment", type: "heartbeat" });
    const fields = { title: "Published for a moment", status_page_id: dashboard.example.page };
    const incident = await dashboard.call("POST", `${V1}/incidents`, fields);
    await dashboard.visit(DESKTOP, async (page) => {
      await page.clock.install();
      await page.goto(`${dashboard.service.url}/app/incidents/${incident.id}`);
      await page.getByRole("button", { name: "Publish", exact: true }).click();
      const notice = page.locator(".notice");
      await notice.waitFor();
      await page.waitForLoadState();
      const box = await notice.boundingBox();
      await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
      await page.clock.fastForward(21_000);
      // Somebody reads it.
      expect(await notice.count()).toBe(1);
      await page.getByRole("button", { name: "Unpublish", exact: true }).press("Enter");
      await page.getByRole("button", { name: "Publish", exact: true }).waitFor();
      await notice.waitFor();
      await page.waitForLoadState();
      // The pointer only rests where it appeared.
      await page.clock.fastForward(21_000);
      expect(await notice.count()).toBe(0);
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.getByRole("checkbox", { name: "Select Paused for a moment" }).check();
      const selection = page.getByRole("group", { name: "With the selected monitors" });
      await selection.getByRole("button", { name: "Pause", exact: true }).click();
      await page.locator(".notice").getByRole("button", { name: "Undo" }).waitFor();
      await page.waitForLoadState();
      await page.clock.fastForward(60_000);
      await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
      await page.getByText("1 monitor resumed.").waitFor();
    });
  });

  it("adds the tag that was entered by Enter, and pauses nothing", async () => {
    const { id } = await dashboard.call("POST", `${V1}/monitors`, { name: "Tagged by Enter", type: "heartbeat" });
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.getByRole("checkbox", { name: "Select Tagged by Enter" }).check();
      await page.getByLabel("Add tag", { exact: true }).fill("entered");
      await page.keyboard.press("Enter");
      await page.getByText("1 monitor tagged.").waitFor();
    });
    expect(await dashboard.call("GET", `${V1}/monitors/${id}`)).toMatchObject({ tags: ["entered"], paused: false });
  });

  it.each([
    ["a desktop", DESKTOP],
    ["a phone", PHONE],
  ])("shows an address in one line on %s", async (_name, options) => {
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors/${dashboard.example.shop}`);
      const heightOf = async (text: string) =>
        (await page.locator("dd").getByText(text, { exact: true }).boundingBox())?.height;
      const address = page.getByRole("link", { name: `${dashboard.siteUrl}/shop`, exact: true });
      expect((await address.boundingBox())?.height).toBeLessThan(2 * ((await heightOf("HTTP")) ?? 0));
      await page.goto(`${dashboard.service.url}/app/account`);
      expect(await heightOf("owner@localhost")).toBe(await heightOf("Off"));
    });
  });

  it("has the open one of many tabs in sight on a phone", async () => {
    await dashboard.visit({ ...PHONE }, async (page) => {
      for (const path of [`/app/pages/${dashboard.example.page}/reports?period=year`, "/app/installation"]) {
        await page.goto(dashboard.service.url + path);
        for (const tab of await page.locator(".tabs [aria-current]").all()) {
          await expect.poll(async () => ((await tab.boundingBox())?.x ?? -1) >= 0).toBe(true);
          const box = await tab.boundingBox();
          expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.viewport.width);
        }
        expect(await page.evaluate("scrollY")).toBe(0);
      }
    });
  });

  it("offers no button for what follows from a choice by itself", async () => {
    const asks = {
      "/app/alerts/new": "Show the fields of this provider",
      "/app/monitors/new": "Show the fields that apply",
    };
    for (const [path, name] of Object.entries(asks)) {
      for (const javaScriptEnabled of [true, false]) {
        await dashboard.visit({ ...DESKTOP, javaScriptEnabled }, async (page) => {
          await page.goto(dashboard.service.url + path);
          expect([path, await page.getByRole("button", { name }).count()]).toEqual([path, javaScriptEnabled ? 0 : 1]);
        });
      }
    }
  });

  it("begins a rule without a condition, and says who is notified of it", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/rules/${dashboard.example.page}/new`);
      expect(await page.getByLabel("Metric", { exact: true }).inputValue()).toBe("");
      const told = page.getByLabel("Then notify", { exact: true }).locator("option:checked");
      expect(await told.textContent()).toBe("Everybody: visitors of the page and the team");
    });
  });

  it("says what a month costs only once a day was counted", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/installation`);
      await page.getByText("appears once a whole day has been counted").waitFor();
      expect(await page.getByRole("region", { name: "Cost and room" }).textContent()).not.toContain("$");
    });
  });

  it("says when a job runs, and nothing of places that check it", async () => {
    const job = { name: "Prices", type: "heartbeat", schedule: "30 2 * * *", timezone: "Europe/Berlin" };
    const { id } = await dashboard.call("POST", `${V1}/monitors`, job);
    const rhythms = {
      [String(id)]: "RunsEvery day at 02:30, Europe/Berlin",
      [dashboard.example.heartbeat]: "Intervalevery 1 d",
    };
    await dashboard.visit(DESKTOP, async (page) => {
      for (const [monitor, rhythm] of Object.entries(rhythms)) {
        await page.goto(`${dashboard.service.url}/app/monitors/${monitor}`);
        const settings = await page.getByRole("region", { name: "Settings" }).textContent();
        expect(settings).toContain(rhythm);
        expect(settings).not.toContain("Regions");
      }
      await page.getByText("Last heartbeat").waitFor();
    });
  });

  it("reports no percentage before an hour was measured", async () => {
    const page_id = (await dashboard.call("POST", `${V1}/status-pages`, { name: "Young", slug: "young" })).id;
    const { id } = await dashboard.call("POST", `${V1}/monitors`, {
      name: "Minutes reported",
      type: "heartbeat",
      status_page_id: page_id,
    });
    const from = Date.now() - 20 * 60_000;
    await dashboard.service.execute([
      {
        sql: "UPDATE monitors SET created_at = ?1, status = 'up', status_since = ?1 WHERE id = ?2",
        params: [from, String(id)],
      },
      {
        sql: "INSERT INTO status_intervals (monitor_id, seq, status, from_at) VALUES (?, 1, 'up', ?)",
        params: [String(id), from],
      },
    ]);
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/pages/${page_id}/reports?period=7d`);
      for (const name of ["The page as a whole", "Minutes reported"]) {
        expect(await page.getByRole("row", { name }).textContent()).not.toMatch(/100/);
      }
      await page.getByText("Uptime appears once an hour of this period has been measured.").waitFor();
    });
  });

  it("says since when a percentage counts, and none in the first hour", async () => {
    const HOUR = 3_600_000;
    const now = Date.now();
    const ages = { "Minutes old": 50 * 60_000, "Hours old": 3 * HOUR };
    for (const [name, age] of Object.entries(ages)) {
      const { id } = await dashboard.call("POST", `${V1}/monitors`, { name, type: "heartbeat", interval: 3600 });
      await dashboard.service.execute([
        {
          sql: "UPDATE monitors SET created_at = ?, status = 'up', status_since = ? WHERE id = ?",
          params: [now - age, now - age, String(id)],
        },
        {
          sql: "INSERT INTO status_intervals (monitor_id, seq, status, from_at) VALUES (?, 1, 'up', ?)",
          params: [String(id), now - age],
        },
      ]);
      await dashboard.visit({ ...DESKTOP, timezoneId: "UTC" }, async (page) => {
        await page.goto(`${dashboard.service.url}/app/monitors/${id}`);
        for (const period of ["24 hours", "7 days", "30 days", "90 days"]) {
          await page.getByRole("link", { name: period, exact: true }).click();
          const fact = page
            .locator(".facts > div")
            .filter({ hasText: `Uptime, ${period}` })
            .first();
          expect(await fact.textContent()).toMatch(name === "Minutes old" ? /–/ : /100%.*since/);
        }
      });
    }
  });

  it("shows the whole sentence of a page in the frame that its snippet makes", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/pages/${dashboard.example.page}/embed`);
      const snippet = (await page.locator("pre").filter({ hasText: "<iframe" }).textContent()) ?? "";
      const [, src = "", width = "0", height = "0"] =
        /src="([^"]+)".* width="(\d+)" height="(\d+)"/.exec(snippet) ?? [];
      await page.setViewportSize({ width: Number(width), height: Number(height) });
      await page.goto(src);
      for (const text of [page.getByRole("heading", { level: 1 }), page.locator(".headline")]) {
        const box = await text.boundingBox();
        expect(box?.height).toBeGreaterThan(0);
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(Number(height));
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(Number(width));
      }
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/embed-snippet.png` });
    });
  });

  it.each(BROWSERS)("shows the secret of two-factor sign-in as a code to scan, on %s", async (name, options) => {
    const link = await dashboard.linkOf(`scans-${name.length}@northwind.example`);
    await dashboard.visit({ ...options }, async (page) => {
      await page.context().clearCookies();
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Save" }).click();
      await page.goto(`${dashboard.service.url}/app/account/two-factor`);
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Continue" }).click();
      const code = page.getByRole("img", { name: "QR code of the secret below" });
      await code.waitFor();
      const secret = (await page.locator("pre").first().textContent())?.trim() ?? "";
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      const address = await page.getByRole("link", { name: "Open in an app on this device" }).getAttribute("href");
      expect(new URL(String(address)).searchParams.get("secret")).toBe(secret);
      // What the camera reads is that address, module by module.
      const { data, size } = encode(String(address), { border: 4 });
      const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
      expect(await code.getAttribute("viewBox")).toBe(`0 0 ${size} ${size}`);
      expect(await code.locator("path").getAttribute("d")).toBe(dark.join(""));
    });
  });
});
