import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { MONITOR_TYPES } from "../../src/contract/monitor-values.ts";
import { learnColo } from "../../src/platform/colo.ts";
import { createClient, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";

async function rowOf(monitorId: string) {
  return env.DB.prepare("SELECT * FROM monitors WHERE id = ?").bind(monitorId).first<Record<string, unknown>>();
}

async function auditOf(monitorId: string): Promise<string[]> {
  const rows = await env.DB.prepare("SELECT event_type FROM audit_log WHERE monitor_id = ? ORDER BY id")
    .bind(monitorId)
    .all<{ event_type: string }>();
  return rows.results.map((row) => row.event_type);
}

async function pageVersion(pageId: string): Promise<number> {
  const row = await env.DB.prepare("SELECT version FROM status_pages WHERE id = ?")
    .bind(pageId)
    .first<{ version: number }>();
  return row?.version ?? 0;
}

/** One body per type that the service can watch without an agent. */
const VALID: [type: string, body: Record<string, unknown>][] = [
  ["http", { target: "http://a.example/health", http_method: "POST", http_body: "{}" }],
  ["https", { target: "a.example", expected_statuses: ["200-299", 304], expected_keywords: "ok" }],
  ["tcp", { target: "a.example:5222" }],
  ["dns", { target: "a.example" }],
  ["smtp", { target: "mail.a.example:587" }],
  ["pop3", { target: "mail.a.example:995" }],
  ["imap", { target: "mail.a.example:993" }],
  ["telnet", { target: "a.example:23" }],
  ["postgres", { target: "postgres://u:secret@db.a.example:5432/shop" }],
  ["mysql", { target: "mysql://u:secret@db.a.example:3306/shop" }],
  ["redis", { target: "redis://:secret@cache.a.example:6379" }],
  ["ssl", { target: "a.example:443" }],
  ["domain", { target: "example.com" }],
  ["heartbeat", { schedule: "*/5 9-17 * * 1-5", timezone: "Europe/Berlin", grace_seconds: 60 }],
  ["api", { degraded_timeout_seconds: 300 }],
  ["game_server", { query_method: "push", game_type: "rust" }],
  ["composite", { child_ids: [] }],
];

/** Types that only an agent can run. */
const AGENT_ONLY = [
  ...["icmp", "ping", "udp", "agent", "docker", "podman", "docker_swarm", "kubernetes", "proxmox", "vmware", "ceph"],
  ...["rabbitmq", "kafka", "mqtt", "snmp", "network_device"],
];

describe("POST /monitors", () => {
  it("answers a new monitor with all defaults resolved, ready to be checked", async () => {
    const { client, user_id } = await createAccount();
    const created = await client.post(`${V1}/monitors`, {
      name: " Shop ",
      type: "https",
      target: "https://127.0.0.1:9",
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: "Shop",
      type: "https",
      target: "https://127.0.0.1:9",
      interval: 60,
      timeout_seconds: 10,
      failure_threshold: 3,
      recovery_threshold: 2,
      retry_interval: 20,
      regions: [],
      region_policy: "majority",
      status: "pending",
      paused: false,
      http_method: "GET",
      http_headers: null,
      http_body: null,
      expected_status: null,
      expected_statuses: [],
      follow_redirects: true,
      verify_ssl: true,
      auto_create_incident: null,
      incident_severity: "major",
      status_page_id: null,
      group_id: null,
      agent_id: null,
      is_internal: false,
      parent_monitor_id: null,
      child_ids: [],
      tags: [],
      external_key: null,
      last_check: null,
      expected_interval: null,
      game_type: null,
    });
    expect(Date.parse(created.body.next_check_at)).toBeGreaterThan(Date.parse(created.body.created_at));
    expect(await rowOf(created.body.id)).toMatchObject({ owner_id: user_id, created_by: user_id, synced_version: 1 });
    expect(await auditOf(created.body.id)).toEqual(["monitor.created"]);
    const group = await env.DB.prepare(
      "SELECT g.* FROM check_groups g JOIN monitors m ON m.check_group_id = g.id WHERE m.id = ?",
    )
      .bind(created.body.id)
      .first();
    expect(group).toMatchObject({ interval: 60, regions: "[]", lane: "slow" });
  });

  it.each(VALID)("accepts a monitor of type %s and gives its settings back", async (type, body) => {
    const { client } = await createAccount();
    const created = await client.post(`${V1}/monitors`, { name: type, type, paused: true, ...body });
    expect(created).toMatchObject({ status: 201, body: { type, ...body } });
    expect((await client.get(`${V1}/monitors/${created.body.id}`)).body).toEqual(created.body);
  });

  it.each(
    AGENT_ONLY,
  )("accepts type %s with an agent, also for a private target, and leaves it to that agent", async (type) => {
    const { client } = await createAccount();
    const agent = await client.post(`${V1}/agents`, { name: "Rack 1", hostname: "rack-1" });
    const target = type === "agent" ? {} : { target: "10.0.0.7:161" };
    const created = await client.post(`${V1}/monitors`, { name: type, type, agent_id: agent.body.id, ...target });
    expect(created).toMatchObject({
      status: 201,
      body: { type, agent_id: agent.body.id, status: "pending", next_check_at: null },
    });
    expect(created.body.is_internal).toBe(type !== "agent");
    expect((await client.get(`${V1}/monitors/${created.body.id}`)).body).toEqual(created.body);
    expect(await rowOf(created.body.id)).toMatchObject({ check_group_id: "" });
  });

  it.each(
    VALID.filter(([type]) => ["heartbeat", "api", "composite"].includes(type)),
  )("assigns no agent to type %s, which has no checks", async (type, body) => {
    const { client } = await createAccount();
    const agent = await client.post(`${V1}/agents`, { name: "Rack 1", hostname: "rack-1" });
    const wanted = { name: type, type, agent_id: agent.body.id, ...body };
    const created = await client.post(`${V1}/monitors`, wanted);
    expect(created).toMatchObject({ status: 201, body: { agent_id: null } });
    const internal = { name: "Rack", type: "tcp", target: "10.0.0.7:22", agent_id: agent.body.id };
    const { id } = (await client.post(`${V1}/monitors`, internal)).body;
    const changed = await client.put(`${V1}/monitors/${id}`, { type });
    expect(changed).toMatchObject({ status: 200, body: { type, agent_id: null, is_internal: false } });
  });

  it("knows every type of the specification", () => {
    expect([...VALID.map(([type]) => type), ...AGENT_ONLY].sort()).toEqual([...MONITOR_TYPES].sort());
  });

  it.each(AGENT_ONLY)("asks for an agent for type %s, naming agent_id", async (type) => {
    const { client } = await createAccount();
    const answer = await client.post(`${V1}/monitors`, { name: type, type, target: "a.example:1" });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: "agent_id" }] } });
    expect((await client.get(`${V1}/monitors`)).body).toEqual([]);
  });

  it("has no schedule for what is pushed, and one failure suffices there", async () => {
    const { client } = await createAccount();
    const created = await createMonitor(client, { type: "heartbeat", target: undefined, interval: 600, paused: false });
    expect(created).toMatchObject({
      next_check_at: null,
      target: null,
      expected_interval: 600,
      grace_seconds: 60,
      failure_threshold: 1,
      recovery_threshold: 1,
    });
    expect(await rowOf(created.id)).toMatchObject({ check_group_id: "" });
  });

  it("takes the failure threshold of its status page as its default", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account, { failure_threshold: 5 });
    expect(await createMonitor(account.client, { status_page_id })).toMatchObject({ failure_threshold: 5 });
    expect(await createMonitor(account.client, { status_page_id, failure_threshold: 2 })).toMatchObject({
      failure_threshold: 2,
    });
  });

  it("starts its history with one interval, pending or paused", async () => {
    const { client } = await createAccount();
    const [pending, paused] = [await createMonitor(client, { paused: false }), await createMonitor(client)];
    for (const [monitor, status] of [
      [pending, "pending"],
      [paused, "paused"],
    ]) {
      expect(monitor).toMatchObject({ status, paused: status === "paused" });
      const first = await env.DB.prepare("SELECT * FROM status_intervals WHERE monitor_id = ? AND seq = 0")
        .bind(monitor.id)
        .first();
      expect(first).toMatchObject({ status, from_at: Date.parse(monitor.created_at) });
    }
    expect(paused.next_check_at).toBeNull();
  });

  it("leaves nothing of a probed monitor to do for its object, which goes on from there when it is called", async () => {
    const { client } = await createAccount();
    const { id, created_at } = await createMonitor(client);
    expect(await rowOf(id)).toMatchObject({ synced_version: 1, state_seq: 0, status: "paused" });
    const resumed = (await client.post(`${V1}/monitors/${id}/resume`)).body;
    expect(resumed).toMatchObject({ status: "pending" });
    expect(await rowOf(id)).toMatchObject({ synced_version: 2, state_seq: 1, status: "pending" });
    const intervals = () =>
      env.DB.prepare("SELECT seq, status, from_at, to_at FROM status_intervals WHERE monitor_id = ? ORDER BY seq")
        .bind(id)
        .all();
    const [began_at, resumed_at] = [Date.parse(created_at), Date.parse(resumed.status_since)];
    await vi.waitFor(
      async () =>
        expect((await intervals()).results).toEqual([
          { seq: 0, status: "paused", from_at: began_at, to_at: resumed_at },
          { seq: 1, status: "pending", from_at: resumed_at, to_at: null },
        ]),
      20_000,
    );
  });

  it("gives the same monitor for the same Idempotency-Key, also when the plan is full by then", async () => {
    const { client } = await createAccount({ plan: "free" });
    for (let n = 0; n < 4; n++) await createMonitor(client);
    const body = { name: "fifth", type: "https", target: "a.example", paused: true };
    const headers = { "idempotency-key": "fifth" };
    const [first, second] = [
      await client.post(`${V1}/monitors`, body, headers),
      await client.post(`${V1}/monitors`, body, headers),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).toBe(first.body.id);
    expect((await client.post(`${V1}/monitors`, { ...body, name: "other" }, headers)).status).toBe(422);
    expect((await client.get(`${V1}/monitors`)).body).toHaveLength(5);
  });

  it("keeps an external_key unique within an account", async () => {
    const [mine, other] = [await createAccount(), await createAccount()];
    const first = await createMonitor(mine.client, { external_key: "shop" });
    const body = { name: "again", type: "https", target: "a.example", paused: true, external_key: "shop" };
    expect(await mine.client.post(`${V1}/monitors`, body)).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await other.client.post(`${V1}/monitors`, body)).status).toBe(201);
    const second = await createMonitor(mine.client);
    expect((await mine.client.put(`${V1}/monitors/${second.id}`, { external_key: "shop" })).status).toBe(409);
    expect((await mine.client.put(`${V1}/monitors/${first.id}`, { external_key: "shop" })).status).toBe(200);
  });

  it("makes readers of the status page see a change", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const before = await pageVersion(status_page_id);
    await createMonitor(account.client, { status_page_id });
    expect(await pageVersion(status_page_id)).toBeGreaterThan(before);
  });
});

describe("GET /monitors", () => {
  it("lists in the order that was set, then by creation, with paging", async () => {
    const { client } = await createAccount();
    const made: string[] = [];
    for (const name of ["a", "b", "c"]) made.push((await createMonitor(client, { name })).id);
    const names = async (query = "") =>
      (await client.get(`${V1}/monitors${query}`)).body.map((m: { name: string }) => m.name);
    expect(await names()).toEqual(["a", "b", "c"]);
    const order = [2, 0, 1].map((n, order) => ({ id: made[n], order }));
    expect(await client.put(`${V1}/monitors/order`, { monitors: order })).toMatchObject({
      status: 200,
      body: { updated: 3 },
    });
    expect(await names()).toEqual(["c", "a", "b"]);
    await createMonitor(client, { name: "d" });
    expect(await names()).toEqual(["c", "a", "b", "d"]);

    const page = await client.get(`${V1}/monitors?limit=2&offset=1`);
    expect(page.headers.get("x-total-count")).toBe("4");
    expect(page.headers.get("link")).toContain('rel="next"');
    expect(page.headers.get("link")).toContain('rel="prev"');
    expect(await names("?limit=2&offset=1")).toEqual(["a", "b"]);
    expect((await client.get(`${V1}/monitors?limit=1001`)).status).toBe(400);
  });

  it("lists one status page where it is named", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const shown = await createMonitor(account.client, { status_page_id });
    await createMonitor(account.client);
    const ids = (body: { id: string }[]) => body.map(({ id }) => id);
    expect(ids((await account.client.get(`${V1}/monitors?status_page_id=${status_page_id}`)).body)).toEqual([shown.id]);
    expect(ids((await account.client.get(`${V1}/status-pages/${status_page_id}/monitors`)).body)).toEqual([shown.id]);
    expect((await account.client.get(`${V1}/monitors`)).body).toHaveLength(2);
  });

  it("shows the newest check of each monitor", async () => {
    const { client } = await createAccount();
    const monitor = await createMonitor(client);
    const packed = [monitor.id, 1_700_000_000_000, 42, "HTTP 200", "default", "success", 1_700_000_000_000];
    await env.DB.prepare(
      "UPDATE check_groups SET latest = ? WHERE id = (SELECT check_group_id FROM monitors WHERE id = ?)",
    )
      .bind(JSON.stringify([packed]), monitor.id)
      .run();
    const [listed] = (await client.get(`${V1}/monitors`)).body;
    expect(listed).toMatchObject({
      last_check: "2023-11-14T22:13:20.000Z",
      last_latency_ms: 42,
      last_message: "HTTP 200",
    });
  });
});

describe("PUT /monitors/{id}", () => {
  it.each(VALID)("takes what GET gave for type %s and changes nothing", async (type, body) => {
    const { client } = await createAccount();
    const created = await createMonitor(client, { name: type, type, target: undefined, ...body });
    const put = await client.put(`${V1}/monitors/${created.id}`, created);
    expect(put).toMatchObject({ status: 200, body: { ...created, updated_at: expect.any(String) } });
  });

  it("keeps what is absent and brings the default back for null", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, {
      interval: 120,
      tags: ["a"],
      expected_status: 204,
      failure_threshold: 5,
    });
    const changed = await client.put(`${V1}/monitors/${id}`, { name: "New", interval: null, expected_status: null });
    expect(changed.body).toMatchObject({
      name: "New",
      interval: 60,
      tags: ["a"],
      expected_status: null,
      failure_threshold: 5,
    });
  });

  it("keeps a policy of so many locations as long as there are as many", async () => {
    const { client } = await createAccount();
    const regions = ["oc", "afr", "me"];
    const { id } = await createMonitor(client, { regions, region_policy: "at_least:2" });
    const reduced = await client.put(`${V1}/monitors/${id}`, { regions: ["oc", "afr"] });
    expect(reduced).toMatchObject({ status: 200, body: { region_policy: "at_least:2" } });
    const refused = await client.put(`${V1}/monitors/${id}`, { regions: ["oc"] });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: "region_policy asks for 2 locations to fail, but the monitor has only one location",
    });
    expect((await client.get(`${V1}/monitors/${id}`)).body).toMatchObject({ regions: ["oc", "afr"] });
  });

  it("moves the monitor to a shard and check group of its new interval, and notes where its history lies", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { regions: ["weur", "enam"] });
    const before = await rowOf(id);
    const moved = await client.put(`${V1}/monitors/${id}`, { interval: 300, regions: ["enam"] });
    expect(moved.body).toMatchObject({ interval: 300, regions: ["enam"] });
    const after = await rowOf(id);
    expect(after?.check_group_id).not.toBe(before?.check_group_id);
    expect(Object.keys(JSON.parse(String(after?.other_shards)))).toEqual([before?.shard_id]);
    const shards = await env.DB.prepare("SELECT interval, regions, size FROM shards WHERE id IN (?, ?) ORDER BY size")
      .bind(before?.shard_id, after?.shard_id)
      .all();
    expect(shards.results).toEqual([
      { interval: 60, regions: "enam+weur", size: 0 },
      { interval: 300, regions: "enam", size: 1 },
    ]);
    const groups = await env.DB.prepare("SELECT id FROM check_groups WHERE shard_id = ?").bind(after?.shard_id).all();
    expect(groups.results).toContainEqual({ id: after?.check_group_id });
  });

  it("notifies the monitor's object, so that nothing is left for the sweep", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client);
    await client.put(`${V1}/monitors/${id}`, { failure_threshold: 7 });
    expect(await rowOf(id)).toMatchObject({ config_version: 2, synced_version: 2 });
    expect(await auditOf(id)).toEqual(["monitor.created", "monitor.updated"]);
  });

  it("keeps every one of several changes at the same time", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client);
    const wishes = [{ name: "New" }, { tags: ["new"] }, { failure_threshold: 9 }, { expected_status: 204 }];
    const answers = await Promise.all(wishes.map((wish) => client.put(`${V1}/monitors/${id}`, wish)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await client.get(`${V1}/monitors/${id}`)).body).toMatchObject(Object.assign({}, ...wishes));
  });

  it("changes the type, with the options of the new type alone", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { expected_status: 204 });
    const changed = await client.put(`${V1}/monitors/${id}`, { type: "tcp", target: "a.example:22" });
    expect(changed).toMatchObject({ status: 200, body: { type: "tcp", expected_status: null, http_method: null } });
    const pushed = await client.put(`${V1}/monitors/${id}`, { type: "heartbeat" });
    expect(pushed.body).toMatchObject({ type: "heartbeat", target: null, next_check_at: null });
  });

  it("never takes from a body what is not settable", async () => {
    const { client, user_id } = await createAccount();
    const stolen = {
      id: "00000000-0000-4000-8000-000000000000",
      owner_id: "x",
      created_by: "x",
      status: "up",
      is_internal: true,
      parent_monitor_id: "00000000-0000-4000-8000-000000000000",
      shard_id: "x",
      check_group_id: "x",
      config_version: 99,
      synced_version: 99,
      state_seq: 9,
      state_revision: 9,
      settled: true,
      status_since: 1,
      sealed: "x",
      options: { http_method: "PUT" },
      position: 77,
      created_at: "2000-01-01T00:00:00.000Z",
      last_check: "2000-01-01T00:00:00.000Z",
    };
    const created = await createMonitor(client, stolen);
    const { id } = created;
    const put = await client.put(`${V1}/monitors/${id}`, { ...stolen, name: "Same" });
    expect(put.body).toEqual({ ...created, name: "Same", updated_at: put.body.updated_at });
    expect(await rowOf(id)).toMatchObject({
      id,
      owner_id: user_id,
      created_by: user_id,
      sealed: null,
      options: "{}",
      position: 0,
      config_version: 2,
      settled: 0,
    });
  });

  it("moves to another page of one's own, out of its group", async () => {
    const account = await createAccount();
    const [from, to] = [await createPage(account), await createPage(account)];
    const group = await account.client.post(`${V1}/groups`, { name: "G", status_page_id: from });
    const { id } = await createMonitor(account.client, { status_page_id: from, group_id: group.body.id });
    const versions = [await pageVersion(from), await pageVersion(to)];
    const moved = await account.client.put(`${V1}/monitors/${id}`, { status_page_id: to });
    expect(moved.body).toMatchObject({ status_page_id: to, group_id: null });
    expect(await pageVersion(from)).toBeGreaterThan(versions[0] ?? 0);
    expect(await pageVersion(to)).toBeGreaterThan(versions[1] ?? 0);
  });
});

describe("pausing", () => {
  it("pauses and resumes by action and by update", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { paused: false });
    const path = `${V1}/monitors/${id}`;
    expect((await client.post(`${path}/pause`)).body).toMatchObject({
      status: "paused",
      paused: true,
      next_check_at: null,
    });
    expect((await client.post(`${path}/pause`)).status).toBe(200);
    expect((await client.post(`${path}/check`)).status).toBe(409);
    expect((await client.post(`${path}/resume`)).body).toMatchObject({ status: "pending", paused: false });
    expect((await client.put(path, { paused: true })).body).toMatchObject({ status: "paused", paused: true });
    expect((await client.put(path, { paused: false })).body).toMatchObject({ status: "pending" });
    expect(await auditOf(id)).toEqual(
      ["created", "paused", "resumed", "updated", "updated"].map((verb) => `monitor.${verb}`),
    );
  });
});

describe("POST /monitors/{id}/check", () => {
  it("gives the result of a check and keeps it", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { type: "tcp", target: "127.0.0.1:1", paused: false });
    learnColo(new Headers({ "cf-ray": "230b030023ae2822-SJC" }));
    const checked = await client.post(`${V1}/monitors/${id}/check`);
    expect(checked).toMatchObject({ status: 200, body: { status: "down", region: "default", colo: "SJC" } });
    expect((await client.get(`${V1}/monitors/${id}`)).body.last_message).toBe(checked.body.message);
  });

  it("refuses what is pushed", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { type: "heartbeat", target: undefined, paused: false });
    expect((await client.post(`${V1}/monitors/${id}/check`)).status).toBe(400);
    expect((await client.get(`${V1}/monitors/${id}`)).body.status).toBe("pending");
  });
});

describe("DELETE /monitors/{id}", () => {
  it("leaves no row behind but the audit", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const { id } = await createMonitor(account.client, { status_page_id, interval: 61 });
    const row = await rowOf(id);
    const before = await pageVersion(status_page_id);
    expect((await account.client.delete(`${V1}/monitors/${id}`)).status).toBe(204);
    expect((await account.client.get(`${V1}/monitors/${id}`)).status).toBe(404);
    expect((await account.client.delete(`${V1}/monitors/${id}`)).status).toBe(404);
    for (const [table, column] of [
      ["monitors", "id"],
      ["status_intervals", "monitor_id"],
      ["transitions", "monitor_id"],
      ["incident_monitors", "monitor_id"],
    ]) {
      const left = await env.DB.prepare(`SELECT 1 FROM ${table} WHERE ${column} = ?`).bind(id).all();
      expect([table, left.results]).toEqual([table, []]);
    }
    const shard = await env.DB.prepare("SELECT size FROM shards WHERE id = ?").bind(row?.shard_id).first();
    expect(shard).toEqual({ size: 0 });
    expect(await pageVersion(status_page_id)).toBeGreaterThan(before);
    expect(await auditOf(id)).toEqual(["monitor.created", "monitor.deleted"]);
  });
});

describe("composite monitors", () => {
  async function cast() {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const make = (body: object) => createMonitor(account.client, { status_page_id, ...body });
    const [a, b] = [await make({ name: "a" }), await make({ name: "b" })];
    const all = await make({ name: "all", type: "composite", target: undefined, child_ids: [a.id, b.id] });
    return { account, status_page_id, make, a, b, all };
  }
  const parentOf = async ({ client }: Account, id: string) =>
    (await client.get(`${V1}/monitors/${id}`)).body.parent_monitor_id;

  it("name their members, which name them", async () => {
    const { account, a, b, all } = await cast();
    expect(all.child_ids).toEqual([a.id, b.id]);
    expect([await parentOf(account, a.id), await parentOf(account, b.id)]).toEqual([all.id, all.id]);
  });

  it("free members that leave, and all when they are deleted", async () => {
    const { account, a, b, all } = await cast();
    const changed = await account.client.put(`${V1}/monitors/${all.id}`, { child_ids: [b.id] });
    expect(changed.body.child_ids).toEqual([b.id]);
    expect([await parentOf(account, a.id), await parentOf(account, b.id)]).toEqual([null, all.id]);
    expect((await account.client.delete(`${V1}/monitors/${all.id}`)).status).toBe(204);
    expect(await parentOf(account, b.id)).toBeNull();
  });

  it("lose a member that moves to another page", async () => {
    const { account, a, all } = await cast();
    const elsewhere = await createPage(account);
    const moved = await account.client.put(`${V1}/monitors/${a.id}`, { status_page_id: elsewhere });
    expect(moved.body.parent_monitor_id).toBeNull();
    expect((await account.client.get(`${V1}/monitors/${all.id}`)).body.child_ids).not.toContain(a.id);
  });

  it("refuse members that are composites, of another page, or of another composite", async () => {
    const { account, make, a, all } = await cast();
    const unpaged = await createMonitor(account.client);
    for (const [child, error] of [
      [all.id, "child_ids[0] must not be a composite"],
      [unpaged.id, "child_ids[0] must belong to the same status page"],
      [a.id, "child_ids[0] is a member of another composite"],
    ]) {
      const body = { name: "x", type: "composite", status_page_id: all.status_page_id, child_ids: [child] };
      expect(await account.client.post(`${V1}/monitors`, body)).toMatchObject({ status: 400, body: { error } });
    }
    const itself = await account.client.put(`${V1}/monitors/${all.id}`, { child_ids: [all.id] });
    expect(itself.status).toBe(400);
    const member = await account.client.put(`${V1}/monitors/${a.id}`, { type: "composite" });
    expect(member).toMatchObject({ status: 400, body: { details: [{ path: "type" }] } });
    expect(await make({ name: "c" })).toMatchObject({ parent_monitor_id: null });
  });
});

describe("other accounts", () => {
  it("cannot tell a foreign monitor from none, in path, query or body", async () => {
    const [owner, outsider] = [await createAccount(), await createAccount()];
    const status_page_id = await createPage(owner);
    const group = (await owner.client.post(`${V1}/groups`, { name: "G", status_page_id })).body.id;
    const monitor = await createMonitor(owner.client, { status_page_id });
    const row = await rowOf(monitor.id);
    const absent = "00000000-0000-4000-8000-000000000000";
    const own = await createMonitor(outsider.client);
    const { client } = outsider;
    for (const id of [monitor.id, absent]) {
      const path = `${V1}/monitors/${id}`;
      const answers = [
        await client.get(path),
        await client.put(path, { name: "mine" }),
        await client.delete(path),
        await client.post(`${path}/pause`),
        await client.post(`${path}/resume`),
        await client.post(`${path}/check`),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error: "monitor not found" } });
    }
    const body = { name: "x", type: "https", target: "a.example", paused: true };
    for (const [field, foreign] of [
      ["status_page_id", status_page_id],
      ["group_id", group],
      ["agent_id", absent],
    ]) {
      for (const id of [foreign, absent]) {
        const wanted = { status: 400, body: { error: `${field} does not exist or is not visible to you` } };
        expect(await client.post(`${V1}/monitors`, { ...body, [field]: id })).toMatchObject(wanted);
        expect(await client.put(`${V1}/monitors/${own.id}`, { [field]: id })).toMatchObject(wanted);
      }
    }
    for (const id of [monitor.id, absent]) {
      const composite = { name: "x", type: "composite", child_ids: [id] };
      expect(await client.post(`${V1}/monitors`, composite)).toMatchObject({ status: 400 });
      expect(await client.put(`${V1}/monitors/order`, { monitors: [{ id, order: 1 }] })).toMatchObject({
        status: 400,
        body: { error: "monitors[0].id does not exist or is not visible to you" },
      });
    }
    expect((await client.get(`${V1}/monitors?status_page_id=${status_page_id}`)).status).toBe(400);
    expect((await client.get(`${V1}/status-pages/${status_page_id}/monitors`)).status).toBe(404);
    expect((await client.get(`${V1}/monitors`)).body.map((m: { id: string }) => m.id)).toEqual([own.id]);
    expect(await rowOf(monitor.id)).toEqual(row);
  });

  it("without a credential are 401", async () => {
    for (const method of ["GET", "POST"]) {
      expect((await createClient().request(method, `${V1}/monitors`)).status).toBe(401);
    }
  });
});
