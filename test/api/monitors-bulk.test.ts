import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { type Client, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";

const MONITORS = `${V1}/monitors`;
const outside = vi.spyOn(globalThis, "fetch");
beforeEach(() => void outside.mockReset().mockImplementation(async () => new Response("ok")));

const bulk = (client: Client, body: unknown, headers?: Record<string, string>) =>
  client.post(`${MONITORS}/bulk`, body, headers);
const read = async (client: Client, id: string) => (await client.get(`${MONITORS}/${id}`)).body;

describe("POST /monitors/{id}/clone", () => {
  it("makes a monitor with the same settings and secrets, without what only one can have", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const original = await createMonitor(account.client, {
      status_page_id,
      external_key: "shop",
      tags: ["eu"],
      interval: 120,
      failure_threshold: 7,
      http_headers: { authorization: "Bearer swordfish" },
    });
    const { status, body } = await account.client.post(`${MONITORS}/${original.id}/clone`, {});
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: "Shop (copy)",
      status_page_id,
      external_key: null,
      tags: ["eu"],
      interval: 120,
      failure_threshold: 7,
      paused: true,
      target: original.target,
    });
    expect(body.id).not.toBe(original.id);
    expect(JSON.stringify(body.http_headers)).toContain("swordfish");
    const named = await account.client.post(`${MONITORS}/${original.id}/clone`, { name: "Two", status_page_id: null });
    expect(named.body).toMatchObject({ name: "Two", status_page_id: null });
    expect(await read(account.client, original.id)).toMatchObject({ external_key: "shop", name: "Shop" });
  });

  it("gives a heartbeat a token of its own, and a composite no members", async () => {
    const { client } = await createAccount();
    const beat = (await client.post(MONITORS, { name: "Job", type: "heartbeat", expected_interval: 60 })).body;
    const copy = (await client.post(`${MONITORS}/${beat.id}/clone`, {})).body;
    expect(copy.heartbeat_token).toMatch(/^hb_/);
    expect(copy.heartbeat_token).not.toBe(beat.heartbeat_token);
    const member = await createMonitor(client);
    const composite = (await client.post(MONITORS, { name: "All", type: "composite", child_ids: [member.id] })).body;
    expect((await client.post(`${MONITORS}/${composite.id}/clone`, {})).body.child_ids).toEqual([]);
    expect((await read(client, member.id)).parent_monitor_id).toBe(composite.id);
  });

  it("counts against the plan, needs the right to write and to read secrets, and hides from outsiders", async () => {
    const owner = await createAccount({ plan: "free" });
    const status_page_id = await createPage(owner);
    const first = await createMonitor(owner.client, { status_page_id, http_headers: { "x-key": "secret-value" } });
    const path = `${MONITORS}/${first.id}/clone`;
    const { member: viewer } = await createMember(owner, { role: "viewer" }, status_page_id);
    const { member: writer } = await createMember(
      owner,
      { role: "custom", capabilities: ["monitors.write"] },
      status_page_id,
    );
    expect((await viewer.client.post(path, {})).status).toBe(403);
    expect((await writer.client.post(path, {})).status).toBe(403);
    expect((await (await createAccount()).client.post(path, {})).status).toBe(404);
    for (let n = 0; n < 4; n++) expect((await owner.client.post(path, {})).status).toBe(201);
    expect(await owner.client.post(path, {})).toMatchObject({ status: 403, body: { code: "plan_limit" } });
    const foreign = await createPage(await createAccount());
    expect((await owner.client.post(path, { status_page_id: foreign })).status).toBe(400);
  });

  it("makes one for one Idempotency-Key", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client);
    const clone = () => client.post(`${MONITORS}/${id}/clone`, {}, { "idempotency-key": "once" });
    expect((await clone()).body.id).toBe((await clone()).body.id);
  });
});

describe("POST /monitors/bulk", () => {
  it.each([
    ["pause", false, true],
    ["resume", true, false],
  ] as const)("can %s monitors by id", async (action, before, after) => {
    const { client } = await createAccount();
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await createMonitor(client, { paused: before })).id);
    expect(await bulk(client, { ids, action })).toMatchObject({ status: 200, body: { updated: 3, failed: [] } });
    for (const id of ids) {
      const { paused, status } = await read(client, id);
      expect([paused, status === "paused"]).toEqual([after, after]);
      const { body } = await client.get(`${V1}/audit/monitor/${id}/events?event_type=monitor.${action}d`);
      expect(body).toMatchObject([{ summary: `${action}d monitor "Shop"`, target_id: id }]);
    }
  });

  it("changes what a filter matches, each within the rules of its type", async () => {
    const { client } = await createAccount();
    const shop = await createMonitor(client, { tags: ["eu"], name: "Shop" });
    const other = await createMonitor(client, { tags: ["us"] });
    const beat = await createMonitor(client, { tags: ["eu"], type: "heartbeat", target: undefined });
    const changes = { tags: ["eu", "gold"], regions: ["weur"], interval: 300 };
    const { body } = await bulk(client, { filter: { tag: "eu" }, action: "update", changes });
    expect(body).toEqual({ updated: 1, failed: [{ id: beat.id, error: expect.stringContaining("regions") }] });
    expect(await read(client, shop.id)).toMatchObject({ tags: ["eu", "gold"], interval: 300, regions: ["weur"] });
    expect(await read(client, other.id)).toMatchObject({ tags: ["us"], interval: 60 });
    expect(await read(client, beat.id)).toMatchObject({ tags: ["eu"] });
  });

  it("deletes monitors, and empties their objects", async () => {
    const { client } = await createAccount();
    const ids = [(await createMonitor(client)).id, (await createMonitor(client)).id];
    expect((await bulk(client, { ids, action: "delete" })).body).toEqual({ updated: 2, failed: [] });
    for (const id of ids) expect((await client.get(`${MONITORS}/${id}`)).status).toBe(404);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM deleted_monitors WHERE monitor_id IN (?, ?)")
      .bind(...ids)
      .first("n");
    expect(left).toBe(0);
  });

  it("judges the rights of each, and leaves those that may not be changed", async () => {
    const owner = await createAccount();
    const status_page_id = await createPage(owner);
    const seen = await createMonitor(owner.client, { status_page_id, paused: false });
    const hidden = await createMonitor(owner.client);
    const { member: viewer } = await createMember(owner, { role: "viewer" }, status_page_id);
    const own = await createMonitor(viewer.client, { paused: false });
    const ids = [seen.id, own.id, hidden.id, newId()];
    const { body } = await bulk(viewer.client, { ids, action: "pause" });
    expect(body.updated).toBe(1);
    expect(body.failed.map(({ id }: { id: string }) => id)).toEqual([seen.id, hidden.id, ids[3]]);
    expect(body.failed.slice(1).map(({ error }: { error: string }) => error)).toEqual(
      Array(2).fill("monitor not found"),
    );
    expect((await read(owner.client, seen.id)).paused).toBe(false);
    const { member: writer } = await createMember(
      owner,
      { role: "custom", capabilities: ["monitors.write"] },
      status_page_id,
    );
    await owner.client.put(`${MONITORS}/${seen.id}`, { http_headers: { "x-key": "secret-value" } });
    const diverted = { ids: [seen.id], action: "update", changes: { target: "http://sink.test/mine" } };
    expect((await bulk(writer.client, diverted)).body).toMatchObject({
      updated: 0,
      failed: [{ id: seen.id, error: expect.stringContaining("secrets.read") }],
    });
  });

  it.each([
    ["an empty filter", { filter: {}, action: "pause" }],
    ["neither ids nor filter", { action: "pause" }],
    ["both", { ids: [newId()], filter: { q: "a" }, action: "pause" }],
    ["no ids", { ids: [], action: "pause" }],
    ["more than 100 ids", { ids: Array.from({ length: 101 }, () => newId()), action: "pause" }],
    ["an update without changes", { ids: [newId()], action: "update" }],
    ["one key for all", { ids: [newId()], action: "update", changes: { external_key: "a" } }],
    ["an unknown status", { filter: { status: "asleep" }, action: "pause" }],
    ["an unknown action", { ids: [newId()], action: "explode" }],
    ["a page of others", { filter: { status_page_id: newId() }, action: "pause" }],
  ])("refuses %s", async (_name, body) => {
    expect((await bulk((await createAccount()).client, body)).status).toBe(400);
  });

  it("takes 100 monitors, and refuses a filter that matches more", async () => {
    const { client } = await createAccount();
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) ids.push((await createMonitor(client)).id);
    const changes = { interval: 300 };
    expect((await bulk(client, { ids, action: "update", changes })).body).toEqual({ updated: 100, failed: [] });
    expect((await bulk(client, { filter: { q: "shop" }, action: "resume" })).body.updated).toBe(100);
    await createMonitor(client);
    const tooMany = await bulk(client, { filter: { q: "shop" }, action: "delete" });
    expect(tooMany).toMatchObject({ status: 400, body: { error: expect.stringContaining("101") } });
  });

  it("answers a repeat of its Idempotency-Key the same, without doing it again", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { paused: false });
    const once = { "idempotency-key": "once" };
    const first = await bulk(client, { ids: [id], action: "pause" }, once);
    await client.post(`${MONITORS}/${id}/resume`);
    expect((await bulk(client, { ids: [id], action: "pause" }, once)).body).toEqual(first.body);
    expect((await read(client, id)).paused).toBe(false);
  });
});
