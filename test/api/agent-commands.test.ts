import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { AGENT_SOCKETS_MAX, SOCKET_REPLACED, SOCKET_REVOKED } from "../../src/contract/agent-object.ts";
import { sha256Hex } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { AGENTS, agentClient, aStage, auditOf, type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { type Client, CORE, V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
import { insertPassword, PASSWORD } from "../support/members.ts";
import { PATIENCE } from "../support/patience.ts";

describe("commands", () => {
  it("reach their agent alone, until it says what came of them, which stands", async () => {
    const account = await createAccount();
    const [agent, other] = [await enrollAgent(account), await enrollAgent(account)];
    const stranger = await enrollAgent(await createAccount());
    const created = await account.client.post(`${AGENTS}/${agent.id}/commands`, {
      type: "discover",
      params: { deep: true },
    });
    expect(created).toMatchObject({ status: 201, body: { type: "discover", params: { deep: true } } });
    expect((await other.client.get(`${AGENTS}/commands?wait=0`)).body).toEqual([]);
    expect((await agent.client.get(`${AGENTS}/commands?wait=0`)).body).toEqual([created.body]);

    const path = `${AGENTS}/commands/${created.body.id}/ack`;
    for (const { client } of [other, stranger]) expect((await client.post(path, { ok: true })).status).toBe(404);
    for (const ack of [
      { ok: true, result: 3 },
      { ok: false, error: "no" },
    ]) {
      expect(await agent.client.post(path, ack)).toMatchObject({ status: 200, body: { acknowledged: true } });
    }
    expect((await agent.client.get(`${AGENTS}/commands?wait=0`)).body).toEqual([]);
    expect(await auditOf(created.body.id)).toEqual(["agent.commanded by token", "agent.command_answered by agent"]);
  });

  it("check a monitor that runs on their agent, and no other", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const own = await createMonitor(account.client, { agent_id: agent.id, type: "tcp", target: "10.0.0.5:22" });
    const other = await createMonitor(account.client);
    const check = (monitor_id: unknown) =>
      account.client.post(`${AGENTS}/${agent.id}/commands`, { type: "check_now", params: { monitor_id } });
    expect((await check(own.id)).status).toBe(201);
    for (const id of [other.id, newId(), "x", 5]) {
      const error = "params.monitor_id must be a monitor that runs on the agent";
      expect(await check(id)).toMatchObject({ status: 400, body: { error } });
    }
  });

  it("show people what came of them", async () => {
    const account = await createAccount();
    const [agent, other] = [await enrollAgent(account), await enrollAgent(account, { hostname: "db-2" })];
    const ids: string[] = [];
    for (const type of ["check_now", "discover"]) {
      ids.push((await account.client.post(`${AGENTS}/${agent.id}/commands`, { type })).body.id);
    }
    const [checked = "", failed = ""] = ids;
    const read = async (id: string) => (await account.client.get(`${AGENTS}/${agent.id}/commands/${id}`)).body;
    const unanswered = { acknowledged_at: null, ok: null, result: null, error: null };
    expect(await read(checked)).toMatchObject({ id: checked, type: "check_now", params: {}, ...unanswered });

    const result = { status: "up", latency_ms: 3, message: "port 22 is open" };
    await agent.client.post(`${AGENTS}/commands/${checked}/ack`, { ok: true, result });
    await agent.client.post(`${AGENTS}/commands/${failed}/ack`, { ok: false, error: "no /proc here" });
    const answered = await read(checked);
    expect(answered).toMatchObject({ ok: true, result, error: null, acknowledged_at: expect.any(String) });
    expect(answered.updated_at).toBe(answered.acknowledged_at);
    expect(await read(failed)).toMatchObject({ ok: false, result: null, error: "no /proc here" });
    const all = (await account.client.get(`${AGENTS}/${agent.id}/commands`)).body;
    // Two of one millisecond have no order.
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining([await read(checked), await read(failed)]));
    const list = await account.client.get(`${AGENTS}/${agent.id}/commands?limit=1`);
    expect([list.headers.get("x-total-count"), list.body.length]).toEqual(["2", 1]);

    expect((await account.client.get(`${AGENTS}/${other.id}/commands/${checked}`)).status).toBe(404);
    const outsider = await createAccount();
    expect((await outsider.client.get(`${AGENTS}/${agent.id}/commands`)).status).toBe(404);
  });

  it("end the wait for them as soon as there is one, without being asked to wait", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const waiting = agent.client.get(`${AGENTS}/commands`);
    const { body } = await account.client.post(`${AGENTS}/${agent.id}/commands`, { type: "check_now" });
    expect((await waiting).body).toEqual([body]);
  });

  it.each([-1, 26, "x"])("refuse a wait of %s", async (wait) => {
    const agent = await enrollAgent(await createAccount());
    expect((await agent.client.get(`${AGENTS}/commands?wait=${wait}`)).status).toBe(400);
  });

  it("rotate the credential without ever locking the agent out", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const { body } = await account.client.post(`${AGENTS}/${agent.id}/commands`, { type: "rotate_token" });
    const path = `${AGENTS}/commands/${body.id}/ack`;
    const lost = (await agent.client.post(path, { ok: true })).body.agent_token;
    const next = (await agent.client.post(path, { ok: true })).body.agent_token;
    expect((await agentClient(lost).get(`${AGENTS}/commands?wait=0`)).status).toBe(401);
    expect((await agent.client.get(`${AGENTS}/commands?wait=0`)).status).toBe(200);
    expect((await agentClient(next).get(`${AGENTS}/commands?wait=0`)).status).toBe(200);
    expect((await agent.client.get(`${AGENTS}/commands?wait=0`)).status).toBe(401);
    expect((await agentClient(next).post(path, { ok: true })).body).toEqual({ acknowledged: true });
    expect((await agentClient(next).get(`${AGENTS}/commands?wait=0`)).status).toBe(200);
  });
});

const connect = (token: string, headers: Record<string, string> = { upgrade: "websocket" }) =>
  exports.default.fetch(`http://vigil.test${AGENTS}/commands/live`, {
    headers: { "x-agent-token": token, ...headers },
  });

/** A connected agent: the messages that it was sent so far, and the code with which it was closed. */
async function open({ token }: Pick<EnrolledAgent, "token">) {
  const { status, webSocket: socket } = await connect(token);
  if (!socket) throw new Error(`not connected: ${status}`);
  const connected = { socket, messages: [] as string[], closed: null as number | null };
  socket.addEventListener("message", ({ data }) => void connected.messages.push(String(data)));
  socket.addEventListener("close", ({ code }) => {
    connected.closed = code;
  });
  socket.accept();
  return connected;
}
const commandsIn = (message: string | undefined): { id: string }[] => JSON.parse(message ?? "{}").commands;

/** What the database is asked of agents and their commands; work of former tests may still ask for other things. */
function countStatements() {
  const prepare = vi.spyOn(env.DB, "prepare");
  const isCounted = ([text]: [text: string]) => /"agent(s|_commands)"/.test(text);
  return { count: () => prepare.mock.calls.filter(isCounted).length, stop: () => prepare.mockRestore() };
}

describe("GET /agents/commands", () => {
  it("asks the database no more often the longer it waits", async () => {
    const agent = await enrollAgent(await createAccount());
    const costs: number[] = [];
    for (const wait of [1, 4]) {
      const statements = countStatements();
      expect((await agent.client.get(`${AGENTS}/commands?wait=${wait}`)).body).toEqual([]);
      costs.push(statements.count());
      statements.stop();
    }
    expect(costs[0]).toBeGreaterThan(0);
    expect(costs[1]).toBeLessThanOrEqual(costs[0] ?? 0);
  });

  it("is 401 as soon as the credential ends, also while it waits", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const caller = { agent_id: agent.id, token_hash: sha256Hex(agent.token) };
    const HOUR_MS = 3_600_000;
    const waiting = [
      env.AGENT.getByName(agent.id).awaitCommands(caller, HOUR_MS),
      agent.client.get(`${AGENTS}/commands`),
    ];
    expect((await account.client.delete(`${AGENTS}/${agent.id}`)).status).toBe(204);
    expect(await Promise.all(waiting)).toMatchObject([null, { status: 401 }]);
  });
});

describe("GET /agents/commands/live", () => {
  it("sends what waits at once, then each command as it is queued, to its agent alone", async () => {
    const account = await createAccount();
    const [agent, other] = [await enrollAgent(account), await enrollAgent(account, { hostname: "db-2" })];
    const queue = async (type: string) => (await account.client.post(`${AGENTS}/${agent.id}/commands`, { type })).body;
    const early = await queue("discover");
    const [connected, stranger] = [await open(agent), await open(other)];
    await vi.waitFor(() => expect(commandsIn(connected.messages[0])).toEqual([early]), PATIENCE);

    expect((await agent.client.post(`${AGENTS}/commands/${early.id}/ack`, { ok: true })).status).toBe(200);
    const late = await queue("check_now");
    await vi.waitFor(() => expect(commandsIn(connected.messages[1])).toEqual([late]), PATIENCE);
    expect(stranger.messages.map(commandsIn)).toEqual([[]]);
  });

  it("asks the database nothing while nothing is queued, and answers a ping in its sleep", async () => {
    const agent = await enrollAgent(await createAccount());
    const connected = await open(agent);
    await vi.waitFor(() => expect(connected.messages.length).toBe(1), PATIENCE);
    const statements = countStatements();
    connected.socket.send("ping");
    await vi.waitFor(() => expect(connected.messages.at(-1)).toBe("pong"), PATIENCE);
    expect(statements.count()).toBe(0);
    statements.stop();
    connected.socket.send("anything else");
    await vi.waitFor(() => expect(connected.closed).toBe(1008), PATIENCE);
  });

  it.each<[string, (client: Client, stage: { agent_id: string; monitor_id: string }) => Promise<{ status: number }>]>([
    [
      "is made",
      (client, { agent_id }) =>
        client.post(`${V1}/monitors`, { name: "Cache", type: "redis", target: "10.0.0.5:6379", agent_id }),
    ],
    ["is changed", (client, { monitor_id }) => client.put(`${V1}/monitors/${monitor_id}`, { interval: 120 })],
    ["is taken away", (client, { monitor_id }) => client.delete(`${V1}/monitors/${monitor_id}`)],
    ["is paused", (client, { monitor_id }) => client.post(`${V1}/monitors/${monitor_id}/pause`)],
    [
      "is changed with others",
      (client, { monitor_id }) => client.post(`${V1}/monitors/bulk`, { ids: [monitor_id], action: "pause" }),
    ],
  ])("says at once that a monitor of the agent %s", async (_name, change) => {
    const { account, agent, monitor } = await aStage({ target: "10.0.0.5:1", type: "tcp" });
    const connected = await open(agent);
    const news = () => connected.messages.map((message) => JSON.parse(message));
    // What changed before the connection, the agent may have missed.
    await vi.waitFor(() => expect(news()).toEqual([{ commands: [], monitors_changed: true }]), PATIENCE);
    const { status } = await change(account.client, { agent_id: agent.id, monitor_id: monitor.id });
    expect(status).toBeLessThan(300);
    await vi.waitFor(() => expect(news()[1]).toEqual({ commands: [], monitors_changed: true }), PATIENCE);
  });

  it.each<[string, (agent: EnrolledAgent, account: Awaited<ReturnType<typeof createAccount>>) => Promise<unknown>]>([
    ["the agent is deleted", (agent, account) => account.client.delete(`${AGENTS}/${agent.id}`)],
    ["the agent is enrolled again", (agent, account) => enrollAgent(account, {}, `?agent_id=${agent.id}`)],
    [
      "its next credential is used for the first time",
      async (agent, account) => {
        const { body } = await account.client.post(`${AGENTS}/${agent.id}/commands`, { type: "rotate_token" });
        const { agent_token } = (await agent.client.post(`${AGENTS}/commands/${body.id}/ack`, { ok: true })).body;
        return agentClient(agent_token).get(`${AGENTS}/monitors`);
      },
    ],
    [
      "its owner's account is deleted",
      async (_agent, account) => {
        await insertPassword(account);
        await account.client.request("DELETE", `${CORE}/user`, { password: PASSWORD });
      },
    ],
  ])("closes when %s", async (_name, revoke) => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const connected = await open(agent);
    await revoke(agent, account);
    await vi.waitFor(() => expect(connected.closed).toBe(SOCKET_REVOKED), PATIENCE);
    expect((await connect(agent.token)).status).toBe(401);
  });

  it("sends nothing to a revoked credential whose connection was not closed", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const connected = await open(agent);
    await env.DB.prepare("UPDATE agents SET token_hash = 'another' WHERE id = ?").bind(agent.id).run();
    await account.client.post(`${AGENTS}/${agent.id}/commands`, { type: "discover" });
    await vi.waitFor(() => expect(connected.closed).toBe(SOCKET_REVOKED), PATIENCE);
    expect(connected.messages.map(commandsIn)).toEqual([[]]);
  });

  it("keeps the newest connections of an agent", async () => {
    const agent = await enrollAgent(await createAccount());
    const all: Awaited<ReturnType<typeof open>>[] = [];
    for (let n = 0; n <= AGENT_SOCKETS_MAX; n++) {
      all.push(await open(agent));
      await vi.waitFor(() => expect(all.at(-1)?.messages.length).toBe(1), PATIENCE);
    }
    await vi.waitFor(() => expect(all[0]?.closed).toBe(SOCKET_REPLACED), PATIENCE);
    expect(all.slice(1).map(({ closed }) => closed)).toEqual(Array.from({ length: AGENT_SOCKETS_MAX }, () => null));
  });

  it("is 400 for a request that is no WebSocket, and needs the agent's own credential", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account);
    expect((await connect(agent.token, {})).status).toBe(400);
    expect((await connect(account.token)).status).toBe(401);
    // What introduces a connection to the object is not taken from the client.
    const other = await enrollAgent(account, { hostname: "db-2" });
    const forged = { upgrade: "websocket", "x-vigil-agent": agent.id };
    const { webSocket } = await connect(other.token, forged);
    webSocket?.accept();
    await runInDurableObject(env.AGENT.getByName(agent.id) as never, async (_object: never, state) => {
      expect(state.getWebSockets()).toEqual([]);
    });
  });
});
