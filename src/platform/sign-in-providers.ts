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
}

/** The provider or its answer cannot be used. `reason` is for the person, `message` for the operator. */
export class ProviderError extends Error {
  readonly reason: "cancelled" | "unreachable" | "refused";
  constructor(reason: ProviderError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

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
    scope: isOidc ? "openid email profile" : "read:user user:email",
    state: attempt.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: "S256",
    ...(isOidc ? { nonce: attempt.nonce } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
  return { location, attempt };
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
    return oidcIdentity(provider, { ...(await userInfo(as, client, tokens, claims, options)), ...claims });
  });
}

const IdClaims = z.object({
  iss: z.string().max(ANSWER_BYTES_MAX),
  sub: z.string().min(1).max(SUBJECT_LENGTH_MAX),
  email: z.string().optional().catch(undefined),
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});

function oidcIdentity(provider: SignInProvider, claims: unknown): ProvenIdentity {
  const { iss, sub, email, email_verified, name } = IdClaims.parse(claims);
  const isVerified = email_verified ?? provider.trusts_addresses;
  return { issuer: iss, subject: sub, email: isVerified && email ? email : null, name: name ?? null };
}

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
const LogoutClaims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(SUBJECT_LENGTH_MAX),
  iat: z.number(),
  nonce: z.never().optional(),
  events: z.object({ [LOGOUT_EVENT]: z.object({}) }),
});
const LOGOUT_TOKEN_LENGTH_MAX = 8192;

/**
 * Whose sessions a provider says are over, of those that began before `at`. OpenID Connect Back-Channel Logout 1.0: the token
 * has the claims and the signature of an ID token, so it is judged as one; its event distinguishes the two.
 */
export function readLogoutToken(
  settings: Settings,
  provider: SignInProvider,
  token: string,
): Promise<{ issuer: string; subject: string; at: number }> {
  return translated(async () => {
    if (token.length > LOGOUT_TOKEN_LENGTH_MAX) throw new ProviderError("refused", "the logout token is too long");
    const { metadata } = await knownOf(settings, provider);
    const answer = Response.json({ access_token: "none", token_type: "bearer", id_token: token });
    const client = { client_id: provider.client_id };
    const tokens = await oauth.processAuthorizationCodeResponse(metadata, client, answer, { requireIdToken: true });
    await verifySignature(settings, provider, answer);
    const { iss, sub, iat } = LogoutClaims.parse(oauth.getValidatedIdTokenClaims(tokens));
    return { issuer: iss, subject: sub, at: iat * 1000 };
  });
}

/** Many providers put the address there alone. */
async function userInfo(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  { access_token }: oauth.TokenEndpointResponse,
  claims: oauth.IDToken,
  options: Options,
): Promise<Record<string, unknown>> {
  if (claims.email !== undefined || as.userinfo_endpoint === undefined) return {};
  const response = await oauth.userInfoRequest(as, client, access_token, options);
  return oauth.processUserInfoResponse(as, client, claims.sub, response);
}

/** A provider that changed its keys is asked for the new ones, now and then and not for each forged token. */
async function verifySignature(settings: Settings, provider: SignInProvider, signed: Response): Promise<void> {
  const found = await knownOf(settings, provider);
  try {
    await oauth.validateApplicationLevelSignature(found.metadata, signed, optionsOf(settings, found));
  } catch (error) {
    const isUnknownKey = error instanceof oauth.OperationProcessingError && error.code === oauth.KEY_SELECTION;
    if (!isUnknownKey || now() - found.keys_renewed_at < KEYS_AGAIN_MS) throw error;
    known.delete(provider.issuer);
    const renewed = await knownOf(settings, provider);
    renewed.keys_renewed_at = now();
    await oauth.validateApplicationLevelSignature(renewed.metadata, signed, optionsOf(settings, renewed));
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
  return { issuer: provider.issuer, subject: String(user.id), email, name: user.name ?? user.login };
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
