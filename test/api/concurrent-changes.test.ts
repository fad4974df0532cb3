import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { V1 } from "../support/client.ts";
import { addressOf, nameOf, prepare, send } from "../support/examples.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";

type Change = Record<string, unknown>;

/** By method and path: changes of different members of one object. */
const CHANGES: Record<string, [Change, Change, Change]> = {
  "PUT /groups/{id}": [{ name: "Renamed" }, { external_key: "key-a" }, { name: "Renamed" }],
  "PUT /webhooks/{id}": [{ name: "Renamed" }, { events: '["monitor.down"]' }, { is_team_only: true }],
  "PUT /status-pages/{id}": [{ name: "Renamed" }, { description: "Now" }, { timezone: "Europe/Berlin" }],
  "PATCH /status-pages/{id}/alerting": [
    { auto_create_incident: true },
    { advanced_alerts: true },
    { auto_publish_incident: true },
  ],
  "PUT /monitors/{id}": [{ name: "Renamed" }, { interval: 600 }, { tags: ["a"] }],
  "PUT /incidents/{id}": [{ title: "Renamed" }, { severity: "critical" }, { impact: "All of it" }],
  "PUT /maintenance/{id}": [{ title: "Renamed" }, { description: "Now" }, { is_public: true }],
  "PUT /status-pages/{id}/incident-templates/{template_id}": [
    { name: "Renamed" },
    { severity: "critical" },
    { title: "New" },
  ],
  "PUT /agents/{agent_id}": [{ name: "Renamed" }, { hostname: "other" }, { region: "me" }],
  "PUT /sla-policies/{id}": [{ name: "Renamed" }, { target_percentage: 98 }, { exclude_maintenance: false }],
  "PUT /status-pages/{id}/on-call/policies/{policy_id}": [
    { name: "Renamed" },
    { is_default: false },
    { name: "Renamed" },
  ],
  "PUT /status-pages/{id}/on-call/schedules/{schedule_id}": [
    { name: "Renamed" },
    { timezone: "Europe/Berlin" },
    { is_active: false },
  ],
  "PUT /status-pages/{id}/events/rules/{rule_id}": [
    { display_name: "Renamed" },
    { cooldown_seconds: 61 },
    { is_enabled: false },
  ],
  "PUT /api-monitoring/monitors/{id}/config": [{ interval: 600 }, { degraded_timeout_seconds: 77 }, { interval: 600 }],
  "PUT /game-server/monitors/{id}/config": [{ interval: 600 }, { degraded_timeout_seconds: 77 }, { game_type: "rust" }],
  "PUT /user/preferences": [{ mail: false }, { in_app: false }, { mail: false }],
};

describe("changes of one object at once", () => {
  it.each(Object.entries(CHANGES))("%s loses none of them, and refuses none", async (name, changes) => {
    const endpoint = ENDPOINTS.find((each) => nameOf(each) === name) as Endpoint;
    const account = await createAccount();
    const prepared = await prepare(endpoint, account);
    const answers = await Promise.all(changes.map((body) => send(account, { ...prepared, body })));
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(changes.map(() => [200, undefined]));
    const last = await send(account, { ...prepared, body: {} });
    expect(last.body).toMatchObject(Object.assign({}, ...changes));
    expect(addressOf(prepared)).not.toContain("{");
  });

  it("pause and resume a monitor one after the other", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client);
    const actions = ["pause", "resume", "pause", "resume", "pause", "resume"];
    const answers = await Promise.all(actions.map((action) => client.post(`${V1}/monitors/${id}/${action}`)));
    expect(answers.map(({ status }) => status)).toEqual(actions.map(() => 200));
  });

  it("rotate the credential of a monitor while others change it", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { type: "heartbeat", target: undefined });
    const address = `${V1}/monitors/${id}`;
    const rotate = () => client.post(`${address}/regenerate-heartbeat-token`);
    const answers = await Promise.all([rotate(), client.put(address, { name: "Renamed" }), rotate()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("add every update to the timeline of an incident", async () => {
    const account = await createAccount();
    const body = { title: "Slow", status_page_id: await createPage(account) };
    const address = `${V1}/incidents/${(await account.client.post(`${V1}/incidents`, body)).body.id}/updates`;
    const updates = ["identified", "monitoring", "investigating"].map((status) => ({ status, message: status }));
    const answers = await Promise.all(updates.map((update) => account.client.post(address, update)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await account.client.get(address)).body).toHaveLength(3);
  });
});
