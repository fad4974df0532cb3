import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import { describeApi } from "../../src/http/openapi.ts";
import { generateTypes } from "../support/api-types.ts";

const ROOT = join(import.meta.dirname, "../..");
const description = { ...describeApi(ENDPOINTS), servers: [{ url: "https://vigil.test" }] };
const operations = Object.values(description.paths ?? {}).flatMap((path) => Object.values(path));

describe("the OpenAPI document", () => {
  it("has no error that a linter would find", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: JSON.stringify(description), config });
    const errors = problems.filter(({ severity }) => severity === "error");
    expect(errors.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
  }, 30_000);

  it("is version 1.0.0 of the interface in OpenAPI 3.1", () => {
    expect(description).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { version: "1.0.0" } });
  });

  it("asks for a bearer token wherever an operation says nothing else", () => {
    expect(description.security).toEqual([{ bearer: [] }]);
  });

  it("describes every address of every endpoint, each under a name of its own", () => {
    const addresses = ENDPOINTS.flatMap(({ policy }) => policy.at);
    const names = operations.map(({ operationId }) => operationId);
    expect(names).toHaveLength(addresses.length);
    expect(new Set(names).size).toBe(names.length);
  });

  it("names the credential of every operation that asks for one, and its refusals", () => {
    for (const { operationId, security, responses, tags, summary } of operations) {
      expect([tags?.length, typeof summary], operationId).toEqual([1, "string"]);
      if (security?.length > 0)
        expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(["401", "429", "503"]));
    }
  });

  it("names every value and every form that a body may have", () => {
    const { TokenCreate, WebhookCreate, EventRuleCreate, IncidentCreate } = description.components?.schemas ?? {};
    expect(TokenCreate).toHaveProperty("properties.expires_in_days.enum", [30, 90, 180, 365, null]);
    const providers = expect.arrayContaining(["discord", "service", "the service", "slack", "telegram_bot"]);
    expect(WebhookCreate).toHaveProperty("properties.provider.enum", providers);
    const text = expect.arrayContaining([{ type: "string" }]);
    expect(WebhookCreate).toHaveProperty("properties.events.anyOf", text);
    expect(EventRuleCreate).toHaveProperty("properties.conditions.anyOf", text);
    expect(EventRuleCreate).toHaveProperty("properties.actions.anyOf", text);
    expect(IncidentCreate).toHaveProperty("properties.tags.anyOf", text);
    for (const path of ["/api/uptime/v1/agents/metrics", "/api/uptime/v1/monitors/{id}/status"]) {
      const forms = [{ type: "array" }, { type: "object" }].map((form) => expect.objectContaining(form));
      const schema = { anyOf: forms };
      const content = { "application/json": expect.objectContaining({ schema }) };
      expect(description.paths?.[path]?.post?.requestBody, path).toHaveProperty("content", content);
    }
    const beat = description.paths?.["/heartbeat/{monitor_id}"]?.post?.requestBody;
    expect(beat).toMatchObject({ required: false, content: { "application/json": {}, "text/plain": {} } });
    expect(JSON.stringify(description)).not.toContain("x-takes");
  });

  it("has no parameter that could be null", () => {
    const parameters = operations.flatMap((operation) => operation.parameters ?? []);
    expect(parameters.filter(({ schema }) => JSON.stringify(schema ?? {}).includes("null"))).toEqual([]);
  });

  it("gives openapi-typescript a client type that compiles and is as strict as the service", async () => {
    const dir = mkdtempSync(join(ROOT, "node_modules/.openapi-"));
    try {
      writeFileSync(join(dir, "api.d.ts"), await generateTypes(JSON.stringify(description)));
      writeFileSync(join(dir, "client.ts"), CLIENT);
      const tsc = join(ROOT, "node_modules/.bin/tsc");
      const args = [
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        "--module",
        "esnext",
        "--moduleResolution",
        "bundler",
      ];
      const options = ["--ignoreConfig", "--types", "node", join(dir, "client.ts")];
      expect(compile(tsc, [...args, ...options])).toBe("");
    } finally {
      rmSync(dir, { recursive: true });
    }
  }, 60_000);
});

/** What a user of the types writes; the marked line has to be refused. */
const CLIENT = `
import type { components, paths } from "./api.d.ts";

type Create = paths["/api/core/v1/user/api-tokens"]["post"];
export const body: Create["requestBody"]["content"]["application/json"] = { name: "CI", expires_in_days: 90 };
// @ts-expect-error no such lifetime
export const wrong: Create["requestBody"]["content"]["application/json"] = { name: "CI", expires_in_days: 31 };
export const read = (token: components["schemas"]["Token"]): string => token.token_prefix;
export const error = (answer: Create["responses"][401]["content"]["application/json"]): string => answer.error;
`;

function compile(tsc: string, args: string[]): string {
  try {
    return execFileSync(process.execPath, [tsc, ...args], { encoding: "utf8" });
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
  }
}
