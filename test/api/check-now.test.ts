import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { agentCommands } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { idempotencyKeys } from "../../src/data/idempotency/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { AGENTS, aStage, auditOf, type Stage, submit } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
import { createVisitor } from "../support/pages.ts";
import { PATIENCE } from "../support/patience.ts";

const db = openDb(env.DB);
const outside = vi.spyOn(globalThis, "fetch");
beforeEach(() => void outside.mockReset().mockImplementation(async () => new Response("ok")));

/** Checks of other regions go through queues of the test's own runtime. */
const pathOf = ({ id }: { id: string }) => `${V1}/monitors/${id}/check`;

/** A monitor whose checks are seen: `checks()` is how often it was checked. */
async function aShop() {
  const account = await createAccount();
  const target = `http://sink.test/${newId()}`;
  const monitor = await createMonitor(account.client, { target });
  // Resumed without the API, so that only the test checks it.
  await env.DB.prepare("UPDATE monitors SET paused = 0, config_version = config_version + 1 WHERE id = ?")
    .bind(monitor.id)
    .run();
  const checks = () =>
    outside.mock.calls.filter(([asked]) => String((asked as Request).url ?? asked) === target).length;
  const check = (key?: string) =>
    account.client.post(pathOf(monitor), undefined, key === undefined ? {} : { "idempotency-key": key });
  return { account, monitor, checks, check };
}

describe("a check of a monitor in several regions", () => {
  it("is one round in all of them, which decides at once", async () => {
    const { client } = await createAccount();
    const regions = ["weur", "enam", "apac"];
    const monitor = await createMonitor(client, { regions, failure_threshold: 1, recovery_threshold: 1 });
    await client.post(`${V1}/monitors/${monitor.id}/resume`);
    const statusOf = async () => (await client.get(`${V1}/monitors/${monitor.id}`)).body.status;
    const newestOf = async (region: string) =>
      (await client.get(`${V1}/monitors/${monitor.id}/results?region=${region}`)).body[0]?.status;
    await vi.waitFor(async () => expect(await statusOf()).toBe("up"), PATIENCE);
    for (const [status, code] of [
      ["down", 500],
      ["up", 200],
    ] as const) {
      outside.mockImplementation(async () => new Response("", { status: code }));
      expect((await client.post(pathOf(monitor))).body).toMatchObject({ status, region: "weur" });
      await vi.waitFor(async () => expect(await statusOf()).toBe(status), PATIENCE);
      // Two of three decide; the last may still be on its way.
      for (const region of regions) await vi.waitFor(async () => expect(await newestOf(region)).toBe(status), PATIENCE);
    }
  });
});

describe("an Idempotency-Key of POST /monitors/{id}/check", () => {
  it("gives the same result again without checking again", async () => {
    const { check, checks, monitor } = await aShop();
    const key = newId();
    const first = await check(key);
    expect(first).toMatchObject({ status: 200, body: { status: "up" } });
    expect([await check(key), await check(key)].map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 200, body: first.body },
      { status: 200, body: first.body },
    ]);
    expect(checks()).toBe(1);
    expect((await check(newId())).status).toBe(200);
    expect((await check()).status).toBe(200);
    expect(checks()).toBe(3);
    expect(await auditOf(monitor.id)).toEqual([
      "monitor.created by token",
      ...Array(3).fill("monitor.checked by token"),
    ]);
  });

  it("is refused with 409 while the first check runs, and answered when it has run", async () => {
    const { check, checks } = await aShop();
    const answer = Promise.withResolvers<Response>();
    outside.mockImplementation(() => answer.promise);
    const key = newId();
    const first = check(key);
    await vi.waitFor(() => expect(checks()).toBe(1), PATIENCE);
    const meanwhile = await check(key);
    expect([meanwhile.status, meanwhile.headers.get("retry-after")]).toEqual([409, "1"]);
    answer.resolve(new Response("ok"));
    const { body } = await first;
    expect((await check(key)).body).toEqual(body);
    expect(checks()).toBe(1);
  });

  it("may be used again when the first request was never answered", async () => {
    const { account, check, monitor } = await aShop();
    const key = newId();
    const request = { user_id: account.user_id, route: `POST ${pathOf(monitor)}`, key, status: 201 };
    await check(key);
    const [stored] = await db.select().from(idempotencyKeys);
    const body_hash = stored?.body_hash ?? "";
    await db.delete(idempotencyKeys);
    for (const [age, status] of [
      [119_000, 409],
      [121_000, 200],
    ] as const) {
      await db.delete(idempotencyKeys);
      await db.insert(idempotencyKeys).values({ ...request, body_hash, created_at: Date.now() - age });
      expect((await check(key)).status).toBe(status);
    }
  });

  it("tries a monitor that is not saved once, too", async () => {
    const { client } = await createAccount();
    const body = { name: "Shop", type: "http", target: "http://sink.test/tried" };
    const headers = { "idempotency-key": newId() };
    const first = await client.post(`${V1}/monitors/test`, body, headers);
    expect((await client.post(`${V1}/monitors/test`, body, headers)).body).toEqual(first.body);
    expect(outside).toHaveBeenCalledTimes(1);
    expect((await client.post(`${V1}/monitors/test`, { ...body, name: "Store" }, headers)).status).toBe(422);
  });
});

describe("POST /monitors/{id}/check of a monitor that an agent runs", () => {
  const commandsOf = (stage: Stage) => stage.agent.client.get(`${AGENTS}/commands?wait=5`);
  const checkOf = ({ account, monitor }: Stage) => account.client.post(pathOf(monitor));
  /** Waits for a quarter of a second instead of twenty. */
  const impatient = createVisitor({ AGENT_CHECK_WAIT_MS: "250" });
  const askBriefly = async ({ account, monitor }: Stage) => {
    const answer = await impatient(pathOf(monitor), { authorization: `Bearer ${account.token}` }, { method: "POST" });
    return JSON.parse(answer.text);
  };

  it("is what the agent finds when it is asked to check", async () => {
    const stage = await aStage();
    await submit(stage, { status: "down", message: "before", checked_at: new Date(Date.now() - 1000).toISOString() });
    const checking = checkOf(stage);
    const [command] = (await commandsOf(stage)).body;
    expect(command).toMatchObject({ type: "check_now", params: { monitor_id: stage.monitor.id } });
    const found = { status: "degraded", latency_ms: 812, message: "slow", details: { hops: 3 } };
    await submit(stage, { ...found, checked_at: new Date().toISOString() });
    expect(await checking).toMatchObject({ status: 200, body: { ...found, region: "default" } });
    expect(await auditOf(stage.monitor.id)).toEqual(["monitor.checked by token"]);
  });

  it("is unknown, with the reason, when the agent could not", async () => {
    const stage = await aStage();
    const checking = checkOf(stage);
    const [command] = (await commandsOf(stage)).body;
    await stage.agent.client.post(`${AGENTS}/commands/${command.id}/ack`, { ok: false, error: "no such probe" });
    expect((await checking).body).toMatchObject({ status: "unknown", latency_ms: null, message: "no such probe" });
  });

  it("is unknown when the agent does not answer in time, and its result counts when it comes", async () => {
    const stage = await aStage();
    expect(await askBriefly(stage)).toMatchObject({ status: "unknown", message: "the agent did not answer in time" });
    await submit(stage, { status: "up" });
    expect((await stage.account.client.get(`${V1}/monitors/${stage.monitor.id}`)).body.status).toBe("up");
  });

  it("is unknown at once, and notifies nobody, while the agent is offline", async () => {
    const stage = await aStage();
    // Silent for longer than an agent may be; the sweep has yet to notice.
    await env.DB.prepare("UPDATE agents SET last_seen_at = last_seen_at - 91000 WHERE id = ?")
      .bind(stage.agent.id)
      .run();
    expect((await checkOf(stage)).body).toMatchObject({ status: "unknown", message: "the agent is offline" });
    expect(await db.select().from(agentCommands)).not.toContainEqual(
      expect.objectContaining({ agent_id: stage.agent.id }),
    );
  });

  it("is 409 while it is paused", async () => {
    const stage = await aStage({ paused: true });
    expect((await checkOf(stage)).status).toBe(409);
  });
});
