import * as oauth from "oauth4webapi";
import type { SignInProvider } from "../contract/sign-in.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { IoFault } from "../lib/io-fault.ts";
import { now } from "./clock.ts";
import { egressOf } from "./egress/guard.ts";
import type { Settings } from "./settings.ts";

/** The provider or its answer cannot be used. `reason` is for the person, `message` for the operator. */
export class ProviderError extends Error {
  readonly reason: "cancelled" | "unreachable" | "refused";
  constructor(reason: ProviderError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const TIMEOUT_MS = 10_000;
export const ANSWER_BYTES_MAX = 256 * 1024;
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

export async function knownOf(settings: Settings, provider: SignInProvider): Promise<Known> {
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

export interface Options {
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

export async function request(
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

export function clientAuthOf({ client_secret }: SignInProvider, as: oauth.AuthorizationServer): oauth.ClientAuth {
  if (client_secret === "") return oauth.None();
  const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(client_secret)
    : oauth.ClientSecretPost(client_secret);
}

export function verifySignature(settings: Settings, provider: SignInProvider, signed: Response): Promise<unknown> {
  return withKeys(settings, provider, ({ metadata }, options) =>
    oauth.validateApplicationLevelSignature(metadata, signed, options),
  );
}

/** A provider that changed its keys is asked for the new ones, now and then and not for each forged token. */
export async function withKeys(
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
