import { describe, expect, it } from "vitest";
import { browserOf } from "../support/dashboard-crawl.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { joinPage } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createSchedule, setPolicy } from "../support/on-call.ts";
import { createWebhook } from "../support/webhooks.ts";

const PATH = "/app/alerts/who";
const rowOf = (html: string, name: string) =>
  (html.split("<tr>").find((row) => row.includes(`>${name}<`)) ?? "").replace(/<[^>]*>/g, "|").replace(/\|+/g, "|");

async function aPage() {
  const account = await createAccount();
  const page = await createPage(account, { auto_create_incident: true });
  const { id: monitor } = await insertMonitor(account.user_id, { status_page_id: page, name: "Shop" });
  return { account, page, monitor, browser: await browserOf(account) };
}

describe("who hears of what", () => {
  it("shows every channel and person of a page beside every kind of event, and why not", async () => {
    const { account, page, browser } = await aPage();
    await createWebhook(account, { name: "Everything" });
    await createWebhook(account, { name: "Ends", events: ["monitor.up"] });
    await createWebhook(account, { name: "Off", is_active: false });
    const { status, text } = await browser.open(`${PATH}?page=${page}`);
    expect(status).toBe(200);
    expect(rowOf(text, "Everything").match(/\|Notified/g)).toHaveLength(5);
    expect(rowOf(text, "Ends").match(/\|Notified/g)).toHaveLength(1);
    expect(rowOf(text, "Ends")).toContain("It listens to other events|Notified|It listens to other events");
    expect(rowOf(text, "Off")).toContain("It is off");
  });

  it("says who is on duty then, and until when", async () => {
    const { account, page, browser } = await aPage();
    const schedule = await createSchedule(
      { account, page },
      { rotations: [{ user_ids: [account.user_id], start_at: "2026-01-01T00:00:00Z", period_hours: 24 }] },
    );
    await setPolicy({ account, page }, [{ level: 1, contacts: [{ type: "schedule", value: schedule.id }] }]);
    const { text } = await browser.open(`${PATH}?page=${page}&at=2030-01-06T03:00`);
    expect(text).toContain('value="2030-01-06T03:00"');
    expect(text).toContain("At once");
    expect(text).toContain("(Primary)");
    expect((await browser.open(`${PATH}?page=${page}&at=2020-01-01T03:00`)).text).toContain("nobody");
  });

  it.each([
    "9999-12-31T23:59",
    "275760-09-13T00:00",
    "%2B275760-09-13T00:00:00.000Z",
    "-271821-04-20T00:00:00Z",
    "1066-10-14T09:00",
  ])("shows the present instead of an instant that nobody can mean: %s", async (at) => {
    const { page, browser } = await aPage();
    const { status, text } = await browser.open(`${PATH}?page=${page}&at=${at}`);
    expect([status, text.includes(`value="${at}"`)]).toEqual([200, false]);
  });

  it("is about the monitor that is chosen", async () => {
    const { account, page, browser } = await aPage();
    const { id } = await insertMonitor(account.user_id, { status_page_id: page, name: "Tagged", tags: ["night"] });
    await createWebhook(account, { name: "Night", tags: ["night"] });
    expect(rowOf((await browser.open(`${PATH}?page=${page}&monitor=${id}`)).text, "Night")).toContain("Notified");
    const [other] = [await browser.open(`${PATH}?page=${page}&monitor=nonsense`)];
    expect(rowOf(other.text, "Night")).toContain("limited to other monitors");
  });

  it("shows nothing of pages whose alerts a member does not decide on", async () => {
    const { account, page } = await aPage();
    await createWebhook(account, { name: "Everything" });
    const viewer = await createAccount();
    await joinPage(viewer, page, { role: "viewer" });
    const { status, text } = await (await browserOf(viewer)).open(`${PATH}?page=${page}`);
    expect([status, text.includes("Everything"), text.includes("Nothing to show")]).toEqual([200, false, true]);
  });
});
