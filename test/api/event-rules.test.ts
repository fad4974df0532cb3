import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { eventRules } from "../../src/data/event-rules/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1, V2 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { auditOf } from "../support/incidents.ts";
import { joinPage } from "../support/members.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);
const SLOW = { metric: "latency_ms", operator: "gt", value: 500, window_minutes: 5 };

async function setUp(options: Parameters<typeof createAccount>[0] = {}) {
  const account = await createAccount(options);
  const page_id = await createPage(account);
  return { account, client: account.client, page_id, path: `${V1}/status-pages/${page_id}/events/rules` };
}

async function createRule({ client, path }: Awaited<ReturnType<typeof setUp>>, fields: Record<string, unknown> = {}) {
  const answer = await client.post(path, { event_name: "monitor.down", ...fields });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

async function enabledRulesOf(pageId: string) {
  const [row] = await db.select().from(statusPages).where(eq(statusPages.id, pageId));
  return row?.enabled_rules;
}

async function createAgent({ client }: Account, status_page_id: string): Promise<string> {
  return (await client.post(`${V1}/agents`, { name: "Rack", status_page_id })).body.id;
}

describe("event rules", () => {
  it("are created with defaults, listed oldest first, changed and deleted, under both versions", async () => {
    const page = await setUp();
    const { client, path, page_id } = page;
    const first = await createRule(page);
    expect(first).toEqual({
      id: first.id,
      status_page_id: page_id,
      event_name: "monitor.down",
      display_name: "monitor.down",
      classification: "public",
      conditions: "[]",
      actions: "[]",
      alert_channels: {},
      cooldown_seconds: 0,
      max_fires_per_hour: null,
      notify_in_maintenance: false,
      is_enabled: true,
      monitor_id: null,
      agent_id: null,
      incident_template_id: null,
      last_fired_at: null,
      created_at: first.created_at,
      updated_at: first.created_at,
    });
    const fields = { event_name: "latency.high", conditions: JSON.stringify([SLOW]), is_enabled: false };
    const second = (await client.post(path.replace(V1, V2), fields)).body;
    expect(second).toMatchObject({ display_name: "latency.high", conditions: JSON.stringify([SLOW]) });
    expect(await enabledRulesOf(page_id)).toBe(1);

    const changed = await client.put(`${path}/${second.id}`, { is_enabled: true, conditions: null });
    expect([changed.status, changed.body]).toMatchObject([200, { id: second.id, conditions: "[]", is_enabled: true }]);
    expect(await enabledRulesOf(page_id)).toBe(2);
    expect((await client.get(path.replace(V1, V2))).body.map(({ id }: { id: string }) => id)).toEqual([
      first.id,
      second.id,
    ]);
    const part = await client.get(`${path}?limit=1&offset=1`);
    expect([part.headers.get("x-total-count"), part.body]).toEqual(["2", [changed.body]]);
    expect((await client.delete(`${path}/${first.id}`)).status).toBe(204);
    expect((await client.delete(`${path}/${first.id}`)).status).toBe(404);
    expect(await enabledRulesOf(page_id)).toBe(1);
    expect((await auditOf(page_id)).filter((type) => String(type).startsWith("event_rule."))).toEqual(
      ["created", "created", "updated", "deleted"].map((verb) => `event_rule.${verb}`),
    );
  });

  it("accept back what they answered", async () => {
    const page = await setUp();
    const rule = await createRule(page, {
      conditions: [SLOW],
      actions: [{ type: "suppress_alerts_for", duration_seconds: 60 }],
      alert_channels: { "monitor.down": "#ops" },
      max_fires_per_hour: 3,
      classification: "critical",
    });
    const again = await page.client.put(`${page.path}/${rule.id}`, rule);
    expect(again.body).toEqual({ ...rule, updated_at: again.body.updated_at });
  });

  it.each([
    ["no event_name", { event_name: undefined }, "event_name"],
    ["an unknown event of the service", { event_name: "monitor.exploded" }, "event_name"],
    ["the event of webhook tests", { event_name: "test_event" }, "event_name must not be test_event"],
    ["the reminders of a webhook", { event_name: "monitor.reminder" }, "event_name must not be monitor.reminder"],
    ["an alarm of the installation", { event_name: "service.alarm_raised" }, "event_name must not be service.alarm"],
    ["a blank in the event_name", { event_name: "a b" }, "event_name"],
    ["another classification", { classification: "secret" }, "classification"],
    ["conditions that are no JSON", { conditions: "[" }, "conditions"],
    ["an unknown operator", { conditions: [{ ...SLOW, operator: "like" }] }, "conditions[0].operator"],
    ["a text to compare with", { conditions: [{ ...SLOW, value: "500" }] }, "conditions[0].value"],
    ["a window above a day", { conditions: [{ ...SLOW, window_minutes: 1441 }] }, "conditions[0].window_minutes"],
    ["an unknown action", { actions: [{ type: "reboot" }] }, "actions[0].type must be one of suppress_alerts_for"],
    ["an action without its parameter", { actions: '[{"type":"trigger_runbook"}]' }, "actions[0].webhook_id"],
    ["a negative cooldown", { cooldown_seconds: -1 }, "cooldown_seconds"],
    ["no fires per hour", { max_fires_per_hour: 0 }, "max_fires_per_hour"],
    ["a channel that is not stored", { alert_channels: { "monitor.down": "***" } }, "alert_channels"],
  ])("are refused with %s", async (_name, fields, named) => {
    const { client, path } = await setUp();
    const answer = await client.post(path, { event_name: "monitor.down", ...fields });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(named) } });
    expect((await client.get(path)).body).toEqual([]);
  });

  it("name only what their page has, and say the same of what exists elsewhere as of nothing", async () => {
    const page = await setUp();
    const { account, client, path, page_id } = page;
    const other = await createPage(account);
    const foreign = await setUp();
    const template = { name: "T", title: "T" };
    const templateOf = async (id: string) =>
      (await client.post(`${V1}/status-pages/${id}/incident-templates`, template)).body.id;
    const runbook = (webhook_id: string) => ({ actions: [{ type: "trigger_runbook", webhook_id }] });
    const good = {
      monitor_id: (await createMonitor(client, { status_page_id: page_id })).id,
      incident_template_id: await templateOf(page_id),
      ...runbook((await createWebhook(account, { status_page_id: page_id })).id),
    };
    await createRule(page, good);
    await createRule(page, { agent_id: await createAgent(account, page_id) });
    await createRule(page, runbook((await createWebhook(account)).id));
    const bad: [string, Record<string, unknown>][] = [
      ["monitor_id", { monitor_id: newId() }],
      ["monitor_id", { monitor_id: (await createMonitor(client, { status_page_id: other })).id }],
      ["monitor_id", { monitor_id: (await createMonitor(foreign.client)).id }],
      ["agent_id", { agent_id: await createAgent(account, other) }],
      ["incident_template_id", { incident_template_id: await templateOf(other) }],
      ["actions[0].webhook_id", runbook((await createWebhook(foreign.account)).id)],
      ["actions[0].webhook_id", runbook((await createWebhook(account, { status_page_id: other })).id)],
    ];
    const errors = new Map<string, Set<string>>();
    for (const [named, fields] of bad) {
      const answer = await client.post(path, { event_name: "monitor.down", ...fields });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ path: named }] } });
      errors.set(named, (errors.get(named) ?? new Set()).add(answer.body.error));
    }
    for (const texts of errors.values()) expect(texts.size).toBe(1);
  });

  it("show chat channels only to callers that may change alerting, and keep them when masked ones return", async () => {
    const page = await setUp();
    const secret = "https://discord.test/api/webhooks/1/s3cret";
    const rule = await createRule(page, { alert_channels: { "monitor.down": secret } });
    const member = await createAccount();
    await joinPage(member, page.page_id, { role: "custom", capabilities: ["events.write"] });
    const [shown] = (await member.client.get(page.path)).body;
    expect(shown.alert_channels).toEqual({ "monitor.down": "***" });
    await member.client.put(`${page.path}/${rule.id}`, { ...shown, cooldown_seconds: 5 });
    const [kept] = (await page.client.get(page.path)).body;
    expect([kept.alert_channels, kept.cooldown_seconds]).toEqual([{ "monitor.down": secret }, 5]);
    const file = await member.client.get(`${page.path}/export`);
    expect(JSON.stringify(file.body)).not.toContain("s3cret");
    const versions = await member.client.get(`${page.path}/${rule.id}/versions`);
    expect(versions.body[0].rule.alert_channels).toEqual({ "monitor.down": "***" });
    expect(JSON.stringify(await db.select().from(eventRules).where(eq(eventRules.id, rule.id)))).not.toContain(
      "s3cret",
    );
  });

  it("are as many on a page as the plan includes, also when they arrive together", async () => {
    const page = await setUp({ plan: "free" });
    const rules = Array.from({ length: 49 }, (_, n) => ({ event_name: `event.${n}` }));
    const file = { version: 1, kind: "event_rules", rules };
    expect((await page.client.post(`${page.path}/import`, file)).status).toBe(201);
    const answers = await Promise.all([1, 2, 3].map(() => page.client.post(page.path, { event_name: "one.more" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
    expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({ code: "plan_limit" });
  });

  it("go with their monitor, and lose a deleted template", async () => {
    const page = await setUp();
    const { client, page_id, path } = page;
    const monitor_id = (await createMonitor(client, { status_page_id: page_id })).id;
    const templates = `${V1}/status-pages/${page_id}/incident-templates`;
    const incident_template_id = (await client.post(templates, { name: "T", title: "T" })).body.id;
    await createRule(page, { monitor_id });
    const kept = await createRule(page, { incident_template_id });
    await client.delete(`${V1}/monitors/${monitor_id}`);
    await client.delete(`${templates}/${incident_template_id}`);
    expect((await client.get(path)).body).toMatchObject([{ id: kept.id, incident_template_id: null }]);
  });
});

describe("versions of a rule", () => {
  it("are what it was before each change, newest first, and are restored as a change", async () => {
    const page = await setUp();
    const { id } = await createRule(page, { display_name: "one" });
    const path = `${page.path}/${id}`;
    expect((await page.client.get(`${path}/versions`)).body).toEqual([]);
    await page.client.put(path, { display_name: "two" });
    await page.client.put(path, { display_name: "three" });
    const names = async () =>
      (await page.client.get(`${path}/versions`)).body.map(
        ({ version, rule }: { version: number; rule: { display_name: string } }) => [version, rule.display_name],
      );
    expect(await names()).toEqual([
      [2, "two"],
      [1, "one"],
    ]);
    const restored = await page.client.post(`${path.replace(V1, V2)}/restore/1`);
    expect([restored.status, restored.body.display_name]).toEqual([200, "one"]);
    expect(await names()).toEqual([
      [3, "three"],
      [2, "two"],
      [1, "one"],
    ]);
    expect((await page.client.post(`${path}/restore/9`)).status).toBe(404);
    expect((await page.client.post(`${path}/restore/0`)).status).toBe(400);
    expect((await page.client.post(`${path}/restore/two`)).status).toBe(400);
  });

  it("are 50 at most", async () => {
    const page = await setUp();
    const { id } = await createRule(page);
    for (let n = 1; n <= 52; n++) await page.client.put(`${page.path}/${id}`, { cooldown_seconds: n });
    const { body, headers } = await page.client.get(`${page.path}/${id}/versions`);
    expect([body.length, headers.get("x-total-count")]).toEqual([50, "50"]);
    expect([body[0].version, body.at(-1).version]).toEqual([52, 3]);
  });

  it("are complete when changes arrive together", async () => {
    const page = await setUp();
    const { id } = await createRule(page);
    const path = `${page.path}/${id}`;
    const changes = [{ cooldown_seconds: 7 }, { display_name: "Together" }, { notify_in_maintenance: true }];
    const answers = await Promise.all(changes.map((change) => page.client.put(path, change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [rule] = (await page.client.get(page.path)).body;
    expect(rule).toMatchObject(Object.assign({}, ...changes));
    expect((await page.client.get(`${path}/versions`)).body).toHaveLength(3);
  });

  it("cannot be restored once what they name is gone", async () => {
    const page = await setUp();
    const webhook = await createWebhook(page.account, { status_page_id: page.page_id });
    const { id } = await createRule(page, { actions: [{ type: "trigger_runbook", webhook_id: webhook.id }] });
    await page.client.put(`${page.path}/${id}`, { actions: [] });
    await page.client.delete(`${V1}/webhooks/${webhook.id}`);
    expect(await page.client.post(`${page.path}/${id}/restore/1`)).toMatchObject({ status: 409 });
  });
});

describe("files of rules", () => {
  const FULL = {
    event_name: "latency.high",
    display_name: "Slow: yes",
    classification: "team_only",
    conditions: [SLOW],
    actions: [{ type: "suppress_alerts_for", duration_seconds: 60 }],
    alert_channels: { "latency.high": "#ops" },
    cooldown_seconds: 60,
    max_fires_per_hour: 5,
    notify_in_maintenance: true,
    is_enabled: true,
  };

  it.each(["json", "yaml"])("in %s are imported as they were exported", async (format) => {
    const [from, to] = [await setUp(), await setUp()];
    await createRule(from, FULL);
    await createRule(from);
    const file = await from.client.get(`${from.path}/export?format=${format}`);
    expect([file.status, file.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining(`application/${format}`),
    ]);
    const text = typeof file.body === "string" ? file.body : JSON.stringify(file.body);
    const headers = { "content-type": `application/${format}` };
    const answer = await to.client.request("POST", `${to.path}/import`, text, headers);
    expect([answer.status, answer.body.created.length, answer.body.warnings]).toEqual([201, 2, []]);
    expect((await to.client.get(to.path)).body).toEqual(answer.body.created);
    const again = await to.client.get(`${to.path}/export?format=${format}`);
    expect(again.body).toEqual(file.body);
  });

  it.each(["application/x-yaml", "text/yaml; charset=utf-8", "text/x-yaml"])("are YAML as %s", async (type) => {
    const { client, path } = await setUp();
    const text =
      "version: 1\nkind: event_rules\nrules:\n  - event_name: deploy.done\n    is_enabled: false\n    colour: red\n";
    const answer = await client.request("POST", `${path}/import`, text, { "content-type": type });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        created: [{ event_name: "deploy.done", is_enabled: false }],
        warnings: ["rules[0].colour is unknown and was ignored", "rules[0] is disabled"],
      },
    });
  });

  it("are imported whole or not at all", async () => {
    const { client, path } = await setUp();
    const rules = [{ event_name: "a.b" }, { event_name: "c.d", monitor_id: newId() }, { event_name: "monitor.none" }];
    const answer = await client.post(`${path}/import`, { version: 1, kind: "event_rules", rules });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("rules[") } });
    expect(answer.body.details.map((detail: { path: string }) => detail.path).sort()).toEqual([
      "rules[1].monitor_id",
      "rules[2].event_name",
    ]);
    expect((await client.get(path)).body).toEqual([]);
  });

  it.each([
    ["of another version", { version: 2, kind: "event_rules", rules: [{ event_name: "a" }] }],
    ["of another kind", { version: 1, kind: "monitors", rules: [{ event_name: "a" }] }],
    ["without rules", { version: 1, kind: "event_rules", rules: [] }],
    ["with 201 rules", { version: 1, kind: "event_rules", rules: Array(201).fill({ event_name: "a" }) }],
  ])("%s are refused", async (_name, file) => {
    const { client, path } = await setUp();
    expect((await client.post(`${path}/import`, file)).status).toBe(400);
    expect((await client.get(path)).body).toEqual([]);
  });

  it.each([
    ["aliases", `a: &a [1]\nb: [${"*a,".repeat(1000)}*a]\n`, 400],
    ["nesting", "[".repeat(200_000), 400],
    ["a tag", "version: !!js/function 'x'\n", 400],
    ["two documents", "a: 1\n---\nb: 2\n", 400],
    ["broken text", "a: [1\n", 400],
    ["a scalar", "hello", 400],
    ["300 kB", `a: ${"x".repeat(300_000)}`, 413],
  ])("with %s are refused", async (_name, text, status) => {
    const { client, path } = await setUp();
    const answer = await client.request("POST", `${path}/import`, text, { "content-type": "application/yaml" });
    expect(answer.status).toBe(status);
    expect((await client.get(path)).body).toEqual([]);
  });

  it("are refused elsewhere as YAML", async () => {
    const { client, path } = await setUp();
    expect((await client.request("POST", path, "event_name: a", { "content-type": "application/yaml" })).status).toBe(
      415,
    );
  });
});

describe("the test of a rule", () => {
  it("compares given metrics and sends nothing", async () => {
    const page = await setUp();
    const actions = [{ type: "suppress_alerts_for", duration_seconds: 60 }];
    const errors = { metric: "error_rate", operator: ">=", value: 10 };
    const { id } = await createRule(page, { conditions: [SLOW, errors], actions });
    const path = `${page.path}/${id}/test`;
    const fires = await page.client.post(path, { metrics: { latency_ms: 501, error_rate: 10 } });
    expect([fires.status, fires.body]).toEqual([
      200,
      {
        would_fire: true,
        conditions: [
          { ...SLOW, actual: 501, passed: true },
          { ...errors, window_minutes: null, actual: 10, passed: true },
        ],
        cooldown: { active: false, remaining_seconds: 0, last_fired_at: null },
        actions,
      },
    ]);
    const silent = await page.client.post(path, { metrics: { latency_ms: 500 } });
    expect(silent.body).toMatchObject({
      would_fire: false,
      conditions: [
        { actual: 500, passed: false },
        { actual: null, passed: false },
      ],
    });
    expect((await page.client.get(page.path)).body[0].last_fired_at).toBeNull();
    expect((await page.client.get(page.path.replace("/rules", "/log"))).body).toEqual([]);
  });

  it("reports the cooldown that runs", async () => {
    const page = await setUp();
    const { id } = await createRule(page, { cooldown_seconds: 3600 });
    const last_fired_at = Date.now() - 600_000;
    await db.update(eventRules).set({ last_fired_at }).where(eq(eventRules.id, id));
    const { body } = await page.client.post(`${page.path}/${id}/test`, {});
    expect(body).toMatchObject({ would_fire: false, cooldown: { active: true } });
    expect(body.cooldown.remaining_seconds).toBeGreaterThan(2900);
    expect(body.cooldown.last_fired_at).toBe(new Date(last_fired_at).toISOString());
  });

  it("reads what was pushed to the monitor", async () => {
    const page = await setUp();
    const fields = { type: "api", target: undefined, paused: false, status_page_id: page.page_id };
    const monitor = await createMonitor(page.client, fields);
    const push = { latency_ms: 700, status_code: 503, metrics: { queue: 12 } };
    const headers = { authorization: `Bearer ${monitor.push_key}` };
    expect((await page.client.post(`${V1}/api-monitoring/push`, push, headers)).status).toBe(200);
    const conditions = [
      { metric: "latency_ms", operator: "gt", value: 600 },
      { metric: "queue", operator: "eq", value: 12, window_minutes: 5 },
      { metric: "status_code", operator: "gte", value: 500 },
    ];
    const { id } = await createRule(page, { event_name: "queue.full", conditions });
    const { body } = await page.client.post(`${page.path}/${id}/test`, { monitor_id: monitor.id });
    expect(body).toMatchObject({ would_fire: true, conditions: [{ actual: 700 }, { actual: 12 }, { actual: 503 }] });
    const { body: replayed } = await page.client.post(`${page.path}/${id}/backtest?days=1`);
    expect(replayed).toMatchObject({ would_have_fired: 1, fires: [expect.any(String)] });
  });
});
