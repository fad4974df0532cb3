import { describe, expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { joinPage } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createSchedule, setPolicy, toUser } from "../support/on-call.ts";
import { createWebhook } from "../support/webhooks.ts";

const receiversOf = async ({ client }: Account, monitorId: string) =>
  (await client.get(`${V1}/monitors/${monitorId}/alert-receivers`)).body;
const namesIn = (receivers: { channels: { name: string }[] }) => receivers.channels.map(({ name }) => name).toSorted();

async function aPage(fields: Parameters<typeof createPage>[1] = {}) {
  const account = await createAccount();
  const page = await createPage(account, { auto_create_incident: true, ...fields });
  const add = async (more: object = {}) => (await insertMonitor(account.user_id, { status_page_id: page, ...more })).id;
  return { account, page, add };
}

describe("whom an outage would reach", () => {
  it("are the channels that listen to it, by the events by which they hear", async () => {
    const { account, page, add } = await aPage({ auto_publish_incident: true });
    const other = await createPage(account);
    const shop = await add({ tags: ["shop"] });
    await createWebhook(account, { name: "machine" });
    await createWebhook(account, { name: "chat", provider: "slack", status_page_id: page });
    await createWebhook(account, { name: "shop", tags: ["shop"] });
    await createWebhook(account, { name: "search", tags: ["search"] });
    await createWebhook(account, { name: "another page", status_page_id: other });
    await createWebhook(account, { name: "recoveries", events: ["monitor.up"] });
    await createWebhook(account, { name: "off", is_active: false });
    const receivers = await receiversOf(account, shop);
    expect(namesIn(receivers)).toEqual(["chat", "machine", "shop"]);
    const eventsTo = (wanted: string) =>
      receivers.channels.find(({ name }: { name: string }) => name === wanted).events;
    expect(eventsTo("machine")).toEqual(["monitor.down", "incident.created"]);
    expect(eventsTo("chat")).toEqual(["monitor.down"]);
    expect(receivers.channels[0].failing_since).toBeNull();
  });

  it("are those on call by the policy that takes it, now and in its order", async () => {
    const { account, page, add } = await aPage();
    const team = { account, page };
    const schedule = await createSchedule(team, {
      rotations: [{ user_ids: [account.user_id], start_at: "2026-01-01T00:00:00Z", period_hours: 24 }],
    });
    const steps = [
      { level: 1, contacts: [{ type: "schedule", value: schedule.id }] },
      { level: 2, wait_minutes: 10, contacts: toUser(account.user_id) },
      { level: 3, wait_minutes: 5, contacts: [{ type: "email", value: "boss@shop.example", label: "Boss" }] },
    ];
    await setPolicy(team, steps, { name: "Everything" });
    await setPolicy(team, steps.slice(1), { name: "Shop", is_default: false, tags: ["shop"] });
    expect((await receiversOf(account, await add())).on_call).toMatchObject({
      name: "Everything",
      steps: [
        { level: 1, after_minutes: 0, contacts: [{ type: "schedule", label: "Primary", user_id: account.user_id }] },
        { level: 2, after_minutes: 10, contacts: [{ type: "user", user_id: account.user_id }] },
        { level: 3, after_minutes: 15, contacts: [{ type: "email", label: "Boss", user_id: null, name: null }] },
      ],
    });
    expect((await receiversOf(account, await add({ tags: ["shop"] }))).on_call.name).toBe("Shop");
    expect((await receiversOf(account, await add({ auto_create_incident: false }))).on_call).toBeNull();
  });

  it("are the members of the team, as the page and they themselves want it", async () => {
    const { account, page, add } = await aPage();
    const member = await createAccount();
    await joinPage(member, page, { role: "viewer" });
    const monitor = await add();
    const people = async () =>
      (await receiversOf(account, monitor)).team.map(({ user_id }: { user_id: string }) => user_id).toSorted();
    expect(await people()).toEqual([account.user_id, member.user_id].toSorted());
    const quiet = { notify_team: { down: false, incident: false } };
    expect((await member.client.put("/api/core/v1/user/preferences", quiet)).status).toBe(200);
    expect(await people()).toEqual([account.user_id]);
  });

  it("are said with those whom it does not reach, and why", async () => {
    const { account, page, add } = await aPage();
    const other = await createPage(account);
    const shop = await add({ tags: ["shop"] });
    await createWebhook(account, { name: "machine" });
    await createWebhook(account, { name: "search", tags: ["search"] });
    await createWebhook(account, { name: "recoveries", events: ["monitor.up"] });
    await createWebhook(account, { name: "off", is_active: false });
    await createWebhook(account, { name: "another page", status_page_id: other });
    const member = await createAccount();
    await joinPage(member, page, { role: "viewer" });
    await member.client.put("/api/core/v1/user/preferences", { notify_team: { down: false, incident: false } });
    const { silent_channels, silent_team } = await receiversOf(account, shop);
    expect(
      Object.fromEntries(silent_channels.map(({ name, reason }: Record<string, string>) => [name, reason])),
    ).toEqual({
      search: "targets",
      recoveries: "events",
      off: "off",
    });
    expect(silent_team).toMatchObject([{ user_id: member.user_id, reason: "person" }]);
    const admin = await createAccount();
    await joinPage(admin, page, { role: "admin" });
    expect((await receiversOf(admin, shop)).silent_channels).toEqual([]);
    await account.client.put(`${V1}/status-pages/${page}`, { notify_team: { down: false, incident: false } });
    expect((await receiversOf(account, shop)).silent_team).toContainEqual(
      expect.objectContaining({ user_id: account.user_id, reason: "page" }),
    );
  });

  it("may be asked of another event and of another time", async () => {
    const { account, page, add } = await aPage();
    const monitor = await add();
    await createWebhook(account, { name: "recoveries", events: ["monitor.up"] });
    await createWebhook(account, { name: "outages", events: ["monitor.down"] });
    const second = await createAccount();
    await joinPage(second, page, { role: "editor" });
    const team = { account, page };
    const schedule = await createSchedule(team, {
      rotations: [{ user_ids: [account.user_id, second.user_id], start_at: "2026-01-01T00:00:00Z", period_hours: 24 }],
    });
    await setPolicy(team, [{ level: 1, contacts: [{ type: "schedule", value: schedule.id }] }]);
    const asked = async (query: string) =>
      (await account.client.get(`${V1}/monitors/${monitor}/alert-receivers?${query}`)).body;
    const ended = await asked("event=monitor.up");
    expect(namesIn(ended)).toEqual(["recoveries"]);
    expect(ended.on_call).toBeNull();
    const onCallAt = async (at: string) => (await asked(`at=${at}`)).on_call.steps[0].contacts[0].user_id;
    expect(await onCallAt("2026-01-01T12:00:00Z")).toBe(account.user_id);
    expect(await onCallAt("2026-01-02T12:00:00Z")).toBe(second.user_id);
    const path = `${V1}/monitors/${monitor}/alert-receivers`;
    expect((await account.client.get(`${path}?event=incident.updated`)).status).toBe(400);
    expect((await account.client.get(`${path}?at=yesterday`)).status).toBe(400);
  });

  it("is one step from an incident, as of when it began", async () => {
    const { account, page, add } = await aPage();
    const monitor = await add();
    const incident = { title: "Slow", severity: "minor", monitor_id: monitor, started_at: "2026-01-02T03:04:05Z" };
    const made = await account.client.post(`${V1}/incidents`, { ...incident, status_page_id: page });
    const browser = await browserOf(account);
    const shown = (await browser.open(`/app/incidents/${made.body.id}`)).text;
    expect(shown).toContain(`action="/app/monitors/${monitor}/receivers"`);
    const at = Date.parse(incident.started_at);
    expect(shown).toContain(`name="at" value="${at}"`);
    const asked = (await browser.open(`/app/monitors/${monitor}/receivers?event=monitor.up&at=${at}`)).text;
    expect(asked).toContain("as of");
    expect(asked).toContain(`event=monitor.degraded&amp;at=${at}`);
  });

  it("is said to wait for the end of a mute", async () => {
    const { account, add } = await aPage();
    const until = Date.now() + 3_600_000;
    const monitor = await add({ muted_until: until });
    expect((await receiversOf(account, monitor)).withheld_until).toBe(new Date(until).toISOString());
  });

  it("is for who may decide where alerts go", async () => {
    const { account, page, add } = await aPage();
    const editor = await createAccount();
    await joinPage(editor, page, { role: "viewer" });
    const path = `${V1}/monitors/${await add()}/alert-receivers`;
    expect((await editor.client.get(path)).status).toBe(403);
    expect((await (await createAccount()).client.get(path)).status).toBe(404);
    expect((await account.client.get(path)).status).toBe(200);
  });
});
