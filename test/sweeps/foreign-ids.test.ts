import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import { CAPABILITIES } from "../../src/contract/member.ts";
import { hasPermission } from "../../src/domain/roles.ts";
import { V1 } from "../support/client.ts";
import { createContact } from "../support/contacts.ts";
import { browserOf, crawl } from "../support/dashboard-crawl.ts";
import { readRowsOf, readTables, type Snapshot } from "../support/database.ts";
import { baseOf, nameOf, OBJECTS, type Prepared, prepare, send } from "../support/examples.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { type FurnishedPage, furnishPage } from "../support/furnished-page.ts";
import { type IdSlot, type IdSlotKind, listIdSlots } from "../support/id-slots.ts";
import { type Grant, insertSession, joinPage } from "../support/members.ts";
import { PATIENCE } from "../support/patience.ts";

/**
 * Every id that the OpenAPI document lets a request name, as the id of something that is not the caller's: of an account
 * that they have no part in, and of pages where they only look on. Asked by the owner of the rest and by each role; slots
 * come from the document and from the policies, so a new one is held to it by itself.
 */
const CANARY = "canary-of-others";
/** What nobody gets to see whom the table of roles does not let read secrets. */
const SECRET = `${CANARY}-secret`;
/** Addresses that are credentials are for whoever decides where alerts go. */
const ADDRESS = `${CANARY}-address`;

const WITHOUT_SECRETS = CAPABILITIES.filter((capability) => capability !== "secrets.read");
const GRANTS: [string, Grant][] = [
  ["viewer", { role: "viewer" }],
  ["editor", { role: "editor" }],
  ["admin", { role: "admin" }],
  ["custom with everything but secrets.read", { role: "custom", capabilities: WITHOUT_SECRETS }],
];

type Things = Record<IdSlotKind, string>;

/** What stands in a list or a nested object has members of its own that the schema asks for. */
const ACTION = { type: "trigger_runbook" };
const SHIFT = { start_at: "2031-01-01T00:00:00Z", end_at: "2031-01-02T00:00:00Z" };
const ROTATION = { start_at: "2031-01-01T00:00:00Z", period_hours: 24 };
const OVERRIDE = { start_at: "2031-01-01T00:00:00Z", end_at: "2031-01-02T00:00:00Z" };
const AROUND: Record<string, object> = {
  "actions[].webhook_id": ACTION,
  "rules[].actions[].webhook_id": ACTION,
  "shifts[].user_id": SHIFT,
  "rotations[].user_ids[]": ROTATION,
  "overrides[].add_user_id": OVERRIDE,
  "overrides[].remove_user_id": OVERRIDE,
  "targets[].target_id": { target_type: "monitor" },
};

/** Filters that nobody has to judge, because what they leave is the caller's own. */
const FILTERS: Record<string, unknown> = {
  "GET /incidents assigned_to_id": [],
  "GET /status-pages/{id}/incidents assigned_to_id": [],
  "POST /monitors/bulk filter.group_id[]": { updated: 0, failed: [] },
};

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
  await join(seen.account, () => ({ role: "viewer" }), [owner, ...members.map(({ account }) => account)]);
  before = await settledRows();
}, 300_000);

/** An account with one of everything, whose secrets are known. */
async function furnishAccount(): Promise<{ account: Account; things: Things }> {
  const account = await createAccount();
  const made = {} as Record<string, string>;
  for (const [kind, make] of Object.entries(OBJECTS)) made[kind] = await make(account);
  const { client } = account;
  await addSecrets(account, made as Things);
  const update = await client.post(`${V1}/incidents/${made.incident}/updates`, { message: "We look." });
  await client.post(`${V1}/webhooks/${made.webhook}/test`);
  const attempts = await client.get(`${V1}/webhooks/${made.webhook}/deliveries`);
  const things = {
    ...made,
    user: account.user_id,
    update: update.body.id,
    delivery: attempts.body[0].id,
    contact: (await createContact(account)).id,
    session: await insertSession(account),
  };
  return { account, things: things as Things };
}

async function addSecrets({ client }: Account, { monitor, webhook }: Pick<Things, "monitor" | "webhook">) {
  const changes: [string, object][] = [
    [
      `/monitors/${monitor}`,
      {
        http_headers: { "X-Key": SECRET },
        http_method: "POST",
        http_body: SECRET,
        target: `http://sink.test/?key=${SECRET}`,
      },
    ],
    [
      `/webhooks/${webhook}`,
      {
        url: `https://sink.test/${ADDRESS}`,
        secret: SECRET,
        alert_channels: { night: `https://sink.test/${ADDRESS}` },
      },
    ],
  ];
  for (const [path, body] of changes) expect(await client.put(V1 + path, body)).toMatchObject({ status: 200 });
}

/** Makes these accounts members of all pages of another one, on which everything of it lies afterwards. */
async function join(of: Account, grantOf: (account: Account) => Grant, accounts: readonly Account[]): Promise<void> {
  const page = await OBJECTS.page(of);
  await env.DB.batch(
    ["monitors", "webhooks", "agents"].map((table) =>
      env.DB.prepare(`UPDATE ${table} SET status_page_id = ? WHERE owner_id = ? AND status_page_id IS NULL`).bind(
        page,
        of.user_id,
      ),
    ),
  );
  const { results } = await env.DB.prepare("SELECT id FROM status_pages WHERE owner_id = ?")
    .bind(of.user_id)
    .all<{ id: string }>();
  const missing = results.flatMap(({ id }) => accounts.map((account) => ({ id, account })));
  await Promise.all(missing.map(({ id, account }) => joinPage(account, id, grantOf(account)).catch(() => {})));
}

/** Tokens are their users' alone: members may limit theirs to a page that they see, which changes nothing of it. */
async function rowsOfOthers(): Promise<Snapshot> {
  const others = [foreign.account, seen.account];
  const [rows, { api_tokens = [] }] = await Promise.all([readRowsOf(others, ["api_tokens"]), readTables()]);
  return { ...rows, api_tokens: api_tokens.filter((token) => others.some((each) => each.user_id === token.user_id)) };
}

/** Once the jobs that the setting up caused are done. */
async function settledRows(): Promise<Snapshot> {
  let rows = await rowsOfOthers();
  await vi.waitFor(async () => {
    const earlier = rows;
    rows = await rowsOfOthers();
    expect(rows).toEqual(earlier);
  }, PATIENCE);
  return rows;
}

function withId(prepared: Prepared, { place, path }: IdSlot, id: string): Prepared {
  if (place !== "body") return { ...prepared, [place]: { ...prepared[place], [path]: id } };
  return {
    ...prepared,
    body: setAt(prepared.body, path.split("."), { id, around: AROUND[path] ?? {} }) as typeof prepared.body,
  };
}

/** A copy with the id at a dotted path, where `[]` is the only element of an array. */
function setAt(target: unknown, [step, ...rest]: string[], value: { id: string; around: object }): unknown {
  if (step === undefined) return value.id;
  const name = step.replace(/\[\]$/, "");
  const isLast = rest.length === 0;
  const members: Record<string, unknown> = { ...(isLast ? value.around : {}), ...(target as object | undefined) };
  const member = members[name];
  members[name] = step.endsWith("[]")
    ? [setAt(Array.isArray(member) && !isLast ? member[0] : undefined, rest, value)]
    : setAt(member, rest, value);
  return members;
}

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
    await join(owner, (account) => grants.get(account) ?? { role: "viewer" }, [...grants.keys()]);
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
          // Whoever may do this with what is their own hears that it is this id.
          if (name === "owner" && whose === "foreign" && slot.place === "body" && answer.status === 400) {
            const word = slot.path.split(".").at(-1)?.replace("[]", "") ?? "";
            expect.soft(JSON.stringify(answer.body), told).toContain(word);
          }
        }
      }
    }
    expect(await rowsOfOthers()).toEqual(before);
  });
});

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
