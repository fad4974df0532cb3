import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { IoFault } from "../lib/io-fault.ts";

/** PostgreSQL uses 4096 by default. More than this would let a server burn our time. */
const ITERATIONS_MAX = 50_000;

/** Login by SCRAM-SHA-256 without channel binding: RFC 5802, RFC 7677. The user name stays empty for PostgreSQL. */
export function scramClient({ username, password, nonce }: { username: string; password: string; nonce: string }) {
  const firstBare = `n=${username.replaceAll("=", "=3D").replaceAll(",", "=2C")},r=${nonce}`;
  let expectedSignature = "";

  return {
    first: `n,,${firstBare}`,

    /** The answer to the server's first message. */
    final(serverFirst: string): string {
      // Once only, because each answer costs us as much as the server likes.
      if (expectedSignature !== "") throw new IoFault("protocol", "the server repeats its login challenge");
      const { r: serverNonce = "", s: salt = "", i: iterationsText = "" } = attributesOf(serverFirst);
      const iterations = Number(iterationsText);
      if (!serverNonce.startsWith(nonce) || serverNonce === nonce || salt === "" || !(iterations >= 1)) {
        throw new IoFault("protocol", "the server's login challenge is not valid");
      }
      if (iterations > ITERATIONS_MAX) throw new IoFault("unsupported", "the server's login challenge is too costly");
      const salted = pbkdf2Sync(password.normalize("NFKC"), Buffer.from(salt, "base64"), iterations, 32, "sha256");
      const withoutProof = `c=biws,r=${serverNonce}`;
      const signed = `${firstBare},${serverFirst},${withoutProof}`;
      const clientKey = hmac(salted, "Client Key");
      const signature = hmac(createHash("sha256").update(clientKey).digest(), signed);
      const proof = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0));
      expectedSignature = hmac(hmac(salted, "Server Key"), signed).toString("base64");
      return `${withoutProof},p=${Buffer.from(proof).toString("base64")}`;
    },

    /** Throws unless the server knows the password too. */
    verify(serverFinal: string): void {
      if (expectedSignature === "" || attributesOf(serverFinal).v !== expectedSignature) {
        throw new IoFault("protocol", "the server could not prove that it knows the password");
      }
    },
  };
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function attributesOf(message: string): Record<string, string> {
  return Object.fromEntries(message.split(",").map((part) => [part.slice(0, 1), part.slice(2)]));
}
