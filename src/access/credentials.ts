import { unauthenticated } from "../contract/errors.ts";
import { openDb } from "../data/db.ts";
import { type ApiTokenRecord, findTokenOwner, touchToken, type UserRecord } from "../data/users.ts";
import { PLAN_LIMITS } from "../domain/plans.ts";
import { isWellFormedApiToken, sha256Hex } from "../platform/credentials.ts";
import type { Env } from "../platform/env.ts";
import type { Settings } from "../platform/settings.ts";
import type { UserPrincipal } from "./principal.ts";

/** `last_used_at` may lag by this much, so that a busy client costs one row a minute. */
const LAST_USED_LAG_MS = 60_000;

interface Presented {
  env: Env;
  settings: Settings;
  authorization: string | undefined;
  now: number;
  defer(work: Promise<unknown>): void;
}

/** The user behind `Authorization: Bearer sk_svc_…`; anything else is 401. */
export async function authenticateUser(presented: Presented): Promise<UserPrincipal> {
  const token = /^Bearer +(\S+) *$/i.exec(presented.authorization ?? "")?.[1];
  if (token === undefined || !isWellFormedApiToken(token)) throw unauthenticated();
  const db = openDb(presented.env.DB);
  const found = await findTokenOwner(db, await sha256Hex(token), presented.now);
  if (!found) throw unauthenticated();
  if (isStale(found.token, presented.now)) presented.defer(touchToken(db, found.token.id, presented.now));
  return toPrincipal(found.user, found.token.id, presented.settings);
}

function isStale(token: ApiTokenRecord, now: number): boolean {
  return token.last_used_at === null || now - token.last_used_at >= LAST_USED_LAG_MS;
}

export function toPrincipal(user: UserRecord, tokenId: string | null, settings: Settings): UserPrincipal {
  const plan = user.plan ?? settings.DEFAULT_PLAN;
  const beta = PLAN_LIMITS[plan].beta;
  return {
    kind: "user",
    user_id: user.id,
    email: user.email,
    name: user.name,
    plan,
    beta: beta === "yes" || (beta === "by_flag" && user.beta === true),
    token_id: tokenId,
  };
}
