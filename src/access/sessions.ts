import { ApiError, forbidden, unauthenticated, unavailable } from "../contract/errors.ts";
import { findSession, findSessionOwner, type SessionRecord, touchSession } from "../data/sessions/read.ts";
import { insertSession } from "../data/sessions/write.ts";
import type { UserRecord } from "../data/users/read.ts";
import { isSessionOver, secondFactorDue } from "../domain/session-policy.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import { createBrowserToken, parseBrowserToken } from "../platform/browser-tokens.ts";
import { accessProviderOf, assertionOf, readAccessIdentity } from "../platform/cloudflare-access.ts";
import { randomBase62, sha256Hex } from "../platform/credentials.ts";
import { newId } from "../platform/ids.ts";
import { CHALLENGE_MS } from "../platform/passkey-challenges.ts";
import { ProviderError } from "../platform/provider-requests.ts";
import { toPrincipal } from "./owners.ts";
import { requireUser, type UserPrincipal } from "./principal.ts";
import type { CallScope, RequestScope } from "./scope.ts";
import { policyOf, readPolicy, requireAllowedAddress } from "./session-policy.ts";

const PASSWORD_RECENT_MS = 15 * MINUTE_MS;
const KNOWN_BROWSER_MS = 365 * DAY_MS;
/** `last_used_at` may lag by this much, so that a busy browser costs one row a minute. */
const LAST_USED_LAG_MS = 60_000;
/** 256 bits. */
const TOKEN_LENGTH = 43;
/** Holds the same assertion for the paths that Access does not cover. */
const ACCESS_COOKIE = "CF_Authorization";
const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

/** The value of the session cookie, if the request carries one. */
export function sessionToken(request: Request, publicUrl: string): string | undefined {
  return cookieOf(request, sessionCookie(publicUrl));
}

/** What the browser kept of the account that signed in with it last. */
export function browserToken(request: Request, publicUrl: string): string | undefined {
  return cookieOf(request, browserCookie(publicUrl));
}

/** What the browser was given with the challenge that its passkey signs. */
export function challengeToken(request: Request, publicUrl: string): string | undefined {
  return cookieOf(request, challengeCookie(publicUrl));
}

export function cookieOf(request: Request, wanted: string): string | undefined {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([name]) => name === wanted)?.[1];
}

/** The person whose browser this is. What other sites make the browser send is refused. */
export async function authenticateSession(scope: CallScope, request: Request, token: string): Promise<UserPrincipal> {
  const { db, settings, publicUrl, now } = scope;
  if (!SAFE_METHODS.includes(request.method)) requireSameOrigin(request, publicUrl);
  const found = await findSessionOwner(db, sha256Hex(token), { second_factor: settings.SECOND_FACTOR });
  if (!found) throw unauthenticated();
  const { user, session, is_member, linked, has_factor: hasFactor } = found;
  const policy = policyOf(settings, found.policy);
  if (isSessionOver(policy, session, now)) throw unauthenticated();
  if (!(await isVouchedFor(scope, request, linked))) throw unauthenticated();
  requireAllowedAddress(policy, scope);
  if (now - session.last_used_at >= LAST_USED_LAG_MS) scope.defer(touchSession(db, session.id, now));
  const second_factor_due = secondFactorDue(policy, { hasFactor, isByProvider: linked !== null });
  return toPrincipal(user, { token_id: null, session_id: session.id, is_member, second_factor_due }, settings);
}

/** A session that began by Cloudflare Access is accepted together with its word for the same person alone. */
async function isVouchedFor(
  { settings, log }: CallScope,
  request: Request,
  linked: { issuer: string; subject: string } | null,
): Promise<boolean> {
  const provider = accessProviderOf(settings);
  if (provider === null || linked?.issuer !== provider.issuer) return true;
  const assertion = assertionOf(request) ?? cookieOf(request, ACCESS_COOKIE) ?? null;
  try {
    return (await readAccessIdentity(settings, provider, assertion)).subject === linked.subject;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.reason !== "unreachable") return false;
    log.warn("keys of Cloudflare Access cannot be read", { finding: error.message });
    throw unavailable("Cloudflare Access does not answer");
  }
}

/** For what only our own pages may make a browser send. */
export function requireSameOrigin(request: Request, publicUrl: string): void {
  if (!isOwnSite(request, publicUrl)) throw forbidden("this request must come from this service's own pages");
}

/**
 * Browsers say where a request comes from, and pages cannot change what they say. A visitor who came by another name of
 * this service than PUBLIC_URL, say localhost, is on its own pages, too.
 */
function isOwnSite(request: Request, publicUrl: string): boolean {
  const origin = request.headers.get("origin");
  // An extension that hides referrers makes it "null".
  if (origin === null || origin === "null") return request.headers.get("sec-fetch-site") === "same-origin";
  return ownSite(publicUrl, { url: request.url, origin }) !== undefined;
}

/** The name of this service under which a browser shows the page that it says the request comes from. */
function ownSite(publicUrl: string, { url, origin }: CallScope["asked"]): URL | undefined {
  return [publicUrl, url].map((each) => new URL(each)).find((each) => each.origin === origin);
}

/** Where passkeys are made and used: the page's own origin, and the host name that browsers keep them for. */
export function siteOf({ publicUrl, asked }: CallScope): { origin: string; rp_id: string } {
  const { origin, hostname } = ownSite(publicUrl, asked) ?? new URL(publicUrl);
  return { origin, rp_id: hostname };
}

/** The one way into an account: a new session, as the row that makes it true and the cookies that carry it and let the browser be known later. */
export async function openSession(
  scope: CallScope,
  user: Pick<UserRecord, "id" | "deactivated_at">,
  { hasGivenPassword, linkedSignInId = null }: { hasGivenPassword: boolean; linkedSignInId?: string | null },
) {
  if (user.deactivated_at !== null) {
    throw new ApiError(403, "an operator or a sign-in provider has deactivated this account", {
      code: "account_deactivated",
    });
  }
  const { db, now, publicUrl, ip, userAgent } = scope;
  const policy = await readPolicy(scope);
  requireAllowedAddress(policy, scope);
  const token = randomBase62(TOKEN_LENGTH);
  const record: SessionRecord = {
    id: newId(now),
    user_id: user.id,
    token_hash: sha256Hex(token),
    user_agent: userAgent,
    ip,
    password_at: hasGivenPassword ? now : null,
    linked_sign_in_id: linkedSignInId,
    last_used_at: now,
    created_at: now,
    updated_at: now,
  };
  const cookie = serializeCookie(publicUrl, {
    name: sessionCookie(publicUrl),
    value: token,
    max_age: Math.floor(policy.session_ms / 1000),
  });
  const cookies = [cookie, knowBrowser(scope, user.id)];
  return { record, statement: insertSession(db, record), cookies, session_ms: policy.session_ms };
}

/**
 * For what a stolen token or an unlocked computer may not do: the caller is signed in, and gave the password or a passkey
 * lately. Signing in again and changing the password both count.
 */
export async function requireRecentPassword(ctx: RequestScope): Promise<void> {
  const { session_id } = requireUser(ctx);
  const session = session_id === null ? undefined : await findSession(ctx.db, session_id);
  if (ctx.now - (session?.password_at ?? 0) < PASSWORD_RECENT_MS) return;
  throw new ApiError(403, "sign in with your password or a passkey first, at most 15 minutes before", {
    code: "password_required",
  });
}

/** Takes the session's cookie away from the browser, which stays known. */
export function expiredCookie(publicUrl: string): string {
  return serializeCookie(publicUrl, { name: sessionCookie(publicUrl), value: "", max_age: 0 });
}

/** The cookie by which the account knows this browser later; a browser that it knows already keeps its name. */
export function knowBrowser({ settings, publicUrl, browserToken: token }: CallScope, userId: string): string {
  const isKnown = token !== null && parseBrowserToken(settings.ROOT_SECRET, { userId, token }) !== null;
  const value = isKnown ? token : createBrowserToken(settings.ROOT_SECRET, userId);
  return serializeCookie(publicUrl, { name: browserCookie(publicUrl), value, max_age: KNOWN_BROWSER_MS / 1000 });
}

const CHALLENGE_TOKEN = /^[0-9A-Za-z]{43}$/;

/** Ties challenges to the browser that asks for them; one that has a token already keeps it, for its other tabs. */
export function keepChallengeToken({ publicUrl, challengeToken: known }: CallScope): { token: string; cookie: string } {
  const token = known !== null && CHALLENGE_TOKEN.test(known) ? known : randomBase62(TOKEN_LENGTH);
  const cookie = { name: challengeCookie(publicUrl), value: token, max_age: CHALLENGE_MS / 1000 };
  return { token, cookie: serializeCookie(publicUrl, cookie) };
}

export function serializeCookie(publicUrl: string, cookie: { name: string; value: string; max_age: number }): string {
  const secure = isSecure(publicUrl) ? "; Secure" : "";
  return `${cookie.name}=${cookie.value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${cookie.max_age}${secure}`;
}

/** Browsers take the prefix over https only, where it keeps sibling hosts from planting a cookie of their own. */
export const prefixOf = (publicUrl: string) => (isSecure(publicUrl) ? "__Host-" : "");
const sessionCookie = (publicUrl: string) => `${prefixOf(publicUrl)}vigil_session`;
const challengeCookie = (publicUrl: string) => `${prefixOf(publicUrl)}vigil_challenge`;
const browserCookie = (publicUrl: string) => `${prefixOf(publicUrl)}vigil_browser`;

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith("https:");
}
