import { describe, expect, it } from "vitest";
import { decideFirstSignIn, findRequiredProvider, normalAddress } from "./sign-in.ts";

const provider = { account_domains: ["works.example"] };
const ADA = "ada@works.example";

describe("a first sign-in by a provider", () => {
  it.each([
    ["confirm", { email: ADA, account: { is_verified: true } }],
    ["prove", { email: ADA, account: { is_verified: false } }],
    ["create", { email: ADA, account: null }],
    ["no_account", { email: "ada@elsewhere.example", account: null }],
    ["no_account", { email: "ada@elsewhere.example", account: { is_verified: false } }],
    ["no_account", { email: "ada@works.example.elsewhere.example", account: null }],
    ["confirm", { email: "ada@elsewhere.example", account: { is_verified: true } }],
    ["no_address", { email: null, account: null }],
  ])("is to %s with %j", (decision, facts) => {
    expect(decideFirstSignIn({ ...facts, provider })).toBe(decision);
  });
});

describe("an address", () => {
  it.each([
    ["Ada@Works.Example", "ada@works.example"],
    ["ada@bücher.example", "ada@xn--bcher-kva.example"],
    ["ada@wоrks.example", "ada@xn--wrks-55d.example"],
    ["\u212Aim@works.example", null],
    ["ada @works.example", null],
  ])("%s is read as %s", (written, read) => {
    expect(normalAddress(written)).toBe(read);
  });
});

describe("a domain that requires a provider", () => {
  const rules = { providers: [{ required_domains: ["works.example"] }], break_glass: ["owner@works.example"] };

  it.each([
    [ADA, true],
    ["ADA@WORKS.EXAMPLE", true],
    ["ada@sub.works.example", false],
    ["owner@works.example", false],
    ["ada@elsewhere.example", false],
  ])("for %s: %s", (email, isRequired) => {
    expect(findRequiredProvider(email, rules) !== undefined).toBe(isRequired);
  });
});
