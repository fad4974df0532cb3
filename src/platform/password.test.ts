import { describe, expect, it } from "vitest";
import { currentHashPrefix, hashPassword, isPassword } from "./password.ts";
import { settingsOf } from "./settings.ts";

const SECRET = "a root secret of more than 32 characters";
const settings = (ROOT_SECRET: string) => ({ ROOT_SECRET, PASSWORD_COST: 10 });
const own = settings(SECRET);
const stored = hashPassword(own, "correct horse battery");

describe("the cost of a hash", () => {
  it("is 16 MiB and five passes unless the operator says otherwise", () => {
    expect(currentHashPrefix(settingsOf({ ROOT_SECRET: SECRET }))).toBe("$scrypt$ln=14,r=8,p=5$");
    expect(stored).toMatch(/^\$scrypt\$ln=10,r=8,p=5\$/);
  });
});

describe("isPassword", () => {
  it.each([
    ["the password", SECRET, "correct horse battery", true],
    ["another password", SECRET, "correct horse batterz", false],
    ["the password under another root secret", "another root secret of 32 characters", "correct horse battery", false],
  ])("judges %s", (_name, secret, password, expected) => {
    expect(isPassword(settings(secret), password, stored)).toBe(expected);
  });

  it("takes one letter however a keyboard composes it", () => {
    expect(isPassword(own, "Zu\u0308rich Zürich", hashPassword(own, "Zürich Zürich"))).toBe(true);
  });

  it("is never true without a stored hash, for any password", () => {
    for (const password of ["", "correct horse battery", "\0"]) expect(isPassword(own, password, null)).toBe(false);
  });

  it.each([
    ["memory beyond the bounds", stored.replace("ln=10", "ln=20")],
    ["work beyond the bounds", stored.replace("p=5", "p=99")],
    ["no work at all", stored.replace("r=8", "r=0")],
    ["another scheme", stored.replace("$scrypt$", "$argon2$")],
    ["nothing", ""],
  ])("refuses a stored string that asks for %s", (_name, text) => {
    expect(isPassword(own, "correct horse battery", text)).toBe(false);
  });

  it("costs a fifth of an invocation's CPU on the Workers Free plan, where what costs more is not computed", () => {
    const free = { ...own, PLAN: "free" as const };
    const cheap = hashPassword(free, "correct horse battery");
    expect(cheap).toMatch(/^\$scrypt\$ln=10,r=8,p=1\$/);
    expect(isPassword(free, "correct horse battery", cheap)).toBe(true);
    expect(isPassword(free, "correct horse batterz", cheap)).toBe(false);
    expect(isPassword(free, "correct horse battery", stored)).toBe(false);
    expect(isPassword(own, "correct horse battery", cheap)).toBe(true);
  });

  it("hashes the same password differently each time", () => {
    expect(hashPassword(own, "correct horse battery")).not.toBe(stored);
  });
});
