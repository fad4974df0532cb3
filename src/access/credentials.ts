import { ApiError, unauthenticated } from "../contract/errors.ts";
import { type ApiTokenRecord, findTokenOwner, touchToken } from "../data/users/read.ts";
import type { TokenLimits } from "../domain/token-limits.ts";
import { isWellFormedApiToken, sha256Hex } from "../platform/credentials.ts";
import { isInNetworks } from "../platform/egress/address.ts";
import { toPrincipal } from "./owners.ts";
import type { Principal, UserPrincipal } from "./principal.ts";
import type { CallScope } from "./scope.ts";
import { authenticateSession, sessionToken } from "./sessions.ts";

/** `last_used_at` may lag by this much, so that a busy client costs one row a minute. */
const LAST_USED_LAG_MS = 60_000;

/** The user behind `Authorization: Bearer sk_svc_…`, else behind the session cookie; anything else is 401. */
export async function authenticateUser(scope: CallScope, request: Request): Promise<UserPrincipal> {
  const { db, now, publicUrl } = scope;
  const authorization = request.headers.get("authorization");
  const session = authorization === null ? sessionToken(request, publicUrl) : undefined;
  if (session !== undefined) return authenticateSession(scope, request, session);
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || !isWellFormedApiToken(token)) throw unauthenticated();
  const hash = sha256Hex(token);
  const found = await findTokenOwner(db, hash, now);
  if (!found) throw unauthenticated();
  requireNetwork(scope, found.token);
  const isFormer = found.token.token_hash !== hash;
  if (isStale(isFormer ? found.token.former_used_at : found.token.last_used_at, now)) {
    const used = isFormer ? { last_used_at: now, former_used_at: now } : { last_used_at: now };
    scope.defer(touchToken(db, found.token.id, used));
  }
  return toPrincipal(
    found.user,
    { token_id: found.token.id, token_limits: limitsOf(found.token), session_id: null, is_member: found.is_member },
    scope.settings,
  );
}

function requireNetwork({ ip }: CallScope, { allowed_networks }: ApiTokenRecord): void {
  if (allowed_networks === null || (ip !== null && isInNetworks(ip, allowed_networks))) return;
  throw new ApiError(403, "this API token is not accepted from your address", { code: "network_not_allowed" });
}

function limitsOf({ scopes, status_page_ids }: ApiTokenRecord): TokenLimits | null {
  return scopes === null && status_page_ids === null ? null : { scopes, page_ids: status_page_ids };
}

/** The user of the credential, else an anonymous caller; a session that is over, or not accepted here, counts as none. */
export async function authenticateOptional(scope: CallScope, request: Request): Promise<Principal> {
  const isBearer = request.headers.has("authorization");
  if (!isBearer && sessionToken(request, scope.publicUrl) === undefined) return { kind: "anonymous" };
  try {
    return await authenticateUser(scope, request);
  } catch (error) {
    if (isBearer || !(error instanceof ApiError)) throw error;
    if (error.status !== 401 && error.code !== "network_not_allowed") throw error;
    return { kind: "anonymous" };
  }
}

function isStale(used_at: number | null, now: number): boolean {
  return used_at === null || now - used_at >= LAST_USED_LAG_MS;
}
