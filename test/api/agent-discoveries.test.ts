import { describe, expect, it } from "vitest";
import { AGENTS, auditOf, type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";

const REDIS = { kind: "service", name: "redis-server on tcp port 6379", target: "127.0.0.1:6379" };
const CONTAINER = {
  kind: "container",
  name: "web",
  target: "unix:///run/docker.sock",
  details: { type: "docker", components: ["web"], image: "nginx" },
};
const ENGINE = { kind: "engine", name: "docker", target: CONTAINER.target, details: { type: "docker" } };

async function aHost(found: object[] = [{ ...REDIS, details: { type: "redis", port: 6379 } }], query = "") {
  const account = await createAccount();
  const agent = await enrollAgent(account, { hostname: "db-1" }, query);
  expect((await agent.client.post(`${AGENTS}/discoveries`, { discoveries: found })).status).toBe(200);
  return { account, agent };
}

const listOf = async ({ client }: Pick<Account, "client">, { id }: EnrolledAgent) =>
  (await client.get(`${AGENTS}/${id}/discoveries`)).body;

function watch({ client }: Pick<Account, "client">, agent: EnrolledAgent, discoveryId: string, body: object = {}) {
  return client.post(`${AGENTS}/${agent.id}/discoveries/${discoveryId}/monitor`, body);
}

describe("GET /agents/{agent_id}/discoveries", () => {
  it("names each service by an id that stays, with the type that can watch it", async () => {
    const { account, agent } = await aHost();
    const [redis] = await listOf(account, agent);
    expect(redis).toEqual({
      ...REDIS,
      type: "redis",
      monitor_id: null,
      details: { type: "redis", port: 6379 },
      id: expect.any(String),
      seen_at: expect.any(String),
    });
    await agent.client.post(`${AGENTS}/discoveries`, { discoveries: [{ ...REDIS, details: { type: "redis" } }] });
    const again = await account.client.get(`${AGENTS}/${agent.id}/discoveries?limit=1`);
    expect([again.headers.get("x-total-count"), again.body[0].id]).toEqual(["1", redis.id]);
    expect((await account.client.get(`${AGENTS}/${agent.id}/detail`)).body.discoveries).toMatchObject(again.body);
  });
});

describe("POST /agents/{agent_id}/discoveries/{discovery_id}/monitor", () => {
  it("makes a monitor that the agent checks, and the discovery then names it", async () => {
    const { account, agent } = await aHost();
    const [{ id }] = await listOf(account, agent);
    const created = await watch(account, agent, id);
    expect(created).toMatchObject({
      status: 201,
      body: { name: REDIS.name, type: "redis", target: REDIS.target, agent_id: agent.id, status_page_id: null },
    });
    expect((await agent.client.get(`${AGENTS}/monitors`)).body).toMatchObject([
      { id: created.body.id, type: "redis", target: REDIS.target },
    ]);
    expect(await auditOf(created.body.id)).toEqual(["monitor.created by token"]);
    expect(await listOf(account, agent)).toMatchObject([{ id, monitor_id: created.body.id }]);

    const again = await watch(account, agent, id);
    expect(again).toMatchObject({ status: 409, body: { error: expect.stringContaining(REDIS.name) } });
    expect((await account.client.get(`${V1}/monitors`)).body.length).toBe(1);
  });

  it("watches one container of an engine, which is not the engine", async () => {
    const { account, agent } = await aHost([ENGINE, CONTAINER]);
    const found: { id: string; name: string }[] = await listOf(account, agent);
    const idOf = (name: string) => found.find((each) => each.name === name)?.id ?? "";
    const web = await watch(account, agent, idOf("web"));
    expect(web.body).toMatchObject({ type: "docker", target: CONTAINER.target, components: ["web"] });
    const engine = await watch(account, agent, idOf("docker"));
    expect(engine.body).toMatchObject({ type: "docker", components: [] });
    const watched = (await listOf(account, agent)).map((each: { name: string; monitor_id: string }) => [
      ...[each.name, each.monitor_id],
    ]);
    expect(Object.fromEntries(watched)).toEqual({ web: web.body.id, docker: engine.body.id });
  });

  it.each([
    ["a private address", "https://127.0.0.1:8443/", {}, false],
    ["a private network", "https://10.1.2.3:8443/", {}, false],
    ["a private address, told to verify", "https://127.0.0.1:8443/", { verify_ssl: true }, true],
    ["a public address", "https://93.184.216.34/", {}, true],
  ])("does not verify a certificate that the agent could not verify at %s", async (_name, target, body, verify_ssl) => {
    const details = { type: "https", verify_ssl: false, certificate_fault: "DEPTH_ZERO_SELF_SIGNED_CERT" };
    const { account, agent } = await aHost([{ kind: "service", name: "web", target, details }]);
    const [{ id }] = await listOf(account, agent);
    const created = await watch(account, agent, id, body);
    expect(created.status).toBe(201);
    expect(created.body.verify_ssl ?? true).toBe(verify_ssl);
    const [assigned] = (await agent.client.get(`${AGENTS}/monitors`)).body;
    expect(assigned.options.verify_ssl ?? true).toBe(verify_ssl);
  });

  it("takes from the body what is to be other than found", async () => {
    const { account, agent } = await aHost();
    const status_page_id = await createPage(account);
    const [{ id }] = await listOf(account, agent);
    const wanted = { name: "Cache", type: "tcp", target: "10.0.0.5:6379", interval: 120, paused: true, status_page_id };
    const { paused: _, ...shown } = wanted;
    expect((await watch(account, agent, id, wanted)).body).toMatchObject({ ...shown, status: "paused" });
  });

  it("is on the page of the agent, unless the body says otherwise", async () => {
    const account = await createAccount();
    const page = await createPage(account);
    const agent = await enrollAgent(account, { hostname: "db-1" }, `?status_page_id=${page}`);
    await agent.client.post(`${AGENTS}/discoveries`, { discoveries: [REDIS, CONTAINER, { ...REDIS, kind: "redis" }] });
    const found: { id: string; kind: string }[] = await listOf(account, agent);
    const idOf = (kind: string) => found.find((each) => each.kind === kind)?.id ?? "";
    expect((await watch(account, agent, idOf("container"))).body.status_page_id).toBe(page);
    const own = await watch(account, agent, idOf("redis"), { status_page_id: null });
    expect(own.body.status_page_id).toBeNull();
    // A page's editor may, a viewer may not, and nobody outside sees any of it.
    const { member: editor } = await createMember(account, { role: "editor" }, page);
    const { member: viewer } = await createMember(account, { role: "viewer" }, page);
    const outsider = await createAccount();
    const body = { type: "tcp" };
    expect((await watch(viewer, agent, idOf("service"), body)).status).toBe(403);
    expect((await watch(outsider, agent, idOf("service"), body)).status).toBe(404);
    expect((await outsider.client.get(`${AGENTS}/${agent.id}/discoveries`)).status).toBe(404);
    expect(await watch(editor, agent, idOf("service"), body)).toMatchObject({
      status: 201,
      body: { type: "tcp", status_page_id: page, agent_id: agent.id },
    });
  });

  it.each<[string, object, object, string]>([
    ["no type is known", { ...REDIS, kind: "service" }, {}, "type is required: the discovery names none"],
    ["there is nothing to check", { kind: "redis", name: "a cache" }, {}, "target"],
    ["the target is of another type", { ...CONTAINER }, { type: "redis" }, "target"],
  ])("is 400 where %s", async (_name, found, body, error) => {
    const { account, agent } = await aHost([found]);
    const [{ id }] = await listOf(account, agent);
    const answer = await watch(account, agent, id, body);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
    expect((await account.client.get(`${V1}/monitors`)).body).toEqual([]);
  });

  it("knows the discoveries of the agent in its address alone", async () => {
    const { account, agent } = await aHost();
    const other = await enrollAgent(account, { hostname: "db-2" });
    const [{ id }] = await listOf(account, agent);
    expect((await watch(account, other, id)).status).toBe(404);
  });
});
