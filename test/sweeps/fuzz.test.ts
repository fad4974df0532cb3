import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, inject, it, vi } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import { type Endpoint, SURFACES } from "../../src/http/endpoint.ts";
import { describeApi } from "../../src/http/openapi.ts";
import { expectDeclared } from "../support/declared.ts";
import { type Example, exampleOf } from "../support/examples.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { createGenerator, type Generator, type JsonSchema, textOf } from "../support/generator.ts";

/**
 * Every operation of the OpenAPI document, asked with values made from its own schemas and with hostile ones, by the
 * owner of its objects, by a stranger and without a credential. Nothing is ever the service's own fault, every refusal
 * says why, and every answer has the declared form. SEED=N repeats a run; `npm run test:fuzz` asks 20 times as often.
 */
const seed = inject("seed");
const CASES = 10 * inject("effort");
const PRINCIPALS = ["owner", "stranger", "nobody"] as const;

const description = JSON.parse(JSON.stringify(describeApi(ENDPOINTS)));

interface Operation {
  name: string;
  endpoint: Endpoint;
  /** With its parameters still in braces. */
  path: string;
  parameters: { name: string; in: string; schema: JsonSchema }[];
  /** By content type. */
  bodies: [type: string, schema: JsonSchema][];
}

const operations: Operation[] = ENDPOINTS.flatMap((endpoint) =>
  endpoint.policy.at.map((surface) => {
    const path = SURFACES[surface] + endpoint.path;
    const described = description.paths[path]?.[endpoint.method];
    if (!described) throw new Error(`${endpoint.method} ${path} is not in the document`);
    const contents: Record<string, { schema: JsonSchema }> = described.requestBody?.content ?? {};
    return {
      name: `${endpoint.method.toUpperCase()} ${path}`,
      endpoint,
      path,
      parameters: described.parameters ?? [],
      bodies: Object.entries(contents).map(([type, { schema }]) => [type, schema]),
    };
  }),
);

beforeAll(() => {
  console.log(`SEED=${seed}, ${CASES} requests to each of ${operations.length} operations`);
  // Deliveries and checks may leave; what they reach says nothing.
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
});

describe("any request", () => {
  it.each(
    operations.map((operation, n) => [operation.name, operation, n] as const),
  )("to %s gets a declared answer", async (_name, operation, n) => {
    const random = createGenerator(seed + n, description.components.schemas);
    const [owner, stranger] = await Promise.all([createAccount(), createAccount()]);
    const example = await exampleOf(operation.endpoint, owner);
    for (let nth = 0; nth < CASES; nth += 1) {
      const [type, body] = bodyOf(operation, example, random);
      const credential = credentialOf(PRINCIPALS[nth % PRINCIPALS.length], { owner, stranger, example });
      const headers = { ...(type && { "content-type": type }), ...credential };
      await ask(operation, { path: addressOf(operation, example, random), headers, body });
    }
  });
});

function credentialOf(
  principal: (typeof PRINCIPALS)[number] | undefined,
  { owner, stranger, example }: { owner: Account; stranger: Account; example: Example },
): Record<string, string> {
  if (principal === "owner") return { authorization: `Bearer ${owner.token}`, ...example.headers };
  return principal === "stranger" ? { authorization: `Bearer ${stranger.token}` } : {};
}

function addressOf({ path, parameters }: Operation, example: Example, random: Generator): string {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const schema = parameters.find((each) => each.in === "path" && each.name === name)?.schema;
    const value = random.chance(0.6) ? example.params?.[name] : random.value(schema);
    const text = textOf(value ?? "-").slice(0, 500);
    // An empty segment or dots would be another address.
    return encodeURIComponent(text.toWellFormed()).replace(/^\.*$/, "-");
  });
  const query = new URLSearchParams(example.query);
  for (const { name, in: place, schema } of parameters) {
    if (place !== "query") continue;
    // The answer to a long poll is no other one for having waited.
    if (name === "wait") query.set(name, "0");
    else if (random.chance(0.5)) query.set(name, textOf(random.value(schema)).slice(0, 2_000));
  }
  const text = query.toString();
  return text === "" ? filled : `${filled}?${text}`;
}

function bodyOf({ bodies }: Operation, example: Example, random: Generator): [type?: string, body?: string] {
  if (bodies.length === 0) return [];
  const [type, schema] = random.pick(bodies);
  const made = random.value(schema);
  const isObject = typeof made === "object" && made !== null && !Array.isArray(made);
  // Half of them are near a request that succeeds.
  const near = isObject && random.chance(0.5) ? { ...example.body, ...random.some(made) } : made;
  if (type !== "application/x-www-form-urlencoded") return [type, JSON.stringify(near) ?? ""];
  const fields = Object.entries(typeof near === "object" && near !== null ? near : { value: near });
  return [type, new URLSearchParams(fields.map(([name, value]) => [name, textOf(value)])).toString()];
}

interface Case {
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

async function ask({ endpoint, name }: Operation, { path, headers, body }: Case): Promise<void> {
  const method = endpoint.method.toUpperCase();
  const init = { method, redirect: "manual", headers, body: body ?? null } as const;
  const response = await exports.default.fetch(`http://vigil.test${path}`, init);
  const text = await response.text();
  const told = `SEED=${seed} ${name} ${path.slice(0, 300)} ${body?.slice(0, 600)} → ${response.status} ${text.slice(0, 300)}`;
  expect(response.status, told).toBeLessThan(500);
  expect(text, told).not.toMatch(/SQLITE|D1_|\.ts:\d/);
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  const parsed: unknown = isJson && text !== "" ? JSON.parse(text) : text;
  if (response.status >= 400 && isJson) expect(parsed, told).toMatchObject({ error: expect.any(String) });
  try {
    expectDeclared({ method, path, status: response.status, headers: response.headers, body: parsed });
  } catch (error) {
    throw new Error(told, { cause: error });
  }
}
