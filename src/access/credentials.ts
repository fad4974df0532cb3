import { ApiError, unauthenticated } from "../contract/errors.ts";
import { openDb } from "../data/db.ts";
import { type ApiTokenRecord, findTokenOwner, touchToken } from "../data/users/read.ts";
import { isWellFormedApiToken, sha256Hex } from "../platform/credentials.ts";
import type { Env } from "../platform/env.ts";
import type { Settings } from "../platform/settings.ts";
import { toPrincipal } from "./owners.ts";
import type { Principal, UserPrincipal } from "./principal.ts";
import { authenticateSession, sessionToken } from "./sessions.ts";

/** `last_used_at` may lag by this much, so that a busy client costs one row a minute. */
const LAST_USED_LAG_MS = 60_000;

interface AuthInput {
  env: Env;
  settings: Settings;
  request: Request;
  /** The address under which people reach this service. */
  publicUrl: string;
  now: number;
  defer(work: Promise<unknown>): void;
}

/** The user behind `Authorization: Bearer sk_svc_…`, else behind the session cookie; anything else is 401. */
export async function authenticateUser(presented: AuthInput): Promise<UserPrincipal> {
  const { request, publicUrl } = presented;
  const authorization = request.headers.get("authorization");
  const session = authorization === null ? sessionToken(request, publicUrl) : undefined;
  if (session !== undefined) return authenticateSession(presented, session);
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || !isWellFormedApiToken(token)) throw unauthenticated();
  const db = openDb(presented.env.DB);
  const found = await findTokenOwner(db, await sha256Hex(token), presented.now);
  if (!found) throw unauthenticated();
  if (isStale(found.token, presented.now)) presented.defer(touchToken(db, found.token.id, presented.now));
  return toPrincipal(found.user, { token_id: found.token.id, session_id: null }, presented.settings);
}

/** The user where a credential is sent, else nobody in particular; a session that is over counts as none. */
export async function authenticateOptional(presented: AuthInput): Promise<Principal> {
  const { request, publicUrl } = presented;
  const isBearer = request.headers.has("authorization");
  if (!isBearer && sessionToken(request, publicUrl) === undefined) return { kind: "anonymous" };
  try {
    return await authenticateUser(presented);
  } catch (error) {
    if (isBearer || !(error instanceof ApiError) || error.status !== 401) throw error;
    return { kind: "anonymous" };
  }
}

function isStale(token: ApiTokenRecord, now: number): boolean {
  return token.last_used_at === null || now - token.last_used_at >= LAST_USED_LAG_MS;
}
