import { createHash } from "node:crypto";
import { isProof, prove } from "./root-keys.ts";

/**
 * How the operator's own commands prove that they hold the root secret: `time.nonce.digest.proof`, which covers the
 * method, the path and the body. No account has such a credential, and none can be made of one.
 */
export const OPERATOR_HEADER = "X-Vigil-Operator";
/** Between the clocks of the operator's machine and of the service, and until a request arrives. */
export const OPERATOR_VALID_MS = 5 * 60_000;

const FORM = /^(\d{13})\.([A-Za-z0-9_-]{16,64})\.([0-9a-f]{64})\.([A-Za-z0-9_-]{43})$/;

export interface OperatorRequest {
  method: string;
  path: string;
}

interface SignedRequest extends OperatorRequest {
  body: string;
  now: number;
  nonce: string;
}

export const digestOfBody = (body: string | Uint8Array) => createHash("sha256").update(body).digest("hex");

export function signOperatorRequest(rootSecret: string, { body, now, nonce, ...request }: SignedRequest): string {
  const signed = { time: String(now), nonce, digest: digestOfBody(body) };
  return `${signed.time}.${nonce}.${signed.digest}.${prove(rootSecret, proofOf(request, signed))}`;
}

export interface OperatorClaim {
  nonce: string;
  /** SHA-256 of the body that was signed. */
  digest: string;
}

/** The claim of a header that was signed under a root key a short while ago; null for anything else. */
export function readOperatorClaim(
  rootSecret: string,
  request: OperatorRequest & { header: string | null; now: number },
): OperatorClaim | null {
  const [, time = "", nonce = "", digest = "", proof = ""] = FORM.exec(request.header ?? "") ?? [];
  if (proof === "" || Math.abs(request.now - Number(time)) > OPERATOR_VALID_MS) return null;
  return isProof(rootSecret, proof, proofOf(request, { time, nonce, digest })) ? { nonce, digest } : null;
}

function proofOf({ method, path }: OperatorRequest, { time, nonce, digest }: OperatorClaim & { time: string }) {
  return { purpose: "operator request", text: [method, path, time, nonce, digest].join("\n"), length: 43 };
}
