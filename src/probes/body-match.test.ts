import { describe, expect, it } from "vitest";
import { HttpCheck } from "../contract/http-check.ts";
import { bodyProblem, needsBody, patternProblem } from "./body-match.ts";

const problem = (fields: object, text: string, isCut = false) =>
  bodyProblem(HttpCheck.parse({ http_method: "GET", ...fields }), { text, isCut });
const expecting = (type: string, expected_body: string, text: string, isCut = false) =>
  problem({ expected_body, expected_body_match_type: type }, text, isCut);

describe("what a body must hold", () => {
  it.each([
    ["contains", "ok", "all ok\n", null],
    ["contains", "ok", "all OK", 'body does not contain "ok"'],
    ["not_contains", "error", "all ok", null],
    ["not_contains", "error", "an error", 'body contains "error"'],
    ["exact", "ok", " ok\r\n", null],
    ["exact", "ok", "ok ok", 'body is not "ok"'],
    ["regex", "^status: (ok|up)$", "status: up", null],
    ["regex", "^up$", "down", 'body does not match "^up$"'],
    ["regex", "(?m)^up$", "down\nup\n", null],
  ])("%s %j in %j", (type, expected, text, message) => {
    expect(expecting(type, expected, text)).toBe(message);
  });

  it("is never exact when only a part could be read", () => {
    expect(expecting("exact", "ok", "ok", true)).toBe('body is not "ok"');
  });

  it.each([
    ["one, two", "one and two", null],
    ["one, two,", "one", 'body does not contain "two"'],
    [" , ", "", null],
  ])("keywords %j in %j", (expected_keywords, text, message) => {
    expect(problem({ expected_keywords }, text)).toBe(message);
  });

  it("shows at most 80 characters of what was expected", () => {
    expect(expecting("contains", "x".repeat(200), "")).toBe(`body does not contain "${"x".repeat(80)}…"`);
  });

  it.each([
    [{}, false],
    [{ expected_keywords: ", " }, false],
    [{ expected_keywords: "a" }, true],
    [{ expected_body: "a" }, true],
  ])("needs the body for %j: %s", (fields, expected) => {
    expect(needsBody(HttpCheck.parse(fields))).toBe(expected);
  });
});

describe("a person's regular expression", () => {
  it.each([
    ["look-ahead", "a(?=b)"],
    ["look-behind", "(?<=a)b"],
    ["a back-reference", "(a)\\1"],
    ["an open bracket", "["],
    ["an open group", "(a"],
    ["too many repeats", "a{1001}"],
    ["repeats of repeats", "((a{100}){100}){100}"],
    ["a large program", "(a?){500}{2}b{900}"],
    ["513 characters", "a".repeat(513)],
  ])("is refused with a reason: %s", (_name, pattern) => {
    expect(patternProblem(pattern)).toMatch(/regular expression/);
  });

  it.each(["ok", "^\\d{3}$", "(?i)status", "\\p{L}+", "a".repeat(512)])("is taken: %s", (pattern) => {
    expect(patternProblem(pattern)).toBeNull();
  });

  const evil = [
    "(a+)+$",
    "(a|aa)+$",
    "(a|a?)+$",
    "(.*a){20}$",
    "(.*a){90}$",
    "(a?){150}a{150}$",
    "(\\w+\\s?)*$",
    "(x+x+)+y",
  ];
  it.each(evil)("cannot hold up the checker: %s", (pattern) => {
    expect(patternProblem(pattern)).toBeNull();
    // An engine that goes back and forth would not answer before the end of the day.
    const problem = expecting("regex", pattern, `${"a".repeat(1024 * 1024)}!`);
    expect(problem ?? "matches").toMatch(/match/);
  });
});
