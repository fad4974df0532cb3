import { beforeAll, describe, expect, it, vi } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { type Client, CORE, createClient } from "../support/client.ts";
import { readRowsOf } from "../support/database.ts";
import { nameOf, needsBrowser, prepare, send } from "../support/examples.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { PATIENCE } from "../support/patience.ts";

/** Every endpoint of the API that takes an API token: a new one is held to the limits of tokens by itself. */
const taking = ENDPOINTS.filter((each) => each.policy.auth === "user" && !needsBrowser(each));
const writing = taking.filter(({ policy }) => policy.audit !== null);
const rows = (endpoints: readonly Endpoint[]) => endpoints.map((each) => [nameOf(each), each] as const);

/**
 * What a token that is limited to another page may see of its user: who they are, what their plan includes and whether
 * something has happened. It tries out settings, of which nothing is kept, and greets assistants' tools, which are held
 * to its limits one by one.
 */
const OF_EVERYBODY = [
  "GET /auth/me",
  "GET /billing/status",
  "GET /uptime/tier-info",
  "GET /status-pages/check-slug",
  "GET /overview",
  "POST /monitors/test",
  "GET /app/changes",
  "POST /mcp",
];

beforeAll(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
});

/** A client with a token of this account that is limited so. */
async function limited(account: Account, limits: object): Promise<Client> {
  const { body } = await account.client.post(`${CORE}/user/api-tokens`, { name: "limited", ...limits });
  return createClient(body.token);
}

describe("a token that may only read", () => {
  let account: Account;
  let reader: Client;
  beforeAll(async () => {
    account = await createAccount();
    reader = await limited(account, { scopes: ["read"] });
  });

  it.each(rows(writing))("%s writes nothing for it", PATIENCE, async (_name, endpoint) => {
    const prepared = await prepare(endpoint, account);
    const before = await readRowsOf([account]);
    expect((await send({ client: reader }, prepared)).status).toBe(403);
    expect(await readRowsOf([account])).toEqual(before);
  });
});

describe("a token for another page", () => {
  let account: Account;
  let page: string;
  let onOtherPage: Client;
  let stranger: Account;
  beforeAll(async () => {
    account = await createAccount();
    stranger = await createAccount();
    page = await createPage(account);
    onOtherPage = await limited(account, { status_page_ids: [page] });
  });

  it.each(rows(taking))("%s shows and changes nothing that is not on that page", PATIENCE, async (name, endpoint) => {
    const prepared = await prepare(endpoint, account);
    const before = await readRowsOf([account]);
    const answer = await send({ client: onOtherPage }, prepared);
    if (answer.status !== 200) expect([400, 403, 404, 409]).toContain(answer.status);
    else if (typeof answer.body === "string" && !OF_EVERYBODY.includes(name)) {
      expect(answer.body).toBe((await send(stranger, prepared)).body);
    } else if (!OF_EVERYBODY.includes(name)) expect(listedIn(answer.body).filter(({ id }) => id !== page)).toEqual([]);
    expect(await readRowsOf([account])).toEqual(before);
  });
});

/** The entries of a list; of anything else, itself. */
function listedIn(body: unknown): { id?: unknown }[] {
  return Array.isArray(body) ? body : [Object(body)];
}
