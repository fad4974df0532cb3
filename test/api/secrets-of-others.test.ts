import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openSecrets } from "../../src/access/monitor-secrets.ts";
import { CAPABILITIES } from "../../src/contract/member.ts";
import { openDb } from "../../src/data/db.ts";
import { findMonitor } from "../../src/data/monitors/read.ts";
import { webhooks } from "../../src/data/webhooks/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { V1 } from "../support/client.ts";
import { readTables } from "../support/database.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createMember, joinPage } from "../support/members.ts";
import { createWebhook } from "../support/webhooks.ts";

const CANARY = "canary-9c1e";
/** Everything that a member can be given but reading secrets. */
const OTHERS = CAPABILITIES.filter((capability) => capability !== "secrets.read");

const SEALED = {
  target: `https://ann:${CANARY}-p@shop.example/hook?token=${CANARY}-q&lang=`,
  http_method: "POST",
  http_headers: JSON.stringify({ "X-Key": `${CANARY}-h` }),
  http_body: `{"password":"${CANARY}-b"}`,
};
const MASKED = {
  target: "https://ann:***@shop.example/hook?token=***&lang=",
  http_headers: '{"X-Key":"***"}',
  http_body: "***",
};

/** A page with a monitor whose settings are secret, and a member who may do everything but read them. */
async function createCase(fields: Record<string, unknown> = SEALED) {
  const owner = await createAccount();
  const page = await createPage(owner);
  const external_key = `key-${newId()}`;
  const monitor = await createMonitor(owner.client, { ...fields, status_page_id: page, external_key });
  const { member } = await createMember(owner, { role: "custom", capabilities: OTHERS }, page);
  return { owner, page, monitor, external_key, attacker: member, path: `${V1}/monitors/${monitor.id}` };
}

async function asProbeSees(monitorId: string) {
  const record = await findMonitor(openDb(env.DB), monitorId);
  if (!record) throw new Error("no such monitor");
  return openSecrets(settingsOf(env), record);
}

describe("query parameters, bodies, headers and passwords of a monitor", () => {
  it("lie nowhere in clear, reach the probe, and are masked for people who lack secrets.read", async () => {
    const { owner, attacker, path, monitor, page } = await createCase();
    expect(JSON.stringify(await readTables())).not.toContain(CANARY);
    expect(monitor).toMatchObject(SEALED);
    expect((await owner.client.get(path)).body).toMatchObject(SEALED);
    expect(await asProbeSees(monitor.id)).toMatchObject({
      target: SEALED.target,
      fields: { http_headers: SEALED.http_headers, http_body: SEALED.http_body },
    });
    for (const address of [path, `${V1}/monitors?status_page_id=${page}`]) {
      const { body } = await attacker.client.get(address);
      expect(JSON.stringify(body)).not.toContain(CANARY);
      expect(Array.isArray(body) ? body[0] : body).toMatchObject(MASKED);
    }
  });

  it("stay as they are where what was shown is sent back, by anybody", async () => {
    const { owner, attacker, path, monitor } = await createCase();
    for (const { client } of [attacker, owner]) {
      const shown = (await client.get(path)).body;
      const answer = await client.put(path, { ...shown, name: newId() });
      expect(answer.status).toBe(200);
      expect(await asProbeSees(monitor.id)).toMatchObject({
        target: SEALED.target,
        fields: { http_headers: SEALED.http_headers, http_body: SEALED.http_body },
      });
    }
    expect((await owner.client.put(path, MASKED)).status).toBe(200);
    expect((await asProbeSees(monitor.id)).target).toBe(SEALED.target);
  });

  it("are replaced one by one by people who may read them, and never follow to another host", async () => {
    const { owner, path, monitor } = await createCase();
    const put = (target: string) => owner.client.put(path, { target });
    expect((await put("https://ann:***@shop.example/v2?lang=de&token=***")).status).toBe(200);
    expect((await asProbeSees(monitor.id)).target).toBe(
      `https://ann:${CANARY}-p@shop.example/v2?lang=de&token=${CANARY}-q`,
    );
    for (const target of ["https://evil.example/?token=***", "https://ann:***@shop.example/?other=***"]) {
      expect((await put(target)).status).toBe(400);
    }
  });

  it("cannot be *** before there is something to keep", async () => {
    const { client } = await createAccount();
    const body = { name: "x", type: "http", target: "https://shop.example/", http_method: "POST" };
    for (const fields of [{ target: "https://shop.example/?key=***" }, { http_body: "***" }]) {
      expect((await client.post(`${V1}/monitors`, { ...body, ...fields })).status).toBe(400);
    }
  });
});

describe("a member without secrets.read", () => {
  const changes: [string, Record<string, unknown>][] = [
    ["target", { target: "https://evil.example/" }],
    ["scheme of the target", { target: MASKED.target.replace("https:", "http:") }],
    ["path of the target", { target: MASKED.target.replace("/hook", "/redirect") }],
    [
      "target with everything else given anew",
      { target: "https://evil.example/", http_headers: null, http_body: null },
    ],
    ["type", { type: "tcp", target: "shop.example:443" }],
    ["verify_ssl", { verify_ssl: false }],
    ["tls_mode", { tls_mode: "off" }],
    ["allow_clear_password", { allow_clear_password: true }],
    ["regions", { regions: ["weur"] }],
  ];

  it.each(changes)("cannot change the %s of a monitor with sealed values, by id or by key", async (_name, change) => {
    const { attacker, path, page, external_key, monitor } = await createCase();
    const before = await asProbeSees(monitor.id);
    expect((await attacker.client.put(path, change)).status).toBe(403);
    const byKey = `${V1}/monitors/by-key/${external_key}`;
    expect((await attacker.client.put(byKey, { status_page_id: page, ...change })).status).toBe(403);
    expect(await asProbeSees(monitor.id)).toEqual(before);
  });

  it("cannot move it to an agent or a page of their own", async () => {
    const { owner, attacker, path, page, monitor } = await createCase();
    const agent = (await owner.client.post(`${V1}/agents`, { name: "Rack", status_page_id: page })).body;
    expect((await attacker.client.put(path, { agent_id: agent.id })).status).toBe(403);
    const other = await createPage(owner);
    await joinPage(attacker, other, { role: "admin" });
    expect((await attacker.client.put(path, { status_page_id: other })).status).toBe(403);
    const migration = { target_status_page_id: other, monitor_ids: [monitor.id] };
    expect((await attacker.client.post(`${V1}/status-pages/${page}/monitors/migrate`, migration)).status).toBe(403);
    const assign = (id: string, monitors: string[]) => attacker.client.put(`${V1}/status-pages/${id}`, { monitors });
    expect((await assign(other, [monitor.id])).status).toBe(403);
    expect((await assign(page, [])).status).toBe(403);
    expect((await assign(page, [monitor.id])).status).toBe(200);
    expect((await findMonitor(openDb(env.DB), monitor.id))?.status_page_id).toBe(page);
  });

  it("cannot move it to a page of their own within a composite", async () => {
    const { owner, attacker, page, monitor } = await createCase();
    const composite = { name: "All", type: "composite", status_page_id: page, child_ids: [monitor.id] };
    const { body } = await owner.client.post(`${V1}/monitors`, composite);
    const other = await createPage(owner);
    await joinPage(attacker, other, { role: "admin" });
    const answer = await attacker.client.put(`${V1}/status-pages/${other}`, { monitors: [body.id] });
    expect(answer).toMatchObject({ status: 403, body: { error: expect.stringContaining("secrets.read") } });
    expect((await findMonitor(openDb(env.DB), monitor.id))?.status_page_id).toBe(page);
  });

  it("may change everything else of it, and everything of a monitor without sealed values", async () => {
    const { attacker, path } = await createCase();
    const change = { name: "Renamed", interval: 120, http_headers: { "X-Key": "***", "X-New": "1" } };
    expect(await attacker.client.put(path, change)).toMatchObject({ status: 200, body: { name: "Renamed" } });
    const plain = await createCase({ target: "https://shop.example/" });
    expect((await plain.attacker.client.put(plain.path, { target: "https://shop.example/v2" })).status).toBe(200);
  });
});

describe("alert_channels of a webhook", () => {
  it("lie nowhere in clear, and *** keeps the stored value", async () => {
    const owner = await createAccount();
    const alert_channels = { "monitor.down": `https://sink.test/${CANARY}-c`, "monitor.up": "#ops" };
    const { id } = await createWebhook(owner, { alert_channels });
    expect(JSON.stringify(await readTables())).not.toContain(`${CANARY}-c`);
    const path = `${V1}/webhooks/${id}`;
    const kept = { "monitor.down": "***", "monitor.up": "#night" };
    expect((await owner.client.put(path, { alert_channels: kept })).body.alert_channels).toEqual({
      ...alert_channels,
      "monitor.up": "#night",
    });
    expect((await owner.client.put(path, { alert_channels: { "agent.offline": "***" } })).status).toBe(400);
    expect((await owner.client.put(path, { name: "Other" })).body.alert_channels["monitor.up"]).toBe("#night");
    const rows = await openDb(env.DB).select().from(webhooks).where(eq(webhooks.id, id));
    expect(JSON.stringify(rows)).not.toContain("#night");
  });
});
