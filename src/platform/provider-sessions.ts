import * as oauth from "oauth4webapi";
import { z } from "zod";
import type { SignInProvider } from "../contract/sign-in.ts";
import {
  clientAuthOf,
  knownOf,
  optionsOf,
  ProviderError,
  SUBJECT_LENGTH_MAX,
  translated,
  verifySignature,
  withKeys,
} from "./provider-requests.ts";
import type { Settings } from "./settings.ts";

/** What a provider gives along for the time of a session. */
export interface ProviderTokens {
  sid: string | null;
  id_token: string | null;
  refresh_token: string | null;
}

export const NO_TOKENS: ProviderTokens = { sid: null, id_token: null, refresh_token: null };

/** What is longer is not kept: it would not fit into an address or a form. */
const TOKEN_LENGTH_MAX = 6000;

export function isActive({ active_claim }: SignInProvider, claims: Record<string, unknown>): boolean {
  return active_claim === null || ![false, "false"].some((value) => claims[active_claim] === value);
}

export function tokensOf(
  { refreshes_sessions }: SignInProvider,
  { id_token, refresh_token }: oauth.TokenEndpointResponse,
  sid: string | null,
): ProviderTokens {
  const bounded = (token: string | undefined) => (token && token.length <= TOKEN_LENGTH_MAX ? token : null);
  return { sid, id_token: bounded(id_token), refresh_token: refreshes_sessions ? bounded(refresh_token) : null };
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
