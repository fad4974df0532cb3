import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { V1 } from "./client.ts";
import { createContact } from "./contacts.ts";
import { readTables, rowsNaming, type Snapshot } from "./database.ts";
import { OBJECTS, type Prepared } from "./examples.ts";
import { type Account, createAccount } from "./factories.ts";
import type { IdSlot, IdSlotKind } from "./id-slots.ts";
import { type Grant, insertLinkedSignIn, insertSession, joinPage } from "./members.ts";
import { insertPasskeyOf } from "./passkeys.ts";
import { PATIENCE } from "./patience.ts";

/** Accounts with one of everything, and requests that name what is theirs. */
export const CANARY = "canary-of-others";
/** What nobody gets to see whom the table of roles does not let read secrets. */
export const SECRET = `${CANARY}-secret`;
/** Addresses that are credentials are for people who decide where alerts go. */
export const ADDRESS = `${CANARY}-address`;

export type Things = Record<IdSlotKind, string>;

/** An account with one of everything, whose secrets are known. */
export async function furnishAccount(): Promise<{ account: Account; things: Things }> {
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
    sign_in: await insertLinkedSignIn(account),
    passkey: await insertPasskeyOf(account),
  };
  return { account, things: things as Things };
}

export async function addSecrets({ client }: Account, { monitor, webhook }: Pick<Things, "monitor" | "webhook">) {
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
export async function joinEverywhere(
  of: Account,
  grantOf: (account: Account) => Grant,
  accounts: readonly Account[],
): Promise<void> {
  const page = await OBJECTS.page(of);
  await env.DB.batch(
    ["monitors", "webhooks", "agents"].map((table) =>
      env.DB.prepare(`UPDATE ${table} SET status_page_id = ? WHERE owner_id = ? AND status_page_id IS NULL`).bind(
        page,
        of.user_id,
      ),
    ),
  );
  const [{ results: pages }, { results: joined }] = await Promise.all([
    env.DB.prepare("SELECT id FROM status_pages WHERE owner_id = ?").bind(of.user_id).all<{ id: string }>(),
    env.DB.prepare("SELECT status_page_id AS id, user_id FROM page_members").all<{ id: string; user_id: string }>(),
  ]);
  const known = new Set(joined.map(({ id, user_id }) => `${id} ${user_id}`));
  const missing = pages.flatMap(({ id }) => accounts.map((account) => ({ id, account })));
  await Promise.all(
    missing
      .filter(({ id, account }) => !known.has(`${id} ${account.user_id}`))
      .map(({ id, account }) => joinPage(account, id, grantOf(account))),
  );
}

/** Tokens are their users' alone: members may limit theirs to a page that they see, which changes nothing of it. */
export async function rowsOf(others: readonly Account[]): Promise<Snapshot> {
  const { api_tokens = [], trusted_workflows = [], ...tables } = await readTables();
  const isTheirs = ({ user_id }: Record<string, unknown>) => others.some((each) => each.user_id === user_id);
  return {
    ...rowsNaming(others, tables),
    api_tokens: api_tokens.filter(isTheirs),
    trusted_workflows: trusted_workflows.filter(isTheirs),
  };
}

/** Once the jobs that the setting up caused are done: no event waits, and nothing changes for a second. */
export async function settledRowsOf(accounts: readonly Account[]): Promise<Snapshot> {
  let rows = await rowsOf(accounts);
  const check = async () => {
    const earlier = rows;
    rows = await rowsOf(accounts);
    expect((rows.events ?? []).filter((event) => event.processed_at === null || event.held_until !== null)).toEqual([]);
    expect(rows).toEqual(earlier);
  };
  await vi.waitFor(check, { ...PATIENCE, interval: 1_000 });
  return rows;
}

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
  "results[].monitor_id": { status: "down" },
  "targets[].target_id": { target_type: "monitor" },
};

export function withId(prepared: Prepared, { place, path }: IdSlot, id: string): Prepared {
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
