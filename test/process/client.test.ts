import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { generateTypes } from "../support/api-types.ts";
import { PROJECT_ROOT, type Service, START_TIMEOUT_MS, startService } from "./support.ts";

/** What a user of the API does first: generate a client from /openapi.json, compile a program with it and run that. */

const PROGRAM = `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });

const created = await api.POST("/api/uptime/v1/status-pages", { body: { name: "Shop", slug: "shop" } });
if (!created.data) throw new Error(created.error.error);
const monitor = await api.POST("/api/uptime/v1/monitors", {
  body: { name: "Beat", type: "heartbeat", expected_interval: 60, status_page_id: created.data.id },
});
if (!monitor.data) throw new Error(monitor.error.error);
const listed = await api.GET("/api/uptime/v1/monitors", { params: { query: { status_page_id: created.data.id } } });
const refused = await api.POST("/api/uptime/v1/monitors", { body: { name: "", type: "heartbeat" } });
const removed = await api.DELETE("/api/uptime/v1/monitors/{id}", { params: { path: { id: monitor.data.id } } });
console.log(JSON.stringify([listed.data?.map(({ name }) => name), refused.error?.error, removed.response.status]));
`;

/** One call of each part of the interface, under the name of its tag; prints what each was answered. */
const TOUR = `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
const demand = <Data>({ data, error }: { data?: Data; error?: unknown }): Data => {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
};

const V1 = "/api/uptime/v1";
const page = demand(await api.POST(\`\${V1}/status-pages\`, { body: { name: "Tour", slug: "tour" } }));
const on = { params: { path: { id: page.id } } };
const status_page_id = page.id;
const beat = demand(await api.POST(\`\${V1}/monitors\`, { body: { name: "Beat", type: "heartbeat", status_page_id } }));
const pushed = demand(await api.POST(\`\${V1}/monitors\`, { body: { name: "API", type: "api" } }));
const install = demand(await api.GET(\`\${V1}/agents/token\`));
const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

const calls: Record<string, () => Promise<{ response: Response }>> = {
  Account: () => api.GET("/api/core/v1/user/api-tokens"),
  Agents: () => api.GET(\`\${V1}/agents\`),
  "Agent uplink": () =>
    api.POST(\`\${V1}/agents/enroll\`, {
      body: { name: "Rack", hostname: "rack" },
      headers: { "x-agent-token": install.install_token },
    }),
  "API monitoring": () =>
    api.POST(\`\${V1}/api-monitoring/push\`, {
      body: { latency_ms: 12 },
      headers: { authorization: \`Bearer \${pushed.push_key}\` },
    }),
  Audit: () => api.GET(\`\${V1}/audit-logs\`, { params: { query: { status_page_id } } }),
  Monitors: () => api.PUT(\`\${V1}/monitors/{id}\`, { params: { path: { id: beat.id } }, body: { name: "Heart" } }),
  Groups: () => api.POST(\`\${V1}/groups\`, { body: { name: "Shops", status_page_id } }),
  Webhooks: () => api.GET(\`\${V1}/webhooks\`),
  Maintenance: () =>
    api.POST(\`\${V1}/maintenance\`, { body: { status_page_id, title: "Disks", start_time: at(1), end_time: at(2) } }),
  "Status pages": () => api.GET(\`\${V1}/status-pages/{id}\`, on),
  "Custom events": () =>
    api.POST(\`\${V1}/status-pages/{id}/events/emit\`, { ...on, body: { event_name: "deploy.finished" } }),
  "Event rules": () =>
    api.POST(\`\${V1}/status-pages/{id}/events/rules\`, { ...on, body: { event_name: "monitor.down" } }),
  "Game servers": () => api.GET("/api/uptime/v2/game-server/monitors"),
  Service: () => api.GET("/health"),
  "Incident templates": () =>
    api.POST(\`\${V1}/status-pages/{id}/incident-templates\`, { ...on, body: { name: "Slow", title: "It is slow" } }),
  "Chat links": () => api.GET(\`\${V1}/status-pages/{id}/discord/status-channels\`, on),
  "On-call": () => api.GET(\`\${V1}/status-pages/{id}/on-call\`, on),
  Incidents: () => api.POST(\`\${V1}/incidents\`, { body: { status_page_id, title: "Trouble" } }),
  Members: () =>
    api.POST(\`\${V1}/status-pages/{id}/members\`, { ...on, body: { email: "bo@shop.example", role: "viewer" } }),
  Metrics: () => api.POST("/api/core/v1/user/metrics-token"),
  Heartbeats: () =>
    api.POST("/heartbeat/{monitor_id}", {
      params: { path: { monitor_id: beat.id }, query: { token: beat.heartbeat_token ?? "" } },
      parseAs: "json",
    }),
  Referrals: () => api.GET(\`\${V1}/referrals/stats\`),
  SLA: () => api.GET(\`\${V1}/status-pages/{id}/sla\`, on),
  Subscribers: () => api.GET(\`\${V1}/subscribers\`, { params: { query: { status_page_id } } }),
  "Public pages": () => api.GET("/status/{slug}/summary.json", { params: { path: { slug: "tour" } } }),
  Dashboard: () => api.GET("/app", { parseAs: "text" }),
};

const answers: [tag: string, status: number][] = [];
for (const [tag, call] of Object.entries(calls)) answers.push([tag, (await call()).response.status]);
console.log(JSON.stringify(answers));
`;

let service: Service;
// Below the project, so that the program finds its packages as any other would.
const dir = mkdtempSync(join(PROJECT_ROOT, ".state-client-"));

beforeAll(async () => {
  service = await startService();
}, START_TIMEOUT_MS);

afterAll(async () => {
  rmSync(dir, { recursive: true });
  await service?.stop();
});

async function build(name: string, program: string): Promise<{ tags: string[] }> {
  // While programs run below, nobody here would notice that the service ends an idle connection.
  const alone = { headers: { connection: "close" } };
  const description = await (await fetch(`${service.url}/openapi.json`, alone)).text();
  writeFileSync(join(dir, "api.d.ts"), await generateTypes(description));
  writeFileSync(join(dir, name), program);
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--target", "es2022"];
  const modules = ["--module", "esnext", "--moduleResolution", "bundler", "--types", "node", "--ignoreConfig"];
  const compiled = run(["node_modules/.bin/tsc", ...flags, ...modules, join(dir, name)]);
  expect(compiled).toEqual({ status: 0, output: "" });
  return { tags: JSON.parse(description).tags.map((tag: { name: string }) => tag.name) };
}

it("a client generated from /openapi.json compiles, and its calls do what their types say", async () => {
  await build("program.ts", PROGRAM);
  expect(run([join(dir, "program.ts"), service.url, service.token ?? ""])).toEqual({
    status: 0,
    output: `${JSON.stringify([["Beat"], "name must not be empty", 204])}\n`,
  });
});

it("a generated client reaches every part of the interface", async () => {
  const { tags } = await build("tour.ts", TOUR);
  const { status, output } = run([join(dir, "tour.ts"), service.url, service.token ?? ""]);
  expect({ status, output }).toMatchObject({ status: 0 });
  const answers: [tag: string, status: number][] = JSON.parse(output);
  expect(answers.map(([tag]) => tag).toSorted()).toEqual(tags.toSorted());
  expect(answers.filter((answer) => answer[1] >= 400)).toEqual([]);
});

it("an assistant lists and calls the tools of the service as it is bundled", async () => {
  const client = new Client({ name: "assistant", version: "1" });
  const headers = { authorization: `Bearer ${service.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", service.url), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "get_monitor")?.inputSchema.required).toEqual(["monitor_id"]);
  const { content } = await client.callTool({ name: "get_monitor", arguments: { monitor_id: "shop" } });
  expect(JSON.stringify(content)).toContain("monitor_id");
  await client.close();
});

function run(args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: PROJECT_ROOT, encoding: "utf8" });
  return { status, output: stdout + stderr };
}
