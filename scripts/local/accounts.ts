import { getTableName } from "drizzle-orm";
import type { Plan } from "../../src/contract/plan.ts";
import { CREDENTIALS } from "../../src/data/credentials/write.ts";
import { HOLDINGS } from "../../src/data/deleted-accounts/write.ts";
import { newApiToken, randomBase62, sha256Hex, tokenPrefix } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { Refusal } from "./command-error.ts";
import type { Execute, Statement } from "./database.ts";

/** What is absent stays as it is; a new user gets the operator's default plan and beta features by plan. */
export interface TokenRequest {
  email: string;
  name?: string | undefined;
  plan?: Plan | undefined;
  beta?: boolean | undefined;
  expiresAt?: number | undefined;
  /** Lets the user see the installation's capacity. */
  operator?: boolean | undefined;
}

const LINK_VALID_MS = 60 * 60_000;
const LINK_TOKEN_LENGTH = 43;

async function findUserId(execute: Execute, email: string): Promise<string> {
  const [users] = await execute([{ sql: "SELECT id FROM users WHERE email = ?", params: [email] }]);
  const userId = users?.[0]?.id;
  if (typeof userId !== "string") throw new Refusal(`no account exists for ${email}`);
  return userId;
}

/** Creates or updates the user and gives the token of a link that signs them in once, within an hour. */
export async function issueSignInLink(execute: Execute, request: TokenRequest): Promise<string> {
  const { email } = request;
  const token = randomBase62(LINK_TOKEN_LENGTH);
  const now = Date.now();
  await execute(userStatements(request, now));
  const userId = await findUserId(execute, email);
  await execute([
    {
      sql: `INSERT INTO account_links (id, user_id, kind, token_hash, expires_at, created_at, updated_at)
        VALUES (?, ?, 'sign_in', ?, ?, ?, ?)`,
      params: [newId(now), userId, sha256Hex(token), now + LINK_VALID_MS, now, now],
    },
    auditStatement(userId, "sign_in_link.created", `the operator created a sign-in link for ${email}`, now),
  ]);
  return token;
}

/** Ends every way to sign in, passkeys and two-factor sign-in included: the user then needs a sign-in link or a mailed reset link. */
export async function clearPassword(execute: Execute, email: string): Promise<void> {
  const userId = await findUserId(execute, email);
  const now = Date.now();
  await execute([
    { sql: "DELETE FROM account_links WHERE user_id = ?", params: [userId] },
    { sql: "DELETE FROM passwords WHERE user_id = ?", params: [userId] },
    { sql: "DELETE FROM sessions WHERE user_id = ?", params: [userId] },
    { sql: "DELETE FROM passkeys WHERE user_id = ?", params: [userId] },
    { sql: "DELETE FROM two_factors WHERE user_id = ?", params: [userId] },
    { sql: "DELETE FROM recovery_codes WHERE user_id = ?", params: [userId] },
    auditStatement(userId, "password.removed", `the operator removed the password of ${email}`, now),
  ]);
}

function auditStatement(userId: string, event: string, summary: string, now: number): Statement {
  return {
    sql: `INSERT INTO audit_log
        (id, owner_id, event_type, actor_type, actor_name, target_type, target_id, summary, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: [newId(now), userId, event, "system", "operator", "user", userId, summary, now],
  };
}

/** Creates or updates the user and gives a new API token. Only its hash is stored. */
export async function issueToken(execute: Execute, request: TokenRequest): Promise<string> {
  const token = newApiToken();
  const now = Date.now();
  await execute([...userStatements(request, now), tokenStatement(token, request, now)]);
  return token;
}

function userStatements({ email, name, plan, beta, operator }: TokenRequest, now: number): Statement[] {
  const betaFlag = beta === undefined ? null : Number(beta);
  return [
    ...endUnverified(email),
    {
      sql: `INSERT INTO users (id, email, name, plan, beta, operator, email_verified_at, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (email) DO UPDATE SET name = coalesce(?, name), plan = coalesce(?, plan), beta = coalesce(?, beta),
          operator = max(operator, excluded.operator), email_verified_at = coalesce(email_verified_at, ?),
          vouched_by = NULL, updated_at = excluded.updated_at`,
      params: [
        ...[newId(now), email, name ?? email.replace(/@.*/, ""), plan ?? null, betaFlag, Number(operator ?? false)],
        ...[now, now, now, name ?? null, plan ?? null, betaFlag, now],
      ],
    },
    ...limitVouched(email),
  ];
}

/** A token of an account that is there. */
export function tokenStatement(token: string, { email, expiresAt }: TokenRequest, now: number): Statement {
  return {
    sql: `INSERT INTO api_tokens (id, user_id, name, token_hash, token_prefix, expires_at, created_at, updated_at)
        SELECT ?, id, ?, ?, ?, ?, ?, ? FROM users WHERE email = ?`,
    params: [newId(now), "command line", sha256Hex(token), tokenPrefix(token), expiresAt ?? null, now, now, email],
  };
}

/** The operator verifies an account that somebody else opened: what they know of it, or planted in it, ends. */
function endUnverified(email: string): Statement[] {
  const unverified = "(SELECT id FROM users WHERE email = ? AND email_verified_at IS NULL)";
  return [
    ...[...CREDENTIALS, ...HOLDINGS.map((table) => ({ table, holder: table.owner_id }))].map(({ table, holder }) => ({
      sql: `DELETE FROM ${getTableName(table)} WHERE ${holder.name} IN ${unverified}`,
      params: [email],
    })),
    { sql: "UPDATE users SET plan = NULL WHERE email = ? AND email_verified_at IS NULL", params: [email] },
  ];
}

/** Unverified accounts have no better plan than the owner who vouches for them. */
function limitVouched(email: string): Statement[] {
  return [
    {
      sql: `UPDATE users SET plan = (SELECT plan FROM users WHERE email = ?)
        WHERE vouched_by = (SELECT id FROM users WHERE email = ?) AND email_verified_at IS NULL`,
      params: [email, email],
    },
  ];
}

/** Whether the owner could not sign in yet: a deployment prints a link until they have a password. */
export async function needsSetUp(execute: Execute, email: string): Promise<boolean> {
  const [users] = await execute([
    {
      sql: "SELECT 1 FROM users WHERE email = ? AND operator = 1 AND id NOT IN (SELECT user_id FROM passwords)",
      params: [email],
    },
  ]);
  return (users ?? []).length > 0;
}

export const FIRST_OWNER = "owner@localhost";

/** Gives the operator's token when there is no account yet, else undefined. */
export async function createFirstOwner(execute: Execute, email = FIRST_OWNER): Promise<string | undefined> {
  const [users] = await execute([{ sql: "SELECT 1 FROM users LIMIT 1", params: [] }]);
  if (users?.length) return undefined;
  return issueToken(execute, { email, name: "Owner", operator: true });
}
