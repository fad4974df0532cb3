import { env } from "cloudflare:workers";
import { and, eq, inArray } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Plan } from "../../src/contract/plan.ts";
import { agents } from "../../src/data/agents/table.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { AGENTS, agentClient, enrollAgent, mintInstallToken } from "../support/agents.ts";
import { CORE, createClientUnder } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { recordStatements } from "../support/statements.ts";

const db = openDb(env.DB);
const DEFAULTS = { RATE_LIMITS: "" };

async function limited(plan: Plan = "free", settings: Record<string, unknown> = DEFAULTS) {
  const account = await createAccount({ plan });
  return { account, client: createClientUnder(settings, account.token) };
}

async function fillAgents(ownerId: string, count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO agents (id, owner_id, created_by, name, created_at, updated_at) SELECT ? || '-' || i, ?, ?, 'Old', 1, 1 FROM n`,
  )
    .bind(count, newId(), ownerId, ownerId)
    .run();
}

const enrol = async (account: Parameters<typeof mintInstallToken>[0], hostname: string, settings = DEFAULTS) => {
  const token = await mintInstallToken(account);
  return createClientUnder(settings).post(`${AGENTS}/enroll`, { hostname }, { "x-agent-token": token });
};
const entriesOf = (agentId: string) =>
  db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.target_id, agentId), inArray(auditLog.event_type, ["agent.host_changed"])));

describe("agents of an account", () => {
  it.each<[Plan, number]>([
    ["free", 5],
    ["starter", 25],
    ["pro", 100],
    ["business", 500],
  ])("are, on plan %s, at most %i, however they are made", async (plan, max) => {
    const { account, client } = await limited(plan);
    await fillAgents(account.user_id, max - 1);
    const made = await client.post(AGENTS, { name: "Last", hostname: "last" });
    expect(made.status).toBe(201);
    const refused = {
      status: 403,
      body: { code: "plan_limit", error: `the ${plan} plan includes at most ${max} agents` },
    };
    expect(await client.post(AGENTS, { name: "More" })).toMatchObject(refused);
    expect(await enrol(account, "more")).toMatchObject(refused);
    // One that was made for this host takes no further place.
    expect(await enrol(account, "last")).toMatchObject({ status: 201, body: { agent_id: made.body.id } });
  });

  it("keep their limit against enrolments at the same time", async () => {
    const { account } = await limited();
    const tokens: string[] = [];
    for (let n = 0; n < 12; n++) tokens.push(await mintInstallToken(account));
    const answers = await Promise.all(
      tokens.map((token, n) =>
        createClientUnder(DEFAULTS).post(`${AGENTS}/enroll`, { hostname: `h${n}` }, { "x-agent-token": token }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(7);
    expect(await db.$count(agents, eq(agents.owner_id, account.user_id))).toBe(5);
  });

  it("are as many as wanted on the operator's own plan", async () => {
    const { account, client } = await limited("self_hosted");
    await fillAgents(account.user_id, 600);
    expect((await client.post(AGENTS, { name: "More" })).status).toBe(201);
  });

  it("share the requests of their owner, so that more of them send no more", async () => {
    const settings = { RATE_LIMITS: "all=off,agents=5,agent_owner=6" };
    const account = await createAccount({ plan: "free" });
    const tokens: string[] = [];
    for (let n = 0; n < 3; n++) tokens.push((await enrollAgent(account, { hostname: `h${n}` })).token);
    const statuses: number[] = [];
    for (let n = 0; n < 9; n++) {
      const headers = { "x-agent-token": tokens[n % 3] ?? "" };
      const client = createClientUnder(settings);
      statuses.push((await client.request("GET", `${AGENTS}/monitors`, undefined, headers)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429]);
  });
});

describe("a handshake", () => {
  it("that changes nothing writes nothing", async () => {
    const account = await createAccount({ plan: "free" });
    const facts = { hostname: "db-1", version: "1.0.0", os: "linux", capabilities: ["http", "ping"] };
    const { id, token } = await enrollAgent(account, facts);
    const { DB, record } = recordStatements();
    const client = createClientUnder({ ...DEFAULTS, DB });
    for (let n = 0; n < 3; n++) {
      expect((await client.post(`${AGENTS}/handshake`, facts, { "x-agent-token": token })).status).toBe(200);
    }
    expect(record.statements.filter((text) => /^\s*(?:insert|update|delete)/i.test(text))).toEqual([]);
    expect(await entriesOf(id)).toEqual([]);
  });

  it("with another host each time leaves one entry an hour, which names what changed", async () => {
    const account = await createAccount({ plan: "free" });
    const { id, client } = await enrollAgent(account, { hostname: "db-1" });
    const capabilities = (n: number) => Array.from({ length: 100 }, (_, i) => `${n}-${i}`.padEnd(100, "x"));
    for (let n = 0; n < 20; n++) {
      const facts = { hostname: `host-${n}`, capabilities: capabilities(n) };
      expect((await client.post(`${AGENTS}/handshake`, facts)).status).toBe(200);
    }
    const entries = await entriesOf(id);
    // Two where the hour ends meanwhile.
    expect(entries.length).toBeLessThanOrEqual(2);
    expect(entries[0]?.data).toEqual({ changed: ["hostname", "capabilities"] });
    expect((await account.client.get(`${AGENTS}/${id}`)).body).toMatchObject({ hostname: "host-19" });
  });

  it("and every other report take part in a budget of rows, which leaves people theirs", async () => {
    const settings = { RATE_LIMITS: "all=off,agent_rows=60" };
    const account = await createAccount({ plan: "free" });
    const { token } = await enrollAgent(account, { hostname: "db-1" });
    const client = createClientUnder(settings);
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const facts = { hostname: `host-${n}` };
      statuses.push((await client.post(`${AGENTS}/handshake`, facts, { "x-agent-token": token })).status);
    }
    expect(statuses.indexOf(429)).toBeGreaterThan(3);
    expect(new Set(statuses.slice(statuses.indexOf(429)))).toEqual(new Set([429]));
    const event = { events: [{ message: "x" }] };
    const refused = await client.post(`${AGENTS}/events`, event, { "x-agent-token": token });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(3600);
    const person = createClientUnder(settings, account.token);
    expect((await person.post(AGENTS, { name: "Other" })).status).toBe(201);
    // Signs of life and what it measured go on.
    expect((await client.request("GET", `${AGENTS}/monitors`, undefined, { "x-agent-token": token })).status).toBe(200);
    const usage = (await person.get(`${CORE}/uptime/tier-info`)).body;
    expect(usage.limits).toMatchObject({ agent_rows: 60, written_rows: null });
    expect(usage.usage.agent_rows).toBeGreaterThanOrEqual(60);
  });
});

describe("an install token", () => {
  it("is not accepted twice because the first enrolment was refused", async () => {
    const { account } = await limited();
    await fillAgents(account.user_id, 5);
    const token = await mintInstallToken(account);
    const send = () => createClientUnder(DEFAULTS).post(`${AGENTS}/enroll`, {}, { "x-agent-token": token });
    expect((await send()).status).toBe(403);
    await env.DB.prepare("DELETE FROM agents WHERE owner_id = ?").bind(account.user_id).run();
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(401);
    expect((await agentClient(token).post(`${AGENTS}/enroll`, {})).status).toBe(401);
  });
});
