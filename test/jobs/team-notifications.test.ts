import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { users } from "../../src/data/users/table.ts";
import { sweepHeldAlerts } from "../../src/delivery/held-alerts.ts";
import { playQueues, transitionOf } from "../support/alerts.ts";
import { CORE, V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { mailsTo } from "../support/mail.ts";
import { createMember, emailOf, insertBrowser } from "../support/members.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";
import { recordingEnv } from "../support/queues.ts";

const db = openDb(env.DB);
/** Later than its people join. */
const T0 = Date.now() + 3_600_000;
const MINUTE = 60_000;
const settings = { PUBLIC_URL: "https://vigil.test" };

/** A page with its owner and one member, and a monitor on it. */
async function aTeam(page: Parameters<typeof insertPage>[1] = {}) {
  const owner = await createAccount();
  const status_page_id = await insertPage(owner.user_id, page);
  const { member } = await createMember(owner, { role: "viewer" }, status_page_id);
  const monitor = await insertMonitor(owner.user_id, { status_page_id, created_at: T0 - MINUTE });
  return { owner, member, status_page_id, monitor_id: monitor.id };
}

async function outage(monitorId: string) {
  const queues = playQueues(recordingEnv(settings));
  await queues.report(monitorId, transitionOf(1, T0));
  await queues.drain(T0);
  await queues.report(monitorId, transitionOf(2, T0 + 5 * MINUTE, "HTTP 200"));
  await queues.drain(T0 + 5 * MINUTE);
}

const titlesOf = async ({ user_id }: Account) =>
  (
    await db.select().from(notifications).where(eq(notifications.user_id, user_id)).orderBy(notifications.created_at)
  ).map(({ title }) => title);
const subjectsOf = async (account: Account) => (await mailsTo(emailOf(account))).map(({ subject }) => subject);
const SUBJECTS = ["Alert: Shop is down", "Resolved: Shop is up again"];
const TITLES = ["Shop is down", "Shop is up again"];

describe("an outage", () => {
  it("reaches the owner and every member by mail and in the dashboard, without any setting", async () => {
    const { owner, member, monitor_id, status_page_id } = await aTeam();
    await outage(monitor_id);
    for (const account of [owner, member]) {
      expect(await titlesOf(account)).toEqual(TITLES);
      expect(await subjectsOf(account)).toEqual(SUBJECTS);
    }
    const listed = await member.client.get(`${CORE}/notifications`);
    expect(listed.body[0]).toMatchObject({ type: "team.alert", status_page_id, target_id: monitor_id, is_read: false });
  });

  it("is a click away from its notification, as is an incident", async () => {
    const { owner, monitor_id, status_page_id } = await aTeam();
    await outage(monitor_id);
    const fields = { status_page_id, title: "Payments fail", message: "We look into it.", monitor_ids: [monitor_id] };
    const { body: incident } = await owner.client.post(`${V1}/incidents`, fields);
    await vi.waitFor(async () => expect(await titlesOf(owner)).toHaveLength(3), PATIENCE);
    const browser = createBrowser({ cookie: (await insertBrowser(owner)).cookie ?? "" });
    for (const path of ["/app/notifications", "/app"]) {
      const { text } = await browser.open(path);
      expect(text).toMatch(new RegExp(`href="/app/monitors/${monitor_id}"[^>]*>Shop is`));
      expect(text).toMatch(new RegExp(`href="/app/incidents/${incident.id}"[^>]*>New incident: Payments fail`));
    }
    await owner.client.delete(`${V1}/monitors/${monitor_id}`);
    expect((await browser.open("/app/notifications")).text).toMatch(/href="\/app"[^>]*>Shop is/);
  });

  it("is mailed as text and HTML in one thread, with a link that turns mail off", async () => {
    const { owner, monitor_id } = await aTeam();
    await outage(monitor_id);
    const mails = await mailsTo(emailOf(owner));
    const [down, up] = mails;
    expect(down?.headers?.References).toMatch(/^<.+@.+>$/);
    expect(up?.headers?.References).toBe(down?.headers?.References);
    for (const { text, html, headers } of mails) {
      const link = /https:\/\/vigil\.test\/preferences\/[\w.-]+/.exec(text)?.[0] ?? "";
      expect(html).toContain(link);
      expect(headers?.["List-Unsubscribe"]).toBe(`<${link}>`);
      expect(headers?.["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    }
    expect(down?.text).toContain("HTTP 500");
    expect(up?.text).toContain("Lasted: 5 minutes");
    expect(down?.text).toContain(`https://vigil.test/app/monitors/${monitor_id}`);
  });

  it("whose automatic incident says the same is mailed once", async () => {
    const { owner, monitor_id } = await aTeam({ auto_create_incident: true, auto_publish_incident: true });
    await outage(monitor_id);
    expect(await subjectsOf(owner)).toEqual(SUBJECTS);
  });

  it("of a monitor without a page reaches its owner", async () => {
    const owner = await createAccount();
    const monitor = await insertMonitor(owner.user_id, { created_at: T0 - MINUTE });
    await outage(monitor.id);
    expect(await subjectsOf(owner)).toEqual(SUBJECTS);
  });

  it("reaches nobody where the page turned it off, while the other topics stay", async () => {
    const { owner, member, monitor_id, status_page_id } = await aTeam();
    const answer = await owner.client.patch(`${V1}/status-pages/${status_page_id}/alerting`, {
      notify_team: { up: false },
    });
    expect(answer.body.notify_team).toMatchObject({ up: false, down: true });
    await outage(monitor_id);
    expect(await titlesOf(owner)).toEqual(TITLES.slice(0, 1));
    expect(await subjectsOf(member)).toEqual(SUBJECTS.slice(0, 1));
  });

  it("follows what each person chose", async () => {
    const { owner, member, monitor_id } = await aTeam();
    await owner.client.put(`${CORE}/user/preferences`, { mail: false });
    await member.client.put(`${CORE}/user/preferences`, { in_app: false, notify_team: { down: false } });
    await outage(monitor_id);
    expect([await titlesOf(owner), await subjectsOf(owner)]).toEqual([TITLES, []]);
    expect([await titlesOf(member), await subjectsOf(member)]).toEqual([[], SUBJECTS.slice(1)]);
  });

  it("is not mailed to an address that nobody has proven", async () => {
    const { member, monitor_id } = await aTeam();
    await db.update(users).set({ email_verified_at: null }).where(eq(users.id, member.user_id));
    await outage(monitor_id);
    expect([await titlesOf(member), await subjectsOf(member)]).toEqual([TITLES, []]);
  });

  it("is withheld while the monitor is muted", async () => {
    const { owner, monitor_id } = await aTeam();
    await owner.client.put(`${V1}/monitors/${monitor_id}`, { muted_until: new Date(T0 + 60 * MINUTE).toISOString() });
    await outage(monitor_id);
    expect(await titlesOf(owner)).toEqual([]);
  });
});

describe("an update of an incident", () => {
  it("is read in the dashboard without the marks of its Markdown", async () => {
    const { owner, member, status_page_id } = await aTeam();
    const message = "We **look** into [it](https://example.com/status)";
    await owner.client.post(`${V1}/incidents`, { status_page_id, title: "Slow **search**", message });
    const read = async () => (await member.client.get(`${CORE}/notifications`)).body;
    await vi.waitFor(async () => expect(await read()).toHaveLength(1), PATIENCE);
    expect(await read()).toMatchObject([
      { title: expect.stringContaining("Slow **search**"), message: "We look into it" },
    ]);
  });
});

describe("the sweep", () => {
  it("finds an alert whose message was lost, and notifies once however often it runs", async () => {
    const { owner, monitor_id, status_page_id } = await aTeam();
    const recording = recordingEnv(settings);
    const queues = playQueues(recording);
    await queues.report(monitor_id, transitionOf(1, T0));
    queues.lose();
    await sweepHeldAlerts({ ...jobScope(recording.env, "test"), now: T0 + 1_000 });
    expect(recording.events).toEqual([]);
    const late = { ...jobScope(recording.env, "test"), now: T0 + MINUTE };
    await Promise.all([sweepHeldAlerts(late), sweepHeldAlerts(late)]);
    await queues.drain(T0 + MINUTE);
    expect(await subjectsOf(owner)).toEqual(SUBJECTS.slice(0, 1));
    const rows = await db.select().from(events).where(eq(events.status_page_id, status_page_id));
    expect(rows.map(({ held_until }) => held_until)).toEqual([null]);
  });
});
