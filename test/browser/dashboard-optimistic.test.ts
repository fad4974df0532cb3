import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, DESKTOP, findBarriers, isWiderThanWindow, PHONE } from "./chromium.ts";
import { useDashboard } from "./dashboard.ts";

const V1 = "/api/uptime/v1";
const SIZES = [
  ["a desktop", DESKTOP],
  ["a phone", PHONE],
] as const;

/** What a button does is shown before the server has answered; that forms alone do the same is shown by other stories. */
describe.skipIf(!existsSync(CHROMIUM))("an action whose result is safe to show at once", () => {
  const dashboard = useDashboard();
  let pageId: string;
  beforeAll(async () => {
    pageId = String((await dashboard.call("POST", `${V1}/status-pages`, { name: "Shop", slug: "shop" })).id);
  });
  /** Before its script runs, a view sends its forms as any does, and a click waits for the answer. */
  const press = async (page: Page, button: string) => {
    await page.waitForLoadState();
    await page.getByRole("button", { name: button, exact: true }).click();
  };

  /** Holds the next form that is sent to such an address until the story lets it go. */
  const hold = async (page: Page, address: RegExp) => {
    let release = () => {};
    const released = new Promise<void>((done) => {
      release = done;
    });
    await page.route(address, async (route) => {
      if (route.request().method() === "POST") await released;
      await route.continue();
    });
    return release;
  };
  const createMonitor = async (name: string) =>
    String((await dashboard.call("POST", `${V1}/monitors`, { name, type: "heartbeat" })).id);

  it.each(SIZES)("pauses and resumes a monitor on %s", async (_name, options) => {
    const id = await createMonitor("Backup");
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors/${id}`);
      for (const [verb, button, shown, notice] of [
        ["pause", "Pause", "Paused", /^Paused: no checks/],
        ["resume", "Resume", "Pending", /^Resumed\./],
      ] as const) {
        const release = await hold(page, new RegExp(`/${verb}$`));
        await press(page, button);
        await page.locator("#monitor-status").getByText(shown, { exact: true }).waitFor();
        expect(await page.getByText(notice).count()).toBe(0);
        release();
        await page.getByText(notice).waitFor();
        await page.locator("#monitor-status").getByText(shown, { exact: true }).waitFor();
      }
    });
    expect(await dashboard.call("GET", `${V1}/monitors/${id}`)).toMatchObject({ paused: false });
  });

  it("does not cancel another form that is sent before it is done", async () => {
    const fields = { status_page_id: pageId, title: "Two at once", message: "We look into it." };
    const { id } = await dashboard.call("POST", `${V1}/incidents`, fields);
    await dashboard.visit(DESKTOP, async (page) => {
      await page.goto(`${dashboard.service.url}/app/incidents/${id}`);
      const [finish, send] = [await hold(page, /\/acknowledge$/), await hold(page, /\/publish$/)];
      await press(page, "Acknowledge");
      // A click would wait for the view that it leads to.
      await page.getByRole("button", { name: "Publish", exact: true }).dispatchEvent("click");
      finish();
      const read = () => dashboard.call("GET", `${V1}/incidents/${id}`);
      await expect.poll(async () => (await read()).acknowledged_at, { timeout: 10_000 }).not.toBe(null);
      // Time in which the view could be loaded again.
      await page.waitForTimeout(500);
      send();
      await page.getByRole("button", { name: "Unpublish" }).waitFor();
    });
    expect(await dashboard.call("GET", `${V1}/incidents/${id}`)).toMatchObject({ is_public: true });
  });

  it.each(SIZES)("is taken back with the reason where the server refuses, on %s", async (_name, options) => {
    const id = await createMonitor("Deleted meanwhile");
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/monitors/${id}`);
      const state = page.locator("#monitor-status");
      const release = await hold(page, /\/pause$/);
      await dashboard.call("DELETE", `${V1}/monitors/${id}`);
      await press(page, "Pause");
      await state.getByText("Paused", { exact: true }).waitFor();
      release();
      await page
        .getByRole("alert")
        .getByText(/^Not done: \w/)
        .waitFor();
      await state.getByText("Pending", { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: "Pause" }).isEnabled()).toBe(true);
      expect([await findBarriers(page, "refused"), await isWiderThanWindow(page)]).toEqual([[], false]);
    });
  });

  it.each(SIZES)("acknowledges an incident on %s", async (_name, options) => {
    const incident = { status_page_id: pageId, title: "Slow", message: "We look into it." };
    const { id } = await dashboard.call("POST", `${V1}/incidents`, incident);
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/incidents/${id}`);
      const release = await hold(page, /\/acknowledge$/);
      await press(page, "Acknowledge");
      await page.locator("#incident-acknowledged").getByText("Just now").waitFor();
      expect(await page.getByText("The incident is acknowledged.").count()).toBe(0);
      release();
      await page.getByText("The incident is acknowledged.").waitFor();
    });
    expect(await dashboard.call("GET", `${V1}/incidents/${id}`)).toMatchObject({
      acknowledged_at: expect.any(String),
    });
  });

  it.each(SIZES)("marks a notification as read and unread on %s", async (_name, options) => {
    const me = await dashboard.call("GET", "/api/core/v1/auth/me");
    const id = crypto.randomUUID();
    await dashboard.service.execute([
      {
        sql: `INSERT INTO notifications (id, user_id, type, title, message, status_page_id, target_id, read_at, created_at, updated_at)
          VALUES (?, ?, 'team.alert', ?, 'It is down.', NULL, NULL, NULL, ?, ?)`,
        params: [id, String(me.id), `Alert ${id}`, Date.now(), Date.now()],
      },
    ]);
    await dashboard.visit({ ...options }, async (page) => {
      await page.goto(`${dashboard.service.url}/app/notifications`);
      const row = page.getByRole("listitem").filter({ hasText: `Alert ${id}` });
      await row.getByText("New", { exact: true }).waitFor();
      for (const [button, count, notice] of [
        ["Mark as read", 0, "Marked as read."],
        ["Mark as unread", 1, "Marked as unread."],
      ] as const) {
        const release = await hold(page, new RegExp(`/notifications/${id}$`));
        await page.waitForLoadState();
        await row.getByRole("button", { name: button }).click();
        await expect.poll(() => row.getByText("New", { exact: true }).count(), { timeout: 30_000 }).toBe(count);
        expect(await page.getByText(notice).count()).toBe(0);
        release();
        await page.getByText(notice).waitFor();
        expect(await row.getByText("New", { exact: true }).count()).toBe(count);
        await page.unrouteAll();
      }
    });
  });
});
