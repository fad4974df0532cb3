import * as oauth from "oauth4webapi";
import { z } from "zod";
import type { SignInProvider } from "../contract/sign-in.ts";
import {
  ANSWER_BYTES_MAX,
  clientAuthOf,
  knownOf,
  type Options,
  optionsOf,
  ProviderError,
  request,
  SUBJECT_LENGTH_MAX,
  translated,
  verifySignature,
} from "./provider-requests.ts";
import { isActive, NO_TOKENS, type ProviderTokens, tokensOf } from "./provider-sessions.ts";
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
