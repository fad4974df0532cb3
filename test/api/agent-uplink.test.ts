import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { agentReports } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { newMachineToken } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { seal } from "../../src/platform/seal.ts";
import { AGENTS, agentClient, auditOf, enrollAgent, mintInstallToken } from "../support/agents.ts";
import { createClient, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";

const db = openDb(env.DB);
const HOUR = 3_600_000;

const ROUTES: [method: string, path: string, body?: unknown][] = [
  ["POST", `${AGENTS}/enroll`, {}],
  ["POST", `${AGENTS}/handshake`, {}],
  ["GET", `${AGENTS}/monitors`],
  ["POST", `${AGENTS}/metrics`, { cpu_percent: 1 }],
  ["POST", `${AGENTS}/events`, { events: [] }],
  ["POST", `${AGENTS}/discoveries`, { discoveries: [] }],
  ["GET", `${AGENTS}/commands`],
  ["GET", `${AGENTS}/commands/live`],
  ["POST", `${AGENTS}/commands/${newId()}/ack`, { ok: true }],
  ["POST", `${V1}/monitors/${newId()}/status`, { status: "up" }],
  ["POST", `${AGENTS}/results`, { results: [{ monitor_id: newId(), status: "up" }] }],
];

describe("the agent's own routes", () => {
  it.each(ROUTES)("%s %s are 401 for everybody but an agent", async (method, path, body) => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const isEnrolment = path.endsWith("/enroll");
    const wrong = isEnrolment ? agent.token : await mintInstallToken(account);
    const credentials: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${account.token}` },
      { authorization: `Bearer ${agent.token}` },
      { "x-agent-token": account.token },
      { "x-agent-token": newMachineToken("agent") },
      { "x-agent-token": newMachineToken("install") },
      { "x-agent-token": wrong },
    ];
    for (const headers of credentials) {
      expect((await createClient().request(method, path, body, headers)).status).toBe(401);
    }
  });

  it("are found before the address of an agent", async () => {
    const { client } = await createAccount();
    expect((await client.get(`${AGENTS}/monitors`)).status).toBe(401);
    expect((await client.get(`${AGENTS}/commands`)).status).toBe(401);
    expect((await client.get(`${AGENTS}/nonsense`)).status).toBe(400);
  });
});

describe("what an agent does, in the audit log,", () => {
  it("is how it came, changed and what it found first, and not what it measures all the time", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const { id: monitor_id } = await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" });
    const cache = { kind: "redis", name: "cache" };
    for (const version of ["1.0.0", "1.0.0", "1.1.0"]) {
      await agent.client.post(`${AGENTS}/handshake`, { version });
      await agent.client.post(`${AGENTS}/metrics`, { cpu_percent: 12 });
      await agent.client.post(`${AGENTS}/events`, { events: [{ message: version }] });
      await agent.client.post(`${AGENTS}/discoveries`, { discoveries: [cache, { ...cache, name: version }] });
      await agent.client.post(`${V1}/monitors/${monitor_id}/status`, { status: "up" });
    }
    expect(await auditOf(agent.id)).toEqual(
      ["enrolled", "host_changed", "discovered", "discovered"].map(
        (deed) => `agent.${deed} by ${deed === "enrolled" ? "user" : "agent"}`,
      ),
    );
    const { body } = await account.client.get(`${V1}/audit-logs?limit=3`);
    expect(body.map(({ data }: { data: unknown }) => data)).toEqual([
      { found: 1 },
      { found: 2 },
      { changed: ["version"] },
    ]);
  });

  it("is once that its next credential took over", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const { body } = await account.client.post(`${AGENTS}/${agent.id}/commands`, { type: "rotate_token" });
    const next = (await agent.client.post(`${AGENTS}/commands/${body.id}/ack`, { ok: true })).body.agent_token;
    const rotated = agentClient(next);
    await Promise.all([rotated.get(`${AGENTS}/monitors`), rotated.get(`${AGENTS}/monitors`)]);
    await rotated.get(`${AGENTS}/monitors`);
    expect(await auditOf(agent.id)).toEqual(["agent.enrolled by user", "agent.token_rotated by agent"]);
  });
});

describe("POST /agents/handshake", () => {
  it("keeps what the host says of itself and gives the agent its rhythm and the time", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const answer = await agent.client.post(`${AGENTS}/handshake`, {
      version: "2.0.0",
      hostname: "db-1.internal",
      os: "linux",
      arch: "x64",
      capabilities: ["icmp", "docker"],
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { agent_id: agent.id, heartbeat_interval_seconds: 30, latest_version: expect.any(String) },
    });
    expect(Math.abs(Date.parse(answer.body.server_time) - Date.now())).toBeLessThan(10_000);
    expect((await account.client.get(`${AGENTS}/${agent.id}`)).body).toMatchObject({
      version: "2.0.0",
      hostname: "db-1.internal",
    });
  });
});

describe("GET /agents/monitors", () => {
  it("gives the agent its own monitors with their secrets, and nothing of any other", async () => {
    const [account, stranger] = [await createAccount(), await createAccount()];
    const [agent, other] = [await enrollAgent(account), await enrollAgent(account)];
    const mine = await insertMonitor(account.user_id, {
      agent_id: agent.id,
      check_group_id: "",
      target: "http://user:***@10.0.0.5/",
      options: { expected_status: 200 },
    });
    const sealed = await seal("test-root-secret-test-root-secret-test", mine.id, {
      target: "http://user:hunter2@10.0.0.5/",
      http_headers: '{"authorization":"Bearer s3cret"}',
    });
    await db.update(monitors).set({ sealed }).where(eq(monitors.id, mine.id));
    for (const [owner, agent_id] of [
      [account, other.id],
      [account, null],
      [stranger, agent.id],
    ] as const) {
      await insertMonitor(owner.user_id, { agent_id, name: "NOT YOURS", target: "http://secret.example/" });
    }
    await insertMonitor(account.user_id, { agent_id: agent.id, paused: true, name: "NOT NOW" });

    const answer = await agent.client.get(`${AGENTS}/monitors`);
    expect(answer.body).toEqual([
      {
        id: mine.id,
        name: "Shop",
        type: "http",
        target: "http://user:hunter2@10.0.0.5/",
        interval: 60,
        timeout_seconds: 10,
        retry_interval: 20,
        failure_threshold: 2,
        recovery_threshold: 1,
        latency_threshold_ms: null,
        options: { expected_status: 200, http_headers: '{"authorization":"Bearer s3cret"}' },
        config_version: 1,
      },
    ]);
  });

  it("answers 304 until something changes", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const { headers } = await agent.client.get(`${AGENTS}/monitors`);
    const known = { "if-none-match": headers.get("etag") ?? "" };
    const again = await agent.client.request("GET", `${AGENTS}/monitors`, undefined, known);
    expect([again.status, again.body]).toEqual([304, ""]);
    await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" });
    expect((await agent.client.request("GET", `${AGENTS}/monitors`, undefined, known)).status).toBe(200);
  });
});

describe("reports of a host", () => {
  it("count the same metrics once, take what is at most a day old, and do not trust a clock that is ahead", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const [now, ahead] = [at(-1000), at(HOUR)];
    const reports = [
      { collected_at: now, cpu_percent: 1 },
      { collected_at: now, cpu_percent: 2 },
      { collected_at: ahead, cpu_percent: 3 },
      { collected_at: at(-24 * HOUR - 1000), cpu_percent: 4 },
    ];
    expect((await agent.client.post(`${AGENTS}/metrics`, reports)).body).toEqual({ accepted: 2 });
    await agent.client.post(`${AGENTS}/metrics`, { collected_at: now, cpu_percent: 1 });
    const { body } = await account.client.get(`${AGENTS}/${agent.id}/metrics`);
    expect(body.map(({ cpu_percent }: { cpu_percent: number }) => cpu_percent)).toEqual([3, 1]);
    expect(Date.parse(body[0].collected_at)).toBeLessThanOrEqual(Date.now());
  });

  it("take every one of a list that names no times", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const answer = await agent.client.post(`${AGENTS}/metrics`, [{ cpu_percent: 1 }, { cpu_percent: 2 }]);
    expect(answer.body).toEqual({ accepted: 2 });
    const { body } = await account.client.get(`${AGENTS}/${agent.id}/metrics`);
    expect(body.map(({ cpu_percent }: { cpu_percent: number }) => cpu_percent)).toEqual([2, 1]);
  });

  it.each([
    "debug",
    "info",
    "notice",
    "warn",
    "warning",
    "error",
    "critical",
    "fatal",
  ])("take events of level %s", async (level) => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    await agent.client.post(`${AGENTS}/events`, { events: [{ level, message: "disk" }] });
    expect((await account.client.get(`${AGENTS}/${agent.id}/detail`)).body.events).toMatchObject([{ level }]);
  });

  it("see a service that is found again as the same finding", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const body = { discoveries: [{ kind: "tcp", name: "redis", target: "localhost:6379" }] };
    await agent.client.post(`${AGENTS}/discoveries`, body);
    await agent.client.post(`${AGENTS}/discoveries`, body);
    expect((await account.client.get(`${AGENTS}/${agent.id}/detail`)).body.discoveries).toHaveLength(1);
  });

  it("of one kind are kept up to 1,000 an agent, the newest", async () => {
    const agent = await enrollAgent(await createAccount());
    const now = Date.now();
    for (let n = 0; n < 11; n++) {
      const batch = Array.from({ length: 100 }, (_, m) => ({
        collected_at: new Date(now - n * 100_000 - m * 1000).toISOString(),
        cpu_percent: 1,
      }));
      await agent.client.post(`${AGENTS}/metrics`, batch);
    }
    const kept = await db
      .select()
      .from(agentReports)
      .where(and(eq(agentReports.agent_id, agent.id), eq(agentReports.kind, "metric")));
    expect(kept).toHaveLength(1000);
    expect(Math.min(...kept.map(({ at }) => at))).toBe(now - 999_000);
  });

  it.each([
    ["101 metrics", "metrics", Array(101).fill({ cpu_percent: 1 })],
    ["more than all of a processor", "metrics", { cpu_percent: 100.1 }],
    ["a level that is none", "events", { events: [{ level: "loud" }] }],
    ["events that are no list", "events", { events: {} }],
    ["a discovery without a name", "discoveries", { discoveries: [{ kind: "tcp" }] }],
    [
      "more than 16 kB of details",
      "discoveries",
      { discoveries: [{ kind: "a", name: "b", details: { x: "x".repeat(16_384) } }] },
    ],
  ])("are refused with %s", async (_name, path, body) => {
    const agent = await enrollAgent(await createAccount());
    expect((await agent.client.post(`${AGENTS}/${path}`, body)).status).toBe(400);
  });
});

it("takes null for what an agent does not know", async () => {
  const account = await createAccount();
  const unknown = { version: null, hostname: null, os: null, arch: null, region: null, capabilities: null };
  const agent = await enrollAgent(account, { ...unknown, name: null });
  const { client } = agent;
  expect((await client.post(`${AGENTS}/handshake`, unknown)).status).toBe(200);
  expect((await client.post(`${AGENTS}/metrics`, { cpu_percent: null, collected_at: null })).body).toEqual({
    accepted: 1,
  });
  expect((await client.post(`${AGENTS}/events`, { events: [{ message: "x", at: null }] })).body).toEqual({
    accepted: 1,
  });
  const { id } = await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" });
  const result = { status: "up", latency_ms: null, message: null, checked_at: null, details: null };
  expect((await client.post(`${V1}/monitors/${id}/status`, result)).body).toEqual({ accepted: 1, status: "up" });
  const command = await account.client.post(`${AGENTS}/${agent.id}/commands`, { type: "discover", params: null });
  expect(command).toMatchObject({ status: 201, body: { params: {} } });
});
