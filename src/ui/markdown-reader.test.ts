import { describe, expect, it } from "vitest";
import { PROSE } from "../../test/support/hard-markdown.ts";
import { countRegexTries } from "../../test/support/regex-tries.ts";
import { createMarkdownReader, parseMarkdown } from "./markdown.ts";

/** Ten kilobytes each, and each another text. */
const dashes = (n: number) => `${n}${"-a".repeat(4_990)}`;

describe("the Markdown of many texts", () => {
  it("is parsed once a text, however many documents and messages show it", () => {
    const first = countRegexTries(() => void parseMarkdown(dashes(1)));
    const again = countRegexTries(() => {
      for (let n = 0; n < 100; n++) parseMarkdown(dashes(1));
    });
    // What is left is to bound the length of the text.
    expect(again / 100).toBeLessThan(first / 5);
    expect(parseMarkdown(dashes(1))).toBe(parseMarkdown(dashes(1)));
  });

  it("is parsed up to so many characters in one document, and shown as it was written beyond them", () => {
    const read = createMarkdownReader(50_000);
    const shown = Array.from({ length: 8 }, (_, n) => read(`*${n}*${PROSE}`.slice(0, 10_000)));
    const kinds = shown.map(([first]) => (first?.kind === "paragraph" ? first.children[0]?.kind : undefined));
    expect(kinds).toEqual(["em", "em", "em", "em", "em", "text", "text", "text"]);
    expect(read("")).toEqual([]);
    expect(read(null)).toEqual([]);
  });

  it("takes as much work for a hundred hard texts in one document as for twenty", () => {
    const workOf = (count: number, from: number) =>
      countRegexTries(() => {
        const read = createMarkdownReader();
        for (let n = 0; n < count; n++) read(dashes(from + n));
      });
    expect(workOf(100, 1_000)).toBeLessThan(1.5 * workOf(20, 2_000));
  });
});
