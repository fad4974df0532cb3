import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildOtpauthUrl,
  buildRecoveryCodes,
  decodeBase32,
  encodeBase32,
  formatRecoveryCode,
  parseSecondFactor,
} from "../domain/totp.ts";
import { computeTotpCode, createRecoveryCodes, createTotpSecret, findTotpStep, hashRecoveryCode } from "./totp.ts";

const KEY = new TextEncoder().encode("12345678901234567890");
const SECRET = encodeBase32(KEY);
const STEP = 30_000;
const codeAt = (seconds: number) => computeTotpCode(KEY, Math.floor(seconds / 30));

describe("one-time codes", () => {
  it.each([
    ...["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"].entries(),
  ])("are those of RFC 4226, appendix D: counter %i", (counter, code) => {
    expect(computeTotpCode(KEY, counter)).toBe(code);
  });

  it.each([
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ])("are those of RFC 6238, appendix B: second %i", (second, code) => {
    expect(computeTotpCode(KEY, Math.floor(second / 30), 8)).toBe(code);
    expect(codeAt(second)).toBe(code.slice(2));
  });

  const now = 1_234_567_890_000;
  const current = Math.floor(now / STEP);
  it.each([
    ["two steps ago", -2, null, undefined],
    ["one step ago", -1, null, current - 1],
    ["of now", 0, null, current],
    ["one step ahead", 1, null, current + 1],
    ["two steps ahead", 2, null, undefined],
    ["of now that was used", 0, current, undefined],
    ["of now after the one before was used", 0, current - 1, current],
    ["of the step before one that was used", -1, current, undefined],
  ])("%s are judged", (_name, offset, last_used_step, step) => {
    const code = computeTotpCode(KEY, current + offset);
    expect(findTotpStep(SECRET, code, { now, last_used_step })).toBe(step);
  });

  it.each(["", "12345", "1234567", "abcdef", "９９９９９９"])("are not %j", (code) => {
    expect(findTotpStep(SECRET, code, { now, last_used_step: null })).toBeUndefined();
  });

  it("work once each, whenever and however often they are tried", () => {
    const tries = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: -3, max: 3 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(tries, (attempts) => {
        let last_used_step: number | null = null;
        let second = 1_700_000_000;
        const used: number[] = [];
        for (const [passed, offset] of attempts) {
          second += passed;
          const own = Math.floor(second / 30) + offset;
          const step = findTotpStep(SECRET, computeTotpCode(KEY, own), { now: second * 1000, last_used_step });
          if (step === undefined) continue;
          expect(Math.abs(step - Math.floor(second / 30))).toBeLessThanOrEqual(1);
          used.push(step);
          last_used_step = step;
        }
        expect(new Set(used).size).toBe(used.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe("secrets", () => {
  it("have 160 random bits in base32", () => {
    const [first, second] = [createTotpSecret(), createTotpSecret()];
    expect(first).toMatch(/^[A-Z2-7]{32}$/);
    expect(first).not.toBe(second);
  });

  it.each([
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ])("are encoded as in RFC 4648, section 10: %j", (text, encoded) => {
    expect(encodeBase32(new TextEncoder().encode(text))).toBe(encoded);
  });

  it("are decoded to what was encoded, as people type them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = encodeBase32(bytes);
        expect(decodeBase32(text)).toEqual(bytes);
        expect(decodeBase32(`${text.toLowerCase().replace(/(.{4})/g, "$1 ")}==`)).toEqual(bytes);
      }),
    );
    expect([decodeBase32("A1"), decodeBase32("A!")]).toEqual([undefined, undefined]);
  });

  it("are in the address that apps read, with any name of the account", () => {
    const url = buildOtpauthUrl({ issuer: "Vigil: Status", account: "a+b@c.example", secret: "MZXW6" });
    expect(url).toBe(
      "otpauth://totp/Vigil%20%20Status:a%2Bb%40c.example?secret=MZXW6&issuer=Vigil%3A%20Status&algorithm=SHA1&digits=6&period=30",
    );
  });
});

describe("recovery codes", () => {
  it("are ten different ones, read back as they are shown and as people type them", () => {
    const codes = createRecoveryCodes();
    expect([codes.length, new Set(codes).size]).toEqual([10, 10]);
    for (const code of codes) {
      const shown = formatRecoveryCode(code);
      expect(shown).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
      const typed = ` ${shown.toUpperCase().replaceAll("0", "O").replaceAll("1", "l").replaceAll("-", " ")} `;
      expect(parseSecondFactor(shown)).toEqual({ kind: "recovery", code });
      expect(parseSecondFactor(typed)).toEqual({ kind: "recovery", code });
    }
  });

  it("spend every random bit", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 100, maxLength: 100 }), fc.nat({ max: 799 }), (random, bit) => {
        const other = Uint8Array.from(random);
        other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(buildRecoveryCodes(other)).not.toEqual(buildRecoveryCodes(random));
      }),
    );
    expect(() => buildRecoveryCodes(new Uint8Array(99))).toThrow(RangeError);
  });

  it.each([
    ["123 456", { kind: "totp", code: "123456" }],
    ["12345", undefined],
    ["1234567", undefined],
    ["0000-0000-0000-000", undefined],
    ["0000-0000-0000-000u", undefined],
    ["0000-0000-0000-00000", undefined],
  ])("are distinguished from one-time codes: %j", (text, expected) => {
    expect(parseSecondFactor(text)).toEqual(expected);
  });

  it("are stored as a hash that another user does not share", () => {
    const hash = hashRecoveryCode("0000000000000000", { user_id: "a" });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toContain("0000000000000000");
    expect(hashRecoveryCode("0000000000000000", { user_id: "b" })).not.toBe(hash);
    expect(hashRecoveryCode("0000000000000000", { user_id: "a" })).toBe(hash);
  });
});
