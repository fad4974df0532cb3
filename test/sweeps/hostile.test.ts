import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, it, vi } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { expectDeclared } from "../support/declared.ts";
import { addressOf, nameOf, type Prepared, prepare } from "../support/examples.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { membersOf, schemaOf } from "../support/schemas.ts";

/**
 * What no client would send. Every mutation of a valid request is answered with a status that the endpoint declares and
 * in the form that it declares; nothing is ever the service's own fault.
 */
const guarded = ENDPOINTS.filter(({ policy }) => policy.auth !== "public" && policy.auth !== "optional");
const rows = (endpoints: readonly Endpoint[]) => endpoints.map((each) => [nameOf(each), each] as const);

const seed = inject("seed");
/** Fields of one endpoint that meet a value each, unless there is time for all values. */
const SINGLES = inject("effort") > 1 ? Number.POSITIVE_INFINITY : 100;

/** Of one test: some of the valid requests end the account or its tokens. */
let account: Account;
beforeEach(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  account = await createAccount();
});

interface Hostile {
  name: string;
  body: BodyInit | null;
  headers?: Record<string, string>;
}

const LONG = "x".repeat(300_000);
const NUL = String.fromCharCode(0);

/** Values as JSON text, because some have no other form. */
const VALUES: [name: string, json: string][] = [
  ["null", "null"],
  ["true", "true"],
  ["zero", "0"],
  ["minus zero", "-0"],
  ["minus one", "-1"],
  ["a fraction", "1.5"],
  ["beyond safe integers", "9007199254740993"],
  ["beyond all numbers", "1e309"],
  ["an empty text", '""'],
  ["blanks", '"   "'],
  ["a long text", `"${LONG}"`],
  ["NUL", JSON.stringify(`a${NUL}b`)],
  ["half a character", '"\\ud800"'],
  ["emoji", '"👩‍👩‍👧‍👦"'],
  ["SQL", `"'; DROP TABLE users; --"`],
  ["an empty list", "[]"],
  ["a list of a list", "[[]]"],
  ["an empty object", "{}"],
  ["a planted prototype", '{"__proto__":{"admin":true},"constructor":{"prototype":1}}'],
  ["a uuid", '"00000000-0000-4000-8000-000000000000"'],
];

function mutationsOf({ body }: Prepared, fields: readonly string[]): Hostile[] {
  const valid = JSON.stringify(body);
  const whole: Hostile[] = [
    ...VALUES.map(([name, json]) => ({ name: `a body that is ${name}`, body: json })),
    { name: "no body", body: null },
    { name: "an empty body", body: "" },
    { name: "half a body", body: valid.slice(0, -1) },
    { name: "two bodies", body: valid + valid },
    { name: "bad UTF-8", body: new Uint8Array([0x22, 0xc3, 0x28, 0x22]) },
    { name: "a byte order mark", body: `\ufeff${valid}` },
    { name: "another content type", body: valid, headers: { "content-type": "text/plain" } },
    { name: "a relative of JSON", body: valid, headers: { "content-type": "application/problem+json" } },
    { name: "a form", body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
    { name: "a large body", body: JSON.stringify({ ...body, padding: "x".repeat(1024 * 1024) }) },
    { name: "a member twice", body: `{"name":1,${valid.slice(1)}` },
    { name: "a member named NUL", body: JSON.stringify({ ...body, [NUL]: 1 }) },
    { name: "a planted prototype", body: `{"__proto__":{"name":"x"},${valid.slice(1)}` },
    ...Object.keys(body).map((field) => ({
      name: `no ${field}`,
      body: JSON.stringify({ ...body, [field]: undefined }),
    })),
  ];
  // Each field meets some of the values; which ones, the seed says.
  const perField = Math.max(4, Math.ceil(SINGLES / Math.max(1, fields.length)));
  const single = fields.flatMap((field, n) =>
    Array.from({ length: Math.min(perField, VALUES.length) }, (_, k) => {
      const [name = "", json = ""] = VALUES[(seed + n * 7 + k) % VALUES.length] ?? [];
      return { name: `${field} that is ${name}`, body: withMember(body, field, json) };
    }),
  );
  return [...whole, ...single];
}

function withMember(body: Record<string, unknown>, field: string, json: string): string {
  const rest = JSON.stringify({ ...body, [field]: undefined }).slice(1);
  return `{${JSON.stringify(field)}:${json}${rest === "}" ? "" : ","}${rest}`;
}

/** Sends what the ordinary client would not, and judges the answer as it does. */
async function judge(prepared: Prepared, path: string, { name, body, headers }: Hostile): Promise<void> {
  const { endpoint } = prepared;
  const method = endpoint.method.toUpperCase();
  const response = await exports.default.fetch(`http://vigil.test${path}`, {
    method,
    body,
    headers: {
      authorization: `Bearer ${account.token}`,
      "content-type": "application/json",
      ...prepared.headers,
      ...headers,
    },
  });
  const text = await response.text();
  expect(response.status, `SEED=${seed} ${name}: ${text.slice(0, 500)}`).toBeLessThan(500);
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  const parsed: unknown = isJson ? JSON.parse(text) : text;
  if (response.status >= 400) expect(parsed, name).toMatchObject({ error: expect.any(String) });
  expect(text, name).not.toMatch(/SQLITE|D1_|\.ts:\d/);
  expectDeclared({ method, path, status: response.status, headers: response.headers, body: parsed });
}

describe("a hostile body", () => {
  it.each(rows(guarded.filter(({ route }) => route.request?.body)))("is judged by %s", async (_name, endpoint) => {
    const prepared = await prepare(endpoint, account);
    const declared = membersOf(schemaOf(endpoint.route.request?.body?.content));
    // A body in the format of another program has the members that the example gives it.
    const mutations = mutationsOf(prepared, declared.length > 0 ? declared : Object.keys(prepared.body));
    expect(mutations.length).toBeGreaterThanOrEqual(50);
    for (const hostile of mutations) await judge(prepared, addressOf(prepared), hostile);
  });
});

const QUERIES = [
  "limit=0",
  "limit=1e309",
  "limit=-1",
  "limit=x",
  "limit=1&limit=2",
  "offset=99999999999999999999",
  "monitor_id=x",
  "status_page_id=%00",
  "from=yesterday&to=%FF%FE",
  "days=1.5",
  "slug=%E0%A4%A",
  "__proto__=1&constructor=2",
  Array.from({ length: 200 }, (_, n) => `q${n}=${n}`).join("&"),
  `slug=${"x".repeat(20_000)}`,
];

describe("a hostile query", () => {
  it.each(rows(guarded.filter(({ method }) => method === "get")))("is judged by %s", async (_name, endpoint) => {
    const prepared = await prepare(endpoint, account);
    for (const query of QUERIES) {
      const hostile = new URLSearchParams(query);
      const kept = Object.entries(prepared.query ?? {}).filter(([name]) => !hostile.has(name));
      const address = addressOf({ ...prepared, query: Object.fromEntries(kept) });
      const joined = `${address}${kept.length > 0 ? "&" : "?"}${query}`;
      await judge(prepared, joined, { name: query.slice(0, 80), body: null });
    }
  });

  it.each(
    rows(ENDPOINTS.filter(({ path }) => path.includes("{"))),
  )("in the path is judged by %s", async (_name, endpoint) => {
    for (const word of ["%00", "%FF", "%E0%A4%A", "..%2f..%2fetc", "👩", "'", "x".repeat(5000)]) {
      const params = Object.fromEntries(
        [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name ?? "", word]),
      );
      const address = addressOf({ endpoint, params });
      const response = await createRequest(endpoint, address);
      expect(response.status, `${word.slice(0, 20)}: ${(await response.text()).slice(0, 300)}`).toBeLessThan(500);
    }
  });
});

function createRequest(endpoint: Endpoint, path: string): Promise<Response> {
  return exports.default.fetch(`http://vigil.test${path}`, {
    method: endpoint.method.toUpperCase(),
    headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" },
    body: endpoint.route.request?.body ? "{}" : null,
    redirect: "manual",
  });
}
