import { expect, it } from "vitest";
import { CORE, createClient, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";

/** As text, because a literal of that form would change the object instead of giving it such a member. */
const PLANTED =
  '"__proto__":{"planted":"yes"},"constructor":{"prototype":{"planted":"yes"}},"prototype":{"planted":"yes"}';
const isPlanted = () => "planted" in {} || "planted" in Object || Reflect.has(Object, "planted");

/** The body with these members in it and in every object within it. */
function plant(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plant).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `,${JSON.stringify(name)}:${plant(member)}`);
  return `{${PLANTED}${members.join("")}}`;
}

it("members that every object has are no way into the service, wherever a body has names of its sender's own", async () => {
  const account = await createAccount();
  const { client } = account;
  const page = await createPage(account);
  const { id } = await createMonitor(client);
  const api = await createMonitor(client, { type: "api", target: undefined });
  const requests: [string, string, object][] = [
    [
      "POST",
      `${V1}/monitors`,
      { name: "Shop", type: "http", target: "http://sink.test/", http_headers: { "X-A": "1" } },
    ],
    ["PUT", `${V1}/monitors/${id}`, { http_headers: { "X-A": "1" }, tags: ["a"] }],
    [
      "POST",
      `${V1}/webhooks`,
      { name: "Ops", url: "https://sink.test/ops", alert_channels: { night: "https://sink.test/b" } },
    ],
    ["PATCH", `${V1}/status-pages/${page}/alerting`, { alert_routing: { "monitor.down": "critical" } }],
    ["PUT", `${CORE}/user/preferences`, { notify_team: { up: false } }],
    [
      "POST",
      `${V1}/status-pages/${page}/events/emit`,
      { event_name: "deploy.finished", data: { by: "ci" }, metrics: { n: 1 } },
    ],
    [
      "POST",
      `${V1}/status-pages/${page}/events/rules/import`,
      {
        version: 1,
        kind: "event_rules",
        rules: [{ event_name: "monitor.down", conditions: [], alert_channels: { night: "https://sink.test/b" } }],
      },
    ],
  ];
  for (const [method, path, body] of requests) {
    const { status, body: answer } = await client.request(method, path, plant(body), {
      "content-type": "application/json",
    });
    expect([200, 201, 202, 400], `${method} ${path}: ${status} ${JSON.stringify(answer)}`).toContain(status);
    expect(isPlanted(), `${method} ${path}`).toBe(false);
  }
  const pushed = plant({ latency_ms: 12, region: "eu" });
  const answer = await createClient(api.push_key).request("POST", `${V1}/api-monitoring/push`, pushed, {
    "content-type": "application/json",
  });
  expect([200, 201, 202, 400]).toContain(answer.status);
  for (const read of [`${V1}/monitors/${id}`, `${V1}/monitors/${api.id}`, `${CORE}/user/preferences`]) {
    expect((await client.get(read)).status).toBe(200);
  }
  expect(isPlanted()).toBe(false);
});

it("such a member stands for no stored channel of a rule or webhook", async () => {
  const account = await createAccount();
  const rules = `${V1}/status-pages/${await createPage(account)}/events/rules`;
  const condition = { metric: "latency_ms", operator: "gt", value: 500 };
  const alert_channels = { "monitor.down": "https://sink.test/night" };
  const rule = { event_name: "monitor.down", conditions: [condition], alert_channels };
  const { id } = (await account.client.post(rules, rule)).body;
  const webhook = { name: "Ops", url: "https://sink.test/ops", alert_channels };
  const hook = (await account.client.post(`${V1}/webhooks`, webhook)).body;
  for (const path of [`${rules}/${id}`, `${V1}/webhooks/${hook.id}`]) {
    for (const name of ["constructor", "toString", "__proto__"]) {
      const body = `{"alert_channels":{${JSON.stringify(name)}:"***"}}`;
      const { status } = await account.client.put(path, body);
      // A member with that very name is none of the body's own for the parser.
      expect([path, name, status]).toEqual([path, name, name === "__proto__" ? status : 400]);
      expect(status).toBeLessThan(500);
    }
  }
});
