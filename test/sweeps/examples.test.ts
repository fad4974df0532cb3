import { beforeEach, describe, expect, it, vi } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { describeApi } from "../../src/http/openapi.ts";
import { V1 } from "../support/client.ts";
import { emptyTables } from "../support/database.ts";
import { EXAMPLES, nameOf, type Prepared, prepare, send } from "../support/examples.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";

/** Every example of the OpenAPI document is sent as it stands there, with ids and credentials of real objects. */
const description = JSON.parse(JSON.stringify(describeApi(ENDPOINTS)));

/** Pages for people, which no program asks for by a document. */
const documented = ENDPOINTS.filter(({ route }) => !route.tags?.includes("Dashboard"));

/** What they need is made by somebody else: signed, mailed, part of the deployment's assets, or of `npm start`. */
const MADE_ELSEWHERE =
  /^(POST \/integrations\/|POST \/auth\/passkeys(\/sign-in)?$|POST \/auth\/workflow-token$|POST \/user\/chat-accounts$|\w+ \/(acknowledge|preferences|assets)\/|GET \/agents\/(program|version|install)|DELETE \/demonstration|POST \/deactivated-accounts|PUT \/reachable-networks)/;
const BY_LINK = /subscribe$|subscribers\/|\/live$|\/external$|password\/reset|\/ping\/|\/api\/push\//;

const operations = documented.filter((endpoint) => {
  const name = nameOf(endpoint);
  return !MADE_ELSEWHERE.test(name) && !BY_LINK.test(name);
});

let account: Account;
beforeEach(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  await emptyTables();
  account = await createAccount({ operator: true });
});

describe("the example of an operation", () => {
  it.each(
    operations.map((each) => [nameOf(each), each] as const),
  )("%s is answered with success", async (_name, endpoint) => {
    const real = await prepareAny(endpoint);
    const answer = await send(account, { ...real, body: adopt(exampleOf(endpoint), real.body) });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: expect.toSatisfy(isSuccess) });
  });

  it("stands at every body and every parameter of a path", () => {
    const all = Object.values(description.paths).flatMap((path) => Object.values(path as object));
    const bodies = all.map(({ operationId, requestBody }) => [operationId, requestBody?.content["application/json"]]);
    expect(bodies.filter(([, json]) => json && json.example === undefined).map(([name]) => name)).toEqual([]);
    const parameters = all.flatMap(({ parameters = [] }) => parameters);
    expect(parameters.filter((each) => each.in === "path" && each.example === undefined)).toEqual([]);
  });
});

const isSuccess = (status: number) => status >= 200 && status < 400;

function exampleOf({ method, path, policy }: Endpoint): unknown {
  const [surface = "root"] = policy.at;
  const base = { core: "/api/core/v1", v1: "/api/uptime/v1", v2: "/api/uptime/v2", root: "" }[surface];
  return description.paths[base + path][method].requestBody?.content["application/json"]?.example ?? {};
}

const PLACEHOLDER = /^0199c0de-/;
/** Only their owner knows them, and of times what lies ahead. */
const PERSONAL = ["token", "code", "password", "current_password", "new_password", "email", "until"];

/** The example with what only this account has in place of ids and credentials. */
function adopt(example: unknown, real: unknown, name = ""): Record<string, unknown> {
  return adoptValue(example, real, name) as Record<string, unknown>;
}

function adoptValue(example: unknown, real: unknown, name: string): unknown {
  if (Array.isArray(example)) {
    return example.map((each, n) => adoptValue(each, Array.isArray(real) ? real[n] : undefined, name));
  }
  if (typeof example === "object" && example !== null) {
    const members = new Map<string, unknown>(Object.entries(real ?? {}));
    return Object.fromEntries(
      Object.entries(example).map(([key, value]) => [key, adoptValue(value, members.get(key), key)]),
    );
  }
  const isPersonal = PERSONAL.includes(name) || (typeof example === "string" && PLACEHOLDER.test(example));
  return isPersonal ? (real ?? example) : example;
}

/** As the sweeps prepare it; what the public reads is made on a page of the account. */
async function prepareAny(endpoint: Endpoint): Promise<Prepared> {
  const isPublic = endpoint.policy.auth === "public" || endpoint.policy.auth === "optional";
  if (!isPublic || EXAMPLES[nameOf(endpoint)]) return prepare(endpoint, account);
  const status_page_id = await createPage(account);
  const { slug } = (await account.client.get(`${V1}/status-pages/${status_page_id}`)).body;
  const monitor = await createMonitor(account.client, { status_page_id, paused: false });
  const affected = { status_page_id, is_public: true };
  const incident = (await account.client.post(`${V1}/incidents`, { ...affected, title: "Trouble" })).body;
  const times = { start_time: "2030-01-31T02:00:00Z", end_time: "2030-01-31T04:00:00Z" };
  const window = (await account.client.post(`${V1}/maintenance`, { ...affected, title: "Disks", ...times })).body;
  const kinds: [pattern: RegExp, id: string][] = [
    [/incidents/, incident.id],
    [/maintenance/, window.id],
    [/services|badge/, monitor.id],
  ];
  const id = kinds.find(([pattern]) => pattern.test(endpoint.path))?.[1] ?? "";
  return { endpoint, params: { slug, id }, headers: {}, query: {}, body: {} };
}
