import { describe, expect, it } from "vitest";
import { newId } from "./ids.ts";
import { mintPushToken, readPushToken } from "./push-tokens.ts";

const SECRET = "root-secret-root-secret-root-secret";
const credential = { monitor_id: newId(), credential_version: 7, credential_key: 1 };

describe("push tokens", () => {
  it.each([
    ["beat", /^hb_[0-9A-Za-z]{50}$/],
    ["metrics", /^pk_[0-9A-Za-z]{50}$/],
  ] as const)("of %s name their monitor and version, and are the same each time", (purpose, form) => {
    const token = mintPushToken(SECRET, purpose, credential);
    expect(token).toMatch(form);
    expect(mintPushToken(SECRET, purpose, credential)).toBe(token);
    expect(readPushToken(SECRET, purpose, token)).toEqual(credential);
  });

  it("hold for every id and version", () => {
    for (const monitor_id of ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]) {
      for (const credential_version of [0, 1, 2 ** 32 - 1]) {
        const token = mintPushToken(SECRET, "beat", { monitor_id, credential_version, credential_key: 1 });
        expect(readPushToken(SECRET, "beat", token)).toEqual({ monitor_id, credential_version, credential_key: 1 });
      }
    }
  });

  it("are refused when a single character is another one", () => {
    const token = mintPushToken(SECRET, "beat", credential);
    for (let n = 0; n < token.length; n++) {
      const other = token[n] === "a" ? "b" : "a";
      expect(readPushToken(SECRET, "beat", token.slice(0, n) + other + token.slice(n + 1))).toBeUndefined();
    }
  });

  it.each([
    ["another purpose", "metrics", mintPushToken(SECRET, "beat", credential)],
    ["another purpose behind a changed mark", "metrics", mintPushToken(SECRET, "beat", credential).replace("hb", "pk")],
    ["another secret", "beat", mintPushToken(SECRET.toUpperCase(), "beat", credential)],
    ["nothing", "beat", ""],
    ["a mark alone", "beat", "hb_"],
    ["a character outside of the alphabet", "beat", `hb_${"-".repeat(50)}`],
    ["a number beyond all tokens", "beat", `hb_${"z".repeat(50)}`],
    ["something longer", "beat", `${mintPushToken(SECRET, "beat", credential)}0`],
  ] as const)("are refused for %s", (_name, purpose, text) => {
    expect(readPushToken(SECRET, purpose, text)).toBeUndefined();
  });
});
