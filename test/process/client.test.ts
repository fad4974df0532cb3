import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

it("a client generated from /openapi.json compiles, and its calls do what their types say", async () => {
  const description = await (await fetch(`${service.url}/openapi.json`)).text();
  writeFileSync(join(dir, "api.d.ts"), await generateTypes(description));
  writeFileSync(join(dir, "program.ts"), PROGRAM);
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--target", "es2022"];
  const modules = ["--module", "esnext", "--moduleResolution", "bundler", "--types", "node", "--ignoreConfig"];
  const compiled = run(["node_modules/.bin/tsc", ...flags, ...modules, join(dir, "program.ts")]);
  expect(compiled).toEqual({ status: 0, output: "" });
  expect(run([join(dir, "program.ts"), service.url, service.token ?? ""])).toEqual({
    status: 0,
    output: `${JSON.stringify([["Beat"], "name must have at least 1 characters", 204])}\n`,
  });
});

function run(args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: PROJECT_ROOT, encoding: "utf8" });
  return { status, output: stdout + stderr };
}
