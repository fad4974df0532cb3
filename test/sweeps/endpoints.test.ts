import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { newApiToken } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { createClient } from "../support/client.ts";
import { countRowsOf, emptyTables, readColumns, readRowsOf, readTables } from "../support/database.ts";
import { addressOf, baseOf, nameOf, needsBrowser, OBJECTS, type Prepared, prepare, send } from "../support/examples.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import { emailOf } from "../support/members.ts";
import { PATIENCE } from "../support/patience.ts";
import { membersOf, schemaOf } from "../support/schemas.ts";
import { createWebhook } from "../support/webhooks.ts";

/** Rules that hold for every endpoint. Their rows come from ENDPOINTS, so a new endpoint is held to them by itself. */
const guarded = ENDPOINTS.filter(({ policy }) => policy.auth !== "public" && policy.auth !== "optional");
const rows = (endpoints: readonly Endpoint[]) => endpoints.map((each) => [nameOf(each), each] as const);

/** Of each test alone, so that nothing else changes their rows. */
let owner: Account;
let outsider: Account;
beforeAll(() => {
  // Deliveries and checks may leave; what they reach says nothing.
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
});
beforeEach(async () => {
  await emptyTables();
  [owner, outsider] = await Promise.all([createAccount(), createAccount()]);
});

describe("an endpoint that is not public", () => {
  const credentials: [string, Record<string, string>][] = [
    ["no credential", {}],
    ["an empty one", { authorization: "Bearer " }],
    ["another scheme", { authorization: "Basic dXNlcjpwYXNz" }],
    ["a malformed token", { authorization: "Bearer sk_svc_nonsense" }],
    ["a well-formed token that was never issued", { authorization: `Bearer ${newApiToken()}` }],
    [
      "an agent's credential",
      { authorization: `Bearer ag_${"a".repeat(49)}`, "x-agent-token": `ag_${"a".repeat(49)}` },
    ],
    ["a heartbeat's credential", { authorization: `Bearer hb_${"a".repeat(49)}` }],
  ];

  it.each(rows(guarded))("%s is 401 for any credential but a user's", async (_name, endpoint) => {
    const params = Object.fromEntries(
      [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name ?? "", newId()]),
    );
    const address = addressOf({ endpoint, params });
    const body = endpoint.route.request?.body ? {} : undefined;
    for (const [name, headers] of credentials) {
      const answer = await createClient().request(endpoint.method.toUpperCase(), address, body, headers);
      expect([name, answer.status, answer.headers.get("www-authenticate")]).toEqual([name, 401, "Bearer"]);
    }
  });
});

describe("an id in a request", () => {
  const places = ["params", "query", "body"] as const;
  const slots = guarded.flatMap((endpoint) =>
    places.flatMap((place) =>
      Object.entries(endpoint.policy.ids?.[place] ?? {}).map(([path, kind]) => ({ endpoint, place, path, kind })),
    ),
  );

  it.each(
    slots.map((slot) => [`${nameOf(slot.endpoint)} ${slot.place}.${slot.path}`, slot] as const),
  )("%s names nothing when it is absent, foreign, malformed or of another kind", async (_name, {
    endpoint,
    place,
    path,
    kind,
  }) => {
    const foreign = await OBJECTS[baseOf(kind)](owner);
    const otherKind = await OBJECTS[baseOf(kind) === "page" ? "webhook" : "page"](outsider);
    const prepared = await prepare(endpoint, outsider);
    const before = await readRowsOf([owner, outsider]);
    const ask = (id: string) => send(outsider, withId(prepared, place, path, id));
    const absent = await ask(newId());
    expect(absent.status).toBe(kind.endsWith(":manage") ? 403 : place === "params" ? 404 : 400);
    for (const id of [foreign, otherKind]) {
      const answer = await ask(id);
      expect({ ...answer.body, request_id: null }).toEqual({ ...absent.body, request_id: null });
      expect(answer.status).toBe(absent.status);
    }
    expect((await ask("not-a-uuid")).status).toBe(400);
    expect(await readRowsOf([owner, outsider])).toEqual(before);
  });
});

function withId(prepared: Prepared, place: "params" | "query" | "body", path: string, id: string): Prepared {
  if (place !== "body") return { ...prepared, [place]: { ...prepared[place], [path]: id } };
  return { ...prepared, body: setAt(prepared.body, path.split("."), id) as Record<string, unknown> };
}

/** A copy with the value at a dotted path, where `[]` is the only element of an array. */
function setAt(target: unknown, [step, ...rest]: string[], value: unknown): unknown {
  if (step === undefined) return value;
  const name = step.replace(/\[\]$/, "");
  const members: Record<string, unknown> = { ...(target as object | undefined) };
  const member = members[name];
  members[name] = step.endsWith("[]")
    ? [setAt(Array.isArray(member) ? member[0] : undefined, rest, value)]
    : setAt(member, rest, value);
  return members;
}

describe("the audit log", () => {
  const ACTORS: Partial<Record<Endpoint["policy"]["auth"], unknown>> = {
    user: "token",
    agent: "agent",
    install: expect.any(String),
    public: "system",
  };
  // The page stays its owner's, whose log says who declined it.
  const OF_ANOTHER_OWNER = ["POST /status-pages/transfers/decline"];
  // The log of a deleted account goes with it.
  /** Ends the account of the sweep; needs what only `npm start` makes; leaves an entry in the logs of two accounts. */
  const ELSEWHERE = [
    "DELETE /user",
    "DELETE /demonstration",
    "POST /deactivated-accounts",
    "DELETE /deactivated-accounts/{id}",
  ];
  const changing = guarded.filter((each) => each.policy.audit !== null && !ELSEWHERE.includes(nameOf(each)));

  it.each(rows(changing))("gets exactly one entry from %s, and none when it is refused", async (_name, endpoint) => {
    const prepared = await prepare(endpoint, owner);
    const before = new Set((await auditRows()).map(({ id }) => id));
    const refused = [
      await send({ client: createClient() }, { ...prepared, headers: {} }),
      ...(Object.keys(prepared.params).length > 0 && endpoint.policy.auth === "user"
        ? [await send(outsider, prepared)]
        : []),
      ...(endpoint.route.request?.body
        ? [await owner.client.request(endpoint.method.toUpperCase(), addressOf(prepared), "[]", prepared.headers)]
        : []),
    ];
    for (const { status } of refused) expect(status).toBeGreaterThanOrEqual(400);
    expect((await auditRows()).filter(({ id }) => !before.has(id))).toEqual([]);

    const answer = await send(owner, prepared);
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: expect.toSatisfy(isSuccess) });
    const written = (await auditRows()).filter(({ id }) => !before.has(id));
    // A write to many objects leaves an entry for the request, and one in the timeline of each object.
    const isOfObject = (row: Record<string, unknown>) => row.event_type !== endpoint.policy.audit;
    expect(written.some(isOfObject)).toBe(endpoint.policy.audit === "monitor.bulk_changed");
    expect(written.filter((row) => !isOfObject(row))).toMatchObject([
      {
        event_type: endpoint.policy.audit,
        ...(OF_ANOTHER_OWNER.includes(nameOf(endpoint)) ? { actor_name: emailOf(owner) } : { owner_id: owner.user_id }),
        actor_type: needsBrowser(endpoint) ? "user" : ACTORS[endpoint.policy.auth],
      },
    ]);
  });
});

const isSuccess = (status: number) => status >= 200 && status < 300;

async function auditRows(): Promise<Record<string, unknown>[]> {
  return (await readRowsOf([owner, outsider])).audit_log ?? [];
}

const isMade = ({ status }: { status: number }) => isSuccess(status);

describe("an Idempotency-Key", () => {
  // A request that ends its own credential cannot be repeated with it.
  const isRepeatable = (endpoint: Endpoint) => nameOf(endpoint) !== "POST /auth/revoke-all";
  const posts = guarded
    .filter(({ method, policy }) => method === "post" && policy.auth === "user")
    .filter(isRepeatable);

  /** What one request leaves behind is what another account has that asked once; jobs may still be writing it. */
  async function expectRowsOfOneRequest(endpoint: Endpoint): Promise<void> {
    const answer = await send(outsider, await prepare(endpoint, outsider), { "idempotency-key": newId() });
    expect(answer).toSatisfy(isMade);
    const rowsMatch = async () => expect(await countRowsOf([owner])).toEqual(await countRowsOf([outsider]));
    await vi.waitFor(rowsMatch, PATIENCE);
  }

  it.each(rows(posts))("lets %s make nothing twice", async (_name, endpoint) => {
    const prepared = await prepare(endpoint, owner);
    const headers = { "idempotency-key": newId() };
    const first = await send(owner, prepared, headers);
    expect(first).toSatisfy(isMade);
    const second = await send(owner, prepared, headers);
    if (second.status !== 409) expect([second.status, second.body.id]).toEqual([first.status, first.body.id]);
    await expectRowsOfOneRequest(endpoint);
  });

  it.each(rows(posts))("lets exactly one of two equal requests at once make something: %s", async (_name, endpoint) => {
    const prepared = await prepare(endpoint, owner);
    const headers = { "idempotency-key": newId() };
    const answers = await Promise.all([send(owner, prepared, headers), send(owner, prepared, headers)]);
    const [made, ...again] = answers.filter(isMade);
    expect(made, JSON.stringify(answers.map(({ status, body }) => [status, body]))).toBeDefined();
    // The other one either was refused for the moment or got what the first had made.
    for (const { status, body } of again) expect([status, body.id]).toEqual([made?.status, made?.body.id]);
    const refused = answers.filter((answer) => !isMade(answer)).map(({ status }) => status);
    expect(refused).toEqual(again.length > 0 ? [] : [409]);
    await expectRowsOfOneRequest(endpoint);
  });
});

describe("a member of a body that is not the caller's to set", () => {
  const withBody = guarded.filter(({ route }) => route.request?.body);

  it.each(rows(withBody))("is ignored by %s", async (_name, endpoint) => {
    const canary = `mass-assignment-${newId()}`;
    const prepared = await prepare(endpoint, owner);
    const settable = membersOf(schemaOf(endpoint.route.request?.body?.content));
    const columns = (await readColumns()).filter((column) => !settable.includes(column));
    const planted = Object.fromEntries(columns.map((column) => [column, `${canary}-${column}`]));
    const owned = { owner_id: outsider.user_id, user_id: outsider.user_id, created_by: outsider.user_id };
    const theirs = await readRowsOf([outsider]);
    const answer = await send(owner, { ...prepared, body: { ...planted, ...owned, ...prepared.body } });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: expect.toSatisfy(isSuccess) });
    expect(JSON.stringify([answer.body, await readTables()])).not.toContain(canary);
    expect(await readRowsOf([outsider])).toEqual(theirs);
  });
});

describe("a secret", () => {
  const HEADER = "canary-header-value";
  const SIGNING = "canary-signing-secret";

  it("appears in no answer but those that show it to who may read it", async () => {
    const account = await createAccount();
    await createMonitor(account.client, { http_headers: `X-Key: ${HEADER}` });
    await createWebhook(account, { secret: SIGNING });
    const reads = guarded.filter(({ method }) => method === "get");
    for (const endpoint of reads) {
      const text = JSON.stringify((await send(account, await prepare(endpoint, account))).body);
      expect(text, nameOf(endpoint)).not.toContain(SIGNING);
      expect(text, nameOf(endpoint)).not.toContain(account.token);
      const showsMonitors = endpoint.path.includes("/monitors") || nameOf(endpoint) === "GET /user/export";
      if (!showsMonitors) expect(text, nameOf(endpoint)).not.toContain(HEADER);
    }
    const stored = JSON.stringify(await readTables());
    for (const secret of [HEADER, SIGNING, account.token]) expect(stored).not.toContain(secret);
  });
});
