import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Of a header; each costs a comparison. */
const SIGNATURES_MAX = 10;

/**
 * Discord signs timestamp and body with Ed25519
 * (https://discord.com/developers/docs/interactions/overview#setting-up-an-endpoint-validating-security-request-headers).
 */
export async function isSignedByDiscord(
  publicKey: string,
  { signature, timestamp, body }: { signature: string; timestamp: string; body: Uint8Array },
): Promise<boolean> {
  if (publicKey === "" || !/^[0-9a-f]{128}$/i.test(signature)) return false;
  const key = await crypto.subtle.importKey("raw", bytesOf(publicKey), { name: "Ed25519" }, false, ["verify"]);
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  return crypto.subtle.verify({ name: "Ed25519" }, key, bytesOf(signature), signed);
}

/**
 * Twilio signs the whole address and every field of the form, by name
 * (https://www.twilio.com/docs/usage/security#validating-requests).
 */
export function isSignedByTwilio(
  authToken: string,
  { signature, url, form }: { signature: string; url: string; form: URLSearchParams },
): boolean {
  if (authToken === "" || signature === "") return false;
  const names = [...new Set(form.keys())].sort();
  const fields = names.flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => `${name}${value}`));
  const expected = createHmac("sha1", authToken)
    .update(`${url}${fields.join("")}`)
    .digest("base64");
  return isSameSecret(expected, signature);
}

/** Slack signs its version, the time and the body (https://docs.slack.dev/authentication/verifying-requests-from-slack). */
export function isSignedBySlack(
  secret: string,
  { signature, timestamp, body }: { signature: string; timestamp: string; body: Uint8Array },
): boolean {
  if (secret === "") return false;
  const expected = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex")}`;
  return isSameSecret(expected, signature);
}

/**
 * PagerDuty signs the body, while a secret is changed by both
 * (https://developer.pagerduty.com/docs/verifying-webhook-signatures).
 */
export function isSignedByPagerDuty(
  secret: string,
  { signatures, body }: { signatures: string; body: Uint8Array },
): boolean {
  if (secret === "") return false;
  const expected = `v1=${createHmac("sha256", secret).update(body).digest("hex")}`;
  return signatures
    .split(",", SIGNATURES_MAX)
    .map((signature) => isSameSecret(expected, signature.trim()))
    .includes(true);
}

/** Sentry signs the body (https://docs.sentry.io/integrations/integration-platform/webhooks/#sentry-hook-signature). */
export function isSignedBySentry(
  secret: string,
  { signature, body }: { signature: string; body: Uint8Array },
): boolean {
  if (secret === "") return false;
  return isSameSecret(createHmac("sha256", secret).update(body).digest("hex"), signature);
}

/** Both are hashed first, so that neither their length nor their content shows in the time this takes. */
export function isSameSecret(expected: string, given: string): boolean {
  return expected !== "" && timingSafeEqual(digestOf(expected), digestOf(given));
}

const digestOf = (text: string) => createHash("sha256").update(text).digest();
const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
