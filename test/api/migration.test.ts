import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { incidentMonitors } from "../../src/data/incidents/table.ts";
import { maintenance, maintenanceMonitors } from "../../src/data/maintenance/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { slaTargets } from "../../src/data/sla/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { joinPage } from "../support/members.ts";

const db = openDb(env.DB);

const migrate = ({ client }: Account, from: string, to: string, monitor_ids: string[]) =>
  client.post(`${V1}/status-pages/${from}/monitors/migrate`, { target_status_page_id: to, monitor_ids });

async function rowOf(id: string) {
  const [row] = await db.select().from(monitors).where(eq(monitors.id, id));
  if (!row) throw new Error("the monitor is gone");
  return row;
}

async function versionOf(id: string) {
  const [page] = await db.select().from(statusPages).where(eq(statusPages.id, id));
  return page?.version ?? 0;
}

/** Two pages of one account. */
async function createPages() {
  const account = await createAccount();
  return { account, from: await createPage(account), to: await createPage(account) };
}

/** An account that is admin of a page of somebody else, to which it moves its own monitors. */
async function createForeignTarget(options: Parameters<typeof createAccount>[0] = {}) {
  const [account, other] = [await createAccount(), await createAccount(options)];
  const [from, to] = [await createPage(account), await createPage(other)];
  await joinPage(account, to, { role: "admin" });
  return { account, other, from, to };
}

describe("POST /status-pages/{id}/monitors/migrate", () => {
  it("deletes the event rules of the moved monitors, and no others", async () => {
    const { account, from, to } = await createPages();
    const rules = `${V1}/status-pages/${from}/events/rules`;
    const [moved, stays] = [
      await createMonitor(account.client, { status_page_id: from }),
      await createMonitor(account.client, { status_page_id: from }),
    ];
    const create = async (fields: Record<string, unknown>) =>
      (await account.client.post(rules, { event_name: "monitor.down", ...fields })).body.id;
    const gone = await create({ monitor_id: moved.id });
    const kept = [await create({ monitor_id: stays.id }), await create({})];
    const answer = await migrate(account, from, to, [moved.id]);
    expect(answer).toMatchObject({ status: 200, body: { removed_event_rules: [gone] } });
    expect((await account.client.get(rules)).body.map(({ id }: { id: string }) => id)).toEqual(kept);
    const [page] = await db.select().from(statusPages).where(eq(statusPages.id, from));
    expect(page?.enabled_rules).toBe(2);
  });

  it("moves a monitor, clears its group, and lets both pages and its object know", async () => {
    const { account, from, to } = await createPages();
    const group = (await account.client.post(`${V1}/groups`, { name: "Shops", status_page_id: from })).body;
    const monitor = await createMonitor(account.client, { status_page_id: from, group_id: group.id });
    const before = { row: await rowOf(monitor.id), from: await versionOf(from), to: await versionOf(to) };
    const answer = await migrate(account, from, to, [monitor.id]);
    expect(answer).toMatchObject({
      status: 200,
      body: { moved: 1, detached_children: [], removed_event_rules: [], removed_maintenance_targets: [] },
    });
    const row = await rowOf(monitor.id);
    expect(row).toMatchObject({ status_page_id: to, group_id: null, owner_id: account.user_id });
    expect(row.config_version).toBe(before.row.config_version + 1);
    expect(row.synced_version).toBe(row.config_version);
    expect([await versionOf(from), await versionOf(to)]).toEqual([before.from + 1, before.to + 1]);
    const log = await db
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.event_type, "monitor.migrated"), eq(auditLog.status_page_id, from)));
    expect(log).toMatchObject([{ target_id: to, data: { monitor_ids: [monitor.id], moved: 1 } }]);
  });

  it("brings the members of a composite along", async () => {
    const { account, from, to } = await createPages();
    const child = await createMonitor(account.client, { status_page_id: from });
    const composite = { type: "composite", target: undefined, status_page_id: from, child_ids: [child.id] };
    const parent = await createMonitor(account.client, composite);
    const answer = await migrate(account, from, to, [parent.id]);
    expect(answer.body).toMatchObject({ moved: 2, detached_children: [] });
    expect(await rowOf(child.id)).toMatchObject({ status_page_id: to, parent_monitor_id: parent.id });
  });

  it("detaches a member that moves alone", async () => {
    const { account, from, to } = await createPages();
    const [one, other] = [
      await createMonitor(account.client, { status_page_id: from }),
      await createMonitor(account.client, { status_page_id: from }),
    ];
    const child_ids = [one.id, other.id];
    const parent = await createMonitor(account.client, {
      type: "composite",
      target: undefined,
      status_page_id: from,
      child_ids,
    });
    expect((await migrate(account, from, to, [one.id])).body).toMatchObject({ moved: 1, detached_children: [one.id] });
    expect(await rowOf(one.id)).toMatchObject({ status_page_id: to, parent_monitor_id: null });
    expect((await account.client.get(`${V1}/monitors/${parent.id}`)).body.child_ids).toEqual([other.id]);
  });

  it("leaves maintenance targets and service level targets behind, and names what was removed", async () => {
    const { account, from, to } = await createPages();
    const [moved, stays] = [
      await createMonitor(account.client, { status_page_id: from }),
      await createMonitor(account.client, { status_page_id: from }),
    ];
    const [start_time, end_time] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    const targets = [moved, stays].map(({ id }) => ({ target_type: "monitor", target_id: id }));
    const window = { status_page_id: from, title: "Works", start_time, end_time, targets };
    const made = await account.client.post(`${V1}/maintenance`, window);
    expect(made.status).toBe(201);
    const now = Date.now();
    const target = { id: newId(), status_page_id: from, monitor_id: moved.id, target_percentage: 99 };
    await db.insert(slaTargets).values({ ...target, created_at: now, updated_at: now });
    const answer = await migrate(account, from, to, [moved.id]);
    expect(answer.body.removed_maintenance_targets).toEqual([{ maintenance_id: made.body.id, target_id: moved.id }]);
    const left = await db
      .select()
      .from(maintenanceMonitors)
      .where(eq(maintenanceMonitors.maintenance_id, made.body.id));
    expect(left.map(({ monitor_id }) => monitor_id)).toEqual([stays.id]);
    expect(await db.select().from(maintenance).where(eq(maintenance.id, made.body.id))).toHaveLength(1);
    expect(await db.select().from(slaTargets).where(eq(slaTargets.monitor_id, moved.id))).toEqual([]);
  });

  it("leaves incidents that can be read, changed and sent back as they were read", async () => {
    const { account, from, to } = await createForeignTarget();
    const [moved, stays] = [
      await createMonitor(account.client, { status_page_id: from }),
      await createMonitor(account.client, { status_page_id: from }),
    ];
    const incidents = `${V1}/incidents`;
    const made = await account.client.post(incidents, {
      status_page_id: from,
      title: "Slow",
      monitor_ids: [moved.id, stays.id],
    });
    expect(made.status).toBe(201);
    expect((await migrate(account, from, to, [moved.id])).status).toBe(200);
    const incident = `${incidents}/${made.body.id}`;
    const read = await account.client.get(incident);
    expect(read.body.monitor_ids).toEqual([stays.id]);
    expect(await account.client.put(incident, { ...read.body, title: "Very slow" })).toMatchObject({
      status: 200,
      body: { title: "Very slow", monitor_ids: [stays.id] },
    });
    // Who subscribed to the monitor on the old page still hears how it ended there.
    const named = await db.select().from(incidentMonitors).where(eq(incidentMonitors.incident_id, made.body.id));
    expect(named.map(({ monitor_id }) => monitor_id).sort()).toEqual([moved.id, stays.id].sort());
  });

  it("gives the monitors to the owner of the target page", async () => {
    const { account, other, from, to } = await createForeignTarget();
    const monitor = await createMonitor(account.client, { status_page_id: from, http_headers: "X-Key: secret" });
    expect((await migrate(account, from, to, [monitor.id])).status).toBe(200);
    expect(await rowOf(monitor.id)).toMatchObject({ owner_id: other.user_id, status_page_id: to });
    const shown = await other.client.get(`${V1}/monitors/${monitor.id}`);
    expect(shown.body.http_headers).toContain("secret");
    expect((await account.client.delete(`${V1}/monitors/${monitor.id}`)).status).toBe(204);
  });

  it.each([
    ["its number of monitors", {}, 5],
    ["an interval", { interval: 60 }, 0],
    ["a type", { type: "redis", target: "127.0.0.1:6379" }, 0],
  ])("is 403 where %s does not fit into the target owner's plan, and moves nothing", async (_name, fields, existing) => {
    const { account, other, from, to } = await createForeignTarget({ plan: "free" });
    for (let n = 0; n < existing; n++) await createMonitor(other.client);
    const fitting = await createMonitor(account.client, { status_page_id: from, interval: 300 });
    const monitor = await createMonitor(account.client, { status_page_id: from, interval: 300, ...fields });
    const answer = await migrate(account, from, to, [fitting.id, monitor.id]);
    expect(answer).toMatchObject({ status: 403, body: { code: "plan_limit" } });
    for (const { id } of [fitting, monitor]) expect(await rowOf(id)).toMatchObject({ status_page_id: from });
  });

  it("fills the target owner's plan to the last place", async () => {
    const { account, other, from, to } = await createForeignTarget({ plan: "free" });
    for (let n = 0; n < 3; n++) await createMonitor(other.client);
    const ids = [];
    for (let n = 0; n < 3; n++)
      ids.push((await createMonitor(account.client, { status_page_id: from, interval: 300 })).id);
    expect((await migrate(account, from, to, ids)).status).toBe(403);
    expect((await migrate(account, from, to, ids.slice(0, 2))).status).toBe(200);
  });

  it("refuses an external_key that the target account has", async () => {
    const { account, other, from, to } = await createForeignTarget();
    await createMonitor(other.client, { external_key: "shop" });
    const monitor = await createMonitor(account.client, { status_page_id: from, external_key: "shop" });
    expect((await migrate(account, from, to, [monitor.id])).status).toBe(409);
    expect(await rowOf(monitor.id)).toMatchObject({ status_page_id: from });
  });

  it.each([
    "viewer",
    "editor",
  ] as const)("is 403 for a target on which the caller is %s, like for none", async (role) => {
    const [owner, caller] = [await createAccount(), await createAccount()];
    const [theirs, own] = [await createPage(owner), await createPage(caller)];
    await joinPage(caller, theirs, { role });
    const monitor = await createMonitor(caller.client, { status_page_id: own });
    const shared = await createMonitor(owner.client, { status_page_id: theirs });
    const hidden = await createPage(owner);
    for (const target of [theirs, hidden, newId()]) {
      const { status, body } = await migrate(caller, own, target, [monitor.id]);
      expect([status, body.error]).toEqual([403, "this needs page.migrate on the status page"]);
    }
    const fromPages = [theirs, hidden, newId()].map((from) => migrate(caller, from, own, [shared.id]));
    expect((await Promise.all(fromPages)).map(({ status }) => status)).toEqual([403, 404, 404]);
  });

  it("refuses monitors of another page, foreign ones, none, and the same page", async () => {
    const { account, from, to } = await createPages();
    const outsider = await createAccount();
    const own = await createMonitor(account.client, { status_page_id: from });
    const elsewhere = await createMonitor(account.client, { status_page_id: to });
    const foreign = await createMonitor(outsider.client);
    for (const ids of [[own.id, elsewhere.id], [foreign.id], [newId()], []]) {
      expect((await migrate(account, from, to, ids)).status).toBe(400);
    }
    expect((await migrate(account, from, from, [own.id])).status).toBe(400);
    expect(await rowOf(own.id)).toMatchObject({ status_page_id: from });
  });

  it("answers a repeat under the same Idempotency-Key like the first time", async () => {
    const { account, from, to } = await createPages();
    const monitor = await createMonitor(account.client, { status_page_id: from });
    const ask = (monitor_ids: string[]) =>
      account.client.post(
        `${V1}/status-pages/${from}/monitors/migrate`,
        { target_status_page_id: to, monitor_ids },
        { "idempotency-key": "once" },
      );
    const first = await ask([monitor.id]);
    expect(first).toMatchObject({ status: 200, body: { moved: 1 } });
    expect(await ask([monitor.id])).toMatchObject({ status: 200, body: first.body });
    expect((await ask([monitor.id, monitor.id])).status).toBe(422);
  });

  it("moves a monitor once when two ask at once", async () => {
    const { account, from, to } = await createPages();
    const monitor = await createMonitor(account.client, { status_page_id: from });
    const answers = await Promise.all([0, 1].map(() => migrate(account, from, to, [monitor.id])));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect([400, 409]).toContain(statuses[1]);
    const log = await db
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.event_type, "monitor.migrated"), eq(auditLog.status_page_id, from)));
    expect(log).toHaveLength(1);
  });
});
