import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import { CAPABILITIES } from "../../src/contract/member.ts";
import { hasPermission } from "../../src/domain/roles.ts";
import { V1 } from "../support/client.ts";
import { browserOf, crawl } from "../support/dashboard-crawl.ts";
import type { Snapshot } from "../support/database.ts";
import { baseOf, nameOf, OBJECTS, type Prepared, prepare, send } from "../support/examples.ts";
import { type Account, createAccount } from "../support/factories.ts";
import {
  ADDRESS,
  addSecrets,
  CANARY,
  furnishAccount,
  joinEverywhere,
  rowsOf,
  SECRET,
  settledRowsOf,
  type Things,
  withId,
} from "../support/furnished-account.ts";
import { type FurnishedPage, furnishPage } from "../support/furnished-page.ts";
import { type IdSlot, listIdSlots } from "../support/id-slots.ts";
import { type Grant, joinPage } from "../support/members.ts";

/**
 * Every id that the OpenAPI document lets a request name, as the id of something that is not the caller's: of an account
 * that they have no part in, and of pages where they only look on. Asked by the owner of the rest and by each role; slots
 * come from the document and from the policies, so a new one is held to it by itself.
 */
const WITHOUT_SECRETS = CAPABILITIES.filter((capability) => capability !== "secrets.read");
const GRANTS: [string, Grant][] = [
  ["viewer", { role: "viewer" }],
  ["editor", { role: "editor" }],
  ["admin", { role: "admin" }],
  ["custom with everything but secrets.read", { role: "custom", capabilities: WITHOUT_SECRETS }],
];

/** Filters that nobody has to judge, because what they leave is the caller's own. */
const FILTERS: Record<string, unknown> = {
  "GET /incidents assigned_to_id": [],
  "GET /status-pages/{id}/incidents assigned_to_id": [],
  "POST /monitors/bulk filter.group_id[]": { updated: 0, failed: [] },
};

/** A trial takes no agent and no composite, which are checked only once they are saved; browsers alone follow live. */
const UNTAKEN = [
  "GET /app/live page",
  ...["POST /monitors/test", "POST /monitors/{id}/test"].flatMap((name) => [`${name} agent_id`, `${name} child_ids[]`]),
];
const ON_PAGES = [
  "monitors",
  "monitor_groups",
  "incident_templates",
  "event_rules",
  "agents",
  "incidents",
  "maintenance",
];

let owner: Account;
let members: { name: string; account: Account; grant: Grant }[];
let foreign: { account: Account; things: Things };
let seen: { account: Account; things: Things };
let before: Snapshot;

beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  owner = await createAccount();
  members = [];
  for (const [name, grant] of GRANTS) members.push({ name, grant, account: await createAccount() });
  foreign = await furnishAccount();
  seen = await furnishAccount();
  await joinEverywhere(seen.account, () => ({ role: "viewer" }), [owner, ...members.map(({ account }) => account)]);
  before = await settledRowsOf([foreign.account, seen.account]);
}, 300_000);

const rowsOfOthers = () => rowsOf([foreign.account, seen.account]);

const slots = listIdSlots();
const byOperation = Map.groupBy(slots, ({ endpoint }) => nameOf(endpoint));

describe("an id of somebody else's", () => {
  it("is looked for wherever the policies of the endpoints name one", () => {
    const found = new Set(slots.map(({ endpoint, place, path }) => `${nameOf(endpoint)} ${place}.${path}`));
    const declared = ENDPOINTS.filter(({ policy }) => policy.auth === "user").flatMap((endpoint) =>
      (["params", "query", "body"] as const).flatMap((place) =>
        Object.keys(endpoint.policy.ids?.[place] ?? {}).map((path) => `${nameOf(endpoint)} ${place}.${path}`),
      ),
    );
    expect(declared.filter((slot) => !found.has(slot))).toEqual([]);
    expect(slots.length).toBeGreaterThan(200);
  });

  it.each([...byOperation.keys()])("is refused by %s, for every role, and nothing changes", {
    timeout: 120_000,
  }, async (operation) => {
    const [first, ...more] = byOperation.get(operation) ?? [];
    if (!first) throw new Error("no slots");
    const { endpoint } = first;
    const prepared = await prepare(endpoint, owner);
    const grants = new Map(members.map(({ account, grant }) => [account, grant]));
    await joinEverywhere(owner, (account) => grants.get(account) ?? { role: "viewer" }, [...grants.keys()]);
    for (const slot of [first, ...more]) {
      for (const [whose, things] of [
        ["foreign", foreign.things],
        ["seen", seen.things],
      ] as const) {
        for (const [name, account] of [["owner", owner], ...members.map((each) => [each.name, each.account])] as [
          string,
          Account,
        ][]) {
          const answer = await send(account, withId(prepared, slot, things[slot.kind]));
          const told = `${name}, ${whose} ${slot.place}.${slot.path}: ${answer.status} ${JSON.stringify(answer.body)}`;
          expect(JSON.stringify(answer.body), told).not.toContain(CANARY);
          const isReading = endpoint.method === "get" || (endpoint.policy.permission ?? "page.read") === "page.read";
          const mayRead = whose === "seen" && (isReading || slot.is_only_seen);
          const left = FILTERS[`${operation} ${slot.path}`];
          if (left !== undefined && answer.status === 200) expect(answer.body, told).toMatchObject(left as object);
          else if (!mayRead) expect.soft([400, 403, 404], told).toContain(answer.status);
          // A person who may do this with their own learns that it is this id.
          if (name === "owner" && whose === "foreign" && slot.place === "body" && answer.status === 400) {
            const word = slot.path.split(".").at(-1)?.replace("[]", "") ?? "";
            expect.soft(JSON.stringify(answer.body), told).toContain(word);
          }
        }
      }
    }
    expect(await rowsOfOthers()).toEqual(before);
  });

  it.each([
    ...byOperation.keys(),
  ])("would be taken by %s were it the caller's own, so that its refusal says something", async (operation) => {
    for (const slot of byOperation.get(operation) ?? []) {
      const caller = await createAccount();
      const prepared = await prepare(slot.endpoint, caller);
      const own = isNamed(prepared, slot) ? prepared : await withOwn(caller, prepared, slot);
      const answer = await send(caller, own);
      const told = `${slot.place}.${slot.path}: ${answer.status} ${JSON.stringify(answer.body)}`;
      if (!UNTAKEN.includes(`${operation} ${slot.path}`)) expect.soft(answer.status, told).toBeLessThan(300);
    }
  });
});

/** The example names something of the caller's there. */
function isNamed({ params, query, body }: Prepared, { place, path }: IdSlot): boolean {
  if (place !== "body") return { params, query }[place][path] !== undefined;
  let value: unknown = body;
  for (const step of path.split(".")) {
    const member = (value as Record<string, unknown> | undefined)?.[step.replace("[]", "")];
    value = Array.isArray(member) ? member[0] : member;
  }
  return value !== undefined;
}

/** The same request about something of the caller's own, which lies with all else of theirs on the page of the request. */
async function withOwn(account: Account, prepared: Prepared, slot: IdSlot): Promise<Prepared> {
  const id = await ownOf(account, slot);
  const { params, query, body } = prepared;
  const named = [body.status_page_id, query.status_page_id, params.status_page_id, params.id];
  const { results: pages } = await env.DB.prepare("SELECT id FROM status_pages WHERE owner_id = ?")
    .bind(account.user_id)
    .all<{ id: string }>();
  const page = pages.find((each) => named.includes(each.id)) ?? pages[0];
  for (const table of slot.kind === "page" || !page ? [] : ON_PAGES) {
    const move = `UPDATE ${table} SET status_page_id = ? WHERE owner_id = ?`;
    await env.DB.prepare(move).bind(page?.id, account.user_id).run();
  }
  const own = withId(prepared, slot, id);
  if (slot.place !== "body") return own;
  const { filter: _, ...chosen } = own.body;
  if (slot.path === "ids[]") return { ...own, body: chosen };
  if (slot.path === "child_ids[]") return { ...own, body: { ...own.body, type: "composite", target: undefined } };
  if (slot.path === "group_id") return { ...own, body: { ...own.body, status_page_id: page?.id } };
  return own;
}

async function ownOf(account: Account, { kind }: IdSlot): Promise<string> {
  if (kind === "user") return account.user_id;
  if (!(kind in OBJECTS)) throw new Error(`say what ${kind} of an account's own is`);
  return OBJECTS[kind as keyof typeof OBJECTS](account);
}

describe("a secret", () => {
  let page: FurnishedPage;
  let holder: Account;
  /** Of this page alone, so that their dashboard is that of one page. */
  const readers = new Map<string, Account>();
  beforeAll(async () => {
    holder = await createAccount();
    page = await furnishPage(holder);
    await addSecrets(holder, page);
    await holder.client.put(`${V1}/status-pages/${page.page}/events/rules/${page.rule}`, {
      alert_channels: { night: `https://sink.test/${ADDRESS}` },
    });
    const contact = { type: "webhook", value: `https://sink.test/${ADDRESS}` };
    await holder.client.put(`${V1}/status-pages/${page.page}/on-call/policies/${page.policy}`, {
      steps: [{ level: 1, wait_minutes: 5, contacts: [contact] }],
    });
    for (const [name, grant] of GRANTS) {
      const reader = await createAccount();
      await joinPage(reader, page.page, grant);
      readers.set(name, reader);
    }
  }, 300_000);

  const hidden = ({ role, capabilities = [] }: Grant) => [
    ...(hasPermission({ role, capabilities }, "secrets.read") ? [] : [SECRET]),
    ...(hasPermission({ role, capabilities }, "alerting.write") ? [] : [ADDRESS]),
  ];

  it.each(
    GRANTS,
  )("is in no answer of the API for a member who is %s, unless their role lets them read it", async (name, grant) => {
    const account = readers.get(name);
    if (!account) throw new Error("no such member");
    const things: Partial<Record<string, string>> = { ...page, "event rule": page.rule };
    things["escalation policy"] = page.policy;
    things["on-call schedule"] = page.schedule;
    let read = 0;
    for (const endpoint of ENDPOINTS.filter(({ policy, method }) => policy.auth === "user" && method === "get")) {
      const { ids } = endpoint.policy;
      const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each ?? "");
      const idOf = (kind: string | undefined) => (kind === undefined ? undefined : things[kind]);
      const params = Object.fromEntries(
        names.map((each) => {
          const kind = ids?.params?.[each];
          return [each, idOf(kind && baseOf(kind))];
        }),
      );
      if (Object.values(params).includes(undefined)) continue;
      const query: Record<string, string> = ids?.query?.status_page_id ? { status_page_id: page.page } : {};
      const asked = { endpoint, params: params as Record<string, string>, query, headers: {}, body: {} };
      const { status, body } = await send(account, asked);
      if (status === 200) read += 1;
      for (const canary of hidden(grant)) {
        expect.soft(JSON.stringify(body).includes(canary), `${nameOf(endpoint)} shows ${canary}`).toBe(false);
      }
    }
    expect(read).toBeGreaterThan(40);
  });

  it.each(GRANTS)(
    "is in no view of the dashboard for a member who is %s, unless their role lets them read it",
    {
      timeout: 300_000,
    },
    async (name, grant) => {
      const account = readers.get(name);
      if (!account) throw new Error("no such member");
      const shows: string[] = [];
      const { linked } = await crawl(await browserOf(account), (path, text) => {
        for (const canary of hidden(grant)) if (text.includes(canary)) shows.push(`${path} shows ${canary}`);
      });
      expect(shows).toEqual([]);
      expect(linked.size).toBeGreaterThan(20);
    },
  );

  it("is read by those whom the table of roles lets read it, so that the others would have met it", async () => {
    const monitor = await holder.client.get(`${V1}/monitors/${page.monitor}`);
    const webhook = await holder.client.get(`${V1}/webhooks/${page.webhook}`);
    expect([JSON.stringify(monitor.body), JSON.stringify(webhook.body)]).toEqual([
      expect.stringContaining(SECRET),
      expect.stringContaining(ADDRESS),
    ]);
    expect(JSON.stringify(webhook.body)).not.toContain(SECRET);
  });
});
