import { describe, expect, it } from "vitest";
import { hashPassword, isPassword } from "./password.ts";

const SECRET = "a root secret of more than 32 characters";
const stored = hashPassword(SECRET, "correct horse battery");

describe("isPassword", () => {
  it.each([
    ["the password", SECRET, "correct horse battery", true],
    ["another password", SECRET, "correct horse batterz", false],
    ["the password under another root secret", "another root secret of 32 characters", "correct horse battery", false],
  ])("judges %s", (_name, secret, password, expected) => {
    expect(isPassword(secret, password, stored)).toBe(expected);
  });

  it("takes one letter however a keyboard composes it", () => {
    expect(isPassword(SECRET, "Zu\u0308rich Zürich", hashPassword(SECRET, "Zürich Zürich"))).toBe(true);
  });

  it("is never true without a stored hash, whatever is tried", () => {
    for (const password of ["", "correct horse battery", "\0"]) expect(isPassword(SECRET, password, null)).toBe(false);
  });

  it.each([
    ["memory beyond the bounds", stored.replace("ln=14", "ln=20")],
    ["work beyond the bounds", stored.replace("p=5", "p=99")],
    ["no work at all", stored.replace("r=8", "r=0")],
    ["another scheme", stored.replace("$scrypt$", "$argon2$")],
    ["nothing", ""],
  ])("refuses a stored string that asks for %s", (_name, text) => {
    expect(isPassword(SECRET, "correct horse battery", text)).toBe(false);
  });

  it("hashes the same password differently each time", () => {
    expect(hashPassword(SECRET, "correct horse battery")).not.toBe(stored);
  });
});
