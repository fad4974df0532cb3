import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Plan } from "../../src/contract/plan.ts";
import { openDb } from "../../src/data/db.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import type { NewStatusPage } from "../../src/data/status-pages/write.ts";
import { apiTokens, users } from "../../src/data/users/table.ts";
import { newApiToken, sha256Hex } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Client, createClient, V1 } from "./client.ts";

export interface Account {
  user_id: string;
  token: string;
  client: Client;
}

/** A user of their own for each test, with an API token and a client that sends it. */
export async function createAccount(
  options: { plan?: Plan; beta?: boolean; expires_at?: number; operator?: boolean } = {},
): Promise<Account> {
  const db = openDb(env.DB);
  const now = Date.now();
  const user_id = newId();
  const token = newApiToken();
  await db.insert(users).values({
    id: user_id,
    email: `${user_id}@example.com`,
    name: "Test user",
    plan: options.plan ?? null,
    beta: options.beta ?? null,
    operator: options.operator ?? false,
    email_verified_at: now,
    created_at: now,
    updated_at: now,
  });
  await db.insert(apiTokens).values({
    id: newId(),
    user_id,
    name: "test",
    token_hash: await sha256Hex(token),
    token_prefix: token.slice(0, 12),
    expires_at: options.expires_at ?? null,
    created_at: now,
    updated_at: now,
  });
  return { user_id, token, client: createClient(token) };
}

/** A monitor made through the API. It is paused unless the test says otherwise, so that no check changes it. */
export async function createMonitor(client: Client, body: Record<string, unknown> = {}) {
  const fallback = { name: "Shop", type: "http", target: "http://sink.test/", paused: true };
  const answer = await client.post(`${V1}/monitors`, { ...fallback, ...body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

/** A status page of this account, as its row. */
export async function createPage(account: Account, fields: Partial<NewStatusPage> = {}): Promise<string> {
  const id = newId();
  const now = Date.now();
  const made = { id, owner_id: account.user_id, created_by: account.user_id, created_at: now, updated_at: now };
  await openDb(env.DB)
    .insert(statusPages)
    .values({ name: "Page", slug: `p-${id}`, ...made, ...fields });
  return id;
}
