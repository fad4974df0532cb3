import { computeTotpStep, decodeBase32 } from "../../src/domain/totp.ts";
import { computeTotpCode } from "../../src/platform/totp.ts";

/** What the authenticator app shows, so many steps of 30 seconds from now. */
export function codeOf(secret: string, steps = 0): string {
  return computeTotpCode(decodeBase32(secret) ?? new Uint8Array(), computeTotpStep(Date.now()) + steps);
}
