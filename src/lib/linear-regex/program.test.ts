import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { PatternError } from "./parse.ts";
import { compileRegex } from "./program.ts";

const SIZE_MAX = 1000;
const matches = (pattern: string, text: string) => compileRegex(pattern, SIZE_MAX).matches(text);

describe("a pattern", () => {
  it.each<[pattern: string, text: string, isMatch: boolean]>([
    ["", "", true],
    ["b", "abc", true],
    ["^b", "abc", false],
    ["^(?:ab|cd)*$", "abcdab", true],
    ["^(?:ab|cd)*$", "abcda", false],
    ["^a{2,3}$", "aa", true],
    ["^a{2,3}$", "aaaa", false],
    ["^a{2}$", "aaa", false],
    ["^a{2,}$", "aaaaa", true],
    ["a{,2}", "a{,2}", true],
    ["^.$", "\n", false],
    ["(?s)^.$", "\n", true],
    ["^.$", "😀", true],
    ["^b$", "a\nb\nc", false],
    ["(?m)^b$", "a\nb\nc", true],
    ["(?m:^b$)|^c$", "a\nb\nc", true],
    ["(?i)straße", "STRASSE STRAßE", true],
    ["(?i:a)b", "AB", false],
    ["(?i)[^a]", "A", false],
    ["\\bup\\b", "is up.", true],
    ["\\bup\\b", "upper", false],
    ["\\Bpp", "upper", true],
    ["^[[:alpha:]_]+$", "a_b", true],
    ["^[^[:digit:]]$", "7", false],
    ["^\\p{Greek}\\pL\\P{Lu}$", "αÉx", true],
    ["^[\\p{^Greek}]$", "α", false],
    ["^\\x41\\x{3b1}\\101\\Q.*\\E+$", "AαA.***", true],
    ["^(?P<name>a)(?<other>b)$", "ab", true],
    ["^[]a-c-]+$", "]b-", true],
    ["^\\d+\\s\\w+\\D\\S\\W$", "12 ab-x!", true],
  ])("%j in %j: %s", (pattern, text, isMatch) => {
    expect(matches(pattern, text)).toBe(isMatch);
  });

  it.each([
    ...[
      "(",
      ")",
      "[",
      "[a",
      "a**",
      "*",
      "a{2}{3}",
      "a{1001}",
      "a{3,2}",
      "\\",
      "\\1",
      "\\8",
      "\\y",
      "\\pX",
      "\\p{Elvish}",
    ],
    ...[
      "[b-a]",
      "[a-\\d]",
      "[[:none:]]",
      "\\x{110000}",
      "(?=a)",
      "(?!a)",
      "(?<=a)",
      "(?<!a)",
      "(?P=a)",
      "(?i",
      "(?x)a",
    ],
    ...["(a{500}){3}", "((((){1000}){1000}){1000}){1000}"],
  ])("%j is refused", (pattern) => {
    expect(() => compileRegex(pattern, SIZE_MAX)).toThrow(PatternError);
  });
});

/** Pieces of patterns and of texts, made so that many of the former match something in the latter. */
const PIECES = [
  ...["a", "b", "A", "k", "\u212a", "ſ", "é", "É", "1", "_", " ", "\n", "-", ".", "^", "$", "*", "+", "?", "*?", "|"],
  ...["{2}", "{1,2}", "{0,}", "{,2}", "(", "(?:", "(?i:", "(?s)", "(?m)a", "(?P<n>", ")", "[", "[^", "]", "a-c", "😀"],
  ...["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\b", "\\B", "\\A", "\\z", "\\pL", "\\PL", "\\p{Lu}", "\\p{^Lu}"],
  ...["\\p{Greek}", "[[:alpha:]]", "[:^digit:]", "\\x41", "\\x{3b1}", "\\141", "\\.", "\\Q", "\\E", "(?=", "\\1"],
];
const LETTERS = [..."abcABkKsS1_ \n\t\v-αΩéÉ😀ßx.", "\u212a", "ſ"];
const text = (letters: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength }).map((parts) => parts.join(""));

function reference(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

it("means what it means to RE2", () => {
  fc.assert(
    fc.property(text(PIECES, 7), fc.array(text(LETTERS, 6), { minLength: 1, maxLength: 6 }), (pattern, texts) => {
      // Choice: RE2 lets a repetition after flags repeat what stands before them; here there is nothing to repeat.
      fc.pre(!/\(\?[ims]\)[*+?{]/.test(pattern));
      const expected = reference(pattern);
      if (!expected) {
        expect(() => compileRegex(pattern, SIZE_MAX)).toThrow(PatternError);
        return;
      }
      const regex = compileRegex(pattern, SIZE_MAX);
      expect(texts.map((each) => regex.matches(each))).toEqual(texts.map((each) => expected.matcher(each).find()));
    }),
    { numRuns: 3000 },
  );
});

it("follows all ways where hardly a state comes again", () => {
  const letters = Array.from({ length: 20_000 }, (_, n) => (Math.imul(n, 2_654_435_761) & 0x40000 ? "a" : "b")).join(
    "",
  );
  expect(matches("[ab]*a[ab]{200}c", letters)).toBe(false);
  expect(matches("[ab]*a[ab]{200}c", `${letters}a${"b".repeat(200)}c`)).toBe(true);
});
