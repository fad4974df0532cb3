import { createSign, createVerify, generateKeyPairSync } from "node:crypto";
import { ECDSASigValue as PackageValue } from "@peculiar/asn1-ecc";
import { AsnParser as PackageParser } from "@peculiar/asn1-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AsnParser, ECDSASigValue, X509Certificate } from "./signature-numbers.ts";

const numbersOf = (parse: () => { r: ArrayBuffer | Uint8Array; s: ArrayBuffer | Uint8Array }) => {
  try {
    const { r, s } = parse();
    return [r, s].map((number) => [...new Uint8Array(number)]);
  } catch {
    return null;
  }
};

const DATA = Buffer.from("what a passkey signs");

describe("the two numbers of a signature", () => {
  it.each([
    { namedCurve: "P-256", length: 32 },
    { namedCurve: "P-384", length: 48 },
    { namedCurve: "P-521", length: 66 },
  ])("are read as they were written, on $namedCurve", ({ namedCurve, length }) => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve });
    // A number has a leading zero, and another length, in half of them.
    for (let n = 0; n < 100; n++) {
      const signature = createSign("sha256").update(DATA).sign({ key: privateKey, dsaEncoding: "der" });
      const { r, s } = AsnParser.parse(signature, ECDSASigValue);
      const numbers = [r, s].map((number) => Buffer.concat([Buffer.alloc(length), number]).subarray(-length));
      const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
      expect(createVerify("sha256").update(DATA).verify(key, Buffer.concat(numbers))).toBe(true);
    }
  });

  it.each([
    ["nothing", ""],
    ["a sequence that ends early", "3006020101"],
    ["one number", "3003020101"],
    ["a third number", "3009020101020102020103"],
    ["bytes after the sequence", "300602010102010200"],
    ["another type than a number", "3006020101040102"],
    ["another type than a sequence", "3106020101020102"],
    ["a number without bytes", "30050200020102"],
    ["a number longer than its sequence", "3006020201020102"],
    ["lengths of more than two bytes", "30820006020101020102"],
    ["a sequence without an end", "3080020101020102"],
  ])("are not found in %s", (_, hex) => {
    expect(() => AsnParser.parse(Buffer.from(hex, "hex"), ECDSASigValue)).toThrow(/signature/);
  });

  it("are those that the packages read, whose place this takes, and found nowhere where they find none", () => {
    const element = (tag: number, value: readonly number[]) =>
      value.length < 0x80 ? [tag, value.length, ...value] : [tag, 0x81, value.length, ...value];
    const number = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 70 });
    const change = fc.record({ at: fc.nat(150), to: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(number, number, fc.array(change, { maxLength: 2 }), (r, s, changes) => {
        const bytes = Uint8Array.from(element(0x30, [...element(0x02, r), ...element(0x02, s)]));
        for (const { at, to } of changes) if (at < bytes.length) bytes[at] = to;
        const read = numbersOf(() => AsnParser.parse(bytes, ECDSASigValue));
        if (read !== null) expect(read).toEqual(numbersOf(() => PackageParser.parse(bytes, PackageValue)));
        else if (changes.length === 0) expect(Math.min(r.length, s.length)).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it("are all that is read: no certificate is", () => {
    expect(() => AsnParser.parse(Buffer.from("3006020101020102", "hex"), X509Certificate)).toThrow("no certificates");
  });
});
