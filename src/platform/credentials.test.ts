import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isWellFormedApiToken, newApiToken, randomBase62, sha256Hex, tokenPrefix } from "./credentials.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function fromBase62(base62: string): number {
  return [...base62].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0);
}

describe("newApiToken", () => {
  it("is sk_svc_ with 43 characters of randomness and 6 of checksum", () => {
    expect(newApiToken()).toMatch(/^sk_svc_[0-9A-Za-z]{49}$/);
  });

  it("ends with the CRC-32 of its random part, as zero-padded base62", () => {
    const token = newApiToken();
    expect(fromBase62(token.slice(-6))).toBe(crc32(token.slice(7, 50)));
  });

  it("never gives the same token twice", () => {
    expect(new Set(Array.from({ length: 1000 }, newApiToken)).size).toBe(1000);
  });
});

describe("isWellFormedApiToken", () => {
  const token = newApiToken();
  const otherLast = token.endsWith("0") ? "1" : "0";
  const otherRandom = token.charAt(20) === "0" ? "1" : "0";

  it("accepts what newApiToken made", () => {
    for (let round = 0; round < 1000; round++) expect(isWellFormedApiToken(newApiToken())).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["the mark alone", "sk_svc_"],
    ["another mark", token.replace("sk_svc_", "sk_abc_")],
    ["one character more", `${token}0`],
    ["one character less", token.slice(0, -1)],
    ["a line break at the end", `${token}\n`],
    ["a wrong checksum", token.slice(0, -1) + otherLast],
    ["a changed random part", token.slice(0, 20) + otherRandom + token.slice(21)],
    ["characters outside base62", `sk_svc_${"-".repeat(49)}`],
  ])("refuses %s", (_, text) => {
    expect(isWellFormedApiToken(text)).toBe(false);
  });
});

describe("stored forms", () => {
  it("hashes to the hex SHA-256", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("keeps the first 12 characters readable", () => {
    expect(tokenPrefix("sk_svc_abcdefghij")).toBe("sk_svc_abcde");
  });
});

describe("randomBase62", () => {
  it("draws every character equally often", () => {
    const counts = new Map<string, number>();
    for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect([...counts.keys()].sort().join("")).toBe([...ALPHABET].sort().join(""));
    // 1000 are expected of each, with a deviation of about 32; a modulo bias would give some of them 1211.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });
});
