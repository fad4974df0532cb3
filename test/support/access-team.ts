import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import type { Sink } from "./sink.ts";

const ISSUER = "https://works.cloudflareaccess.com";
export const ACCESS_CERTS = `${ISSUER}/cdn-cgi/access/certs`;

type Claims = Record<string, unknown>;
type Header = Record<string, unknown>;

/** The team whose Access stands in front of the service. */
export interface AccessTeam {
  /** What Access puts into a request of somebody; undefined leaves a claim out. */
  assert(claims: Claims, header?: Header): Promise<string>;
  /** Signs with another key under the same id, which is not published. */
  forge(claims: Claims): Promise<string>;
  /** The published key, as somebody could misuse it as a secret. */
  publicKey(): string;
  /** Signs with a new key from now on, and publishes it beside the one before. */
  rotate(): Promise<void>;
}

export const createAccessTeam = (sink: Sink): Promise<AccessTeam> =>
  createSigner(sink, ACCESS_CERTS, () => {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, nbf: now, exp: now + 86_400 };
    return { iss: ISSUER, aud: ["vigil-audience"], ...times, type: "app", identity_nonce: "6ei69kawdKzMIAPF" };
  });

/** What signs statements with keys that it publishes there; a statement has these claims unless it says otherwise. */
export async function createSigner(
  sink: Sink,
  keysAt: string,
  usual: () => Claims,
  privateJwk?: JWK,
): Promise<AccessTeam> {
  let key = privateJwk === undefined ? await makeKey("first") : await importKey(privateJwk);
  const keys = [key.jwk];
  sink.serve(keysAt, () => Response.json({ keys, public_certs: [] }));
  const sign = (privateKey: CryptoKey, claims: Claims, header: Header = {}) => {
    return new SignJWT({ ...usual(), ...claims })
      .setProtectedHeader({ alg: "RS256", kid: key.jwk.kid, typ: "JWT", ...header })
      .sign(privateKey);
  };
  return {
    assert: (claims, header) => sign(key.privateKey, claims, header),
    forge: async (claims) => sign((await makeKey("first")).privateKey, claims),
    publicKey: () => JSON.stringify(key.jwk),
    rotate: async () => {
      key = await makeKey(crypto.randomUUID());
      keys.push(key.jwk);
    },
  };
}

async function makeKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  return { privateKey, jwk: published(await exportJWK(publicKey), kid) };
}

async function importKey(privateJwk: JWK) {
  const privateKey = await importJWK(privateJwk, "RS256");
  if (privateKey instanceof Uint8Array) throw new Error("not a key of RSA");
  const { kty, n, e } = privateJwk;
  return { privateKey, jwk: published({ kty, n, e }, "first") };
}

const published = (jwk: JWK, kid: string) => ({ ...jwk, kid, alg: "RS256", use: "sig" });
