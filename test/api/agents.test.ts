import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { setAgentPresence } from "../../src/checks/agent-presence.ts";
import { agents, installTokens } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { AGENTS, agentClient, auditOf, enrollAgent, mintInstallToken } from "../support/agents.ts";
import { insertMany, monitorColumns } from "../support/backlog.ts";
import { createClient, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";

const db = openDb(env.DB);
const HOUR = 3_600_000;

describe("agents", () => {
  it("are created offline, read, changed, listed and deleted, and every write is in the audit log", async () => {
    const account = await createAccount();
    const { client } = account;
    const created = await client.post(AGENTS, { name: " Rack 4 ", hostname: "rack-4" });
    expect(created).toMatchObject({
      status: 201,
      body: { name: "Rack 4", hostname: "rack-4", status: "offline", region: null, version: null, last_seen_at: null },
    });
    const { id } = created.body;
    expect((await client.get(`${AGENTS}/${id}`)).body).toEqual(created.body);

    const changed = await client.put(`${AGENTS}/${id}`, { region: "fra", hostname: null });
    expect(changed).toMatchObject({ status: 200, body: { name: "Rack 4", region: "fra", hostname: null } });
    const listed = await client.get(AGENTS);
    expect(listed.headers.get("x-total-count")).toBe("1");
    expect(listed.body).toEqual([changed.body]);

    expect((await client.delete(`${AGENTS}/${id}`)).status).toBe(204);
    expect((await client.get(`${AGENTS}/${id}`)).status).toBe(404);
    expect(await auditOf(id)).toEqual(["agent.created by token", "agent.updated by token", "agent.deleted by token"]);
  });

  it("are made once under one Idempotency-Key", async () => {
    const { client } = await createAccount();
    const headers = { "idempotency-key": "a" };
    const first = await client.post(AGENTS, { name: "A" }, headers);
    expect((await client.post(AGENTS, { name: "A" }, headers)).body).toEqual(first.body);
    expect((await client.get(AGENTS)).body).toHaveLength(1);
  });

  it("of a page are listed with the page and belong to its owner", async () => {
    const account = await createAccount();
    const page = await insertPage(account.user_id);
    await account.client.post(AGENTS, { name: "loose" });
    const { body } = await account.client.post(AGENTS, { name: "on the page", status_page_id: page });
    expect((await account.client.get(`${AGENTS}?status_page_id=${page}`)).body).toEqual([body]);
  });

  it.each([
    ["no name", {}, "name is required"],
    [
      "a page that is not there",
      { name: "x", status_page_id: newId() },
      "status_page_id does not exist or is not visible to you",
    ],
    [
      "a hostname of 201 characters",
      { name: "x", hostname: "h".repeat(201) },
      "hostname must have at most 200 characters",
    ],
  ])("are refused with %s", async (_name, body, error) => {
    const { client } = await createAccount();
    expect(await client.post(AGENTS, body)).toMatchObject({ status: 400, body: { error } });
  });

  it("cannot be deleted while monitors run on them", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const monitor = await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" });
    const refused = await account.client.delete(`${AGENTS}/${agent.id}`);
    expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining("runs 1 monitor;") } });
    await db.delete(monitors).where(eq(monitors.id, monitor.id));
    expect((await account.client.delete(`${AGENTS}/${agent.id}`)).status).toBe(204);
    expect((await agent.client.post(`${AGENTS}/handshake`, {})).status).toBe(401);
  });

  it("show their host, their monitors and what they reported", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account, { hostname: "db-1", os: "linux", arch: "arm64", capabilities: ["icmp"] });
    const monitor = await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" });
    await agent.client.post(`${AGENTS}/metrics`, { cpu_percent: 12.5, custom: { queue: 3 } });
    await agent.client.post(`${AGENTS}/events`, { events: [{ level: "warn", type: "disk", message: "nearly full" }] });
    await agent.client.post(`${AGENTS}/discoveries`, {
      discoveries: [{ kind: "tcp", name: "redis", target: "localhost:6379" }],
    });
    const { body } = await account.client.get(`${AGENTS}/${agent.id}/detail`);
    expect(body).toMatchObject({
      status: "online",
      os: "linux",
      arch: "arm64",
      capabilities: ["icmp"],
      monitors: [{ id: monitor.id, name: "Shop", type: "http", status: "pending" }],
      metrics: { cpu_percent: 12.5, memory_percent: null, custom: { queue: 3 } },
      events: [{ level: "warn", type: "disk", message: "nearly full" }],
      discoveries: [{ kind: "tcp", name: "redis", target: "localhost:6379" }],
    });
  });
});

describe("access to agents", () => {
  it("of another account is 404 in every way, and their ids are refused in queries", async () => {
    const [owner, outsider] = [await createAccount(), await createAccount()];
    const { body } = await owner.client.post(AGENTS, { name: "mine" });
    for (const path of ["", "/detail", "/metrics"]) {
      expect((await outsider.client.get(`${AGENTS}/${body.id}${path}`)).status).toBe(404);
    }
    expect((await outsider.client.put(`${AGENTS}/${body.id}`, { name: "yours" })).status).toBe(404);
    expect((await outsider.client.delete(`${AGENTS}/${body.id}`)).status).toBe(404);
    expect((await outsider.client.post(`${AGENTS}/${body.id}/commands`, { type: "update" })).status).toBe(404);
    expect((await outsider.client.get(`${AGENTS}/token?agent_id=${body.id}`)).status).toBe(400);
    expect((await outsider.client.get(AGENTS)).body).toEqual([]);
    expect((await owner.client.get(`${AGENTS}/${body.id}`)).body).toEqual(body);
  });

  it("with an agent's or an install credential is 401, in any header", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    for (const token of [agent.token, await mintInstallToken(account)]) {
      expect((await createClient(token).get(`${AGENTS}/${agent.id}`)).status).toBe(401);
      expect((await agentClient(token).get(`${AGENTS}/${agent.id}`)).status).toBe(401);
      expect((await agentClient(token).get(`${AGENTS}/token`)).status).toBe(401);
      expect((await agentClient(token).get(AGENTS)).status).toBe(401);
    }
  });
});

describe("GET /agents/token", () => {
  it("gives an install token for an hour with the command that uses it, and nobody keeps a copy", async () => {
    const account = await createAccount();
    const answer = await account.client.get(`${AGENTS}/token`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { install_token, expires_at, install_command } = answer.body;
    expect(install_token).toMatch(/^agi_[0-9A-Za-z]{43}$/);
    expect(Math.abs(Date.parse(expires_at) - Date.now() - HOUR)).toBeLessThan(60_000);
    expect(install_command).toBe(
      `curl -fsSL http://vigil.test${AGENTS}/install | VIGIL_INSTALL_TOKEN=${install_token} sh -s -- --url http://vigil.test`,
    );
    const [stored] = await db.select().from(installTokens).where(eq(installTokens.owner_id, account.user_id));
    expect(JSON.stringify(stored)).not.toContain(install_token);
    expect(await auditOf(stored?.id ?? "")).toEqual(["agent.install_token_created by token"]);
  });
});

describe("POST /agents/enroll", () => {
  it("trades the token for an agent that is online, once", async () => {
    const account = await createAccount();
    const install = await mintInstallToken(account);
    const first = await agentClient(install).post(`${AGENTS}/enroll`, { hostname: "db-1", version: "1.2.3" });
    expect(first).toMatchObject({
      status: 201,
      body: {
        agent_token: expect.stringMatching(/^ag_[0-9A-Za-z]{43}$/),
        name: "db-1",
        config: { heartbeat_interval_seconds: 30, poll_interval_seconds: 30 },
      },
    });
    expect((await agentClient(install).post(`${AGENTS}/enroll`, { hostname: "db-2" })).status).toBe(401);
    const { body } = await account.client.get(AGENTS);
    expect(body).toMatchObject([{ id: first.body.agent_id, hostname: "db-1", version: "1.2.3", status: "online" }]);
    expect(await auditOf(first.body.agent_id)).toEqual(["agent.enrolled by user"]);
    const [stored] = await db.select().from(agents).where(eq(agents.id, first.body.agent_id));
    expect(JSON.stringify(stored)).not.toContain(first.body.agent_token);
  });

  it("gives one of two that race for a token an agent, and the other 401", async () => {
    const account = await createAccount();
    const install = agentClient(await mintInstallToken(account));
    const answers = await Promise.all([1, 2, 3].map((n) => install.post(`${AGENTS}/enroll`, { hostname: `h${n}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    expect((await account.client.get(AGENTS)).body).toHaveLength(1);
  });

  it("takes the agent that was made for the host, and no longer once it is taken", async () => {
    const account = await createAccount();
    const { body } = await account.client.post(AGENTS, { name: "Rack 4", hostname: "rack-4", region: "fra" });
    const first = await enrollAgent(account, { hostname: "rack-4", region: "elsewhere" });
    expect(first.id).toBe(body.id);
    expect((await account.client.get(`${AGENTS}/${body.id}`)).body).toMatchObject({ name: "Rack 4", region: "fra" });
    expect((await enrollAgent(account, { hostname: "rack-4" })).id).not.toBe(body.id);
  });

  it("never takes an awaited agent of another account", async () => {
    const [owner, outsider] = [await createAccount(), await createAccount()];
    const { body } = await owner.client.post(AGENTS, { name: "Rack 4", hostname: "rack-4" });
    expect((await enrollAgent(outsider, { hostname: "rack-4" })).id).not.toBe(body.id);
  });

  it("of a named agent ends its former credential", async () => {
    const account = await createAccount();
    const former = await enrollAgent(account);
    const again = await enrollAgent(account, {}, `?agent_id=${former.id}`);
    expect(again.id).toBe(former.id);
    expect((await former.client.post(`${AGENTS}/handshake`, {})).status).toBe(401);
    expect((await again.client.post(`${AGENTS}/handshake`, {})).status).toBe(200);
  });

  it.each([
    ["just before its hour is over", 1, 201],
    ["when its hour is over", 0, 401],
  ])("with a token %s is %i", async (_name, leftMs, status) => {
    const account = await createAccount();
    const install = await mintInstallToken(account);
    const expires_at = leftMs === 0 ? Date.now() : Date.now() + 60_000;
    await db.update(installTokens).set({ expires_at }).where(eq(installTokens.owner_id, account.user_id));
    expect((await agentClient(install).post(`${AGENTS}/enroll`, {})).status).toBe(status);
  });
});

describe("monitors that name an agent", () => {
  const PRIVATE = { name: "Shop", type: "http", target: "http://10.0.0.5/" };

  it("may have a private target, and show what the agent measured", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const created = await account.client.post(`${V1}/monitors`, { ...PRIVATE, agent_id: agent.id });
    expect(created).toMatchObject({
      status: 201,
      body: { agent_id: agent.id, is_internal: true, status: "pending", last_check: null, next_check_at: null },
    });
    const { id } = created.body;
    expect((await agent.client.get(`${AGENTS}/monitors`)).body).toMatchObject([{ id, target: "http://10.0.0.5/" }]);
    const checked_at = new Date().toISOString();
    const result = { status: "up", latency_ms: 7, message: "HTTP 200", checked_at };
    expect((await agent.client.post(`${V1}/monitors/${id}/status`, result)).body).toEqual({
      accepted: 1,
      status: "up",
    });
    const shown = { status: "up", last_check: checked_at, last_latency_ms: 7, last_message: "HTTP 200" };
    expect((await account.client.get(`${V1}/monitors`)).body).toMatchObject([shown]);
  });

  it("are refused for an agent that runs 1,000 already, and those that it runs can still be changed", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const id = "printf('00000000-0000-4000-8000-%012d', i)";
    const owned = { id, owner_id: `'${account.user_id}'`, agent_id: `'${agent.id}'`, check_group_id: "''" };
    await insertMany("monitors", 1000, monitorColumns(newId(), Date.now(), owned));
    const body = { name: "One more", type: "http", target: "http://10.0.0.5/", agent_id: agent.id };
    expect(await account.client.post(`${V1}/monitors`, body)).toMatchObject({
      status: 400,
      body: { error: "agent_id must name an agent that runs fewer than 1000 monitors" },
    });
    const [known] = await db.select().from(monitors).where(eq(monitors.agent_id, agent.id)).limit(1);
    const change = { agent_id: agent.id, interval: 120 };
    expect((await account.client.put(`${V1}/monitors/${known?.id}`, change)).status).toBe(200);
  });

  it("are refused for an agent of another account", async () => {
    const [account, stranger] = [await createAccount(), await createAccount()];
    const agent = await enrollAgent(stranger);
    const answer = await account.client.post(`${V1}/monitors`, { ...PRIVATE, agent_id: agent.id });
    expect(answer).toMatchObject({ status: 400, body: { error: "agent_id does not exist or is not visible to you" } });
    expect((await agent.client.get(`${AGENTS}/monitors`)).body).toEqual([]);
  });

  it("are checked by the service again once they name none", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const body = { name: "Shop", type: "http", target: "http://sink.test/", paused: true, agent_id: agent.id };
    const { id } = (await account.client.post(`${V1}/monitors`, body)).body;
    expect((await account.client.put(`${V1}/monitors/${id}`, { agent_id: null })).body).toMatchObject({
      agent_id: null,
    });
    expect((await agent.client.post(`${V1}/monitors/${id}/status`, { status: "up" })).status).toBe(403);
  });
});

describe("a monitor of type agent", () => {
  it("is pending until its agent enrols, up while it is online and down while it is offline", async () => {
    const account = await createAccount();
    const agent = await account.client.post(`${V1}/agents`, { name: "Rack", hostname: "rack-1" });
    const monitor = { name: "Rack is there", type: "agent", agent_id: agent.body.id };
    const { id, status } = (await account.client.post(`${V1}/monitors`, monitor)).body;
    const read = async () => (await account.client.get(`${V1}/monitors/${id}`)).body.status;
    const readLastCheck = async () => (await account.client.get(`${V1}/monitors/${id}`)).body.last_check;
    expect([status, await readLastCheck()]).toEqual(["pending", null]);
    const enrolled = await enrollAgent(account, { hostname: "rack-1" });
    expect(enrolled.id).toBe(agent.body.id);
    expect(await read()).toBe("up");
    const [row] = await db.select().from(agents).where(eq(agents.id, enrolled.id));
    if (!row?.last_seen_at) throw new Error("no such agent");
    const called = new Date(row.last_seen_at).toISOString();
    expect(await readLastCheck()).toBe(called);
    const listed = (await account.client.get(`${V1}/monitors?type=agent`)).body;
    expect(listed).toMatchObject([{ id, last_check: called, last_message: "the agent is online" }]);
    await setAgentPresence(jobScope(recordingEnv().env, "test"), [row], {
      to: "offline",
      silent_since: Date.now() + 1,
    });
    expect(await read()).toBe("down");
    await enrolled.client.post(`${V1}/agents/handshake`, { version: "1.0.0" });
    expect(await read()).toBe("up");
  });

  it("is nothing that the agent checks, or sends results of", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const monitor = { name: "Rack is there", type: "agent", agent_id: agent.id };
    const { id: monitor_id } = (await account.client.post(`${V1}/monitors`, monitor)).body;
    expect((await agent.client.get(`${V1}/agents/monitors`)).body).toEqual([]);
    expect((await agent.client.post(`${V1}/monitors/${monitor_id}/status`, { status: "down" })).status).toBe(403);
    const bulk = await agent.client.post(`${V1}/agents/results`, { results: [{ monitor_id, status: "down" }] });
    expect(bulk.body).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
    expect((await account.client.post(`${V1}/monitors/${monitor_id}/check`)).status).toBe(400);
  });
});
