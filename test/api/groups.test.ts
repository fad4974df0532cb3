import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createClient, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";

async function setUp() {
  const account = await createAccount();
  const status_page_id = await createPage(account);
  const { client } = account;
  const create = async (name: string) => (await client.post(`${V1}/groups`, { name, status_page_id })).body;
  const names = async (path = `/groups?status_page_id=${status_page_id}`) =>
    (await client.get(`${V1}${path}`)).body.map((group: { name: string }) => group.name);
  return { account, client, status_page_id, create, names };
}

async function pageVersion(pageId: string) {
  return env.DB.prepare("SELECT version FROM status_pages WHERE id = ?").bind(pageId).first<number>("version");
}

describe("groups", () => {
  it("stand below each other in the order in which they were made, until it is changed", async () => {
    const { client, status_page_id, create, names } = await setUp();
    const [a, b] = [await create(" A "), await create("B")];
    expect(a).toEqual({
      id: a.id,
      name: "A",
      status_page_id,
      order: 0,
      external_key: null,
      created_at: a.created_at,
      updated_at: a.created_at,
    });
    expect(await names()).toEqual(["A", "B"]);
    const groups = [
      { id: b.id, order: 0 },
      { id: a.id, order: 1 },
    ];
    expect(await client.put(`${V1}/groups/order`, { status_page_id, groups })).toMatchObject({
      status: 200,
      body: { updated: 2 },
    });
    expect(await names()).toEqual(["B", "A"]);
    expect(await names(`/status-pages/${status_page_id}/groups`)).toEqual(["B", "A"]);
    expect(await names("/groups")).toEqual(["B", "A"]);
    const page = await client.get(`${V1}/groups?limit=1&offset=1`);
    expect([page.headers.get("x-total-count"), page.body[0].name]).toEqual(["2", "A"]);
  });

  it("are renamed and deleted; their monitors stay", async () => {
    const { client, status_page_id, create, names } = await setUp();
    const group = await create("Old");
    const monitor = await createMonitor(client, { status_page_id, group_id: group.id });
    expect(monitor.group_id).toBe(group.id);
    expect((await client.put(`${V1}/groups/${group.id}`, { ...group, name: "New" })).body.name).toBe("New");
    expect((await client.put(`${V1}/groups/${group.id}`, {})).body.name).toBe("New");
    expect((await client.delete(`${V1}/groups/${group.id}`)).status).toBe(204);
    expect(await names()).toEqual([]);
    expect((await client.get(`${V1}/monitors/${monitor.id}`)).body).toMatchObject({ group_id: null, status_page_id });
    expect((await client.delete(`${V1}/groups/${group.id}`)).status).toBe(404);
  });

  it("go with their page", async () => {
    const { client, status_page_id, create } = await setUp();
    const group = await create("G");
    const monitor = await createMonitor(client, { status_page_id, group_id: group.id });
    await env.DB.prepare("DELETE FROM status_pages WHERE id = ?").bind(status_page_id).run();
    expect((await client.get(`${V1}/monitors/${monitor.id}`)).body).toMatchObject({
      group_id: null,
      status_page_id: null,
    });
  });

  it("make readers of the page see every change, and leave an audit entry", async () => {
    const { client, status_page_id, create } = await setUp();
    const versions = [await pageVersion(status_page_id)];
    const { id } = await create("G");
    versions.push(await pageVersion(status_page_id));
    await client.put(`${V1}/groups/${id}`, { name: "H" });
    versions.push(await pageVersion(status_page_id));
    await client.put(`${V1}/groups/order`, { status_page_id, groups: [{ id, order: 5 }] });
    versions.push(await pageVersion(status_page_id));
    await client.delete(`${V1}/groups/${id}`);
    versions.push(await pageVersion(status_page_id));
    expect(versions).toEqual([...new Set(versions)].toSorted());
    const audit = await env.DB.prepare("SELECT event_type FROM audit_log WHERE status_page_id = ? ORDER BY id")
      .bind(status_page_id)
      .all();
    expect(audit.results.map(({ event_type }) => event_type)).toEqual(
      ["created", "updated", "ordered", "deleted"].map((verb) => `group.${verb}`),
    );
  });

  it("hold only monitors of their own page", async () => {
    const { account, client, create } = await setUp();
    const group = await create("G");
    const elsewhere = await createPage(account);
    const body = { name: "x", type: "http", target: "http://sink.test/", paused: true, group_id: group.id };
    for (const status_page_id of [undefined, elsewhere]) {
      expect(await client.post(`${V1}/monitors`, { ...body, status_page_id })).toMatchObject({
        status: 400,
        body: { error: "group_id must name a group of the same status page" },
      });
    }
  });

  it.each([
    ["no name", { name: undefined }],
    ["an empty name", { name: " " }],
    ["a long name", { name: "x".repeat(201) }],
    ["no page", { status_page_id: undefined }],
    ["a page that is no id", { status_page_id: "x" }],
    ["a page that is not there", { status_page_id: "00000000-0000-4000-8000-000000000000" }],
  ])("are refused with %s", async (_name, fields) => {
    const { client, status_page_id, names } = await setUp();
    expect((await client.post(`${V1}/groups`, { name: "G", status_page_id, ...fields })).status).toBe(400);
    expect(await names()).toEqual([]);
  });

  it("cannot be ordered twice at once, or on a page that is not theirs", async () => {
    const { account, client, status_page_id, create } = await setUp();
    const { id } = await create("G");
    const elsewhere = await createPage(account);
    const once = { id, order: 1 };
    for (const body of [
      { status_page_id, groups: [once, once] },
      { status_page_id: elsewhere, groups: [once] },
      { status_page_id, groups: [] },
      { status_page_id, groups: [{ id, order: -1 }] },
    ]) {
      expect((await client.put(`${V1}/groups/order`, body)).status).toBe(400);
    }
  });

  it("of another account look like none", async () => {
    const { status_page_id, create, names } = await setUp();
    const group = await create("G");
    const { client } = await createAccount();
    const path = `${V1}/groups/${group.id}`;
    expect((await client.put(path, { name: "mine" })).status).toBe(404);
    expect((await client.delete(path)).status).toBe(404);
    expect((await client.post(`${V1}/groups`, { name: "G", status_page_id })).status).toBe(400);
    expect((await client.get(`${V1}/groups?status_page_id=${status_page_id}`)).status).toBe(400);
    expect((await client.get(`${V1}/status-pages/${status_page_id}/groups`)).status).toBe(404);
    expect((await client.get(`${V1}/groups`)).body).toEqual([]);
    expect((await createClient().get(`${V1}/groups`)).status).toBe(401);
    expect(await names()).toEqual(["G"]);
  });

  it("are made once under one Idempotency-Key", async () => {
    const { client, status_page_id, names } = await setUp();
    const send = () => client.post(`${V1}/groups`, { name: "G", status_page_id }, { "idempotency-key": "g" });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(await names()).toEqual(["G"]);
  });
});
