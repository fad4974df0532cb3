import { newId } from "../../src/platform/ids.ts";
import { type AccessTeam, createSigner } from "./access-team.ts";
import key from "./github-actions-key.json";
import type { Sink } from "./sink.ts";

const ISSUER = "https://token.actions.githubusercontent.com";

/**
 * What GitHub says of this job. Its key is the same in every file of tests, because the Worker that they share remembers the
 * keys of an issuer.
 */
export const createGitHub = (sink: Sink, sub: string, job: Record<string, string>): Promise<AccessTeam> => {
  const claims = () => {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, nbf: now - 10, exp: now + 300 };
    return { iss: ISSUER, aud: "http://vigil.test", sub, ...times, jti: newId(), ...job };
  };
  return createSigner(sink, `${ISSUER}/.well-known/jwks`, claims, key);
};
