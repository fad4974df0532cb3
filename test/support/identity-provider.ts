import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import type { Received, Sink } from "./sink.ts";

type Claims = JWTPayload & Record<string, unknown>;

export interface IdentityProvider {
  issuer: string;
  /** What it says of the next user. */
  user: Claims;
  /** Instead of what belongs in the next ID token; undefined leaves a claim out. */
  claims: Claims;
  /** Instead of what belongs in its own description. */
  metadata: Record<string, unknown>;
  /** What it answers to a refresh token; by itself it goes on with another one. */
  refresh: ((token: string) => Response | Promise<Response>) | null;
  /** What it says of people where they are asked for apart. */
  userInfo: Record<string, unknown>;
  /** Signs with a key of another id from now on, and publishes it alone. */
  rotate(): Promise<void>;
  /** Signs with a key that it does not publish. */
  forge(): Promise<void>;
  /** Signs with the key that it publishes again. */
  heal(): void;
  /** What it sends when it ended the sessions of its user, with other claims where a test wants them. */
  logoutToken(claims?: Claims): Promise<string>;
  /** Answers as the user's browser brings it back: to what was asked at `location`. */
  authorize(location: string): URL;
}

/** A provider of OpenID Connect that lies where a test wants it to. */
export async function createIdentityProvider(sink: Sink, issuer: string): Promise<IdentityProvider> {
  let key = await makeKey("first");
  let published = key;
  const asked = new Map<string, { nonce: string; challenge: string; redirect_uri: string }>();
  const provider: IdentityProvider = {
    issuer,
    user: { sub: "ada" },
    claims: {},
    metadata: {},
    refresh: null,
    userInfo: {},
    rotate: async () => {
      key = await makeKey(crypto.randomUUID());
      published = key;
    },
    forge: async () => {
      key = await makeKey(published.kid);
    },
    heal: () => {
      key = published;
    },
    logoutToken: (claims = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
      const { sub } = provider.user;
      const said = { iss: issuer, aud: "vigil", iat: now, exp: now + 120, jti: crypto.randomUUID(), sub, events };
      return new SignJWT({ ...said, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: key.kid, typ: "logout+jwt" })
        .sign(key.privateKey);
    },
    authorize(location) {
      const { searchParams } = new URL(location);
      const of = (name: string) => searchParams.get(name) ?? "";
      const code = crypto.randomUUID();
      asked.set(code, { nonce: of("nonce"), challenge: of("code_challenge"), redirect_uri: of("redirect_uri") });
      const answer = new URL(of("redirect_uri"));
      for (const [name, value] of Object.entries({ code, state: of("state"), iss: issuer })) {
        answer.searchParams.set(name, value);
      }
      return answer;
    },
  };
  sink.serve(`${issuer}/`, async (request) => {
    switch (new URL(request.url).pathname.slice(new URL(issuer).pathname.length)) {
      case "/.well-known/openid-configuration":
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ["code"],
          authorization_response_iss_parameter_supported: true,
          id_token_signing_alg_values_supported: ["ES256"],
          ...provider.metadata,
        });
      case "/keys":
        return Response.json({ keys: [published.jwk] });
      case "/userinfo":
        return Response.json(provider.userInfo);
      case "/token":
        return exchange(request);
      default:
        return new Response(null, { status: 404 });
    }
  });
  return provider;

  async function exchange({ body }: Received): Promise<Response> {
    const form = new URLSearchParams(body);
    if (form.get("grant_type") === "refresh_token") {
      const answer = await provider.refresh?.(form.get("refresh_token") ?? "");
      return (
        answer ?? Response.json({ access_token: "access", token_type: "bearer", refresh_token: crypto.randomUUID() })
      );
    }
    const grant = asked.get(form.get("code") ?? "");
    asked.delete(form.get("code") ?? "");
    const isRight = grant !== undefined && grant.challenge === (await challengeOf(form.get("code_verifier") ?? ""));
    if (!isRight || form.get("redirect_uri") !== grant.redirect_uri) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: "vigil", iat: now, exp: now + 300, nonce: grant.nonce, ...provider.user };
    const id_token = await new SignJWT({ ...claims, ...provider.claims })
      .setProtectedHeader({ alg: "ES256", kid: key.kid })
      .sign(key.privateKey);
    return Response.json({ access_token: "access", token_type: "bearer", id_token, refresh_token: "first" });
  }
}

async function makeKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return Buffer.from(digest).toString("base64url");
}
