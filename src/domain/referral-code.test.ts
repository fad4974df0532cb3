import { describe, expect, it } from "vitest";
import { parseReferralCode, referralCodeOf } from "./referral-code.ts";

describe("a referral code", () => {
  it.each([
    "00000000-0000-0000-0000-000000000000",
    "0192f3a4-7b6c-7def-8123-456789abcdef",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
  ])("of %s is 22 letters and digits, and names that user alone", (userId) => {
    const code = referralCodeOf(userId);
    expect(code).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(parseReferralCode(code)).toBe(userId);
  });

  it.each([
    ["too short", "0"],
    ["too long", "0".repeat(23)],
    ["another alphabet", "-".repeat(22)],
    ["more than 128 bits", "z".repeat(22)],
  ])("is refused when it is %s", (_name, code) => {
    expect(parseReferralCode(code)).toBeNull();
  });
});
