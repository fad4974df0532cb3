import type { Plan } from "../../src/contract/plan.ts";
import { newApiToken, sha256Hex, tokenPrefix } from "../../src/platform/credentials.ts";
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
}

/** Without a password nobody can sign in until the user sets a new one, which a token may do without the old one. */
export async function forgetPassword(execute: Execute, email: string): Promise<void> {
  const [users] = await execute([{ sql: "SELECT id FROM users WHERE email = ?", params: [email] }]);
  const userId = users?.[0]?.id;
  if (typeof userId !== "string") throw new Refusal(`nobody has an account under ${email}`);
  const now = Date.now();
  await execute([
    { sql: "DELETE FROM passwords WHERE user_id = ?", params: [userId] },
    { sql: "DELETE FROM sessions WHERE user_id = ?", params: [userId] },
    {
      sql: `INSERT INTO audit_log
          (id, owner_id, event_type, actor_type, actor_name, target_type, target_id, summary, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      params: [
        ...[newId(now), userId, "password.removed", "system", "operator"],
        ...["user", userId, `the operator removed the password of ${email}`, now],
      ],
    },
  ]);
}

/** Creates or updates the user and gives a new API token. It is stored only as a hash: nobody can show it again. */
export async function issueToken(execute: Execute, request: TokenRequest): Promise<string> {
  const token = newApiToken();
  await execute(tokenStatements(token, request, Date.now()));
  return token;
}

function tokenStatements(
  token: string,
  { email, name, plan, beta, expiresAt }: TokenRequest,
  now: number,
): Statement[] {
  const betaFlag = beta === undefined ? null : Number(beta);
  return [
    {
      sql: `INSERT INTO users (id, email, name, plan, beta, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (email) DO UPDATE SET name = coalesce(?, name), plan = coalesce(?, plan), beta = coalesce(?, beta),
          updated_at = excluded.updated_at`,
      params: [
        ...[newId(now), email, name ?? email.replace(/@.*/, ""), plan ?? null, betaFlag, now, now],
        ...[name ?? null, plan ?? null, betaFlag],
      ],
    },
    {
      sql: `INSERT INTO api_tokens (id, user_id, name, token_hash, token_prefix, expires_at, created_at, updated_at)
        SELECT ?, id, ?, ?, ?, ?, ?, ? FROM users WHERE email = ?`,
      params: [newId(now), "command line", sha256Hex(token), tokenPrefix(token), expiresAt ?? null, now, now, email],
    },
  ];
}

/** Gives the owner's token when nobody has an account yet, else undefined. */
export async function createFirstOwner(execute: Execute, email = "owner@localhost"): Promise<string | undefined> {
  const [users] = await execute([{ sql: "SELECT 1 FROM users LIMIT 1", params: [] }]);
  if (users?.length) return undefined;
  return issueToken(execute, { email, name: "Owner" });
}
