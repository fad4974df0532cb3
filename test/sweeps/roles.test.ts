import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { idsAt } from "../../src/access/id-authorization.ts";
import { ENDPOINTS } from "../../src/app.ts";
import { CAPABILITIES, GRANTED_ROLES } from "../../src/contract/member.ts";
import { hasPermission, type Membership, type Permission } from "../../src/domain/roles.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { createClient } from "../support/client.ts";
import { nameOf, OBJECTS, type Prepared, prepare, send } from "../support/examples.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { joinPage } from "../support/members.ts";

/**
 * Who may do what: every endpoint that names an object of a page, asked by everybody who could ask. What is expected
 * comes from the endpoint's policy and the table of roles, so a new endpoint or role is held to them by itself.
 */
type Member = { name: string; membership: Membership; account: Account };

const MEMBERSHIPS: [string, Membership][] = [
  ["owner", { role: "owner", capabilities: [] }],
  ["admin", { role: "admin", capabilities: [] }],
  ["editor", { role: "editor", capabilities: [] }],
  ["viewer", { role: "viewer", capabilities: [] }],
  ["custom without capabilities", { role: "custom", capabilities: [] }],
  ...CAPABILITIES.map((capability): [string, Membership] => [
    `custom with ${capability}`,
    { role: "custom", capabilities: [capability] },
  ]),
];
/** For whom something belongs to, regardless of their role on a page. */
const ACCOUNT_KINDS = ["sla_policy:own"];
/** Makes something of the caller's own; what it may name besides is judged like everywhere. */
const ACCOUNT_ENDPOINTS = ["POST /status-pages", "PUT /status-pages/by-key/{external_key}"];
/** Tables whose rows may lie on a page, and do so here. */
const PAGED_TABLES = ["monitors", "webhooks", "agents"];

const GrantedRole = z.enum(GRANTED_ROLES);

let members: Member[];
let outsider: Account;
beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  outsider = await createAccount();
  members = [];
  for (const [name, membership] of MEMBERSHIPS.slice(1)) {
    members.push({ name, membership, account: await createAccount() });
  }
});

const kindsOf = ({ policy: { ids } }: Endpoint) =>
  [ids?.params, ids?.query, ids?.body].flatMap((slots) => Object.values(slots ?? {}));
const ofPages = ENDPOINTS.filter(
  (endpoint) =>
    endpoint.policy.auth === "user" &&
    kindsOf(endpoint).length > 0 &&
    !ACCOUNT_ENDPOINTS.includes(nameOf(endpoint)) &&
    !Object.values(endpoint.policy.ids?.params ?? {}).some((kind) => ACCOUNT_KINDS.includes(kind)),
);

/** A valid request of a new owner about objects that all lie on pages, which these members share. */
async function prepareShared(
  endpoint: Endpoint,
  sharing: readonly Member[],
): Promise<{ owner: Account; prepared: Prepared }> {
  const owner = await createAccount();
  const prepared = await prepare(endpoint, owner);
  const { query, body } = endpoint.policy.ids ?? {};
  const page = await OBJECTS.page(owner);
  if (query?.status_page_id) prepared.query = { status_page_id: page, ...prepared.query };
  if (body?.status_page_id) prepared.body = { status_page_id: page, ...prepared.body };
  await sharePages(owner, page, sharing);
  return { owner, prepared };
}

async function sharePages(owner: Account, page: string, sharing: readonly Member[]): Promise<void> {
  const place = (table: string) =>
    env.DB.prepare(`UPDATE ${table} SET status_page_id = ? WHERE owner_id = ? AND status_page_id IS NULL`);
  await env.DB.batch(PAGED_TABLES.map((table) => place(table).bind(page, owner.user_id)));
  const owned = env.DB.prepare("SELECT id FROM status_pages WHERE owner_id = ?").bind(owner.user_id);
  const pages = (await owned.all<{ id: string }>()).results;
  await Promise.all(
    pages.flatMap(({ id }) =>
      sharing.map(({ account, membership: { role, capabilities } }) =>
        joinPage(account, id, { role: GrantedRole.parse(role), capabilities: [...capabilities] }),
      ),
    ),
  );
}

/** Whether the request names anything at all that lies on a page: bodies need not. */
function namesObject(endpoint: Endpoint, prepared: Prepared): boolean {
  const { ids } = endpoint.policy;
  const isNamed = (slots: object | undefined, source: unknown) =>
    Object.keys(slots ?? {}).some((path) => idsAt(source, path).length > 0);
  return (
    isNamed(ids?.params, prepared.params) || isNamed(ids?.query, prepared.query) || isNamed(ids?.body, prepared.body)
  );
}

/** What somebody without any part in the page gets to hear. */
function refusalOf(endpoint: Endpoint): number {
  return Object.keys(endpoint.policy.ids?.params ?? {}).length > 0 ? 404 : 400;
}

/** A person who has an agent check something needs the right to change agents, too. */
const usesAgent = ({ policy }: Endpoint) => Object.values(policy.ids?.params ?? {}).includes("agent:use");
const isGet = ({ method }: Endpoint) => method === "get";
/** What the object itself refuses, as a check of what is paused, is refused to everybody. */
const isAllowed = (status: number) => (status >= 200 && status < 300) || status === 409;

describe("every role", () => {
  it.each(ofPages.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    "%s is for those alone whom the table of roles names",
    { timeout: 60_000 },
    async (_name, endpoint) => {
      const right: Permission = endpoint.policy.permission ?? "page.read";
      const rights: Permission[] = usesAgent(endpoint) ? [right, "agents.write"] : [right];
      const isEntitled = ({ membership }: Member) => rights.every((each) => hasPermission(membership, each));
      const shared = await prepareShared(endpoint, members);
      expect(namesObject(endpoint, shared.prepared), "the example names nothing on a page").toBe(true);

      const anonymous = { client: createClient() };
      expect((await send(anonymous, shared.prepared)).status).toBe(401);
      expect((await send(outsider, shared.prepared)).status).toBe(refusalOf(endpoint));
      for (const { name, membership, account } of members.filter((member) => !isEntitled(member))) {
        const answer = await send(account, shared.prepared);
        expect([name, answer.status, membership.role], JSON.stringify(answer.body)).toEqual([
          name,
          403,
          membership.role,
        ]);
      }
      for (const member of members.filter(isEntitled)) {
        const { prepared } = isGet(endpoint) ? shared : await prepareShared(endpoint, [member]);
        const { name, account } = member;
        const answer = await send(account, prepared);
        expect({ name, status: answer.status, body: answer.body }).toMatchObject({
          status: expect.toSatisfy(isAllowed),
        });
      }
      expect(await send(shared.owner, shared.prepared)).toMatchObject({ status: expect.toSatisfy(isAllowed) });
    },
  );

  it("has no endpoint that asks for a right on nothing", () => {
    const asking = ENDPOINTS.filter(({ policy }) => policy.permission !== null && policy.auth === "user");
    expect(asking.filter((endpoint) => kindsOf(endpoint).length === 0).map(nameOf)).toEqual([]);
  });
});
