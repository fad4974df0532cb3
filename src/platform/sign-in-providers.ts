import * as oauth from "oauth4webapi";
import { z } from "zod";
import type { SignInProvider } from "../contract/sign-in.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { IoFault } from "../lib/io-fault.ts";
import { now } from "./clock.ts";
import { egressOf } from "./egress/guard.ts";
import type { Settings } from "./settings.ts";

/** What the browser keeps while its user is at the provider; another browser cannot use the answer. */
export interface SignInAttempt {
  state: string;
  nonce: string;
  verifier: string;
}

/** Who somebody is to a provider. Only `issuer` and `subject` identify them; an address may be given to somebody else. */
export interface ProvenIdentity {
  issuer: string;
  subject: string;
  /** Null unless the provider vouches for it, or its operator does. */
  email: string | null;
  name: string | null;
  /** False where the provider says that the person is shut out there. */
  is_active: boolean;
  groups: string[];
  session: ProviderTokens;
}

/** What a provider gives along for the time of a session. */
export interface ProviderTokens {
  sid: string | null;
  id_token: string | null;
  refresh_token: string | null;
}

export const NO_TOKENS: ProviderTokens = { sid: null, id_token: null, refresh_token: null };

/** The provider or its answer cannot be used. `reason` is for the person, `message` for the operator. */
export class ProviderError extends Error {
  readonly reason: "cancelled" | "unreachable" | "refused";
  constructor(reason: ProviderError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What is longer is not kept: it would not fit into an address or a form. */
const TOKEN_LENGTH_MAX = 6000;
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 256 * 1024;
/** How long addresses and keys of a provider are trusted without asking again. */
const METADATA_MS = 5 * MINUTE_MS;
/** Keys that are unknown are asked for again as often as this. */
const KEYS_AGAIN_MS = MINUTE_MS;
export const SUBJECT_LENGTH_MAX = 255;

interface Known {
  metadata: oauth.AuthorizationServer;
  keys: oauth.JWKSCacheInput;
  fetched_at: number;
  keys_renewed_at: number;
}

/** Plain data by issuer, as this isolate has received it. */
const known = new Map<string, Known>();

/** Where a browser is sent to sign in, and what it keeps meanwhile. */
export async function beginAtProvider(
  settings: Settings,
  provider: SignInProvider,
  redirectUri: string,
): Promise<{ location: URL; attempt: SignInAttempt }> {
  const { metadata } = await knownOf(settings, provider);
  if (metadata.authorization_endpoint === undefined)
    throw new ProviderError("unreachable", "no authorization_endpoint");
  const attempt = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  const location = new URL(metadata.authorization_endpoint);
  const isOidc = provider.kind !== "github";
  const parameters = {
    client_id: provider.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: isOidc ? scopeOf(provider, metadata) : "read:user user:email",
    state: attempt.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: "S256",
    ...(isOidc ? { nonce: attempt.nonce } : {}),
    // Google gives refresh tokens by a parameter of its own: https://developers.google.com/identity/protocols/oauth2/web-server
    ...(provider.kind === "google" && provider.refreshes_sessions ? { access_type: "offline" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
  return { location, attempt };
}

/** Providers that know `offline_access` give a refresh token for it alone. */
function scopeOf({ refreshes_sessions }: SignInProvider, { scopes_supported }: oauth.AuthorizationServer): string {
  const isKnown = scopes_supported?.includes("offline_access") ?? false;
  return refreshes_sessions && isKnown ? "openid email profile offline_access" : "openid email profile";
}

/** Who the answer of the provider is about. Throws a ProviderError for every answer that is not wholly right. */
export async function finishAtProvider(
  settings: Settings,
  provider: SignInProvider,
  { answer, attempt, redirectUri }: { answer: URL; attempt: SignInAttempt; redirectUri: string },
): Promise<ProvenIdentity> {
  const found = await knownOf(settings, provider);
  return translated(async () => {
    const { metadata: as } = found;
    const client: oauth.Client = { client_id: provider.client_id };
    const options = optionsOf(settings, found);
    const given = oauth.validateAuthResponse(as, client, answer.searchParams, attempt.state);
    const authenticate = clientAuthOf(provider, as);
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      authenticate,
      given,
      redirectUri,
      attempt.verifier,
      options,
    );
    if (provider.kind === "github") {
      const { access_token } = await oauth.processAuthorizationCodeResponse(as, client, response);
      return githubIdentity(settings, provider, access_token);
    }
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
      expectedNonce: attempt.nonce,
      requireIdToken: true,
    });
    await verifySignature(settings, provider, response);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (claims === undefined) throw new ProviderError("refused", "no ID token");
    const info = await userInfo(as, client, { tokens, claims, isWanted: isWanted(provider, claims) }, options);
    return oidcIdentity(provider, { ...info, ...claims }, tokens);
  });
}

const IdClaims = z.object({
  iss: z.string().max(ANSWER_BYTES_MAX),
  sub: z.string().min(1).max(SUBJECT_LENGTH_MAX),
  sid: z.string().min(1).max(SUBJECT_LENGTH_MAX).optional().catch(undefined),
  email: z.string().optional().catch(undefined),
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});

/** Many providers put claims about people there alone. */
function isWanted({ active_claim, groups_claim }: SignInProvider, claims: oauth.IDToken): boolean {
  return ["email", active_claim, groups_claim].some((claim) => claim && claims[claim] === undefined);
}

const Groups = z.array(z.string()).or(z.string().transform((group) => [group]));

/** A claim of another form names none. */
function groupsOf({ groups_claim }: SignInProvider, claims: Record<string, unknown>): string[] {
  return groups_claim ? (Groups.safeParse(claims[groups_claim]).data ?? []) : [];
}

function isActive({ active_claim }: SignInProvider, claims: Record<string, unknown>): boolean {
  return active_claim === null || ![false, "false"].some((value) => claims[active_claim] === value);
}

function tokensOf(
  { refreshes_sessions }: SignInProvider,
  { id_token, refresh_token }: oauth.TokenEndpointResponse,
  sid: string | null,
): ProviderTokens {
  const bounded = (token: string | undefined) => (token && token.length <= TOKEN_LENGTH_MAX ? token : null);
  return { sid, id_token: bounded(id_token), refresh_token: refreshes_sessions ? bounded(refresh_token) : null };
}

function oidcIdentity(
  provider: SignInProvider,
  claims: Record<string, unknown>,
  tokens: oauth.TokenEndpointResponse,
): ProvenIdentity {
  const { iss, sub, sid, email, email_verified, name } = IdClaims.parse(claims);
  const isVerified = email_verified ?? provider.trusts_addresses;
  return {
    issuer: iss,
    subject: sub,
    email: isVerified && email ? email : null,
    name: name ?? null,
    is_active: isActive(provider, claims),
    groups: groupsOf(provider, claims),
    session: tokensOf(provider, tokens, sid ?? null),
  };
}

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
const LogoutClaims = z
  .object({
    iss: z.string(),
    sub: z.string().min(1).max(SUBJECT_LENGTH_MAX).nullable().default(null),
    sid: z.string().min(1).max(SUBJECT_LENGTH_MAX).nullable().default(null),
    iat: z.number(),
    nonce: z.never().optional(),
    events: z.object({ [LOGOUT_EVENT]: z.object({}) }),
  })
  .refine(({ sub, sid }) => sub !== null || sid !== null, "it names neither a person nor a session");
const LOGOUT_TOKEN_LENGTH_MAX = 8192;

/** Whose sessions, or which of the provider's own, are over, of those that began before `at`. */
export interface EndedSessions {
  issuer: string;
  subject: string | null;
  sid: string | null;
  at: number;
}

/**
 * OpenID Connect Back-Channel Logout 1.0. The library judges signed answers of a provider, whose issuer, audience, times and
 * signature are those of a logout token as well; the event distinguishes it from all others.
 */
export function readLogoutToken(settings: Settings, provider: SignInProvider, token: string): Promise<EndedSessions> {
  return translated(async () => {
    if (token.length > LOGOUT_TOKEN_LENGTH_MAX) throw new ProviderError("refused", "the logout token is too long");
    const client = { client_id: provider.client_id };
    const answer = new URLSearchParams({ response: token });
    await withKeys(settings, provider, ({ metadata }, options) => {
      const { id_token_signing_alg_values_supported: algorithms } = metadata;
      const as = { ...metadata, authorization_signing_alg_values_supported: algorithms };
      return oauth.validateJwtAuthResponse(as, client, answer, oauth.expectNoState, options);
    });
    const { iss, sub, sid, iat } = LogoutClaims.parse(claimsOf(token));
    return { issuer: iss, subject: sub, sid, at: iat * 1000 };
  });
}

/** Of a token whose signature holds. */
function claimsOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

/** `over`: the provider gives nothing more for this refresh token. */
export type Refreshed = { kind: "over" } | { kind: "goes_on"; is_active: boolean; tokens: ProviderTokens };

/** Asks whether a session goes on. Throws a ProviderError where the provider does not say. */
export function refreshAtProvider(
  settings: Settings,
  provider: SignInProvider,
  { tokens: before, subject }: { tokens: ProviderTokens; subject: string },
): Promise<Refreshed> {
  return translated(async () => {
    if (before.refresh_token === null) throw new ProviderError("refused", "there is no refresh token");
    const found = await knownOf(settings, provider);
    const { metadata: as } = found;
    const client: oauth.Client = { client_id: provider.client_id };
    const options = optionsOf(settings, found);
    const authenticate = clientAuthOf(provider, as);
    const response = await oauth.refreshTokenGrantRequest(as, client, authenticate, before.refresh_token, options);
    let tokens: oauth.TokenEndpointResponse;
    try {
      tokens = await oauth.processRefreshTokenResponse(as, client, response);
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && error.error === "invalid_grant") return { kind: "over" };
      throw error;
    }
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (claims !== undefined) await verifySignature(settings, provider, response);
    if (claims !== undefined && claims.sub !== subject) return { kind: "over" };
    const info =
      provider.active_claim === null || as.userinfo_endpoint === undefined
        ? {}
        : await oauth.processUserInfoResponse(
            as,
            client,
            subject,
            await oauth.userInfoRequest(as, client, tokens.access_token, options),
          );
    const { id_token, refresh_token } = tokensOf(provider, tokens, null);
    return {
      kind: "goes_on",
      is_active: isActive(provider, { ...info, ...claims }),
      tokens: {
        sid: before.sid,
        id_token: id_token ?? before.id_token,
        refresh_token: refresh_token ?? before.refresh_token,
      },
    };
  });
}

/** Where a browser signs out of the provider as well; null for one that knows no such place, or does not answer. */
export async function leaveProvider(
  settings: Settings,
  provider: SignInProvider,
  { idToken, signedOutUri }: { idToken: string | null; signedOutUri: string },
): Promise<URL | null> {
  const found = await knownOf(settings, provider).catch(() => null);
  const endpoint = found?.metadata.end_session_endpoint;
  if (endpoint === undefined || !URL.canParse(endpoint)) return null;
  const location = new URL(endpoint);
  location.searchParams.set("client_id", provider.client_id);
  location.searchParams.set("post_logout_redirect_uri", signedOutUri);
  if (idToken !== null) location.searchParams.set("id_token_hint", idToken);
  return location;
}

interface Proven {
  tokens: oauth.TokenEndpointResponse;
  claims: oauth.IDToken;
  isWanted: boolean;
}

async function userInfo(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  { tokens: { access_token }, claims, isWanted: isAsked }: Proven,
  options: Options,
): Promise<Record<string, unknown>> {
  if (!isAsked || as.userinfo_endpoint === undefined) return {};
  const response = await oauth.userInfoRequest(as, client, access_token, options);
  return oauth.processUserInfoResponse(as, client, claims.sub, response);
}

function verifySignature(settings: Settings, provider: SignInProvider, signed: Response): Promise<unknown> {
  return withKeys(settings, provider, ({ metadata }, options) =>
    oauth.validateApplicationLevelSignature(metadata, signed, options),
  );
}

/** A provider that changed its keys is asked for the new ones, now and then and not for each forged token. */
async function withKeys(
  settings: Settings,
  provider: SignInProvider,
  verify: (found: Known, options: Options) => Promise<unknown>,
): Promise<void> {
  const found = await knownOf(settings, provider);
  try {
    await verify(found, optionsOf(settings, found));
  } catch (error) {
    const isUnknownKey = error instanceof oauth.OperationProcessingError && error.code === oauth.KEY_SELECTION;
    if (!isUnknownKey || now() - found.keys_renewed_at < KEYS_AGAIN_MS) throw error;
    known.delete(provider.issuer);
    const renewed = await knownOf(settings, provider);
    renewed.keys_renewed_at = now();
    await verify(renewed, optionsOf(settings, renewed));
  }
}

function clientAuthOf({ client_secret }: SignInProvider, as: oauth.AuthorizationServer): oauth.ClientAuth {
  if (client_secret === "") return oauth.None();
  const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(client_secret)
    : oauth.ClientSecretPost(client_secret);
}

async function knownOf(settings: Settings, provider: SignInProvider): Promise<Known> {
  const before = known.get(provider.issuer);
  if (before && now() - before.fetched_at < METADATA_MS) return before;
  const metadata = provider.kind === "github" ? githubMetadata(provider) : await discover(settings, provider.issuer);
  const found = { metadata, keys: {}, fetched_at: now(), keys_renewed_at: before?.keys_renewed_at ?? 0 };
  known.set(provider.issuer, found);
  return found;
}

/** Reads afresh what the provider says of itself; GitHub says nothing. Throws a ProviderError. */
export async function testProvider(
  settings: Settings,
  { kind, issuer }: Pick<SignInProvider, "kind" | "issuer">,
): Promise<void> {
  if (kind === "github") return;
  const { authorization_endpoint, token_endpoint, jwks_uri } = await discover(settings, issuer);
  const missing = Object.entries({ authorization_endpoint, token_endpoint, jwks_uri }).find(([, url]) => !url);
  if (missing) throw new ProviderError("refused", `its discovery has no ${missing[0]}`);
  known.delete(issuer);
}

/** What a provider says of itself; its own name for itself has to be the issuer that was asked for. */
export function discover(settings: Settings, issuer: string): Promise<oauth.AuthorizationServer> {
  return translated(async () => {
    const url = new URL(issuer);
    const response = await oauth.discoveryRequest(url, { algorithm: "oidc", ...optionsOf(settings, undefined) });
    return oauth.processDiscoveryResponse(url, response);
  });
}

interface Options {
  [oauth.customFetch]: (
    url: string,
    init: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
  ) => Promise<Response>;
  [oauth.allowInsecureRequests]: boolean;
  [oauth.jwksCache]?: oauth.JWKSCacheInput;
}

/** Which addresses may be reached, and whether without https, the guard decides. */
export function optionsOf(settings: Settings, found: Pick<Known, "keys"> | undefined): Options {
  return {
    [oauth.customFetch]: (url, { method, headers, body }) =>
      request(settings, url, { method, headers, body: body?.toString() ?? null }),
    [oauth.allowInsecureRequests]: true,
    ...(found ? { [oauth.jwksCache]: found.keys } : {}),
  };
}

async function request(
  settings: Settings,
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string | null },
): Promise<Response> {
  const { response } = await egressOf(settings).guardedFetch(new URL(url), {
    method,
    headers: { ...headers, "user-agent": "Vigil" },
    body,
    purpose: "delivery",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { status } = response;
  return new Response(await readBounded(response), { status, headers: response.headers });
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > ANSWER_BYTES_MAX) throw new ProviderError("unreachable", "its answer is too large");
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function githubMetadata({ issuer }: SignInProvider): oauth.AuthorizationServer {
  const base = issuer.replace(/\/$/, "");
  return {
    issuer: `${base}/login/oauth`,
    authorization_endpoint: `${base}/login/oauth/authorize`,
    token_endpoint: `${base}/login/oauth/access_token`,
    token_endpoint_auth_methods_supported: ["client_secret_post"],
  };
}

const GithubUser = z.object({ id: z.int().positive(), login: z.string(), name: z.string().nullish() });
const GithubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** https://docs.github.com/en/rest/users: GitHub speaks OAuth without ID tokens. An id outlives every change of name. */
async function githubIdentity(
  settings: Settings,
  provider: SignInProvider,
  accessToken: string,
): Promise<ProvenIdentity> {
  const base = provider.issuer.replace(/\/$/, "");
  const api = base === "https://github.com" ? "https://api.github.com" : `${base}/api/v3`;
  const headers = { authorization: `Bearer ${accessToken}`, accept: "application/vnd.github+json" };
  const read = async (path: string): Promise<unknown> => {
    const response = await request(settings, api + path, { method: "GET", headers, body: null });
    if (!response.ok) throw new ProviderError("refused", `${path} answered HTTP ${response.status}`);
    return response.json();
  };
  const user = GithubUser.parse(await read("/user"));
  const emails = GithubEmails.parse(await read("/user/emails"));
  const email = emails.find(({ primary, verified }) => primary && verified)?.email ?? null;
  const who = { issuer: provider.issuer, subject: String(user.id), email, name: user.name ?? user.login };
  return { ...who, is_active: true, groups: [], session: NO_TOKENS };
}

/** Any failure counts as an error of the provider. */
export async function translated<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    const message = error instanceof Error ? error.message : "unknown";
    if (error instanceof oauth.AuthorizationResponseError) {
      throw new ProviderError("cancelled", `it answered ${error.error}`, { cause: error });
    }
    const isAway = error instanceof IoFault || (error instanceof Error && error.name === "TimeoutError");
    throw new ProviderError(isAway ? "unreachable" : "refused", message, { cause: error });
  }
}
