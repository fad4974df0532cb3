import * as oauth from "oauth4webapi";
import { z } from "zod";
import { type AccessProvider, accessIssuerOf } from "../contract/sign-in.ts";
import { optionsOf, ProviderError, SUBJECT_LENGTH_MAX, translated } from "./provider-requests.ts";
import { NO_TOKENS } from "./provider-sessions.ts";
import type { Settings } from "./settings.ts";
import type { ProvenIdentity } from "./sign-in-providers.ts";

const HEADER = "Cf-Access-Jwt-Assertion";
/** Cookies carry the same assertion, and have 4096 bytes at most. */
const ASSERTION_LENGTH_MAX = 8192;

/** A person: service tokens have a `common_name`, and neither subject nor address. */
const PersonClaims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(SUBJECT_LENGTH_MAX),
  email: z.string().min(1),
  common_name: z.never().optional(),
});

/** Plain data by issuer, as this isolate has received it. */
const known = new Map<string, oauth.JWKSCacheInput>();

/** Null where the operator set up no Cloudflare Access. */
export function accessProviderOf({ ACCESS_TEAM, ACCESS_AUDIENCE, ACCESS_DOMAINS }: Settings): AccessProvider | null {
  if (ACCESS_TEAM === "") return null;
  const issuer = accessIssuerOf(ACCESS_TEAM);
  return {
    id: "access",
    kind: "access",
    name: "Cloudflare Access",
    issuer,
    audience: ACCESS_AUDIENCE,
    account_domains: ACCESS_DOMAINS,
  };
}

/** What Access put into the request; it may be forged. */
export function assertionOf(request: Request): string | null {
  return request.headers.get(HEADER);
}

/** Whether Access is set up and the request carries what it says. */
export function hasAssertion(settings: Settings, request: Request): boolean {
  return accessProviderOf(settings) !== null && assertionOf(request) !== null;
}

/** Where a browser signs out of every application of the team. */
export function accessLogoutOf({ issuer }: AccessProvider): string {
  return `${issuer}/cdn-cgi/access/logout`;
}

/** Whom Access says to have let through. Throws a ProviderError for everything that is not wholly right. */
export function readAccessIdentity(
  settings: Settings,
  { issuer, audience }: AccessProvider,
  assertion: string | null,
): Promise<ProvenIdentity> {
  return translated(async () => {
    if (assertion === null) throw new ProviderError("refused", "no assertion");
    if (assertion.length > ASSERTION_LENGTH_MAX) throw new ProviderError("refused", "the assertion is too long");
    const signed = { issuer, audience, assertion, jwks_uri: `${issuer}/cdn-cgi/access/certs` };
    const { iss, sub, email } = PersonClaims.parse(await readSigned(settings, signed));
    return { issuer: iss, subject: sub, email, name: null, is_active: true, groups: [], session: NO_TOKENS };
  });
}

/** While the keys cannot be read, an assertion is neither right nor wrong. */
function keyOptions(settings: Settings, keys: oauth.JWKSCacheInput): ReturnType<typeof optionsOf> {
  const options = optionsOf(settings, { keys });
  return {
    ...options,
    [oauth.customFetch]: async (url, init) => {
      const response = await options[oauth.customFetch](url, init).catch((cause: unknown) => {
        throw new ProviderError("unreachable", cause instanceof Error ? cause.message : "unknown", { cause });
      });
      if (response.ok) return response;
      throw new ProviderError("unreachable", `the keys answered HTTP ${response.status}`);
    },
  };
}

/**
 * Of this issuer, for this audience, signed by its keys, in time. An assertion has the claims and the signature of an ID
 * token, so it is judged as the one of such an answer.
 */
export async function readSigned(
  settings: Settings,
  { issuer, jwks_uri, audience, assertion }: { issuer: string; jwks_uri: string; audience: string; assertion: string },
): Promise<unknown> {
  const metadata: oauth.AuthorizationServer = {
    issuer,
    jwks_uri,
    id_token_signing_alg_values_supported: ["RS256"],
  };
  const answer = Response.json({ access_token: "none", token_type: "bearer", id_token: assertion });
  const tokens = await oauth.processAuthorizationCodeResponse(metadata, { client_id: audience }, answer, {
    requireIdToken: true,
  });
  // A copy, because the library binds imported keys to it, which no other request may wait for.
  const keys = structuredClone(known.get(issuer) ?? {});
  try {
    await oauth.validateApplicationLevelSignature(metadata, answer, keyOptions(settings, keys));
  } finally {
    known.set(issuer, keys);
  }
  return oauth.getValidatedIdTokenClaims(tokens);
}
