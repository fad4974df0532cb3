/**
 * Time-based one-time codes (RFC 6238: SHA-1, 30 s, 6 digits, as every authenticator app has them) without the MAC, which
 * platform/totp.ts computes. A code is accepted one step before and after its own, because clocks of phones differ.
 */
const STEP_MS = 30_000;
const DIGITS = 6;
const STEPS_AROUND = 1;
export const TOTP_SECRET_BYTES = 20;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function computeTotpStep(now: number): number {
  return Math.floor(now / STEP_MS);
}

/**
 * The steps whose codes are accepted now. Choice: no code of a step before the last used one is accepted either, so that
 * one number per account proves that each code works once.
 */
export function listAcceptedSteps(now: number, lastUsedStep: number | null): number[] {
  const current = computeTotpStep(now);
  const steps = Array.from({ length: 2 * STEPS_AROUND + 1 }, (_, n) => current - STEPS_AROUND + n);
  return steps.filter((step) => step >= 0 && step > (lastUsedStep ?? -1));
}

/** The counter as RFC 4226 hashes it: eight bytes, the highest first. */
export function encodeCounter(step: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(step));
  return bytes;
}

/** The code that a MAC of 20 bytes stands for (RFC 4226, 5.3). */
export function truncateMac(mac: Uint8Array, digits = DIGITS): string {
  const view = new DataView(mac.buffer, mac.byteOffset, mac.byteLength);
  const offset = view.getUint8(mac.byteLength - 1) & 0x0f;
  const number = view.getUint32(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** RFC 4648 without padding, which authenticator apps expect. */
export function encodeBase32(bytes: Uint8Array): string {
  let [text, buffer, bits] = ["", 0, 0];
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(buffer >>> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + BASE32[(buffer << (5 - bits)) & 31];
}

/** Undefined for what is no base32; spaces, lower case and padding are accepted. */
export function decodeBase32(text: string): Uint8Array | undefined {
  const digits = text.replace(/\s/g, "").replace(/=+$/, "").toUpperCase();
  const bytes: number[] = [];
  let [buffer, bits] = [0, 0];
  for (const digit of digits) {
    const value = BASE32.indexOf(digit);
    if (value === -1) return undefined;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >>> bits) & 0xff);
  }
  return new Uint8Array(bytes);
}

/** What an authenticator app reads from the QR code (the Key Uri Format of Google Authenticator). */
export function buildOtpauthUrl({
  issuer,
  account,
  secret,
}: {
  issuer: string;
  account: string;
  secret: string;
}): string {
  // The colon separates issuer and account, so that neither may contain one.
  const label = [issuer, account].map((part) => encodeURIComponent(part.replaceAll(":", " "))).join(":");
  const query = `secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
  return `otpauth://totp/${label}?${query}`;
}

/** What a person typed as the second factor. */
export type SecondFactor = { kind: "totp"; code: string } | { kind: "recovery"; code: string };

/** Digits that look like letters are read as in Crockford's base32, in which recovery codes are written. */
const LOOKALIKES: Readonly<Record<string, string>> = { o: "0", i: "1", l: "1" };
const RECOVERY_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const RECOVERY_BYTES_PER_CODE = 10;
const RECOVERY_CODE_LENGTH = 16;
export const RECOVERY_CODE_COUNT = 10;
export const RECOVERY_BYTES = RECOVERY_CODE_COUNT * RECOVERY_BYTES_PER_CODE;

/** Undefined for what is neither kind of code; spaces, hyphens and case do not matter. */
export function parseSecondFactor(text: string): SecondFactor | undefined {
  const typed = text.replace(/[\s-]/g, "").toLowerCase();
  if (/^\d{6}$/.test(typed)) return { kind: "totp", code: typed };
  const code = [...typed].map((char) => LOOKALIKES[char] ?? char).join("");
  const isRecovery =
    code.length === RECOVERY_CODE_LENGTH && [...code].every((char) => RECOVERY_ALPHABET.includes(char));
  return isRecovery ? { kind: "recovery", code } : undefined;
}

/** Ten codes of 80 random bits each, out of RECOVERY_BYTES bytes, as `parseSecondFactor` gives them. */
export function buildRecoveryCodes(random: Uint8Array): string[] {
  if (random.length !== RECOVERY_BYTES) throw new RangeError(`recovery codes need ${RECOVERY_BYTES} random bytes`);
  return Array.from({ length: RECOVERY_CODE_COUNT }, (_, n) => {
    const bytes = random.subarray(n * RECOVERY_BYTES_PER_CODE, (n + 1) * RECOVERY_BYTES_PER_CODE);
    return [...encodeBase32(bytes)].map((digit) => RECOVERY_ALPHABET[BASE32.indexOf(digit)]).join("");
  });
}

/** As it is shown: `0000-0000-0000-0000`. */
export function formatRecoveryCode(code: string): string {
  return code.match(/.{4}/g)?.join("-") ?? code;
}
