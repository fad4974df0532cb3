import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP, findBarriers, isWiderThanWindow, PHONE } from "./chromium.ts";
import { openPersonMenu, useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const SIZES = [
  ["a desktop", DESKTOP],
  ["a phone", PHONE],
  ["a phone without scripts", { ...PHONE, javaScriptEnabled: false }],
] as const;
const SCRIPTED = [SIZES[0], SIZES[1]] as const;

/** What an incident does while someone writes about it. */
describe.skipIf(!existsSync(CHROMIUM))("the composer of updates", () => {
  const dashboard = useDashboard();
  let pageId: string;
  beforeAll(async () => {
    pageId = String((await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop", slug: "shop" })).id);
  });

  const openIncident = async (title: string) => {
    const fields = { status_page_id: pageId, title, message: "We look into it.", is_public: true };
    const { id } = await dashboard.call("POST", `${V1}/incidents`, fields);
    return { path: `${V1}/incidents/${id}`, view: `${dashboard.service.url}/app/incidents/${id}` };
  };
  const resolve = (path: string) => dashboard.call("PUT", path, { status: "resolved", message: "It recovered." });
  const press = (page: Page, button: string) => page.getByRole("button", { name: button, exact: true }).click();
  /** Without waiting for the end of the time in which it can be taken back; without a script there is none. */
  const post = async (page: Page, button: string, hasScripts = true) => {
    await press(page, button);
    if (hasScripts) await press(page, "Post now");
  };
  const textOf = (page: Page) => page.getByLabel("Message").inputValue();

  it.each(SIZES)("posts nothing to an incident that was resolved meanwhile, and asks, on %s", async (name, options) => {
    const { path, view } = await openIncident(`Slow, seen on ${name}`);
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(view);
      await page.getByLabel("Message").fill("We found the cause.");
      await resolve(path);
      await post(page, "Post update", !("javaScriptEnabled" in options));
      await page.getByText(/^It was resolved \d+ s ago\. Nothing was posted/).waitFor();
      expect(await textOf(page)).toBe("We found the cause.");
      expect(await dashboard.call("GET", path)).toMatchObject({ status: "resolved" });
      expect(await isWiderThanWindow(page)).toBe(false);
      await post(page, "Post as a note", !("javaScriptEnabled" in options));
      await page.getByText("The update is posted.").waitFor();
    });
    const incident = (await dashboard.call("GET", path)) as { status: string; updates: { message: string }[] };
    expect([incident.status, incident.updates[0]?.message]).toEqual(["resolved", "We found the cause."]);
  });

  it("re-opens it only where that is asked for", async () => {
    const { path, view } = await openIncident("Back again");
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(view);
      await page.getByLabel("Message").fill("It fails again.");
      await page.getByLabel("Status", { exact: true }).selectOption("identified");
      await resolve(path);
      await post(page, "Post update");
      await page.getByText(/^It was resolved/).waitFor();
      await findBarriers(page, "meanwhile").then((barriers) => expect(barriers).toEqual([]));
      await post(page, "Reopen");
      await page.getByText("The update is posted.").waitFor();
    });
    expect(await dashboard.call("GET", path)).toMatchObject({ status: "identified", resolved_at: null });
  });

  it("follows the incident also beside what it refused, and says when it is gone", async () => {
    const { path, view } = await openIncident("Refused here");
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(view);
      await page.getByLabel("Message").fill("Mine");
      await dashboard.call("POST", `${path}/updates`, { message: "Theirs" });
      await post(page, "Post update");
      await page.getByText(/^Another update was posted/).waitFor();
      await dashboard.call("POST", `${path}/updates`, { message: "Theirs again" });
      await page.locator(".timeline").getByText("Theirs again").waitFor();
      expect(await textOf(page)).toBe("Mine");
      await dashboard.call("DELETE", path);
      await page.getByText(/^This no longer exists\. What you see is from \d\d:\d\d:\d\d\.$/).waitFor();
      expect([await textOf(page), await page.locator("#connection").count()]).toEqual(["Mine", 0]);
    });
  });

  it("says that someone else wrote first, and shows what", async () => {
    const { path, view } = await openIncident("Two people");
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(view);
      await page.getByLabel("Message").fill("Mine");
      await dashboard.call("POST", `${path}/updates`, { message: "Theirs" });
      await post(page, "Post update");
      await page.getByText(/^Another update was posted/).waitFor();
      await page.locator(".timeline").getByText("Theirs").waitFor();
      await post(page, "Post update");
      await page.getByText("The update is posted.").waitFor();
      await page.locator(".timeline").getByText("Mine").waitFor();
    });
  });

  it("follows the incident with its buttons, and leaves what is typed alone", async () => {
    const { path, view } = await openIncident("Ends by itself");
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(view);
      await page.getByLabel("Message").fill("Half a sent");
      await page.getByRole("button", { name: "Acknowledge" }).focus();
      await resolve(path);
      await page.getByRole("button", { name: "Resolve", exact: true }).waitFor({ state: "detached" });
      expect(await page.getByRole("button", { name: "Acknowledge" }).count()).toBe(0);
      await page.getByRole("link", { name: "Write a postmortem" }).waitFor();
      expect(await textOf(page)).toBe("Half a sent");
    });
  });

  it.each(
    SCRIPTED,
  )("keeps a draft through Acknowledge, a preview, leaving and loading again, on %s", async (_name, options) => {
    const { path, view } = await openIncident("Drafted");
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(view);
      await page.getByLabel("Message").fill("A long text");
      await page.getByLabel("Notify subscribers").uncheck();
      await press(page, "Acknowledge");
      await page.getByText("The incident is acknowledged.").waitFor();
      expect(await textOf(page)).toBe("A long text");
      await press(page, "Preview");
      await page.locator(".banner").getByText("A long text").waitFor();
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.goto(view);
      await page.getByText("What you had typed is here again.").waitFor();
      expect([await textOf(page), await page.getByLabel("Notify subscribers").isChecked()]).toEqual([
        "A long text",
        false,
      ]);
      await page.reload();
      expect(await textOf(page)).toBe("A long text");
      await post(page, "Post update");
      await page.getByText("The update is posted.").waitFor();
      expect(await textOf(page)).toBe("");
      await page.reload();
      expect(await textOf(page)).toBe("");
    });
    expect(await dashboard.call("GET", path)).toMatchObject({ acknowledged_at: expect.any(String) });
  });

  it("keeps what a draft was written about, so that an end in between is said", async () => {
    const { path, view } = await openIncident("Left and ended");
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(view);
      await page.getByLabel("Message").fill("Still at it");
      await page.getByLabel("Status", { exact: true }).selectOption("monitoring");
      await page.goto(`${dashboard.service.url}/app`);
      await resolve(path);
      await page.goto(view);
      await post(page, "Post update");
      await page.getByText(/^It was resolved/).waitFor();
    });
    expect(await dashboard.call("GET", path)).toMatchObject({ status: "resolved" });
  });

  it("forgets drafts when their person signs out", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto((await openIncident("Private words")).view);
      await page.getByLabel("Message").fill("Not for others");
      await expect.poll(() => page.evaluate("Object.keys(sessionStorage).length")).toBe(1);
      // The session itself stays, which the other stories use.
      await page.route(/\/app\/sign-out$/, (route) => route.fulfill({ status: 204 }));
      await openPersonMenu(page);
      await press(page, "Sign out");
      await expect.poll(() => page.evaluate("Object.keys(sessionStorage).length")).toBe(0);
    });
  });

  it.each(SIZES)("fills in a ready text, which is posted by its own button, on %s", async (_name, options) => {
    const { path, view } = await openIncident("Quick");
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(view);
      await page.getByRole("link", { name: /^Identified: We found the cause/ }).click();
      await expect.poll(() => textOf(page)).toBe("We found the cause and are working on it.");
      expect(await page.getByLabel("Status", { exact: true }).inputValue()).toBe("identified");
      expect(await dashboard.call("GET", path)).toMatchObject({ status: "investigating" });
      await post(page, "Post update", !("javaScriptEnabled" in options));
      await page.getByText("The update is posted.").waitFor();
    });
    expect(await dashboard.call("GET", path)).toMatchObject({ status: "identified" });
  });

  it.each(SCRIPTED)("lets an update be taken back before anybody receives it, on %s", async (_name, options) => {
    const { path, view } = await openIncident("Hasty");
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(view);
      await page.getByLabel("Message").fill("A hasty word");
      await press(page, "Post update");
      await page.getByRole("status").getByText("Not posted yet").waitFor();
      expect(await isWiderThanWindow(page)).toBe(false);
      await press(page, "Undo");
      expect(await textOf(page)).toBe("A hasty word");
      expect(await dashboard.call("GET", path)).toMatchObject({ updates: [{ message: "We look into it." }] });
      await press(page, "Post update");
      // By itself once the time is over.
      await page.getByText("The update is posted.").waitFor();
    });
    expect(await dashboard.call("GET", path)).toMatchObject({ updates: [{ message: "A hasty word" }, {}] });
  });

  it("posts once what its writer left behind, and says what became of it", async () => {
    const { path, view } = await openIncident("Left while waiting");
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(view);
      await page.getByLabel("Message").fill("On my way");
      await press(page, "Post update");
      await page.getByText("Not posted yet").waitFor();
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.getByText("Your update is posted.").waitFor();
      await page.getByRole("link", { name: "Show it" }).click();
      await page.locator(".timeline").getByText("On my way").waitFor();
      expect(await textOf(page)).toBe("");

      await page.getByLabel("Message").fill("Too late");
      await page.getByLabel("Status", { exact: true }).selectOption("monitoring");
      await press(page, "Post update");
      await page.getByText("Not posted yet").waitFor();
      await resolve(path);
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.getByText("Your update was not posted").waitFor();
      await page.getByRole("link", { name: "Show it" }).click();
      await expect.poll(() => textOf(page)).toBe("Too late");
    });
    const { status, updates } = (await dashboard.call("GET", path)) as {
      status: string;
      updates: { message: string }[];
    };
    expect([status, updates.map(({ message }) => message)]).toEqual([
      "resolved",
      ["It recovered.", "On my way", "We look into it."],
    ]);
  });

  it("posts nothing about maintenance that ended meanwhile, and asks", async () => {
    const [start, end] = [-60_000, 3_600_000].map((offset) => new Date(Date.now() + offset).toISOString());
    const fields = { status_page_id: pageId, title: "Upgrade", start_time: start, end_time: end };
    const { id } = await dashboard.call("POST", `${V1}/maintenance`, fields);
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/maintenance/${id}`);
      await page.getByLabel("Message").fill("Half done.");
      await dashboard.call("POST", `${V1}/maintenance/${id}/complete`);
      await page.getByRole("button", { name: "Complete now" }).waitFor({ state: "detached" });
      await post(page, "Post update");
      await page.getByText(/^It was completed/).waitFor();
      expect(await textOf(page)).toBe("Half done.");
      await post(page, "Post as a note");
      await page.locator(".timeline").getByText("Half done.").waitFor();
    });
  });

  it("keeps a new incident that was half written", async () => {
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/incidents/new`);
      await page.getByLabel("Title", { exact: true }).fill("Payments fail");
      await page.getByLabel("Severity").selectOption("critical");
      await page.goto(`${dashboard.service.url}/app`);
      await page.goBack();
      await expect.poll(() => page.getByLabel("Title", { exact: true }).inputValue()).toBe("Payments fail");
      expect(await page.getByLabel("Severity").inputValue()).toBe("critical");
      await press(page, "Discard it");
      await expect.poll(() => page.getByLabel("Title", { exact: true }).inputValue()).toBe("");
    });
  });

  it("lets a new incident be taken back before anybody reads it, and opens once what was left behind", async () => {
    const found = () => dashboard.call("GET", `${V1}/incidents?q=Hasty%20news`) as unknown as Promise<unknown[]>;
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/incidents/new`);
      const title = page.getByLabel("Title", { exact: true });
      await title.fill("Hasty news");
      await page.getByLabel("Publish on the status page").check();
      await press(page, "Save");
      await page.getByRole("status").getByText("Not posted yet").waitFor();
      await press(page, "Undo");
      expect([await title.inputValue(), await found()]).toEqual(["Hasty news", []]);
      await press(page, "Save");
      await page.getByText("Not posted yet").waitFor();
      await page.goto(`${dashboard.service.url}/app/monitors`);
      await page.getByText("What you wrote is posted.").waitFor();
      await page.getByRole("link", { name: "Show it" }).click();
      await page.getByRole("link", { name: "Hasty news" }).waitFor();
      expect(await found()).toHaveLength(1);
      await page.goto(`${dashboard.service.url}/app/incidents/new`);
      expect(await title.inputValue()).toBe("");
    });
  });
});
