import { describe, expect, it } from "vitest";
import { compileCapture } from "./capture.ts";

const capture = (pattern: string, text: string) => compileCapture(pattern, 1000).capture(text);

describe("what a pattern captures", () => {
  it.each<[pattern: string, text: string, expected: string | null]>([
    ["token=(\\w+)", "a; token=abc123; b", "abc123"],
    ["token=\\w+", "a; token=abc123; b", "token=abc123"],
    ['name="csrf" value="([^"]+)"', '<input name="csrf" value="x-1">', "x-1"],
    ["(a+)(b+)", "xaabb", "aa"],
    ["(?:a+)(b+)", "xaabb", "bb"],
    ["(?P<id>\\d+)", "order 42", "42"],
    ["<(.*)>", "<a><b>", "a><b"],
    ["<(.*?)>", "<a><b>", "a"],
    ["(?U)<(.*)>", "<a><b>", "a"],
    ["(a|ab)(c|bcd)", "abcd", "a"],
    ["x(y)?z", "xz", null],
    ["(a*)*", "aab", "aa"],
    ["(^b)", "ab", null],
    ["(?m)^(b.*)$", "a\nbc\nd", "bc"],
    ["(\\bid\\b)", "idle id", "id"],
    ["(é+)", "caféé", "éé"],
    ["(.)x", "😀x", "😀"],
    ["(a{2,3})", "aaaa", "aaa"],
    ["(a{2,3}?)", "aaaa", "aa"],
    ["nothing", "else", null],
    ["()", "", ""],
  ])("%s in %j is %j", (pattern, text, expected) => {
    expect(capture(pattern, text)).toBe(expected);
  });

  it("agrees with the engine of the language wherever both read a pattern alike", () => {
    const patterns = ["(a|b)*c", "(a+?)b", "((a)|b)+", "x(.*)y", "(\\d+)-", "a(b?)c?", "(ab|a)(bc)?"];
    const texts = ["aabbc", "abcabc", "xaayby", "12-34-", "abbc", "ba", "", "abc"];
    for (const pattern of patterns) {
      for (const text of texts) {
        const match = new RegExp(pattern, "u").exec(text);
        expect(capture(pattern, text), `${pattern} in ${text}`).toBe(match ? (match[1] ?? null) : null);
      }
    }
  });

  it("takes no longer on a text that would make others try every way", () => {
    const text = `${"a".repeat(20_000)}!`;
    const startedAt = performance.now();
    expect(capture("(a+)+$", text)).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});
