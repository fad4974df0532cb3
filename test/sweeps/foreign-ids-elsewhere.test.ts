import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { CAPABILITIES } from "../../src/contract/member.ts";
import { V1 } from "../support/client.ts";
import { browserOf, crawl } from "../support/dashboard-crawl.ts";
import { readRowsOf, type Snapshot } from "../support/database.ts";
import { nameOf, prepare, send } from "../support/examples.ts";
import { type Account, createAccount } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import {
  CANARY,
  furnishAccount,
  joinEverywhere,
  rowsOf,
  settledRowsOf,
  type Things,
  withId,
} from "../support/furnished-account.ts";
import { furnishPage } from "../support/furnished-page.ts";
import { listIdSlots } from "../support/id-slots.ts";
import { joinPage } from "../support/members.ts";
import type { Control } from "../support/shown-controls.ts";

/**
 * Ids of others where no schema says that a text is an id, or where no user asks: in contacts of escalations, in every form
 * of the dashboard, and in what agents and senders of heartbeats call.
 */
let owner: Account;
let page: Awaited<ReturnType<typeof furnishPage>>;
let foreign: { account: Account; things: Things };
let seen: { account: Account; things: Things };
let before: Snapshot;

/** Without what jobs still make of the events that setting up caused: notices to the team, which each member may read. */
async function rowsOfOthers(): Promise<Snapshot> {
  const rows = await rowsOf([foreign.account, seen.account]);
  return {
    ...rows,
    notifications: [],
    audit_log: (rows.audit_log ?? []).filter(({ target_type }) => target_type !== "notification"),
    events: (rows.events ?? []).map(({ processed_at: _, ...event }) => event),
  };
}

/** What nobody outside of the account may come to see. */
const NAMED = ["status_pages", "monitors", "monitor_groups", "webhooks", "agents", "incident_templates"];
async function nameAsCanaries({ user_id }: Account): Promise<void> {
  const rename = (table: string) => `UPDATE ${table} SET name = ? WHERE owner_id = ?`;
  await env.DB.batch(NAMED.map((table) => env.DB.prepare(rename(table)).bind(`${CANARY} ${table}`, user_id)));
}

beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  owner = await createAccount();
  page = await furnishPage(owner);
  foreign = await furnishAccount();
  seen = await furnishAccount();
  await joinEverywhere(seen.account, () => ({ role: "viewer" }), [owner]);
  await nameAsCanaries(foreign.account);
  await settledRowsOf([foreign.account, seen.account]);
  before = await rowsOfOthers();
}, 300_000);

describe("a contact of an escalation", () => {
  const stepsOf = (type: string, value: string) => [{ level: 1, wait_minutes: 5, contacts: [{ type, value }] }];

  it.each([
    ["user", () => owner.user_id, "user"],
    ["schedule", () => page.schedule, "on-call schedule"],
  ] as const)("names no %s of somebody else, and may name the page's own", async (type, own, kind) => {
    const policies = `${V1}/status-pages/${page.page}/on-call/policies`;
    for (const id of [foreign.things[kind], seen.things[kind], foreign.things.page]) {
      const steps = stepsOf(type, id);
      const made = await owner.client.post(policies, { name: "Night", steps });
      const changed = await owner.client.put(`${policies}/${page.policy}`, { steps });
      for (const answer of [made, changed]) {
        expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("contacts[0].value") } });
      }
    }
    const steps = stepsOf(type, own());
    expect(await owner.client.post(policies, { name: `By ${type}`, steps })).toMatchObject({ status: 201 });
    expect(await owner.client.put(`${policies}/${page.policy}`, { steps })).toMatchObject({ status: 200 });
    expect(await rowsOfOthers()).toEqual(before);
  });
});

describe("an endpoint for agents and heartbeats", () => {
  const byOperation = Map.groupBy(listIdSlots(["agent", "install", "heartbeat"]), ({ endpoint }) => nameOf(endpoint));

  it("is found in the OpenAPI document", () => {
    expect([...byOperation.keys()].toSorted()).toEqual([
      "POST /agents/commands/{id}/ack",
      "POST /agents/results",
      "POST /monitors/{id}/status",
    ]);
  });

  it.each([
    ...byOperation.keys(),
  ])("does nothing to others by %s, and what it is for to the caller's own", async (name) => {
    for (const slot of byOperation.get(name) ?? []) {
      const prepared = await prepare(slot.endpoint, owner);
      for (const id of [foreign.things[slot.kind], seen.things[slot.kind]]) {
        const { status, body } = await send(owner, withId(prepared, slot, id));
        const told = `${slot.place}.${slot.path}: ${status} ${JSON.stringify(body)}`;
        expect(JSON.stringify(body), told).not.toContain(CANARY);
        if (status === 200) expect(body, told).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
        else expect([401, 403, 404], told).toContain(status);
      }
      const { status, body } = await send(owner, prepared);
      expect(status, JSON.stringify(body)).toBeLessThan(300);
      expect(body.rejected ?? []).toEqual([]);
    }
    expect(await rowsOfOthers()).toEqual(before);
  });
});

describe("a sender of heartbeats", () => {
  it("reports for the monitor of its token alone, with any monitor in the address", async () => {
    const { heartbeat_token } = (await owner.client.get(`${V1}/monitors/${page.heartbeat}`)).body;
    const sender = { authorization: `Bearer ${heartbeat_token}` };
    for (const id of [foreign.things.monitor, seen.things.monitor]) {
      for (const method of ["POST", "GET"]) {
        const answer = await owner.client.request(method, `${V1}/heartbeat/${id}`, undefined, sender);
        expect([401, 403, 404], JSON.stringify(answer)).toContain(answer.status);
      }
    }
    const own = await owner.client.request("POST", `${V1}/heartbeat/${page.heartbeat}`, undefined, sender);
    expect(own.status, JSON.stringify(own.body)).toBeLessThan(300);
    expect(await rowsOfOthers()).toEqual(before);
  });
});

describe("a form of the dashboard", () => {
  const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  /** The page's own is put in another order or place, and the rest passed over; a theme leads back to any address. */
  const PASSED_OVER =
    /^\/app\/(?:theme$|monitors\/selected)|\/(?:services\/(?:order|group|add)|groups\/order|targets|calendar\/(?:move|take-back))$/;
  /** Buttons that show the form again, and write nothing. */
  const SHOWN_AGAIN = ["preview", "fields", "add_step", "template", "values", "condition"];
  /** Ends what the sweep goes on with. */
  const LATE = /delete|remove|revoke|unsubscribe|sign-out|leave|transfer|account/;
  /** Of one person; an admin has the forms of a member with every capability. */
  const GRANTS = [
    ["its owner", null],
    ["an editor", { role: "editor" }],
    ["a member with every capability", { role: "custom", capabilities: [...CAPABILITIES] }],
  ] as const;

  const rowsById = (rows: Snapshot) =>
    new Map(Object.entries(rows).flatMap(([table, each]) => each.map(({ id }) => [String(id), table] as const)));

  /** The control once for each id in it, with another in its place. */
  function withOthers(control: Control, otherOf: (id: string) => string[]): Control[] {
    // A mark of what was seen of an object names nothing.
    const text = JSON.stringify([control.action, control.fields.filter(([name]) => name !== "seen")]);
    return [...new Set(text.match(ID))].flatMap((id) =>
      otherOf(id).map((other) => {
        const [action, fields] = JSON.parse(text.replaceAll(id, other));
        return { ...control, action, fields };
      }),
    );
  }

  const submit = (browser: Browser, { action, fields }: Control) => browser.submit(action, fields);
  const told = ({ action, fields }: Control, status: number) => `${status} ${action} ${JSON.stringify(fields)}`;

  it.each(GRANTS)(
    "takes no id of somebody else's from %s, and the page's own",
    { timeout: 600_000 },
    async (_name, grant) => {
      let caller = owner;
      if (grant) {
        caller = await createAccount();
        await joinPage(caller, page.page, {
          ...grant,
          capabilities: [...("capabilities" in grant ? grant.capabilities : [])],
        });
      }
      const browser = await browserOf(caller);
      const { controls } = await crawl(browser);
      const tables = rowsById(await readRowsOf([owner, caller]));
      const others = [foreign.account, seen.account];
      const theirs = await Promise.all(others.map(async (account) => rowsById(await readRowsOf([account]))));
      const own = new Set(tables.keys());
      const otherOf = (id: string) =>
        theirs.flatMap(
          (rows) => [...rows].find(([other, table]) => table === tables.get(id) && !own.has(other))?.[0] ?? [],
        );

      let tried = 0;
      const posts = [...controls.values()].filter(({ method }) => method === "post");
      for (const control of posts) {
        const changed = withOthers(control, otherOf);
        tried += changed.length;
        for (const each of changed) {
          const { status, text } = await submit(browser, each);
          expect.soft(text.includes(CANARY), told(each, status)).toBe(false);
          const isShownAgain = each.fields.some(([name, value]) => name === "intent" && SHOWN_AGAIN.includes(value));
          const refusals = [
            400,
            403,
            404,
            ...(isShownAgain ? [200] : []),
            ...(PASSED_OVER.test(each.action) ? [303] : []),
          ];
          expect.soft(refusals, told(each, status)).toContain(status);
        }
        if (changed.length === 0 || LATE.test(JSON.stringify(control))) continue;
        const { status } = await submit(browser, control);
        expect.soft([403, 404, 500], told(control, status)).not.toContain(status);
      }
      expect(tried).toBeGreaterThan(50);
      expect(await rowsOfOthers()).toEqual(before);
      const stored = JSON.stringify(await readRowsOf([owner, caller]));
      const strangers = Object.values(await rowsOf([foreign.account])).flatMap((rows) => rows.map(({ id }) => `${id}`));
      expect(strangers.filter((id) => ID.test(id) && stored.includes(id))).toEqual([]);
    },
  );
});
