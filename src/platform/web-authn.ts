import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { decodeAttestationObject, isoBase64URL } from "@simplewebauthn/server/helpers";
import type { PasskeyAssertion, PasskeyAttestation } from "../contract/passkey.ts";

/** The part that verifies what passkeys sign, apart because of its size: only requests that need it load it. */
export interface Expected {
  origin: string;
  rp_id: string;
  isChallenge(challenge: string): boolean;
}

interface StoredKey {
  credential_id: string;
  public_key: string;
  counter: number;
}

/** The counter of the signature. Throws where it is not that of the key for this place, by a verified person. */
export async function verifyAssertion(
  { id, rawId, type, response }: PasskeyAssertion,
  key: StoredKey,
  { origin, rp_id, isChallenge }: Expected,
): Promise<number> {
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId,
      type,
      clientExtensionResults: {},
      response: { clientDataJSON, authenticatorData, signature },
    },
    expectedChallenge: isChallenge,
    expectedOrigin: origin,
    expectedRPID: rp_id,
    requireUserVerification: true,
    // The caller that stores it judges a lower one.
    credential: { id: key.credential_id, publicKey: isoBase64URL.toBuffer(key.public_key), counter: -1 },
  });
  if (!verified) throw new Error("the signature is not that of the passkey");
  return authenticationInfo.newCounter;
}

/** The new key. Throws where it was not made for this place, by a verified person. */
export async function verifyAttestation(
  { id, rawId, type, response }: PasskeyAttestation,
  { origin, rp_id, isChallenge }: Expected,
): Promise<StoredKey> {
  const { clientDataJSON, attestationObject } = response;
  requireNoCertificates(attestationObject);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { id, rawId, type, clientExtensionResults: {}, response: { clientDataJSON, attestationObject } },
    expectedChallenge: isChallenge,
    expectedOrigin: origin,
    expectedRPID: rp_id,
    requireUserVerification: true,
  });
  if (!verified || !registrationInfo) throw new Error("the passkey is not verified");
  const { credential } = registrationInfo;
  return {
    credential_id: credential.id,
    public_key: isoBase64URL.fromBuffer(credential.publicKey),
    counter: credential.counter,
  };
}

/**
 * None are asked for: who made the device does not matter here. Judging certificates would fetch lists from addresses that
 * they name, past the egress guard.
 */
function requireNoCertificates(attestationObject: string): void {
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = decoded.get("fmt");
  if (format === "none" || (format === "packed" && !decoded.get("attStmt").get("x5c"))) return;
  throw new Error("the passkey comes with certificates, which were not asked for");
}
