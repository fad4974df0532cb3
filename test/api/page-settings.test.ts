import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";
import { createShop, createVisitor } from "../support/pages.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const db = openDb(env.DB);
const at = (pageId: string, rest: string) => `${V1}/status-pages/${pageId}/${rest}`;

async function versionOf(pageId: string) {
  const [page] = await db.select().from(statusPages).where(eq(statusPages.id, pageId));
  return page?.version ?? 0;
}

describe("PUT /status-pages/{id}/legal", () => {
  it("shows the links in the footer of the page at once", async () => {
    const { account, page, path } = await createShop();
    const see = createVisitor();
    await see(path);
    const before = await versionOf(page.id);
    const links = { imprint_url: "https://northwind.test/imprint", privacy_url: "https://northwind.test/privacy" };
    const answer = await account.client.put(at(page.id, "legal"), links);
    expect(answer).toMatchObject({ status: 200, body: links });
    expect(await versionOf(page.id)).toBe(before + 1);
    const { text } = await see(path);
    expect(text).toContain('<a href="https://northwind.test/imprint"');
    expect(text).toContain('<a href="https://northwind.test/privacy"');
    expect((await account.client.get(`${V1}/status-pages/${page.id}`)).body).toMatchObject(links);
  });

  it("keeps what is absent and clears what is null or empty", async () => {
    const account = await createAccount();
    const page = await createPage(account, { imprint_url: "https://a.test/", privacy_url: "https://b.test/" });
    const put = async (body: object) => (await account.client.put(at(page, "legal"), body)).body;
    expect(await put({ imprint_url: null })).toEqual({ imprint_url: null, privacy_url: "https://b.test/" });
    expect(await put({ privacy_url: "" })).toEqual({ imprint_url: null, privacy_url: null });
  });

  it.each([
    "http://northwind.test/",
    "javascript:alert(1)",
    "northwind.test",
    `https://n.test/${"x".repeat(2000)}`,
  ])("refuses %s as a link", async (imprint_url) => {
    const account = await createAccount();
    const answer = await account.client.put(at(await createPage(account), "legal"), { imprint_url });
    expect(answer.status).toBe(400);
  });
});

describe("PATCH /status-pages/{id}/alerting", () => {
  it("changes what is named, and answers all of it", async () => {
    const account = await createAccount();
    const page = await createPage(account);
    const patch = (body: object) => account.client.patch(at(page, "alerting"), body);
    const settings = {
      incident_system_enabled: false,
      auto_create_incident: true,
      auto_publish_incident: true,
      advanced_alerts: true,
      alert_routing: { "monitor.down": "critical", "monitor.up": "team_only" },
      notify_team: {
        down: true,
        up: false,
        degraded: true,
        incident: true,
        maintenance: true,
        agent_offline: true,
        certificate: true,
      },
    };
    expect(await patch(settings)).toMatchObject({ status: 200, body: settings });
    const [entry] = await db.select().from(auditLog).where(eq(auditLog.target_id, page));
    expect(entry).toMatchObject({ event_type: "page.alerting_updated", owner_id: account.user_id });
    expect((await patch({ auto_create_incident: false })).body).toEqual({ ...settings, auto_create_incident: false });
    expect((await patch({ alert_routing: null, incident_system_enabled: null })).body).toEqual({
      ...settings,
      auto_create_incident: false,
      incident_system_enabled: true,
      alert_routing: {},
    });
    const restored = await patch({ notify_team: { up: null } });
    expect(restored.body.notify_team).toEqual({ ...settings.notify_team, up: true });
  });

  it.each([
    ["an event that is not routed", { "agent.offline": "public" }],
    ["an unknown audience", { "monitor.down": "everybody" }],
    ["a list", ["monitor.down"]],
  ])("refuses %s", async (_name, alert_routing) => {
    const account = await createAccount();
    const answer = await account.client.patch(at(await createPage(account), "alerting"), { alert_routing });
    expect(answer.status).toBe(400);
  });

  it("is 403 for members who may not manage the page, and 404 for everybody else", async () => {
    const [owner, outsider] = [await createAccount(), await createAccount()];
    const { id, member } = await createMember(owner, { role: "editor" });
    const answers = [
      await member.client.patch(at(id, "alerting"), {}),
      await outsider.client.patch(at(id, "alerting"), {}),
      await outsider.client.patch(at(newId(), "alerting"), {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 404, 404]);
  });

  it("decides who hears of an event", async () => {
    const account = await createAccount();
    const [routed, other] = [await createPage(account), await createPage(account)];
    const open = await createWebhook(account, {});
    const team = await createWebhook(account, { is_team_only: true });
    await account.client.patch(at(routed, "alerting"), {
      alert_routing: { "monitor.down": "team_only", "maintenance.completed": "team_only" },
    });
    const hear = async (status_page_id: string | null, name: string) => {
      const event = eventOf(account.user_id, { name, status_page_id });
      await route(event);
      const rows = await db.select().from(deliveries).where(eq(deliveries.event_id, event.id));
      return rows.map(({ webhook_id }) => webhook_id).sort();
    };
    const both = [open.id, team.id].sort();
    expect(await hear(routed, "monitor.down")).toEqual([team.id]);
    expect(await hear(routed, "maintenance.completed")).toEqual([team.id]);
    expect(await hear(routed, "monitor.up")).toEqual(both);
    expect(await hear(other, "monitor.down")).toEqual(both);
    expect(await hear(null, "monitor.down")).toEqual(both);
  });
});
