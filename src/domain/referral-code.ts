const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CODE_LENGTH = 22;
const UUID_BITS = 128n;

/** The id of a user in base 62: short enough for an address, and it needs no table to be read back. */
export function referralCodeOf(userId: string): string {
  let rest = BigInt(`0x${userId.replaceAll("-", "")}`);
  let code = "";
  while (code.length < CODE_LENGTH) {
    code = BASE62.charAt(Number(rest % 62n)) + code;
    rest /= 62n;
  }
  return code;
}

/** Returns the id of the user, or null for a text that is no code. */
export function parseReferralCode(code: string): string | null {
  if (code.length !== CODE_LENGTH) return null;
  let value = 0n;
  for (const letter of code) {
    const digit = BASE62.indexOf(letter);
    if (digit < 0) return null;
    value = value * 62n + BigInt(digit);
  }
  if (value >> UUID_BITS !== 0n) return null;
  const hex = value.toString(16).padStart(32, "0");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
